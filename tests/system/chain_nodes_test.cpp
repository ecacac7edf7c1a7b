#include "tests/system/followed_chain.hpp"

#include <simdjson.h>

#include <cstdio>
#include <future>
#include <random>

/// Nodes that are behind, of another chain, or of another history; and the server killed while it catches up.
namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

using std::chrono::steady_clock;

constexpr std::string_view block_method = "eth_getBlockByNumber";

std::string hex(std::uint64_t number) {
  char out[19];
  std::snprintf(out, sizeof out, "0x%llx", static_cast<unsigned long long>(number));
  return out;
}

struct Nodes : followed_behind_a_liar {
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
  EXPECT_TRUE(status_becomes("state", "\"following\""));
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
  EXPECT_TRUE(status_becomes("endpointsWithoutPast", "1"));
  EXPECT_TRUE(metric_becomes("credence_chain_endpoints_without_past", 1));
  EXPECT_TRUE(own.logs("chain_endpoint_without_past")) << own.log();
  const auto before = liar.asked("eth_getLogs");
  const auto answers_for_new_blocks = [&] { // at once, or once it is asked again after an answer that came late
    two_events();
    return reaches_head() && liar.asked("eth_getLogs") > before;
  };
  EXPECT_TRUE(comes_true(answers_for_new_blocks)) << "new blocks come from it";
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
  ASSERT_TRUE(status_becomes("state", "\"unavailable\"")); // the follower has met it, whoever else has
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
  ASSERT_TRUE(follows_behind());
  expect_no_trace();
}

TEST_F(Nodes, OneBadAnswerOfAGatewayIsEnoughToAskForTheChainAgain) {
  start_behind();
  two_events();
  ASSERT_TRUE(reaches_head());
  const auto failed = std::make_shared<std::atomic<bool>>(false);
  liar.lie_whole([failed](const std::string& body) -> std::optional<rpc_reply> {
    if (body.find("eth_chainId") != std::string::npos)
      return rpc_reply{R"({"jsonrpc":"2.0","id":)" + std::to_string(std::stoull(body.substr(body.find("\"id\":") + 5)))
                       + R"(,"result":"0x5"})"};
    const bool batch = body.starts_with('[');
    return batch && !failed->exchange(true) ? std::optional{rpc_reply{"", "502 Bad Gateway"}} : std::nullopt;
  });
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("the node is of chain 5")) << own.log();
}

TEST_F(Nodes, AReceiptWithoutItsBlockIsPending) {
  start_behind();
  const auto tx = node.emit(evm_node::contract(3), joined(1)); // of nobody who is followed: no row tells of it
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
  liar.lie([](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == "eth_getTransactionReceipt" ? std::string{R"("result":null)"} : member};
  });
  const auto becomes_pending = [&] { // what was said just before is told for a moment
    return await("the receipt that the node tells now",
                 [&] { return processed(tx).body == R"({"processed":false,"status":"pending"})" && liar.lies() > 0; });
  };
  EXPECT_TRUE(becomes_pending());
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
  EXPECT_TRUE(becomes_pending()) << "the receipt is of a block that is not in the chain";
  liar.lie([](const rpc_question& question, const std::string& member) {
    const bool about_tx = question.method.find("Transaction") != std::string::npos;
    return std::optional{about_tx ? std::string{R"("error":{"code":-32603,"message":"internal error"})"} : member};
  });
  EXPECT_TRUE(await("no node to tell of it", [&] { return processed(tx).status == 503; }));
}

TEST_F(Nodes, AreAskedForATransactionOnceForAllWhoWantIt) {
  ASSERT_TRUE(follows_behind());
  const std::string unknown = "0x" + std::string(64, 'a');
  const auto before = liar.asked("eth_getTransactionReceipt");
  const auto began = steady_clock::now();
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 8; ++i)
      crowd.emplace_back([&] {
        for (int times = 0; times < 10; ++times)
          EXPECT_EQ(processed(unknown, 0).body, R"({"processed":false,"status":"not_found"})");
      });
  }
  const auto asked = liar.asked("eth_getTransactionReceipt") - before;
  EXPECT_GT(asked, 0);
  EXPECT_LE(asked, 2 + (steady_clock::now() - began) / 1s)
    << "a node is asked once for all, and not again for a second";
}

