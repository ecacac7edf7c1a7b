#include "http/outside/wallet_rpc_node.hpp"
#include "tests/http/outside/key_server.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

/// A node that gives one answer, whatever it is asked. Requests are numbered from 1.
class WalletRpcNode : public testing::Test {
protected:
  /// Answers a quote: everything is well but the gas of the call.
  void gas_is(const std::string& error) {
    const auto result = [](int id, const std::string& value) {
      return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + value + "},";
    };
    server.answer(
      "[" + result(1, R"("0x0")") + result(2, R"("0x0")") + result(3, R"("0x5")")
        + result(4, R"({"oldestBlock":"0x1","baseFeePerGas":["0x1","0x1"],"gasUsedRatio":[0],"reward":[["0x1"]]})")
        + R"({"jsonrpc":"2.0","id":5,"error":)" + error + "}]",
      "200 OK");
  }
  wallets::node_quote quote() {
    wallet_rpc_node fresh{server.url(), 2000ms, given_up};
    return fresh.quote({});
  }

  std::atomic<bool> given_up{false};
  test::key_server server{"[]"};
};

TEST_F(WalletRpcNode, WhatAContractSaysOfTooManyRequestsIsItsOwnWord) {
  for (const auto* error : {R"({"code":3,"message":"execution reverted: rate limit","data":"0x08c379a0"})",
                            R"({"code":-32000,"message":"execution reverted: too many requests"})"}) {
    gas_is(error);
    EXPECT_EQ(quote().gas, 0u) << error;
    EXPECT_NE(quote().why.find("reverted"), std::string::npos) << error;
  }
}

TEST_F(WalletRpcNode, ACallThatEndsBadlyIsNoFailureOfTheNode) {
  for (const auto* text :
       {"invalid opcode: INVALID", "out of gas", "stack underflow (0 <=> 1)", "execution aborted (timeout = 5s)"}) {
    gas_is(R"({"code":-32000,"message":")" + std::string{text} + "\"}");
    EXPECT_THROW(quote(), wallets::node_refusal) << text;
  }
}

TEST_F(WalletRpcNode, ARateLimitIsAFailureOfTheNode) {
  gas_is(R"({"code":-32005,"message":"daily request count exceeded, request rate limited"})");
  try {
    quote();
    FAIL() << "nothing was thrown";
  } catch (const wallets::node_refusal& why) {
    FAIL() << why.what();
  } catch (const wallets::node_failure&) {
  }
}

TEST_F(WalletRpcNode, SaysWhetherItKnowsATransaction) {
  server.answer(R"({"jsonrpc":"2.0","id":1,"result":null})", "200 OK");
  EXPECT_FALSE((wallet_rpc_node{server.url(), 2000ms, given_up}.knows({})));
  server.answer("<html>", "502 Bad Gateway");
  EXPECT_THROW((wallet_rpc_node{server.url(), 2000ms, given_up}.knows({})), wallets::node_failure);
}

TEST(SendErrors, ATypeThatANodeDoesNotKnowIsRefused) {
  EXPECT_EQ(result_of({-32000, "unknown transaction type", {}}), wallets::send_result::refused);
  EXPECT_EQ(result_of({-32000, "known transaction: 0xab", {}}), wallets::send_result::already_known);
}

} // namespace
} // namespace credence::http
