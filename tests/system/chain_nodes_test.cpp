#include "tests/system/followed_chain.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>

/// Nodes that are behind, of another chain, or of another history; and the server killed while it catches up.
namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

constexpr std::string_view block_method = "eth_getBlockByNumber";

std::string hex(std::uint64_t number) {
  char out[19];
  std::snprintf(out, sizeof out, "0x%llx", static_cast<unsigned long long>(number));
  return out;
}

class Nodes : public followed_behind_a_liar {
protected:
  /// A node whose newest block is `head`, whatever comes after that.
  lying_node::item_lie stuck_at(std::uint64_t head) {
    const auto newest = node.ask(block_method, "[\"" + hex(head) + "\",false]");
    return [head, newest](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
      if (question.method == "eth_getLogs" && question.params.find("blockHash") != std::string::npos)
        return R"("error":{"code":-32000,"message":"unknown block"})";
      if (question.method == "eth_getLogs")
        return R"("result":[])";
      if (question.method != block_method)
        return member;
      if (question.params.starts_with("[\"latest"))
        return "\"result\":" + newest;
      const bool by_number = question.params.starts_with("[\"0x");
      return by_number && std::stoull(question.params.substr(2), nullptr, 16) > head ? R"("result":null)" : member;
    };
  }
};

TEST_F(Nodes, OneThatIsStuckIsNotWaitedFor) {
  node.mine(3);
  own.start(flags_for(liar.url() + "," + node.url()));
  ASSERT_TRUE(reaches_head());
  liar.lie(stuck_at(node.head()));
  for (int round = 0; round < 3; ++round) {
    two_events();
    ASSERT_TRUE(reaches_head()) << "by the other node";
  }
  expect_no_trace();
}

TEST_F(Nodes, OneThatIsBehindIsWaitedForWhereThereIsNoOther) {
  start_behind();
  two_events();
  ASSERT_TRUE(reaches_head());
  liar.lie(stuck_at(node.head() - 1));
  two_events();
  ASSERT_TRUE(liar.lies_reach(10));
  EXPECT_EQ(stored(), 2);
  EXPECT_NE(status().find(R"("state":"following")"), std::string::npos) << status();
  liar.tell_the_truth();
  ASSERT_TRUE(reaches_head());
  expect_no_trace();
}

/// A backend that is behind answers a range with no logs and without its last block: none of the range is skipped.
TEST_F(Nodes, LogsAreNotMissedWhereABackendIsBehind) {
  two_events();
  node.mine(200);
  two_events();
  const auto ranges = std::make_shared<std::atomic<int>>(0); // the node may lie longer than the test goes on
  liar.lie([ranges](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const bool of_range =
      !question.alone && question.params != R"(["0x0",false])" && *ranges < 5; // block 0 is the one that is stored
    if (of_range && question.method == "eth_getLogs") {
      ++*ranges; // the block was asked for before
      return R"("result":[])";
    }
    return of_range && question.params.starts_with("[\"0x") ? R"("result":null)" : member;
  });
  start_behind();
  ASSERT_TRUE(liar.lies_reach(10));
  ASSERT_TRUE(reaches_head());
  expect_no_trace();
}

/// As nodes do that have thrown old receipts away, or lost their index.
TEST_F(Nodes, OneWithoutOldLogsIsNotAskedForThem) {
  two_events();
  node.mine(200);
  two_events();
  node.mine(200);
  liar.lie([](const rpc_question& question, const std::string& member) {
    const bool of_range = question.method == "eth_getLogs" && question.params.find("fromBlock") != std::string::npos;
    return std::optional{of_range ? std::string{R"("result":[])"} : member};
  });
  own.start(flags_for(liar.url() + "," + node.url()));
  ASSERT_TRUE(reaches_head()) << "by the other node";
  expect_no_trace();
  EXPECT_NE(status().find(R"("endpointsWithoutPast":1)"), std::string::npos) << status();
  EXPECT_TRUE(metric_becomes("credence_chain_endpoints_without_past", 1));
  EXPECT_TRUE(own.logs("chain_endpoint_without_past")) << own.log();
  const auto before = liar.asked("eth_getLogs");
  two_events();
  ASSERT_TRUE(reaches_head());
  EXPECT_GT(liar.asked("eth_getLogs"), before) << "new blocks come from it";
  expect_no_trace();
}

TEST_F(Nodes, ALogThatTheBloomLacksIsNotBelieved) {
  own.start(flags_for(liar.url() + "," + node.url()));
  two_events();
  ASSERT_TRUE(reaches_head());
  liar.lie([](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const auto at = member.find(R"("topics":["0x)");
    auto told = member;
    if (question.method == "eth_getLogs" && at != std::string::npos)
      told.replace(at + 13, 64, std::string(64, '9'));
    return told;
  });
  two_events();
  ASSERT_TRUE(reaches_head()) << "by the other node";
  EXPECT_TRUE(status_becomes("endpointsWrong", "1"));
  EXPECT_TRUE(metric_becomes("credence_chain_endpoints_wrong", 1));
  liar.tell_the_truth();
  expect_stored_is_the_chain();
}

