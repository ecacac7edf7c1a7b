#pragma once

#include "actors/domain/address.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "config/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::auth {

/// Memory for keys in the clear: pages of its own, which are kept out of swap where the system allows it and out of
/// core dumps, and are wiped before they are given back. Filled with zeros at first.
class locked_bytes {
public:
  /// Throws std::bad_alloc where there is no memory.
  explicit locked_bytes(std::size_t size);
  locked_bytes(locked_bytes&& other) noexcept;
  locked_bytes& operator=(locked_bytes&&) = delete;
  ~locked_bytes();

  unsigned char* data() noexcept { return data_; }
  const unsigned char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::span<const std::byte> bytes() const noexcept { return {reinterpret_cast<const std::byte*>(data_), size_}; }

private:
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// AES (FIPS 197) in the two ways that wallets' keys need it. Throws wallets::key_error where OpenSSL cannot.

inline constexpr std::size_t gcm_nonce_bytes = 12, gcm_tag_bytes = 16;
/// What `gcm_seal` adds to a text.
inline constexpr std::size_t gcm_overhead = gcm_nonce_bytes + gcm_tag_bytes;

/// AES-256-GCM (NIST SP 800-38D) under a random nonce: nonce, ciphertext, tag. `context` is authenticated with it.
std::string gcm_seal(const unsigned char* key32, std::span<const std::byte> text, std::string_view context);
/// False where the key, the context or any bit is another one; `out`, as long as the text was, then holds zeros.
bool gcm_open(const unsigned char* key32, std::string_view sealed, std::string_view context, std::span<std::byte> out);

/// AES-128-CTR (NIST SP 800-38A): the same both ways.
std::string aes128_ctr(const unsigned char* key16, const std::array<unsigned char, 16>& counter,
                       std::span<const std::byte> text);

/// Fills it from the system's generator.
void fill_random(std::span<unsigned char> out);

/// A private key as a Web3 Secret Storage file, version 3 (scrypt with n = 2^18, r = 8, p = 1; AES-128-CTR;
/// Keccak-256), which wallets import. The passphrase goes in as its UTF-8 bytes. Takes 256 MiB of memory meanwhile.
/// Throws wallets::key_error.
std::string keystore_of(const locked_bytes& private_key, const address& at, const std::string& passphrase);

// The keys that seal the keys of managed wallets. They are kept outside of the database: in a file that its owner
// alone may read, or in the environment.

inline constexpr std::size_t master_key_bytes = 32;

/// Names a master key without telling anything of it: the start of an HMAC-SHA-256 under it.
using master_fingerprint = std::array<std::byte, 8>;

class master_key {
public:
  /// Reads 64 hexadecimal digits. Throws std::runtime_error, which begins with `what`, for all else; the text is never
  /// part of the message.
  master_key(std::int32_t version, std::string_view hex, const std::string& what);

  std::int32_t version() const noexcept { return version_; }
  const master_fingerprint& fingerprint() const noexcept { return fingerprint_; }
  const unsigned char* data() const noexcept { return key_.data(); }

private:
  std::int32_t version_;
  locked_bytes key_;
  master_fingerprint fingerprint_{};
};

/// The one that seals now, and perhaps the one before it, which still opens.
class master_keys {
public:
  /// `now` may not be of a version that `before` has, too.
  explicit master_keys(master_key now) { keys_.push_back(std::move(now)); }
  master_keys(master_key now, master_key before);

  const master_key& now() const noexcept { return keys_.front(); }
  /// Null where none is configured of that version.
  const master_key* of(std::int32_t version) const noexcept;
  /// Such as `2 (1f2e3d4c5b6a7988) and 1 (…)`: versions with their fingerprints.
  std::string named() const;

private:
  std::vector<master_key> keys_; // newest first
};

/// The master keys of the settings: `master_version`, and as its predecessor `master_version - 1`. Throws
/// std::runtime_error with what to do: both a file and a text for one key, a file that others may read, a text that is
/// no key, twice the same.
master_keys read_master_keys(const settings::wallet_keys& with);

std::string hex_of(const master_fingerprint& fingerprint);

} // namespace credence::auth

struct secp256k1_context_struct;
namespace credence::auth {

/// The keys of managed wallets in this process. A key is sealed by AES-256-GCM under a random data key of its own, and
/// that under the master key of a version. Wallet and version are authenticated with both, so that rows cannot be
/// swapped. In the clear a key is in locked memory only, and wiped before a call returns or throws. Any thread may
/// call.
class wallet_keys_local final : public wallets::wallet_keys {
public:
  /// Throws wallets::key_error where the machine gives no random bytes.
  explicit wallet_keys_local(master_keys keys);
  ~wallet_keys_local() override;

  wallets::made_key make(std::int64_t wallet) override;
  wallets::key_signature sign(std::int64_t wallet, const wallets::sealed_key& key, const digest32& hash) override;
  /// Seals the data key anew; the private key stays sealed.
  wallets::sealed_key rotate(std::int64_t wallet, const wallets::sealed_key& key) override;
  /// Takes some 256 MiB of memory and about a second, one export at a time.
  std::string export_keystore(std::int64_t wallet, const wallets::sealed_key& key,
                              const std::string& passphrase) override;

  /// Seals a private key that there is already, such as one that is restored. Throws for 0 and from the group's order
  /// on.
  wallets::made_key seal(std::int64_t wallet, std::span<const std::byte, 32> private_key);
  /// Throws what `rotate` would throw for this key.
  void check(std::int64_t wallet, const wallets::sealed_key& key) const;
  std::int32_t newest_version() const noexcept { return masters_.now().version(); }

private:
  wallets::made_key sealed(std::int64_t wallet, const locked_bytes& private_key) const;
  locked_bytes open_data_key(std::int64_t wallet, const wallets::sealed_key& key) const;
  locked_bytes open(std::int64_t wallet, const wallets::sealed_key& key) const;
  address address_of(const locked_bytes& private_key) const;

  struct destroy {
    void operator()(secp256k1_context_struct* context) const noexcept;
  };
  master_keys masters_;
  std::unique_ptr<secp256k1_context_struct, destroy> context_; // blinded once, only read since
  std::mutex exporting_;
};

} // namespace credence::auth
