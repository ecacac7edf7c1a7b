#include "tests/system/followed_chain.hpp"

#include "actors/chain/calls.hpp"
#include "actors/domain/hash.hpp"
#include "tests/persistence/postgres_fixture.hpp"

#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

const std::string discussions = evm_node::contract(3);

address who(int number) {
  address out;
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}

event reviewed(int number) {
  return review_events::review_created{review_score::positive, who(1), {}, who(2), {number}, {0}};
}

std::string hex_of(const std::string& bytes) {
  std::string out;
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}
std::string review_bytes(int number, const std::string& comment, const std::string& metadata = "{}") {
  called_review out;
  out.author = who(1);
  out.subject = who(2);
  out.id = {number};
  out.comment = comment;
  out.metadata = metadata;
  std::string bytes;
  solidity<called_review>::append(bytes, out);
  return bytes;
}
std::string reply_bytes(int number, int parent, const std::string& content) {
  called_reply out;
  out.parent_is_original = true;
  out.target = *parse_address(reviews);
  out.author = {1};
  out.id = {number};
  out.parent = {parent};
  out.content = content;
  return abi_encode(std::vector<called_reply>{out});
}

/// Code that returns these bytes whatever is called.
std::string code_returning(const std::string& bytes) {
  const std::byte length[]{static_cast<std::byte>(bytes.size() >> 8), static_cast<std::byte>(bytes.size())};
  std::string size;
  append_hex(size, length);
  return "0x61" + size + "61000f60003961" + size + "6000f3" + hex_of(bytes); // CODECOPY(0, 15, size), RETURN(0, size)
}

/// Reviews and replies are followed through somebody who may change what the node says.
class ChainTexts : public followed_behind_a_liar {
protected:
  void begin() {
    auto flags = flags_for(liar.url());
    flags[7] = "profile=" + profiles + ",review=" + reviews + ",discussion=" + discussions;
    flags.insert(flags.end(), {"--chain-kinds", "identity,review,reply", "--chain-id-offset", std::to_string(offset)});
    own.start(flags);
    flags_ = flags;
  }
  void set_code(const std::string& contract, const std::string& code) {
    node.ask("anvil_setCode", "[\"" + contract + "\",\"" + code + "\"]");
  }
  /// The server is told that contracts return this.
  void contracts_return(const std::string& bytes) {
    liar.lie([hex = hex_of(bytes)](const rpc_question& question, std::string member) -> std::optional<std::string> {
      return question.method == "eth_call" ? "\"result\":\"0x" + hex + "\"" : std::move(member);
    });
  }
  void contracts_fail(const std::string& error) {
    liar.lie([error](const rpc_question& question, std::string member) -> std::optional<std::string> {
      return question.method == "eth_call" ? "\"error\":" + error : std::move(member);
    });
  }
  std::string text(const std::string& sql) {
    auto out = own.database().sql(sql);
    while (!out.empty() && out.back() == '\n')
      out.pop_back();
    return out;
  }
  bool becomes(const std::string& sql, const std::string& value) {
    std::string last;
    const bool good = comes_true([&] { return (last = text(sql)) == value; });
    if (!good)
      ADD_FAILURE() << last << " instead of " << value << "\n" << own.log();
    return good;
  }
  void expect_whole() {
    verify();
    std::vector<std::string> words{"chain", "replay", "--check"};
    words.insert(words.end(), flags_.begin(), flags_.end());
    const auto replayed = own.command(words);
    EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  }

  std::vector<std::string> flags_;
  static constexpr int offset = 1000;
  const std::string comment_of_first = "SELECT comment FROM reviews WHERE id = 1000";
};

TEST_F(ChainTexts, ComeFromTheContractsAfterTheirEvents) {
  node.emit(profiles, joined(1));
  const auto tx = node.emit(reviews, reviewed(0));
  set_code(reviews, code_returning(review_bytes(0, "good work", R"({"description":"long"})")));
  begin();
  ASSERT_TRUE(becomes(comment_of_first, "good work"));
  EXPECT_TRUE(becomes("SELECT metadata FROM reviews", R"({"description":"long"})"));
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
  EXPECT_EQ(own.command({"chain", "texts"}).out, "review here: 1 text\n");
  EXPECT_TRUE(metric("credence_chain_texts_read_total{state=\"here\"}") == 1);
  expect_whole();
}

TEST_F(ChainTexts, AreWaitedForByWhoeverAsksWhetherATransactionIsProcessed) {
  node.emit(profiles, joined(1));
  begin();
  ASSERT_TRUE(reaches_head());
  liar.hang("eth_call");
  const auto tx = node.emit(reviews, reviewed(0));
  EXPECT_EQ(processed(tx, 1500).body, R"({"processed":false,"status":"processing"})");
  EXPECT_TRUE(reaches_head()) << "events do not wait for texts";
  EXPECT_NE(process(tx).body.find(R"("success":true)"), std::string::npos) << "the event is in";
  contracts_return(review_bytes(0, "at last"));
  liar.go_on();
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
  EXPECT_TRUE(becomes(comment_of_first, "at last"));
}

