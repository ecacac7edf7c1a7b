#include "actors/chain/calls.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/signing_bounds.hpp"

#include <gtest/gtest.h>

namespace credence::wallets {
namespace {

using namespace std::chrono_literals;

signing_bounds bounds() {
  signing_bounds out;
  out.fee_max = wei{1000};
  out.priority_fee_max = wei{100};
  out.sponsored_per_wallet = wei{100};
  out.sponsored_per_day = wei{150};
  return out;
}

TEST(Fees, RiseByATenthAtLeastAndStopAtTheBounds) {
  const auto within = bounds();
  EXPECT_EQ(raised_fees({wei{100}, wei{10}}, {}, within), (gas_fees{wei{110}, wei{11}}));
  EXPECT_EQ(raised_fees({wei{101}, wei{11}}, {}, within), (gas_fees{wei{112}, wei{13}})) << "rounded up";
  EXPECT_EQ(raised_fees({wei{1}, wei{0}}, {}, within), (gas_fees{wei{2}, wei{1}}));
  EXPECT_EQ(raised_fees({wei{100}, wei{10}}, gas_fees{wei{500}, wei{9}}, within), (gas_fees{wei{500}, wei{11}}));
  EXPECT_FALSE(raised_fees({wei{910}, wei{10}}, {}, within));
  EXPECT_FALSE(raised_fees({wei{100}, wei{95}}, {}, within));
}

TEST(Fees, AChainWithoutTransactionsGetsTheLeastPriorityFee) {
  node_quote quote;
  quote.base_fee = wei{10};
  EXPECT_EQ(suggested_fees(quote, bounds()), (gas_fees{wei{21}, wei{1}}));
  auto within = bounds();
  within.priority_fee_least = wei{30};
  EXPECT_EQ(suggested_fees(quote, within), (gas_fees{wei{50}, wei{30}})) << "as some producers of blocks want";
  quote.priority_fee = wei{40};
  EXPECT_EQ(suggested_fees(quote, within), (gas_fees{wei{60}, wei{40}}));
}

TEST(SigningBounds, OnlyWhatActionsNeedIsSigned) {
  auto within = bounds();
  const auto vote = chain::selector_of("voteFor(address,uint256,bool)");
  within.contracts[chain::contract_kind::vote] = address{{std::byte{1}}};
  within.functions = {{chain::contract_kind::vote, vote},
                      {chain::contract_kind::review, chain::selector_of("archiveReview(uint256)")}};
  within.value_max = wei{5};
  contract_action action{chain::contract_kind::vote, vote + std::string(96, '\0'), wei{5}, "vote"};
  EXPECT_EQ(*target_of(action, within), (address{{std::byte{1}}}));
  action.value = wei{6};
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::invalid_amount);
  action.value = wei{0};
  action.data = chain::selector_of("transferOwnership(address)") + std::string(32, '\0');
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::forbidden);
  action.data = vote.substr(0, 3);
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::forbidden);
  action = {chain::contract_kind::review, chain::selector_of("archiveReview(uint256)"), wei{0}, "review"};
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::endpoint_disabled);
}

TEST(GasBudget, IsOfADayForEachWalletAndForAll) {
  const timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};
  const auto within = bounds();
  gas_budget budget;
  budget.restore({{profile_id{1}, wei{60}}}, day_of(noon));
  EXPECT_TRUE(budget.refuse(profile_id{1}, wei{41}, noon, within));
  EXPECT_FALSE(budget.refuse(profile_id{1}, wei{40}, noon, within));
  budget.grant(profile_id{2}, wei{90}, noon);
  EXPECT_TRUE(budget.refuse(profile_id{3}, wei{1}, noon, within)) << "nothing is left for anybody";
  budget.take_back(profile_id{2}, wei{90});
  EXPECT_FALSE(budget.refuse(profile_id{3}, wei{1}, noon, within));
  EXPECT_FALSE(budget.refuse(profile_id{1}, wei{100}, noon + 24h, within));
}

TEST(FailureReason, IsReadAsItWasWritten) {
  for (const auto code : {refusal_code::nonce_conflict, refusal_code::insufficient_funds, refusal_code::contract_revert,
                          refusal_code::blockchain_unavailable}) {
    const auto back = refusal_of(failure_reason({code, "why: it is so"}));
    EXPECT_EQ(back.code, code);
    EXPECT_EQ(back.detail, "why: it is so");
  }
  EXPECT_EQ(refusal_of("something else").code, refusal_code::blockchain_unavailable);
}

} // namespace
} // namespace credence::wallets