TEST_F(Nodes, AreAskedForTransactionsByOneCallerAfterTheOther) {
  ASSERT_TRUE(follows_behind());
  const auto hash_of = [](char digit) { return "0x" + std::string(64, digit); };
  std::mutex guard;
  std::string order; // digits of the hashes, as nodes are asked for them
  liar.lie_whole([&](const std::string& body) -> std::optional<rpc_reply> {
    const std::lock_guard lock{guard};
    for (const auto digit : std::string{"1234567"})
      if (body.find(hash_of(digit)) != std::string::npos && order.find(digit) == std::string::npos)
        order += digit;
    return std::nullopt;
  });
  liar.hang("eth_getTransactionReceipt");
  {
    std::vector<std::jthread> asking;
    const auto ask_for = [&](char digit, int whose) {
      asking.emplace_back([this, path = "/api/v2/transactions/" + hash_of(digit) + "/processed?timeoutMs=0", whose] {
        EXPECT_TRUE(await("an answer", [&] { return own.client().get(path, own.token(whose)).status == 200; }));
      });
    };
    for (const auto digit : std::string{"123456"})
      ask_for(digit, 1);
    EXPECT_TRUE(await("six of one caller", [&] { return metric("credence_http_in_flight") >= 6; }));
    ask_for('7', 2);
    EXPECT_TRUE(await("one of another", [&] { return metric("credence_http_in_flight") >= 7; }));
    liar.go_on();
  }
  liar.tell_the_truth();
  EXPECT_EQ(order.size(), 7u);
  EXPECT_LE(order.find('7'), 2u) << "the other one does not wait for all of the first: " << order;
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
  EXPECT_TRUE(has(status(), R"("endpointsWrong":1)"));
  EXPECT_EQ(stored(), 12) << "nothing is destroyed";
  EXPECT_EQ(how_many("chain_orphans"), 0);
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

/// Nodes that leave logs out of their answers: the ids of contracts give them away.

/// Leaves out the log by which that profile joined, wherever logs are told.
lying_node::item_lie withholding(int profile) {
  char topic[68];
  std::snprintf(topic, sizeof topic, "0x%064x", static_cast<unsigned>(profile));
  return [topic = std::string{topic}](const rpc_question& question, const std::string& member) {
    simdjson::dom::parser parser;
    simdjson::dom::array found;
    const auto answer = "{" + member + "}";
    if (question.method != "eth_getLogs" || parser.parse(answer)["result"].get(found))
      return std::optional{member};
    std::string out;
    for (const auto each : found)
      if (const auto log = simdjson::to_string(each); log.find(topic) == std::string::npos)
        out += (out.empty() ? "" : ",") + log;
    return std::optional{"\"result\":[" + out + "]"};
  };
}

/// Also makes a log up in ranges that end with a log: a copy of that with another place in the block.
lying_node::item_lie accusing_others(int profile) {
  return [withhold = withholding(profile)](const rpc_question& question, const std::string& member) {
    auto told = withhold(question, member);
    const std::string place = R"("logIndex":"0x)";
    const auto last = told->rfind("{\"");
    if (question.params.find("fromBlock") == std::string::npos || question.method != "eth_getLogs"
        || last == std::string::npos)
      return told;
    auto copy = told->substr(last, told->size() - 1 - last);
    const auto at = copy.find(place);
    if (at == std::string::npos)
      return told;
    copy.replace(at + place.size(), copy.find('"', at + place.size()) - at - place.size(), "63");
    told->insert(told->size() - 1, "," + copy);
    return told;
  };
}

