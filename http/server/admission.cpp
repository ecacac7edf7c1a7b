#include "http/server/admission.hpp"

#include "actors/domain/hash.hpp"
#include "http/call/identity.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace credence::http {

namespace {

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
    case bucket::address:
      return "counts all requests from your address that come without a credential, whatever they call themselves";
    case bucket::credentials:
      return "counts credentials from your address that were refused; wait, and send one that is good";
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
    case credential_kind::partner: return "partner";
  }
  return {};
}

std::int64_t nanoseconds_of(steady_time at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

} // namespace

void admission::begin(steady_time at, std::string_view request_id) {
  at_ = at;
  request_id_ = request_id;
  to_ = nullptr;
  caller_.reset();
  credential_refused_.reset();
  to_check_.reset();
  unknown_.reset();
  used_key_.reset();
  standing_ = {};
  paid_more_ = 0;
  credential_came_ = false;
  unchecked_ = false;
  session_over_ = false;
}

// -- who asks ------------------------------------------------------------------------------

std::string_view admission::partner_page() const noexcept {
  return rules_.partners && head_.origin_count == 1 && rules_.partners->lists(head_.origin) ? head_.origin
                                                                                            : std::string_view{};
}

/// What the page of a partner shows: its session, as a bearer token or a cookie. One of our own pages that is a
/// partner, too, may show a session of ours.
std::optional<admission::credential> admission::partner_shown() const {
  if (head_.authorization_count > 0) {
    const auto token = head_.authorization_count == 1 ? bearer_token(head_.authorization) : std::nullopt;
    return credential{credential_kind::partner, token.value_or(std::string_view{})};
  }
  const auto page = partner_page();
  if (page.empty())
    return std::nullopt;
  const auto own = cookie_value(head_.cookie, partner_cookie_name(*rules_.partners, partner_access_cookie, page));
  if (!own.empty())
    return credential{credential_kind::partner, own};
  const auto ours = page_allowed_ ? cookie_value(head_.cookie, rules_.access_cookie) : std::string_view{};
  return ours.empty() ? std::nullopt : std::optional{credential{credential_kind::session, ours}};
}

/// The credential that counts: an access token before an API key before a session's
/// cookie. Nothing when there is none; one without text when it is malformed.
std::optional<admission::credential> admission::credential_shown() const {
  if (for_partners())
    return partner_shown();
  if (head_.authorization_count > 0) {
    const auto token = head_.authorization_count == 1 ? bearer_token(head_.authorization) : std::nullopt;
    return credential{credential_kind::access_token, token.value_or(std::string_view{})};
  }
  if (head_.api_key_count > 0)
    return credential{credential_kind::api_key, head_.api_key_count == 1 ? head_.api_key : std::string_view{}};
  const auto token = cookie_value(head_.cookie, rules_.access_cookie);
  if (!token.empty())
    return credential{credential_kind::session, token};
  return std::nullopt;
}

