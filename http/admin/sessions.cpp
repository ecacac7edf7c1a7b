#include "http/admin/sessions.hpp"

#include "actors/domain/hash.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/sessions.hpp"
#include "http/call/acts.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"
#include "http/server/operator_side.hpp"
#include "http/server/server.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http::admin {

namespace {

using namespace std::chrono_literals;

constexpr auto link_lifetime = 10min;
constexpr auto renewed_after = 1min;
constexpr auto looked_at_every = 20s;                 // whether its wallet still is its profile's
constexpr std::string_view session_mark = "console-"; // their ids begin so
constexpr std::size_t session_id_length_max = 64;
constexpr std::size_t link_random_bytes = 6;
constexpr std::size_t link_mac_bytes = 12;
constexpr std::size_t link_name_length_max = 24;
constexpr std::size_t link_code_length_max = 100;

std::chrono::sys_seconds in_seconds(timestamp at) { return std::chrono::floor<std::chrono::seconds>(at); }

role role_named(std::string_view name) {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  return found == role_names.end() ? role::none : static_cast<role>(found - role_names.begin());
}

refusal over() { return {refusal_code::not_signed_in, "the session has ended; sign in again"}; }

/// Of the parts before it, to 96 bits: it is guessed only by asking the server.
std::string link_mac(const secret& key, std::string_view parts) {
  const auto mac = auth::hmac_sha256(key.reveal(), "console link " + std::string{parts});
  return auth::base64url({reinterpret_cast<const char*>(mac.data()), link_mac_bytes});
}

std::vector<std::string_view> parts_of(std::string_view code) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= code.size();) {
    const auto end = std::min(code.find('.', at), code.size());
    out.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// What the code says, if it was signed with one of our keys.
std::optional<link> read_link(const auth::token_rules& rules, std::string_view code) {
  if (code.size() > link_code_length_max)
    return std::nullopt;
  const auto parts = parts_of(code);
  if (parts.size() != 5)
    return std::nullopt;
  const auto said = code.substr(0, code.size() - parts[4].size() - 1);
  const auto fits = [&](const secret& key) {
    const auto right = link_mac(key, said);
    return auth::same_in_constant_time(std::as_bytes(std::span{parts[4]}), std::as_bytes(std::span{right}));
  };
  if (!fits(rules.key) && std::none_of(rules.older.begin(), rules.older.end(), fits))
    return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), seconds, 36);
  const timestamp made{std::chrono::seconds{seconds}};
  return link{"console-link-" + std::string{parts[0]} + "-" + std::string{parts[1]}, role_named(parts[2]),
              std::string{parts[3]}, made, made + link_lifetime};
}

} // namespace

std::string make_link_code(const auth::token_rules& rules, role of, std::string_view name, timestamp now) {
  char time[16];
  const auto seconds = in_seconds(now).time_since_epoch().count();
  const auto end = std::to_chars(time, time + sizeof time, seconds, 36).ptr;
  auto out = auth::random_hex(link_random_bytes) + "." + std::string{time, end} + "." + std::string{name_of(of)} + ".";
  for (const char c : name.substr(0, link_name_length_max))
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
      out += c;
  return out + "." + link_mac(rules.key, out);
}

/// A profile's role is what the settings give it now; a link's stays.
role sessions::role_now(const std::optional<profile_id>& who, role given) const {
  return who ? role_of(by_, *who, false) : given;
}

void sessions::note_use(const std::string& id, timestamp now) {
  if (used_.size() >= names_max)
    std::erase_if(used_, [&](const auto& each) { return each.second + by_.idle_max < now; });
  if (used_.size() < names_max)
    used_[id] = now;
}

bool sessions::has_to_look_at_wallet(const caller& who, timestamp now) {
  if (!who.wallet || !who.profile)
    return false;
  if (looked_at_.size() >= names_max)
    std::erase_if(looked_at_, [now](const auto& each) { return each.second + looked_at_every <= now; });
  auto& last = looked_at_[who.session];
  if (now >= last && now < last + looked_at_every)
    return false;
  last = now;
  return true;
}

