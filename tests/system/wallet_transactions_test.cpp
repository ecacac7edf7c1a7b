#include "tests/system/signer_world.hpp"

#include "actors/chain/calls.hpp"
#include "actors/wallets/action_calls.hpp"
#include "tests/waiting.hpp"

#include <memory>

/// Transactions of managed wallets on a real node: what is answered, by its real cause, and what becomes of them
/// whatever dies or lies.
namespace credence::test {
namespace {

using namespace std::chrono_literals;
using state = wallets::transaction_state;

constexpr std::string_view sending = "eth_sendRawTransaction";

struct WalletTransactions : signer_world {
  static std::string error(int code, const std::string& text) {
    return R"("error":{"code":)" + std::to_string(code) + R"(,"message":")" + text + "\"}";
  }
  void no_blocks() { node.ask("evm_setAutomine", "[false]"); }
  void blocks() {
    node.ask("evm_setAutomine", "[true]");
    node.mine(1);
  }
  /// Reviews of that profile that the chain's follower has stored.
  std::int64_t reviews_stored() { return how_many("chain_events WHERE event_name = 'ReviewCreated'"); }
  void expect_refused(const outcome<wallets::transaction_receipt>& told, refusal_code why, const std::string& text) {
    ASSERT_FALSE(told);
    EXPECT_EQ(told.why().code, why) << told.why().detail;
    EXPECT_NE(told.why().detail.find(text), std::string::npos) << told.why().detail;
  }
};

TEST_F(WalletTransactions, AnActionRunsOnTheChainOnceAndIsSeenUntilItIsSettled) {
  start();
  EXPECT_EQ(wallet(1, false).why().code, refusal_code::wallet_not_found);
  expect_refused(send(1, review_of(somebody(2))), refusal_code::wallet_not_found, "no managed wallet");
  admit(1);
  const auto receipt = send(1, review_of(somebody(2)));
  ASSERT_TRUE(receipt) << receipt.why().detail;
  ASSERT_TRUE(settles(1, 1));
  const auto all = transactions(1);
  EXPECT_EQ(all[0].hash, receipt->hash);
  EXPECT_EQ(all[0].nonce, 0u);
  EXPECT_EQ(all[0].kind, "review");
  EXPECT_EQ(all[0].origin, "https://partner.example");
  EXPECT_EQ(reviews_stored(), 1);
  EXPECT_EQ(on_chain(1), 1u);
  EXPECT_EQ(again(1, receipt->id)->hash, receipt->hash) << "a repeat of the request";
  EXPECT_EQ(again(2, receipt->id).why().code, refusal_code::not_found) << "it is somebody else's";
  EXPECT_EQ(how_many("audit_log WHERE act = 'transaction_signed'"), 1);
  verify();
}

TEST_F(WalletTransactions, ADryRunSaysCostAndOutcomeAndSignsNothing) {
  start();
  admit(1);
  const auto cost = send(1, review_of(somebody(2)), true);
  ASSERT_TRUE(cost) << cost.why().detail;
  EXPECT_EQ(cost->id, 0);
  EXPECT_GT(cost->cost_most, wei{0});
  expect_refused(send(1, review_of(wallet(1)->at), true), refusal_code::contract_revert, "");
  EXPECT_EQ(how_many("wallet_transactions"), 0);
}

TEST_F(WalletTransactions, EveryRefusalHasItsRealCause) {
  with.wallet_signing.signatures_per_day = 2;
  start();
  ASSERT_TRUE(wallet(1));
  expect_refused(send(1, review_of(somebody(2))), refusal_code::contract_revert, "the sender has no profile");
  admit(1, "0x1");
  expect_refused(send(1, review_of(somebody(2))), refusal_code::insufficient_funds, "wei for this");
  admit(2);
  expect_refused(send(2, vote_on(77)), refusal_code::contract_revert, "there is nothing to vote on");
  expect_refused(send(2, review_of(wallet(2)->at)), refusal_code::contract_revert, "");
  auto other = review_of(somebody(2));
  other.data = chain::call_data("claimAddress(uint256,address)", uint256{9}, somebody(3));
  expect_refused(send(2, other), refusal_code::forbidden, "do not run that function");
  other = review_of(somebody(2));
  other.value = *parse_wei("10000000000000001");
  expect_refused(send(2, other), refusal_code::invalid_amount, "wallets.value_max_wei");
  ASSERT_TRUE(send(2, review_of(somebody(2), "one")));
  ASSERT_TRUE(send(2, review_of(somebody(2), "two")));
  expect_refused(send(2, review_of(somebody(2), "three")), refusal_code::rate_limited, "wallets.signatures_per_day");
}

TEST_F(WalletTransactions, ANodeThatIsAwayIsToldAndNothingIsSigned) {
  start(liar.url());
  admit(1);
  liar.lie_whole([](const std::string&) { return std::optional{rpc_reply{"", "502 Bad Gateway"}}; });
  expect_refused(send(1, review_of(somebody(2))), refusal_code::blockchain_unavailable, "do not answer");
  EXPECT_EQ(how_many("wallet_transactions"), 0);
  liar.tell_the_truth();
  ASSERT_TRUE(await("the node again", [&] { return static_cast<bool>(send(1, review_of(somebody(2)))); }));
  EXPECT_TRUE(settles(1, 1));
}

TEST_F(WalletTransactions, ANumberThatSomebodyElseUsesIsAConflict) {
  start(liar.url());
  admit(1);
  no_blocks();
  send_outside(1, 0);
  liar.lie([](const rpc_question& question, const std::string& member) { // a node that has not heard of it
    return std::optional{question.method == "eth_getTransactionCount" ? std::string{R"("result":"0x0")"} : member};
  });
  expect_refused(send(1, review_of(somebody(2))), refusal_code::nonce_conflict, "nonce 0");
  ASSERT_TRUE(become(1, {state::failed}));
  blocks();
  expect_refused(send(1, review_of(somebody(2))), refusal_code::nonce_conflict, "nonce 0");
  liar.tell_the_truth();
  ASSERT_TRUE(send(1, review_of(somebody(2)))) << "the request may be tried again";
  ASSERT_TRUE(become(1, {state::failed, state::failed, state::settled}));
  EXPECT_EQ(on_chain(1), 2u);
  verify();
}

// -- what nodes answer to a signed transaction ----------------------------------------------------

/// An error after the node took it, nothing at all, or that it has it already: it is on the chain once.
TEST_F(WalletTransactions, WhatANodeTookIsFoundWhateverItAnswered) {
  start(liar.url());
  admit(1);
  std::size_t count = 0;
  for (const auto& told :
       {error(-32603, "internal error"), error(-32000, "already known"), error(-32000, "txpool is full"),
        std::string{R"("result":"0x")"}, error(-32000, "nonce too low"),
        error(-32000, "replacement transaction underpriced"), error(-32000, "insufficient funds for gas * price"),
        error(-32000, "intrinsic gas too low")}) {
    liar.lie([told](const rpc_question& question, const std::string& member) {
      return std::optional{question.method == sending ? told : member};
    });
    ASSERT_TRUE(send(1, review_of(somebody(2), told))) << told;
    ASSERT_TRUE(settles(1, ++count)) << told;
  }
  EXPECT_EQ(on_chain(1), count);
  EXPECT_EQ(reviews_stored(), static_cast<std::int64_t>(count));
  verify();
}

TEST_F(WalletTransactions, WhatWasStoredIsSentAfterARestartUnderItsNumber) {
  start(liar.url());
  admit(1);
  liar.hang(std::string{sending});
  std::optional<outcome<wallets::transaction_receipt>> told;
  std::thread client{[&] { told = send(1, review_of(somebody(2))); }};
  const bool stored = await("the transaction in the database", [&] { return how_many("wallet_transactions") == 1; });
  client.join();
  ASSERT_TRUE(stored);
  ASSERT_TRUE(*told) << "it is stored, so it will be sent";
  stop();
  EXPECT_EQ(how_many("wallet_transactions WHERE state = 'stored'"), 1);
  start();
  ASSERT_TRUE(settles(1, 1));
  EXPECT_EQ(transactions(1)[0].hash, (*told)->hash);
  EXPECT_EQ(on_chain(1), 1u);
  liar.go_on();
  verify();
}

TEST_F(WalletTransactions, WhatNoNodeTakesLeavesNoGap) {
  start(liar.url());
  admit(1);
  const auto refused = std::make_shared<std::atomic<int>>(0);
  liar.lie_whole([refused](const std::string& body) -> std::optional<rpc_reply> {
    if (body.find(sending) == std::string::npos || (*refused)++ > 0)
      return std::nullopt;
    const auto id = body.substr(body.find(R"("id":)") + 5);
    return rpc_reply{R"({"jsonrpc":"2.0","id":)" + id.substr(0, id.find_first_not_of("0123456789")) + ","
                     + error(-32000, "intrinsic gas too low") + "}"};
  });
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (int i = 0; i < 3; ++i)
    clients.emplace_back([&, i] { good += send(1, review_of(somebody(2), "review " + std::to_string(i))) ? 1 : 0; });
  for (auto& each : clients)
    each.join();
  EXPECT_EQ(good, 2);
  ASSERT_TRUE(await("nothing to be open", [&] { return how_many("wallet_transactions WHERE NOT done") == 0; }));
  EXPECT_EQ(reviews_stored(), 2);
  EXPECT_EQ(how_many("wallet_transactions WHERE state = 'failed'"), 1);
  verify();
}

// -- fees, blocks -----------------------------------------------------------------------------------

TEST_F(WalletTransactions, AStuckOneIsReplacedByADearerOneOfItsNumber) {
  with.wallet_signing.stuck_after = 1000ms;
  start();
  admit(1);
  no_blocks();
  ASSERT_TRUE(send(1, review_of(somebody(2))));
  ASSERT_TRUE(await("a replacement", [&] {
    return how_many("wallet_transactions WHERE replaces IS NOT NULL AND state = 'sent'") >= 1;
  }));
  EXPECT_EQ(how_many("wallet_transactions n JOIN wallet_transactions o ON o.seq = n.replaces"
                     " WHERE n.max_fee * 10 < o.max_fee * 11 OR n.max_priority_fee * 10 < o.max_priority_fee * 11"),
            0);
  blocks();
  ASSERT_TRUE(await("the settled one", [&] { return how_many("wallet_transactions WHERE NOT done") == 0; }));
  EXPECT_EQ(how_many("wallet_transactions WHERE state = 'settled'"), 1);
  EXPECT_EQ(reviews_stored(), 1);
  EXPECT_EQ(on_chain(1), 1u);
  verify();
}

TEST_F(WalletTransactions, AReorganisationPutsItBackAndItComesAgain) {
  with.chain.authority = "5";
  start();
  admit(1);
  node.mine(6);
  ASSERT_TRUE(send(1, review_of(somebody(2))));
  ASSERT_TRUE(become(1, {state::mined}));
  no_blocks();
  node.reorganise(1);
  ASSERT_TRUE(become(1, {state::sent}));
  blocks();
  ASSERT_TRUE(become(1, {state::mined}));
  node.mine(6);
  ASSERT_TRUE(settles(1, 1));
  EXPECT_EQ(reviews_stored(), 1);
  EXPECT_EQ(on_chain(1), 1u);
  verify();
}

TEST_F(WalletTransactions, OneNodeThatCountsTooHighDoesNotMakeAWalletSkipNumbers) {
  start(liar.url() + "," + node.url());
  admit(1);
  liar.lie([](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == "eth_getTransactionCount" ? std::string{R"("result":"0x3e8")"} : member};
  });
  ASSERT_TRUE(send(1, review_of(somebody(2))));
  ASSERT_TRUE(settles(1, 1));
  EXPECT_EQ(transactions(1)[0].nonce, 0u);
}

