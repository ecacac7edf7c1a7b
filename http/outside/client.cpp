#include "http/outside/client.hpp"

#include "http/outside/outside_url.hpp"

#include <curl/curl.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace credence::http {

namespace {

/// A body on its way in.
struct incoming {
  std::string* body;
  std::size_t most;
  bool too_long = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* to) {
  auto& in = *static_cast<incoming*>(to);
  in.too_long = in.body->size() + size * count > in.most;
  if (in.too_long)
    return 0; // ends the transfer
  in.body->append(data, size * count);
  return size * count;
}

/// Called now and then during a request; another result than 0 ends it.
int go_on(void* given_up, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(given_up)->load() ? 1 : 0;
}

} // namespace

struct client::handle {
  CURL* curl = nullptr;
  curl_slist* head = nullptr;
  std::size_t body_bytes_max;
  explicit handle(std::size_t most) : curl(::curl_easy_init()), body_bytes_max(most) {
    if (!curl)
      throw client_error("the HTTP client cannot be set up");
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() {
    ::curl_slist_free_all(head);
    ::curl_easy_cleanup(curl);
  }
};

client::client(const bounds& within) : handle_(std::make_unique<handle>(within.body_bytes_max)) {
  auto* curl = handle_->curl;
  ::curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(within.timeout.count()));
  ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!within.by_proxy)
    ::curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); // what is asked for is on our own network
  if (within.given_up) {
    ::curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    ::curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &go_on);
    ::curl_easy_setopt(curl, CURLOPT_XFERINFODATA, within.given_up);
  }
  ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
}

client::~client() = default;

client_answer client::get(const std::string& url, const std::string& bearer) {
  ::curl_slist_free_all(std::exchange(handle_->head, nullptr));
  handle_->head = ::curl_slist_append(nullptr, "X-Service-Client: credence@" CREDENCE_VERSION);
  if (!bearer.empty())
    handle_->head = ::curl_slist_append(handle_->head, ("Authorization: Bearer " + bearer).c_str());
  ::curl_easy_setopt(handle_->curl, CURLOPT_HTTPGET, 1L);
  return perform(url, url);
}

client_answer client::post(const std::string& url, const std::string& json) {
  ::curl_slist_free_all(std::exchange(handle_->head, nullptr));
  handle_->head = ::curl_slist_append(nullptr, "Content-Type: application/json");
  handle_->head = ::curl_slist_append(handle_->head, "Expect:"); // no asking first whether the body may come
  ::curl_easy_setopt(handle_->curl, CURLOPT_POST, 1L);
  ::curl_easy_setopt(handle_->curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(json.size()));
  ::curl_easy_setopt(handle_->curl, CURLOPT_POSTFIELDS, json.c_str());
  return perform(url, origin_of(url));
}

client_answer client::perform(const std::string& url, const std::string& shown) {
  auto* curl = handle_->curl;
  client_answer out;
  ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, handle_->head);
  ::curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  incoming body{&out.body, handle_->body_bytes_max, false};
  ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const auto code = ::curl_easy_perform(curl);
  if (body.too_long)
    throw body_too_long(shown + ": the answer is longer than " + std::to_string(body.most) + " bytes");
  if (code != CURLE_OK)
    throw client_error(shown + ": " + ::curl_easy_strerror(code));
  long status = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  out.status = static_cast<int>(status);
  curl_off_t seconds = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  out.retry_after = std::chrono::seconds{seconds};
  curl_header* reset = nullptr;
  if (::curl_easy_header(curl, "x-rate-limit-reset", 0, CURLH_HEADER, -1, &reset) == CURLHE_OK) {
    const std::string_view text = reset->value;
    std::from_chars(text.data(), text.data() + text.size(), out.rate_limit_reset);
  }
  return out;
}

} // namespace credence::http
