#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

std::string row_images::columns(const market_key& key, const market_row& row, const origin& by) const {
  row_object out;
  out.text("contract", chain::name_of(key.contract))
    .number("id", key.number)
    .bytes("creator", row.creator.bytes)
    .bytes("recipient", row.recipient.bytes)
    .text("liquidity", decimal(row.config.liquidity))
    .text("base_price", decimal(row.config.base_price))
    .text("creation_cost", decimal(row.config.creation_cost))
    .text("trust", decimal(row.trust))
    .text("distrust", decimal(row.distrust))
    .text("trust_price", decimal(row.trust_price))
    .text("distrust_price", decimal(row.distrust_price))
    .text("backing", decimal(row.backing))
    .text("withdrawn", decimal(row.withdrawn))
    .text("bought", decimal(row.bought))
    .text("sold", decimal(row.sold))
    .number("trades", row.trades)
    .number("trust_trades", row.trust_trades)
    .number("prices", row.prices)
    .text("standing", market_standing_words[static_cast<std::size_t>(row.standing)])
    .time("created_at", row.created_at)
    .time("updated_at", row.updated_at);
  if (row.in_tokens)
    out.text("userkey", row.in_tokens->userkey)
      .bytes("userkey_hash", row.in_tokens->userkey_hash)
      .bytes("pricing_contract", row.in_tokens->pricing_contract.bytes)
      .bytes("trust_token", row.in_tokens->trust_token.bytes)
      .bytes("distrust_token", row.in_tokens->distrust_token.bytes);
  else
    out.null("userkey").null("userkey_hash").null("pricing_contract").null("trust_token").null("distrust_token");
  return out.of(by);
}

/// The id of the event is the key, and the event never changes.
std::string row_images::columns(std::int64_t key, const market_trade_row& row, const origin& by) const {
  return row_object{}
    .text("contract", chain::name_of(row.market.contract))
    .number("market_id", row.market.number)
    .bytes("account", row.account.bytes)
    .flag("buys", row.buys)
    .flag("trusts", row.trusts)
    .text("votes", decimal(row.votes))
    .text("funds", decimal(row.funds))
    .number("number", row.number)
    .number("side_number", row.side_number)
    .number("account_number", row.account_number)
    .number("account_side_number", row.account_side_number)
    .text("volume_after", decimal(row.volume_after))
    .text("bought_after", decimal(row.bought_after))
    .time("at", row.at)
    .of(origin{key, by.block, by.at});
}

std::string row_images::columns(std::int64_t key, const market_price_row& row, const origin& by) const {
  return row_object{}
    .text("contract", chain::name_of(row.market.contract))
    .number("market_id", row.market.number)
    .number("number", row.number)
    .text("trust", decimal(row.trust))
    .text("distrust", decimal(row.distrust))
    .text("trust_price", decimal(row.trust_price))
    .text("distrust_price", decimal(row.distrust_price))
    .time("at", row.at)
    .of(origin{key, by.block, by.at});
}

std::string row_images::columns(const market_position_key& key, const market_position_row& row,
                                const origin& by) const {
  return row_object{}
    .text("contract", chain::name_of(key.market.contract))
    .number("market_id", key.market.number)
    .bytes("account", key.account.bytes)
    .text("trust", decimal(row.trust))
    .text("distrust", decimal(row.distrust))
    .of(by);
}

std::string row_images::columns(const market_account_key& key, const market_account_row& row, const origin& by) const {
  return row_object{}
    .text("contract", chain::name_of(key.contract))
    .bytes("account", key.account.bytes)
    .text("bought", decimal(row.bought))
    .text("sold", decimal(row.sold))
    .text("donations", decimal(row.donations))
    .number("trades", row.trades)
    .number("trust_trades", row.trust_trades)
    .of(by);
}

} // namespace credence::chain
