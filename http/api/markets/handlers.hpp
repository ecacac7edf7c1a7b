#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// The thirteen reads about markets (spec: "Markets (v1)"). Open to everybody;
/// successes are `{ok: true, data}`.
namespace credence::http::v1 {

/// GET /api/v1/markets/search
void get_market_search(call& c);
/// POST /api/v1/markets/bulk
void post_markets_bulk(call& c);
/// POST /api/v1/markets/news
void post_market_news(call& c);
/// GET /api/v1/markets/{profileId}
void get_market(call& c);
/// GET /api/v1/markets/{profileId}/price/history
void get_price_history(call& c);
/// GET /api/v1/markets/{profileId}/tx/history
void get_market_trades(call& c);
/// GET /api/v1/markets/{profileId}/holders
void get_holders(call& c);
/// GET /api/v1/markets/activity/{address}
void get_activity(call& c);
/// GET /api/v1/markets/holdings/{address}
void get_holdings(call& c);
/// GET /api/v1/markets/holdings/{address}/total
void get_holdings_total(call& c);
/// GET /api/v1/markets/volume/{address}
void get_volume(call& c);
/// GET /api/v1/markets/leaderboard/xp
void get_xp_board(call& c);
/// GET /api/v1/markets/leaderboard/profit
void get_profit_board(call& c);

} // namespace credence::http::v1

/// Markets and the money to trade on them: ours, beyond the public reads of v1. Those called
/// `replay_…` answer a request whose effect is there but was never answered.
namespace credence::http::v2 {

/// POST /api/v2/markets
void post_market(call& c);
void replay_post_market(call& c, const idempotency::found_record&);
/// POST /api/v2/markets/{profileId}/quote
void post_quote(call& c);
/// POST /api/v2/markets/{profileId}/trades
void post_trade(call& c);
void replay_post_trade(call& c, const idempotency::found_record& done);
/// GET /api/v2/markets
void get_markets(call& c);
/// GET /api/v2/markets/{profileId}
void get_market(call& c);
/// POST /api/v2/markets/{profileId}/info: a market, and what else `includeMarketChange` and `includeTopHolders` ask
/// for.
void post_market_info(call& c);
/// GET /api/v2/markets/configs
void get_market_configs(call& c);
/// GET /api/v2/markets/{profileId}/holders: a page, most votes first.
void get_market_holders(call& c);
/// GET /api/v2/markets/{profileId}/price/history: prices at moments of a window.
void get_market_prices(call& c);
/// GET /api/v2/markets/{profileId}/change: prices and capitalisation against some days ago.
void get_market_change(call& c);
/// GET /api/v2/exchange-rates/eth-price-in-usd: `{price}`.
void get_ether_price(call& c);
/// GET /api/v2/markets/info/bulk: the markets of many profiles.
void get_markets_of_many(call& c);
/// GET /api/v2/markets/featured: markets that stand out.
void get_featured_markets(call& c);
/// GET /api/v2/markets/users/by/x/{accountIdOrUsername}, /by/address/{address}: the person who has the account, or the
/// wallet.
void get_market_by_x(call& c);
void get_market_by_address(call& c);
/// POST /api/v2/markets/simulate-buy, /simulate-sell: what an order would come to.
void post_simulated_purchase(call& c);
void post_simulated_sale(call& c);
/// GET /api/v2/markets/me/balance
void get_market_balance(call& c);
/// POST /api/v2/markets/deposits
void post_deposit(call& c);
/// POST /api/v2/markets/withdrawals
void post_withdrawal(call& c);
void replay_post_transfer(call& c, const idempotency::found_record& done);

} // namespace credence::http::v2
