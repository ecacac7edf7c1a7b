#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/operations.hpp"
#include "http/api/sessions/session_cookies.hpp"
#include "http/api/sessions/sign_in.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"
#include "http/call/userkey.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace credence::http::v2 {

namespace {

constexpr std::array<std::string_view, 2> nonce_purposes{"sign-in", "wallet-export"};

/// A session on its way: what its wallet has signed, if anything, and whether an access token is told.
struct session_order {
  unsigned_claim claim;
  profile::open_session question;
  bool tell_access_token = false;
  session_kit kit;
};

std::chrono::sys_seconds in_seconds(timestamp at) { return std::chrono::floor<std::chrono::seconds>(at); }

/// A page that asks on the strength of what the browser sends along must be an allowed one.
bool from_good_page(call& c, bool partners_too = false) {
  const bool by_browser = c.head().origin_count > 0 || !c.head().cookie.empty();
  if (!by_browser || c.origin_allowed() || (partners_too && c.by_partner_page()))
    return true;
  c.refuse({refusal_code::forbidden, "only pages of allowed origins may do this; see http.allowed_origins"});
  return false;
}

// -- opening -------------------------------------------------------------------------------

void reply_access_token(call& c, const profile::credential_slot& slot) {
  auth::token_claims claims;
  claims.profile = slot.owner();
  claims.session = slot.id();
  claims.issued_at = in_seconds(c.now());
  claims.expires_at = std::min(claims.issued_at + c.identity().access_lifetime, in_seconds(slot.expires_at()));
  json_writer to{c.out()};
  to.begin_object();
  to.field("accessToken", auth::mint_token(c.identity().tokens, claims));
  to.field("expiresAt", timestamp{claims.expires_at});
  to.field("profileId", slot.owner());
  to.end_object();
  c.no_store();
  c.reply();
}

/// A session was opened for this request before; its cookies were set once.
void told_once(call& c, const idempotency::found_record&) {
  c.refuse({refusal_code::answer_not_kept,
            "this request opened a session; its tokens were told once and are not kept: sign in again"});
}

/// Opens a session for a profile.
void open(call& c, session_order& order, profile_id who) {
  const auto reply = order.tell_access_token ? &reply_access_token
                                             : +[](call& later, const profile::credential_slot&) { reply_ok(later); };
  open_session(c, std::move(order.question), order.kit, who, reply);
}

outcome<session_order> read_login(const call& c) {
  const signing_purpose wanted{nonce_for::sign_in, "/api/v2/auth/nonce", std::string{sign_in_statement}};
  auto claim = read_signed(c, c.identity().for_login, c.identity().tokens, wanted);
  if (!claim)
    return claim.why();
  session_order out;
  out.claim = *std::move(claim);
  out.question.by = out.claim.nonce;
  out.tell_access_token = true;
  out.kit = own_kit(c);
  return out;
}

} // namespace