TEST_F(ChainTexts, OfAnEditAreReadAgainAlsoWhenAReorganisationTakesItBack) {
  node.emit(profiles, joined(1));
  node.emit(reviews, reviewed(0));
  contracts_return(review_bytes(0, "first"));
  begin();
  ASSERT_TRUE(becomes(comment_of_first, "first"));
  contracts_return(review_bytes(0, "second"));
  node.emit(reviews, review_events::review_edited{{0}, who(1), who(2)});
  ASSERT_TRUE(becomes(comment_of_first, "second"));
  contracts_return(review_bytes(0, "first"));
  node.ask("anvil_reorg", "[1, []]");
  ASSERT_TRUE(becomes(comment_of_first, "first"));
  EXPECT_EQ(number("SELECT edits FROM reviews"), 0);
  node.ask("anvil_reorg", "[3, []]"); // nothing is left of it
  ASSERT_TRUE(becomes("SELECT count(*) FROM reviews", "0"));
  EXPECT_EQ(number("SELECT count(*) FROM chain_texts"), 0);
  expect_whole();
}

TEST_F(ChainTexts, ThatTheContractRefusesFailAndAreTriedAgainOnDemand) {
  node.emit(profiles, joined(1));
  const auto tx = node.emit(reviews, reviewed(0));
  set_code(reviews, "0x60006000fd"); // reverts
  begin();
  ASSERT_TRUE(becomes("SELECT state || ' ' || reason FROM chain_texts", "failed reverted"));
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})") << "there is nothing to wait for";
  EXPECT_TRUE(becomes(comment_of_first, ""));
  EXPECT_EQ(own.command({"chain", "texts"}).out, "review failed reverted: 1 text\n");
  EXPECT_TRUE(own.logs("chain_text_failed")) << own.log();
  set_code(reviews, code_returning(review_bytes(0, "upgraded")));
  EXPECT_EQ(own.command({"chain", "retry-texts"}).out, "1 text is tried again\n");
  ASSERT_TRUE(becomes(comment_of_first, "upgraded"));
  EXPECT_TRUE(metric("credence_chain_texts_failed") >= 0);
  expect_whole();
}

TEST_F(ChainTexts, OfANodeThatAnswersNothingStayWanted) {
  node.emit(profiles, joined(1));
  node.emit(reviews, reviewed(0));
  contracts_fail(R"({"code":-32000,"message":"missing trie node"})");
  begin();
  ASSERT_TRUE(becomes("SELECT attempts > 4 OR reason = 'unanswered' FROM chain_texts", "t"));
  EXPECT_TRUE(becomes("SELECT state FROM chain_texts", "wanted"));
  contracts_return(review_bytes(0, "there"));
  ASSERT_TRUE(becomes(comment_of_first, "there"));
}

TEST_F(ChainTexts, OneThatMakesNoSenseHoldsUpNoOther) {
  node.emit(profiles, joined(1));
  for (int i = 0; i < 60; ++i)
    node.emit(reviews, reviewed(i));
  liar.lie([](const rpc_question& question, std::string member) -> std::optional<std::string> {
    if (question.method != "eth_call")
      return member;
    for (int i = 0; i < 60; ++i)
      if (question.params.find(hex_of(call_data(calls::reviews, onchain_review{i}))) != std::string::npos)
        return i == 17   ? R"("result":"0xzz")"
               : i == 18 ? R"("error":{"code":3,"message":"execution reverted"})"
                         : "\"result\":\"0x" + hex_of(review_bytes(i, "number " + std::to_string(i))) + "\"";
    return member;
  });
  begin();
  ASSERT_TRUE(becomes("SELECT count(*) FROM reviews WHERE comment = 'number ' || (id - 1000)", "58"));
  ASSERT_TRUE(becomes("SELECT state || ' ' || reason FROM chain_texts WHERE id = 1018", "failed reverted"));
  EXPECT_TRUE(becomes("SELECT state || ' ' || reason FROM chain_texts WHERE id = 1017", "wanted unanswered"));
}

TEST_F(ChainTexts, OfRepliesTellWhatTheyAnswer) {
  node.emit(profiles, joined(1));
  node.emit(discussions, discussion_events::reply_added{{1}, *parse_address(reviews), {0}});
  contracts_return(reply_bytes(0, 5, "I agree"));
  begin();
  ASSERT_TRUE(becomes("SELECT content FROM replies", "I agree"));
  EXPECT_TRUE(becomes("SELECT concat_ws(' ', target_kind, target_id, parent_id) FROM replies", "review 1005"));
  const auto thread = own.client().get("/api/v2/replies/review/1005").body;
  EXPECT_NE(thread.find("I agree"), std::string::npos) << thread;
  expect_whole();
}

TEST_F(ChainTexts, SurviveAKilledServer) {
  node.emit(profiles, joined(1));
  for (int i = 0; i < 20; ++i)
    node.emit(reviews, reviewed(i));
  liar.lie([](const rpc_question& question, std::string member) -> std::optional<std::string> {
    if (question.method != "eth_call")
      return member;
    for (int i = 0; i < 20; ++i)
      if (question.params.find(hex_of(call_data(calls::reviews, onchain_review{i}))) != std::string::npos)
        return "\"result\":\"0x" + hex_of(review_bytes(i, "number " + std::to_string(i))) + "\"";
    return member;
  });
  for (int round = 0; round < 4; ++round) {
    begin();
    std::this_thread::sleep_for(std::chrono::milliseconds{60 * round});
    own.kill_hard();
  }
  begin();
  ASSERT_TRUE(becomes("SELECT count(*) FROM reviews WHERE comment = 'number ' || (id - 1000)", "20"));
  expect_whole();
}

} // namespace
} // namespace credence::test
