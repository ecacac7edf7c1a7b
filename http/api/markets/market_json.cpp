#include "http/api/markets/market_json.hpp"

#include "actors/domain/hash.hpp"
#include "actors/market/market_state.hpp"
#include "auth/address.hpp"
#include "config/setting_checks.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

namespace {

constexpr std::size_t decimals = 6;
constexpr std::int64_t wei_per_ether = 1'000'000'000'000'000'000;

/// `3210.5` of 3210500000.
std::string text_of(const wei_change& millionths) {
  auto digits = decimal(abs(millionths));
  if (digits.size() <= decimals)
    digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.'))
    digits.pop_back();
  return millionths.sign() < 0 ? "-" + digits : digits;
}

} // namespace

dollars::dollars(const std::string& price) : millionths_(settings::parse_dollars(price)) {}

std::optional<std::string> dollars::price() const {
  return millionths_ ? std::optional{text_of(*millionths_)} : std::nullopt;
}

void dollars::field(json_writer& to, json_name name, const std::optional<wei_change>& amount) const {
  to.key(name);
  const auto size =
    amount && millionths_ ? multiply_divide(abs(*amount), wei{*millionths_}, wei{wei_per_ether}) : std::nullopt;
  if (!size)
    return to.null();
  to.raw(text_of(amount->sign() < 0 ? -wei_change{*size} : wei_change{*size}));
}

namespace {

using market::direction;

template <class Enum, std::size_t N>
std::string_view word(const std::array<std::string_view, N>& names, Enum which) {
  return names[static_cast<std::size_t>(which)];
}

void amount(json_writer& to, json_name name, const wei& value) { to.field(name, decimal(value)); }

std::string text_of(const std::optional<address>& which) {
  return which ? auth::checksummed_text(*which) : std::string{};
}
std::string creator_of(const market::market_view& view) {
  return text_of(view.creator ? view.creator : view.whose.primary_address);
}

/// What both versions call the same.
void encode_figures(json_writer& to, const market::market_view& view, std::string_view creator) {
  to.field("creatorAddress", creator);
  amount(to, "positivePrice", view.trust_price);
  amount(to, "negativePrice", view.distrust_price);
  to.field("trustVotes", view.votes.trust);
  to.field("distrustVotes", view.votes.distrust);
  to.field("createdAt", view.created_at);
  to.field("updatedAt", view.updated_at);
  amount(to, "basePrice", view.how.base_price);
  amount(to, "creationCost", view.creation_cost);
  to.field("liquidity", std::to_string(view.how.liquidity));
  to.field("configType", word(market::tier_names, view.kind));
}

void encode_stats(json_writer& to, const market::market_view& view) {
  to.field("marketCapWei", decimal(view.market_cap));
  amount(to, "volumeTotalWei", view.volume_total);
  amount(to, "volume24hWei", view.volume_24h);
  to.field("priceChange24hPercent", view.price_change_24h);
}

void encode_holder(json_writer& to, market_id id, const market::holder& each, user_cards& users) {
  to.begin_object();
  to.key("user");
  if (each.who == profile_id{} || !users.write(to, each.who))
    to.null();
  to.field("actorAddress", text_of(each.account));
  to.field("marketId", id);
  to.field("voteType", word(market::side_names, each.side));
  to.field("votes", each.votes);
  to.field("total", each.votes);
  to.end_object();
}

void encode_holders(json_writer& to, json_name name, market_id id, const market::holder_page& holders,
                    user_cards& users) {
  to.array(name, holders.values, [&](const auto& each) { encode_holder(to, id, each, users); });
}

void encode_change(json_writer& to, const dollars& worth, json_name name, const wei_change& now,
                   const std::optional<wei_change>& then, const std::optional<std::int32_t>& percent) {
  const auto change = then ? std::optional{now - *then} : std::nullopt;
  to.object(name, [&] {
    to.field("latestWei", decimal(now));
    worth.field(to, "latestUsd", now);
    to.field("changeWei", change ? std::optional{decimal(*change)} : std::nullopt);
    worth.field(to, "changeUsd", change);
    to.field("changePercent", percent);
  });
}

void encode_price_change(json_writer& to, const dollars& worth, json_name name, const wei& now,
                         const std::optional<wei>& then) {
  if (!then)
    return encode_change(to, worth, name, now, std::nullopt, std::nullopt);
  encode_change(to, worth, name, now, *then, market::percent_change(*then, now));
}

} // namespace

