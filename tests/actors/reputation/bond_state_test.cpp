#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;
using people::human_verification;

/// Profiles 1 and 2 are verifiers.
struct Bonds : RecordRules {
  Bonds() {
    for (const int verifier : {1, 2})
      stored.verifications.push_back({profile_id{verifier}, human_verification::verified, std::nullopt, true});
    stored.verifications.push_back({profile_id{3}, human_verification::verified, std::nullopt, false});
    rows = record_rows{stored};
  }
  static create_bond bond(int author, int subject, std::optional<timestamp> expires_at = std::nullopt) {
    return {profile_id{author},       profile_id{subject}, "HUMAN",    "500",         "XP", "I met her",
            verification_method::irl, "in Berlin",         expires_at, profile_id{9}, false};
  }
};

TEST_F(Bonds, AreNumberedAndLastThreeYears) {
  const auto first = decided_on(bond(1, 3));
  ASSERT_TRUE(first && first->change);
  EXPECT_EQ(first->answer.id, bond_id{1});
  EXPECT_EQ(first->answer.expires_at, noon + std::chrono::days{1095});
  EXPECT_EQ(first->answer.subject_profile, profile_id{3});
  EXPECT_EQ(first->answer.subject.name.key, by_profile(3).key);
  ASSERT_TRUE(first->change->subject) << "nobody named profile 3 before";
  const auto second = decided_on(bond(2, 3, noon + 1h));
  EXPECT_EQ(second->answer.id, bond_id{2});
  EXPECT_EQ(second->answer.expires_at, noon + 1h);
  EXPECT_FALSE(second->change->subject) << "the first bond has made it";
  auto tried = bond(1, 2);
  tried.dry_run = true;
  EXPECT_EQ(decide(rows, tried, how, noon)->answer.id, bond_id{});
}

TEST_F(Bonds, AreOfVerifiersForOtherLiveProfiles) {
  EXPECT_EQ(refused(bond(3, 1)), refusal_code::forbidden) << "verified, and no verifier";
  EXPECT_EQ(refused(bond(1, 1)), refusal_code::invalid_input);
  EXPECT_EQ(refused(bond(1, 4)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(bond(4, 1)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(bond(1, 9)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(bond(1, 3, noon)), refusal_code::invalid_input) << "it would have ended";
}

TEST_F(Bonds, EndOnceAndForGood) {
  const auto made = decided_on(bond(1, 3));
  const archive_bond end{made->answer.id, "was another", profile_id{9}, false};
  const auto ended = decided_on(end, noon + 1h);
  ASSERT_TRUE(ended && ended->change);
  EXPECT_EQ(ended->answer.ended->at, noon + 1h);
  EXPECT_EQ(ended->answer.ended->reason, "was another");
  EXPECT_EQ(ended->change->subject, profile_id{3});
  const auto again = decided_on(archive_bond{made->answer.id, "another reason", profile_id{8}, false}, noon + 2h);
  EXPECT_FALSE(again->change);
  EXPECT_EQ(again->answer.ended->reason, "was another");
  EXPECT_EQ(refused(set_bond_expiration{made->answer.id, noon + 9h, profile_id{9}, false}),
            refusal_code::record_archived);
  EXPECT_EQ(refused(archive_bond{bond_id{7}, "x", profile_id{9}, false}), refusal_code::not_found);
}

TEST_F(Bonds, EndAtAnotherMomentToCome) {
  const auto id = decided_on(bond(1, 3))->answer.id;
  const auto moved = decided_on(set_bond_expiration{id, noon + 9h, profile_id{9}, false}, noon + 1h);
  EXPECT_EQ(moved->answer.expires_at, noon + 9h);
  EXPECT_EQ(moved->answer.updated_at, noon + 1h);
  EXPECT_EQ(moved->change->before, noon + std::chrono::days{1095});
  EXPECT_FALSE(decided_on(set_bond_expiration{id, noon + 9h, profile_id{9}, false}, noon + 2h)->change)
    << "it ends then already";
  EXPECT_EQ(refused(set_bond_expiration{id, noon, profile_id{9}, false}), refusal_code::invalid_input);
  EXPECT_EQ(refused(set_bond_expiration{bond_id{7}, noon + 1h, profile_id{9}, false}), refusal_code::not_found);
}

} // namespace
} // namespace credence::reputation
