#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace credence::wallets {

/// A private key under a data key of its own, that under a master key: what the database keeps. Opaque to all but
/// `wallet_keys`.
struct sealed_key {
  std::int32_t master_version = 0;
  std::string bytes;
};

/// A key that was just made, with the address that it signs for.
struct made_key {
  address at;
  sealed_key key;
};

/// r, s (low) and the parity of a signature (RFC 6979).
struct key_signature {
  std::array<std::byte, 32> r{}, s{};
  std::uint8_t y_parity = 0;
};

/// Why a key could be neither made nor used. The text names no secret and may be logged; clients get a general one.
class key_error : public std::runtime_error {
public:
  enum class cause : std::uint8_t {
    no_master_key,    // none of that version is configured
    wrong_master_key, // the one configured for that version is another than the one that sealed the key
    damaged,          // the bytes are no sealed key, were changed, or belong to another wallet
    unusable,         // the machine gives no random bytes or memory, or there is no such signature
    bad_passphrase,   // of an export: shorter or longer than it may be
  };
  key_error(cause what, const std::string& text) : std::runtime_error(text), why_(what) {}
  cause why() const noexcept { return why_; }

private:
  cause why_;
};

/// Bytes of the passphrase of an export.
inline constexpr std::size_t passphrase_bytes_min = 12, passphrase_bytes_max = 1024;

/// The port to whatever holds the keys of managed wallets: `auth/` implements it in this process, an outside signer
/// (KMS, HSM) may take its place. Called on the signers' threads; may block; throws `key_error`.
class wallet_keys {
public:
  virtual ~wallet_keys() = default;
  /// A new key, sealed for `wallet` alone: in the row of another wallet it does not open.
  virtual made_key make(std::int64_t wallet) = 0;
  /// Signs a hash with the key of that wallet; the key in the clear is wiped before it returns.
  virtual key_signature sign(std::int64_t wallet, const sealed_key& key, const digest32& hash) = 0;
  /// The same key under the newest master key.
  virtual sealed_key rotate(std::int64_t wallet, const sealed_key& key) = 0;
  /// The private key for its owner, as a Web3 keystore (version 3) under `passphrase`.
  virtual std::string export_keystore(std::int64_t wallet, const sealed_key& key, const std::string& passphrase) = 0;
};

} // namespace credence::wallets