static void encode_members(json_writer& to, const market::market_view& view, user_cards& users) {
  to.field("id", view.id);
  encode_figures(to, view, creator_of(view));
  to.key("user");
  if (!users.write(to, market::owner_of(view.id)))
    to.null();
  to.object("stats", [&] {
    encode_stats(to, view);
    to.field("marketCapChange24hWei", decimal(view.cap_change_24h));
    to.field("marketCapChange24hPercent", view.cap_change_percent_24h);
  });
  to.field("sequence", view.sequence);
}

void encode_v1(json_writer& to, const market::market_view& view) {
  to.begin_object();
  to.field("marketProfileId", view.id);
  encode_figures(to, view, creator_of(view));
  to.object("profile", [&] {
    to.field("primaryAddress", text_of(view.whose.primary_address));
    to.field("avatarUrl", view.whose.avatar_url);
    to.field("ethosScore", view.whose.score);
    to.field("name", view.whose.name);
    to.field("twitterUsername", view.whose.x_username);
  });
  to.object("stats", [&] { encode_stats(to, view); });
  to.end_object();
}

void encode(json_writer& to, const market_answer& answer, user_cards& users) { encode(to, answer.market, users); }

void encode_members(json_writer& to, const market_change& change) {
  const auto& [id, days, worth, now, then] = change;
  to.field("profileId", id);
  to.key("change");
  to.begin_object();
  encode_price_change(to, worth, "trust", now.trust_price, then ? std::optional{then->trust_price} : std::nullopt);
  encode_price_change(to, worth, "distrust", now.distrust_price,
                      then ? std::optional{then->distrust_price} : std::nullopt);
  if (then)
    encode_change(to, worth, "total", now.market_cap, then->market_cap,
                  market::cap_percent_change(then->market_cap, now.market_cap));
  else
    encode_change(to, worth, "total", now.market_cap, std::nullopt, std::nullopt);
  to.end_object();
  to.field("days", days);
}

void encode_members(json_writer& to, const market_info_answer& answer, user_cards& users) {
  encode_members(to, answer.market, users);
  if (answer.trust && answer.distrust) {
    to.object("marketTopHolders", [&] {
      encode_holders(to, "trust", answer.market.id, *answer.trust, users);
      encode_holders(to, "distrust", answer.market.id, *answer.distrust, users);
    });
  }
  if (answer.change) {
    to.field("marketChange", *answer.change);
  }
}

void encode(json_writer& to, const market_page_answer& answer, user_cards& users) {
  encode_page(to, answer.markets.values, answer.markets.total, answer.markets.slice,
              [&](const auto& each) { encode(to, each, users); });
}

void encode(json_writer& to, const markets_answer& answer, user_cards& users) {
  to.array(answer.markets, [&](const auto& each) { encode(to, each, users); });
}

void encode(json_writer& to, const featured_answer& answer, user_cards& users) {
  to.objects(answer.markets, [&](const auto& each) {
    to.field("type", each.type);
    to.key("market");
    encode(to, each.market, users);
  });
}

void encode(json_writer& to, const holders_answer& answer, user_cards& users) {
  encode_page(to, answer.holders.values, answer.holders.total, answer.holders.slice,
              [&](const market::holder& each) { encode_holder(to, answer.market, each, users); });
}

void encode_members(json_writer& to, const market::quote& quote) {
  to.field("marketProfileId", quote.order.market);
  to.field("type", word(market::direction_names, quote.order.way));
  to.field("voteType", word(market::side_names, quote.order.side));
  to.field("votes", quote.votes);
  amount(to, "cost", quote.cost);
  amount(to, "protocolFee", quote.protocol_fee);
  amount(to, "donation", quote.donation);
  amount(to, "funds", quote.funds);
  amount(to, "averagePrice", quote.votes > 0 ? wei{quote.cost / quote.votes} : wei{0});
  amount(to, "positivePrice", quote.trust_price);
  amount(to, "negativePrice", quote.distrust_price);
  to.field("sequence", quote.sequence);
}