struct Gaps : followed_behind_a_liar {
  void start_with(const std::string& urls) {
    auto flags = flags_for(urls);
    flags.insert(flags.end(), {"--chain-kinds", "identity", "--chain-id-offset", "100000"});
    own.start(flags);
  }
  void join(int number) { node.emit(profiles, joined(number)); }
  void expect_all_are_there(int people) {
    EXPECT_EQ(how_many("chain_events WHERE status = 'applied'"), people);
    EXPECT_EQ(how_many("profiles WHERE source = 'chain' AND NOT orphaned"), people);
    EXPECT_TRUE(has(status(), R"("endpointsWrong":1)"));
    EXPECT_TRUE(has(status(), R"("missing":[])"));
    EXPECT_TRUE(own.logs("chain_log_withheld")) << own.log();
    expect_stored_is_the_chain();
    verify();
  }
};

TEST_F(Gaps, ALogThatANodeWithholdsIsTakenFromAnotherOne) {
  lying_node other{node}; // withholds it as well until it is missed: whichever is asked, it is missing at first
  start_with(liar.url() + "," + other.url());
  join(1);
  ASSERT_TRUE(reaches_head());
  liar.lie(withholding(2));
  other.lie(withholding(2));
  join(2);
  ASSERT_TRUE(reaches_head());
  ASSERT_EQ(stored(), 1);
  other.tell_the_truth();
  join(3);
  ASSERT_TRUE(status_becomes("endpointsWrong", "1"));
  ASSERT_TRUE(reaches_head());
  expect_all_are_there(3);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 1) << "the blocks since then are taken back";
}

TEST_F(Gaps, ANodeThatMakesALogUpAccusesNobody) {
  start_with(liar.url() + "," + node.url());
  join(1);
  ASSERT_TRUE(reaches_head());
  liar.lie(accusing_others(2));
  join(2);
  ASSERT_TRUE(reaches_head());
  join(3);
  ASSERT_TRUE(status_becomes("endpointsWrong", "1"));
  ASSERT_TRUE(reaches_head()) << "by the honest one";
  expect_all_are_there(3);
}

TEST_F(Gaps, AlsoWhileCatchingUp) {
  for (int i = 1; i <= 5; ++i)
    join(i);
  node.mine(200);
  liar.lie(withholding(3));
  start_with(liar.url() + "," + node.url());
  ASSERT_TRUE(reaches_head());
  expect_all_are_there(5);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 0);
}

TEST_F(Gaps, WhatNoNodeTellsOfIsListed) {
  start_with(liar.url() + "," + node.url());
  join(1);
  join(4);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_events WHERE status = 'applied'"), 2);
  EXPECT_TRUE(has(status(), R"("missing":[{"of":"profile","first":2,"last":3}])"));
  EXPECT_TRUE(has(status(), R"("endpointsWrong":0)"));
  EXPECT_TRUE(metric_becomes("credence_chain_id_gaps_total", 1));
}

/// What nodes do not answer because it is too much, or too soon.

class LimitsOfNodes : public followed_behind_a_liar {};

/// Moments at which a node was asked for logs while it refused.
struct moments {
  std::mutex guard;
  std::vector<steady_clock::time_point> at;
  void note() {
    const std::lock_guard lock{guard};
    at.push_back(steady_clock::now());
  }
  /// Between the first two; begins anew.
  std::chrono::milliseconds take_gap() {
    const std::lock_guard lock{guard};
    const auto gap = at.size() < 2 ? 0ms : std::chrono::duration_cast<std::chrono::milliseconds>(at[1] - at[0]);
    at.clear();
    return gap;
  }
};

