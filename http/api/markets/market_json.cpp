#include "http/api/markets/market_json.hpp"

#include "auth/address.hpp"
#include "http/call/page_json.hpp"

namespace credence::http {

namespace {

using market::direction;

template <class Enum, std::size_t N>
std::string_view word(const std::array<std::string_view, N>& names, Enum which) {
  return names[static_cast<std::size_t>(which)];
}

void amount(json_writer& to, json_name name, const wei& value) { to.field(name, decimal(value)); }

void encode_quote_members(json_writer& to, const market::quote& what) {
  to.field("marketProfileId", what.what.market);
  to.field("type", word(market::direction_names, what.what.way));
  to.field("voteType", word(market::side_names, what.what.side));
  to.field("votes", what.votes);
  amount(to, "cost", what.cost);
  amount(to, "protocolFee", what.protocol_fee);
  amount(to, "donation", what.donation);
  amount(to, "funds", what.funds);
  amount(to, "averagePrice", what.votes > 0 ? wei{what.cost / what.votes} : wei{0});
  amount(to, "positivePrice", what.trust_price);
  amount(to, "negativePrice", what.distrust_price);
  to.field("sequence", what.sequence);
}

} // namespace

namespace {

std::string creator_of(const market::market_view& what) {
  return what.whose.primary_address ? auth::checksummed_text(*what.whose.primary_address) : std::string{};
}

/// What both versions call the same.
void encode_figures(json_writer& to, const market::market_view& what, std::string_view creator) {
  to.field("creatorAddress", creator);
  amount(to, "positivePrice", what.trust_price);
  amount(to, "negativePrice", what.distrust_price);
  to.field("trustVotes", what.votes.trust);
  to.field("distrustVotes", what.votes.distrust);
  to.field("createdAt", what.created_at);
  to.field("updatedAt", what.updated_at);
  amount(to, "basePrice", what.how.base_price);
  amount(to, "creationCost", what.creation_cost);
  to.field("liquidity", std::to_string(what.how.liquidity));
  to.field("configType", word(market::tier_names, what.kind));
}

void encode_stats(json_writer& to, const market::market_view& what) {
  to.field("marketCapWei", decimal(what.market_cap));
  amount(to, "volumeTotalWei", what.volume_total);
  amount(to, "volume24hWei", what.volume_24h);
  to.field("priceChange24hPercent", what.price_change_24h);
}

void encode_v2(json_writer& to, const market::market_view& what, user_cards& users) {
  to.begin_object();
  to.field("id", what.id);
  encode_figures(to, what, creator_of(what));
  to.key("user");
  if (!users.write(to, market::owner_of(what.id)))
    to.null();
  to.key("stats");
  to.begin_object();
  encode_stats(to, what);
  to.field("marketCapChange24hWei", decimal(what.cap_change_24h));
  to.field("marketCapChange24hPercent", what.cap_change_percent_24h);
  to.end_object();
  to.field("sequence", what.sequence);
  to.end_object();
}

} // namespace

void encode_v1(json_writer& to, const market::market_view& what) {
  const auto creator = creator_of(what);
  to.begin_object();
  to.field("marketProfileId", what.id);
  encode_figures(to, what, creator);
  to.key("profile");
  to.begin_object();
  to.field("primaryAddress", creator);
  to.field("avatarUrl", what.whose.avatar_url);
  to.field("ethosScore", what.whose.score);
  to.field("name", what.whose.name);
  to.field("twitterUsername", what.whose.x_username);
  to.end_object();
  to.key("stats");
  to.begin_object();
  encode_stats(to, what);
  to.end_object();
  to.end_object();
}

void encode(json_writer& to, const market_answer& what, user_cards& users) { encode_v2(to, what.what, users); }

void encode(json_writer& to, const market_page_answer& what, user_cards& users) {
  to.begin_object();
  encode_page(to, what.what.values, what.what.total, what.what.slice, [&](const auto& each) { encode_v2(to, each, users); });
  to.end_object();
}

void encode(json_writer& to, const markets_answer& what, user_cards& users) {
  to.begin_array();
  for (const auto& each : what.what)
    encode_v2(to, each, users);
  to.end_array();
}

void encode(json_writer& to, const featured_answer& what, user_cards& users) {
  to.begin_array();
  for (const auto& each : what.what) {
    to.begin_object();
    to.field("type", each.type);
    to.key("market");
    encode_v2(to, each.what, users);
    to.end_object();
  }
  to.end_array();
}

void encode(json_writer& to, const holders_answer& what, user_cards& users) {
  to.begin_object();
  encode_page(to, what.what.values, what.what.total, what.what.slice, [&](const market::holder& each) {
    to.begin_object();
    to.key("user");
    if (!users.write(to, each.who))
      to.null();
    to.field("actorAddress", each.account ? auth::checksummed_text(*each.account) : std::string{});
    to.field("voteType", word(market::side_names, each.side));
    to.field("votes", each.votes);
    to.end_object();
  });
  to.end_object();
}

void encode(json_writer& to, const market::quote& what) {
  to.begin_object();
  encode_quote_members(to, what);
  to.end_object();
}

void encode(json_writer& to, const market::trade_receipt& what) {
  to.begin_object();
  if (what.id != 0)
    to.field("tradeId", what.id);
  to.field("dryRun", what.id == 0);
  to.field("executedAt", what.at);
  encode_quote_members(to, what.done);
  to.field("votesHeld", what.held);
  if (what.balance)
    amount(to, "balance", *what.balance);
  to.end_object();
}

void encode(json_writer& to, const market::terms& what) {
  to.begin_array();
  for (std::size_t i = 0; i < what.tiers.size(); ++i) {
    to.begin_object();
    to.field("configIndex", i);
    to.field("configType", market::tier_names[i]);
    to.field("liquidity", std::to_string(what.tiers[i].how.liquidity));
    amount(to, "basePrice", what.tiers[i].how.base_price);
    amount(to, "creationCost", what.tiers[i].creation_cost);
    to.end_object();
  }
  to.end_array();
}

void encode(json_writer& to, const funds::transfer_receipt& what) {
  to.begin_object();
  to.field("transferId", what.id);
  amount(to, "balance", what.balance);
  to.end_object();
}

void encode(json_writer& to, const funds::funds_view& what) {
  to.begin_object();
  amount(to, "balance", what.balance);
  amount(to, "available", what.available);
  to.end_object();
}

} // namespace credence::http
