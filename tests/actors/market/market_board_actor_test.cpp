#include "actors/market/market_board_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::market {
namespace {

class MarketBoards : public testing::Test, protected test::deterministic_world {};

TEST_F(MarketBoards, ThatCannotBeReadAreRefusedAtOnce) {
  open();
  storage->loads_fail = true;
  for (int i = 0; i < 2; ++i) { // also before it is tried again: nobody waits for what nobody reads
    EXPECT_EQ(trouble(put(others.market_lists, get_profit_board{10})), failure::unavailable);
    EXPECT_EQ(trouble(put(others.market_lists, get_xp_board{10})), failure::unavailable);
  }
}

TEST_F(MarketBoards, AreReadAgainAtOnceWhenAMarketWasLost) {
  open();
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{10})));
  send(others.market_lists.to(), trades_in_doubt{market_id{1}});
  run();
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{10})));
  EXPECT_TRUE(yes(put(others.market_lists, get_xp_board{10})));
}

TEST_F(MarketBoards, AreReadInPartsThatStayThoughALaterOneFails) {
  for (std::int32_t id = 1; id <= board_rows_at_once + 7; ++id) {
    storage->boards.traders.push_back({profile_id{id}, wei{1'000'000}, wei{static_cast<std::uint64_t>(id)}});
    storage->boards.xp.push_back({profile_id{id}, id});
  }
  open();
  const auto pending = put(others.market_lists, get_profit_board{3});
  ASSERT_TRUE(yes(pending));
  ASSERT_EQ(yes(pending)->size(), 3u);
  EXPECT_EQ(yes(pending)->front().who, profile_id{board_rows_at_once + 7});
  EXPECT_EQ(storage->boards_asked.size(), 4u) << "prices, positions, and traders in two parts";
  EXPECT_EQ(storage->boards_asked.back().after_who, profile_id{board_rows_at_once});
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{3})));
  EXPECT_EQ(storage->boards_asked.size(), 4u) << "once";
  const auto points = put(others.market_lists, get_xp_board{3});
  ASSERT_TRUE(yes(points));
  EXPECT_EQ(yes(points)->front().amount, board_rows_at_once + 7);
  EXPECT_EQ(storage->boards_asked.size(), 6u);
}

TEST_F(MarketBoards, CountATradeOnce) {
  storage->boards.prices = {{market_id{1}, 5, 5}};
  storage->boards.shares = {{market_id{1}, profile_id{2}, 10, 0}};
  storage->boards.traders = {{profile_id{2}, 40, 0}};
  storage->boards.as_of = 7;
  open();
  const auto profit = [&] {
    const auto pending = put(others.market_lists, get_profit_board{3});
    return yes(pending) ? yes(pending)->front().amount : wei_change{-1};
  };
  EXPECT_EQ(profit(), 10);
  traded trade;
  trade.market = market_id{1};
  trade.trader = profile_id{2};
  trade.votes = 1;
  trade.cost = 5;
  trade.trust_price_after = 6;
  send(others.market_lists.to(), trade_happened{trade, 7}); // it is in what was read
  run();
  EXPECT_EQ(profit(), 10);
  send(others.market_lists.to(), trade_happened{trade, 8});
  run();
  EXPECT_EQ(profit(), 11 * 6 - 45);
}

class MarketSearch : public testing::Test, protected test::deterministic_world {
protected:
  static named_market one(int id, std::string name) {
    return {market_id{id}, timestamp{std::chrono::hours{id}}, {}, {std::move(name)}, {}};
  }
  market_page find(std::string text) {
    const auto pending = put(others.market_lists, search_markets{std::move(text), {}});
    const auto* found = yes(pending);
    return found ? *found : market_page{{}, -1, {}};
  }
  static std::vector<int> ids(const market_page& of) {
    std::vector<int> out;
    for (const auto& each : of.values)
      out.push_back(each.id.value);
    return out;
  }
  using those = std::vector<int>;
};

TEST_F(MarketSearch, ReadsWhatChangedBeforeEveryAnswer) {
  open();
  storage->names = {
    {{one(1, "ann"), one(2, "bob")}, "first"}, {{one(1, "bob"), one(3, "bobby")}, "second"}, {{}, "third"}};
  EXPECT_EQ(ids(find("ann")), those{1});
  EXPECT_EQ(ids(find("bob")), (those{1, 2, 3}));
  EXPECT_EQ(ids(find("")), (those{3, 2, 1}));
  ASSERT_EQ(storage->names_asked.size(), 3u);
  EXPECT_EQ(storage->names_asked[0].since, "");
  EXPECT_EQ(storage->names_asked[1].since, "first");
  EXPECT_EQ(storage->names_asked[2].since, "second");
}

