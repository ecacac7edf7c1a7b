#include "http/api/sessions/sessions.hpp"

#include "actors/domain/hash.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/operations.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

namespace credence::http {

namespace {

constexpr std::string_view everywhere = "/";

std::chrono::sys_seconds in_seconds(timestamp at) { return std::chrono::floor<std::chrono::seconds>(at); }

void set_cookie(call& c, const session_kit& kit, std::string_view name, std::string_view value, std::string_view path,
                std::int64_t seconds) {
  std::string field{"Set-Cookie: "};
  field.append(name).append("=").append(value).append("; Path=").append(path);
  field.append("; Max-Age=").append(std::to_string(seconds)).append(kit.attributes);
  c.add_header(field);
}

std::int64_t seconds_until(const call& c, timestamp until) {
  return std::chrono::ceil<std::chrono::seconds>(until - c.now()).count();
}

} // namespace

session_kit own_kit(const call& c) {
  const auto& with = c.identity();
  return {with.access_cookie,     std::string{everywhere},   with.refresh_cookie,       with.refresh_path,
          with.cookie_attributes, auth::token_kind::session, auth::token_kind::refresh, {}};
}

session_kit partner_kit(const call& c) {
  const auto& with = c.identity().partners;
  const auto origin = c.head().origin;
  return {partner_cookie_name(with, partner_access_cookie, origin),
          std::string{everywhere},
          partner_cookie_name(with, partner_refresh_cookie, origin),
          with.refresh_path,
          "; HttpOnly; Secure; SameSite=None; Partitioned",
          auth::token_kind::partner,
          auth::token_kind::partner_refresh,
          std::string{origin}};
}

session_kit kit_of_page(const call& c) {
  return c.by_partner_page() && !c.origin_allowed() ? partner_kit(c) : own_kit(c);
}

std::string session_token(const call& c, auth::token_kind kind, profile_id who, const std::string& session,
                          timestamp until) {
  auth::token_claims claims;
  claims.kind = kind;
  claims.profile = who;
  claims.id = session;
  claims.issued_at = in_seconds(c.now());
  claims.expires_at = in_seconds(until);
  if (kind == auth::token_kind::refresh || kind == auth::token_kind::partner_refresh)
    claims.unique = auth::random_hex(16);
  return auth::mint_token(c.identity().tokens, claims);
}

void set_access_cookie(call& c, const session_kit& kit, const profile::credential_slot& session) {
  const auto until = std::min(c.now() + c.identity().session_step, session.expires_at());
  set_cookie(c, kit, kit.access_name, session_token(c, kit.access, session.owner(), session.id(), until),
             kit.access_path, seconds_until(c, until));
}

void set_refresh_cookie(call& c, const session_kit& kit, const std::string& token, timestamp session_ends) {
  set_cookie(c, kit, kit.refresh_name, token, kit.refresh_path, seconds_until(c, session_ends));
}

void clear_cookies(call& c, const session_kit& kit) {
  set_cookie(c, kit, kit.access_name, "", kit.access_path, 0);
  set_cookie(c, kit, kit.refresh_name, "", kit.refresh_path, 0);
}

void open_session(call& c, profile::open_session question, const session_kit& kit, profile_id who,
                  void (*reply)(call&, const profile::credential_slot&)) {
  auto& fresh = question.opened;
  fresh.id = auth::random_uuid();
  fresh.profile = who;
  fresh.partner = kit.partner;
  fresh.created_at = fresh.rotated_at = c.now();
  fresh.expires_at = c.now() + c.identity().session_lifetime;
  auto refresh_token = session_token(c, kit.refresh, who, fresh.id, fresh.expires_at);
  fresh.refresh_hash = auth::sha256(refresh_token);
  c.ask(c.to().profiles, std::move(question),
        [refresh_token = std::move(refresh_token), kit, reply](call& later,
                                                               std::shared_ptr<profile::credential_slot>& slot) {
          later.drop_context();
          set_access_cookie(later, kit, *slot);
          set_refresh_cookie(later, kit, refresh_token, slot->expires_at());
          reply(later, *slot);
        });
}

std::optional<shown_refresh> refresh_in_cookies(const call& c, const session_kit& kit) {
  const auto token = cookie_value(c.head().cookie, kit.refresh_name);
  if (token.empty())
    return std::nullopt;
  const auto says = auth::verify_token(c.identity().tokens, token, kit.refresh, in_seconds(c.now()));
  return says ? std::optional{shown_refresh{std::string{token}, *says}} : std::nullopt;
}

void refresh_cookies(call& c, const session_kit& kit, const shown_refresh& shown, void (*done)(call&, profile_id),
                     void (*over)(call&)) {
  const auto& says = shown.says;
  auto fresh = session_token(c, kit.refresh, says.profile, says.id, timestamp{says.expires_at});
  profile::refresh_session question{says.profile, says.id, auth::sha256(shown.token), auth::sha256(fresh), kit.partner};
  c.ask(
    c.to().profiles, std::move(question),
    [kit, done, fresh = std::move(fresh)](call& later, profile::refresh_session::answer_type& came) {
      set_access_cookie(later, kit, *came.slot);
      if (came.rotated)
        set_refresh_cookie(later, kit, fresh, came.slot->expires_at());
      done(later, came.slot->owner());
    },
    [kit, over](call& later, const refusal&) {
      clear_cookies(later, kit);
      over(later);
    });
}

std::optional<auth::verified_token> session_in_cookies(const call& c, const session_kit& kit) {
  if (auto shown = refresh_in_cookies(c, kit))
    return shown->says;
  const auto says = auth::verify_token(c.identity().tokens, cookie_value(c.head().cookie, kit.access_name), kit.access,
                                       in_seconds(c.now()));
  return says ? std::optional{*says} : std::nullopt;
}

namespace {

using namespace std::chrono_literals;

constexpr auto nonce_lifetime = 10min;
constexpr std::size_t time_digits = 10;
constexpr std::size_t random_digits = 16;
constexpr std::size_t mac_digits = 32;

/// What the MAC of a nonce begins with, in the order of `nonce_for`.
constexpr std::array<std::string_view, 3> nonce_labels{"sign-in nonce ", "console sign-in nonce ",
                                                       "wallet export nonce "};

std::string mac_of(const secret& key, nonce_for what, std::string_view begin) {
  const auto mac =
    auth::hmac_sha256(key.reveal(), std::string{nonce_labels[static_cast<std::size_t>(what)]} + std::string{begin});
  std::string out;
  append_hex(out, std::span{mac}.first(mac_digits / 2));
  return out;
}

constexpr std::string_view link_begin = "Link this address to profile ";
constexpr std::string_view export_begin = "Export the key of ";
constexpr std::array<std::string_view, 4> words_for_keys{"key", "keys", "apikey", "apikeys"};
constexpr std::array<std::string_view, 13> words_for_making{
  "create", "creating", "creation", "make",       "making", "generate", "generating",
  "issue",  "register", "request",  "requesting", "add",    "new"};
constexpr std::array<std::string_view, 11> words_between{"a",   "an",     "the",  "my", "own", "another",
                                                         "api", "access", "this", "of", "for"};
constexpr std::array<std::string_view, 7> words_of_denial{"not", "never", "no", "any", "without", "don", "cannot"};

/// Small letters, of ASCII.
std::string small(std::string_view text) {
  std::string out{text};
  for (auto& each : out)
    if (each >= 'A' && each <= 'Z')
      each = static_cast<char>(each - 'A' + 'a');
  return out;
}

bool made_for(const auth::token_rules& rules, nonce_for what, std::string_view nonce) {
  if (nonce.size() != time_digits + random_digits + mac_digits)
    return false;
  const auto begin = nonce.substr(0, time_digits + random_digits);
  const auto made_with = [&](const secret& key) {
    const auto mac = mac_of(key, what, begin);
    return auth::same_in_constant_time(std::as_bytes(std::span{nonce.substr(begin.size())}),
                                       std::as_bytes(std::span{mac}));
  };
  return made_with(rules.key) || std::any_of(rules.older.begin(), rules.older.end(), made_with);
}

} // namespace

std::string link_statement(profile_id to) { return std::string{link_begin} + std::to_string(to.value) + "."; }

std::string export_statement(profile_id whose) {
  return std::string{export_begin} + "the managed wallet of profile " + std::to_string(whose.value) + ".";
}

std::string key_statement(std::string_view name, std::string_view until) {
  return "Make the API key " + std::string{name} + " until " + std::string{until} + ".";
}

bool speaks_of_a_key(std::string_view statement) {
  const auto text = small(statement);
  const auto is_one = [&](std::string_view other) { return text == small(other); };
  if (is_one(sign_in_statement) || is_one(console_statement) || is_one(profile_statement)
      || text.starts_with(small(link_begin)) || text.starts_with(small(export_begin)))
    return false;
  const auto is_in = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  bool says_so = false, making = false; // whether what came last makes what follows
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at), text.size());
    const auto word = std::string_view{text}.substr(at, end - at);
    if (word.empty())
      continue;
    if (is_in(words_of_denial, word))
      return false;
    says_so = says_so || (making && is_in(words_for_keys, word));
    making = is_in(words_for_making, word) || (making && is_in(words_between, word));
  }
  return says_so;
}

