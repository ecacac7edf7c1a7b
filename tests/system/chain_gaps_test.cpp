#include "tests/system/followed_chain.hpp"

#include <simdjson.h>

#include <cstdio>

/// Nodes that leave logs out of their answers: the ids of contracts give them away.
namespace credence::test {
namespace {

using namespace chain;

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

class Gaps : public followed_behind_a_liar {
protected:
  void start_with(const std::string& urls) {
    auto flags = flags_for(urls);
    flags.insert(flags.end(), {"--chain-kinds", "identity", "--chain-id-offset", "100000"});
    own.start(flags);
  }
  void join(int number) { node.emit(profiles, joined(number)); }
  void expect_all_are_there(int people) {
    EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'applied'"), people);
    EXPECT_EQ(number("SELECT count(*) FROM profiles WHERE source = 'chain' AND NOT orphaned"), people);
    EXPECT_NE(status().find(R"("endpointsWrong":1)"), std::string::npos) << status();
    EXPECT_NE(status().find(R"("missing":[])"), std::string::npos) << status();
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
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'applied'"), 2);
  EXPECT_NE(status().find(R"("missing":[{"of":"profile","first":2,"last":3}])"), std::string::npos) << status();
  EXPECT_NE(status().find(R"("endpointsWrong":0)"), std::string::npos) << status();
  EXPECT_TRUE(metric_becomes("credence_chain_id_gaps_total", 1));
}

} // namespace
} // namespace credence::test