TEST_F(MarketSearch, ForgetsMarketsOfBlocksThatWereTakenBack) {
  open();
  storage->names = {
    {{one(1, "ann"), one(2, "ann")}, "first"}, {{}, "second", 1}, {{one(2, "ann")}, "third", 1}, {{}, "fourth", 1}};
  EXPECT_EQ(ids(find("ann")), (those{1, 2}));
  EXPECT_EQ(ids(find("ann")), those{2});
  EXPECT_EQ(storage->names_asked.back().since, "") << "all are read again";
  EXPECT_EQ(find("").total, 1);
}

TEST_F(MarketSearch, ManyNamesComeInPartsAndAreAsOldAsTheFirst) {
  open();
  stored_names part{{}, "first"};
  for (int id = 1; id <= 500; ++id)
    part.markets.push_back(one(id, "ann"));
  storage->names = {part, {{one(501, "ann")}, "later"}, {{}, "next"}};
  EXPECT_EQ(find("ann").total, 501);
  EXPECT_EQ(find("ann").total, 501);
  ASSERT_EQ(storage->names_asked.size(), 3u);
  EXPECT_EQ(storage->names_asked[1].after, market_id{500});
  EXPECT_EQ(storage->names_asked[1].since, "");
  EXPECT_EQ(storage->names_asked[2].since, "first") << "what changed while the second part was read is read again";
}

TEST_F(MarketSearch, ARankingIsReadAsOneOfManyAndAPageAsAPage) {
  open();
  storage->names = {{{one(1, "ann"), one(2, "bob")}, "first"}};
  EXPECT_EQ(ids(find("")), (those{2, 1}));
  EXPECT_EQ(storage->ranked_markets_asked, 0);
  const auto put_all = [&](bool ascending, bool ranked) {
    const auto pending = put(others.market_lists, search_markets{"", {}, false, ascending, ranked});
    const auto* found = yes(pending);
    return found ? ids(*found) : those{};
  };
  storage->names = {{{}, "second"}, {{}, "third"}};
  EXPECT_EQ(put_all(true, false), (those{1, 2}));
  EXPECT_EQ(put_all(false, true), (those{2, 1}));
  EXPECT_EQ(storage->ranked_markets_asked, 1);
}

TEST_F(MarketSearch, IsRefusedWhileNamesCannotBeReadAndGoesOnAfterwards) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(put(others.market_lists, search_markets{"ann", {}})), failure::unavailable);
  storage->loads_fail = false;
  storage->names = {{{one(1, "ann")}, "first"}};
  EXPECT_EQ(ids(find("ann")), those{1});
}

TEST_F(MarketSearch, AReadingThatFailedGoesOnAndIsFollowedByAnotherOne) {
  open();
  stored_names part{{}, "first"};
  for (int id = 1; id <= 500; ++id)
    part.markets.push_back(one(id, "ann"));
  storage->names = {part};
  EXPECT_EQ(find("ann").total, -1) << "there was no second part";
  storage->names = {{{one(501, "ann")}, "later"}, {{one(3, "bob")}, "next"}, {{}, "last"}};
  EXPECT_EQ(find("ann").total, 500);
  ASSERT_EQ(storage->names_asked.size(), 4u);
  EXPECT_EQ(storage->names_asked[2].after, market_id{500}) << "what was read is not read again";
  EXPECT_EQ(storage->names_asked[3].since, "first");
  EXPECT_EQ(ids(find("bob")), those{3});
  EXPECT_EQ(storage->names_asked.back().since, "next");
}

TEST_F(MarketSearch, RanksByTradesThatHappenMeanwhile) {
  open();
  storage->names = {{{one(1, "ann"), one(2, "ann")}, "first"}, {{}, "second"}};
  EXPECT_EQ(ids(find("ann")), (those{1, 2}));
  traded trade;
  trade.market = market_id{2};
  trade.volume_after = 5;
  send(others.market_lists.to(), trade_happened{trade, 9});
  run();
  EXPECT_EQ(ids(find("ann")), (those{2, 1}));
}

} // namespace
} // namespace credence::market
