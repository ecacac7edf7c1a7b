#pragma once

#include "actors/market/market_lists.hpp"
#include "actors/news/news_types.hpp"
#include "http/call/json_writer.hpp"

/// Lists over markets as v1 shows them (spec: "Market records (v1)").
namespace credence::http {

/// Names a trade of the API where clients expect a transaction: Keccak-256 of its number.
std::string trade_hash(std::int64_t trade);

void encode(json_writer& to, const std::vector<market::market_view>& views);
/// `[…]`, oldest first.
void encode(json_writer& to, const market::price_list& list);
/// `{values, total, limit, offset}`.
void encode(json_writer& to, const market::trade_list& list);
/// `{all: [...], total, limit, offset}`.
void encode(json_writer& to, const market::holder_page& page, market_id market);
void encode(json_writer& to, const std::vector<market::holding>& holdings);
/// `{totalValue}`, with an `n` behind.
void encode(json_writer& to, const market::holdings_value& value);
void encode(json_writer& to, const market::total_volume& volume);
void encode(json_writer& to, const std::vector<market::profit_row>& rows);
void encode(json_writer& to, const std::vector<market::xp_row>& rows);
/// `[{marketProfileId, tweet}]`; `tweet` is null where there is none.
void encode(json_writer& to, const std::vector<news::news_item>& items);

} // namespace credence::http