TEST_F(WalletTransactions, WhatMustNotBeBesideAnotherWaitsForItsBlock) {
  start();
  admit(1);
  no_blocks();
  auto once = review_of(somebody(2));
  once.not_beside = {once.data};
  ASSERT_TRUE(send(1, once));
  expect_refused(send(1, once), refusal_code::nonce_conflict, "on its way");
  EXPECT_TRUE(send(1, review_of(somebody(2), "another"))) << "which is not kept back";
  blocks();
  node.mine(6);
  ASSERT_TRUE(settles(1, 2));
  EXPECT_TRUE(send(1, once));
}

TEST_F(WalletTransactions, AStuckWalletDelaysNoOther) {
  start(liar.url());
  admit(1);
  admit(2);
  liar.hang(lower_text(wallet(1)->at)); // every question about that wallet
  std::thread stuck{
    [&] { EXPECT_EQ(send(1, review_of(somebody(2))).why().code, refusal_code::blockchain_unavailable); }};
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(send(2, review_of(somebody(2), "review " + std::to_string(i))));
  stuck.join();
  EXPECT_TRUE(settles(2, 5));
  liar.go_on();
}

TEST_F(WalletTransactions, TheFundingAccountPaysForGasWithinItsBudget) {
  with.wallet_signing.sponsor = true;
  with.wallet_signing.sponsor_per_wallet_wei = "200000000000000000";
  with.wallet_signing.sponsor_least_wei = "10000000000000000";
  with.wallet_signing.sponsor_per_day_wei = "400000000000000000";
  start();
  const auto funding = funding_account();
  admit(1, "0x0");
  expect_refused(send(1, review_of(somebody(2))), refusal_code::insufficient_funds, "pays for gas");
  node.ask("anvil_setBalance", "[\"" + lower_text(funding) + "\",\"0xde0b6b3a7640000\"]");
  EXPECT_TRUE(wallet(1)->sponsorship_eligible);
  const auto first = send(1, review_of(somebody(2)));
  ASSERT_TRUE(first) << first.why().detail;
  ASSERT_TRUE(settles(1, 1));
  EXPECT_EQ(how_many("wallet_transactions WHERE wallet_id = 0 AND beneficiary = 1"), 1);
  node.ask("anvil_setBalance", "[\"" + lower_text(wallet(1)->at) + "\",\"0x0\"]");
  stop();
  with.wallet_signing.sponsor_per_wallet_wei = "10000000000000000";
  start();
  expect_refused(send(1, review_of(somebody(3))), refusal_code::insufficient_funds, "no more gas");
  verify();
}

} // namespace
} // namespace credence::test
