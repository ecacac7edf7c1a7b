// Who asks, from which origin, and whether it has not asked too often.
#include "http/server_connection.hpp"

#include "ops/metrics.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http {

namespace {

constexpr std::string_view headers_to_read
  = "Access-Control-Expose-Headers: X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, Link\r\n";
constexpr std::string_view headers_to_send
  = "Access-Control-Allow-Headers: Authorization, Content-Type, X-Service-Client, X-Service-Api-Key, "
    "Idempotency-Key, X-Request-Id\r\nAccess-Control-Max-Age: 86400\r\n";

/// The token of `Bearer <token>` (RFC 6750, 2.1); nothing for another scheme.
std::optional<std::string_view> bearer_token(std::string_view credential) {
  static constexpr std::string_view scheme = "bearer ";
  if (credential.size() <= scheme.size()
      || !std::equal(scheme.begin(), scheme.end(), credential.begin(),
                     [](char want, char have) { return want == (have >= 'A' && have <= 'Z' ? have + 32 : have); }))
    return std::nullopt;
  credential.remove_prefix(scheme.size());
  while (credential.starts_with(' '))
    credential.remove_prefix(1);
  return credential;
}

std::string_view advice_for(bucket which) {
  switch (which) {
    case bucket::anonymous:
      return "is shared by all callers that do not say who they are; send X-Service-Client: name@version, or a "
             "credential, to have one of your own";
    case bucket::credentials: return "counts credentials from your address that were refused; wait, and send one that is good";
    default: return "of yours is empty for now";
  }
}

std::int64_t nanoseconds_of(steady_time at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

} // namespace

void append_number(std::string& out, std::uint64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// -- who asks ------------------------------------------------------------------------------

/// Finds the caller behind the credential that came along. Whether it has to be there is
/// for `authenticate` to say: before that the request is counted.
void connection::identify() {
  const auto& head = reader_.head();
  if (head.authorization_count == 0)
    return;
  authenticated_ = true;
  const auto token = head.authorization_count == 1 ? bearer_token(head.authorization) : std::nullopt;
  if (!token || !home_.who) {
    credential_refused_ = {refusal_code::unauthenticated, "the credential must be one 'Authorization: Bearer <token>'"};
    return;
  }
  const auto from = client_behind(peer_address_, home_.shared.trusted_proxies, head.forwarded_for);
  if (!home_.shared.limits.may_try_credentials(from, nanoseconds_of(phase_began_)) && !home_.who->knows(*token)) {
    credential_refused_ = {refusal_code::unauthenticated, "too many credentials from this address were refused"};
    return;
  }
  auto who = home_.who->verify(*token);
  if (who)
    call_.caller_ = *who;
  else
    credential_refused_ = who.why();
}

bool connection::authenticate(access needed) {
  if (credential_refused_) {
    extra_head_ += "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
    call_.refuse(*credential_refused_);
    return false;
  }
  if (needed == access::open)
    return true;
  if (!call_.caller_) {
    extra_head_ += "WWW-Authenticate: Bearer\r\n";
    call_.error(401, "UNAUTHORIZED", "send an access token: Authorization: Bearer <token>");
    return false;
  }
  if (needed == access::admin && !call_.caller_->admin) {
    call_.refuse({refusal_code::forbidden, "only admins may do this"});
    return false;
  }
  return true;
}

// -- how many write ------------------------------------------------------------------------

/// Takes a place for what the route writes. Without one it answers 503 before its credential
/// is looked at, and the connection pauses: who asks again at once does not take the time of those let in.
bool connection::may_write() {
  if (!route_ || route_->first != needs::writing
      || home_.shared.writes.admit(writing_, early_, phase_began_))
    return true;
  ops::the_metrics().http.writes_refused.add();
  pause_after_ = true;
  call_.fail(failure::overloaded);
  call_.retry_after_s_ += home_.longer_pause_seconds();
  return false;
}

void connection::pause() {
  set_phase(phase::paused);
  home_.pause(shared_from_this());
}

void connection::resume() {
  if (!socket_.is_open())
    return;
  error_code unknown;
  early_ = !buffer_.empty() || socket_.available(unknown) > 0;
  set_phase(phase::idle);
  process();
}

// -- how often -----------------------------------------------------------------------------

/// Who shows a credential has buckets of its own, wherever it is; who only names itself has
/// them per address, since anybody can take any name. For what is worth guarding the name
/// does not count: with a new one for every request there would be no bound.
standing connection::take_from_bucket(std::int64_t now) {
  auto& limits = home_.shared.limits;
  const auto& head = reader_.head();
  const auto which = entry_ ? entry_->quota : head.verb == method::get ? bucket::read : bucket::write;
  if (call_.caller_)
    return limits.charge(which, *call_.caller_, now);
  if (!credential_refused_ && which != bucket::wallet && head.service_client.empty())
    return limits.charge_anonymous(now);
  const auto from = client_behind(peer_address_, home_.shared.trusted_proxies, head.forwarded_for);
  if (credential_refused_)
    return limits.charge_refused(from, now);
  return limits.charge(which, which == bucket::wallet ? std::string_view{} : head.service_client, from, now);
}

/// Counts the request; answers 429 when there have been too many.
bool connection::within_limits() {
  standing_ = take_from_bucket(nanoseconds_of(phase_began_));
  if (standing_.admitted)
    return true;
  const auto which = standing_.of->which;
  ops::the_metrics().http.rate_limited[static_cast<std::size_t>(which)].add();
  call_.retry_after_s_ = static_cast<std::uint32_t>(std::min<std::int64_t>(standing_.retry_in, UINT32_MAX));
  std::string message{"too many requests: the bucket '"};
  message.append(bucket_names[static_cast<std::size_t>(which)]).append("' ").append(advice_for(which));
  if (which < bucket::anonymous && !call_.caller_)
    message.append(", one per client and address; a credential gives you one that you share with nobody");
  message.append(". Try again in ").append(std::to_string(standing_.retry_in)).append(" s");
  call_.error(429, "RATE_LIMITED", message);
  return false;
}

void connection::append_standing() {
  if (!standing_.of)
    return;
  head_.append(standing_.of->head);
  append_number(head_, static_cast<std::uint64_t>(standing_.left));
  head_.append(";t=");
  append_number(head_, static_cast<std::uint64_t>(standing_.full_in));
  head_.append("\r\n");
}

// -- from which origin ---------------------------------------------------------------------

bool connection::origin_listed() const {
  const auto origin = reader_.head().origin;
  const auto& allowed = home_.shared.with.settings.allowed_origins;
  return !origin.empty() && std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

/// OPTIONS on a path. Pages of a listed origin may call with credentials; those of any other
/// may read what anybody may read, and nothing else: their browsers are told so before
/// they send anything (Fetch, 3.2).
void connection::preflight() {
  extra_head_.append("Allow: ").append(found_.allow()).append("\r\n");
  const auto* get = found_.by_method[static_cast<std::size_t>(method::get)];
  const auto wanted = reader_.head().preflight_for;
  const bool listed = call_.origin_allowed_;
  cors_ = get && get->what->who == access::open && (wanted.empty() || wanted == "GET" || wanted == "HEAD");
  if ((cors_ || listed) && !wanted.empty())
    extra_head_.append("Access-Control-Allow-Methods: ").append(listed ? "GET, HEAD, POST, DELETE\r\n" : "GET, HEAD\r\n")
      .append(headers_to_send);
  call_.reply(204);
}

void connection::append_origin() {
  if (call_.origin_allowed_)
    head_.append("Access-Control-Allow-Origin: ").append(reader_.head().origin)
      .append("\r\nAccess-Control-Allow-Credentials: true\r\n").append(headers_to_read);
  else if (cors_)
    head_.append("Access-Control-Allow-Origin: *\r\n").append(headers_to_read);
  if (!operator_side_ && !home_.shared.with.settings.allowed_origins.empty())
    head_.append("Vary: Origin\r\n"); // a cache must not give one origin's answer to another
}

} // namespace credence::http
