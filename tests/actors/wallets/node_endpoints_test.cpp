#include "actors/wallets/node_endpoints.hpp"

#include <gtest/gtest.h>

namespace credence::wallets {
namespace {

/// A node that says what it is told to.
class told_node final : public wallet_node {
public:
  std::uint64_t chain_id() override { return answer(std::uint64_t{id}); }
  nonce_counts nonces(const address&) override { return answer(counts); }
  wei balance(const address&) override { return answer(wei{1}); }
  node_quote quote(const planned_call&) override {
    if (refuses_quotes) {
      ++asked;
      throw node_refusal("the node answered error -32000: invalid opcode: INVALID");
    }
    node_quote out;
    out.nonces = counts;
    return answer(out);
  }
  send_answer send(const std::string&) noexcept override {
    ++sends;
    return {sending, "", sending != send_result::unclear || in_new_words};
  }
  bool knows(const digest32&) override {
    if (says_nothing_of_transactions)
      throw node_failure("no answer");
    return answer(bool{has_it});
  }
  account_view look(const address&, std::span<const digest32>) override { return answer(account_view{counts, {}}); }

  std::uint64_t id = 7;
  nonce_counts counts;
  send_result sending = send_result::taken;
  bool away = false, refuses_quotes = false, in_new_words = false;
  bool has_it = false, says_nothing_of_transactions = false;
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

struct Endpoints : testing::Test {
  Endpoints() {
    wallet_nodes nodes;
    for (auto*& each : told)
      nodes.emplace_back(each = new told_node);
    all.emplace(std::move(nodes), health, 7);
  }
  told_node* told[2]{};
  std::shared_ptr<endpoint_health> health = std::make_shared<endpoint_health>(2);
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

TEST_F(Endpoints, ARefusalStandsWhereNobodyKnowsTheTransaction) {
  told[0]->sending = told[1]->sending = send_result::nonce_too_low;
  EXPECT_EQ(all->send("bytes").result, send_result::nonce_too_low);
  told[1]->has_it = true;
  EXPECT_EQ(all->send("bytes").result, send_result::already_known)
    << "it was given the transaction before, and it is in a block";
  told[1]->has_it = false;
  told[0]->says_nothing_of_transactions = true;
  EXPECT_EQ(all->send("bytes").result, send_result::unclear);
}

TEST_F(Endpoints, WhatIsSentEverywhereIsTakenWhereOneTakesIt) {
  EXPECT_EQ(all->send("bytes").result, send_result::taken);
  EXPECT_EQ(told[1]->sends, 0) << "one is enough";
  int sends = 0;
  for (const auto second : {send_result::already_known, send_result::underpriced, send_result::unclear}) {
    told[1]->sending = second;
    EXPECT_EQ(all->send("bytes", true).result, send_result::taken);
    EXPECT_EQ(told[1]->sends, ++sends) << "the first one may keep it to itself";
    health->succeeded(1);
  }
}

TEST_F(Endpoints, AnErrorInNewWordsAboutATransactionLeavesAnEndpointWell) {
  for (auto* each : told) {
    each->sending = send_result::unclear;
    each->in_new_words = true;
    each->counts = {3, 3};
  }
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(all->send("bytes", true).result, send_result::unclear);
  EXPECT_EQ(told[0]->sends, 5);
  EXPECT_EQ(told[1]->sends, 5);
  EXPECT_EQ(all->quote({}, 9).nonces, (nonce_counts{3, 3})) << "everybody else goes on";
}

TEST_F(Endpoints, AnErrorAboutACallLeavesAnEndpointWell) {
  told[1]->counts = {3, 3};
  told[0]->refuses_quotes = true;
  EXPECT_EQ(all->quote({}, 9).nonces, (nonce_counts{3, 3})) << "the other one may know";
  told[1]->refuses_quotes = true;
  for (int i = 0; i < 5; ++i)
    EXPECT_THROW(all->quote({}, 9), node_failure);
  for (const std::size_t each : {0, 1})
    EXPECT_TRUE(health->may_ask(each, steady_clock::now()));
  EXPECT_EQ(all->send("bytes").result, send_result::taken) << "other wallets notice nothing";
}

} // namespace
} // namespace credence::wallets
