#include "tests/system/followed_chain.hpp"

#include <random>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

class Chain : public followed_chain {};

TEST_F(Chain, EventsAreStoredAndTold) {
  const auto first = node.emit(profiles, joined(1));
  auto broken = encode_log(joined(2));
  broken.topics.pop_back();
  const auto second = node.emit(reviews, broken); // no event of that contract
  const auto third = node.emit(profiles, broken);
  node.emit(evm_node::contract(3), joined(3)); // of nobody who is followed
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 3);
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'failed' AND reason = 'bad_topics'"), 1);
  const auto answer = process(first);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find(R"({"ok":true,"data":{"success":true,"transaction":{"transactionHash":")" + first),
            std::string::npos)
    << answer.body;
  EXPECT_EQ(json_text(answer.body, "/data/transaction/blockNumber"), "1n");
  EXPECT_EQ(json_text(answer.body, "/data/transaction/status"), "success");
  EXPECT_EQ(json_number(answer.body, "/data/event/id"), 1);
  EXPECT_EQ(json_text(answer.body, "/data/event/txHash"), first);
  EXPECT_EQ(json_text(answer.body, "/data/event/contract"), "profile");
  EXPECT_EQ(
    json_text(answer.body, "/data/event/logData"),
    R"({"eventName":"ProfileCreated","args":{"profileId":1,"addr":"0x0000000000000000000000000000000000000001"}})");
  EXPECT_NE(answer.body.find(R"("processed":true,"jobCreated":true)"), std::string::npos);
  EXPECT_EQ(json_text(process(second).body, "/data/event/reason"), "unknown_topic");
  EXPECT_NE(process(third).body.find(R"("success":false)"), std::string::npos);
  EXPECT_NE(process(third).body.find(R"("processed":false)"), std::string::npos);
  EXPECT_NE(own.client().get("/api/v2/chain/status").body.find(R"("failedEvents":1)"), std::string::npos);
  EXPECT_EQ(own.command({"chain", "failed"}).out, "profile ProfileCreated bad_topics: 1 event, the last one 3\n");
  EXPECT_EQ(json_number(own.command({"chain", "status", "--json"}).out, "/lastEvent"), 3);
  verify();
}

TEST_F(Chain, QuestionsAboutTransactionsAreAnswered) {
  start();
  const std::string unknown = "0x" + std::string(64, 'a');
  EXPECT_EQ(processed(unknown).body, R"({"processed":false,"status":"not_found"})");
  EXPECT_EQ(process(unknown).body, R"({"ok":true,"data":{"success":false,"transaction":null,"event":null}})");
  EXPECT_EQ(json_text(process("0x12").body, "/error/code"), "VALIDATION_ERROR");
  EXPECT_EQ(processed("nothing").status, 400);
  EXPECT_EQ(own.client().get("/api/v1/events/process?txHash=" + unknown).status, 401);
  node.ask("evm_setAutomine", "[false]");
  const auto waiting = node.send(profiles, encode_log(joined(1)));
  EXPECT_EQ(processed(waiting).body, R"({"processed":false,"status":"pending"})");
  while (!node.has_in_block(waiting))
    node.mine(1);
  EXPECT_EQ(processed(waiting, 20'000).body, R"({"processed":true,"status":"processed"})");
  EXPECT_NE(process(waiting).body.find(R"("success":true)"), std::string::npos);
}

TEST_F(Chain, AWantedBlockDoesNotWaitForConfirmations) {
  auto flags = flags_for(node.url());
  flags[9] = "5";
  flags[11] = "60000";
  own.start(flags);
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  const auto tx = node.emit(profiles, joined(1));
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
}

TEST_F(Chain, WhatAReorganisationUndidIsTakenBack) {
  for (int i = 1; i <= 5; ++i)
    node.emit(profiles, joined(i));
  start();
  ASSERT_TRUE(reaches_head());
  const auto before = node.emit(profiles, joined(6));
  ASSERT_TRUE(reaches_head());
  node.ask("anvil_reorg", "[3, []]"); // three other blocks, without transactions
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  node.emit(profiles, joined(7));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 4);
  EXPECT_EQ(number("SELECT count(*) FROM chain_orphans"), 3);
  EXPECT_EQ(number("SELECT max(id) FROM chain_events"), 7);
  EXPECT_EQ(processed(before).body, R"({"processed":false,"status":"not_found"})");
  verify();
}

/// Reorganisations, some of them while another one is being undone, and the server killed in the middle.
TEST_F(Chain, AfterManyReorganisationsWhatIsStoredIsWhatTheChainHas) {
  std::mt19937 random{11};
  node.mine(20);
  start();
  for (int round = 0; round < 25; ++round) {
    for (auto events = random() % 4; events > 0; --events)
      node.emit(profiles, joined(1 + static_cast<int>(random() % 50)));
    if (random() % 3 == 0)
      reaches_head();
    node.ask("anvil_reorg", "[" + std::to_string(1 + random() % 20) + ", []]");
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 200});
    if (round % 8 == 7) {
      own.kill_hard();
      start();
    }
  }
  node.emit(profiles, joined(1));
  ASSERT_TRUE(reaches_head());
  expect_stored_is_the_chain();
  EXPECT_GT(number("SELECT reorganisations FROM chain_follow"), 5);
  EXPECT_EQ(number("SELECT count(*) FROM chain_events") + number("SELECT count(*) FROM chain_orphans"),
            number("SELECT last_event FROM chain_follow"))
    << "every id is of one event";
  verify();
}

