#include "tests/system/faults.hpp"
#include "tests/system/followed_chain.hpp"

#include <random>

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
  ASSERT_TRUE(follows());
  EXPECT_EQ(how_many("chain_events"), 3);
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed' AND reason = 'bad_topics'"), 1);
  const auto answer = ok(process(first));
  EXPECT_TRUE(has(answer.body, R"({"ok":true,"data":{"success":true,"transaction":{"transactionHash":")" + first));
  EXPECT_TRUE(tells(answer.body, "/data/transaction/blockNumber", "1n", "/data/transaction/status", "success",
                    "/data/event/id", 1, "/data/event/txHash", first, "/data/event/contract", "profile"));
  EXPECT_EQ(
    json_text(answer.body, "/data/event/logData"),
    R"({"eventName":"ProfileCreated","args":{"profileId":1,"addr":"0x0000000000000000000000000000000000000001"}})");
  EXPECT_TRUE(has(answer.body, R"("processed":true,"jobCreated":true)"));
  EXPECT_EQ(json_text(process(second).body, "/data/event/reason"), "unknown_topic");
  EXPECT_TRUE(has(process(third).body, R"("success":false)"));
  EXPECT_TRUE(has(process(third).body, R"("processed":false)"));
  EXPECT_TRUE(has(own.client().get("/api/v2/chain/status").body, R"("failedEvents":1)"));
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
  EXPECT_TRUE(has(process(waiting).body, R"("success":true)"));
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
  ASSERT_TRUE(follows());
  const auto before = node.emit(profiles, joined(6));
  ASSERT_TRUE(reaches_head());
  node.ask("anvil_reorg", "[3, []]"); // three other blocks, without transactions
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  node.emit(profiles, joined(7));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_events"), 4);
  EXPECT_EQ(how_many("chain_orphans"), 3);
  EXPECT_EQ(number("SELECT max(id) FROM chain_events"), 7);
  EXPECT_EQ(processed(before).body, R"({"processed":false,"status":"not_found"})");
  verify();
}

TEST_F(Chain, ALongReorganisationIsTakenBackInPieces) {
  node.mine(60);
  for (int i = 1; i <= 10; ++i) {
    node.emit(profiles, joined(i));
    node.mine(4);
  }
  ASSERT_TRUE(follows());
  const auto pieces = [&] { return number("SELECT taken_back FROM chain_follow"); };
  node.ask("anvil_reorg", "[50, []]");
  node.emit(profiles, joined(11));
  ASSERT_TRUE(reaches_head());
  EXPECT_GE(pieces(), 3) << "votes wait for each";
  EXPECT_TRUE(status_becomes("reorganisations", "1")) << "it is one, all the same";
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 1);
  expect_stored_is_the_chain();
  const auto before = pieces();
  node.ask("anvil_reorg", "[50, []]");
  EXPECT_TRUE(await("the first piece", [&] { return pieces() > before; }));
  own.kill_hard();
  start();
  node.emit(profiles, joined(12));
  ASSERT_TRUE(reaches_head());
  expect_stored_is_the_chain();
  verify();
}

TEST_F(Chain, AShorterChainIsNoEvidence) {
  node.emit(profiles, joined(1));
  const auto snapshot = node.ask("evm_snapshot");
  node.emit(profiles, joined(2));
  ASSERT_TRUE(follows());
  node.ask("evm_revert", "[" + snapshot + "]");
  std::this_thread::sleep_for(500ms); // nothing may be taken back, however often the node is asked meanwhile
  EXPECT_EQ(how_many("chain_events"), 2);
  node.emit(profiles, joined(3));
  node.emit(profiles, joined(4));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_events"), 3);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 1);
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
  EXPECT_EQ(how_many("chain_events"), sent);
  EXPECT_EQ(number("SELECT max(id) FROM chain_events"), sent);
  EXPECT_EQ(number("SELECT count(DISTINCT tx_hash) FROM chain_events"), sent);
  verify();
}

