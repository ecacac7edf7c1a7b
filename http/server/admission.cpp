// Who asks, from which origin, and whether it has not asked too often.
#include "http/server/connection.hpp"

#include "actors/profile/key_usage_actor.hpp"
#include "http/call/identity.hpp"
#include "ops/log.hpp"
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
    case bucket::address: return "counts all requests from your address that come without a credential, whatever they call themselves";
    case bucket::credentials: return "counts credentials from your address that were refused; wait, and send one that is good";
    default: return "of yours has run dry";
  }
}

/// What its bearer is told, in the words for what was shown.
refusal why_refused(credential_kind by, const refusal& why) {
  if (by != credential_kind::api_key || why.code != refusal_code::unauthenticated)
    return why;
  return {why.code, "the API key is not valid: it is unknown, has expired, or was revoked"};
}

/// Whoever has no profile, or whose it is not known yet, counts by the key in the token, wherever
/// it comes from.
std::string bucket_name_of(const outsider& who) {
  return "provider " + (who.key.text.empty() ? std::to_string(who.key.number) : who.key.text);
}

std::string words_for(credential_kind by) {
  switch (by) {
    case credential_kind::access_token: return "access token";
    case credential_kind::api_key: return "API key";
    case credential_kind::session: return "session";
  }
  return {};
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

/// The credential that counts: an access token before an API key before a session's
/// cookie. Nothing when there is none; one without text when it is malformed.
std::optional<connection::credential> connection::credential_shown() const {
  const auto& head = reader_.head();
  if (head.authorization_count > 0) {
    const auto token = head.authorization_count == 1 ? bearer_token(head.authorization) : std::nullopt;
    return credential{credential_kind::access_token, token.value_or(std::string_view{})};
  }
  if (head.api_key_count > 0)
    return credential{credential_kind::api_key, head.api_key_count == 1 ? head.api_key : std::string_view{}};
  const auto* with = home_.shared.with.identity;
  const auto token = cookie_value(head.cookie, with ? std::string_view{with->access_cookie} : access_cookie_name);
  if (!token.empty())
    return credential{credential_kind::session, token};
  return std::nullopt;
}

/// Finds the caller behind the credential that came along. Whether it has to be there is
/// for `authenticate` to say: before that the request is counted.
void connection::identify() {
  const auto shown = credential_shown();
  if (!shown)
    return;
  authenticated_ = true;
  if (shown->text.empty() || !home_.who) {
    credential_refused_ = {refusal_code::unauthenticated,
                           shown->by == credential_kind::api_key
                             ? "the credential must be one 'X-Service-Api-Key: <key>'"
                             : "the credential must be one 'Authorization: Bearer <token>'"};
    return;
  }
  const auto from = client();
  if (!home_.shared.limits.may_try_credentials(from, nanoseconds_of(phase_began_))
      && !home_.who->knows(shown->by, shown->text)) {
    credential_refused_ = {refusal_code::unauthenticated, "too many credentials from this address were refused"};
    return;
  }
  auto found = home_.who->find(shown->by, shown->text);
  if (!found) {
    count_refused(*shown, found.why());
    // Browsers send their cookies along whether they hold or not.
    if (shown->by == credential_kind::session)
      session_over_ = true;
    else
      credential_refused_ = why_refused(shown->by, found.why());
    return;
  }
  if (found->unknown) {
    unknown_ = std::move(found->unknown);
    return;
  }
  if (found->only_from && !found->only_from->contains(from)) {
    credential_refused_ = {refusal_code::network_not_allowed, "this API key may not be used from your address"};
    count_refused(*shown, *credential_refused_);
    return;
  }
  call_.caller_ = found->who;
  to_check_ = std::move(found->to_check);
  unchecked_ = to_check_ && !home_.who->knows(shown->by, shown->text);
  if (found->noted_use)
    call_.tell(call_.to().key_usage, profile::key_used{*found->noted_use});
}

/// Asks the owner of a key or session that this thread has not met before.
void connection::check_credential() {
  call_.ask<profile::check_credential>(
    call_.to().profiles, *to_check_,
    [](call& c, std::shared_ptr<profile::credential_slot>& slot) {
      static_cast<connection*>(c.asker_)->credential_checked(std::move(slot));
    },
    [](call& c, const refusal& why) { static_cast<connection*>(c.asker_)->credential_denied(why); });
}

void connection::credential_checked(std::shared_ptr<profile::credential_slot> slot) {
  const auto shown = credential_shown();
  home_.who->learn(shown->by, shown->text, std::move(slot));
  to_check_.reset();
  call_.caller_.reset();
  const bool not_charged_yet = unchecked_;
  identify(); // now it is known, and whether it holds
  to_check_.reset(); // its owner has just been asked: what it may do is decided now
  unchecked_ = false;
  if (not_charged_yet && call_.caller_ && !within_limits())
    return;
  if (authenticate(route_->who))
    run_admitted();
}

/// The signature was ours, the credential is not good any more.
void connection::credential_denied(const refusal& why) {
  to_check_.reset();
  call_.caller_.reset();
  if (credential_shown()->by == credential_kind::session)
    session_over_ = true;
  else
    credential_refused_ = why_refused(credential_shown()->by, why);
  count_refused(*credential_shown(), why);
  unchecked_ = false;
  standing_ = home_.shared.limits.charge_refused(client(), nanoseconds_of(steady_clock::now()));
  if (authenticate(route_->who))
    run_admitted();
}

/// Counts a credential that is not good and tells of it, as far as there may be lines; never of its text.
void connection::count_refused(const credential& shown, const refusal& why) {
  const auto kind = static_cast<std::size_t>(shown.by);
  ops::the_metrics().credentials.refused[kind].add();
  if (!home_.may_log_refused(steady_clock::now()))
    return;
  ops::log(ops::level::warn, "credential_refused",
           {{"request_id", call_.request_id_}, {"kind", ops::credential_names[kind]}, {"address", text_of(client())}, {"why", why.detail}});
}

std::shared_ptr<const request_origin> connection::origin_of_request() const {
  request_origin out;
  out.request_id = call_.request_id_;
  out.address = text_of(client());
  if (const auto& who = call_.caller_) {
    out.caller = who->profile;
    out.credential = words_for(who->by);
    if (who->credential)
      out.credential.append(who->credential->kind() == profile::credential_kind::session && who->by != credential_kind::session
                              ? " of session " : " ").append(who->credential->id());
  }
  return std::make_shared<const request_origin>(std::move(out));
}

/// Asks whose the key in a provider's token is.
void connection::find_profile() {
  call_.ask<people::find_people>(call_.to().people, {{unknown_->key}}, [](call& c, people::found_people& came) {
    static_cast<connection*>(c.asker_)->profile_found(came.people.front());
  });
}

void connection::profile_found(const people::found_person& found) {
  call_.caller_ = home_.who->learn(credential_shown()->text, found);
  if (call_.caller_)
    unknown_.reset();
  else
    unknown_->has_no_profile = true;
  if (authenticate(route_->who))
    run_admitted();
}

/// A credential that is not good is told of where it would make a difference: on everything but
/// reads that answer everybody alike.
bool connection::authenticate(access needed) {
  if (credential_refused_ && !(needed == access::open && only_reads() && !route_->by_caller)) {
    if (credential_refused_->code == refusal_code::unauthenticated)
      call_.extra_head_ += "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
    call_.refuse(*credential_refused_);
    return false;
  }
  if (needed == access::open)
    return true;
  if (unknown_) {
    call_.refuse({refusal_code::forbidden, "the access token is good, but there is no profile for whom it names"});
    return false;
  }
  if (!call_.caller_) {
    call_.extra_head_ += "WWW-Authenticate: Bearer\r\n";
    call_.error(401, "UNAUTHORIZED",
                session_over_ ? "the session has ended; refresh it, or sign in again"
                              : "send an access token: Authorization: Bearer <token>, or an API key: X-Service-Api-Key");
    return false;
  }
  // A cookie is sent by the browser, whoever made the page that asks (OWASP, CSRF).
  if (call_.caller_->by == credential_kind::session && route_->verb != method::get && !call_.origin_allowed_) {
    call_.refuse({refusal_code::forbidden, "with a session's cookie only pages of allowed origins may change anything"});
    return false;
  }
  return true;
}

// -- how many write ------------------------------------------------------------------------

/// Takes a place for what the route writes. Without one it answers 503 before its credential
/// is looked at, and the connection pauses: who asks again at once does not take the time of those let in.
bool connection::may_write() {
  if (!route_ || route_->first != needs::writing
      || home_.shared.writes.admit(writing_, early_since_, phase_began_))
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
  if (!buffer_.empty() || socket_.available(unknown) > 0)
    early_since_ = phase_began_;
  set_phase(phase::idle);
  process();
}

// -- how often -----------------------------------------------------------------------------

/// Whom the request comes from; its proxy, as far as that is trusted, has said so.
client_address connection::client() const {
  return client_behind(peer_address_, home_.shared.trusted_proxies, reader_.head().forwarded_for);
}

/// A proxy's connections are everybody's: there, whose requests are under way is counted instead.
bool connection::take_place_of_client() {
  const auto whom = client();
  const auto& settings = home_.shared.with.settings;
  return whom == peer_address_
         || client_place_.take(home_.shared.per_address, whom, 1, settings.connections_per_address_max);
}

/// Who shows a credential has buckets of its own, wherever it is; who only names itself has
/// them per address, since anybody can take any name. For what is worth guarding the name
/// does not count: with a new one for every request there would be no bound. A credential that
/// may have been revoked takes nothing from its owner yet.
standing connection::take_from_bucket(std::int64_t now, std::int64_t weight) {
  auto& limits = home_.shared.limits;
  const auto& head = reader_.head();
  const auto which = entry_ ? entry_->quota : head.verb == method::get ? bucket::read : bucket::write;
  if (unchecked_)
    return limits.charge(bucket::address, {}, client(), now);
  if (call_.caller_)
    return limits.charge(which, *call_.caller_, now, weight);
  if (unknown_)
    return limits.charge(which, bucket_name_of(*unknown_), client_address{}, now, weight);
  if (!credential_refused_ && which != bucket::wallet && head.service_client.empty())
    return limits.charge_anonymous(now, weight);
  if (credential_refused_)
    return limits.charge_refused(client(), now);
  if (which == bucket::wallet)
    return limits.charge(which, {}, client(), now, weight);
  return limits.charge_named(which, head.service_client, client(), now, weight);
}

/// Counts the request, or how many more it counts for; answers 429 when there have been too many.
bool connection::within_limits(std::int64_t weight) {
  standing_ = take_from_bucket(nanoseconds_of(phase_began_), weight);
  if (standing_.admitted)
    return true;
  const auto which = standing_.of->which;
  ops::the_metrics().http.rate_limited[static_cast<std::size_t>(which)].add();
  call_.retry_after_s_ = static_cast<std::uint32_t>(std::min<std::int64_t>(standing_.retry_in, UINT32_MAX));
  std::string message{"too many requests: the bucket '"};
  message.append(bucket_names[static_cast<std::size_t>(which)]).append("' ").append(advice_for(which));
  if (weight > 1)
    message.append("; for what it asks for this one counts as ").append(std::to_string(weight + 1)).append(" requests");
  if (which < bucket::anonymous && !call_.caller_ && !unknown_)
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
  return !origin.empty() && (origin == home_.shared.own_origin || std::find(allowed.begin(), allowed.end(), origin) != allowed.end());
}

/// Whether a request to the operator listener names it: a page whose name leads to this machine by
/// DNS rebinding must not read metrics. Browsers send `Host`; who comes without one is none.
bool connection::for_operators() const {
  const auto host = reader_.head().host;
  if (host.empty() || parse_address(host))
    return true;
  std::string name{host.substr(0, host.find(':'))};
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto& names = home_.shared.with.settings.operator_hosts;
  return name == "localhost" || std::find(names.begin(), names.end(), name) != names.end();
}

/// OPTIONS on a path. Pages of a listed origin may call with credentials; those of any other
/// may read what anybody may read, and nothing else: their browsers are told so before
/// they send anything (Fetch, 3.2).
void connection::preflight() {
  call_.extra_head_.append("Allow: ").append(found_.allow()).append("\r\n");
  const auto open = [this](method verb) {
    const auto* entry = found_.by_method[static_cast<std::size_t>(verb)];
    return entry && open_to_all_origins(*entry->what);
  };
  const bool get = open(method::get);
  const bool post = open(method::post);
  const auto wanted = reader_.head().preflight_for;
  const bool listed = call_.origin_allowed_;
  cors_ = wanted.empty() ? get || post : wanted == "POST" ? post : get && (wanted == "GET" || wanted == "HEAD");
  if ((cors_ || listed) && !wanted.empty())
    call_.extra_head_.append("Access-Control-Allow-Methods: ")
      .append(listed ? "GET, HEAD, POST, DELETE" : !get ? "POST" : post ? "GET, HEAD, POST" : "GET, HEAD")
      .append("\r\n").append(headers_to_send);
  call_.reply(204);
}

void connection::append_origin() {
  if (call_.origin_allowed_)
    head_.append("Access-Control-Allow-Origin: ").append(reader_.head().origin)
      .append("\r\nAccess-Control-Allow-Credentials: true\r\n").append(headers_to_read);
  else if (cors_)
    head_.append("Access-Control-Allow-Origin: *\r\n").append(headers_to_read);
  if (!operator_side_)
    head_.append("Vary: Origin\r\n"); // a cache must not give one origin's answer to another
}

} // namespace credence::http