void encode_members(json_writer& to, const market::trade_receipt& receipt) {
  if (receipt.id != 0)
    to.field("tradeId", receipt.id);
  to.field("dryRun", receipt.id == 0);
  to.field("executedAt", receipt.at);
  encode_members(to, receipt.done);
  to.field("votesHeld", receipt.held);
  if (receipt.balance)
    amount(to, "balance", *receipt.balance);
}

void encode(json_writer& to, const market::offered_configs& configs) {
  to.objects(configs, [&](const auto& each) {
    to.field("configIndex", each.index);
    to.field("configType", word(market::tier_names, each.kind));
    amount(to, "liquidity", each.liquidity);
    amount(to, "basePrice", each.base_price);
    amount(to, "creationCost", each.creation_cost);
  });
}

void encode_members(json_writer& to, const funds::transfer_receipt& receipt) {
  to.field("transferId", receipt.id);
  amount(to, "balance", receipt.balance);
}

void encode_members(json_writer& to, const funds::funds_view& view) {
  amount(to, "balance", view.balance);
  amount(to, "available", view.available);
}

std::string trade_hash(std::int64_t trade) { return hex_text(keccak256("credence:trade:" + std::to_string(trade))); }

void encode(json_writer& to, const std::vector<market::market_view>& views) {
  to.array(views, [&](const auto& each) { encode_v1(to, each); });
}

void encode(json_writer& to, const market::price_list& list) {
  to.objects(list.values, [&](const market::price_point& each) {
    to.field("timestamp", each.at);
    to.field("priceWei", decimal(each.trust_price));
    to.field("positivePrice", decimal(each.trust_price));
    to.field("negativePrice", decimal(each.distrust_price));
    to.field("createdAt", each.at);
  });
}

void encode(json_writer& to, const market::trade_list& list) {
  encode_page(to, list.values, list.total, list.slice, [&](const market::trade_record& each) {
    to.begin_object();
    to.field("eventId", each.id);
    to.field("marketId", each.market);
    to.field("actorAddress", text_of(each.account));
    to.field("type", word(market::direction_names, each.way));
    to.field("voteType", word(market::side_names, each.side));
    to.field("votes", each.votes);
    to.field("funds", decimal(each.funds));
    to.field("txHash", each.tx ? hex_text(*each.tx) : trade_hash(each.id));
    to.field("timestamp", std::chrono::floor<std::chrono::seconds>(each.at).time_since_epoch().count());
    to.end_object();
  });
}

void encode_members(json_writer& to, const market::holder_page& page, market_id market) {
  to.key("all");
  to.objects(page.values, [&](const market::holder& each) {
    const auto votes = std::to_string(each.votes) + "n";
    to.field("actorAddress", text_of(each.account));
    to.field("isPositive", each.side == market::vote_side::trust);
    to.field("total_amount", votes);
    to.field("marketId", market);
    to.field("voteType", word(market::side_names, each.side));
    to.field("total", votes);
  });
  encode_slice(to, page.total, page.slice);
}

void encode(json_writer& to, const std::vector<market::holding>& holdings) {
  to.objects(holdings, [&](const market::holding& each) {
    to.field("marketProfileId", each.market.id);
    to.field("balanceWei", decimal(each.value));
    to.key("market");
    encode_v1(to, each.market);
  });
}

void encode_members(json_writer& to, const market::total_volume& volume) {
  to.field("totalVolumeWei", decimal(volume.funds));
}

void encode(json_writer& to, const std::vector<market::profit_row>& rows) {
  to.objects(rows, [&](const market::profit_row& each) {
    to.field("profit", decimal(each.amount));
    to.field("address", text_of(each.account));
  });
}

void encode(json_writer& to, const std::vector<market::xp_row>& rows) {
  to.objects(rows, [&](const market::xp_row& each) {
    to.field("xp", std::to_string(each.amount));
    to.field("address", text_of(each.account));
  });
}

void encode(json_writer& to, const std::vector<news::news_item>& items) {
  to.objects(items, [&](const news::news_item& each) {
    to.field("marketProfileId", each.owner);
    to.object_or_null("tweet", each.newest, [&](const auto& newest) {
      to.field("id", newest.id);
      to.field("text", newest.text);
      to.field("createdAt", newest.created_at);
      to.field("url", newest.url);
      to.field("retweets", newest.retweets);
      to.field("likes", newest.likes);
      to.field("replies", newest.replies);
      to.field("impressions", newest.impressions);
    });
  });
}

} // namespace credence::http
