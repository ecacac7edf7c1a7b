// From which origin a request comes, and what its pages may read.
#include "http/call/identity.hpp"
#include "http/server/connection.hpp"
#include "http/server/operator_side.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace credence::http {

namespace {

constexpr std::string_view headers_to_read = "Access-Control-Expose-Headers: X-Request-Id, Retry-After, RateLimit, "
                                             "RateLimit-Policy, Deprecation, Sunset, Link, "
                                             "Idempotency-Replayed\r\n";
constexpr std::string_view headers_to_send =
  "Authorization, Content-Type, X-Service-Client, X-Service-Api-Key, Idempotency-Key, X-Request-Id";
/// A page asks for the names of a few headers; who sends more is no browser.
constexpr std::size_t asked_headers_length_max = 1024;

bool is_in_header_list(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || std::string_view{"!#$%&'*+-.^_`|~, \t"}.find(c) != std::string_view::npos;
}

/// Names the headers that a page may send: those of ours, and those it asks for. Error trackers and tracing add some of
/// their own
/// (`sentry-trace`, `baggage`, `traceparent`), which make no difference here and without which the browser would drop
/// the request.
void append_allowed_headers(std::string& head, std::string_view asked) {
  head.append("Access-Control-Allow-Headers: ").append(headers_to_send);
  if (!asked.empty() && asked.size() <= asked_headers_length_max
      && std::all_of(asked.begin(), asked.end(), is_in_header_list))
    head.append(", ").append(asked);
  head.append("\r\nAccess-Control-Max-Age: 86400\r\n");
}

} // namespace

bool connection::origin_listed() const {
  const auto origin = reader_.head().origin;
  const auto& allowed = home_.shared.with.settings.allowed_origins;
  return !origin.empty()
         && (origin == home_.shared.own_origin || std::find(allowed.begin(), allowed.end(), origin) != allowed.end());
}

bool connection::partner_listed() const {
  const auto* rules = home_.shared.with.identity;
  return rules && reader_.head().origin_count == 1 && rules->partners.lists(reader_.head().origin);
}

/// Whether the page of a partner asks, and may call this with credentials.
bool connection::open_to_partner() const {
  if (!call_.partner_page_ || !found_.found)
    return false;
  if (route_)
    return route_->partners != partner_use::none;
  return std::any_of(std::begin(found_.by_method), std::end(found_.by_method),
                     [](const auto* entry) { return entry && entry->route->partners != partner_use::none; });
}

/// Whether a request to the operator or the admin listener names it: a page whose name leads to this machine by
/// DNS rebinding must not read metrics. All browsers send `Host`, so a request without it is let through.
bool connection::for_operators() const {
  const auto host = reader_.head().host;
  if (host.empty() || parse_address(host))
    return true;
  std::string name{host.substr(0, host.find(':'))};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto& names = home_.shared.with.settings.operator_hosts;
  if (side_ == listener::admin && name == home_.operators()->host())
    return true;
  return name == "localhost" || std::find(names.begin(), names.end(), name) != names.end();
}

/// OPTIONS on a path. Pages of a listed origin may call with credentials; pages of other origins may read what is open
/// to everybody, and nothing else (Fetch, 3.2).
void connection::preflight() {
  call_.extra_head_.append("Allow: ").append(found_.allow()).append("\r\n");
  const auto open = [this](method verb) {
    const auto* entry = found_.by_method[static_cast<std::size_t>(verb)];
    return entry && open_to_all_origins(*entry->route);
  };
  const bool get = open(method::get);
  const bool post = open(method::post);
  const auto wanted = reader_.head().preflight_for;
  const bool listed = call_.origin_allowed_ || open_to_partner();
  cors_ = wanted.empty() ? get || post : wanted == "POST" ? post : get && (wanted == "GET" || wanted == "HEAD");
  if ((cors_ || listed) && !wanted.empty()) {
    call_.extra_head_.append("Access-Control-Allow-Methods: ")
      .append(listed ? "GET, HEAD, POST, PUT, PATCH, DELETE"
              : !get ? "POST"
              : post ? "GET, HEAD, POST"
                     : "GET, HEAD")
      .append("\r\n");
    append_allowed_headers(call_.extra_head_, reader_.head().preflight_headers);
  }
  call_.reply(204);
}

void connection::append_origin() {
  if (call_.origin_allowed_ || open_to_partner())
    head_.append("Access-Control-Allow-Origin: ")
      .append(reader_.head().origin)
      .append("\r\nAccess-Control-Allow-Credentials: true\r\n")
      .append(headers_to_read);
  else if (cors_)
    head_.append("Access-Control-Allow-Origin: *\r\n").append(headers_to_read);
  if (side_ == listener::api)
    head_.append("Vary: Origin, Accept-Encoding\r\n"); // a cache must not give one origin's answer to another, nor a
                                                       // packed one to who cannot read it
  else if (side_ == listener::operators)
    head_.append("Vary: Accept-Encoding\r\n");
}

} // namespace credence::http