/// Finds the caller behind the credential that came along. Whether it has to be there is
/// for `admit` to say: before that the request is counted.
void admission::identify() {
  const auto shown = credential_shown();
  if (!shown)
    return;
  credential_came_ = true;
  if (shown->text.empty() || !rules_.who) {
    credential_refused_ = {refusal_code::unauthenticated,
                           shown->by == credential_kind::api_key
                             ? "the credential must be one 'X-Service-Api-Key: <key>'"
                             : "the credential must be one 'Authorization: Bearer <token>'"};
    return;
  }
  const auto from = client();
  if (!rules_.limits.may_try_credentials(from, nanoseconds_of(at_)) && !rules_.who->knows(shown->by, shown->text)) {
    credential_refused_ = {refusal_code::unauthenticated, "too many credentials from this address were refused"};
    return;
  }
  auto found = rules_.who->find(shown->by, shown->text);
  if (!found) {
    count_refused(*shown, found.why());
    // Browsers send their cookies along whether they hold or not.
    if (shown->by == credential_kind::session || shown->by == credential_kind::partner)
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
  if (!may_show(found->who)) {
    count_refused(*shown,
                  {refusal_code::unauthenticated, "a session for the pages of one partner was shown elsewhere"});
    session_over_ = true;
    return;
  }
  caller_ = std::move(found->who);
  to_check_ = std::move(found->to_check);
  unchecked_ = to_check_ && !rules_.who->knows(shown->by, shown->text);
  if (found->noted_use)
    used_key_ = *found->noted_use;
}

/// A partner's session is for pages of that partner and for what partners may do. Anywhere else its owner is nobody,
/// and pays for nothing.
bool admission::may_show(const principal& who) const {
  const auto only_for = who.credential ? std::string_view{who.credential->partner()} : std::string_view{};
  return only_for.empty() || (for_partners() && only_for == partner_page());
}

/// Counts a credential that is not good and tells of it, as far as there may be lines; never of its text.
void admission::count_refused(const credential& shown, const refusal& why) {
  const auto kind = static_cast<std::size_t>(shown.by);
  ops::the_metrics().credentials.refused[kind].add();
  if (!rules_.refusals_logged.may_add(steady_clock::now()))
    return;
  ops::log(ops::level::warn, "credential_refused",
           {{"request_id", request_id_},
            {"kind", ops::credential_names[kind]},
            {"address", text_of(client())},
            {"why", why.detail}});
}

client_address admission::client() const { return client_behind(peer_, rules_.trusted_proxies, head_.forwarded_for); }

std::shared_ptr<const request_origin> admission::origin() const {
  request_origin out;
  out.request_id = request_id_;
  out.address = text_of(client());
  if (caller_) {
    out.caller = caller_->profile;
    out.credential = words_for(caller_->by);
    if (for_partners()) { // by these words the user finds what the partner did
      out.credential = "partner " + std::string{partner_page()} + " session";
      if (caller_->credential)
        out.credential.append(" ").append(caller_->credential->id());
    } else if (const auto& behind = caller_->credential)
      out.credential
        .append(behind->kind() == profile::credential_kind::session && caller_->by != credential_kind::session
                  ? " of session "
                  : " ")
        .append(behind->id());
  }
  return std::make_shared<const request_origin>(std::move(out));
}

// -- whether they may ----------------------------------------------------------------------

admission::verdict admission::admit(const route& to, bool page_allowed) {
  to_ = &to;
  page_allowed_ = page_allowed;
  if (unknown_ && !unknown_->has_no_profile) // rights depend on the profile, which has to be looked up
    return people::find_people{{unknown_->key}};
  return decided();
}

admission::verdict admission::decided() const {
  if (auto why = denied())
    return *std::move(why);
  if (to_check_)
    return *to_check_;
  return admitted{};
}

admission::verdict admission::owner_said(std::shared_ptr<profile::credential_slot> slot) {
  const auto shown = credential_shown();
  rules_.who->learn(shown->by, shown->text, std::move(slot));
  to_check_.reset();
  caller_.reset();
  const bool not_charged_yet = unchecked_;
  identify();        // now it is known, and whether it holds
  to_check_.reset(); // its owner has just answered
  unchecked_ = false;
  if (not_charged_yet && caller_)
    if (auto many = charge(1))
      return *std::move(many);
  return decided();
}

admission::verdict admission::owner_denied(const refusal& why) {
  const auto shown = credential_shown();
  to_check_.reset();
  caller_.reset();
  if (shown->by == credential_kind::session || shown->by == credential_kind::partner)
    session_over_ = true;
  else
    credential_refused_ = why_refused(shown->by, why);
  count_refused(*shown, why);
  unchecked_ = false;
  standing_ = rules_.limits.charge_refused(client(), nanoseconds_of(steady_clock::now()));
  return decided();
}

admission::verdict admission::profile_found(const people::found_person& found) {
  caller_ = rules_.who->learn(credential_shown()->text, found);
  if (caller_)
    unknown_.reset();
  else
    *unknown_ = {std::move(unknown_->key), true, found.profile ? found.unsettled : std::nullopt};
  return decided();
}

/// A page that is let in, and names the program that calls, acts for whoever is signed in on it. Browsers send a
/// preflight before such a request, and no other page passes that (OWASP, CSRF).
std::optional<admission::refused> admission::denied_to_page() const {
  if (partner_page().empty())
    return refused{{refusal_code::forbidden,
                    "only pages of partners may do this: the request has to come with its Origin, and that has to be in"
                    " wallets.partner_origins"},
                   {}};
  if (head_.service_client.empty())
    return refused{
      {refusal_code::invalid_input, "X-Service-Client is required: name@version of the program that calls"}, {}};
  if (credential_refused_ || (!caller_ && to_->who != access::open))
    return refused{{refusal_code::not_signed_in, session_over_ || credential_refused_
                                                   ? "the session has ended, or is for another page; sign in again"
                                                   : "nobody is signed in on this page; sign in"},
                   "WWW-Authenticate: Bearer"};
  return std::nullopt;
}

/// A credential that is not good is told of where it would make a difference: on everything but
/// reads that answer everybody alike.
std::optional<admission::refused> admission::denied() const {
  if (for_partners())
    return denied_to_page();
  if (credential_refused_ && !(to_->who == access::open && only_reads(*to_) && !to_->by_caller))
    return refused{*credential_refused_, credential_refused_->code == refusal_code::unauthenticated
                                           ? "WWW-Authenticate: Bearer error=\"invalid_token\""
                                           : ""};
  if (to_->who == access::open)
    return std::nullopt;
  if (unknown_ && unknown_->unsettled)
    return refused{not_yet_settled("the profile of whom the access token names", unknown_->unsettled), {}};
  if (unknown_)
    return refused{{refusal_code::forbidden, "the access token is good, but there is no profile for whom it names"},
                   {}};
  if (!caller_)
    return refused{{refusal_code::unauthenticated,
                    session_over_
                      ? "the session has ended; refresh it, or sign in again"
                      : "send an access token: Authorization: Bearer <token>, or an API key: X-Service-Api-Key"},
                   "WWW-Authenticate: Bearer"};
  // A cookie is sent by the browser, whoever made the page that asks (OWASP, CSRF).
  if (caller_->by == credential_kind::session && to_->verb != method::get && !page_allowed_)
    return refused{
      {refusal_code::forbidden, "with a session's cookie only pages of allowed origins may change anything"}, {}};
  return std::nullopt;
}

std::optional<refusal> admission::forbidden() const {
  if (to_->who == access::admin && !caller_->admin)
    return refusal{refusal_code::forbidden, "only admins may do this, with an access token"};
  if (to_->who == access::owner && caller_->by == credential_kind::api_key)
    return refusal{refusal_code::forbidden, "an API key may not do this; use an access token or a session"};
  if (caller_ && !caller_->may(to_->may))
    return refusal{refusal_code::scope_missing, "this API key was made without the scope '"
                                                  + std::string{name_of(to_->may)} + "', which this needs"};
  return std::nullopt;
}

// -- how often -----------------------------------------------------------------------------

std::optional<admission::too_many> admission::count(bucket which) {
  which_ = which;
  identify();
  return charge(1);
}

std::optional<admission::too_many> admission::count_more(std::int64_t weight) {
  paid_more_ += weight;
  return charge(weight);
}

/// Who shows a credential has buckets of its own, wherever it is; who only names itself has
/// them per address, since anybody can take any name. For what is worth guarding the name
/// does not count: with a new one for every request there would be no bound. A credential that
/// may have been revoked takes nothing from its owner yet.
status admission::take_from_bucket(std::int64_t now, charge_weight weight) {
  auto& limits = rules_.limits;
  if (unchecked_)
    return limits.charge(bucket::address, {}, client(), now);
  if (caller_)
    return limits.charge(which_, *caller_, now, weight);
  if (unknown_)
    return limits.charge(which_, bucket_name_of(*unknown_), client_address{}, now, weight);
  if (!credential_refused_ && which_ != bucket::wallet && head_.service_client.empty())
    return limits.charge_anonymous(client(), now, weight);
  if (credential_refused_)
    return limits.charge_refused(client(), now);
  if (which_ == bucket::wallet)
    return limits.charge(which_, {}, client(), now, weight);
  return limits.charge_named(which_, head_.service_client, client(), now, weight);
}

std::optional<admission::too_many> admission::charge(std::int64_t weight) {
  standing_ = take_from_bucket(nanoseconds_of(at_), weight);
  return told(weight);
}

void admission::charge_work(std::chrono::nanoseconds database_took, std::size_t answer_bytes) {
  const auto of_answer = static_cast<std::int64_t>(answer_bytes) / answer_bytes_per_request - paid_more_;
  const auto requests = database_took / database_time_per_request + std::max<std::int64_t>(of_answer, 0);
  if (requests == 0 || !standing_.of)
    return;
  const auto now = nanoseconds_of(steady_clock::now());
  const charge_weight owed{requests, true};
  if (caller_ && !unchecked_)
    standing_ = rules_.limits.charge(which_, *caller_, now, owed);
  else if (head_.service_client.empty() || credential_came_)
    rules_.limits.charge(bucket::address, {}, client(), now, owed);
  else
    standing_ = rules_.limits.charge_named(which_, head_.service_client, client(), now, owed);
}

asker admission::asks_as() const {
  if (!caller_)
    return {asker_rank::anonymous, keyed_hash_of(client().of_one_client())};
  const auto id = caller_->profile.value;
  return {asker_rank::known, keyed_hash_of({reinterpret_cast<const char*>(&id), sizeof id})};
}

std::optional<admission::too_many> admission::count_person(bucket which, std::string_view name) {
  which_ = which;
  standing_ = rules_.limits.charge(which, "console " + std::string{name}, client_address{}, nanoseconds_of(at_));
  return told(1);
}

std::optional<admission::too_many> admission::count_refused_session() {
  standing_ = rules_.limits.charge(bucket::credentials, std::string_view{"console"}, client(), nanoseconds_of(at_));
  return told(1);
}

/// What a request is told that its bucket does not hold.
std::optional<admission::too_many> admission::told(std::int64_t weight) const {
  if (standing_.admitted)
    return std::nullopt;
  const auto which = standing_.of->which;
  ops::the_metrics().http.rate_limited[static_cast<std::size_t>(which)].add();
  std::string message{"too many requests: the bucket '"};
  message.append(bucket_names[static_cast<std::size_t>(which)]).append("' ").append(advice_for(which));
  if (weight > 1)
    message.append("; for what it asks for this one counts as ").append(std::to_string(weight + 1)).append(" requests");
  if (which < bucket::anonymous && !caller_ && !unknown_)
    message.append(", one per client and address; a credential gives you one that you share with nobody");
  message.append(". Try again in ").append(std::to_string(standing_.retry_in)).append(" s");
  return too_many{std::move(message),
                  static_cast<std::uint32_t>(std::min<std::int64_t>(standing_.retry_in, UINT32_MAX))};
}

void admission::append_standing(std::string& head) const {
  if (!standing_.of)
    return;
  head.append(standing_.of->head).append(std::to_string(standing_.left));
  head.append(";t=").append(std::to_string(standing_.full_in)).append("\r\n");
}

} // namespace credence::http
