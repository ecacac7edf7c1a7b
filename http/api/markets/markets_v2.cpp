#include "actors/funds/funds_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/api/markets/market_ranks.hpp"
#include "http/api/markets/operations.hpp"
#include "http/api/markets/orders.hpp"
#include "http/api/people/if_live.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/list_body.hpp"
#include "http/call/record_body.hpp"

#include <utility>

namespace credence::http::v2 {

namespace {

void reply_with_market(call& c, market::market_view& found) { reply_with_users(c, market_answer{std::move(found)}); }

void ask_to_open(call& c, market::open_market question) {
  c.ask(c.to().funds, question, question.dry_run ? &reply_tried<market::market_view> : &reply_with_market);
}

void ask_to_move(call& c, funds::move_funds question) {
  const auto reply = question.dry_run ? &reply_tried<funds::transfer_receipt> : &reply_with<funds::transfer_receipt>;
  c.ask(c.to().funds, std::move(question), reply);
}

template <class Q>
void ask_funds(call& c, Q question) {
  c.ask(c.to().funds, std::move(question), &reply_with<typename Q::answer_type>);
}

void transfer(call& c, funds::flow way) {
  parameters given{c.query()};
  const bool dry_run = read_dry_run(given);
  if (!given.good())
    return c.refuse(given.why());
  auto move = read_transfer(c.body(), way);
  if (!move)
    return c.refuse(move.why());
  move->dry_run = dry_run;
  const auto who = move->profile;
  if_live(c, who, *std::move(move), &ask_to_move);
}

/// A page of those that a search finds first, in another order.
void get_ranked(call& c, market::search_markets question, market_order by, bool ascending) {
  question.ranked = true;
  question.busiest_first = true;
  const auto slice = std::exchange(question.slice, page{limits::markets_ranked_max, 0});
  c.ask(c.to().market_lists, std::move(question), [=](call& later, market::market_page& found) {
    rank_markets(found.values, by, ascending);
    market::market_page out{{}, static_cast<std::int64_t>(found.values.size()), slice};
    for (std::int64_t i = slice.offset; i < std::int64_t{slice.offset} + slice.limit && i < out.total; ++i)
      out.values.push_back(std::move(found.values[static_cast<std::size_t>(i)]));
    reply_with_users(later, market_page_answer{std::move(out)});
  });
}

} // namespace

void open_market(call& c) {
  parameters given{c.query()};
  const bool dry_run = read_dry_run(given);
  if (!given.good())
    return c.refuse(given.why());
  auto opening = read_opening(c.body(), c.caller()->profile);
  if (!opening)
    return c.refuse(opening.why());
  opening->dry_run = dry_run;
  if_live(c, c.caller()->profile, *std::move(opening), &ask_to_open);
}

void replay_open_market(call& c, const idempotency::found_record&) {
  c.ask(c.to().markets, market::get_market{market::market_of(c.caller()->profile)}, &reply_with_market);
}

void quote_trade(call& c) {
  parameters given{c.query()};
  auto order = read_order(given, c.path_part("profileId"), c.body());
  if (!order)
    return c.refuse(order.why());
  c.ask(c.to().markets, market::get_quote{*std::move(order)}, &reply_with<market::quote>);
}

void place_trade(call& c) {
  parameters given{c.query()};
  auto trade = read_trade(given, c.path_part("profileId"), c.body(), c.caller()->profile);
  if (!trade)
    return c.refuse(trade.why());
  if_live(c, c.caller()->profile, *std::move(trade), &ask_funds<market::place_trade>);
}

void replay_place_trade(call& c, const idempotency::found_record& done) {
  parameters given{c.query()};
  const auto market = given.path_id<market_id>("profileId", c.path_part("profileId"));
  c.ask(c.to().funds, market::get_trade{market, c.caller()->profile, parse_integer(done.effect).value_or(0)},
        &reply_with<market::trade_receipt>);
}

void get_market(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<market_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().markets, market::get_market{id}, &reply_with_market);
}

void list_markets(call& c) {
  parameters given{c.query()};
  market::search_markets question;
  question.text = given.text("filterQuery").value_or("");
  if (const auto length = characters(question.text); length == 1 || length > limits::search_text_max)
    given.issue("filterQuery must have from 2 to " + std::to_string(limits::search_text_max) + " characters, not "
                + std::to_string(length));
  const auto named = given.choice("orderBy", market_order_names);
  const auto by = static_cast<market_order>(named.value_or(0));
  const bool ascending = given.choice("orderDirection", direction_names) == 1u;
  question.slice = read_page(given);
  if (!given.good())
    return c.refuse(given.why());
  if (!(question.text.empty() ? by <= market_order::volume_total : !named && !ascending))
    return get_ranked(c, std::move(question), by, ascending);
  question.busiest_first = by == market_order::volume_total;
  question.ascending = ascending;
  c.ask<market::search_markets>(c.to().market_lists, std::move(question), [](call& later, market::market_page& found) {
    reply_with_users(later, market_page_answer{std::move(found)});
  });
}

void list_market_configs(call& c) {
  if (const auto* own = c.to().trading) {
    auto offered = market::offered_by(*own);
    return reply_with(c, offered);
  }
  c.ask(c.to().market_lists, market::get_configs{}, &reply_with<market::offered_configs>);
}

void get_market_balance(call& c) {
  c.ask(c.to().funds, funds::get_funds{c.caller()->profile}, &reply_with<funds::funds_view>);
}

void deposit_money(call& c) { transfer(c, funds::flow::deposit); }
void withdraw_money(call& c) { transfer(c, funds::flow::withdrawal); }

void replay_post_transfer(call& c, const idempotency::found_record& done) {
  auto move = read_transfer(c.body(), funds::flow::deposit);
  if (!move)
    return c.refuse(move.why());
  c.ask(c.to().funds, funds::get_transfer{move->profile, parse_integer(done.effect).value_or(0)},
        &reply_with<funds::transfer_receipt>);
}

} // namespace credence::http::v2
