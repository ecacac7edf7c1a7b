#include "http/api/markets/market_lists_json.hpp"

#include "actors/domain/hex.hpp"
#include "auth/address.hpp"
#include "auth/keccak.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/call/page_json.hpp"

namespace credence::http {

namespace {

using market::vote_side;

std::string account_text(const std::optional<address>& whose) {
  return whose ? auth::checksummed_text(*whose) : std::string{};
}
std::string hash_text(std::span<const std::byte> hash) {
  std::string out = "0x";
  append_hex(out, hash);
  return out;
}
std::string_view word_of(vote_side side) { return market::side_names[static_cast<std::size_t>(side)]; }

template <class Items, class Write>
void array(json_writer& to, const Items& items, Write write) {
  to.begin_array();
  for (const auto& each : items) {
    to.begin_object();
    write(each);
    to.end_object();
  }
  to.end_array();
}

} // namespace

std::string trade_hash(std::int64_t trade) {
  return hash_text(auth::keccak256("credence:trade:" + std::to_string(trade)));
}

void encode(json_writer& to, const std::vector<market::market_view>& views) {
  to.begin_array();
  for (const auto& each : views)
    encode_v1(to, each);
  to.end_array();
}

void encode(json_writer& to, const market::price_list& list) {
  array(to, list.values, [&](const market::price_point& each) {
    to.field("timestamp", each.at);
    to.field("priceWei", decimal(each.trust_price));
    to.field("positivePrice", decimal(each.trust_price));
    to.field("negativePrice", decimal(each.distrust_price));
    to.field("createdAt", each.at);
  });
}

void encode(json_writer& to, const market::trade_list& list) {
  to.begin_object();
  encode_page(to, list.values, list.total, list.slice, [&](const market::trade_record& each) {
    to.begin_object();
    to.field("eventId", each.id);
    to.field("marketId", each.market);
    to.field("actorAddress", account_text(each.account));
    to.field("type", market::direction_names[static_cast<std::size_t>(each.way)]);
    to.field("voteType", word_of(each.side));
    to.field("votes", each.votes);
    to.field("funds", decimal(each.funds));
    to.field("txHash", each.tx ? hash_text(*each.tx) : trade_hash(each.id));
    to.field("timestamp", std::chrono::floor<std::chrono::seconds>(each.at).time_since_epoch().count());
    to.end_object();
  });
  to.end_object();
}

void encode(json_writer& to, const market::holder_page& page, market_id market) {
  to.begin_object();
  to.key("all");
  array(to, page.values, [&](const market::holder& each) {
    const auto votes = std::to_string(each.votes) + "n";
    to.field("actorAddress", account_text(each.account));
    to.field("isPositive", each.side == vote_side::trust);
    to.field("total_amount", votes);
    to.field("marketId", market);
    to.field("voteType", word_of(each.side));
    to.field("total", votes);
  });
  encode_slice(to, page.total, page.slice);
  to.end_object();
}

void encode(json_writer& to, const std::vector<market::holding>& holdings) {
  array(to, holdings, [&](const market::holding& each) {
    to.field("marketProfileId", each.market.id);
    to.field("balanceWei", decimal(each.value));
    to.key("market");
    encode_v1(to, each.market);
  });
}

void encode(json_writer& to, const market::holdings_value& value) {
  to.begin_object();
  to.field("totalValue", decimal(value.value) + "n");
  to.end_object();
}

void encode(json_writer& to, const market::total_volume& volume) {
  to.begin_object();
  to.field("totalVolumeWei", decimal(volume.funds));
  to.end_object();
}

void encode(json_writer& to, const std::vector<market::profit_row>& rows) {
  array(to, rows, [&](const market::profit_row& each) {
    to.field("profit", decimal(each.amount));
    to.field("address", account_text(each.account));
  });
}

void encode(json_writer& to, const std::vector<market::xp_row>& rows) {
  array(to, rows, [&](const market::xp_row& each) {
    to.field("xp", std::to_string(each.amount));
    to.field("address", account_text(each.account));
  });
}

void encode(json_writer& to, const std::vector<news::news_item>& items) {
  array(to, items, [&](const news::news_item& each) {
    to.field("marketProfileId", each.owner);
    to.key("tweet");
    if (!each.newest)
      return to.null();
    to.begin_object();
    to.field("id", each.newest->id);
    to.field("text", each.newest->text);
    to.field("createdAt", each.newest->created_at);
    to.field("url", each.newest->url);
    to.field("retweets", each.newest->retweets);
    to.field("likes", each.newest->likes);
    to.field("replies", each.newest->replies);
    to.field("impressions", each.newest->impressions);
    to.end_object();
  });
}

} // namespace credence::http
