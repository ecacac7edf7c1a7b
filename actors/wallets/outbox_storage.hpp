#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/wallets/signer_types.hpp"
#include "actors/wallets/wallet_storage.hpp"

#include <span>

/// What the signers of managed wallets write and read.
namespace credence {

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
