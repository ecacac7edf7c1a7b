#include "actors/wallets/node_endpoints.hpp"

#include <gtest/gtest.h>

namespace credence::wallets {
namespace {

/// What a node of these tests answers, and what it was given.
struct script {
  send_result answer = send_result::taken;
  bool knows = false;
  bool knows_nothing = false; // whether it knows a transaction it does not say
  bool refuses_quotes = false;
  std::uint64_t gas = 50'000;
  int sent = 0, quotes = 0;
};

class scripted_node final : public wallet_node {
public:
  explicit scripted_node(script& by) : by_(&by) {}
  std::uint64_t chain_id() override { return 31337; }
  nonce_counts nonces(const address&) override { return {}; }
  wei balance(const address&) override { return {}; }
  node_quote quote(const planned_call&) override {
    ++by_->quotes;
    if (by_->refuses_quotes)
      throw node_refusal("the node answered error -32000: invalid opcode: INVALID");
    node_quote out;
    out.gas = by_->gas;
    return out;
  }
  send_answer send(const std::string&) noexcept override {
    ++by_->sent;
    return {by_->answer, "as the node says"};
  }
  bool knows(const digest32&) override {
    if (by_->knows_nothing)
      throw node_failure("no answer");
    return by_->knows;
  }
  account_view look(const address&, std::span<const digest32>) override { return {}; }

private:
  script* by_;
};

class NodeEndpoints : public testing::Test {
protected:
  wallet_nodes nodes() {
    wallet_nodes out;
    for (auto& each : scripts)
      out.push_back(std::make_unique<scripted_node>(each));
    return out;
  }

  script scripts[2];
  std::shared_ptr<endpoint_health> health = std::make_shared<endpoint_health>(2);
  node_endpoints both{nodes(), health, 31337};
};

TEST_F(NodeEndpoints, TheFirstThatTakesATransactionIsEnough) {
  EXPECT_EQ(both.send("bytes").result, send_result::taken);
  EXPECT_EQ(scripts[1].sent, 0);
}

TEST_F(NodeEndpoints, WhatIsSentEverywhereIsTakenWhereOneTakesIt) {
  for (const auto second : {send_result::already_known, send_result::underpriced, send_result::unclear}) {
    scripts[1].answer = second;
    EXPECT_EQ(both.send("bytes", true).result, send_result::taken);
    health->succeeded(1);
  }
  EXPECT_EQ(scripts[1].sent, 3) << "the first one may keep it to itself";
}

TEST_F(NodeEndpoints, ARefusalStandsWhereNobodyKnowsTheTransaction) {
  scripts[0].answer = scripts[1].answer = send_result::nonce_too_low;
  EXPECT_EQ(both.send("bytes").result, send_result::nonce_too_low);
  scripts[1].knows = true;
  EXPECT_EQ(both.send("bytes").result, send_result::already_known) << "it was given the transaction before, and it is in a block";
  scripts[1].knows = false;
  scripts[0].knows_nothing = true;
  EXPECT_EQ(both.send("bytes").result, send_result::unclear);
}

TEST_F(NodeEndpoints, ARefusalAndNoAnswerAreUnclear) {
  scripts[0].answer = send_result::insufficient_funds;
  scripts[1].answer = send_result::unclear;
  EXPECT_EQ(both.send("bytes").result, send_result::unclear);
}

TEST_F(NodeEndpoints, AnErrorAboutACallLeavesAnEndpointWell) {
  scripts[0].refuses_quotes = true;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(both.quote({}, 0).gas, 50'000u) << "the other one may know";
  EXPECT_EQ(scripts[0].quotes, 3) << "it is asked each time";
  scripts[1].refuses_quotes = true;
  for (int i = 0; i < 5; ++i)
    EXPECT_THROW(both.quote({}, 0), node_failure);
  EXPECT_TRUE(health->may_ask(0, steady_clock::now()));
  EXPECT_TRUE(health->may_ask(1, steady_clock::now()));
  EXPECT_EQ(both.send("bytes").result, send_result::taken) << "other wallets notice nothing";
}

} // namespace
} // namespace credence::wallets