TEST_F(Nodes, AnotherChainBehindTheSameUrlIsNoticed) {
  start_behind();
  two_events();
  ASSERT_TRUE(reaches_head());
  liar.lie_whole([](const std::string&) { return std::optional{rpc_reply{"", "502 Bad Gateway"}}; });
  ASSERT_TRUE(liar.lies_reach(1));
  liar.lie([](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == "eth_chainId" ? std::string{R"("result":"0x5")"} : member};
  });
  two_events();
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("the node is of chain 5")) << own.log();
  EXPECT_EQ(stored(), 2);
  EXPECT_EQ(own.client().get("/readyz").status, 200);
  own.kill_hard();
  liar.tell_the_truth();
  start_behind();
  ASSERT_TRUE(reaches_head());
  expect_no_trace();
}

TEST_F(Nodes, AReceiptWithoutItsBlockIsPending) {
  start_behind();
  const auto tx = node.emit(evm_node::contract(3), joined(1)); // of nobody who is followed: no row tells of it
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
  liar.lie([](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == "eth_getTransactionReceipt" ? std::string{R"("result":null)"} : member};
  });
  EXPECT_EQ(processed(tx).body, R"({"processed":false,"status":"pending"})");
  EXPECT_EQ(process(tx).body, R"({"ok":true,"data":{"success":false,"transaction":null,"event":null}})");
  const auto other = [](std::string text) { // the hash of the block, in the receipt and in its logs
    constexpr std::string_view member = R"("blockHash":"0x)";
    for (auto at = text.find(member); at != std::string::npos; at = text.find(member, at + 1)) {
      auto& digit = text[at + member.size()];
      digit = digit == 'a' ? 'b' : 'a';
    }
    return text;
  };
  liar.lie([other](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == "eth_getTransactionReceipt" ? other(member) : member};
  });
  EXPECT_EQ(processed(tx).body, R"({"processed":false,"status":"pending"})")
    << "the receipt is of a block that is not in the chain";
  liar.lie([](const rpc_question& question, const std::string& member) {
    const bool about_tx = question.method.find("Transaction") != std::string::npos;
    return std::optional{about_tx ? std::string{R"("error":{"code":-32603,"message":"internal error"})"} : member};
  });
  EXPECT_EQ(processed(tx).status, 503);
}

/// Of another history: whoever asks is told, and what is stored stays.
TEST_F(Nodes, AReorganisationBelowTheLastFinalBlockHalts) {
  evm_node shallow{{"--slots-in-an-epoch", "1"}}; // two blocks behind the newest one are final
  for (int i = 1; i <= 12; ++i)
    shallow.emit(profiles, joined(i));
  const auto reaches = [&] { return status_becomes("tip", "{\"number\":" + std::to_string(shallow.head()) + ","); };
  own.start(flags_for(shallow.url()));
  ASSERT_TRUE(reaches());
  shallow.ask("anvil_reorg", "[8, []]");
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("which is final, is another one than the one that is stored")) << own.log();
  EXPECT_TRUE(metric_becomes(R"(credence_chain_state{state="halted"})", 1));
  EXPECT_NE(status().find(R"("endpointsWrong":1)"), std::string::npos) << status();
  EXPECT_EQ(stored(), 12) << "nothing is destroyed";
  EXPECT_EQ(number("SELECT count(*) FROM chain_orphans"), 0);
  EXPECT_EQ(own.client().get("/readyz").status, 200);
  EXPECT_EQ(own.client().get("/api/v2/internal/listings?limit=1").status, 200);
  verify();
  own.kill_hard();
  auto flags = flags_for(shallow.url());
  flags.insert(flags.end(), {"--chain-required", "true"});
  own.launch(flags);
  ASSERT_TRUE(status_becomes("state", "\"halted\"")) << "a restart decides nothing";
  EXPECT_EQ(own.client().get("/readyz").status, 503);
  EXPECT_EQ(stored(), 12);
}

/// A thousand events, the node slow, the server killed again and again while it catches up.
TEST_F(Nodes, KillsWhileCatchingUpLoseAndDoubleNothing) {
  std::mt19937 random{3};
  for (int block = 0; block < 50; ++block) {
    node.ask("evm_setAutomine", "[false]");
    for (int i = 0; i < 20; ++i)
      node.send(profiles, encode_log(joined(++profile)));
    node.mine(1);
  }
  node.ask("evm_setAutomine", "[true]");
  node.mine(100);
  liar.lie_whole([](const std::string&) {
    std::this_thread::sleep_for(3ms);
    return std::optional<rpc_reply>{};
  });
  auto flags = flags_for(liar.url());
  flags.insert(flags.end(), {"--chain-range-max", "3"});
  for (int kill = 0; kill < 6; ++kill) {
    own.start(flags);
    std::this_thread::sleep_for(std::chrono::milliseconds{20 + random() % 200});
    own.kill_hard();
  }
  own.start(flags);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(stored(), 1000);
  EXPECT_EQ(number("SELECT max(id) FROM chain_events"), 1000);
  expect_no_trace();
}

} // namespace
} // namespace credence::test
