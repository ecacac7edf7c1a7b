#pragma once

#include "http/api/declare.hpp"
#include "http/api/markets/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array market_routes{
  a_day(writes("/api/v2/markets", scope::trade, v2::post_market, v2::replay_post_market,
               {.quota = quota_class::wallet, .dry_runs = true}),
        daily_act::by_rules),
  asks("/api/v2/markets/{profileId}/quote", v2::post_quote),
  a_day(writes("/api/v2/markets/{profileId}/trades", scope::trade, v2::post_trade, v2::replay_post_trade,
               {.dry_runs = true}),
        daily_act::trades),
  reads("/api/v2/markets", v2::get_markets),
  reads("/api/v2/markets/configs", v2::get_market_configs),
  reads("/api/v2/markets/{profileId}", v2::get_market),
  reads("/api/v2/markets/{profileId}/info", v2::get_market),
  asks("/api/v2/markets/{profileId}/info", v2::post_market_info),
  reads("/api/v2/markets/{profileId}/holders", v2::get_market_holders),
  reads("/api/v2/markets/{profileId}/price/history", v2::get_market_prices),
  reads("/api/v2/markets/{profileId}/change", v2::get_market_change),
  reads("/api/v2/exchange-rates/eth-price-in-usd", v2::get_ether_price),
  reads("/api/v2/markets/info/bulk", v2::get_markets_of_many),
  reads("/api/v2/markets/featured", v2::get_featured_markets),
  reads("/api/v2/markets/users/by/x/{accountIdOrUsername}", v2::get_market_by_x),
  reads("/api/v2/markets/users/by/address/{address}", v2::get_market_by_address),
  asks("/api/v2/markets/simulate-buy", v2::post_simulated_purchase),
  asks("/api/v2/markets/simulate-sell", v2::post_simulated_sale),
  reads_own("/api/v2/markets/me/balance", v2::get_market_balance),
  admin_records("/api/v2/markets/deposits", v2::post_deposit, v2::replay_post_transfer),
  admin_records("/api/v2/markets/withdrawals", v2::post_withdrawal, v2::replay_post_transfer),

  // Legacy
  reads("/api/v1/markets/search", v1::get_market_search),
  asks("/api/v1/markets/bulk", v1::post_markets_bulk),
  asks("/api/v1/markets/news", v1::post_market_news),
  reads("/api/v1/markets/{profileId}", v1::get_market),
  reads("/api/v1/markets/{profileId}/price/history", v1::get_price_history),
  reads("/api/v1/markets/{profileId}/tx/history", v1::get_market_trades),
  reads("/api/v1/markets/{profileId}/holders", v1::get_holders),
  reads("/api/v1/markets/activity/{address}", v1::get_activity),
  reads("/api/v1/markets/holdings/{address}", v1::get_holdings),
  reads("/api/v1/markets/holdings/{address}/total", v1::get_holdings_total),
  reads("/api/v1/markets/volume/{address}", v1::get_volume),
  reads("/api/v1/markets/leaderboard/xp", v1::get_xp_board),
  reads("/api/v1/markets/leaderboard/profit", v1::get_profit_board),
};

} // namespace credence::http::declare
