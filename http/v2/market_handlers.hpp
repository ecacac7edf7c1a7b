#pragma once

#include "http/call.hpp"

/// Markets and the money to trade on them: ours, beyond the public reads of v1.
namespace credence::http::v2 {

/// POST /api/v2/markets
void post_market(call& c);
void again_post_market(call& c, const idempotency::found_record&);
/// POST /api/v2/markets/{profileId}/quote
void post_quote(call& c);
/// POST /api/v2/markets/{profileId}/trades
void post_trade(call& c);
void again_post_trade(call& c, const idempotency::found_record& done);
/// GET /api/v2/markets
void get_markets(call& c);
/// GET /api/v2/markets/{profileId}
void get_market(call& c);
/// GET /api/v2/markets/configs
void get_market_configs(call& c);
/// GET /api/v2/markets/me/balance
void get_market_balance(call& c);
/// POST /api/v2/markets/deposits
void post_deposit(call& c);
/// POST /api/v2/markets/withdrawals
void post_withdrawal(call& c);
void again_post_transfer(call& c, const idempotency::found_record& done);

} // namespace credence::http::v2