TEST_F(LimitsOfNodes, ANodeThatAsksForAPauseGetsIt) {
  ASSERT_TRUE(follows_behind());
  const auto question = std::make_shared<moments>(); // the node may lie longer than the test goes on
  const auto expect_pause = [&](const char* name, std::chrono::milliseconds least) {
    SCOPED_TRACE(name);
    two_events();
    ASSERT_TRUE(liar.lies_reach(2));
    liar.tell_the_truth();
    EXPECT_TRUE(reaches_head());
    EXPECT_GE(question->take_gap(), least);
  };
  liar.lie_whole([question](const std::string&) {
    question->note();
    return std::optional{rpc_reply{"slow down", "429 Too Many Requests\r\nRetry-After: 2"}};
  });
  expect_pause("429", 1900ms);
  liar.lie([question](const rpc_question& one, const std::string& member) {
    if (one.method != "eth_getLogs")
      return std::optional{member};
    question->note();
    return std::optional<std::string>{R"("error":{"code":-32005,"message":"rate limited: too many requests"})"};
  });
  expect_pause("an error that speaks of rates", 900ms);
  expect_no_trace();
}

/// The blocks of a question for a range of logs; 0 for every other question, also for that about the first block alone,
/// by which a node shows that it has old logs.
std::uint64_t width_of_question(const rpc_question& question) {
  const auto from = question.params.find(R"("fromBlock":"0x)");
  const auto to = question.params.find(R"("toBlock":"0x)");
  if (question.method != "eth_getLogs" || from == std::string::npos || to == std::string::npos)
    return 0;
  const auto first = std::stoull(question.params.substr(from + 15), nullptr, 16),
             last = std::stoull(question.params.substr(to + 13), nullptr, 16);
  return first == 1 && last == 1 ? 0 : last - first + 1;
}

/// Widths of ranges that were asked for, in order.
class noted_widths {
public:
  /// How many there are with this one.
  std::size_t add(std::uint64_t width) {
    const std::lock_guard lock{guard_};
    widths_.push_back(width);
    return widths_.size();
  }
  std::vector<std::uint64_t> all() const {
    const std::lock_guard lock{guard_};
    return widths_;
  }

private:
  mutable std::mutex guard_;
  std::vector<std::uint64_t> widths_;
};

TEST_F(LimitsOfNodes, ASuggestedRangeCountsOnlyWhenItIsNarrower) {
  const auto widths = std::make_shared<noted_widths>();
  two_events();
  node.mine(500);
  liar.lie([widths](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const auto width = width_of_question(question);
    if (width == 0)
      return member;
    const auto count = widths->add(width);
    if (count > 2)
      return member;
    const auto last = count == 1 ? width : 100; // the very range that was asked for, then a narrower one
    return R"("error":{"code":-32000,"message":"query exceeds max results 20000, retry with the range 1-)"
           + std::to_string(last) + R"("})";
  });
  ASSERT_TRUE(follows_behind());
  const auto seen = widths->all();
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[1], seen[0] / 2);
  EXPECT_EQ(seen[2], 100u);
  EXPECT_FALSE(has(own.log(), "the node answered error")) << "a refusal counts as a failure";
  expect_no_trace();
}

/// Refuses logs of more than one contract, or, if it is strict, all lists of logs, and then all receipts of a block at
/// once.
lying_node::item_lie refusing_logs(bool strict) {
  return [strict](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const bool of_many =
      question.method == "eth_getLogs" && (strict || question.params.find("\",\"0x") != std::string::npos);
    if (of_many)
      return R"("error":{"code":-32005,"message":"query returned more than 10000 results"})";
    return strict && question.method == "eth_getBlockReceipts"
             ? R"("error":{"code":-32601,"message":"the method does not exist"})"
             : member;
  };
}

TEST_F(LimitsOfNodes, ABlockWithTooManyLogsIsAskedForInParts) {
  for (const bool strict : {false, true}) {
    SCOPED_TRACE(strict ? "receipts" : "contract by contract");
    liar.lie(refusing_logs(strict));
    two_events();
    node.emit(reviews, joined(1));
    node.mine(140); // far behind
    start_behind();
    two_events(); // near the head
    ASSERT_TRUE(reaches_head());
    liar.tell_the_truth();
    expect_no_trace();
    own.kill_hard();
  }
}

