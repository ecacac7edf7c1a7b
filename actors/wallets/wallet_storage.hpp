#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <cstdint>
#include <optional>
#include <span>

/// What managed wallets and the outbox of their transactions write and read.
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
  static std::int32_t version(const of& made) { return made.key.master_version; }
  static std::span<const std::byte> sealed(const of& made) { return std::as_bytes(std::span{made.key.bytes}); }
  static constexpr field_list fields{field{"id", &of::id},         field{"profile_id", &owner},
                                     field{"address", &of::at},    field{"master_version", &version},
                                     field{"sealed_key", &sealed}, field{"created_at", &of::made_at}};
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

// -- the outbox ----------------------------------------------------------------------------------

template <>
struct fact<wallets::transaction_stored> {
  using of = wallets::transaction_stored;
  static constexpr auto name = "transaction_stored";
  static constexpr auto numbers = numbering::told;
  static std::int64_t nonce(const of& fresh) { return static_cast<std::int64_t>(fresh.nonce); }
  static const address& to(const of& fresh) { return fresh.plan.to; }
  static const wei& value(const of& fresh) { return fresh.plan.value; }
  static std::span<const std::byte> data(const of& fresh) { return std::as_bytes(std::span{fresh.plan.data}); }
  static std::int64_t gas_limit(const of& fresh) { return static_cast<std::int64_t>(fresh.plan.gas_limit); }
  static const wei& most(const of& fresh) { return fresh.fees.most; }
  static const wei& priority(const of& fresh) { return fresh.fees.priority; }
  static std::span<const std::byte> signed_bytes(const of& fresh) {
    return std::as_bytes(std::span{fresh.signed_bytes});
  }
  static const std::string& kind(const of& fresh) { return fresh.plan.kind; }
  static const std::string& origin(const of& fresh) { return fresh.plan.origin; }
  static std::optional<profile_id> beneficiary(const of& fresh) {
    return fresh.plan.beneficiary ? std::optional{fresh.plan.beneficiary} : std::nullopt;
  }
  static std::optional<std::int64_t> replaces(const of& fresh) {
    return fresh.replaces ? std::optional{fresh.replaces} : std::nullopt;
  }
  static constexpr field_list fields{field{"wallet_id", &of::profile},
                                     field{"nonce", &nonce},
                                     field{"to_address", &to},
                                     field{"value", &value},
                                     field{"data", &data},
                                     field{"gas_limit", &gas_limit},
                                     field{"max_fee", &most},
                                     field{"max_priority_fee", &priority},
                                     field{"signed_bytes", &signed_bytes},
                                     field{"hash", &of::hash},
                                     field{"kind", &kind},
                                     field{"origin", &origin},
                                     field{"beneficiary", &beneficiary},
                                     field{"replaces", &replaces},
                                     field{"created_at", &of::at}};
};

template <>
struct part<wallets::transaction_move> {
  using of = wallets::transaction_move;
  static std::string_view state(const of& move) { return wallets::name_of(move.to); }
  static std::optional<std::int64_t> replaced_by(const of& move) {
    return move.replaced_by ? std::optional{move.replaced_by} : std::nullopt;
  }
  static constexpr field_list fields{field{"id", &of::id},         field{"state", &state},
                                     field{"reason", &of::reason}, field{"block", &of::block},
                                     field{"done", &of::done},     field{"replaced_by", &replaced_by}};
};

template <>
struct fact<wallets::transactions_moved> {
  using of = wallets::transactions_moved;
  static constexpr auto name = "transactions_moved";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"wallet_id", &of::profile}, field{"moves", &of::moves},
                                     field{"changed_at", &of::at}};
};

namespace wallets {
/// What is written and what is asked.
struct outbox_storage {
  using facts = types<transaction_stored, transactions_moved>;
  using loads =
    types<load<load_outbox>, load<load_followed>, load<load_transaction>, load<load_call>, load<find_transactions>>;
  using loads_of_others = types<load<load_wallet>>;
};
} // namespace wallets

} // namespace credence