std::optional<refusal> other_statement(const unsigned_claim& claim, std::string_view wanted) {
  if (claim.statement == wanted)
    return std::nullopt;
  return refusal{refusal_code::invalid_message, "the statement of the message must be '" + std::string{wanted} + "'"};
}

std::optional<refusal> other_purpose(const unsigned_claim& claim, const signing_purpose& wanted,
                                     const auth::token_rules& tokens, timestamp now) {
  if (auto why = other_statement(claim, wanted.statement))
    return why;
  if (!good_nonce(tokens, wanted.nonce, claim.nonce.nonce, now))
    return refusal{refusal_code::invalid_message,
                   "the nonce must be a fresh one from GET " + std::string{wanted.nonces_from}};
  return std::nullopt;
}

outcome<unsigned_claim> read_signed(const call& c, const auth::siwe_expectation& expected,
                                    const auth::token_rules& tokens, const signing_purpose& wanted) {
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto message = body->text("message");
  const auto signature = body->text("signature");
  if (body->good() && (!message || !signature))
    body->issue("message and signature are required");
  if (!body->good())
    return body->why();
  auto claim = read_claim(*message, *signature, expected, c.now());
  if (claim)
    if (auto why = other_purpose(*claim, wanted, tokens, c.now()))
      return *std::move(why);
  return claim;
}