TEST_F(LimitsOfNodes, ALimitOfRatesMakesNoRangeNarrower) {
  const auto widths = std::make_shared<noted_widths>();
  two_events();
  node.mine(500);
  liar.lie([widths](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const auto width = width_of_question(question);
    if (width == 0)
      return member;
    const auto count = widths->add(width);
    return count > 2 ? member : R"("error":{"code":429,"message":"too many requests"})";
  });
  ASSERT_TRUE(follows_behind());
  const auto seen = widths->all();
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[2], seen[0]);
  expect_no_trace();
}

/// What a node answers that cannot be true, or that it does not answer at all.

constexpr std::string_view logs_method = "eth_getLogs";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}
/// The member's value is changed in its first hexadecimal digit.
std::string other_hash(std::string text, const std::string& member) {
  const auto at = text.find("\"" + member + "\":\"0x");
  if (at != std::string::npos) {
    auto& digit = text[at + member.size() + 6];
    digit = digit == 'a' ? 'b' : 'a';
  }
  return text;
}

/// Changes lists of logs that are not empty; the function is given its elements as JSON texts.
lying_node::item_lie about_logs(const std::function<void(std::vector<std::string>&)>& change) {
  return [change](const rpc_question& question, const std::string& member) {
    std::vector<std::string> logs;
    simdjson::dom::parser parser;
    simdjson::dom::array found;
    const auto answer = "{" + member + "}";
    if (question.method != logs_method || parser.parse(answer)["result"].get(found) || found.size() == 0)
      return std::optional{member};
    for (const auto each : found)
      logs.push_back(simdjson::to_string(each));
    change(logs);
    std::string out;
    for (const auto& each : logs)
      out += (out.empty() ? "" : ",") + each;
    return std::optional{"\"result\":[" + out + "]"};
  };
}
/// Changes the first log.
lying_node::item_lie about_a_log(const std::function<std::string(std::string)>& change) {
  return about_logs([change](std::vector<std::string>& logs) { logs[0] = change(logs[0]); });
}
/// Answers every request of that method so.
lying_node::item_lie always(std::string_view method, const std::string& told) {
  return [method, told](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == method ? told : member};
  };
}
/// Changes blocks that are asked for by number.
lying_node::item_lie about_a_block(const std::function<std::string(std::string)>& change) {
  return [change](const rpc_question& question, const std::string& member) {
    return std::optional{question.method == block_method && question.params.starts_with("[\"0x")
                             && member != "\"result\":null"
                           ? change(member)
                           : member};
  };
}

struct lie_case {
  const char* name;
  lying_node::item_lie how;
};
/// Logs that are well formed, and not true.
std::vector<lie_case> lies_about_logs() {
  return {
    {"a log twice", about_logs([](auto& logs) { logs.insert(logs.begin(), logs[0]); })},
    {"logs out of order", about_logs([](auto& logs) { std::swap(logs.front(), logs.back()); })},
    {"a log that was removed",
     about_a_log([](auto log) { return replaced(log, R"("removed":false)", R"("removed":true)"); })},
    {"a log of another block by its hash", about_a_log([](auto log) { return other_hash(log, "blockHash"); })},
    {"a log of another block by its number",
     about_a_log([](auto log) { return replaced(log, R"("blockNumber":"0x)", R"("blockNumber":"0x7)"); })},
    {"a log of another contract", about_a_log([](auto log) { return replaced(log, profiles, evm_node::contract(3)); })},
    {"a log with six topics", about_a_log([](auto log) {
       const std::string word = "\"0x" + std::string(64, '0') + "\",";
       return replaced(log, R"("topics":[)", R"("topics":[)" + word + word + word);
     })},
  };
}
/// Answers that are no lists of logs.
std::vector<lie_case> no_logs() {
  return {
    {"a log whose data is not hexadecimal",
     about_a_log([](auto log) { return replaced(log, R"("data":"0x)", R"("data":"0xzz)"); })},
    {"a log that is a number", about_a_log([](const auto&) { return std::string{"7"}; })},
    {"no list of logs", always(logs_method, R"("result":{})")},
    {"null for logs", always(logs_method, R"("result":null)")},
    {"an unknown block", always(logs_method, R"("error":{"code":-32000,"message":"unknown block"})")},
    {"an error of its own", always(logs_method, R"("error":{"code":-32603,"message":"internal error"})")},
    {"neither a result nor an error", always(logs_method, R"("results":[])")},
  };
}
std::vector<lie_case> lies_about_blocks() {
  return {
    {"a block of another number",
     about_a_block([](auto block) { return replaced(block, R"("number":"0x)", R"("number":"0x7)"); })},
    {"a block without a hash", about_a_block([](auto block) { return replaced(block, R"("hash":)", R"("hush":)"); })},
    {"a block of an absurd time",
     about_a_block([](auto block) { return replaced(block, R"("timestamp":"0x)", R"("timestamp":"0xffffff)"); })},
    {"a block whose bloom is too short",
     about_a_block([](auto block) { return replaced(block, R"("logsBloom":"0x00)", R"("logsBloom":"0x)"); })},
  };
}

