#include "tests/actors/wallets/signer_state_fixture.hpp"

/// What is late: higher fees, and sending again.
namespace credence::wallets {
namespace {

TEST_F(SignerState, AStuckOneIsReplacedWhenItIsItsTurn) {
  sent(1, 0);
  sent(2, 1);
  const auto view = node_with({0, 2}, {{1, waiting}, {2, waiting}});
  EXPECT_FALSE(look({{}, 5, 5}, view, noon + 59s).replace);
  EXPECT_EQ(look({{}, 5, 5}, view, noon + 60s).replace, 1);
  sent(3, 0, 1, {wei{120}, wei{12}});
  EXPECT_EQ(state_of(1), state::replaced);
  EXPECT_EQ(wallet.highest_fees(3), (gas_fees{wei{120}, wei{12}}));
  EXPECT_EQ(wallet.next_nonce({0, 2}), 2u);
  EXPECT_EQ(wallet.unmined(), 2u);
}

TEST_F(SignerState, TheReplacedOneMayStillBeTheOneInTheBlock) {
  sent(1, 0);
  sent(2, 0, 1, {wei{120}, wei{12}});
  const auto todo = look(in_block(1, 10, 8));
  EXPECT_EQ(todo.moves, (std::vector<transaction_move>{{2, state::replaced, {}, std::nullopt, false, 1},
                                                       {1, state::mined, {}, 10, false, 0}}))
    << "first the number is free, then it is taken";
  look({{}, 10, 8}, node_with({0, 0}, {{1, unknown}, {2, unknown}}));
  EXPECT_EQ(state_of(1), state::sent);
  look(in_block(2, 11, 11));
  EXPECT_TRUE(done(1));
  EXPECT_TRUE(done(2));
}

TEST_F(SignerState, AReplacementThatIsTooCheapIsFollowedByADearerOne) {
  sent(1, 0);
  add(2, 0, 1, {wei{110}, wei{11}});
  EXPECT_FALSE(answered(2, send_result::replacement_underpriced).why) << "nobody asked for it";
  EXPECT_TRUE(done(2));
  EXPECT_EQ(state_of(1), state::sent);
  EXPECT_EQ(look({{}, 5, 5}, node_with({0, 1}, {{1, waiting}})).replace, 1) << "at once";
  EXPECT_EQ(wallet.highest_fees(1), (gas_fees{wei{110}, wei{11}})) << "what was tried counts";
}

TEST_F(SignerState, AFeeIsRaisedOnceForEachBlockThatMightHaveTakenIt) {
  sent(1, 0);
  const auto view = node_with({0, 1}, {{1, waiting}});
  EXPECT_EQ(look({{}, 5, 5}, view, noon + 60s).replace, 1);
  EXPECT_FALSE(look({{}, 5, 5}, view, noon + 10min).replace) << "the chain stands still";
  EXPECT_FALSE(look({{}, 6, 6}, view, noon + 119s).replace);
  EXPECT_EQ(look({{}, 6, 6}, view, noon + 120s).replace, 1);
}

TEST_F(SignerState, AHigherFeeThatIsRefusedIsNoAttempt) {
  sent(1, 0);
  for (int i = 0; i < 3 * static_cast<int>(signer_state::attempts_max); ++i) {
    EXPECT_EQ(look({{}, 5 + i, 5}, node_with({0, 1}, {{1, waiting}}), noon + 60s * (i + 1)).replace, 1) << i;
    add(2 + i, 0, 1, {wei{110}, wei{11}});
    EXPECT_FALSE(answered(2 + i, send_result::insufficient_funds).why);
    EXPECT_EQ(state_of(1), state::sent);
  }
  EXPECT_FALSE(wallet.exhausted(1));
}

TEST_F(SignerState, OneThatManyFeesBroughtIntoNoBlockIsTriedOnSlowly) {
  sent(1, 0);
  std::int64_t last = 1;
  for (; last < static_cast<std::int64_t>(signer_state::attempts_max); ++last)
    sent(last + 1, 0, last, {wei{100 + last}, wei{10}});
  ASSERT_TRUE(wallet.exhausted(last));
  const auto view = node_with({0, 1}, {{last, waiting}});
  EXPECT_EQ(look({{}, 5, 5}, view, noon + 1h).replace, last);
  EXPECT_FALSE(look({{}, 6, 5}, view, noon + 1h + signer_state::pause_when_exhausted - 1s).replace);
  EXPECT_EQ(look({{}, 6, 5}, view, noon + 1h + signer_state::pause_when_exhausted).replace, last) << "never given up";
}

TEST_F(SignerState, OneThatANodeKnowsIsSentToAllWhenItIsLate) {
  sent(1, 0);
  const auto view = node_with({0, 1}, {{1, waiting}});
  EXPECT_TRUE(look({{}, 5, 5}, view, noon + 59s).resend.empty());
  EXPECT_EQ(look({{}, 5, 5}, view, noon + 60s).resend, std::vector<std::int64_t>{1});
  EXPECT_TRUE(look({{}, 6, 5}, view, noon + 61s).resend.empty()) << "once";
}

TEST_F(SignerState, ALateRefusalOfAHigherFeeMovesNothingOutOfItsBlock) {
  sent(1, 0);
  add(2, 0, 1, {wei{110}, wei{11}});
  look(in_block(1, 10, 8));
  for (const auto how : {send_result::underpriced, send_result::insufficient_funds, send_result::refused})
    EXPECT_TRUE(answered(2, how).moves.empty());
  EXPECT_EQ(state_of(1), state::mined);
  EXPECT_EQ(wallet.row(1)->block, 10);
}

} // namespace
} // namespace credence::wallets
