#include "http/client.hpp"

#include <curl/curl.h>

#include <utility>

namespace credence::http {

namespace {

constexpr std::size_t body_max = 16 * 1024 * 1024;

std::size_t take(char* data, std::size_t size, std::size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + size * count > body_max)
    return 0; // ends the transfer
  body.append(data, size * count);
  return size * count;
}

} // namespace

struct client::handle {
  CURL* curl = nullptr;
  curl_slist* head = nullptr;
  handle() : curl(::curl_easy_init()) {
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

client::client(std::chrono::milliseconds timeout) : handle_(std::make_unique<handle>()) {
  auto* curl = handle_->curl;
  ::curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); // what is asked for is on our own network
  ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
}

client::~client() = default;

client_answer client::get(const std::string& url, const std::string& bearer) {
  auto* curl = handle_->curl;
  client_answer out;
  ::curl_slist_free_all(std::exchange(handle_->head, nullptr));
  handle_->head = ::curl_slist_append(nullptr, "X-Service-Client: credence@" CREDENCE_VERSION);
  if (!bearer.empty())
    handle_->head = ::curl_slist_append(handle_->head, ("Authorization: Bearer " + bearer).c_str());
  ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, handle_->head);
  ::curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out.body);
  if (const auto code = ::curl_easy_perform(curl); code != CURLE_OK)
    throw client_error(url + ": " + ::curl_easy_strerror(code));
  long status = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  out.status = static_cast<int>(status);
  curl_off_t seconds = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  out.retry_after = std::chrono::seconds{seconds};
  return out;
}

} // namespace credence::http
