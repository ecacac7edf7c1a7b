#include "actors/wallet/wallet_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::wallet {
namespace {

const wei ether{"1000000000000000000"};
constexpr profile_id trader{1};
constexpr profile_id owner{3};

class Wallet : public testing::Test, protected test::deterministic_world {
protected:
  Wallet() {
    with->trading = {{{{{200, ether / 100}, ether}, {{1500, ether / 100}, ether}, {{5000, ether / 100}, ether}}}, {100, 100, 100}};
    storage->wallets[trader] = {ether * 10, 0};
    const market::market_opened opened{owner, market::tier::normal, with->trading.tiers[1].how, ether, test::test_now};
    storage->markets[owner].book = market::fresh_book(opened);
    storage->markets[owner].window.before = {test::test_now, 0, ether / 200, 0};
  }

  ask<market::place_trade> buy(std::int64_t votes, std::optional<wei> most = std::nullopt) {
    market::place_trade asked{};
    asked.what = {owner, market::direction::buy, market::vote_side::trust, votes, most};
    asked.trader = trader;
    return put(others.wallets, std::move(asked));
  }
  ask<move_funds> withdraw(const wei& amount) { return put(others.wallets, move_funds{trader, flow::withdrawal, amount, ""}); }
  ask<get_wallet> look(profile_id at = trader) { return put(others.wallets, get_wallet{at}); }
};

TEST_F(Wallet, PaysForATradeOnceThatIsStored) {
  open();
  const auto bought = buy(5);
  ASSERT_TRUE(open_still(bought));
  EXPECT_EQ(yes(look())->balance, ether * 10);
  EXPECT_EQ(yes(look())->available, 0) << "the market has not said yet how much it takes";
  resolve(write_result::stored);
  ASSERT_TRUE(yes(bought));
  const auto left = ether * 10 - yes(bought)->done.funds;
  EXPECT_EQ(yes(bought)->balance, left);
  EXPECT_EQ(yes(look())->available, left);
}

/// What the wallet waits for before it stops has to reach it, though it was told to stop.
TEST_F(Wallet, ThatIsToldToStopIsGivenBackWhatItSetAside) {
  with->limits.live_profiles_max = 1;
  open();
  const auto bought = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2}))) << "one too many: the first one is to stop";
  resolve(write_result::stored);
  ASSERT_TRUE(yes(bought));
  EXPECT_EQ(yes(bought)->balance, ether * 10 - yes(bought)->done.funds);
  EXPECT_TRUE(yes(look())) << "another one begins";

  const auto lost = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2})));
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(lost), failure::unavailable);
  EXPECT_TRUE(yes(look()));
}

/// A market that crashed may have sent what spends the money: the wallet is not loaded again before
/// that is known, though it was told to stop before.
TEST_F(Wallet, ThatIsToldToStopIsNotLoadedAgainBeforeWhatItSetAsideIsKnown) {
  with->limits.live_profiles_max = 1;
  open();
  const auto bought = buy(5);
  ASSERT_TRUE(yes(look(profile_id{2})));
  ASSERT_EQ(storage->settles, 0);
  caf::anon_send_exit(caf::actor_cast<caf::actor>(storage->written.back().from), caf::exit_reason::kill); // the market
  run();
  EXPECT_EQ(storage->settles, 2) << "for the market, and for the wallet";
  EXPECT_TRUE(yes(look()));
}

/// What was sent before a wallet gave up may be stored afterwards.
TEST_F(Wallet, ThatGaveUpHearsNoMoreOfWhatItSent) {
  open();
  const auto came = put(others.wallets, move_funds{trader, flow::deposit, ether, ""});
  const auto bought = buy(5, ether);
  caf::anon_send_exit(caf::actor_cast<caf::actor>(storage->written.back().from), caf::exit_reason::kill); // the market
  run();
  EXPECT_EQ(trouble(came), failure::unavailable);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(look()));
}

TEST_F(Wallet, ServesThoseWhoWaitWithAllThatCameBack) {
  open();
  const auto first = withdraw(ether * 4);
  const auto second = withdraw(ether * 6);
  const auto third = withdraw(ether * 7);
  EXPECT_TRUE(open_still(third)) << "it is refused when the others are stored, and only then";
  resolve(write_result::not_written);
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(first), failure::unavailable);
  EXPECT_EQ(trouble(second), failure::unavailable);
  ASSERT_TRUE(open_still(third));
  resolve(write_result::stored);
  ASSERT_TRUE(yes(third));
  EXPECT_EQ(yes(third)->balance, ether * 3);
}

TEST_F(Wallet, RefusesWhatIsNotThereOnceThatIsCertain) {
  open();
  const auto first = withdraw(ether * 4);
  const auto second = withdraw(ether * 7);
  EXPECT_TRUE(open_still(second));
  resolve(write_result::stored);
  EXPECT_TRUE(yes(first));
  EXPECT_EQ(no(second), refusal_code::insufficient_funds);
}

} // namespace
} // namespace credence::wallet