TEST_F(Chain, WithoutANodeEverythingElseGoesOn) {
  const auto tx = node.emit(profiles, joined(1));
  own.start(hasty_flags_for(node.url()));
  ASSERT_TRUE(reaches_head());
  node.stop();
  ASSERT_TRUE(status_becomes("state", "\"unavailable\""));
  const auto answer = processed("0x" + std::string(64, 'b'));
  EXPECT_EQ(code(answer), "503 BLOCKCHAIN_UNAVAILABLE");
  EXPECT_TRUE(answer.headers.contains("retry-after"));
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})") << "known from rows";
  EXPECT_EQ(own.client().get("/readyz").status, 200);
  node.go_on();
  node.emit(profiles, joined(2));
  EXPECT_TRUE(reaches_head());
}

TEST_F(Chain, TheServiceIsReadyOnlyWithTheChainWhereThatIsRequired) {
  auto flags = hasty_flags_for(node.url());
  flags.push_back("--chain-required");
  flags.push_back("true");
  own.start(flags);
  node.stop();
  ASSERT_TRUE(status_becomes("state", "\"unavailable\""));
  const auto answer = own.client().get("/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(has(answer.body, R"("chain":false)"));
  node.go_on();
  EXPECT_TRUE(own.becomes_ready());
}

TEST_F(Chain, ANodeOfAnotherChainIsNotUsed) {
  evm_node other{{"--chain-id", "5"}};
  node.emit(profiles, joined(1));
  own.start(flags_for(other.url() + "," + node.url()));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(status_becomes("endpointsWrong", "1"));
  EXPECT_EQ(how_many("chain_events"), 1);
}

TEST_F(Chain, OtherContractsThanBeforeAreRefused) {
  ASSERT_TRUE(follows());
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
  EXPECT_FALSE(has(operators.get("/metrics").body, "credence_chain_"));
}

// The writer of a chain beside that of votes: when it dies, the server ends and the next one goes on; when it stands
// still, votes go on.

using std::chrono::steady_clock;

struct ChainWatch : followed_chain {
  ChainWatch() {
    own.run_with(actors.in_front());
    own.keep_production_times(); // how long the writer may stand still follows from these
  }

  void emit(int first, int last) {
    for (int profile = first; profile <= last; ++profile)
      node.emit(profiles, joined(profile));
  }
  bool takes_a_vote(int project) {
    const auto answer = own.client().post("/api/v2/projects/" + std::to_string(project) + "/votes",
                                          R"({"voteType":"BULLISH"})", own.token(1));
    return answer.status == 200;
  }

  faulty_actors actors;
};

TEST_F(ChainWatch, AChainWriterThatDiesEndsTheServerAndTheNextOneGoesOn) {
  emit(1, 20);
  ASSERT_TRUE(follows());
  ASSERT_TRUE(takes_a_vote(2));
  emit(21, 40); // it has work
  ASSERT_TRUE(actors.order("kill chain writer")) << "there is nobody of that name";
  EXPECT_EQ(own.ends(), part_died);
  start(); // as systemd would
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(stored(), 40);
  EXPECT_EQ(how_many("votes WHERE voter_id = 1 AND project_id = 2 AND cast_at > now() - interval '10 minutes'"), 1);
  EXPECT_TRUE(takes_a_vote(3));
  expect_stored_is_the_chain();
  verify();
}

TEST_F(ChainWatch, LivezIsRedWhileTheChainWriterStandsStillAndVotesGoOn) {
  emit(1, 20);
  ASSERT_TRUE(follows());
  ASSERT_TRUE(actors.order("hold chain writer"));
  emit(21, 40);
  const auto began = steady_clock::now();
  auto livez = own.client().get("/livez");
  int project = 2;
  EXPECT_TRUE(await("a red /livez", [&] {
    if (project <= 6)
      EXPECT_TRUE(takes_a_vote(project)) << project;
    ++project;
    std::this_thread::sleep_for(100ms);
    livez = own.client().get("/livez");
    return livez.status != 200;
  }));
  EXPECT_LT(seconds_since(began), 10 * bars::slack());
  EXPECT_TRUE(has(livez.body, "chain writer"));
  EXPECT_EQ(stored(), 20) << "nothing of the chain is written meanwhile";
  EXPECT_TRUE(takes_a_vote(7)) << "votes have a writer of their own";
  ASSERT_TRUE(actors.order("go on"));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(await("a green /livez", [&] { return own.client().get("/livez").status == 200; }));
  EXPECT_EQ(stored(), 40);
  expect_stored_is_the_chain();
  verify();
}

} // namespace
} // namespace credence::test
