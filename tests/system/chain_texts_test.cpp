#include "actors/chain/calls.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_chain.hpp"

namespace credence::test {
namespace {

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
struct ChainTexts : followed_behind_a_liar {
  void begin() {
    auto flags = flags_for(liar.url());
    flags[7] = "profile=" + profiles + ",review=" + reviews + ",discussion=" + discussions;
    flags.insert(flags.end(), {"--chain-kinds", "identity,review,reply", "--chain-id-offset", std::to_string(offset)});
    start_by(flags);
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
  EXPECT_TRUE(metric_becomes("credence_chain_texts_read_total{state=\"here\"}", 1));
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
  EXPECT_TRUE(has(process(tx).body, R"("success":true)")) << "the event is in";
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
  EXPECT_EQ(how_many("chain_texts"), 0);
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
  EXPECT_TRUE(has(own.client().get("/api/v2/replies/review/1005").body, "I agree"));
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

/// What is read from contracts about records besides their texts: whom bonds are about, who invited somebody, what
/// wallets held.

const std::string bonds = reviews, tokens = evm_node::contract(3);
const std::string bond_function =
  "bondOf(uint256) returns ((uint256 bondId, uint256 subjectProfileId, string statement, uint256 expiration))";

struct ContractReads : followed_behind_a_liar {
  void begin(const std::string& function = bond_function) {
    auto flags = flags_for(liar.url());
    flags[7] = "profile=" + profiles + ",bond=" + bonds + ",whuffie=" + tokens;
    flags.insert(flags.end(),
                 {"--chain-kinds", "identity,bond,token", "--chain-id-offset", "1000", "--chain-reads-bond", function});
    start_by(flags);
  }
  void join(int number) { node.emit(profiles, profile_events::profile_created{{number}, who(number)}); }
  std::string bond(int number, int author) {
    return node.emit(bonds, bond_events::bond_created{{number}, {author}, "HUMAN", "500", "XP"});
  }
  static std::string bond_call(int number) { return call_data("bondOf(uint256)", uint256(number)); }
  /// The contract returns the bond from now on.
  void bond_is(int number, int subject, const std::string& statement = "met them") {
    node.answer(bonds, bond_call(number),
                abi_encode(uint256{32})
                  + abi_encode(uint256(number), uint256(subject), statement, uint256{1'900'000'000}));
  }
  static std::string status_of(int profile) {
    return "SELECT coalesce(human_verification, 'none') FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = "
           + std::to_string(1000 + profile) + ")";
  }
};

TEST_F(ContractReads, OfBondsVerifyAPersonAndGoWithAReorganisation) {
  for (int i = 1; i <= 4; ++i) {
    join(i);
    bond_is(i, 4, "number " + std::to_string(i));
  }
  begin();
  bond(1, 1);
  bond(2, 2);
  ASSERT_TRUE(becomes(status_of(4), "PENDING"));
  const auto tx = bond(3, 3);
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})") << "that waits for what is read";
  EXPECT_TRUE(becomes(status_of(4), "VERIFIED")) << "once the two bonds before it have been read, too";
  const auto seen = [&] { return own.client().get("/api/v2/user/by/profile-id/1004").body; };
  EXPECT_TRUE(comes_true([&] { return seen().find("\"VERIFIED\"") != std::string::npos; })) << seen();
  EXPECT_TRUE(becomes("SELECT string_agg(statement || ' ' || extract(year FROM expires_at AT TIME ZONE 'UTC'), ', ' "
                      "ORDER BY id) FROM bonds",
                      "number 1 2030, number 2 2030, number 3 2030"));
  expect_whole();
  own.kill_hard();
  node.ask("anvil_reorg", "[1, []]"); // the third bond is gone
  begin();
  ASSERT_TRUE(becomes("SELECT count(*) FROM bonds", "2"));
  EXPECT_TRUE(becomes(status_of(4), "PENDING"));
  EXPECT_TRUE(becomes("SELECT count(*) FROM chain_texts WHERE kind = 'bond'", "2"));
  expect_whole();
}

TEST_F(ContractReads, ThatRevertOrMakeNoSenseLeaveTheRecordAsItIs) {
  for (int i = 1; i <= 4; ++i)
    join(i);
  bond_is(1, 4);
  node.answer(bonds, bond_call(2), "garbage");
  node.answer(bonds, bond_call(3), abi_encode(uint256{1} << 255));
  begin();
  for (int i = 1; i <= 3; ++i)
    bond(i, i);
  ASSERT_TRUE(becomes("SELECT string_agg(state || ' ' || coalesce(reason, 'well'), ', ' ORDER BY id) FROM chain_texts",
                      "here well, failed truncated, failed bad_offset"));
  EXPECT_TRUE(becomes(status_of(4), "PENDING"));
  EXPECT_TRUE(becomes("SELECT count(*) FROM bonds WHERE subject_profile IS NULL", "2"));
  node.ask("anvil_setCode", "[\"" + bonds + "\",\"0x60006000fd\"]"); // reverts
  EXPECT_EQ(own.command({"chain", "retry-texts"}).out, "2 texts are tried again\n");
  ASSERT_TRUE(becomes("SELECT string_agg(state || ' ' || coalesce(reason, 'well'), ', ' ORDER BY id) FROM chain_texts",
                      "here well, failed reverted, failed reverted"));
  EXPECT_TRUE(becomes(status_of(4), "PENDING"));
  expect_whole();
}

TEST_F(ContractReads, ThatAreSlowHoldUpNothingAndSurviveARestart) {
  for (int i = 1; i <= 4; ++i) {
    join(i);
    bond_is(i, 4);
  }
  begin();
  ASSERT_TRUE(reaches_head());
  liar.hang("eth_call");
  for (int i = 1; i <= 3; ++i)
    bond(i, i);
  EXPECT_TRUE(reaches_head()) << "events do not wait for reads";
  EXPECT_TRUE(becomes("SELECT count(*) FROM bonds WHERE subject_profile IS NULL", "3"));
  own.kill_hard();
  liar.go_on();
  begin();
  ASSERT_TRUE(becomes(status_of(4), "VERIFIED"));
  expect_whole();
}

TEST_F(ContractReads, WithoutAFunctionOfBondsNobodyWaitsForThem) {
  join(1);
  begin("");
  const auto tx = bond(1, 1);
  EXPECT_EQ(processed(tx, 20'000).body, R"({"processed":true,"status":"processed"})");
  EXPECT_EQ(own.command({"chain", "texts"}).out, "bond wanted: 1 text\n");
  EXPECT_TRUE(metric_becomes("credence_chain_texts_wanted", 0));
  expect_whole();
  own.kill_hard();
  bond_is(1, 1);
  begin(); // with the function, whose contract says that the bond is its author's own
  ASSERT_TRUE(becomes("SELECT state || ' ' || reason FROM chain_texts", "here own_bond"));
}

TEST_F(ContractReads, TellWhoInvitedAndWhatWasHeldBefore) {
  join(1);
  join(2);
  node.answer(profiles, call_data("inviteInfoForProfileId(uint256)", uint256{3}),
              abi_encode(uint256{32})
                + abi_encode(std::vector<address>{}, std::vector<uint256>{}, uint256{5}, uint256{2}));
  node.answer(tokens, call_data("balanceOf(address)", who(1)), abi_encode(uint256{70}));
  begin();
  node.emit(profiles, profile_events::user_invited{{1}, who(3)});
  node.emit(profiles, profile_events::user_invited{{2}, who(3)});
  join(3);
  node.emit(tokens, whuffie_events::transfer{who(1), who(2), 30});
  ASSERT_TRUE(becomes("SELECT coalesce(invited_by, 0) FROM profiles WHERE id = 1003", "1002"));
  ASSERT_TRUE(
    becomes("SELECT holdings_wei FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = 1001)", "70"));
  expect_whole();
  node.ask("anvil_reorg", "[2, []]"); // the transfer, and the third person
  ASSERT_TRUE(becomes("SELECT count(*) FROM chain_texts", "0"));
  EXPECT_TRUE(becomes(
    "SELECT count(*) FROM profiles WHERE id = 1003 AND (invited_by IS NOT NULL OR read_inviter IS NOT NULL)", "0"));
  EXPECT_TRUE(becomes("SELECT count(*) FROM token_balances", "0"));
  expect_whole();
}

} // namespace
} // namespace credence::test
