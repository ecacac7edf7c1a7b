#pragma once

#include "http/call.hpp"

/// The thirteen reads about markets (spec: "Markets (v1)", facts 1.1). Open to everybody;
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
