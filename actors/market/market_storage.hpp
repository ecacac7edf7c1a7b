#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/market/market_types.hpp"

/// What markets write and read.
namespace credence {

template <>
struct fact<market::market_opened> : numbered<market::market_opened> {
  static constexpr auto effect = no_effect;
  static constexpr auto fields =
    CREDENCE_FIELDS(of, (profile_id, owner), (tier, kind), (liquidity, how, &market::curve::liquidity),
                    (base_price, how, &market::curve::base_price), creation_cost, (created_at, at));
};

template <>
struct fact<market::traded> : told_its_number<market::traded> {
  static constexpr bool commutes_with_chain = true;
  static constexpr auto fields = joined_lists(
    CREDENCE_FIELDS(of, (market_id, market), at, number, (trader_id, trader)),
    field{"buys", flag(&of::way, market::direction::buy, market::direction::sell)},
    field{"trusts", flag(&of::side, market::vote_side::trust, market::vote_side::distrust)},
    CREDENCE_FIELDS(of, votes, cost, protocol_fee, donation, drawn, (trust_after, after, &market::vote_counts::trust),
                    (distrust_after, after, &market::vote_counts::distrust), trust_price_after, distrust_price_after,
                    volume_after, bought_after));
};

template <>
struct fact<market::market_frozen_set> : numbered<market::market_frozen_set> {
  static constexpr auto effect = no_effect;
  static constexpr auto fields = CREDENCE_FIELDS(of, (market_id, market), frozen, at);
};

namespace market {
/// What is written and what is asked.
struct storage {
  using facts = types<market_opened, traded, market_frozen_set>;
  using loads =
    types<load<load_market, stored_market>, load<load_position, position>, load<load_positions, stored_positions>,
          load<load_window, stored_window>, load<load_face, face>, load<load_trade, stored_trade>,
          load<load_names, stored_names>, load<get_markets>, load<get_ranked_markets>, load<get_prices>,
          load<get_market_trades>, load<get_activity>, load<get_holdings>, load<get_holdings_value>, load<get_moments>,
          load<get_volume>, load<load_boards, stored_boards>, load<load_accounts, stored_accounts>, load<get_configs>,
          load<load_mirrored_profits, std::vector<profit_row>>, load<load_mirrored_holders, holder_page>>;
};
} // namespace market

} // namespace credence
