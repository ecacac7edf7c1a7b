#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/address.hpp"
#include "http/admin/acts.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/sign_in.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"

namespace credence::http::admin {

namespace {

using namespace std::chrono_literals;

constexpr auto message_lifetime = 10min;
constexpr std::string_view nonces_path = "/admin/api/v1/sign-in";

void write_session(call& c, const caller& who) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("name", who.name);
  to.field("profileId", who.profile);
  to.field("role", name_of(who.may));
  to.field("by", entry_names[static_cast<std::size_t>(who.by)]);
  to.field("csrfToken",
           who.session.empty() ? std::nullopt : std::optional{c.desk().sessions().csrf_token_of(who.session)});
  to.field("signedInAt", ms_of(who.signed_in_at));
  to.field("idleEndsAt", ms_of(who.idle_ends_at));
  to.field("endsAt", ms_of(who.ends_at));
  to.end_object();
  c.reply();
}

/// Notes in the audit that somebody has come in, sets the cookie and answers.
void let_in(call& c, caller fresh, std::optional<console::note_act> also = std::nullopt) {
  const auto who = c.desk().sessions().open(std::move(fresh), c.now());
  const auto& from = c.context()->from();
  const request_origin origin{who.profile, who.by == entry::wallet ? "wallet of " + who.name : "link of " + who.name,
                              from->request_id, from->address};
  c.carry(std::make_shared<const write_context>(std::make_shared<const request_origin>(origin)));
  auto act = act_of(c, "console_sign_in", who.session, std::nullopt, "role " + std::string{name_of(who.may)});
  act.profile = who.profile;
  if (also) {
    act.ends = also->ends;
    act.ends_until = also->ends_until;
  }
  c.ask(c.to().acts, std::move(act), [who](call& later, console::kept&) { // whoever gets an error gets no session
    later.add_header(later.desk().sessions().set_cookie(who));
    write_session(later, who);
  });
}

auth::siwe_expectation expected_of(const desk& of) {
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
  const auto& by = c.desk().by();
  const auto now = std::chrono::floor<std::chrono::seconds>(c.now());
  json_writer to{c.out()};
  to.begin_object();
  to.field("nonce", make_nonce(by.tokens, nonce_for::console, c.now()));
  to.field("domain", c.desk().domains().front());
  to.field("uri", by.scheme + "://" + c.desk().domains().front());
  to.field("scheme", by.scheme);
  to.field("chainId", by.chain_id);
  to.field("statement", console_statement);
  to.field("version", "1");
  to.field("issuedAt", timestamp{now});
  to.field("expirationTime", timestamp{now + message_lifetime});
  to.key("domains");
  to.begin_array();
  for (const auto& each : c.desk().domains())
    to.value(each);
  to.end_array();
  to.end_object();
  c.reply();
}

/// The signature comes first: whoever has none hears nothing of profiles and roles.
void sign_in_by_wallet(call& c) {
  const signing_purpose wanted{nonce_for::console, nonces_path, std::string{console_statement}};
  auto claim = read_signed(c, expected_of(c.desk()), c.desk().by().tokens, wanted);
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
  fresh.may = role_of(c.desk().by(), *profile, false);
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
  fresh.by = entry::wallet;
  let_in(c, std::move(fresh));
}

void sign_in_by_link(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto code = body->text("code");
  if (body->good() && !code)
    body->issue("code is required: what follows #link= in the link");
  if (!body->good())
    return c.refuse(body->why());
  const auto link = c.desk().sessions().use_link(*code, c.now());
  if (!link)
    return c.refuse(link.why());
  caller fresh;
  fresh.may = link->of;
  fresh.name = link->name;
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
  if (!c.desk().sessions().end(who.session, *who.ends_at, c.now()))
    return c.fail(failure::overloaded);
  c.add_header(c.desk().sessions().clear_cookie());
  auto act = act_of(c, "console_sign_out", who.session, "open", "ended");
  act.ends = who.session;
  act.ends_until = *who.ends_at;
  c.ask(c.to().acts, std::move(act), [](call& later, console::kept&) { reply_ok(later); });
}

} // namespace credence::http::admin
