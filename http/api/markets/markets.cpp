#include "http/api/markets/markets.hpp"

#include "actors/funds/funds_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/market/market_state.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "auth/address.hpp"
#include "config/limits.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/api/markets/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace credence::http {

namespace {

using market::market_view;

/// A price as a share of the base price, times 10^18.
wei_change share(const wei& price, const market_view& of) {
  return wei_change{price} * wei_change{market::fixed_unit} / wei_change{of.how.base_price};
}

/// The greater, the higher the market ranks.
wei_change figure(const market_view& of, market_order by) {
  switch (by) {
    case market_order::created_at: return of.created_at.time_since_epoch().count();
    case market_order::volume_total: return wei_change{of.volume_total};
    case market_order::market_cap: return of.market_cap;
    case market_order::volume_24h: return wei_change{of.volume_24h};
    case market_order::trust_ratio: return share(of.trust_price, of);
    case market_order::distrust_ratio: return share(of.distrust_price, of);
    case market_order::score: return of.whose.score;
    case market_order::price_change: return of.price_change_24h;
    case market_order::cap_change: return of.cap_change_percent_24h;
    case market_order::score_differential: break;
  }
  return wei_change{of.whose.score} * wei_change{market::fixed_unit} / 2800 - share(of.trust_price, of);
}

/// The first of those with the greatest figure; nothing unless that is above zero.
std::optional<market_view> highest(const std::vector<market_view>& among, market_order by, bool lowest = false) {
  std::optional<market_view> out;
  wei_change best = 0;
  for (const auto& each : among)
    if (const auto value = lowest ? wei_change{-figure(each, by)} : figure(each, by); value > best) {
      best = value;
      out = each;
    }
  return out;
}

} // namespace

void rank_markets(std::vector<market_view>& views, market_order by, bool ascending) {
  std::stable_sort(views.begin(), views.end(), [=](const market_view& a, const market_view& b) {
    return ascending ? figure(a, by) < figure(b, by) : figure(b, by) < figure(a, by);
  });
}

featured_answer featured_of(const std::vector<market_view>& among) {
  featured_answer out;
  const auto add = [&](std::string_view type, std::optional<market_view> which) {
    if (which)
      out.markets.push_back({type, *std::move(which)});
  };
  add("top-volume", highest(among, market_order::volume_total));
  add("undervalued", highest(among, market_order::score_differential));
  add("pumping", highest(among, market_order::price_change));
  add("rugging", highest(among, market_order::price_change, true));
  add("uprising", highest(among, market_order::cap_change));
  return out;
}

namespace {

using namespace std::chrono_literals;
constexpr std::array<price_window, 8> windows{{{"1H", "30 seconds", 30s, 120},
                                               {"6H", "5 minutes", 5min, 72},
                                               {"1D", "15 minutes", 15min, 96},
                                               {"7D", "1 hour", 1h, 168},
                                               {"1M", "6 hours", 6h, 120},
                                               {"3M", "1 day", 24h, 90},
                                               {"1Y", "1 day", 24h, 365},
                                               {"All", "1 day", 24h, static_cast<int>(limits::market_moments_max)}}};
constexpr auto window_names = [] {
  std::array<std::string_view, windows.size()> out;
  for (std::size_t i = 0; i < windows.size(); ++i)
    out[i] = windows[i].name;
  return out;
}();
constexpr std::size_t window_default = 2;

} // namespace

const price_window& read_price_window(parameters& from) {
  return windows[from.choice("window", window_names).value_or(window_default)];
}

std::vector<timestamp> moments_of(const price_window& which, timestamp now) {
  std::vector<timestamp> out;
  const auto last = now.time_since_epoch() / which.every * which.every;
  for (int i = which.moments - 1; i >= 0; --i)
    out.push_back(timestamp{last - i * which.every});
  return out;
}

std::string read_market_text(parameters& from, std::string_view name) {
  const auto text = from.text(name).value_or("");
  if (const auto length = characters(text); length == 1 || length > limits::search_text_max)
    from.issue(std::string{name} + " must have from 2 to " + std::to_string(limits::search_text_max)
               + " characters, not " + std::to_string(length));
  return std::string{text};
}