TEST_F(Chain, AShorterChainIsNoEvidence) {
  node.emit(profiles, joined(1));
  const auto snapshot = node.ask("evm_snapshot");
  node.emit(profiles, joined(2));
  start();
  ASSERT_TRUE(reaches_head());
  node.ask("evm_revert", "[" + snapshot + "]");
  std::this_thread::sleep_for(500ms); // nothing may be taken back, however often the node is asked meanwhile
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 2);
  node.emit(profiles, joined(3));
  node.emit(profiles, joined(4));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 3);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 1);
}

TEST_F(Chain, OldBlocksComeByRanges) {
  for (int i = 1; i <= 20; ++i) {
    node.emit(profiles, joined(i));
    node.mine(20);
  }
  node.mine(200);
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 20);
  EXPECT_EQ(number("SELECT count(*) FROM (SELECT id, lag(block_number) OVER (ORDER BY id) AS before, block_number FROM "
                   "chain_events) s"
                   " WHERE before >= block_number"),
            0);
  EXPECT_LT(number("SELECT count(*) FROM chain_blocks"), 70) << "what is final is not kept";
  verify();
}

TEST_F(Chain, KillsOfServerAndNodeLoseAndDoubleNothing) {
  std::mt19937 random{7};
  start();
  int sent = 0;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 15; ++i)
      node.emit(profiles, joined(++sent));
    if (round % 3 == 1) {
      node.stop();
      std::this_thread::sleep_for(300ms);
      node.go_on();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 150});
    own.kill_hard();
    if (round % 3 == 2)
      node.restart();
    start();
  }
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), sent);
  EXPECT_EQ(number("SELECT max(id) FROM chain_events"), sent);
  EXPECT_EQ(number("SELECT count(DISTINCT tx_hash) FROM chain_events"), sent);
  verify();
}

TEST_F(Chain, WithoutANodeEverythingElseGoesOn) {
  const auto tx = node.emit(profiles, joined(1));
  start();
  ASSERT_TRUE(reaches_head());
  node.stop();
  ASSERT_TRUE(status_becomes("state", "\"unavailable\""));
  const auto answer = processed("0x" + std::string(64, 'b'));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json_text(answer.body, "/code"), "BLOCKCHAIN_UNAVAILABLE");
  EXPECT_TRUE(answer.headers.contains("retry-after"));
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})") << "known from rows";
  EXPECT_EQ(own.client().get("/readyz").status, 200);
  node.go_on();
  node.emit(profiles, joined(2));
  EXPECT_TRUE(reaches_head());
}

TEST_F(Chain, TheServiceIsReadyOnlyWithTheChainWhereThatIsRequired) {
  auto flags = flags_for(node.url());
  flags.push_back("--chain-required");
  flags.push_back("true");
  own.start(flags);
  node.stop();
  ASSERT_TRUE(status_becomes("state", "\"unavailable\""));
  const auto answer = own.client().get("/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find(R"("chain":false)"), std::string::npos) << answer.body;
  node.go_on();
  EXPECT_TRUE(own.becomes_ready());
}

TEST_F(Chain, ANodeOfAnotherChainIsNotUsed) {
  evm_node other{{"--chain-id", "5"}};
  node.emit(profiles, joined(1));
  own.start(flags_for(other.url() + "," + node.url()));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(status_becomes("endpointsWrong", "1"));
  EXPECT_EQ(number("SELECT count(*) FROM chain_events"), 1);
}

TEST_F(Chain, OtherContractsThanBeforeAreRefused) {
  start();
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  auto flags = flags_for(node.url());
  flags[7] = "profile=" + profiles;
  own.start(flags);
  EXPECT_TRUE(status_becomes("state", "\"halted\""));
}

TEST(WithoutAChain, NothingOfItRuns) {
  service own;
  own.start();
  EXPECT_EQ(own.client().get("/api/v2/chain/status").body, R"({"state":"off"})");
  EXPECT_EQ(own.client().get("/api/v1/events/process?txHash=0x" + std::string(64, 'a'), own.token(1)).status, 404);
  http_client operators{own.operator_port()};
  EXPECT_EQ(operators.get("/metrics").body.find("credence_chain_"), std::string::npos);
}

} // namespace
} // namespace credence::test