void get_sign_in_nonce(call& c) {
  parameters given{c.query()};
  const auto text = given.text("address");
  const auto account = text ? parse_address(*text) : std::nullopt;
  if (text && !account)
    given.issue("address must be 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = account ? checksum_flaw(*text, *account) : std::nullopt)
    given.issue("address must " + *flaw);
  const auto what = given.choice("purpose", nonce_purposes) == 1u ? nonce_for::wallet_export : nonce_for::sign_in;
  if (!given.good())
    return c.refuse(given.why());
  json_writer to{c.out()};
  to.begin_object();
  if (account)
    to.field("address", auth::checksummed_text(*account));
  to.field("nonce", make_nonce(c.identity().tokens, what, c.now()));
  to.end_object();
  c.no_store();
  c.reply();
}

void sign_in(call& c) {
  if (!from_good_page(c))
    return;
  auto order = read_login(c);
  if (!order)
    return c.refuse(order.why());
  order->question.opened.signer = order->claim.account;
  for_owner(c, *order, daily_act::sessions, &told_once, &open);
}

void replay_exchange_token(call& c, const idempotency::found_record& done) { told_once(c, done); }

void exchange_token(call& c) {
  const auto& who = *c.caller();
  if (who.by != credential_kind::access_token)
    co_return c.refuse({refusal_code::unauthenticated, "only an access token is traded for a session"});
  const bool of_provider = who.issued_at == timestamp{};
  if (!of_provider && c.now() - who.issued_at > c.identity().exchange_age_max)
    co_return c.refuse(
      {refusal_code::unauthenticated,
       "an access token is traded for a session within "
         + std::to_string(std::chrono::ceil<std::chrono::minutes>(c.identity().exchange_age_max).count())
         + " minutes of its making; sign in again"});
  if (!from_good_page(c, true))
    co_return;
  session_order order;
  order.kit = kit_of_page(c);
  order.question.opened.signer = who.credential ? who.credential->signer() : who.wallet;
  const auto profile = who.profile;
  const auto found = co_await c.ask(c.to().people, people::check_live{profile});
  if (found.unsettled)
    co_return c.refuse(people::not_yet_settled(profile, found.unsettled));
  open(c, order, profile);
}

// -- refreshing and ending -------------------------------------------------------------------

namespace {

void on_ended(call& c) {
  clear_cookies(c, kit_of_page(c));
  reply_ok(c);
}

void on_over(call& c) { c.refuse({refusal_code::unauthenticated, "the session has ended; sign in again"}); }

} // namespace

void refresh_session(call& c) {
  if (!from_good_page(c))
    return;
  const auto kit = own_kit(c);
  if (cookie_value(c.head().cookie, kit.refresh_name).empty())
    return c.refuse({refusal_code::unauthenticated, "there is no refresh cookie; sign in"});
  const auto shown = refresh_in_cookies(c, kit);
  if (!shown) {
    clear_cookies(c, kit);
    return on_over(c);
  }
  refresh_cookies(
    c, kit, *shown, [](call& later, profile_id) { reply_ok(later); }, &on_over);
}

void sign_out(call& c) {
  if (!from_good_page(c, true))
    return;
  const auto shown = session_in_cookies(c, kit_of_page(c));
  if (!shown)
    return on_ended(c);
  c.ask<profile::end_session>(
    c.to().profiles, {shown->profile, shown->id}, [](call& later, profile::done&) { on_ended(later); },
    [](call& later, const refusal&) { on_ended(later); }); // it has ended already
}

// -- the sessions of a profile ---------------------------------------------------------------

namespace {

/// The session that asks, if it is one.
std::optional<std::string> own_session(const principal& who) {
  if (!who.credential || who.credential->kind() != profile::credential_kind::session)
    return std::nullopt;
  return who.credential->id();
}

} // namespace

void list_sessions(call& c) {
  c.ask<profile::list_sessions>(
    c.to().profiles, {c.caller()->profile}, [](call& later, std::vector<profile::session>& found) {
      const auto own = own_session(*later.caller());
      json_writer to{later.out()};
      to.begin_array();
      for (const auto& each : found) {
        to.begin_object();
        to.field("address", each.signer ? std::optional{auth::checksummed_text(*each.signer)} : std::nullopt);
        to.field("createdAt", each.created_at);
        to.field("current", own == each.id);
        to.field("expiresAt", each.expires_at);
        to.field("id", each.id);
        to.field("partner", each.partner.empty() ? std::nullopt : std::optional{each.partner});
        to.field("refreshedAt", each.rotated_at);
        to.end_object();
      }
      to.end_array();
      later.reply();
    });
}

void end_session(call& c) {
  const auto id = c.path_part("id");
  if (!is_uuid(id)) // no session has such an id
    return c.refuse({refusal_code::session_not_found, "you have no session " + shown(id)});
  c.ask<profile::end_session>(c.to().profiles, {c.caller()->profile, std::string{id}},
                              [](call& later, profile::done&) { reply_ok(later); });
}

void end_other_sessions(call& c) {
  c.ask<profile::end_other_sessions>(c.to().profiles, {c.caller()->profile, own_session(*c.caller())},
                                     [](call& later, profile::done&) { reply_ok(later); });
}

void replay_delete_session(call& c, const idempotency::found_record&) { reply_ok(c); }

} // namespace credence::http::v2
