#include "tests/system/followed_chain.hpp"

#include "actors/chain/calls.hpp"
#include "tests/persistence/postgres_fixture.hpp"

/// What is read from contracts about records besides their texts: whom bonds are about, who invited somebody, what
/// wallets held.
namespace credence::test {
namespace {

using namespace chain;

const std::string bonds = reviews, tokens = evm_node::contract(3);
const std::string bond_function =
  "bondOf(uint256) returns ((uint256 bondId, uint256 subjectProfileId, string statement, uint256 expiration))";

address who(int number) {
  address out;
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}

class ContractReads : public followed_behind_a_liar {
protected:
  void begin(const std::string& function = bond_function) {
    flags_ = flags_for(liar.url());
    flags_[7] = "profile=" + profiles + ",bond=" + bonds + ",whuffie=" + tokens;
    flags_.insert(flags_.end(), {"--chain-kinds", "identity,bond,token", "--chain-id-offset", "1000",
                                 "--chain-reads-bond", function});
    own.start(flags_);
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
  static std::string status_of(int profile) {
    return "SELECT coalesce(human_verification, 'none') FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = "
           + std::to_string(1000 + profile) + ")";
  }
  void expect_whole() {
    verify();
    std::vector<std::string> words{"chain", "replay", "--check"};
    words.insert(words.end(), flags_.begin(), flags_.end());
    const auto replayed = own.command(words);
    EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  }

  std::vector<std::string> flags_;
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
