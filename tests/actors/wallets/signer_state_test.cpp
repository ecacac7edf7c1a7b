#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/signer_state.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace credence::wallets {

using state = transaction_state;
using namespace std::chrono_literals;

inline constexpr timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};

inline signing_bounds some_bounds() {
  signing_bounds out;
  out.chain_id = 31337;
  out.fee_max = wei{1000};
  out.priority_fee_max = wei{100};
  out.gas_max = 500'000;
  out.signatures_per_day = 3;
  out.open_max = 4;
  out.stuck_after = 60s;
  return out;
}

struct SignerState : testing::Test {
  void SetUp() override { wallet.restore({}, day_of(noon)); }

  outbox_row row(std::int64_t id, std::uint64_t nonce, gas_fees fees = {wei{100}, wei{10}}) {
    outbox_row out;
    out.id = id;
    out.nonce = nonce;
    out.plan.gas_limit = 21'000;
    out.plan.data = "call";
    out.fees = fees;
    out.state = state::stored;
    out.created_at = out.changed_at = noon;
    return out;
  }
  void add(std::int64_t id, std::uint64_t nonce, std::int64_t replaces = 0, gas_fees fees = {wei{100}, wei{10}}) {
    wallet.add(row(id, nonce, fees), replaces == 0, replaces);
  }
  send_verdict answered(std::int64_t id, send_result how) {
    auto out = wallet.on_sent(id, {how, "as nodes say"});
    apply(out.moves);
    return out;
  }
  void sent(std::int64_t id, std::uint64_t nonce, std::int64_t replaces = 0, gas_fees fees = {wei{100}, wei{10}}) {
    add(id, nonce, replaces, fees);
    answered(id, send_result::taken);
  }
  void apply(const std::vector<transaction_move>& moves) { wallet.apply({profile_id{1}, moves, noon}); }
  housekeeping look(const followed_outbox& followed, const std::optional<node_view>& node = {}, timestamp now = noon) {
    auto out = wallet.look(followed, node, now);
    apply(out.moves);
    return out;
  }
  /// The follower has this one in that block, and rights rest on blocks up to `authority`.
  static followed_outbox in_block(std::int64_t id, std::int64_t block, std::int64_t authority) {
    return {{{profile_id{1}, id, block}}, std::max(block, authority), authority};
  }
  static node_view node_with(nonce_counts nonces, std::map<std::int64_t, seen_transaction> seen = {}) {
    return {nonces, std::move(seen)};
  }
  state state_of(std::int64_t id) const { return wallet.row(id)->state; }
  bool done(std::int64_t id) const { return wallet.row(id) == nullptr; }

  signing_bounds within = some_bounds();
  signer_state wallet{within};
};

inline constexpr seen_transaction waiting{true, std::nullopt, false};
inline constexpr seen_transaction unknown{};

