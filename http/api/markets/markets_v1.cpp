#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/news/news_actor.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/api/markets/markets.hpp"
#include "http/api/markets/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

namespace credence::http {

namespace {

address address_in_path(call& c) {
  const auto text = c.path_part("address");
  const auto who = credence::parse_address(text);
  if (!who)
    c.given().issue("address must be 0x and 40 hexadecimal digits, not " + shown(text));
  else if (const auto flaw = checksum_flaw(text, *who))
    c.given().issue("address must " + *flaw);
  return who.value_or(address{});
}

std::optional<market::vote_side> read_vote_side(parameters& given) {
  const auto side = given.choice("voteTypeFilter", market::side_names);
  return side ? std::optional{static_cast<market::vote_side>(*side)} : std::nullopt;
}

page read_slice(parameters& given, std::int32_t usual = 50, std::int32_t most = limits::market_list_max) {
  return {given.integer_or("limit", usual, {1, most}), given.integer_or("offset", 0, {0, limits::offset_max})};
}

/// Asks for a list of markets, trades or prices, and answers with it.
template <class Q>
void reply_from_list(call& c, Q question) {
  c.ask(c.to().market_lists, std::move(question), &reply_data<typename Q::answer_type>);
}

template <class Q>
void get_board(call& c) {
  reply_from_list(c, Q{c.given().integer_or("limit", 50, {1, 100})});
}

} // namespace

void v1::search_markets(call& c) {
  market::search_markets question;
  question.text = read_market_text(c.given(), "q");
  question.slice = read_slice(c.given());
  c.ask(c.to().market_lists, std::move(question),
        [](call& later, market::market_page& found) { reply_data(later, found.values); });
}

void v1::look_up_markets(call& c) {
  auto& body = c.json_question();
  const auto ids = body.integers("profileIds", limits::bulk_markets_max);
  if (body.good() && (!ids || ids->empty()))
    body.issue("profileIds is required: a list of 1 to " + std::to_string(limits::bulk_markets_max) + " profile ids");
  market::get_markets question;
  for (const auto id : ids.value_or(std::vector<std::int64_t>{})) {
    if (id < 1 || id > limits::id_max)
      body.issue("profileIds must be from 1 to " + std::to_string(limits::id_max) + ", not " + std::to_string(id));
    question.markets.push_back(market_id{static_cast<std::int32_t>(id)});
  }
  body.refuse_others();
  auto query = question.markets;
  c.ask(c.to().market_lists, std::move(question),
        [question = std::move(query)](call& later, std::vector<market::market_view>& found) {
          const auto missing = std::find_if(question.begin(), question.end(), [&](market_id id) {
            return std::none_of(found.begin(), found.end(), [&](const auto& each) { return each.id == id; });
          });
          if (missing != question.end())
            return later.error(500, "INTERNAL_SERVER_ERROR",
                               "profile " + std::to_string(missing->value) + " has no market");
          reply_data(later, found);
        });
}

void v2::look_up_market_news(call& c) {
  const auto ids = c.value_of(parse_integer_list(c.body(), "profile ids", limits::bulk_markets_max, 1, limits::id_max));
  news::get_news question;
  question.owners.reserve(ids.size());
  for (const auto id : ids)
    question.owners.push_back(profile_id{static_cast<std::int32_t>(id)});
  c.ask(c.to().news, std::move(question), &reply_data<news::get_news::answer_type>);
}

void v1::get_market(call& c) {
  c.ask(c.to().markets, market::get_market{c.path_id<market_id>("profileId")},
        [](call& later, market::market_view& found) {
          reply_data_with(later, [&](json_writer& to) { encode_v1(to, found); });
        });
}

void v1::get_market_price_history(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  reply_from_list(c, market::get_prices{id, read_slice(c.given(), limits::price_points_max, limits::price_points_max)});
}

void v2::list_market_trades(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto side = read_vote_side(c.given());
  reply_from_list(c, market::get_market_trades{id, side, read_slice(c.given())});
}

void v1::list_market_holders(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto slice = read_slice(c.given(), limits::holders_max, limits::holders_max);
  c.ask<market::get_holders>(c.to().markets, {id, slice}, [id](call& later, market::holder_page& found) {
    reply_data_with(later, [&](json_writer& to) { encode(to, found, id); });
  });
}

void v2::list_trades_of_address(call& c) {
  const auto who = address_in_path(c);
  const auto side = read_vote_side(c.given());
  reply_from_list(c, market::get_activity{who, side, read_slice(c.given())});
}

void v2::list_holdings_of_address(call& c) {
  const auto who = address_in_path(c);
  reply_from_list(c, market::get_holdings{who, read_slice(c.given(), limits::market_list_max)});
}

void v2::get_holdings_total_of_address(call& c) {
  c.ask(c.to().market_lists, market::get_holdings_value{address_in_path(c)},
        [](call& later, market::holdings_value& found) {
          reply_data_object(
            later, [&](json_writer& to) { to.field("totalValue", large_number(later, decimal(found.value))); });
        });
}

void v2::get_volume_of_address(call& c) { reply_from_list(c, market::get_volume{address_in_path(c)}); }

void v2::list_xp_leaders(call& c) { get_board<market::get_xp_board>(c); }
void v2::list_profit_leaders(call& c) { get_board<market::get_profit_board>(c); }

} // namespace credence::http
