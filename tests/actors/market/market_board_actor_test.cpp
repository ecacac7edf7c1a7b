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
  caf::anon_send(others.market_lists, trades_in_doubt{});
  run();
  EXPECT_TRUE(yes(put(others.market_lists, get_profit_board{10})));
  EXPECT_TRUE(yes(put(others.market_lists, get_xp_board{10})));
}

} // namespace
} // namespace credence::market
