#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Messages with which an Ethereum account signs in (EIP-4361, "sign-in with Ethereum").
namespace credence::auth {

/// Longest message that is looked at, in bytes.
inline constexpr std::size_t siwe_message_bytes_max = 4096;
/// Shortest nonce (EIP-4361) and the longest that is taken, in characters.
inline constexpr std::size_t siwe_nonce_length_min = 8;
inline constexpr std::size_t siwe_nonce_length_max = 128;

/// A time of a message: when, and how it was written.
struct siwe_time {
  timestamp at{};
  std::string text; // RFC 3339
};

/// What a message says; its version is 1. Texts stand as they were written.
struct siwe_message {
  std::optional<std::string> scheme;
  std::string domain; // RFC 3986 authority: a host, perhaps with a port
  address account;
  std::optional<std::string> statement;
  std::string uri;
  std::uint64_t chain_id = 0;
  std::string nonce;
  siwe_time issued_at;
  std::optional<siwe_time> expiration_time;
  std::optional<siwe_time> not_before;
  std::optional<std::string> request_id;
  std::optional<std::vector<std::string>> resources; // none and an empty list are written differently
};

/// Why a text is no such message. Both members are fixed text: nothing of a stranger's is
/// said back.
struct siwe_error {
  std::string_view
    field; // as the message calls it: "Issued At"; the first lines are "first line", "address", "statement"
  std::string_view expected; // what would be right there
};

/// `Issued At must be …`, for a client.
std::string explain(const siwe_error& why);

/// Reads a message by the grammar of EIP-4361 and nothing beyond it: every line in its
/// place, lines ended by LF alone, none after the last; the address checksummed (EIP-55);
/// times by RFC 3339, URIs by RFC 3986. Narrower than the grammar in three things: a domain
/// names a host, a chain id is below 2^64 without leading zeros, lengths are bounded as above.
/// So there is one text for one message: what was signed is what is read.
outcome<siwe_message, siwe_error> parse_siwe_message(std::string_view text);

/// What a message must say to be meant for this service.
struct siwe_expectation {
  std::vector<std::string> domains; // any one of these, exactly: the host, with its port unless it is the scheme's own
  std::vector<std::string> origins; // any one of these, exactly or with a slash after it: `https://example.com`
  std::uint64_t chain_id = 8453;    // Base
  std::chrono::seconds lifetime_max{600};
  /// How far the signer's clock may be ahead; lengthens no life.
  std::chrono::seconds clock_skew{60};
  bool expiration_required = true;
};

/// Why a well-formed message does not count here and now.
enum class siwe_refusal : std::uint8_t {
  wrong_domain,
  wrong_scheme, // one is named, and no origin has it
  wrong_uri,
  wrong_chain,
  issued_in_future,
  no_expiration,
  lifetime_too_long, // from issue to expiration
  expired,
  not_yet_valid,
};

/// What was wrong and what would be right, for a client.
std::string explain(siwe_refusal why, const siwe_expectation& expected);

/// The first thing, in the order of `siwe_refusal`, for which the message does not count at
/// `now`; nothing when it does. The signature, the statement and whether the nonce was used
/// are the caller's to check; a nonce is best remembered until the message expires.
std::optional<siwe_refusal> check(const siwe_message& message, const siwe_expectation& expected, timestamp now);

} // namespace credence::auth
