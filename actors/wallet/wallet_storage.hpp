#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/wallet/wallet_types.hpp"

namespace credence::market {
struct load_trade;
struct stored_trade;
} // namespace credence::market

/// What wallets write and read.
namespace credence {

template <>
struct fact<wallet::funds_moved> {
  using of = wallet::funds_moved;
  static constexpr auto name = "funds_moved";
  static constexpr auto numbers = numbering::told;
  static std::string_view kind(const of& moved) { return wallet::flow_names[static_cast<std::size_t>(moved.way)]; }
  static constexpr std::tuple fields{field{"at", &of::at}, field{"profile_id", &of::profile}, field{"kind", &kind}, field{"amount", &of::amount},
                                     field{"reference", &of::reference}};
};

namespace wallet {
/// What is written and what is asked.
struct storage {
  using facts = types<funds_moved>;
  using loads = types<load<load_wallet, stored_wallet>, load<load_transfer, stored_transfer>>;
  using loads_of_others = types<load<market::load_trade, market::stored_trade>>;
};
} // namespace wallet

} // namespace credence

CREDENCE_ALLOW_LOADS_OF(credence::wallet::storage)
