#include "actors/chain/calls.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/fees.hpp"
#include "actors/wallets/gas_budget.hpp"
#include "actors/wallets/node_endpoints.hpp"

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
}

TEST(SigningBounds, OnlyWhatActionsNeedIsSigned) {
  auto within = bounds();
  const auto vote = chain::selector_of("voteFor(address,uint256,bool)");
  within.contracts[chain::contract_kind::vote] = address{{std::byte{1}}};
  within.functions = {{chain::contract_kind::vote, vote}, {chain::contract_kind::review, chain::selector_of("archiveReview(uint256)")}};
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
  for (const auto code :
       {refusal_code::nonce_conflict, refusal_code::insufficient_funds, refusal_code::contract_revert, refusal_code::blockchain_unavailable}) {
    const auto back = refusal_of(failure_reason({code, "why: it is so"}));
    EXPECT_EQ(back.code, code);
    EXPECT_EQ(back.detail, "why: it is so");
  }
  EXPECT_EQ(refusal_of("something else").code, refusal_code::blockchain_unavailable);
}

/// A node that says what it is told to.
class told_node final : public wallet_node {
public:
  std::uint64_t chain_id() override { return answer(std::uint64_t{id}); }
  nonce_counts nonces(const address&) override { return answer(counts); }
  wei balance(const address&) override { return answer(wei{1}); }
  node_quote quote(const planned_call&) override {
    node_quote out;
    out.nonces = counts;
    return answer(out);
  }
  send_answer send(const std::string&) noexcept override {
    ++sends;
    return {sending, ""};
  }
  account_view look(const address&, std::span<const digest32>) override { return answer(account_view{counts, {}}); }

  std::uint64_t id = 7;
  nonce_counts counts;
  send_result sending = send_result::taken;
  bool away = false;
  int sends = 0, asked = 0;

private:
  template <class T>
  T answer(T value) {
    ++asked;
    if (away)
      throw node_failure("away");
    return value;
  }
};

class Endpoints : public testing::Test {
protected:
  Endpoints() {
    wallet_nodes nodes;
    for (auto*& each : told)
      nodes.emplace_back(each = new told_node);
    all.emplace(std::move(nodes), std::make_shared<endpoint_health>(2), 7);
  }
  told_node* told[2]{};
  std::optional<node_endpoints> all;
};

TEST_F(Endpoints, OneNodeAloneDoesNotMakeAWalletSkipNumbers) {
  told[0]->counts = {1000, 1000};
  told[1]->counts = {5, 6};
  EXPECT_EQ(all->quote({}, 5).nonces, (nonce_counts{5, 6}));
  told[0]->counts = {4, 4};
  EXPECT_EQ(all->quote({}, 5).nonces, (nonce_counts{4, 4})) << "one that is behind; what is stored counts then";
}

TEST_F(Endpoints, WhoIsAwayIsPassedOver) {
  told[0]->away = true;
  told[1]->counts = {3, 3};
  EXPECT_EQ(all->quote({}, 9).nonces, (nonce_counts{3, 3}));
  const auto asked = told[0]->asked;
  all->balance({});
  EXPECT_EQ(told[0]->asked, asked) << "and left alone for a while";
}

TEST_F(Endpoints, ANodeOfAnotherChainIsGivenNothing) {
  told[0]->id = 8;
  EXPECT_EQ(all->send("bytes").result, send_result::taken);
  EXPECT_EQ(told[0]->sends, 0);
  EXPECT_EQ(told[1]->sends, 1);
}

TEST_F(Endpoints, ARefusalStandsOnlyWhereAllRefuse) {
  told[0]->sending = send_result::insufficient_funds;
  told[1]->sending = send_result::taken;
  EXPECT_EQ(all->send("bytes").result, send_result::taken) << "the first one is behind";
  told[1]->sending = send_result::unclear;
  EXPECT_EQ(all->send("bytes").result, send_result::unclear) << "the second one may have taken it";
  told[1]->sending = send_result::insufficient_funds;
  EXPECT_EQ(all->send("bytes").result, send_result::insufficient_funds);
}

} // namespace
} // namespace credence::wallets
