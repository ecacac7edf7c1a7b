#include "actors/funds/funds_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace credence::market {
namespace {

constexpr wei ether = wei_per_ether;
constexpr profile_id owner{3};
constexpr market_id its_market{3};
constexpr profile_id late{100'000}; // behind the positions that come with the market

/// A market of more holders than are read with it.
struct BigMarket : testing::Test, protected test::deterministic_world {
  BigMarket() {
    with->trading = {{{{{200, ether / 100}, ether}, {{1500, ether / 100}, ether}, {{5000, ether / 100}, ether}}},
                     {100, 100, 100}};
    storage->funds[late] = {ether * 1000, 0};
    auto& stored = storage->markets[its_market];
    stored.book = fresh_book({owner, tier::normal, with->trading.tiers[1].how, ether, test::test_now});
    stored.window.before = {test::test_now, 0, ether / 200, 0};
    auto& positions = storage->positions[its_market];
    for (std::int32_t id = 10; id < 10 + 2 * positions_at_once + 50; ++id)
      positions.push_back({profile_id{id}, 1 + id % 3, 0});
    positions.push_back({late, 7, 2});
    for (const auto& each : positions)
      stored.book->votes.trust += each.trust, stored.book->votes.distrust += each.distrust;
    stored.book->pool = ether * 1000;
    stored.positions.assign(positions.begin(), positions.begin() + positions_at_once);
  }

  ask<place_trade> trade(direction way, std::int64_t votes) {
    place_trade command{};
    command.order = {its_market, way, vote_side::trust, votes, std::nullopt};
    command.trader = late;
    return put(others.funds, std::move(command));
  }
  ask<get_holders> holders(page slice) { return put(others.markets, get_holders{its_market, slice}); }
};

TEST_F(BigMarket, AnswersBeforeAllPositionsAreRead) {
  EXPECT_TRUE(yes(put(others.markets, get_market{its_market})));
  EXPECT_TRUE(yes(put(others.markets, get_quote{{its_market, direction::buy, vote_side::trust, 5, std::nullopt}})));
  EXPECT_EQ(storage->positions_loads, 0);
}

TEST_F(BigMarket, ReadsThePositionOfWhoTradesAlone) {
  EXPECT_EQ(no(trade(direction::sell, 8)), refusal_code::insufficient_votes);
  EXPECT_EQ(storage->position_loads, 1);
  const auto sold = trade(direction::sell, 3);
  ASSERT_TRUE(yes(after(write_result::stored, sold)));
  EXPECT_EQ(yes(sold)->held, 4);
  const auto bought = trade(direction::buy, 5);
  ASSERT_TRUE(yes(after(write_result::stored, bought)));
  EXPECT_EQ(yes(bought)->held, 9);
  EXPECT_EQ(storage->position_loads, 1) << "it is known from then on";
  EXPECT_EQ(storage->positions_loads, 0);
}

TEST_F(BigMarket, ReadsHoldersInPartsAndNamesThoseOfThePage) {
  const auto first = holders({10, 0});
  ASSERT_TRUE(yes(first));
  EXPECT_EQ(storage->positions_loads, 2) << "the first part came with the market";
  EXPECT_EQ(yes(first)->total, 2 * positions_at_once + 50 + 2) << "of both sides";
  EXPECT_EQ(yes(first)->values.front().who, late);
  EXPECT_EQ(storage->accounts_asked, 10u);
  const auto again = holders({10, 0});
  EXPECT_EQ(yes(again)->values.size(), 10u);
  EXPECT_EQ(storage->accounts_asked, 10u) << "who has been named is known for a while";
  const auto last = holders({10, 2 * positions_at_once + 50});
  EXPECT_EQ(yes(last)->values.size(), 2u);
  const auto past = holders({10, 2 * positions_at_once + 52});
  EXPECT_TRUE(yes(past)->values.empty());
  EXPECT_EQ(storage->positions_loads, 2);
  const auto bought = trade(direction::buy, 5);
  ASSERT_TRUE(yes(after(write_result::stored, bought)));
  EXPECT_EQ(yes(holders({1, 0}))->values.front().votes, 12);
}

TEST_F(BigMarket, GoesOnReadingWhereItFailed) {
  EXPECT_TRUE(yes(put(others.markets, get_market{its_market})));
  storage->loads_fail = true;
  EXPECT_EQ(trouble(holders({10, 0})), failure::unavailable);
  storage->loads_fail = false;
  EXPECT_TRUE(yes(holders({10, 0})));
  EXPECT_EQ(storage->positions_loads, 2);
}

/// A market on which a trader holds seven votes, and which an admin freezes.
struct FrozenMarket : testing::Test, protected test::deterministic_world {
  FrozenMarket() {
    with->trading = {{{{{200, ether / 100}, ether}, {{1500, ether / 100}, ether}, {{5000, ether / 100}, ether}}},
                     {100, 100, 100}};
    storage->funds[trader] = {ether * 1000, 0};
    auto& stored = storage->markets[its_market];
    stored.book = fresh_book({owner, tier::normal, with->trading.tiers[1].how, ether, test::test_now});
    stored.book->votes.trust += 7;
    stored.book->pool = ether;
    stored.positions = {{trader, 7, 0}};
    stored.window.before = {test::test_now, 0, ether / 200, 0};
  }

  ask<set_market_frozen> set_frozen(bool frozen, market_id which = its_market) {
    return put(others.markets, set_market_frozen{which, frozen});
  }
  ask<place_trade> trade(direction way, bool dry_run = false) {
    place_trade command{};
    command.order = {its_market, way, vote_side::trust, 1, std::nullopt};
    command.trader = trader;
    command.dry_run = dry_run;
    return put(others.funds, std::move(command));
  }
  ask<get_quote> quote_of_one() {
    return put(others.markets, get_quote{{its_market, direction::buy, vote_side::trust, 1, std::nullopt}});
  }
  /// The freeze is stored.
  void freeze() {
    const auto asked = set_frozen(true);
    ASSERT_TRUE(yes(after(write_result::stored, asked)));
    storage->markets[its_market].book->frozen = true;
  }

  static constexpr profile_id trader{1};
};

TEST_F(FrozenMarket, RefusesTradesDryRunsAndQuotesAndCanBeRead) {
  ASSERT_NO_FATAL_FAILURE(freeze());
  EXPECT_EQ(no(trade(direction::buy)), refusal_code::market_frozen);
  EXPECT_EQ(no(trade(direction::sell)), refusal_code::market_frozen);
  EXPECT_EQ(no(trade(direction::buy, true)), refusal_code::market_frozen);
  EXPECT_EQ(no(quote_of_one()), refusal_code::market_frozen);
  const auto shown = put(others.markets, get_market{its_market});
  ASSERT_TRUE(yes(shown));
  EXPECT_TRUE(yes(shown)->frozen);
  EXPECT_EQ(yes(shown)->votes.trust, 8);
  const auto holders = put(others.markets, get_holders{its_market, {10, 0}});
  ASSERT_TRUE(yes(holders));
  EXPECT_EQ(yes(holders)->values.front().votes, 7);
  EXPECT_EQ(yes(put(others.funds, funds::get_funds{trader}))->available, ether * 1000) << "no money stays set aside";
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(FrozenMarket, TradesAgainOnceItGoesOn) {
  ASSERT_NO_FATAL_FAILURE(freeze());
  const auto goes_on = set_frozen(false);
  EXPECT_TRUE(open_still(goes_on));
  ASSERT_TRUE(yes(after(write_result::stored, goes_on)));
  EXPECT_FALSE(yes(goes_on)->frozen);
  EXPECT_TRUE(yes(quote_of_one()));
  const auto sold = trade(direction::sell);
  ASSERT_TRUE(yes(after(write_result::stored, sold)));
  EXPECT_EQ(yes(sold)->held, 6);
}

TEST_F(FrozenMarket, IsSaidToBeOneOnceThatIsStored) {
  const auto frozen = set_frozen(true);
  const auto same = set_frozen(true);
  const auto refused = trade(direction::buy);
  EXPECT_TRUE(open_still(frozen));
  EXPECT_TRUE(open_still(same)) << "the first one is not on disk yet";
  EXPECT_TRUE(open_still(refused)) << "nor is what it is refused for";
  EXPECT_TRUE(yes(quote_of_one())) << "what is shown is committed";
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_TRUE(get<market_frozen_set>(storage->written.front().change).frozen);
  EXPECT_TRUE(yes(after(write_result::stored, frozen)));
  EXPECT_TRUE(yes(same));
  EXPECT_EQ(no(refused), refusal_code::market_frozen);
  EXPECT_TRUE(yes(set_frozen(true))) << "it is so already";
  EXPECT_TRUE(storage->written.empty()) << "so nothing is written";
}

TEST_F(FrozenMarket, StaysFrozenWhenItsActorIsLost) {
  const auto asked = set_frozen(true);
  const auto sent = storage->written.front();
  ASSERT_TRUE(yes(after(write_result::stored, asked)));
  storage->markets[its_market].book->frozen = true;
  kill_sender(sent);
  EXPECT_EQ(no(trade(direction::buy)), refusal_code::market_frozen);
  EXPECT_EQ(no(quote_of_one()), refusal_code::market_frozen);
  const auto goes_on = set_frozen(false);
  ASSERT_TRUE(yes(after(write_result::stored, goes_on)));
  const auto bought = trade(direction::buy);
  EXPECT_TRUE(yes(after(write_result::stored, bought)));
}

TEST_F(FrozenMarket, IsNoneWhenTheFreezeIsNotWritten) {
  const auto frozen = set_frozen(true);
  const auto refused = trade(direction::buy);
  EXPECT_EQ(trouble(after(write_result::not_written, frozen)), failure::unavailable);
  EXPECT_EQ(trouble(refused), failure::unavailable) << "it rested on the freeze";
  const auto bought = trade(direction::buy);
  EXPECT_TRUE(yes(after(write_result::stored, bought)));
}

TEST_F(FrozenMarket, IsThereOnlyWhereThereIsAMarketOfTheApi) {
  EXPECT_EQ(no(set_frozen(true, market_id{7})), refusal_code::not_found);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(FrozenMarket, IsNoneOfAChain) {
  with->followed.add(chain::record_kind::market);
  EXPECT_EQ(no(set_frozen(true)), refusal_code::followed_from_chain);
  EXPECT_TRUE(storage->written.empty());
}

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
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{10})));
  send(others.market_lists.to(), trades_in_doubt{market_id{1}});
  run();
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{10})));
  EXPECT_TRUE(yes(put(others.market_lists, get_xp_board{10})));
}

