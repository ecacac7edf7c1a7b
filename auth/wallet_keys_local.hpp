#pragma once

#include "actors/wallets/wallet_keys.hpp"
#include "auth/locked_bytes.hpp"
#include "auth/master_keys.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

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
