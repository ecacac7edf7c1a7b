#pragma once

#include "actors/domain/address.hpp"
#include "auth/digest.hpp"

#include <cstdint>

namespace credence::auth {

/// An account that signs, for tests.
class wallet {
public:
  /// Its key is the Keccak-256 of a name.
  explicit wallet(std::string_view name);
  /// Its key is given: `0x` and 64 hexadecimal digits.
  static wallet of_key(std::string_view key);

  const address& account() const noexcept { return account_; }
  /// personal_sign of `message` (EIP-191): `0x` and 130 digits, v being 27 or 28.
  std::string sign(std::string_view message) const;

private:
  explicit wallet(const digest& secret);

  digest key_{};
  address account_;
};

/// The address of an uncompressed public key without its first byte: x and y, 64 bytes.
address address_of_key(std::string_view x_and_y);

/// n - s for 32 bytes: the other s of the same signature.
std::array<std::byte, 32> other_s(const std::array<std::byte, 32>& s);

/// A signature's text from its parts.
std::string signature_text(const std::array<std::byte, 32>& r, const std::array<std::byte, 32>& s, std::uint8_t v);

} // namespace credence::auth