steady_time board_time{};

struct BoardsOfAChain : MarketBoards {
  BoardsOfAChain() {
    board_time = std::chrono::steady_clock::now();
    steady_clock::in_place = [] { return board_time; };
    with->followed.add(chain::record_kind::market);
    for (unsigned char i = 1; i <= 3; ++i) {
      address account;
      account.bytes[19] = std::byte{i};
      storage->mirrored_profits.push_back({{}, account, 100 - i});
    }
    open();
  }
  ~BoardsOfAChain() override { steady_clock::in_place = nullptr; }
  auto ask_for(std::int32_t most) { return put(others.market_lists, get_profit_board{most}); }
};

TEST_F(BoardsOfAChain, AreReadOnceForAllWhoWaitAndSeldomWhereThatTakesLong) {
  storage->mirrored_profits_wait = true;
  const auto first = ask_for(2), second = ask_for(1), third = ask_for(100);
  EXPECT_EQ(storage->mirrored_profits_asked, 1);
  board_time += std::chrono::seconds{2};
  answer_held();
  ASSERT_TRUE(yes(first) && yes(second) && yes(third));
  EXPECT_EQ(yes(first)->size(), 2u);
  EXPECT_EQ(yes(second)->size(), 1u);
  EXPECT_EQ(yes(second)->front().amount, 99);
  EXPECT_EQ(yes(third)->size(), 3u);
  EXPECT_EQ(first.get()->database_time(), std::chrono::seconds{2}) << "who had it read pays for it";
  EXPECT_TRUE(yes(ask_for(3)));
  EXPECT_EQ(storage->mirrored_profits_asked, 1) << "it took two seconds, so it is kept for forty";
  board_time += std::chrono::seconds{41};
  const auto later = ask_for(3);
  EXPECT_TRUE(open_still(later));
  EXPECT_EQ(storage->mirrored_profits_asked, 2);
}