namespace v2 {

namespace {

using market::direction;
using market::vote_side;

std::optional<market::order> order_from(json_body& body) {
  market::order out;
  const auto action = body.text("action");
  if (!action || (*action != "buy" && *action != "sell"))
    body.issue("action must be buy or sell" + (action ? ", not " + shown(*action) : std::string{}));
  else
    out.way = *action == "buy" ? direction::buy : direction::sell;
  const auto side = body.text("voteType");
  if (!side || (*side != "trust" && *side != "distrust"))
    body.issue("voteType must be trust or distrust" + (side ? ", not " + shown(*side) : std::string{}));
  else
    out.side = *side == "trust" ? vote_side::trust : vote_side::distrust;
  out.votes = body.integer("votes");
  if (out.votes && (*out.votes < 1 || *out.votes > limits::trade_votes_max))
    body.issue("votes must be from 1 to " + std::to_string(limits::trade_votes_max) + ", not "
               + std::to_string(*out.votes));
  out.maximum_cost = read_wei(body, "maximumCost");
  if (!body.good())
    return std::nullopt;
  if (out.way == direction::sell && out.maximum_cost)
    body.issue("maximumCost is for buying; a sale may have minimumProceeds");
  if (!out.votes && (out.way == direction::sell || !out.maximum_cost))
    body.issue(out.way == direction::sell ? "votes is required: how many to sell" : "votes or maximumCost is required");
  return out;
}

std::optional<timestamp> read_deadline(json_body& body) {
  switch (body.kind_of("deadline")) {
    case json_body::kind::absent:
    case json_body::kind::null: return std::nullopt;
    case json_body::kind::integer:
      if (const auto seconds = *body.integer("deadline"); seconds >= 0 && seconds <= limits::unix_seconds_max)
        return timestamp{std::chrono::seconds{seconds}};
      break;
    case json_body::kind::text:
      if (const auto when = parse_moment(*body.text("deadline"), day_edge::end))
        return when;
      break;
    default: break;
  }
  body.issue("deadline must be Unix seconds or an ISO 8601 time such as 2026-03-01T12:00:00Z");
  return std::nullopt;
}

} // namespace

std::optional<wei> read_wei(json_body& from, std::string_view name) {
  switch (from.kind_of(name)) {
    case json_body::kind::absent:
    case json_body::kind::null: return std::nullopt;
    case json_body::kind::integer:
      if (const auto number = *from.integer(name); number >= 0)
        return wei{number};
      break;
    case json_body::kind::text:
      if (auto number = parse_bigint(*from.text(name)); number && *number <= transfer_wei_max)
        return number;
      break;
    default: break;
  }
  from.issue(std::string{name} + " must be wei as a decimal string such as \"10000000000000000\", at most 10^36");
  return std::nullopt;
}

outcome<market::order> read_order(parameters& given, std::string_view market, std::string_view text) {
  const auto id = given.path_id<market_id>("profileId", market);
  if (!given.good())
    return given.why();
  auto body = json_body::parse_question(text);
  if (!body)
    return body.why();
  auto out = order_from(*body);
  body->refuse_others();
  if (!out || !body->good())
    return body->why();
  out->market = id;
  return *std::move(out);
}

outcome<market::place_trade> read_trade(parameters& given, std::string_view market, std::string_view text,
                                        profile_id trader) {
  const auto id = given.path_id<market_id>("profileId", market);
  const bool dry_run = read_dry_run(given);
  if (!given.good())
    return given.why();
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  auto wanted = order_from(*body);
  market::place_trade out;
  out.minimum_proceeds = read_wei(*body, "minimumProceeds");
  if (wanted && wanted->way == direction::buy && out.minimum_proceeds)
    body->issue("minimumProceeds is for selling; a purchase may have maximumCost");
  out.expected_sequence = body->integer("expectedSequence");
  if (out.expected_sequence && *out.expected_sequence < 0)
    body->issue("expectedSequence must not be negative");
  out.deadline = read_deadline(*body);
  if (!wanted || !body->good())
    return body->why();
  wanted->market = id;
  out.order = *std::move(wanted);
  out.trader = trader;
  out.dry_run = dry_run;
  return out;
}

outcome<market::open_market> read_opening(std::string_view text, profile_id owner) {
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  const auto word = body->text("configType");
  const auto found = std::find(market::tier_names.begin(), market::tier_names.end(), word.value_or(""));
  if (found == market::tier_names.end())
    body->issue("configType must be VOLATILE, NORMAL or INSULATED" + (word ? ", not " + shown(*word) : std::string{}));
  if (!body->good())
    return body->why();
  return market::open_market{owner, static_cast<market::tier>(found - market::tier_names.begin())};
}

outcome<funds::move_funds> read_transfer(std::string_view text, funds::flow way) {
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  const auto profile = body->integer("profileId");
  if (!profile || *profile < 1 || *profile > limits::id_max)
    body->issue("profileId must be from 1 to " + std::to_string(limits::id_max));
  auto amount = read_wei(*body, "amount");
  if (body->good() && (!amount || *amount == 0))
    return refusal{refusal_code::invalid_amount, "amount must be a positive number of wei, as a decimal string"};
  const auto reference = body->text("reference").value_or("");
  if (characters(reference) > limits::transfer_reference_length_max)
    body->issue("reference must have at most " + std::to_string(limits::transfer_reference_length_max) + " characters");
  if (!body->good())
    return body->why();
  return funds::move_funds{profile_id{static_cast<std::int32_t>(*profile)}, way, *std::move(amount),
                           std::string{reference}};
}

namespace {

using market::direction;
using market::market_view;
using moment_list = market::get_moments::answer_type;

/// Markets among which those are chosen that stand out.
constexpr std::int32_t featured_among = 100;

std::optional<std::string> decimal_if(const std::optional<wei_change>& amount) {
  return amount ? std::optional{decimal(*amount)} : std::nullopt;
}

/// Six members, three of wei and three of US dollars.
void encode_six(json_writer& to, const dollars& worth, json_name name, const std::optional<wei_change>& trust,
                const std::optional<wei_change>& distrust, const wei_change& total) {
  to.object(name, [&] {
    to.field("trustWei", decimal_if(trust));
    to.field("distrustWei", decimal_if(distrust));
    worth.field(to, "trustUsd", trust);
    worth.field(to, "distrustUsd", distrust);
    to.field("totalWei", decimal(total));
    worth.field(to, "totalUsd", total);
  });
}

void reply_history(call& c, const moment_list& found, const std::vector<timestamp>& when, const price_window& which) {
  const dollars worth{c.settings().eth_price_usd};
  reply_object(c, [&](json_writer& to) {
    to.array("data", [&] {
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
    });
    to.field("timeWindow", which.name);
    to.field("bucket", which.bucket);
  });
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
  c.ask(c.to().people, people::get_bundle{c.value_of(std::move(key))}, [](call& later, people::bundle_of& came) {
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
  reply_object(c, [&](json_writer& to) {
    to.field("votes", after.votes);
    if (after.order.way == direction::buy)
      to.field("costWei", decimal(after.funds));
    else
      to.field("proceedsWei", decimal(after.funds));
    encode_impact(to, after, before);
  });
}

} // namespace

void list_market_holders(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto side = c.given().choice("voteType", market::side_names);
  const auto slice = read_page(c.given());
  c.ask(c.to().markets,
        market::get_holders{id, slice, side ? std::optional{static_cast<market::vote_side>(*side)} : std::nullopt},
        [id](call& later, market::holder_page& found) {
          reply_with_users(later, holders_answer{id, std::move(found)});
        });
}

void get_market_price_history(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto& which = read_price_window(c.given());
  auto when = moments_of(which, c.now());
  auto moments = when;
  c.ask(
    c.to().market_lists, market::get_moments{id, std::move(moments)},
    [&which, when = std::move(when)](call& later, moment_list& found) { reply_history(later, found, when, which); });
}

void get_market_change(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto days = c.given().integer_or("days", 1, {limits::days_min, limits::days_max});
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
  const auto ids = c.given().required("profileIds", "(1 to 100 profile ids)", [&] {
    return c.given().integers("profileIds", {1, limits::id_max}, limits::bulk_profile_ids_max);
  });
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
  reply_object(c, [&](json_writer& to) {
    to.key("price");
    to.raw(*price);
  });
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
  auto& body = c.json_question();
  const auto id = c.path_id<market_id>("profileId");
  const bool with_change = body.boolean("includeMarketChange").value_or(false);
  const bool with_holders = body.boolean("includeTopHolders").value_or(false);
  if (const auto again = read_integer_if_any(body, "profileId", 1, limits::id_max); again && *again != id.value)
    body.issue("profileId must be that of the path, not " + std::to_string(*again));
  body.refuse_others();
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
  auto& body = c.json_question();
  auto order = read_simulated(body, direction::buy);
  order.maximum_cost = read_wei(body, "buyAmountWei");
  if (body.good() && !order.maximum_cost)
    body.issue("buyAmountWei is required: wei as a decimal string");
  read_billionths(body, "slippagePercentage"); // of an order; simulating buys nothing
  body.refuse_others();
  simulate(c, order);
}

void simulate_sale(call& c) {
  auto& body = c.json_question();
  auto order = read_simulated(body, direction::sell);
  order.votes = body.integer("sellVotes");
  if (body.good() && (!order.votes || *order.votes < 1 || *order.votes > limits::trade_votes_max))
    body.issue("sellVotes is required: from 1 to " + std::to_string(limits::trade_votes_max));
  read_billionths(body, "slippagePercentage"); // of an order; simulating buys nothing
  body.refuse_others();
  simulate(c, order);
}

namespace {

void reply_with_market(call& c, market::market_view& found) { reply_with_users(c, market_answer{std::move(found)}); }

/// One that is only tried tells what it would do.
void ask_to_trade(call& c, market::place_trade question) {
  c.ask(c.to().funds, std::move(question), &reply_with<market::trade_receipt>);
}

void ask_to_open(call& c, market::open_market question) {
  c.ask(c.to().funds, question, question.dry_run ? &reply_tried<market::market_view> : &reply_with_market);
}

void transfer(call& c, funds::flow way) {
  const bool dry_run = read_dry_run(c.given());
  auto move = c.value_of(read_transfer(c.body(), way));
  move.dry_run = dry_run;
  const auto who = move.profile;
  if_live(c, who, std::move(move), &write_by<&directory::funds>);
}

/// A page of those that a search finds first, in another order.
void get_ranked(call& c, market::search_markets question, market_order by, bool ascending) {
  question.ranked = true;
  question.busiest_first = !question.since;
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
  const bool dry_run = read_dry_run(c.given());
  auto opening = c.value_of(read_opening(c.body(), c.caller()->profile));
  opening.dry_run = dry_run;
  if_live(c, c.caller()->profile, opening, &ask_to_open);
}

void replay_open_market(call& c, const idempotency::found_record&) {
  c.ask(c.to().markets, market::get_market{market::market_of(c.caller()->profile)}, &reply_with_market);
}

void quote_trade(call& c) {
  auto order = c.value_of(read_order(c.given(), c.path_part("profileId"), c.body()));
  c.ask(c.to().markets, market::get_quote{std::move(order)}, &reply_with<market::quote>);
}

void place_trade(call& c) {
  const auto who = c.caller()->profile;
  if_live(c, who, c.value_of(read_trade(c.given(), c.path_part("profileId"), c.body(), who)), &ask_to_trade);
}

void replay_place_trade(call& c, const idempotency::found_record& done) {
  const auto market = c.path_id<market_id>("profileId");
  c.ask(c.to().funds, market::get_trade{market, c.caller()->profile, parse_integer(done.effect).value_or(0)},
        &reply_with<market::trade_receipt>);
}

void get_market(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  c.ask(c.to().markets, market::get_market{id}, &reply_with_market);
}

void list_markets(call& c) {
  auto& given = c.given();
  market::search_markets question;
  question.text = read_market_text(given, "filterQuery");
  const auto named = given.choice("orderBy", market_order_names);
  const auto by = static_cast<market_order>(named.value_or(0));
  const bool ascending = given.choice("orderDirection", direction_names) == 1u;
  if (given.text("dayRange") != "null") // as programs send it that were made from the public service's document
    if (const auto days = given.integer("dayRange", {limits::days_min, limits::days_max}))
      question.since = c.now() - std::chrono::days{*days};
  question.slice = read_page(given);
  const auto listed = question.since ? market_order::created_at : market_order::volume_total;
  if (!(question.text.empty() ? by <= listed : !named && !ascending))
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
  const auto move = c.value_of(read_transfer(c.body(), funds::flow::deposit));
  c.ask(c.to().funds, funds::get_transfer{move.profile, parse_integer(done.effect).value_or(0)},
        &reply_with<funds::transfer_receipt>);
}

} // namespace v2

} // namespace credence::http
