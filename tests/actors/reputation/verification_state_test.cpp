#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;
using people::human_verification;

struct Verifications : RecordRules {
  static decide_verification verify(int profile, bool verified = true) {
    return {profile_id{profile}, verified, verified ? std::optional{verification_method::video} : std::nullopt, "met",
            profile_id{2}};
  }
};

TEST_F(Verifications, AreSetAndWithdrawn) {
  const auto set = decided_on(verify(1));
  ASSERT_TRUE(set && set->change);
  EXPECT_EQ(set->answer, profile_id{1});
  EXPECT_EQ(set->change->record.user, user_id{11});
  EXPECT_EQ(set->change->record.verified_at, noon);
  EXPECT_FALSE(decided_on(verify(1))->change) << "it is so already";
  const auto withdrawn = decided_on(verify(1, false), noon + 1h);
  EXPECT_EQ(withdrawn->change->before, human_verification::verified);
  EXPECT_EQ(withdrawn->change->record.method, verification_method::video) << "how it had been done";
  EXPECT_EQ(withdrawn->change->record.verified_at, noon);
  EXPECT_EQ(withdrawn->change->record.updated_at, noon + 1h);
  EXPECT_FALSE(decided_on(verify(1, false))->change);
  EXPECT_EQ(decided_on(verify(1), noon + 2h)->change->record.created_at, noon);
}

TEST_F(Verifications, ThereMustBeSomethingToWithdraw) {
  EXPECT_EQ(refused(verify(1, false)), refusal_code::not_verified);
  EXPECT_EQ(refused(verify(9, false)), refusal_code::not_found);
  stored.verifications.push_back({profile_id{1}, human_verification::pending, std::nullopt});
  stored.verifications.push_back({profile_id{4}, human_verification::verified, std::nullopt});
  rows = record_rows{stored};
  EXPECT_EQ(refused(verify(1, false)), refusal_code::not_verified);
  EXPECT_TRUE(decided_on(verify(4, false))->change) << "also of an archived profile, and whoever had verified it";
}

TEST_F(Verifications, AnAdminsWordStandsBesideBonds) {
  stored.verifications.push_back({profile_id{1}, human_verification::verified, std::nullopt});
  stored.verifications.push_back({profile_id{2}, human_verification::revoked, std::nullopt});
  rows = record_rows{stored};
  EXPECT_TRUE(decided_on(verify(1))->change) << "verified by bonds; from now on by an admin, too";
  EXPECT_FALSE(decided_on(verify(1))->change);
  EXPECT_TRUE(decided_on(verify(2, false))->change)
    << "revoked by bonds; from now on bonds do not verify this person again";
  EXPECT_TRUE(decided_on(verify(2))->change);
}

TEST_F(Verifications, AreOfLiveProfiles) {
  EXPECT_EQ(refused(verify(4)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(verify(9)), refusal_code::profile_not_live);
}

} // namespace
} // namespace credence::reputation
