#include "tests/system/followed_chain.hpp"

#include <simdjson.h>

#include <algorithm>
#include <functional>
#include <future>

/// What a node answers that cannot be true, or that it does not answer at all.
namespace credence::test {
namespace {

using namespace chain;
using namespace std::chrono_literals;

constexpr std::string_view logs_method = "eth_getLogs";
constexpr std::string_view block_method = "eth_getBlockByNumber";

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

class LyingNodes : public followed_behind_a_liar {
protected:
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
  start_behind();
  ASSERT_TRUE(reaches_head());
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
  start_behind();
  ASSERT_TRUE(reaches_head());
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
  start_behind();
  ASSERT_TRUE(reaches_head());
  const auto idle = own.resident();
  for (const auto& each : lies_about_bodies())
    while_lying(
      each.name, [&] { liar.lie_whole(each.how); }, [&] { two_events(); });
  EXPECT_LT(own.resident() - idle, 192 * 1024 * 1024) << "an answer of 40 MB is not kept";
  expect_no_trace();
}

TEST_F(LyingNodes, ANodeThatHangsIsUnavailableAndNothingElseIs) {
  start_behind();
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
  EXPECT_EQ(number("SELECT count(*) FROM chain_follow"), 0);
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
  start_behind();
  ASSERT_TRUE(reaches_head());
  for (const auto& each : parts) {
    SCOPED_TRACE(each.name);
    liar.lie(each.how);
    two_events();
    EXPECT_TRUE(reaches_head());
    node.mine(150); // by ranges
    two_events();
    EXPECT_TRUE(reaches_head());
    EXPECT_GE(liar.lies(), 1);
  }
  liar.lie_whole([](const std::string& body) {
    return body.starts_with("[")
             ? std::optional{rpc_reply{R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}})"}}
             : std::nullopt;
  });
  two_events();
  node.mine(150);
  two_events();
  EXPECT_TRUE(reaches_head());
  EXPECT_GE(liar.lies(), 1);
  expect_no_trace();
}

} // namespace
} // namespace credence::test
