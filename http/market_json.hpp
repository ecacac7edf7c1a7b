#pragma once

#include "actors/market/market_lists.hpp"
#include "actors/wallet/wallet_types.hpp"
#include "http/json_writer.hpp"

/// Markets and money as JSON. Amounts are decimal strings of wei.
namespace credence::http {

/// Members of a market (spec: "Market (v1)"), between those of an object that has been begun.
void encode_members(json_writer& to, const market::market_view& what);
/// A market as v1 shows it.
void encode_v1(json_writer& to, const market::market_view& what);
/// With `id` and `sequence`, as v2 shows it.
void encode(json_writer& to, const market::market_view& what);
/// `{values, total, limit, offset}`.
void encode(json_writer& to, const market::market_page& what);
void encode(json_writer& to, const market::quote& what);
void encode(json_writer& to, const market::trade_receipt& what);
/// `[{configIndex, configType, liquidity, basePrice, creationCost}]`.
void encode(json_writer& to, const market::terms& what);
void encode(json_writer& to, const wallet::transfer_receipt& what);
void encode(json_writer& to, const wallet::wallet_view& what);

} // namespace credence::http
