#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using namespace bond_events;

/// Profiles 1001 to 1004 of a chain; the first three have bonds for the last one.
class ChainBonds : public ChainRows {
protected:
  ChainBonds() {
    for (int i = 1; i <= 4; ++i)
      apply({profile_events::profile_created{{i}, samples::address_of(static_cast<unsigned char>(i))}});
  }
  static event bond(int number, int author) { return bond_created{{number}, {author}, "HUMAN", "500", "XP"}; }
  /// What was read of the contract: whom the bonds are about.
  void tell_subjects() {
    test::run_sql(
      url,
      "INSERT INTO subjects (key, generation, user_id) SELECT '\\x000003ec', 0, user_id FROM profiles WHERE id = 1004"
      " ON CONFLICT DO NOTHING");
    test::run_sql(url, "UPDATE bonds SET subject_key = '\\x000003ec', subject_generation = 0, subject_profile = 1004, "
                       "statement = 'I met her'"
                       " WHERE subject_key IS NULL AND source = 'chain'");
  }
  bool fourth_is(const std::string& status) {
    return count("SELECT count(*) FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = 1004) AND "
                 "human_verification = '"
                 + status + "'")
           == 1;
  }
  void expect_promises() {
    expect_whole();
    test::expect_kept(url, promises_of("reputation"));
  }
};

TEST_F(ChainBonds, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({bond(1, 1)});
  EXPECT_EQ(count("SELECT count(*) FROM bonds WHERE id = 1001 AND author_profile = 1001 AND amount = '500' AND source "
                  "= 'chain' AND event_id = 5"
                  " AND subject_profile IS NULL AND expires_at IS NULL AND NOT archived"),
            1);
  const auto shown = read(on, reputation::load_bond{reputation::bond_id{1001}}, soon()).record;
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->type, "HUMAN");
  EXPECT_FALSE(shown->subject_profile) << "the contract has not told";
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'bond' AND id = 1001"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM bonds"), 0);
  expect_promises();
}

TEST_F(ChainBonds, ArchivingAndExpiringAreTakenBackToo) {
  apply({bond(1, 1)});
  apply({bond_expiration_updated{{1}, {1}, alice, "2029-01-31"}, bond_archived{{1}, {1}, alice, ""}});
  EXPECT_EQ(count("SELECT count(*) FROM bonds WHERE archived AND archive_reason = '' AND archived_by_wallet IS NOT NULL"
                  " AND expires_at = '2029-01-31 23:59:59Z' AND told_expiration = '2029-01-31'"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'bond' AND archived"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM bonds WHERE NOT archived AND expires_at IS NULL AND told_expiration IS NULL"),
            1);
  expect_promises();
}

TEST_F(ChainBonds, ThreeVerifiersMakeAPersonVerified) {
  apply({bond(1, 1), bond(2, 2)});
  tell_subjects();
  EXPECT_TRUE(fourth_is("PENDING"));
  apply({bond(3, 3)});
  tell_subjects();
  EXPECT_TRUE(fourth_is("VERIFIED"));
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'bond' AND subject_key IS NOT NULL"), 3);
  expect_promises();
  undo(1);
  EXPECT_TRUE(fourth_is("PENDING")) << "nobody was ever verified by a bond that is not there";
  apply({bond(3, 3)});
  tell_subjects();
  apply({bond_archived{{1}, {1}, alice, "broken"}});
  EXPECT_TRUE(fourth_is("REVOKED"));
  expect_promises();
  undo(1);
  EXPECT_TRUE(fourth_is("VERIFIED"));
}

TEST_F(ChainBonds, ATextThatIsTooLongFailsAlone) {
  apply({bond_created{{1}, {1}, "HUMAN", std::string(257, 'x'), "XP"}, bond(2, 2)});
  EXPECT_EQ(last.events[0].reason, "refused:bonds_texts");
  EXPECT_EQ(count("SELECT count(*) FROM bonds"), 1);
  expect_promises();
}

} // namespace
} // namespace credence::persistence
