#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <cstdint>
#include <optional>
#include <span>

/// What managed wallets write and read of themselves.
namespace credence::wallets {

/// The account that pays for the gas of others: it belongs to no profile.
inline constexpr profile_id funding_account{0};
/// A profile has one managed wallet, which goes by the profile's number: known before there is a key, so that the key
/// can be sealed for it.
constexpr std::int64_t wallet_id_of(profile_id owner) { return owner.value; }

// -- changes ------------------------------------------------------------------

/// A wallet was made, with its key.
struct wallet_made {
  profile_id profile; // or `funding_account`
  std::int64_t id = 0;
  address at;
  sealed_key key;
  timestamp made_at{};
};

/// Its owner took the private key out. From then on the key is in other hands, too.
struct wallet_exported {
  profile_id profile;
  std::int64_t id = 0;
  timestamp at{};
};

// -- loading ------------------------------------------------------------------

/// A wallet, if there is one.
struct stored_wallet {
  bool found = false;
  profile_id profile;
  std::int64_t id = 0;
  address at;
  sealed_key key;
  timestamp made_at{};
  std::optional<timestamp> exported_at; // the last time
  bool orphaned = false; // there is one, of a profile whose block was taken back: not found, and none is made
};
struct load_wallet {
  using answer_type = stored_wallet;
  profile_id profile; // or `funding_account`
};

} // namespace credence::wallets

namespace credence {

template <>
struct fact<wallets::wallet_made> {
  using of = wallets::wallet_made;
  static constexpr auto name = "wallet_made";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  /// The funding account has none.
  static std::optional<profile_id> owner(const of& made) {
    return made.profile == wallets::funding_account ? std::nullopt : std::optional{made.profile};
  }
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"profile_id", &owner},
                                     field{"address", &of::at},
                                     field{"master_version", &of::key, &wallets::sealed_key::master_version},
                                     field{"sealed_key", as_bytes_of(&of::key, &wallets::sealed_key::bytes)},
                                     field{"created_at", &of::made_at}};
};

template <>
struct fact<wallets::wallet_exported> {
  using of = wallets::wallet_exported;
  static constexpr auto name = "wallet_exported";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"id", &of::id}, field{"exported_at", &of::at}};
};

namespace wallets {
/// What is written and what is asked.
struct storage {
  using facts = types<wallet_made, wallet_exported>;
  using loads = types<load<load_wallet>>;
};
} // namespace wallets

} // namespace credence