outcome<unsigned_claim> read_claim(std::string_view message, std::string_view signature,
                                   const auth::siwe_expectation& expected, timestamp now) {
  auto read = auth::parse_siwe_message(message);
  if (!read)
    return refusal{refusal_code::invalid_message,
                   "message is not a sign-in message (EIP-4361): " + auth::explain(read.why())};
  if (const auto why = auth::check(*read, expected, now))
    return refusal{*why == auth::siwe_refusal::expired ? refusal_code::message_expired : refusal_code::invalid_message,
                   auth::explain(*why, expected)};
  unsigned_claim out;
  out.account = read->account;
  out.nonce = {read->account, read->nonce, read->expiration_time->at};
  out.message = message;
  out.signature = signature;
  out.statement = std::move(read->statement);
  return out;
}

people::find_people owner_of(const address& account) { return {{key_of_address(account)}}; }

refusal not_signed_by(const address& account) {
  return {refusal_code::invalid_signature, "the message is not signed by " + auth::checksummed_text(account)};
}

refusal nobody_with(const address& account) {
  return {refusal_code::forbidden, "no profile is linked to " + auth::checksummed_text(account)};
}

std::string make_nonce(const auth::token_rules& rules, nonce_for what, timestamp now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  auto out = std::to_string(seconds);
  out.insert(0, time_digits - std::min(time_digits, out.size()), '0');
  out += auth::random_hex(random_digits / 2);
  return out + mac_of(rules.key, what, out);
}

bool is_own_nonce(const auth::token_rules& rules, std::string_view nonce) {
  return made_for(rules, nonce_for::sign_in, nonce) || made_for(rules, nonce_for::console, nonce)
         || made_for(rules, nonce_for::wallet_export, nonce);
}

bool good_nonce(const auth::token_rules& rules, nonce_for what, std::string_view nonce, timestamp now) {
  if (!made_for(rules, what, nonce))
    return false;
  std::int64_t seconds = 0;
  std::from_chars(nonce.data(), nonce.data() + time_digits, seconds);
  const timestamp made{std::chrono::seconds{seconds}};
  return made <= now + rules.clock_skew && now < made + nonce_lifetime;
}

namespace v2 {

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
  c.no_store();
  reply_object(c, [&](json_writer& to) {
    to.field("accessToken", auth::mint_token(c.identity().tokens, claims));
    to.field("expiresAt", timestamp{claims.expires_at});
    to.field("profileId", slot.owner());
  });
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
  auto& given = c.given();
  const auto text = given.text("address");
  const auto account = text ? credence::parse_address(*text) : std::nullopt;
  if (text && !account)
    given.issue("address must be 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = account ? checksum_flaw(*text, *account) : std::nullopt)
    given.issue("address must " + *flaw);
  const auto what = given.choice("purpose", nonce_purposes) == 1u ? nonce_for::wallet_export : nonce_for::sign_in;
  if (c.refuse_mistakes())
    return;
  c.no_store();
  reply_object(c, [&](json_writer& to) {
    if (account)
      to.field("address", auth::checksummed_text(*account));
    to.field("nonce", make_nonce(c.identity().tokens, what, c.now()));
  });
}

void sign_in(call& c) {
  if (!from_good_page(c))
    return;
  auto order = c.value_of(read_login(c));
  order.question.opened.signer = order.claim.account;
  for_owner(c, order, daily_act::sessions, &told_once, &open);
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
      to.objects(found, [&](const auto& each) {
        to.field("address", each.signer ? std::optional{auth::checksummed_text(*each.signer)} : std::nullopt);
        to.field("createdAt", each.created_at);
        to.field("current", own == each.id);
        to.field("expiresAt", each.expires_at);
        to.field("id", each.id);
        to.field("partner", each.partner.empty() ? std::nullopt : std::optional{each.partner});
        to.field("refreshedAt", each.rotated_at);
      });
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

} // namespace v2

} // namespace credence::http