TEST_F(BoardsOfAChain, AreReadAnewForEachWhoAsksWhereThatIsQuick) {
  EXPECT_TRUE(yes(ask_for(3)));
  storage->mirrored_profits.pop_back();
  const auto again = ask_for(3);
  ASSERT_TRUE(yes(again));
  EXPECT_EQ(yes(again)->size(), 2u);
  storage->loads_fail = true;
  EXPECT_EQ(trouble(ask_for(3)), failure::unavailable);
  EXPECT_EQ(trouble(ask_for(3)), failure::unavailable);
  EXPECT_EQ(storage->mirrored_profits_asked, 3) << "what has just failed is not tried at once";
  storage->loads_fail = false;
  board_time += std::chrono::seconds{2};
  EXPECT_TRUE(yes(ask_for(3)));
}

TEST_F(MarketBoards, AreReadInPartsThatStayThoughALaterOneFails) {
  for (std::int32_t id = 1; id <= board_rows_at_once + 7; ++id) {
    storage->boards.traders.push_back({profile_id{id}, wei{1'000'000}, wei{static_cast<std::uint64_t>(id)}});
    storage->boards.xp.push_back({profile_id{id}, id});
  }
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

struct MarketSearch : testing::Test, protected test::deterministic_world {
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

TEST_F(MarketSearch, OfWhoAsksForAHundredIsOvertakenByWhoAsksForOne) {
  open();
  storage->names = {{{one(1, "ann")}, "first"}, {{}, "second"}}; // and then they cannot be read
  std::vector<ask<search_markets>> many;
  const auto ask_as = [&](std::uint64_t who) {
    ask<search_markets> question{search_markets{"ann", {}}, sink, steady_clock::now() + std::chrono::seconds{100}};
    question.get()->speak_for({asker_rank::anonymous, who});
    send(others.market_lists.to(), question);
    return question;
  };
  for (int i = 0; i < 100; ++i)
    many.push_back(ask_as(1));
  const auto other = ask_as(2);
  run();
  EXPECT_TRUE(yes(other)) << "it is among the sixteen behind the first one";
  EXPECT_EQ(std::count_if(many.begin(), many.end(), [](const auto& each) { return yes(each) != nullptr; }), 16);
  EXPECT_EQ(
    std::count_if(many.begin(), many.end(), [](const auto& each) { return trouble(each) == failure::too_many; }), 35)
    << "64 wait behind the one that is served";
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
