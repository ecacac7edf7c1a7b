#pragma once

#include "actors/domain/address.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/access_token.hpp"
#include "auth/siwe_message.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/idempotency.hpp"

#include <string>
#include <string_view>
#include <utility>

/// Signed messages (EIP-4361): what they must say before a signature is even looked at.
namespace credence::http {

/// How the statement of a message begins that links its address to a profile. Such a message is for nothing else.
inline constexpr std::string_view link_statement_begin = "Link this address to profile ";

/// A message that says what it should; who signed it is not known yet.
struct unsigned_claim {
  address account;
  profile::signed_nonce nonce;
  std::string message;
  std::string signature;
  std::optional<std::string> statement; // what the message says in words
};

/// Reads and checks a message. Refused with `invalid_message` or `message_expired`.
outcome<unsigned_claim> read_claim(std::string_view message, std::string_view signature, const auth::siwe_expectation& expected, timestamp now);

/// Reads `{message, signature}` from the body. Only a message counts that is to be signed in with: its nonce is fresh and comes from
/// the path `nonces_from`, which a refusal names.
outcome<unsigned_claim> read_sign_in(const call& c, const auth::siwe_expectation& expected, const auth::token_rules& tokens,
                                     std::string_view nonces_from);

/// Asks whose wallet this is.
people::find_people owner_of(const address& account);

/// The refusal when somebody else has signed, or the signature is none.
refusal not_signed_by(const address& account);
/// The refusal when a wallet has signed that is nobody's.
refusal nobody_with(const address& account);

/// Goes on with `then` once the wallet of an order's `claim` has signed it, for the profile whose wallet that is. Before the
/// signature holds its sender hears nothing of the profile. From then on the request may be repeated; `replay` answers
/// one that was carried out before.
template <class Order>
void for_owner(call& c, Order& received, replay_handler replay, void (*then)(call&, Order&, profile_id)) {
  auto order = std::move(received);
  const auto account = order.claim.account;
  recover_signer look{std::move(order.claim.message), std::move(order.claim.signature)};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  const auto whose = lower_text(account);
  co_await first_time(c, whose, replay);
  auto owner = owner_of(account);
  const auto found = co_await c.ask(c.to().people, std::move(owner));
  const auto profile = found.people.front().profile;
  if (!profile)
    co_return c.refuse(nobody_with(account));
  if (const auto since = found.people.front().unsettled)
    co_return c.refuse(credence::not_yet_settled(whose, since));
  then(c, order, *profile);
}

/// A nonce for a message to sign in with: good for ten minutes, made and recognised
/// without being kept (HMAC-SHA-256 of its time and 64 random bits).
std::string make_nonce(const auth::token_rules& rules, timestamp now);
/// Whether `nonce` was made to sign in with, however long ago. A message with such a one is for nothing else.
bool is_sign_in_nonce(const auth::token_rules& rules, std::string_view nonce);
/// Whether `nonce` is one of ours and not too old.
bool good_nonce(const auth::token_rules& rules, std::string_view nonce, timestamp now);

} // namespace credence::http
