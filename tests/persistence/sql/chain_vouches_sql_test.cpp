#include "actors/domain/hash.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using namespace vouch_events;

const address cyd = samples::address_of(3);

/// Profiles 1001 to 1003 of a chain, who vouch for each other.
class ChainVouches : public ChainRows {
protected:
  ChainVouches() {
    apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob},
           profile_events::profile_created{{3}, cyd}});
  }
  static event vouch(int number, int author, int subject, wei staked = 1000, wei deposited = 1000) {
    return early_vouched{{number}, {author}, {subject}, staked, deposited};
  }
  static event whuf(int number, const address& by, const std::string& target, wei balance) {
    return vouch_v2_events::vouched{by, keccak256(target), {number}, target, balance, 0, "first"};
  }
  std::int64_t of_user(const std::string& columns, int profile, const char* token = "eth") {
    return count("SELECT (" + columns
                 + ")::int8 FROM user_vouches WHERE user_id = (SELECT user_id FROM profiles WHERE id = "
                 + std::to_string(profile) + ") AND token = '" + token + "'");
  }
  std::int64_t young(int profile) {
    return count("SELECT (young_wei + mature_wei)::int8 FROM score_inputs WHERE user_id = (SELECT user_id FROM "
                 "profiles WHERE id = "
                 + std::to_string(profile) + ")");
  }
  /// What `verify` promises of records and scores.
  void expect_promises() {
    expect_whole();
    EXPECT_EQ(check_scores(on, soon()).differences, 0);
    test::expect_kept(url, promises_of("reputation"));
    test::expect_kept(url, promises_of("score"));
  }
};

TEST_F(ChainVouches, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({vouch(0, 1, 2, 1060, 1000)});
  EXPECT_EQ(
    count(
      "SELECT count(*) FROM vouches WHERE contract = 'vouch' AND number = 1000 AND author_profile = 1001 AND staked = "
      "1060"
      " AND deposited = 1000 AND balance = 1000 AND token = 'eth' AND source = 'chain' AND event_id = 4 AND block = 2"),
    1);
  EXPECT_EQ(of_user("given_wei", 1001), 1000);
  EXPECT_EQ(of_user("received_wei * 10 + received_count", 1002), 10'001);
  EXPECT_EQ(young(1002), 1000);
  EXPECT_EQ(count("SELECT vouchers FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM score_dirty WHERE cause = 'event 4'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'vouch' AND id = 1000 AND NOT archived"), 1);
  const auto shown = read(on, reputation::load_vouch{vouch_id{1000}}, soon()).record;
  ASSERT_TRUE(shown) << "the API shows it like its own";
  EXPECT_EQ(shown->balance, 1000);
  EXPECT_EQ(shown->subject_profile, profile_id{1002});
  expect_promises();
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM vouches"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM vouch_parts"), 0);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(of_user("given_wei + given_count + lifetime_given_wei + lifetime_given_count", 1001), 0);
  expect_promises();
}

TEST_F(ChainVouches, WhomAnUndoneVouchBroughtIsGone) {
  const std::string strangers = "SELECT count(*) FROM users WHERE id >= 1000000000 AND status = 'INACTIVE'";
  apply({vouched{{0}, {1}, {9}, samples::address_of(77), {}, 5, 5}});
  EXPECT_EQ(count(strangers), 1);
  undo(1);
  EXPECT_EQ(count(strangers), 0);
  EXPECT_EQ(count("SELECT count(*) FROM subjects WHERE source = 'chain'"), 0);
}

TEST_F(ChainVouches, WhatSharesAndCutsChangedComesBackWithTheBlock) {
  const std::string parts = "SELECT coalesce(sum(amount), 0)::int8 FROM vouch_parts WHERE number = 1000";
  apply({vouch(0, 1, 3)});
  apply({vouch(1, 2, 3, 1060, 1000)});
  EXPECT_EQ(count(parts), 1040) << "a share of the fees";
  apply({vouch_events::slashed{{1}, 1000, 104}, vouch_events::early_vouch_increased{{0}, {1}, {3}, 5, 5}});
  EXPECT_EQ(count(parts), 941);
  EXPECT_EQ(count("SELECT slashed::int8 FROM vouches WHERE number = 1000"), 104);
  EXPECT_EQ(young(1003), 1941);
  expect_promises();
  undo(1);
  EXPECT_EQ(count(parts), 1040);
  EXPECT_EQ(count("SELECT slashed::int8 FROM vouches WHERE number = 1000"), 0);
  undo(1);
  EXPECT_EQ(count(parts), 1000);
  EXPECT_EQ(young(1003), 1000);
  expect_promises();
}

