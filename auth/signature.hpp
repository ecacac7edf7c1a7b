#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "auth/digest.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// Signatures of Ethereum accounts: ECDSA over secp256k1 (SEC 1), from which the signer's
/// address is worked out.
namespace credence::auth {

/// Why a signature is not one, or names no signer.
enum class signature_error : std::uint8_t {
  wrong_length,   // not 132 characters
  not_hex,        // not 0x and hexadecimal digits
  wrong_v,        // the last byte is none of 0, 1, 27 and 28
  r_out_of_range, // r is 0, or the group's order or more
  s_out_of_range, // s is 0, or the group's order or more
  high_s,         // s is above half the order: the other form of a signature that had a low one
  no_signer,      // no public key has this signature of this hash
};

/// What was wrong and what would be right, for a client.
std::string_view explain(signature_error why);

/// A signature that passed `parse_signature`.
struct signature {
  std::array<std::byte, 32> r{}; // big-endian, as is s
  std::array<std::byte, 32> s{};
  std::uint8_t recovery_id = 0; // 0 or 1: parity of the curve point's y
};

/// Reads `0x` and 130 hexadecimal digits, in any case: r, s and v. There is one text
/// for one signature but for the digits' case and the two ways to write v (0 and 1 stand
/// for 27 and 28): a high s is refused (EIP-2), as are r and s that need reducing.
outcome<signature, signature_error> parse_signature(std::string_view text);

/// What a wallet signs for `message` with personal_sign (EIP-191, version 0x45):
/// keccak256("\x19Ethereum Signed Message:\n" + length in bytes + message).
digest personal_message_hash(std::string_view message);

/// The address whose key signed `hash` (SEC 1, 4.1.6). Every signature fits some address:
/// it is the caller who knows which one it must be. Refuses with `no_signer` only.
outcome<address, signature_error> recover_signer(const digest& hash, const signature& by);

} // namespace credence::auth
