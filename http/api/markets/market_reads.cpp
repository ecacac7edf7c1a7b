#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/market/market_state.hpp"
#include "actors/people/people_actor.hpp"
#include "auth/address.hpp"
#include "config/list_limits.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/api/markets/market_ranks.hpp"
#include "http/api/markets/operations.hpp"
#include "http/api/markets/orders.hpp"
#include "http/api/markets/price_windows.hpp"
#include "http/api/replies.hpp"
#include "http/call/list_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace credence::http::v2 {

namespace {

using market::direction;
using market::market_view;
using moment_list = market::get_moments::answer_type;

/// Markets among which those are chosen that stand out.
constexpr std::int32_t featured_among = 100;

market_id read_market(parameters& given, const call& c) {
  return given.path_id<market_id>("profileId", c.path_part("profileId"));
}

std::optional<std::string> decimal_if(const std::optional<wei_change>& amount) {
  return amount ? std::optional{decimal(*amount)} : std::nullopt;
}

/// Six members, three of wei and three of US dollars.
void encode_six(json_writer& to, const dollars& worth, json_name name, const std::optional<wei_change>& trust,
                const std::optional<wei_change>& distrust, const wei_change& total) {
  to.key(name);
  to.begin_object();
  to.field("trustWei", decimal_if(trust));
  to.field("distrustWei", decimal_if(distrust));
  worth.field(to, "trustUsd", trust);
  worth.field(to, "distrustUsd", distrust);
  to.field("totalWei", decimal(total));
  worth.field(to, "totalUsd", total);
  to.end_object();
}

void reply_history(call& c, const moment_list& found, const std::vector<timestamp>& when, const price_window& which) {
  const dollars worth{c.settings().eth_price_usd};
  json_writer to{c.out()};
  to.begin_object();
  to.key("data");
  to.begin_array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i])
      continue;
    to.begin_object();
    to.field("timeBucket", when[i]);
    encode_six(to, worth, "price", found[i]->trust_price, found[i]->distrust_price,
               found[i]->trust_price + found[i]->distrust_price);
    encode_six(to, worth, "marketCap", std::nullopt, std::nullopt, found[i]->market_cap);
    to.end_object();
  }
  to.end_array();
  to.field("timeWindow", which.name);
  to.field("bucket", which.bucket);
  to.end_object();
  c.reply();
}

/// Somebody with an account at x.com, as markets name people.
void encode_person(json_writer& to, const people::user_bundle& who) {
  const auto account =
    std::find_if(who.attestations.begin(), who.attestations.end(), [](const people::attestation& each) {
      return each.service == people::account_service::x && !each.archived;
    });
  const bool has_account = account != who.attestations.end();
  const auto since = who.profile   ? std::optional{who.profile->created_at}
                     : has_account ? std::optional{account->created_at}
                                   : std::nullopt;
  to.begin_object();
  to.field("profileId", who.user->profile);
  to.field("twitterUsername", has_account && account->username ? *account->username : who.user->username.value_or(""));
  to.field("twitterName", who.user->display_name);
  to.field("twitterUserId", has_account ? account->account : "");
  to.field("walletAddress",
           who.addresses.empty() ? std::nullopt : std::optional{auth::checksummed_text(who.addresses.front().address)});
  to.field("avatarUrl", who.user->avatar_url);
  to.field("createdAt", since);
  to.field("updatedAt", who.profile ? std::optional{who.profile->updated_at} : since);
  to.end_object();
}

void reply_person(call& c, outcome<people::lookup_key> key) {
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::get_bundle{*std::move(key)}, [](call& later, people::bundle_of& came) {
    if (!came.found)
      return later.refuse({refusal_code::not_found, "there is no such user"});
    json_writer to{later.out()};
    encode_person(to, *came.found);
    later.reply();
  });
}

/// What a simulated order is about: `profileId` and `voteType`.
market::order read_simulated(json_body& body, direction way) {
  market::order out;
  out.market = market::market_of(read_profile(body, "profileId"));
  out.side = static_cast<market::vote_side>(read_one_of(body, "voteType", market::side_names));
  out.way = way;
  return out;
}

/// In hundredths of a percent.
constexpr std::int64_t impact_most = 1'000'000'000'000;

/// What an order would do to the price of its side.
void encode_impact(json_writer& to, const market::quote& after, const market_view& before) {
  const bool trusts = after.order.side == market::vote_side::trust;
  const auto& was = trusts ? before.trust_price : before.distrust_price;
  const auto& is = trusts ? after.trust_price : after.distrust_price;
  to.field("newPrice", decimal(is));
  const auto moved = wei_change{is} - wei_change{was};
  // Of a price of a few wei any change is enormous: it is told up to a limit, and not at all where the price is 0.
  const wei_change hundredths =
    was == 0 ? wei_change{0} : std::min(wei_change{moved * 10000 / wei_change{was}}, wei_change{impact_most});
  to.field("impactPct",
           was == 0 ? std::nullopt : std::optional{static_cast<double>(static_cast<std::int64_t>(hundredths)) / 100});
  to.key("trend");
  if (moved == 0)
    to.null();
  else
    to.value(moved > 0 ? "up" : "down");
}

void simulate(call& c, const market::order& order) {
  const market::get_quote question{order};
  const market::get_market market{order.market};
  const auto before = co_await c.ask(c.to().markets, market);
  const auto after = co_await c.ask(c.to().markets, question);
  json_writer to{c.out()};
  to.begin_object();
  to.field("votes", after.votes);
  if (after.order.way == direction::buy)
    to.field("costWei", decimal(after.funds));
  else
    to.field("proceedsWei", decimal(after.funds));
  encode_impact(to, after, before);
  to.end_object();
  c.reply();
}

} // namespace