namespace {

// -- numbers ------------------------------------------------------------------------------------

TEST_F(SignerState, KnowsWhatIsOnItsWayUntilABlockHasIt) {
  EXPECT_FALSE(wallet.on_its_way({}, "call"));
  add(1, 0);
  EXPECT_TRUE(wallet.on_its_way({}, "call")) << "it is stored";
  EXPECT_FALSE(wallet.on_its_way({}, "another call"));
  address elsewhere;
  elsewhere.bytes[0] = std::byte{1};
  EXPECT_FALSE(wallet.on_its_way(elsewhere, "call"));
  answered(1, send_result::taken);
  EXPECT_TRUE(wallet.on_its_way({}, "call"));
  apply({{1, state::mined, {}, 10, false, 0}});
  EXPECT_FALSE(wallet.on_its_way({}, "call")) << "its record is known by now";
}

TEST_F(SignerState, NumbersGoOnFromWhatANodeTellsAndWhatIsStored) {
  EXPECT_EQ(wallet.next_nonce({4, 4}), 4u);
  EXPECT_EQ(wallet.next_nonce({4, 6}), 6u) << "two wait at the node";
  sent(1, 4);
  EXPECT_EQ(wallet.next_nonce({4, 5}), 5u);
  EXPECT_EQ(wallet.next_nonce({4, 4}), 5u) << "a node that is behind, or has lost it";
  wallet.reserve(5);
  EXPECT_EQ(wallet.next_nonce({4, 5}), 6u);
  wallet.release(5);
  EXPECT_EQ(wallet.next_nonce({4, 5}), 5u);
}

TEST_F(SignerState, ANumberThatNoNodeTookIsTheNextOneAgain) {
  add(1, 0);
  sent(2, 1);
  EXPECT_EQ(answered(1, send_result::insufficient_funds).why->code, refusal_code::insufficient_funds);
  EXPECT_EQ(wallet.next_nonce({0, 0}), 0u) << "so the gap closes";
}

TEST_F(SignerState, AfterARestartNumbersGoOnBehindWhatIsStored) {
  stored_outbox stored;
  stored.used = 7;
  stored.open = {row(1, 7), row(2, 8)};
  wallet.restore(std::move(stored), day_of(noon));
  EXPECT_EQ(wallet.next_nonce({5, 5}), 9u) << "by a node that is behind";
}

// -- answers of nodes ---------------------------------------------------------------------------

TEST_F(SignerState, WhatANodeHasIsSent) {
  for (const auto how : {send_result::taken, send_result::already_known}) {
    add(static_cast<std::int64_t>(how) + 1, static_cast<std::uint64_t>(how));
    EXPECT_FALSE(answered(static_cast<std::int64_t>(how) + 1, how).why);
    EXPECT_EQ(state_of(static_cast<std::int64_t>(how) + 1), state::sent);
  }
}

struct refused_send {
  send_result how;
  refusal_code why;
};
TEST_F(SignerState, WhatNoNodeTakesFailsWithItsReason) {
  std::int64_t id = 0;
  for (const auto& each : {refused_send{send_result::nonce_too_low, refusal_code::nonce_conflict},
                           refused_send{send_result::replacement_underpriced, refusal_code::nonce_conflict},
                           refused_send{send_result::insufficient_funds, refusal_code::insufficient_funds},
                           refused_send{send_result::underpriced, refusal_code::blockchain_unavailable},
                           refused_send{send_result::refused, refusal_code::blockchain_unavailable}}) {
    add(++id, 0);
    const auto told = answered(id, each.how);
    ASSERT_TRUE(told.why);
    EXPECT_EQ(told.why->code, each.why);
    EXPECT_EQ(refusal_of(told.moves.at(0).reason).code, each.why) << "a repeat of the request is told the same";
    EXPECT_TRUE(done(id));
    EXPECT_EQ(wallet.next_nonce({0, 0}), 0u);
  }
}

TEST_F(SignerState, WhatANodeMayHaveTakenIsNeverGivenUpForAnError) {
  add(1, 0);
  EXPECT_FALSE(answered(1, send_result::unclear).why);
  for (const auto how : {send_result::nonce_too_low, send_result::insufficient_funds, send_result::refused,
                         send_result::replacement_underpriced}) {
    EXPECT_FALSE(answered(1, how).why);
    EXPECT_EQ(state_of(1), state::stored);
  }
  EXPECT_EQ(wallet.next_nonce({0, 0}), 1u) << "its number is taken";
  answered(1, send_result::already_known);
  EXPECT_EQ(state_of(1), state::sent);
}

TEST_F(SignerState, WhatAnEarlierProcessStoredMayHaveBeenSent) {
  stored_outbox stored;
  stored.open = {row(1, 0)};
  wallet.restore(std::move(stored), day_of(noon));
  EXPECT_FALSE(answered(1, send_result::nonce_too_low).why);
  EXPECT_FALSE(done(1));
  const auto todo = look({{}, 5, 0}, node_with({0, 0}, {{1, unknown}}));
  EXPECT_EQ(todo.resend, std::vector<std::int64_t>{1}) << "the same bytes, under the same number";
}

// -- blocks -------------------------------------------------------------------------------------

TEST_F(SignerState, IsMinedWhenTheFollowerHasItAndSettledWithTheAuthorityBlock) {
  sent(1, 0);
  look(in_block(1, 10, 8));
  EXPECT_EQ(state_of(1), state::mined);
  EXPECT_EQ(wallet.row(1)->block, 10);
  const auto settling = look(in_block(1, 10, 10));
  EXPECT_EQ(settling.moves, (std::vector<transaction_move>{{1, state::settled, {}, 10, true, 0}}));
  EXPECT_TRUE(done(1));
  EXPECT_TRUE(wallet.idle());
  EXPECT_EQ(wallet.next_nonce({0, 0}), 1u);
}

TEST_F(SignerState, AReceiptAloneCountsForNothingBeforeTheFollowerHasTheEvents) {
  sent(1, 0);
  EXPECT_TRUE(look({{}, 12, 8}, node_with({1, 1}, {{1, {true, 10, true}}})).moves.empty());
  EXPECT_EQ(state_of(1), state::sent);
  look({{}, 12, 12}, node_with({1, 1}, {{1, {true, 10, true}}}));
  EXPECT_TRUE(done(1)) << "no event of it came, and its block is settled";
}

TEST_F(SignerState, AReorganisationPutsItBackToSentAndSendsItAgain) {
  sent(1, 0);
  look(in_block(1, 10, 8));
  const auto todo = look({{}, 10, 8}, node_with({0, 0}, {{1, unknown}}));
  EXPECT_EQ(state_of(1), state::sent);
  EXPECT_FALSE(wallet.row(1)->block);
  EXPECT_EQ(todo.resend, std::vector<std::int64_t>{1});
  look(in_block(1, 11, 8));
  EXPECT_EQ(wallet.row(1)->block, 11);
}

TEST_F(SignerState, WhatAContractRefusesInABlockFailsAndKeepsItsNumber) {
  sent(1, 0);
  look({{}, 9, 8}, node_with({1, 1}, {{1, {true, 10, false}}}));
  EXPECT_EQ(state_of(1), state::sent) << "the follower is not there yet";
  look({{}, 10, 8}, node_with({1, 1}, {{1, {true, 10, false}}}));
  EXPECT_EQ(state_of(1), state::failed);
  EXPECT_EQ(refusal_of(wallet.row(1)->reason).code, refusal_code::contract_revert);
  EXPECT_EQ(wallet.next_nonce({0, 0}), 1u);
  look({{}, 10, 8}, node_with({0, 0}, {{1, unknown}}));
  EXPECT_EQ(state_of(1), state::sent) << "its block was taken back";
  look({{}, 12, 12}, node_with({1, 1}, {{1, {true, 11, false}}}));
  EXPECT_TRUE(done(1));
}

TEST_F(SignerState, ANumberThatSomethingElseUsedIsGivenUpWhenThatIsSettled) {
  add(1, 0);
  answered(1, send_result::unclear);
  EXPECT_TRUE(look({{}, 10, 8}, node_with({1, 1}, {{1, unknown}})).conflicts);
  EXPECT_EQ(state_of(1), state::stored);
  look({{}, 11, 9}, node_with({1, 1}, {{1, unknown}}));
  EXPECT_FALSE(done(1)) << "the block of the other one may still be taken back";
  const auto todo = look({{}, 12, 11}, node_with({1, 1}, {{1, unknown}}));
  ASSERT_TRUE(done(1));
  EXPECT_EQ(refusal_of(todo.moves.at(0).reason).code, refusal_code::nonce_conflict);
}

TEST_F(SignerState, NoConflictIsSeenBeforeEverySignatureOfTheNumberWasAskedAbout) {
  sent(1, 0);
  sent(2, 0, 1, {wei{120}, wei{12}});
  for (int i = 0; i < 5; ++i) // a look asks about so many at most
    EXPECT_FALSE(look({{}, 10 + i, 9 + i}, node_with({1, 1}, {{1, unknown}})).conflicts);
  EXPECT_EQ(state_of(2), state::sent);
  const auto todo = look({{}, 20, 20}, node_with({1, 1}, {{1, unknown}, {2, {true, 15, true}}}));
  EXPECT_EQ(todo.moves, (std::vector<transaction_move>{{1, state::replaced, {}, std::nullopt, true, 2},
                                                       {2, state::settled, {}, 15, true, 0}}));
  EXPECT_FALSE(todo.conflicts) << "it is the one in the block";
}

TEST_F(SignerState, NoNumberHasMoreSignaturesThanALookAsksAbout) {
  sent(1, 0);
  auto now = noon;
  for (std::int64_t id = 1; id < 100; ++id) {
    now += 1h;
    const auto todo = look({{}, 10 + id, 5}, node_with({0, 1}, {{id, waiting}}), now);
    if (!todo.replace) {
      EXPECT_EQ(static_cast<std::size_t>(id), signer_state::asked_max);
      return;
    }
    sent(id + 1, 0, id, {wei{100 + id}, wei{10 + id}});
  }
  FAIL() << "it was signed a hundred times";
}

TEST_F(SignerState, NodesAreAskedOnlyAboutWhatTheFollowerHasInNoBlock) {
  for (std::int64_t id = 1; id <= 60; ++id)
    sent(id, static_cast<std::uint64_t>(id - 1));
  look(in_block(1, 10, 8));
  const auto asked = wallet.to_ask(in_block(2, 10, 8));
  EXPECT_EQ(asked.size(), signer_state::asked_max);
  EXPECT_EQ(asked.front(), 3);
  EXPECT_EQ(asked.back(), 42) << "the first is in a block, so it comes behind all that wait";
  EXPECT_TRUE(look({{}, 10, 8}, node_with({1, 1}, {{3, waiting}})).moves.size() == 1)
    << "1 has lost its events; nobody was asked about others";
}

TEST_F(SignerState, AGapThatStaysIsFilled) {
  add(1, 0);
  sent(2, 1);
  answered(1, send_result::refused);
  const auto view = node_with({0, 0}, {{2, waiting}});
  EXPECT_FALSE(look({{}, 5, 5}, view).fill) << "the next action may take it";
  EXPECT_EQ(look({{}, 5, 5}, view).fill, 0u);
  EXPECT_FALSE(look({{}, 5, 5}, view, noon + 59s).fill) << "it came to nothing: not at each look";
  EXPECT_EQ(look({{}, 5, 5}, view, noon + 60s).fill, 0u);
  wallet.reserve(0);
  EXPECT_FALSE(look({{}, 5, 5}, view, noon + 120s).fill);
}

// -- bounds -------------------------------------------------------------------------------------

TEST_F(SignerState, BoundsWhatIsOnItsWayAndWhatIsSignedInADay) {
  for (int i = 0; i < 3; ++i)
    sent(i + 1, static_cast<std::uint64_t>(i));
  EXPECT_EQ(wallet.may_sign(noon, 1)->code, refusal_code::rate_limited) << "four on their way";
  look({{{profile_id{1}, 1, 10}, {profile_id{1}, 2, 10}, {profile_id{1}, 3, 10}}, 10, 10});
  EXPECT_EQ(wallet.may_sign(noon, 0)->code, refusal_code::rate_limited) << "three today";
  EXPECT_EQ(wallet.may_sign(noon, 0)->retry_after, 12h) << "at midnight";
  EXPECT_FALSE(wallet.may_sign(noon + 24h, 0));
}

TEST_F(SignerState, WhatIsBeingPreparedCountsForTheDay) {
  sent(1, 0);
  EXPECT_FALSE(wallet.may_sign(noon, 1));
  EXPECT_EQ(wallet.may_sign(noon, 2)->code, refusal_code::rate_limited) << "three today";
}

TEST_F(SignerState, SaysWhatTheBalanceLacksForAllThatIsOnItsWay) {
  EXPECT_EQ(wallet.missing(wei{1000}, wei{1500}), wei{500});
  EXPECT_EQ(wallet.missing(wei{1500}, wei{1500}), wei{0});
  sent(1, 0);
  sent(2, 0, 1, {wei{120}, wei{12}});
  const wei dearest = wei{120} * 21'000;
  EXPECT_EQ(wallet.missing(dearest, wei{1500}), wei{1500}) << "of one number the dearest counts";
}

TEST_F(SignerState, APriceIsWithinTheBounds) {
  node_quote quote;
  quote.gas = 100'000;
  quote.base_fee = wei{400};
  quote.priority_fee = wei{500};
  const auto cost = test::there(wallet.price(quote, wei{7}));
  EXPECT_EQ(cost->gas_limit, 125'000u);
  EXPECT_EQ(cost->fees, (gas_fees{wei{900}, wei{100}}));
  EXPECT_EQ(cost->most, wei{900} * 125'000 + 7);
  quote.base_fee = wei{950};
  EXPECT_EQ(wallet.price(quote, wei{0}).why().code, refusal_code::blockchain_unavailable);
  quote.base_fee = *parse_wei("115792089237316195423570985008687907853269984665640564039457584007913129639935");
  EXPECT_EQ(wallet.price(quote, wei{0}).why().code, refusal_code::blockchain_unavailable);
  quote.base_fee = wei{1};
  quote.gas = 500'001;
  EXPECT_EQ(wallet.price(quote, wei{0}).why().code, refusal_code::contract_revert);
  quote.gas = 0;
  quote.balance = wei{10};
  quote.why = "the sender has no profile";
  EXPECT_NE(wallet.price(quote, wei{0}).why().detail.find("the sender has no profile"), std::string::npos);
  EXPECT_EQ(wallet.price(quote, wei{11}).why().code, refusal_code::insufficient_funds);
}

TEST_F(SignerState, AGiftCostsATransferAndRunsNoCode) {
  node_quote quote;
  quote.gas = 21'000;
  quote.base_fee = wei{400};
  quote.priority_fee = wei{10};
  const auto cost = test::there(wallet.price_of_gift(quote, wei{7}));
  EXPECT_EQ(cost->gas_limit, 21'000u) << "code that comes until then finds no gas";
  EXPECT_EQ(cost->most, wei{810} * 21'000 + 7);
  quote.gas = 21'001;
  EXPECT_EQ(wallet.price_of_gift(quote, wei{7}).why().code, refusal_code::forbidden) << "the account has code";
}

/// What is late: higher fees, and sending again.

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
