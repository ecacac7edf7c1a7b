#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence {

/// Why the domain said no. Each value maps to one HTTP status and one `code`
/// string in http/call/errors.cpp.
enum class refusal_code : std::uint8_t {
  invalid_input,         // 400 BAD_REQUEST
  already_voted,         // 400 ALREADY_VOTED
  invalid_amount,        // 400 INVALID_AMOUNT
  cannot_tip_self,       // 400 CANNOT_TIP_SELF
  insufficient_xp,       // 400 INSUFFICIENT_XP
  invalid_message,       // 400 INVALID_MESSAGE
  invalid_signature,     // 400 INVALID_SIGNATURE
  nonce_reused,          // 400 NONCE_REUSED
  message_expired,       // 400 MESSAGE_EXPIRED
  key_limit_reached,     // 400 KEY_LIMIT_REACHED
  insufficient_funds,    // 400 INSUFFICIENT_FUNDS
  insufficient_votes,    // 400 INSUFFICIENT_VOTES
  slippage_exceeded,     // 400 SLIPPAGE_LIMIT_EXCEEDED
  trade_too_small,       // 400 TRADE_TOO_SMALL
  market_limit_reached,  // 400 MARKET_LIMIT_REACHED
  deadline_passed,       // 400 DEADLINE_PASSED
  project_archived,      // 400 PROJECT_ARCHIVED
  period_closed,         // 400 PERIOD_CLOSED
  slash_open_already,    // 400 SLASH_ALREADY_OPEN
  slash_cooldown,        // 400 SLASH_COOLDOWN
  slash_closed,          // 400 SLASH_CLOSED
  score_too_low,         // 400 SCORE_TOO_LOW
  cannot_slash_self,     // 400 CANNOT_SLASH_SELF
  cannot_vote_own_slash, // 400 CANNOT_VOTE_OWN_SLASH
  vote_limit_reached,    // 400 VOTE_LIMIT_REACHED
  cannot_review_self,    // 400 CANNOT_REVIEW_SELF
  cannot_vouch_self,     // 400 CANNOT_VOUCH_SELF
  vouch_limit_reached,   // 400 VOUCH_LIMIT_REACHED
  unhealthy_too_late,    // 400 UNHEALTHY_TOO_LATE
  last_address,          // 400 LAST_ADDRESS
  address_limit_reached, // 400 ADDRESS_LIMIT_REACHED
  no_invites_left,       // 400 NO_INVITES_LEFT
  unauthenticated,       // 401 UNAUTHORIZED
  forbidden,             // 403 FORBIDDEN
  scope_missing,         // 403 INSUFFICIENT_SCOPE
  network_not_allowed,   // 403 NETWORK_NOT_ALLOWED
  profile_not_live,      // 403 PROFILE_NOT_LIVE
  not_invited,           // 403 NOT_INVITED
  not_found,             // 404 NOT_FOUND
  project_not_found,     // 404 PROJECT_NOT_FOUND
  period_not_found,      // 404 PERIOD_NOT_FOUND
  receiver_not_found,    // 404 RECEIVER_NOT_FOUND
  key_not_found,         // 404 KEY_NOT_FOUND
  session_not_found,     // 404 SESSION_NOT_FOUND
  market_exists,         // 409 MARKET_EXISTS
  market_frozen,         // 409 MARKET_FROZEN
  sequence_mismatch,     // 409 SEQUENCE_MISMATCH
  request_in_progress,   // 409 IDEMPOTENCY_IN_PROGRESS
  answer_not_kept,       // 409 ANSWER_NOT_KEPT
  record_archived,       // 409 RECORD_ARCHIVED
  already_vouched,       // 409 ALREADY_VOUCHED
  vouch_active,          // 409 VOUCH_ACTIVE
  address_taken,         // 409 ADDRESS_TAKEN
  username_taken,        // 409 USERNAME_TAKEN
  account_taken,         // 409 ACCOUNT_TAKEN
  not_verified,          // 409 NOT_VERIFIED
  already_invited,       // 409 ALREADY_INVITED
  slash_is_open,         // 409 SLASH_OPEN
  own_records,           // 409 OWN_RECORDS
  invitation_closed,     // 409 INVITATION_CLOSED
  key_reused,            // 422 IDEMPOTENCY_KEY_REUSED
  too_many_keys,         // 429 TOO_MANY_IDEMPOTENCY_KEYS
  too_many_records,      // 429 TOO_MANY_RECORDS
  project_exists,        // 409 PROJECT_EXISTS
  name_taken,            // 409 NAME_TAKEN
  followed_from_chain,   // 409 FOLLOWED_FROM_CHAIN
  not_yet_settled,       // 409 NOT_YET_SETTLED

  // Of managed wallets.
  contract_revert,           // 400 CONTRACT_REVERT
  wallet_not_found,          // 404 WALLET_NOT_FOUND
  embedded_wallet_not_found, // 404 EMBEDDED_WALLET_NOT_FOUND
  endpoint_disabled,         // 404 ENDPOINT_DISABLED
  nonce_conflict,            // 409 NONCE_CONFLICT
  rate_limited,              // 429 RATE_LIMITED
  blockchain_unavailable,    // 503 BLOCKCHAIN_UNAVAILABLE

  // Of partners.
  not_signed_in,  // 401 UNAUTHENTICATED
  code_not_valid, // 400 INVALID_CODE
};

/// A "no" that the client may read: says what was wrong, with which value, and
/// what would be right.
struct refusal {
  refusal_code code = refusal_code::invalid_input;
  std::string detail;
  /// One entry a mistake; becomes `issues` of the v2 error object.
  std::vector<std::string> issues = {};
  /// How long until the same may be tried again; becomes `Retry-After`. 0: this refusal does not say.
  std::chrono::seconds retry_after{0};
};

/// The answer of a domain rule: a value, or a refusal the client may read (of a type of
/// its own where the caller tells refusals apart).
/// Failures of the machinery (timeouts, lost database) are not outcomes; they
/// travel as `failure` (actors/kernel/ask.hpp).
template <class T, class Refusal = refusal>
class outcome {
public:
  outcome(T value) : value_(std::move(value)) {}
  outcome(Refusal why) : why_(std::move(why)) {}

  explicit operator bool() const noexcept { return value_.has_value(); }
  const T& operator*() const& { return value_.value(); }
  T& operator*() & { return value_.value(); }
  T&& operator*() && { return std::move(value_).value(); }
  const T* operator->() const { return &value_.value(); }
  T* operator->() { return &value_.value(); }
  const Refusal& why() const { return why_.value(); }

private:
  std::optional<T> value_; // one of the two; a variant of them costs the compiler several times as much
  std::optional<Refusal> why_;
};

} // namespace credence