void list_market_holders(call& c) {
  parameters given{c.query()};
  const auto id = read_market(given, c);
  const auto side = given.choice("voteType", market::side_names);
  const auto slice = read_page(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().markets,
        market::get_holders{id, slice, side ? std::optional{static_cast<market::vote_side>(*side)} : std::nullopt},
        [id](call& later, market::holder_page& found) {
          reply_with_users(later, holders_answer{id, std::move(found)});
        });
}

void get_market_price_history(call& c) {
  parameters given{c.query()};
  const auto id = read_market(given, c);
  const auto& which = read_price_window(given);
  if (!given.good())
    return c.refuse(given.why());
  auto when = moments_of(which, c.now());
  auto moments = when;
  c.ask(
    c.to().market_lists, market::get_moments{id, std::move(moments)},
    [&which, when = std::move(when)](call& later, moment_list& found) { reply_history(later, found, when, which); });
}

void get_market_change(call& c) {
  parameters given{c.query()};
  const auto id = read_market(given, c);
  const auto days = given.integer_or("days", 1, {limits::days_min, limits::days_max});
  if (!given.good())
    return c.refuse(given.why());
  const auto now = c.now();
  c.ask(c.to().market_lists, market::get_moments{id, {now - std::chrono::days{days}, now}},
        [id, days](call& later, moment_list& found) {
          if (!found.back())
            return later.refuse({refusal_code::not_found, "Market not found"}); // made by a clock that runs ahead
          market_change change{id, days, dollars{later.settings().eth_price_usd}, *found.back(), found.front()};
          reply_with(later, change);
        });
}

void get_markets(call& c) {
  parameters given{c.query()};
  const auto ids = given.required("profileIds", "(1 to 100 profile ids)", [&] {
    return given.integers("profileIds", {1, limits::id_max}, limits::bulk_profile_ids_max);
  });
  if (!given.good())
    return c.refuse(given.why());
  market::get_markets question;
  for (const auto id : ids)
    question.markets.push_back(market_id{id});
  c.ask(c.to().market_lists, std::move(question), [](call& later, std::vector<market_view>& found) {
    reply_with_users(later, markets_answer{std::move(found)});
  });
}

void get_ether_price(call& c) {
  const auto price = dollars{c.settings().eth_price_usd}.price();
  if (!price)
    return c.error(404, "EXCHANGE_RATE_NOT_SET",
                   "this server is told no price of an ether in US dollars (http.eth_price_usd)");
  json_writer to{c.out()};
  to.begin_object();
  to.key("price");
  to.raw(*price);
  to.end_object();
  c.reply();
}

void list_featured_markets(call& c) {
  market::search_markets question;
  question.slice = {featured_among, 0};
  question.busiest_first = true;
  question.ranked = true;
  c.ask(c.to().market_lists, std::move(question),
        [](call& later, market::market_page& found) { reply_with_users(later, featured_of(found.values)); });
}

void ask_for_market_info(call& c) {
  parameters given{c.query()};
  const auto id = read_market(given, c);
  auto body = json_body::parse_question(c.body());
  if (!body)
    co_return c.refuse(body.why());
  const bool with_change = body->boolean("includeMarketChange").value_or(false);
  const bool with_holders = body->boolean("includeTopHolders").value_or(false);
  read_integer_if_any(*body, "profileId", 1, limits::id_max); // clients say again what the path says
  body->refuse_others();
  if (!body->good())
    given.issues_of(body->why());
  if (!given.good())
    co_return c.refuse(given.why());
  market_info_answer answer;
  const market::get_market which{id};
  auto found_market = co_await c.ask(c.to().markets, which);
  answer.market = std::move(found_market);
  if (with_holders) {
    market::get_holders question{id, {limits::top_holders, 0}, market::vote_side::trust};
    auto trust = co_await c.ask(c.to().markets, question);
    question.side = market::vote_side::distrust;
    auto distrust = co_await c.ask(c.to().markets, question);
    answer.trust = std::move(trust);
    answer.distrust = std::move(distrust);
  }
  if (with_change) {
    const auto now = c.now();
    market::get_moments question{id, {now - std::chrono::days{1}, now}};
    const auto found = co_await c.ask(c.to().market_lists, std::move(question));
    if (found.back())
      answer.change = market_change{id, 1, dollars{c.settings().eth_price_usd}, *found.back(), found.front()};
  }
  reply_with_users(c, std::move(answer));
}

void get_market_by_x(call& c) { reply_person(c, parse_x_account(c.path_part("accountIdOrUsername"))); }
void get_market_by_address(call& c) { reply_person(c, parse_address_key(c.path_part("address"))); }

void simulate_purchase(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  auto order = read_simulated(*body, direction::buy);
  order.maximum_cost = read_wei(*body, "buyAmountWei");
  if (body->good() && !order.maximum_cost)
    body->issue("buyAmountWei is required: wei as a decimal string");
  if (!body->good())
    return c.refuse(body->why());
  simulate(c, order);
}

void simulate_sale(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  auto order = read_simulated(*body, direction::sell);
  order.votes = body->integer("sellVotes");
  if (body->good() && (!order.votes || *order.votes < 1 || *order.votes > limits::trade_votes_max))
    body->issue("sellVotes is required: from 1 to " + std::to_string(limits::trade_votes_max));
  if (!body->good())
    return c.refuse(body->why());
  simulate(c, order);
}

} // namespace credence::http::v2
