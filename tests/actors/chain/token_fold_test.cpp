#include "tests/actors/chain/fold_world.hpp"

#include <limits>

namespace credence::chain {
namespace {

using samples::address_of;
using whuffie_events::transfer;

const address ada = address_of(1), bob = address_of(2), nobody{};

class TokenFold : public testing::Test, public fold_world {
public:
  const token_row& row(const address& holder) const {
    return *rows.balances.find({holder, contract_of(contract_kind::whuffie)});
  }
  uint256 reward(const address& holder, const address& contract) const {
    return rows.rewards.find({holder, contract})->balance;
  }
  static uint256 most() { return std::numeric_limits<uint256>::max(); }
};

TEST_F(TokenFold, WhatOneSendsAnotherHas) {
  join(1, ada);
  applied(transfer{nobody, ada, 100});
  EXPECT_EQ(effects.profiles, std::set{profile_id{1}}) << "who shows what they hold";
  applied(transfer{ada, bob, 30});
  EXPECT_EQ(row(ada), (token_row{70, 0}));
  EXPECT_EQ(row(bob), (token_row{30, 0}));
  applied(transfer{bob, nobody, 30});
  EXPECT_EQ(row(bob), (token_row{0, 0}));
  EXPECT_EQ(rows.balances.all().size(), 2U) << "nobody holds what is minted or burned";
}

TEST_F(TokenFold, WhatWasThereBeforeTheFirstBlockIsMissing) {
  applied(transfer{nobody, ada, 10});
  applied(transfer{ada, bob, 25});
  EXPECT_EQ(row(ada), (token_row{0, 15})) << "never below 0";
  EXPECT_EQ(row(bob), (token_row{25, 0}));
  applied(transfer{ada, bob, 1});
  EXPECT_EQ(row(ada), (token_row{0, 16}));
}

TEST_F(TokenFold, NothingMovesWhereNothingIsSent) {
  applied(transfer{ada, ada, 5});
  applied(transfer{ada, bob, 0});
  EXPECT_TRUE(rows.balances.all().empty());
}

TEST_F(TokenFold, MoreThanThereCanBeIsRefused) {
  applied(transfer{nobody, ada, most()});
  EXPECT_EQ(fold(transfer{nobody, ada, 1}), "refused:balance_at_most_2^256");
  applied(transfer{bob, nobody, most()});
  EXPECT_EQ(fold(transfer{bob, address_of(3), 1}), "refused:balance_at_most_2^256");
  EXPECT_EQ(row(ada), (token_row{most(), 0}));
  EXPECT_EQ(row(bob), (token_row{0, most()}));
}

TEST_F(TokenFold, RewardsAreWhatTheContractSaysIsLeft) {
  applied(rewards_events::credited{address_of(8), ada, 40, 40});
  applied(rewards_events::credited{address_of(9), ada, 1, 7});
  applied(rewards_events::debited{address_of(8), ada, 15, 25});
  applied(rewards_events::reward_claimed{ada, 15});
  EXPECT_EQ(reward(ada, address_of(8)), 25);
  EXPECT_EQ(reward(ada, address_of(9)), 7);
}

TEST_F(TokenFold, ThatItMayBeSentIsAParameter) {
  applied(whuffie_events::transfers_unlocked{ada, {1'700'000'000}});
  EXPECT_EQ(*rows.parameters.find({contract_kind::whuffie, "transfersUnlockedAt"}), "1700000000");
}

} // namespace
} // namespace credence::chain