bool sessions::end_without_wallet(const caller& who, timestamp now) {
  if (end(who.session, *who.ends_at, now))
    return true;
  looked_at_.erase(who.session);
  return false;
}

std::optional<timestamp> sessions::last_used(const std::string& id) const {
  const auto found = used_.find(id);
  return found == used_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<caller> sessions::still_open(caller began, timestamp now) const {
  if (has_ended(began.session))
    return std::nullopt;
  began.may = role_now(began.profile, began.may);
  began.ends_at = began.signed_in_at + session_max_of(by_, began.may);
  const auto used = last_used(began.session).value_or(std::max(began.signed_in_at, by_.started_at));
  began.idle_ends_at = std::min<timestamp>(used + idle_max_of(by_, began.may), *began.ends_at);
  return began.may == role::none || now >= *began.idle_ends_at ? std::nullopt : std::optional{std::move(began)};
}

outcome<caller> sessions::find(std::string_view cookie, timestamp now) {
  if (cookie.empty())
    return refusal{refusal_code::not_signed_in, "nobody is signed in"};
  const auto token = auth::verify_token(by_.tokens, cookie, auth::token_kind::console, in_seconds(now));
  if (!token || has_ended(token->id))
    return over();
  caller out;
  if (token->profile.value > 0)
    out.profile = token->profile;
  out.may = role_now(out.profile, role_named(token->role));
  out.signed_in_at = token->issued_at;
  out.ends_at = out.signed_in_at + session_max_of(by_, out.may);
  out.idle_ends_at = token->expires_at - by_.tokens.clock_skew;
  if (now >= *out.ends_at || now >= *out.idle_ends_at)
    return over();
  if (out.may == role::none)
    return refusal{refusal_code::not_signed_in, "the profile has no role at the console any more"};
  out.name = token->name;
  out.wallet = credence::parse_address(token->wallet);
  out.by = out.profile ? entry::wallet : entry::link;
  out.session = token->id;
  note_use(out.session, now);
  return out;
}

caller sessions::open(caller who, timestamp now) const {
  who.session = std::string{session_mark} + auth::random_hex(16);
  who.signed_in_at = in_seconds(now);
  who.ends_at = who.signed_in_at + session_max_of(by_, who.may);
  who.idle_ends_at = std::min<timestamp>(who.signed_in_at + idle_max_of(by_, who.may), *who.ends_at);
  return who;
}

std::string sessions::cookie_of(const caller& who) const {
  auth::token_claims claims;
  claims.kind = auth::token_kind::console;
  claims.profile = who.profile.value_or(profile_id{});
  claims.id = who.session;
  claims.issued_at = in_seconds(who.signed_in_at);
  claims.expires_at = in_seconds(*who.idle_ends_at);
  if (!who.profile)
    claims.role = name_of(who.may);
  claims.name = who.name;
  if (who.wallet)
    claims.wallet = lower_text(*who.wallet);
  return auth::mint_token(by_.tokens, claims);
}

/// Of a wall it outlives the browser, which such a screen starts anew after a power cut.
std::string sessions::set_cookie(const caller& who) const {
  const auto lasts = who.may == role::wall ? "; Max-Age=" + std::to_string(by_.wall_max.count()) : std::string{};
  return "Set-Cookie: " + by_.cookie + "=" + cookie_of(who) + by_.cookie_attributes + lasts;
}

std::string sessions::clear_cookie() const {
  return "Set-Cookie: " + by_.cookie + "=" + by_.cookie_attributes + "; Max-Age=0";
}

std::optional<caller> sessions::renewed(const caller& who, timestamp now) const {
  if (who.session.empty())
    return std::nullopt;
  const auto until = std::min<timestamp>(in_seconds(now) + idle_max_of(by_, who.may), *who.ends_at);
  if (until - *who.idle_ends_at < renewed_after)
    return std::nullopt;
  auto out = who;
  out.idle_ends_at = until;
  return out;
}

std::string sessions::csrf_token_of(std::string_view session) const {
  const auto mac = auth::hmac_sha256(by_.tokens.key.reveal(), "console csrf " + std::string{session});
  std::string out;
  append_hex(out, mac);
  return out;
}

/// Also one that was told before the key was changed.
bool sessions::is_csrf_token_of(std::string_view session, std::string_view token) const {
  const auto same = [&](const secret& key) {
    const auto mac = auth::hmac_sha256(key.reveal(), "console csrf " + std::string{session});
    std::string right;
    append_hex(right, mac);
    return auth::same_in_constant_time(std::as_bytes(std::span{token}), std::as_bytes(std::span{right}));
  };
  return same(by_.tokens.key) || std::any_of(by_.tokens.older.begin(), by_.tokens.older.end(), same);
}

outcome<link> sessions::use_link(std::string_view code, timestamp now) {
  const refusal no{refusal_code::not_signed_in,
                   "this link was used before, or is too old: `credence console-link` makes another one"};
  auto found = read_link(by_.tokens, code);
  if (!found || found->of == role::none || now >= found->ends_at || now + by_.tokens.clock_skew < found->made_at
      || has_ended(found->id))
    return no;
  // What was used before this process began is known once the database has told.
  if (!knows_ && found->made_at < std::chrono::floor<std::chrono::seconds>(by_.started_at))
    return no;
  if (!end(found->id, found->ends_at, now))
    return refusal{refusal_code::not_signed_in, "too many links were used lately; try again in ten minutes"};
  return *std::move(found);
}

bool sessions::end(const std::string& id, timestamp until, timestamp now) {
  if (ended_.size() >= names_max)
    std::erase_if(ended_, [now](const auto& each) { return each.second + 1min < now; });
  if (ended_.size() >= names_max)
    return false;
  ended_[id] = until;
  return true;
}

void sessions::know_ended(const std::vector<std::string>& ids, timestamp now) {
  for (const auto& id : ids)
    ended_.emplace(id, now + longest_session(by_));
  knows_ = true;
}

namespace {

using namespace std::chrono_literals;

constexpr auto message_lifetime = 10min;
constexpr std::int32_t sign_ins_max = 1000; // that a list of sessions looks at
constexpr auto sign_in_act = "console_sign_in";
constexpr auto wall_act = "console_wall_sign_in"; // apart, as a list of open ones goes back further
constexpr std::string_view role_mark = "role ";
constexpr std::string_view nonces_path = "/admin/api/v1/sign-in";

void write_session(call& c, const caller& who) {
  reply_object(c, [&](json_writer& to) {
    to.field("name", who.name);
    to.field("profileId", who.profile);
    to.field("role", name_of(who.may));
    to.field("by", entry_names[static_cast<std::size_t>(who.by)]);
    to.field("csrfToken", who.session.empty() ? std::nullopt
                                              : std::optional{c.admin_context().sessions().csrf_token_of(who.session)});
    to.field("signedInAt", ms_of(who.signed_in_at));
    to.field("idleEndsAt", ms_of(who.idle_ends_at));
    to.field("endsAt", ms_of(who.ends_at));
  });
}

/// The session that this entry of the audit tells the beginning of, as `let_in` notes it.
caller began_by(const console::audit_entry& sign_in) {
  caller out;
  const auto by = sign_in.credential.find(" of ");
  out.name = by == std::string::npos ? sign_in.credential : sign_in.credential.substr(by + 4);
  out.by = sign_in.profile ? entry::wallet : entry::link;
  out.profile = sign_in.profile;
  const std::string_view role = sign_in.after ? *sign_in.after : std::string_view{};
  out.may = role_named(role.substr(std::min(role_mark.size(), role.size())));
  out.session = sign_in.subject;
  out.signed_in_at = in_seconds(sign_in.at);
  return out;
}

/// Notes in the audit that somebody has come in, sets the cookie and answers.
void let_in(call& c, caller fresh, std::optional<console::note_act> also = std::nullopt) {
  const auto who = c.admin_context().sessions().open(std::move(fresh), c.now());
  const auto& from = c.context()->from();
  const request_origin origin{who.profile,
                              std::string{entry_names[static_cast<std::size_t>(who.by)]} + " of " + who.name,
                              from->request_id, from->address};
  c.carry(std::make_shared<const write_context>(std::make_shared<const request_origin>(origin)));
  auto act = act_of(c, who.may == role::wall ? wall_act : sign_in_act, who.session, std::nullopt,
                    std::string{role_mark} + std::string{name_of(who.may)});
  act.profile = who.profile;
  if (also) {
    act.ends = also->ends;
    act.ends_until = also->ends_until;
  }
  c.ask(c.to().acts, std::move(act), [who](call& later, console::kept&) { // whoever gets an error gets no session
    later.add_header(later.admin_context().sessions().set_cookie(who));
    write_session(later, who);
  });
}

auth::siwe_expectation expected_of(const admin_context& of) {
  const auto& by = of.by();
  auth::siwe_expectation out;
  out.domains = of.domains();
  for (const auto& each : of.domains())
    out.origins.push_back(by.scheme + "://" + each);
  out.chain_id = by.chain_id;
  out.lifetime_max = message_lifetime + 1min;
  return out;
}

} // namespace

void get_sign_in_terms(call& c) {
  const auto& by = c.admin_context().by();
  const auto now = std::chrono::floor<std::chrono::seconds>(c.now());
  reply_object(c, [&](json_writer& to) {
    to.field("nonce", make_nonce(by.tokens, nonce_for::console, c.now()));
    to.field("domain", c.admin_context().domains().front());
    to.field("uri", by.scheme + "://" + c.admin_context().domains().front());
    to.field("scheme", by.scheme);
    to.field("chainId", by.chain_id);
    to.field("statement", console_statement);
    to.field("version", "1");
    to.field("issuedAt", timestamp{now});
    to.field("expirationTime", timestamp{now + message_lifetime});
    to.array("domains", c.admin_context().domains(), [&](const auto& each) { to.value(each); });
  });
}

/// The signature comes first: whoever has none hears nothing of profiles and roles.
void sign_in_by_wallet(call& c) {
  const signing_purpose wanted{nonce_for::console, nonces_path, std::string{console_statement}};
  auto claim = read_signed(c, expected_of(c.admin_context()), c.admin_context().by().tokens, wanted);
  if (!claim)
    co_return c.refuse(claim.why());
  const auto account = claim->account;
  const auto nonce = claim->nonce;
  recover_signer look{std::move(claim->message), std::move(claim->signature)};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  auto owner = owner_of(account);
  const auto found = co_await c.ask(c.to().people, std::move(owner));
  const auto profile = found.people.front().profile;
  if (!profile)
    co_return c.refuse(nobody_with(account));
  const auto settled = found.people.front().unsettled;
  if (settled)
    co_return c.refuse(credence::not_yet_settled(auth::checksummed_text(account), settled));
  const auto live = co_await c.ask(c.to().people, people::check_live{*profile});
  if (live.unsettled)
    co_return c.refuse(credence::not_yet_settled(auth::checksummed_text(account), live.unsettled));
  caller fresh;
  fresh.may = role_of(c.admin_context().by(), *profile, false);
  if (fresh.may == role::none)
    co_return c.refuse(
      {refusal_code::forbidden, "profile " + std::to_string(profile->value)
                                  + " has no role here; auth.admins, auth.operators and auth.viewers give one"});
  co_await c.ask(c.to().idempotency, idempotency::take_daily{*profile, daily_act::sessions});
  c.took(*profile, daily_act::sessions);
  profile::use_nonce once{*profile, nonce};
  co_await c.ask(c.to().profiles, std::move(once));
  fresh.name = "profile " + std::to_string(profile->value);
  fresh.profile = *profile;
  fresh.wallet = account;
  fresh.by = entry::wallet;
  let_in(c, std::move(fresh));
}

void sign_in_by_link(call& c) {
  auto& body = c.json();
  const auto code = body.text("code");
  if (body.good() && !code)
    body.issue("code is required: what follows #link= in the link");
  if (c.refuse_mistakes())
    return;
  const auto link = c.admin_context().sessions().use_link(*code, c.now());
  if (!link)
    return c.refuse(link.why());
  caller fresh;
  fresh.may = link->of;
  // Rates and streams are shared by name: whoever takes a screen's cookie takes none of its maker's.
  fresh.name = link->of == role::wall ? "wall of " + link->name : link->name;
  fresh.by = entry::link;
  console::note_act used;
  used.ends = link->id;
  used.ends_until = link->ends_at;
  let_in(c, std::move(fresh), std::move(used));
}

void get_session(call& c) { write_session(c, *c.operated_by()); }

void sign_out(call& c) {
  const auto& who = *c.operated_by();
  if (who.session.empty())
    return c.refuse(
      {refusal_code::forbidden, "an access token has no session to end; `credence revoke` ends the token"});
  if (!c.admin_context().sessions().end(who.session, *who.ends_at, c.now()))
    return c.fail(failure::overloaded);
  c.add_header(c.admin_context().sessions().clear_cookie());
  auto act = act_of(c, "console_sign_out", who.session, "open", "ended");
  act.ends = who.session;
  act.ends_until = *who.ends_at;
  c.ask(c.to().acts, std::move(act), [](call& later, console::kept&) { reply_ok(later); });
}

namespace {

void write_open(json_writer& to, const caller& who, std::string_view address, const sessions& all, bool own) {
  to.field("id", who.session);
  to.field("name", who.name);
  to.field("profileId", who.profile);
  to.field("role", name_of(who.may));
  to.field("by", entry_names[static_cast<std::size_t>(who.by)]);
  to.field("address", address);
  to.field("signedInAt", ms_of(who.signed_in_at));
  to.field("lastUsedAt", ms_of(all.last_used(who.session)));
  to.field("idleEndsAt", ms_of(who.idle_ends_at));
  to.field("endsAt", ms_of(who.ends_at));
  to.field("credential", credential_of_session(who.session, who));
  to.field("own", own);
}

/// The entries of the audit that say that a session began.
console::read_audit signed_in(const char* act, timestamp from) {
  console::read_audit out;
  out.act = act;
  out.from = from;
  out.limit = sign_ins_max;
  return out;
}

} // namespace

/// A session is what its cookie says, so nobody keeps a list: the audit knows who has come in, and `sessions` what has
/// become of it.
void list_sessions(call& c) {
  const auto& by = c.admin_context().by();
  auto& all = c.admin_context().sessions();
  if (!all.knows_ended())
    all.know_ended(co_await c.ask(c.to().admin_database, console::load_ended{}), c.now());
  auto of_people = signed_in(sign_in_act, c.now() - by.session_max);
  auto sign_ins = co_await c.ask(c.to().admin_database, std::move(of_people));
  auto of_walls = signed_in(wall_act, c.now() - by.wall_max);
  const auto walls = co_await c.ask(c.to().admin_database, std::move(of_walls));
  sign_ins.insert(sign_ins.end(), walls.begin(), walls.end());
  std::stable_sort(sign_ins.begin(), sign_ins.end(), [](const auto& a, const auto& b) { return a.at > b.at; });
  const auto own = c.operated_by()->session;
  reply_object(c, [&](json_writer& to) {
    to.array("values", sign_ins, [&](const auto& each) {
      if (const auto who = all.still_open(began_by(each), c.now()))
        to.object([&] { write_open(to, *who, each.address, all, who->session == own); });
    });
    to.field("idleMaxSeconds", by.idle_max.count());
    to.field("maxSeconds", by.session_max.count());
    to.field("wallMaxSeconds", by.wall_max.count());
  });
}

namespace {

/// Refuses whoever shows the session; its end is in the audit, or kept for it, by then. Where nobody can keep it, the
/// wallet is looked at again after a restart.
void end_without_wallet(call& c, const caller& who) {
  struct refused {
    void operator()(call& later) const {
      later.refuse(
        {refusal_code::not_signed_in,
         "the wallet that signed in is no longer an address of the profile, or that is archived; sign in again"});
    }
    void operator()(call& later, console::kept&) const { (*this)(later); }
    void operator()(call& later, const refusal&) const { (*this)(later); }
    void operator()(call& later, failure) const { (*this)(later); }
  };
  ops::log(ops::level::warn, "console_session_without_wallet", {{"session", who.session}, {"name", who.name}});
  c.admin_context().sessions().end_without_wallet(who, c.now());
  if (!c.to().acts)
    return refused{}(c);
  const request_origin origin{who.profile, credential_of_session(who.session, who), std::string{c.request_id()},
                              who.from};
  c.carry(std::make_shared<const write_context>(std::make_shared<const request_origin>(origin)));
  auto act = act_of(c, "console_session_ended", who.session, "open",
                    "ended: its wallet " + lower_text(*who.wallet) + " has left the profile, or that is archived");
  act.profile = who.profile;
  act.ends = who.session;
  act.ends_until = *who.ends_at;
  c.ask(c.to().acts, std::move(act), refused{}, refused{});
}

} // namespace

bool admin_context::has_to_look_at_wallet(const caller& who, timestamp now) {
  return with_.actors->people && sessions_.has_to_look_at_wallet(who, now);
}

/// A session ends when its wallet leaves the profile, as those of the API do, or that is archived. While nobody can
/// tell, it goes on: operators look at the console when the database is away.
void admin_context::look_at_wallet(call& c, const caller& who, std::function<void()> goes_on) {
  struct otherwise {
    std::function<void()> goes_on;
    void operator()(call&, const refusal&) const { goes_on(); }
    void operator()(call&, failure) const { goes_on(); }
  };
  const otherwise nobody_tells{goes_on};
  c.ask(
    c.to().people, people::find_people{{key_of_address(*who.wallet)}},
    [who, nobody_tells](call& later, people::found_people& came) {
      if (came.people.front().profile != who.profile)
        return end_without_wallet(later, who);
      later.ask(
        later.to().people, people::check_live{*who.profile},
        [who, nobody_tells](call& last, people::liveness& is) {
          is.live ? nobody_tells.goes_on() : end_without_wallet(last, who);
        },
        nobody_tells);
    },
    nobody_tells);
}

/// Also of a session that the audit does not know yet, and while the database is away: whoever ends one is in a hurry.
void end_session(call& c) {
  const std::string id{c.path_part("sessionId")};
  if (!id.starts_with(session_mark) || id.size() > session_id_length_max)
    return c.error(404, "NOT_FOUND", "there is no session " + shown(id));
  const auto until = c.now() + longest_session(c.admin_context().by());
  if (!c.admin_context().sessions().end(id, until, c.now()))
    return c.fail(failure::overloaded);
  auto act = act_of(c, "console_session_ended", id, "open", "ended");
  act.profile = std::nullopt;
  act.ends = id;
  act.ends_until = until;
  c.ask(c.to().acts, std::move(act), [](call& later, console::kept&) { reply_ok(later); });
}

} // namespace credence::http::admin
