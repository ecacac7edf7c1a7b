#pragma once

#include "actors/domain/address.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/access_token.hpp"
#include "auth/siwe_message.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/idempotency.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace credence::http {

// The cookies that hold sessions: those of our own pages, and those of each partner's pages.

/// By which cookies and tokens sessions of one kind go.
struct session_kit {
  std::string access_name, access_path;
  std::string refresh_name, refresh_path;
  std::string attributes;
  auth::token_kind access = auth::token_kind::session;
  auth::token_kind refresh = auth::token_kind::refresh;
  std::string partner; // the origin of the partner; empty: our own pages
};

/// Of our own pages.
session_kit own_kit(const call& c);
/// Of the page that asks, which is a partner's.
session_kit partner_kit(const call& c);
/// Of the page that asks: a partner's unless it is one of our own.
session_kit kit_of_page(const call& c);

/// A token of a session, signed.
std::string session_token(const call& c, auth::token_kind kind, profile_id who, const std::string& session,
                          timestamp until);

void set_access_cookie(call& c, const session_kit& kit, const profile::credential_slot& session);
void set_refresh_cookie(call& c, const session_kit& kit, const std::string& token, timestamp session_ends);
void clear_cookies(call& c, const session_kit& kit);

/// Opens a session for a profile and sets its cookies; `reply` answers. What it answers is told once and not kept.
void open_session(call& c, profile::open_session question, const session_kit& kit, profile_id who,
                  void (*reply)(call&, const profile::credential_slot&));

/// A refresh token that came as a cookie, as far as its signature tells.
struct shown_refresh {
  std::string token;
  auth::verified_token says;
};
/// Nothing where there is none, or none that is good.
std::optional<shown_refresh> refresh_in_cookies(const call& c, const session_kit& kit);

/// Trades a refresh token for new cookies, then `done` answers; `over` answers where the session has ended, after the
/// cookies have been cleared.
void refresh_cookies(call& c, const session_kit& kit, const shown_refresh& shown, void (*done)(call&, profile_id),
                     void (*over)(call&));

/// The session that the page which asks shows, if any, as far as signatures tell.
std::optional<auth::verified_token> session_in_cookies(const call& c, const session_kit& kit);

// Signed messages (EIP-4361): what they must say before a signature is even looked at.

/// The purpose of a nonce that this service made. It is part of the nonce, which is refused for any other purpose.
enum class nonce_for : std::uint8_t {
  sign_in, // at the public listener, and to create a profile there
  console, // to sign in at the admin listener
  wallet_export,
};

// What a message says in words (its statement) is what it counts for; each purpose has words of its own.

/// Signs in at the public listener.
inline constexpr std::string_view sign_in_statement = "Sign in.";
/// Signs in at the admin listener.
inline constexpr std::string_view console_statement = "Sign in to the operator console of Credence.";
/// Creates the profile of its address.
inline constexpr std::string_view profile_statement = "Create a profile.";
/// Links its address to a profile.
std::string link_statement(profile_id to);
/// Has the key of a profile's managed wallet written down.
std::string export_statement(profile_id whose);
/// Makes an API key; `until` as the request writes it. Other words count as well, if `speaks_of_a_key`.
std::string key_statement(std::string_view name, std::string_view until);
/// Whether a statement says that a key is made: one of `create`, `make`, `generate`, `issue`, `request`, `add` and
/// `new` comes before the word `key`, in any case, with hardly anything between; nothing in it denies that, and it does
/// not begin as one of another purpose does.
bool speaks_of_a_key(std::string_view statement);

/// A message that says what it should; who signed it is not known yet.
struct unsigned_claim {
  address account;
  profile::signed_nonce nonce;
  std::string message;
  std::string signature;
  std::optional<std::string> statement; // what the message says in words
};

/// What a message must say to be signed for one purpose.
struct signing_purpose {
  nonce_for nonce{};            // which of ours it has to have
  std::string_view nonces_from; // where these come from, for refusals
  std::string statement;        // all of it
};

/// Why the message of a claim is for something else than `wanted` says, if it is. Refused with `invalid_message`.
std::optional<refusal> other_statement(const unsigned_claim& claim, std::string_view wanted);
/// Why a claim does not count for a purpose: its statement is another, or its nonce is not a fresh one for it.
std::optional<refusal> other_purpose(const unsigned_claim& claim, const signing_purpose& wanted,
                                     const auth::token_rules& tokens, timestamp now);

/// Reads and checks a message. Refused with `invalid_message` or `message_expired`.
outcome<unsigned_claim> read_claim(std::string_view message, std::string_view signature,
                                   const auth::siwe_expectation& expected, timestamp now);

/// Reads `{message, signature}` from the body. Only a message counts that was signed for this purpose.
outcome<unsigned_claim> read_signed(const call& c, const auth::siwe_expectation& expected,
                                    const auth::token_rules& tokens, const signing_purpose& wanted);

/// Asks whose wallet this is.
people::find_people owner_of(const address& account);

/// The refusal when somebody else has signed, or the signature is none.
refusal not_signed_by(const address& account);
/// The refusal when a wallet has signed that is nobody's.
refusal nobody_with(const address& account);

/// Goes on with `then` once the wallet of an order's `claim` has signed it, for the profile whose wallet that is.
/// Before the signature holds its sender hears nothing of the profile. From then on the request may be repeated;
/// `replay` answers one that was carried out before. What it does is counted as `act` of that profile, whatever
/// credential came along.
template <class Order>
void for_owner(call& c, Order& received, daily_act act, replay_handler replay,
               void (*then)(call&, Order&, profile_id)) {
  auto order = std::move(received);
  const auto account = order.claim.account;
  recover_signer look{std::move(order.claim.message), std::move(order.claim.signature)};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  const auto whose = lower_text(account);
  co_await first_time(c, whose, std::nullopt, replay); // what tells a token is not kept
  auto owner = owner_of(account);
  const auto found = co_await c.ask(c.to().people, std::move(owner));
  const auto profile = found.people.front().profile;
  if (!profile)
    co_return c.refuse(nobody_with(account));
  if (const auto since = found.people.front().unsettled)
    co_return c.refuse(credence::not_yet_settled(whose, since));
  co_await c.ask(c.to().idempotency, idempotency::take_daily{*profile, act});
  c.took(*profile, act);
  then(c, order, *profile);
}

/// A nonce for a message: good for ten minutes, made and recognised without being kept (HMAC-SHA-256 of what it is for,
/// its time and 64 random bits).
std::string make_nonce(const auth::token_rules& rules, nonce_for what, timestamp now);
/// Whether `nonce` was made by this service, whatever for and however long ago. A message with such a one is for
/// nothing else.
bool is_own_nonce(const auth::token_rules& rules, std::string_view nonce);
/// Whether `nonce` was made for this, and is not too old.
bool good_nonce(const auth::token_rules& rules, nonce_for what, std::string_view nonce, timestamp now);

} // namespace credence::http