TEST_F(ChainVouches, AnEndAndAnotherBeginningInOneBlockComeBackAsTheyWere) {
  apply({vouch(0, 1, 2)});
  apply({unvouched{{0}, {1}, {2}, 990}, vouch(1, 1, 2, 50, 50), marked_unhealthy{{0}, {1}, {2}}});
  EXPECT_EQ(young(1002), 50);
  EXPECT_EQ(count("SELECT unhealthy FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE number = 1000 AND archived AND balance = 0 AND withdrawn = 990 "
                  "AND unhealthy"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'vouch' AND archived"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(young(1002), 1000);
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE NOT archived AND NOT unhealthy AND unvouched_at IS NULL"), 1);
  expect_promises();
}

TEST_F(ChainVouches, ThoseInWhufCountVouchersAndNoEther) {
  apply({whuf(1, alice, "profileId:2", 700)});
  EXPECT_EQ(of_user("received_wei", 1002, "whuf"), 700);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(count("SELECT vouchers FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE contract = 'vouchV2' AND number = 1001 AND metadata = 'first'"),
            1);
  apply({vouch_v2_events::vouch_metadata_updated{{1}, "second"}, vouch_v2_events::vouch_decreased{{1}, 200, 0, 500}});
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE metadata = 'second' AND balance = 500 AND withdrawn = 200"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE metadata = 'first' AND balance = 700"), 1);
  expect_promises();
}

TEST_F(ChainVouches, TwoWalletsOfAProfileCannotVouchForOneSubjectInWhuf) {
  const address other = samples::address_of(11);
  apply({profile_events::address_claim{{1}, other, address_claim_kind::claimed}, whuf(1, alice, "profileId:2", 700),
         whuf(2, other, "profileId:2", 5), whuf(3, other, "profileId:3", 5)});
  ASSERT_EQ(last.events.size(), 4u);
  EXPECT_EQ(last.events[2].reason, "refused:vouches_active");
  EXPECT_EQ(count("SELECT count(*) FROM vouches"), 2);
  expect_promises();
}

TEST_F(ChainVouches, TextsThatWereReadOfTheContractStay) {
  apply({vouch(0, 1, 2)});
  test::run_sql(url, "UPDATE vouches SET comment = 'good', metadata = 'm' WHERE number = 1000");
  apply({early_vouch_increased{{0}, {1}, {2}, 5, 5}});
  EXPECT_EQ(count("SELECT count(*) FROM vouches WHERE comment = 'good' AND metadata = 'm' AND balance = 1005"), 1);
  expect_promises();
}

TEST_F(ChainVouches, RewardsAreKeptAndTakenBack) {
  apply({deposited_to_rewards{{2}, 50}});
  apply({withdrawn_from_rewards{{2}, 20}});
  EXPECT_EQ(
    count(
      "SELECT count(*) FROM vouch_rewards WHERE profile = 1002 AND balance = 30 AND deposited = 50 AND withdrawn = 20"),
    1);
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM vouch_rewards WHERE balance = 50 AND withdrawn = 0"), 1);
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM vouch_rewards"), 0);
}

TEST_F(ChainVouches, ReplayTellsWhatDiffers) {
  apply({vouch(0, 1, 2)});
  test::run_sql(url, "UPDATE vouches SET staked = 1001");
  const auto found = replay_chain(on, how, soon());
  ASSERT_EQ(found.differences, 1);
  EXPECT_EQ(found.examples.front(), "vouch vouch 1000 is stored otherwise");
}

TEST_F(ChainVouches, OfAnAccountMoveWithIt) {
  const auto account = attestation_hash("x.com", "7");
  apply({vouched{{0}, {1}, {9}, {}, account, 500, 500}});
  apply({attestation_events::attestation_created{{2}, people::account_service::x, "7", "", {1}},
         attestation_vouch_mapping_updated{account, {9}, {2}}});
  EXPECT_EQ(young(1002), 500);
  EXPECT_EQ(of_user("received_wei", 1002), 500);
  EXPECT_EQ(count("SELECT subject_profile FROM vouches"), 1002);
  expect_promises();
  undo(1);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(count("SELECT subject_profile FROM vouches"), 1009);
  expect_promises();
}

} // namespace
} // namespace credence::persistence
