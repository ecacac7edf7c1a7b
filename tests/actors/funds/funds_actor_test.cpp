#include "actors/funds/funds_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::funds {
namespace {

constexpr wei ether = wei_per_ether;
constexpr profile_id trader{1};
constexpr profile_id owner{3};

struct Funds : testing::Test, protected test::deterministic_world {
  Funds() {
    with->trading = {{{{{200, ether / 100}, ether}, {{1500, ether / 100}, ether}, {{5000, ether / 100}, ether}}},
                     {100, 100, 100}};
    storage->funds[trader] = {ether * 10, 0};
    const market::market_opened opened{owner, market::tier::normal, with->trading.tiers[1].how, ether, test::test_now};
    storage->markets[market::market_of(owner)].book = market::fresh_book(opened);
    storage->markets[market::market_of(owner)].window.before = {test::test_now, 0, ether / 200, 0};
  }

  ask<market::place_trade> buy(std::int64_t votes, std::optional<wei> most = std::nullopt) {
    market::place_trade command{};
    command.order = {market::market_of(owner), market::direction::buy, market::vote_side::trust, votes, most};
    command.trader = trader;
    return put(others.funds, std::move(command));
  }
  ask<move_funds> withdraw(const wei& amount) {
    return put(others.funds, move_funds{trader, flow::withdrawal, amount, ""});
  }
  ask<get_funds> look(profile_id at = trader) { return put(others.funds, get_funds{at}); }
};

TEST_F(Funds, PaysForATradeOnceThatIsStored) {
  const auto bought = buy(5);
  ASSERT_TRUE(open_still(bought));
  EXPECT_EQ(yes(look())->balance, ether * 10);
  EXPECT_EQ(yes(look())->available, 0) << "the market has not said yet how much it takes";
  ASSERT_TRUE(yes(after(write_result::stored, bought)));
  const auto left = ether * 10 - yes(bought)->done.funds;
  EXPECT_EQ(yes(bought)->balance, left);
  EXPECT_EQ(yes(look())->available, left);
}

/// What the funds actor waits for before it stops has to reach it, though it was told to stop.
TEST_F(Funds, ThatIsToldToStopIsGivenBackWhatItSetAside) {
  with->limits.live_profiles_max = 1;
  const auto bought = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2}))) << "one too many: the first one is to stop";
  ASSERT_TRUE(yes(after(write_result::stored, bought)));
  EXPECT_EQ(yes(bought)->balance, ether * 10 - yes(bought)->done.funds);
  EXPECT_TRUE(yes(look())) << "another one begins";

  const auto lost = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2})));
  EXPECT_EQ(trouble(after(write_result::not_written, lost)), failure::unavailable);
  EXPECT_TRUE(yes(look()));
}

/// A market that crashed may have sent what spends the money: the funds actor is not loaded again before
/// that is known, though it was told to stop before.
TEST_F(Funds, ThatIsToldToStopIsNotLoadedAgainBeforeWhatItSetAsideIsKnown) {
  with->limits.live_profiles_max = 1;
  const auto bought = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2})));
  ASSERT_EQ(storage->settles, 0);
  kill(storage->written.back().from); // the market
  run();
  EXPECT_EQ(storage->settles, 2) << "for the market, and for the funds actor";
  EXPECT_TRUE(yes(look()));
}

/// What was sent before a funds actor gave up may be stored afterwards.
TEST_F(Funds, ThatGaveUpHearsNoMoreOfWhatItSent) {
  const auto came = put(others.funds, move_funds{trader, flow::deposit, ether, ""});
  const auto bought = buy(5, ether);
  kill(storage->written.back().from); // the market
  run();
  EXPECT_EQ(trouble(came), failure::unavailable);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(look()));
}

TEST_F(Funds, ServesThoseWhoWaitWithAllThatCameBack) {
  const auto first = withdraw(ether * 4);
  const auto second = withdraw(ether * 6);
  const auto third = withdraw(ether * 7);
  EXPECT_TRUE(open_still(third)) << "it is refused when the others are stored, and only then";
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(after(write_result::not_written, first)), failure::unavailable);
  EXPECT_EQ(trouble(second), failure::unavailable);
  ASSERT_TRUE(open_still(third));
  ASSERT_TRUE(yes(after(write_result::stored, third)));
  EXPECT_EQ(yes(third)->balance, ether * 3);
}

TEST_F(Funds, RefusesWhatIsNotThereOnceThatIsCertain) {
  const auto first = withdraw(ether * 4);
  const auto second = withdraw(ether * 7);
  EXPECT_TRUE(open_still(second));
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_EQ(no(second), refusal_code::insufficient_funds);
}

} // namespace
} // namespace credence::funds
