#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <cstdint>
#include <optional>

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
struct fact<wallets::wallet_made> : without_effect<wallets::wallet_made> {
  /// The funding account has none.
  static std::optional<profile_id> owner(const of& made) {
    return made.profile == wallets::funding_account ? std::nullopt : std::optional{made.profile};
  }
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, id), field{"profile_id", &owner},
                 CREDENCE_FIELDS(of, (address, at), (master_version, key, &wallets::sealed_key::master_version)),
                 field{"sealed_key", as_bytes_of(&of::key, &wallets::sealed_key::bytes)},
                 CREDENCE_FIELDS(of, (created_at, made_at)));
};

CREDENCE_FACT(without_effect, wallets::wallet_exported, id, (exported_at, at));

namespace wallets {
/// What is written and what is asked.
struct storage {
  using facts = types<wallet_made, wallet_exported>;
  using loads = types<load<load_wallet>>;
};
} // namespace wallets

// -- the outbox ----------------------------------------------------------------------------------

template <>
struct part<wallets::transaction_plan> {
  using of = wallets::transaction_plan;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (to_address, to), value), field{"data", as_bytes_of(&of::data)},
                 CREDENCE_FIELDS(of, gas_limit, kind, origin), field{"beneficiary", or_null(&of::beneficiary)});
};
CREDENCE_PART(wallets::gas_fees, (max_fee, most), (max_priority_fee, priority));

template <>
struct fact<wallets::transaction_stored> : told_its_number<wallets::transaction_stored> {
  static constexpr auto fields = joined_lists(
    CREDENCE_FIELDS(of, (wallet_id, profile), nonce), within(&of::plan, part<wallets::transaction_plan>::fields),
    within(&of::fees, part<wallets::gas_fees>::fields), field{"signed_bytes", as_bytes_of(&of::signed_bytes)},
    field{"hash", &of::hash}, field{"replaces", or_null(&of::replaces)}, field{"created_at", &of::at});
};

template <>
struct part<wallets::outbox_row> {
  using of = wallets::outbox_row;
  static constexpr auto fields = joined_lists(
    CREDENCE_FIELDS(of, (seq, id), nonce), within(&of::plan, part<wallets::transaction_plan>::fields),
    within(&of::fees, part<wallets::gas_fees>::fields), field{"signed_bytes", as_bytes_of(&of::signed_bytes)},
    CREDENCE_FIELDS(of, hash, state, reason, block, created_at, changed_at));
};

template <>
struct part<wallets::transaction_move> {
  using of = wallets::transaction_move;
  static constexpr auto fields = joined_lists(CREDENCE_FIELDS(of, id, (state, to), reason, block, done),
                                              field{"replaced_by", or_null(&of::replaced_by)});
};

CREDENCE_FACT(without_effect, wallets::transactions_moved, (wallet_id, profile), moves, (changed_at, at));

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