struct body_case {
  const char* name;
  lying_node::body_lie how;
};
std::vector<body_case> lies_about_bodies() {
  const auto so = [](std::string body, std::string head = "200 OK") {
    return [body = std::move(body), head = std::move(head)](const std::string&) {
      return std::optional{rpc_reply{body, head}};
    };
  };
  return {
    {"no JSON", so("no JSON")},
    {"JSON that breaks off", so(R"([{"jsonrpc":"2.0","id":1,"resu)")},
    {"nothing", so("")},
    {"a page", so("<html>Bad Gateway</html>", "502 Bad Gateway")},
    {"unavailable", so(R"({"error":"no backend"})", "503 Service Unavailable")},
    {"another place", so("", "302 Found\r\nLocation: http://127.0.0.1:1/")},
    {"a number", so("7")},
    {"nested deeply", so(std::string(100'000, '['))},
    {"ids that were not asked",
     so(R"([{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":1,"result":null}])")},
    {"40 MB", so("[\"" + std::string(40'000'000, 'x') + "\"]")},
  };
}

struct LyingNodes : followed_behind_a_liar {
  /// Lets the node lie while `more` happens on the chain: nothing of it is stored until the node tells the truth.
  template <class Lie, class More>
  void while_lying(const char* name, Lie lie, const More& more) {
    SCOPED_TRACE(name);
    const auto before = stored();
    lie();
    more();
    EXPECT_TRUE(liar.lies_reach(2)) << "the node is not asked again\n" << own.log();
    EXPECT_EQ(stored(), before);
    liar.tell_the_truth();
    EXPECT_TRUE(reaches_head());
  }
};

TEST_F(LyingNodes, AreAskedAgainNearTheHead) {
  ASSERT_TRUE(follows_behind());
  for (const auto& each : lies_about_logs())
    while_lying(
      each.name, [&] { liar.lie(each.how); }, [&] { two_events(); });
  for (const auto& each : no_logs())
    while_lying(
      each.name, [&] { liar.lie(each.how); }, [&] { two_events(); });
  for (const auto& each : lies_about_blocks())
    while_lying(
      each.name, [&] { liar.lie(each.how); }, [&] { two_events(); });
  EXPECT_GE(metric(R"(credence_chain_node_answers_total{result="failed"})"), 36) << "two for each";
  expect_no_trace();
}

TEST_F(LyingNodes, AreAskedAgainWhileCatchingUp) {
  ASSERT_TRUE(follows_behind());
  for (const auto& each : lies_about_logs()) {
    liar.lie_whole([](const std::string&) { return std::optional{rpc_reply{"", "503 Service Unavailable"}}; });
    two_events();
    node.mine(150);
    while_lying(
      each.name, [&] { liar.lie(each.how); }, [] {});
  }
  expect_no_trace();
}

TEST_F(LyingNodes, BodiesThatAreNoAnswerDoNoHarm) {
  ASSERT_TRUE(follows_behind());
  const auto idle = own.resident();
  for (const auto& each : lies_about_bodies())
    while_lying(
      each.name, [&] { liar.lie_whole(each.how); }, [&] { two_events(); });
  EXPECT_LT(own.resident() - idle, 192 * 1024 * 1024) << "an answer of 40 MB is not kept";
  expect_no_trace();
}

TEST_F(LyingNodes, ANodeThatHangsIsUnavailableAndNothingElseIs) {
  own.start(hasty_flags_for(liar.url()));
  ASSERT_TRUE(reaches_head());
  liar.hang(std::string{logs_method});
  two_events();
  ASSERT_TRUE(status_becomes("state", "\"unavailable\""));
  EXPECT_TRUE(metric_becomes(R"(credence_chain_state{state="unavailable"})", 1));
  EXPECT_EQ(own.client().get("/readyz").status, 200);
  EXPECT_EQ(own.client().get("/api/v2/internal/listings?limit=1").status, 200);
  liar.go_on();
  ASSERT_TRUE(reaches_head());
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  expect_no_trace();
}

/// The node refuses batches in every way that nodes do, for as long as this goes on: nothing of it may stop the
/// follower.
TEST_F(LyingNodes, AQuestionBeforeFollowingBeganWaitsForItsBlock) {
  liar.lie([](const rpc_question& question, std::string member) {
    const bool where_to_begin =
      question.method == "eth_getBlockByNumber" && question.params.find("\"0x0\"") != std::string::npos;
    return std::optional{where_to_begin ? std::string{R"("result":null)"} : std::move(member)};
  });
  start_behind();
  const auto tx = node.emit(profiles, joined(1));
  EXPECT_EQ(processed(tx, 0).body, R"({"processed":false,"status":"processing"})");
  auto answer = std::async(std::launch::async, [&] { return processed(tx, 20'000).body; });
  EXPECT_EQ(answer.wait_for(500ms), std::future_status::timeout);
  EXPECT_EQ(how_many("chain_follow"), 0);
  liar.tell_the_truth();
  EXPECT_EQ(answer.get(), R"({"processed":true,"status":"processed"})");
}

TEST_F(LyingNodes, BatchesMayBeRefusedInPartOrAsAWhole) {
  const lie_case parts[]{
    {"the newest block is left out",
     [](const rpc_question& question, const std::string& member) {
       return question.alone || question.params.find("latest") == std::string::npos ? std::optional{member}
                                                                                    : std::nullopt;
     }},
    {"all logs are left out",
     [](const rpc_question& question, const std::string& member) {
       return question.alone || question.method != logs_method ? std::optional{member} : std::nullopt;
     }},
    {"all blocks are left out",
     [](const rpc_question& question, const std::string& member) {
       return question.alone || question.method != block_method ? std::optional{member} : std::nullopt;
     }},
  };
  const auto follows_through = [&](const std::function<void()>& lie) {
    own.kill_hard(); // what it remembers of the node
    lie();
    two_events();
    node.mine(150); // far ahead of the follower, which asks by ranges then
    EXPECT_TRUE(follows_behind());
    two_events();
    EXPECT_TRUE(reaches_head());
    EXPECT_GE(liar.lies(), 1);
  };
  ASSERT_TRUE(follows_behind());
  for (const auto& each : parts) {
    SCOPED_TRACE(each.name);
    follows_through([&] { liar.lie(each.how); });
  }
  for (const auto& answer :
       {rpc_reply{R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}})"},
        rpc_reply{"batch requests are disabled", "400 Bad Request"}, rpc_reply{"", "413 Content Too Large"},
        rpc_reply{"<html></html>", "200 OK"}, rpc_reply{"{}", "200 OK"}, rpc_reply{"", "200 OK"}}) {
    SCOPED_TRACE(answer.head + " " + answer.body);
    follows_through([&] {
      liar.lie_whole(
        [answer](const std::string& body) { return body.starts_with("[") ? std::optional{answer} : std::nullopt; });
    });
  }
  expect_no_trace();
}

} // namespace
} // namespace credence::test
