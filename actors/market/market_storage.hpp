#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/market/market_types.hpp"

/// What markets write and read.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<market::tier> = market::tier_names;

template <>
struct fact<market::market_opened> : numbered<market::market_opened> {
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"profile_id", &of::owner},
                                     field{"tier", &of::kind},
                                     field{"liquidity", &of::how, &market::curve::liquidity},
                                     field{"base_price", &of::how, &market::curve::base_price},
                                     field{"creation_cost", &of::creation_cost},
                                     field{"created_at", &of::at}};
};

template <>
struct fact<market::traded> : told_its_number<market::traded> {
  static constexpr bool commutes_with_chain = true;
  static constexpr field_list fields{
    field{"market_id", &of::market},
    field{"at", &of::at},
    field{"number", &of::number},
    field{"trader_id", &of::trader},
    field{"buys", flag(&of::way, market::direction::buy, market::direction::sell)},
    field{"trusts", flag(&of::side, market::vote_side::trust, market::vote_side::distrust)},
    field{"votes", &of::votes},
    field{"cost", &of::cost},
    field{"protocol_fee", &of::protocol_fee},
    field{"donation", &of::donation},
    field{"drawn", &of::drawn},
    field{"trust_after", &of::after, &market::vote_counts::trust},
    field{"distrust_after", &of::after, &market::vote_counts::distrust},
    field{"trust_price_after", &of::trust_price_after},
    field{"distrust_price_after", &of::distrust_price_after},
    field{"volume_after", &of::volume_after},
    field{"bought_after", &of::bought_after}};
};

template <>
struct fact<market::market_frozen_set> : numbered<market::market_frozen_set> {
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"market_id", &of::market}, field{"frozen", &of::frozen},
                                     field{"at", &of::at}};
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
