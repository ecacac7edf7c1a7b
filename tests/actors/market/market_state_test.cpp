#include "actors/market/market_state.hpp"
#include "tests/actors/market/read_board.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace credence::market {
namespace one_market {

inline constexpr profile_id owner{1};
inline constexpr market_id its_market{1};
inline constexpr fees rates{100, 100, 100};
inline const timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
inline constexpr wei ether = wei_per_ether;
inline const wei plenty = ether * 1'000'000;

inline market_opened opening(std::int64_t liquidity = 1500) {
  return {owner, tier::normal, {liquidity, ether / 100}, ether / 10, start};
}

inline market_state fresh(std::int64_t liquidity = 1500) {
  const auto opened = opening(liquidity);
  const auto price = lmsr_point::at(opened.how, {}).value().trust_price();
  return {its_market, fresh_book(opened), {}, {{start, 0, price, 0}, {}, true, 0}};
}

inline place_trade buying(profile_id who, vote_side side, std::int64_t votes) {
  return {.order = {its_market, direction::buy, side, votes, std::nullopt},
          .trader = who,
          .minimum_proceeds = {},
          .expected_sequence = {},
          .deadline = {}};
}
inline place_trade selling(profile_id who, vote_side side, std::int64_t votes) {
  auto out = buying(who, side, votes);
  out.order.way = direction::sell;
  return out;
}

/// Decides, applies and commits.
inline traded done(market_state& at, const place_trade& trade, timestamp now = start) {
  const auto change = at.decide(trade, plenty, rates, now);
  EXPECT_TRUE(change) << (change ? "" : change.why().detail);
  at.apply(*change);
  at.commit(*change);
  return *change;
}

inline std::vector<holder> holders_of(market_state& at) { return at.holders().page_of({10'000, 0}).values; }

inline refusal_code refused(const market_state& at, const place_trade& trade, const wei& funds = plenty) {
  const auto change = at.decide(trade, funds, rates, start);
  EXPECT_FALSE(change);
  return change ? refusal_code{} : change.why().code;
}

} // namespace one_market
namespace {

using namespace one_market;

TEST(MarketState, ChargesFeesOnTopAndTakesThemFromProceeds) {
  auto market = fresh();
  const auto bought = done(market, buying(profile_id{2}, vote_side::trust, 1000));
  EXPECT_EQ(bought.protocol_fee, bought.cost / 100);
  EXPECT_EQ(bought.donation, bought.cost / 100);
  EXPECT_EQ(bought.funds(), bought.cost + bought.protocol_fee + bought.donation);
  EXPECT_EQ(decimal(market.view({}).trust_price), "6607563687658171") << "the public sample of 1001 and 1 votes";
  const auto sold = done(market, selling(profile_id{2}, vote_side::trust, 1000));
  EXPECT_EQ(sold.cost, bought.cost);
  EXPECT_EQ(sold.donation, 0);
  EXPECT_EQ(sold.funds(), sold.cost - sold.cost / 100);
  EXPECT_EQ(market.view({}).market_cap, wei_change{bought.funds()} - wei_change{sold.funds()});
  EXPECT_EQ(market.view({}).volume_total, bought.funds() + sold.funds());
}

TEST(MarketState, BuysAsManyAsTheMoneyPaysFor) {
  auto market = fresh();
  auto purchase = buying(profile_id{2}, vote_side::distrust, 0);
  purchase.order.votes.reset();
  purchase.order.maximum_cost = ether / 2;
  const auto most = test::there(market.decide(purchase, plenty, rates, start));
  EXPECT_LE(most->funds(), ether / 2);
  const auto one_more =
    market.decide(buying(profile_id{2}, vote_side::distrust, most->votes + 1), plenty, rates, start);
  EXPECT_GT(one_more->funds(), ether / 2);
  EXPECT_LT(market.decide(purchase, ether / 4, rates, start)->votes, most->votes) << "no more than the wallet has";
  purchase.order.maximum_cost = 1;
  EXPECT_EQ(refused(market, purchase), refusal_code::trade_too_small);
}

TEST(MarketState, HoldsTheGuards) {
  auto market = fresh();
  done(market, buying(profile_id{2}, vote_side::trust, 10));
  EXPECT_EQ(refused(market, buying(profile_id{3}, vote_side::trust, 10), 5), refusal_code::insufficient_funds);
  EXPECT_EQ(refused(market, selling(profile_id{3}, vote_side::trust, 1)), refusal_code::insufficient_votes);
  EXPECT_EQ(refused(market, selling(profile_id{2}, vote_side::trust, 11)), refusal_code::insufficient_votes);
  EXPECT_EQ(refused(market, selling(profile_id{2}, vote_side::distrust, 1)), refusal_code::insufficient_votes);
  EXPECT_EQ(refused(market, buying(profile_id{2}, vote_side::trust, 133 * 1500)), refusal_code::market_limit_reached);
  auto late = buying(profile_id{2}, vote_side::trust, 1);
  late.deadline = start - std::chrono::seconds{1};
  EXPECT_EQ(refused(market, late), refusal_code::deadline_passed);
  auto other = buying(profile_id{2}, vote_side::trust, 1);
  other.expected_sequence = 0;
  EXPECT_EQ(refused(market, other), refusal_code::sequence_mismatch);
  auto dear = buying(profile_id{2}, vote_side::trust, 1);
  dear.order.maximum_cost = 1000;
  EXPECT_EQ(refused(market, dear), refusal_code::slippage_exceeded);
  auto cheap = selling(profile_id{2}, vote_side::trust, 1);
  cheap.minimum_proceeds = ether;
  EXPECT_EQ(refused(market, cheap), refusal_code::slippage_exceeded);
}

TEST(MarketState, ShowsOnlyWhatIsCommittedAndTakesTheRestBack) {
  auto market = fresh();
  const auto first = market.decide(buying(profile_id{2}, vote_side::trust, 5), plenty, rates, start);
  market.apply(*first);
  EXPECT_EQ(market.view({}).votes.trust, 1);
  EXPECT_TRUE(holders_of(market).empty());
  const auto second = market.decide(buying(profile_id{2}, vote_side::trust, 5), plenty, rates, start);
  EXPECT_EQ(second->number, 2) << "builds on the one before";
  EXPECT_GT(second->cost, first->cost);
  market.commit(*first);
  EXPECT_EQ(market.view({}).votes.trust, 6);
  market.apply(*second);
  market.take_back();
  EXPECT_EQ(market.decide(buying(profile_id{2}, vote_side::trust, 5), plenty, rates, start)->cost, second->cost);
  EXPECT_EQ(refused(market, selling(profile_id{2}, vote_side::trust, 6)), refusal_code::insufficient_votes);
}

TEST(MarketState, LooksBackExactlyADay) {
  using namespace std::chrono_literals;
  auto market = fresh();
  const auto first = done(market, buying(profile_id{2}, vote_side::trust, 500), start + 1h);
  const auto second = done(market, buying(profile_id{2}, vote_side::trust, 500), start + 2h);
  ASSERT_TRUE(market.look_back(start + 25h - 1us));
  EXPECT_EQ(market.view({}).volume_24h, first.funds() + second.funds());
  ASSERT_TRUE(market.look_back(start + 25h));
  EXPECT_EQ(market.view({}).volume_24h, second.funds());
  EXPECT_EQ(market.view({}).cap_change_24h, wei_change{second.funds()});
  EXPECT_EQ(market.view({}).cap_change_percent_24h, percent_change(first.funds(), first.funds() + second.funds()));
  EXPECT_EQ(market.view({}).price_change_24h, percent_change(first.trust_price_after, second.trust_price_after));
  ASSERT_TRUE(market.look_back(start + 26h));
  EXPECT_EQ(market.view({}).volume_24h, 0);
  EXPECT_EQ(market.view({}).price_change_24h, 0);
  EXPECT_EQ(market.view({}).cap_change_24h, 0);
}

TEST(MarketState, HasToReadTheDayAgainWhenTheClockRanAhead) {
  using namespace std::chrono_literals;
  auto market = fresh();
  const auto first = done(market, buying(profile_id{2}, vote_side::trust, 500), start + 1h);
  ASSERT_TRUE(market.look_back(start + 24h * 8));
  EXPECT_EQ(market.view({}).volume_24h, 0);
  EXPECT_FALSE(market.look_back(start + 2h)) << "what was let out is within the day";
  market.look_back({{start, 0, first.trust_price_after, 0},
                    {{first.at, first.volume_after, first.trust_price_after, first.bought_after}},
                    true,
                    1},
                   start + 2h);
  EXPECT_TRUE(market.look_back(start + 2h));
  EXPECT_EQ(market.view({}).volume_24h, first.funds());
}

TEST(MarketState, CountsWhatSalesTookOutOfTheDay) {
  using namespace std::chrono_literals;
  auto market = fresh();
  const auto bought = done(market, buying(profile_id{2}, vote_side::trust, 500), start);
  const auto sold = done(market, selling(profile_id{2}, vote_side::trust, 200), start + 1h);
  ASSERT_TRUE(market.look_back(start + 24h));
  EXPECT_EQ(market.view({}).cap_change_24h, -wei_change{sold.funds()});
  EXPECT_LT(market.view({}).cap_change_percent_24h, 0);
  EXPECT_EQ(sold.bought_after, bought.funds());
}

TEST(MarketState, NobodyGetsVotesForNothing) {
  auto market = fresh(7);
  done(market, buying(profile_id{2}, vote_side::distrust, 133 * 7 - 1));
  const auto one = done(market, buying(profile_id{3}, vote_side::trust, 1));
  EXPECT_EQ(one.cost, 1) << "by the curve it costs less than any wei";
  EXPECT_EQ(one.funds(), 1);
  EXPECT_EQ(refused(market, buying(profile_id{3}, vote_side::trust, 1), 0), refusal_code::insufficient_funds);
  auto purchase = buying(profile_id{3}, vote_side::trust, 0);
  purchase.order.votes.reset();
  purchase.order.maximum_cost = 0;
  EXPECT_EQ(refused(market, purchase), refusal_code::trade_too_small);
  purchase.order.maximum_cost = 1;
  const auto most = test::there(market.decide(purchase, plenty, rates, start));
  EXPECT_EQ(most->funds(), 1);
  EXPECT_EQ(done(market, selling(profile_id{3}, vote_side::trust, 1)).cost, 0) << "and brings nothing";
}

/// More holders than are read with a market: those who trade are read when they do.
TEST(MarketState, KnowsWhomItHasReadAndLearnsTheOthers) {
  std::vector<position> first;
  for (std::int32_t id = 2; id < 2 + positions_at_once; ++id)
    first.push_back({profile_id{id}, 1, 0});
  auto book = fresh_book(opening());
  const profile_id later{100'000};
  book.votes.trust = 1 + positions_at_once + 7;
  book.trades = positions_at_once + 1;
  market_state market{its_market, book, first, {{start, 0, 0, 0}, {}, true, 0}};
  EXPECT_TRUE(market.knows(profile_id{2}));
  ASSERT_FALSE(market.knows(later));
  EXPECT_FALSE(market.holders().complete());
  market.learn({later, 7, 0});
  ASSERT_TRUE(market.knows(later));
  EXPECT_EQ(refused(market, selling(later, vote_side::trust, 8)), refusal_code::insufficient_votes);
  const auto first_sale = market.decide(selling(later, vote_side::trust, 5), plenty, rates, start);
  market.apply(*first_sale);
  market.learn({later, 7, 0}); // two of its trades came before it was known
  EXPECT_EQ(refused(market, selling(later, vote_side::trust, 3)), refusal_code::insufficient_votes);
  market.commit(*first_sale);
  market.holders().add({{{later, 2, 0}}, book.trades + 1}, true);
  EXPECT_EQ(market.holders().page_of({1, 0}).values.front().votes, 2) << "the sale is in what was read";
  EXPECT_EQ(market.holders().page_of({1, 0}).total, positions_at_once + 1);
}

TEST(MarketState, TradesDuringALoadAreNotLostFromTheDay) {
  using namespace std::chrono_literals;
  auto market = fresh();
  const auto first = done(market, buying(profile_id{2}, vote_side::trust, 5), start + 1h);
  const stored_window read_then{{start, 0, first.trust_price_after, 0},
                                {{first.at, first.volume_after, first.trust_price_after, first.bought_after}},
                                true,
                                1};
  const auto second = done(market, buying(profile_id{2}, vote_side::trust, 5), start + 2h);
  market.look_back(read_then, start + 2h);
  EXPECT_EQ(market.view({}).volume_24h, first.funds() + second.funds());
  EXPECT_FALSE(market.look_back(start + 25h)) << "the second one is not in what was read: it has to be read again";
}

TEST(MarketState, RoundsPercentHalfAwayFromZero) {
  EXPECT_EQ(percent_change(1000, 1005), 1);
  EXPECT_EQ(percent_change(1000, 1004), 0);
  EXPECT_EQ(percent_change(1000, 995), -1);
  EXPECT_EQ(percent_change(1000, 996), 0);
  EXPECT_EQ(percent_change(1000, 3000), 200);
  EXPECT_EQ(percent_change(1, ether), 2147483647) << "as much as fits";
  EXPECT_EQ(percent_change(ether, 1), -100);
  EXPECT_EQ(percent_change(0, ether), 0);
}

/// Whatever is done, every wei is in a pocket, the pool, a fee or the locked creation cost,
/// positions are the sums of trades, and everybody can sell out.
TEST(MarketState, StaysSolventAndConservesMoney) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random{seed};
  for (const std::int64_t liquidity : {7, 200, 1500}) {
    auto market = fresh(liquidity);
    auto board = read_board({{its_market, 0, 0}});
    global_seq number = 0;
    wei_change pool = 0;
    wei drawn = 0;
    std::map<std::pair<std::int32_t, vote_side>, std::int64_t> held;
    std::map<std::int32_t, wei_change> cash;
    const auto note = [&](const traded& trade) {
      const bool buys = trade.way == direction::buy;
      pool = buys ? wei_change{pool + wei_change{trade.cost}}
                  : wei_change{pool - wei_change{trade.cost} + wei_change{trade.drawn}};
      drawn += trade.drawn;
      ASSERT_GE(pool, 0);
      held[{trade.trader.value, trade.side}] += buys ? trade.votes : -trade.votes;
      cash[trade.trader.value] += buys ? wei_change{-wei_change{trade.funds()}} : wei_change{trade.funds()};
      board.take(trade, ++number, false);
    };
    for (int i = 0; i < 2000; ++i) {
      const profile_id who{static_cast<std::int32_t>(2 + random() % 5)};
      const auto side = random() % 2 ? vote_side::trust : vote_side::distrust;
      const auto has = held[{who.value, side}];
      const bool sells = has > 0 && random() % 2;
      const auto votes = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(sells ? has : liquidity));
      const auto change =
        market.decide(sells ? selling(who, side, votes) : buying(who, side, votes), plenty, rates, start);
      if (!change)
        continue; // past the market's bound
      market.apply(*change);
      market.commit(*change);
      note(*change);
    }
    for (const auto& each : holders_of(market))
      EXPECT_EQ(each.votes, (held[{each.who.value, each.side}]));
    const auto view = market.view({});
    board.begin();
    while (!board.work(3)) {
    }
    for (const auto& row : board.top()) {
      const auto worth = view.trust_price * held[{row.who.value, vote_side::trust}]
                         + view.distrust_price * held[{row.who.value, vote_side::distrust}];
      EXPECT_EQ(row.amount, cash[row.who.value] + wei_change{wei{worth}}) << "the board is what is worked out anew";
    }
    auto holders = holders_of(market);
    std::shuffle(holders.begin(), holders.end(), random);
    for (const auto& each : holders)
      note(done(market, selling(each.who, each.side, each.votes)));
    EXPECT_EQ(market.view({}).votes, (vote_counts{1, 1}));
    EXPECT_LE(drawn, 2100) << "less than a wei a trade";
    EXPECT_LE(pool, 2100);
  }
}

/// A page of any depth costs what it carries: no walk, and in the order of a sort.
TEST(HolderList, KeepsTheOrderWhilePartsComeAndTradesHappen) {
  std::mt19937_64 random{7}; // NOLINT: the same every time
  for (int round = 0; round < 50; ++round) {
    std::map<std::int32_t, vote_counts> stored; // all committed
    holder_list holders;
    std::int64_t number = 0;
    std::size_t told = 0;
    std::vector<traded> trades;
    const auto trade = [&] {
      const auto who = static_cast<std::int32_t>(2 + random() % 30);
      auto& has = stored.try_emplace(who, vote_counts{0, 0}).first->second;
      const auto side = random() % 2 ? vote_side::trust : vote_side::distrust;
      auto& held = side == vote_side::trust ? has.trust : has.distrust;
      const bool sells = held > 0 && random() % 2;
      traded made;
      made.trader = profile_id{who};
      made.number = ++number;
      made.side = side;
      made.way = sells ? direction::sell : direction::buy;
      made.votes = sells ? held : static_cast<std::int64_t>(1 + random() % 5);
      held += sells ? -made.votes : made.votes;
      trades.push_back(made);
    };
    constexpr std::size_t part_size = 4;
    while (!holders.complete() || told < trades.size()) {
      if (trades.size() < 200 && random() % 2)
        trade();
      // A part is asked for when all that was told is committed; what is committed meanwhile may be in it.
      if (!holders.complete() && random() % 3 == 0) {
        stored_positions part{{}, number};
        const auto after = holders.after().value;
        for (const auto& [who, votes] : stored)
          if (who > after && part.positions.size() < part_size)
            part.positions.push_back({profile_id{who}, votes.trust, votes.distrust});
        for (auto late = random() % 3; late > 0; --late) { // while it is on its way
          trade();
          if (told < trades.size() && random() % 2)
            holders.take(trades[told++]);
        }
        holders.add(part, part.positions.size() < part_size);
      }
      if (told < trades.size() && random() % 2)
        holders.take(trades[told++]);
    }
    std::vector<std::tuple<std::int64_t, std::int32_t, vote_side>> expected;
    for (const auto& [who, votes] : stored)
      for (const auto side : {vote_side::trust, vote_side::distrust})
        if (const auto held = side == vote_side::trust ? votes.trust : votes.distrust; held > 0)
          expected.emplace_back(-held, who, side);
    std::sort(expected.begin(), expected.end());
    const auto all = holders.page_of({1000, 0});
    ASSERT_EQ(all.total, static_cast<std::int64_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ((std::tuple{-all.values[i].votes, all.values[i].who.value, all.values[i].side}), expected[i]);
      const auto deep = holders.page_of({1, static_cast<std::int32_t>(i)});
      ASSERT_EQ(deep.values.at(0).who.value, std::get<1>(expected[i]));
    }
    EXPECT_TRUE(holders.page_of({10, static_cast<std::int32_t>(expected.size())}).values.empty());
  }
}

TEST(MarketState, AFrozenMarketTakesNoTradesUntilItGoesOn) {
  auto market = fresh();
  done(market, buying(profile_id{2}, vote_side::trust, 10));
  const get_quote question{{its_market, direction::buy, vote_side::trust, 5, std::nullopt}};
  auto tried = buying(profile_id{2}, vote_side::trust, 1);
  tried.dry_run = true;
  const auto freeze = test::there(market.decide(set_market_frozen{its_market, true}, start));
  market.apply(*freeze);
  EXPECT_EQ(refused(market, buying(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen)
    << "trades build on what is not committed";
  EXPECT_TRUE(market.decide(question, rates)) << "what is shown is committed";
  EXPECT_TRUE(market.decide(tried, plenty, rates, start));
  EXPECT_FALSE(market.view({}).frozen);
  EXPECT_FALSE(market.decide(set_market_frozen{its_market, true}, start)) << "it is so already";
  market.commit(*freeze);
  EXPECT_TRUE(market.view({}).frozen);
  EXPECT_EQ(market.decide(question, rates).why().code, refusal_code::market_frozen);
  EXPECT_EQ(refused(market, tried), refusal_code::market_frozen);
  EXPECT_EQ(refused(market, selling(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen);
  EXPECT_EQ(market.view({}).votes.trust, 11);
  EXPECT_EQ(holders_of(market).front().votes, 10);
  const auto end = test::there(market.decide(set_market_frozen{its_market, false}, start));
  market.apply(*end);
  market.commit(*end);
  EXPECT_TRUE(market.decide(question, rates));
  EXPECT_EQ(done(market, selling(profile_id{2}, vote_side::trust, 10)).number, 2);
}

TEST(MarketState, AFreezeIsTakenBackWithTheTradesBeforeIt) {
  auto market = fresh();
  const auto trade = market.decide(buying(profile_id{2}, vote_side::trust, 5), plenty, rates, start);
  market.apply(*trade);
  market.apply(*market.decide(set_market_frozen{its_market, true}, start));
  market.take_back();
  EXPECT_EQ(done(market, buying(profile_id{2}, vote_side::trust, 5)).number, 1);
  EXPECT_TRUE(market.decide(set_market_frozen{its_market, true}, start)) << "it is not frozen";
}

TEST(MarketState, IsFrozenAsItIsStored) {
  auto book = fresh_book(opening());
  book.frozen = true;
  const market_state market{its_market, book, {}, {{start, 0, 0, 0}, {}, true, 0}};
  EXPECT_TRUE(market.view({}).frozen);
  EXPECT_EQ(refused(market, buying(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen);
}

} // namespace
} // namespace credence::market
