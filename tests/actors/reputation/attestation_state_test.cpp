#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

/// Profile 3 is an attestor.
struct Attestations : RecordRules {
  Attestations() {
    how.attestors = {3};
    stored.subjects.push_back({key("a")}); // read for reviews of it
    rows = record_rows{stored};
  }

  static attest_account attest(int profile, const std::string& account, int by = 3) {
    attest_account out;
    out.profile = profile_id{profile};
    out.which = by_account(account);
    out.username = account + "-name";
    out.evidence = "seen";
    out.by = profile_id{by};
    return out;
  }
  static archive_attestation archive(int id, int by, bool archived = true) {
    return {attestation_id{id}, profile_id{by}, false, archived};
  }
  static subject_key key(const std::string& account) { return by_account(account).key; }
};

TEST_F(Attestations, AreOfAdminsAndAttestorsOnly) {
  EXPECT_EQ(refused(attest(1, "a", 1)), refusal_code::forbidden) << "not even of oneself";
  auto by_admin = attest(1, "a", 2);
  by_admin.as_admin = true;
  EXPECT_TRUE(decide(rows, by_admin, how, noon));
  EXPECT_TRUE(decide(rows, attest(1, "a"), how, noon));
  EXPECT_EQ(refused(attest(4, "a")), refusal_code::profile_not_live) << "archived";
  EXPECT_EQ(refused(attest(9, "a")), refusal_code::profile_not_live) << "not there";
  how.attestors = {4};
  EXPECT_EQ(refused(attest(1, "a", 4)), refusal_code::profile_not_live) << "an attestor who is archived";
}

TEST_F(Attestations, MakeAnAccountTheProfiles) {
  const auto done = decided_on(attest(1, "a"));
  ASSERT_TRUE(done && done->change);
  EXPECT_EQ(done->answer.id, attestation_id{31});
  EXPECT_EQ(done->answer.profile, profile_id{1});
  EXPECT_EQ(done->answer.username, "a-name");
  EXPECT_EQ(done->answer.created_at, noon);
  EXPECT_TRUE(done->change->fresh);
  EXPECT_EQ(done->change->user, user_id{11});
  EXPECT_EQ(done->change->by, profile_id{3});
  EXPECT_EQ(decided_on(attest(1, "b"))->answer.id, attestation_id{32});
}

TEST_F(Attestations, OnceMoreChangeWhatIsNewOnly) {
  ASSERT_TRUE(decided_on(attest(1, "a")));
  EXPECT_FALSE(decided_on(attest(1, "a"))->change) << "the same again";
  auto renamed = attest(1, "a");
  renamed.username = "another";
  EXPECT_EQ(decided_on(renamed)->answer.username, "another");
  renamed.username.reset();
  renamed.evidence = "seen again";
  const auto done = decided_on(renamed);
  EXPECT_EQ(done->answer.username, "another") << "what is not named stays";
  EXPECT_EQ(done->answer.evidence, "seen again");
  EXPECT_EQ(done->answer.id, attestation_id{31});
  EXPECT_FALSE(done->change->fresh);
  EXPECT_FALSE(done->change->before) << "it was the profile's before";
}

TEST_F(Attestations, ForAnotherProfileMoveTheAccount) {
  ASSERT_TRUE(decided_on(attest(1, "a")));
  ASSERT_TRUE(decided_on(review_of(3, by_account("a"))));
  const auto moved = test::there(decided_on(attest(2, "a")));
  EXPECT_EQ(moved->answer.id, attestation_id{31}) << "the same row";
  EXPECT_EQ(moved->answer.profile, profile_id{2});
  EXPECT_EQ(moved->change->before, user_id{11});
  EXPECT_EQ(moved->change->profile_before, profile_id{1});
  EXPECT_FALSE(moved->change->merges) << "that user has a profile";
  EXPECT_EQ(rows.subject(key("a"))->user, user_id{12}) << "with what it has received";
  EXPECT_EQ(refused(review_of(2, by_account("a"))), refusal_code::cannot_review_self);
  EXPECT_TRUE(decided_on(review_of(1, by_account("a")))) << "it is nothing of profile 1 any more";
}

TEST_F(Attestations, BringWhatAnAccountReceivedBefore) {
  const auto review = decided_on(review_of(2, by_account("a")));
  ASSERT_TRUE(review->change->subject->new_user);
  const auto done = test::there(decided_on(attest(1, "a")));
  EXPECT_EQ(done->answer.id, attestation_id{31}) << "the row that the review made";
  EXPECT_EQ(done->change->before, user_id{21});
  EXPECT_FALSE(done->change->profile_before);
  EXPECT_TRUE(done->change->merges) << "that user has nothing else";
  EXPECT_EQ(rows.subject(key("a"))->user, user_id{11});
}

TEST_F(Attestations, OfAnotherProfileStayThereWhereTheyAreToComeFromNoProfile) {
  auto order = attest(1, "a", 0);
  order.as_admin = true;
  order.from_profiles = false;
  ASSERT_TRUE(decided_on(attest(2, "a")));
  EXPECT_EQ(refused(order), refusal_code::account_taken);
  ASSERT_TRUE(decided_on(archive(31, 2)));
  EXPECT_EQ(refused(order), refusal_code::account_taken) << "an archived one is the profile's, too";
  order.profile = profile_id{2};
  EXPECT_FALSE(decided_on(order)->answer.archived) << "its own";
  order.profile = profile_id{1};
  order.which = by_account("b");
  stored.subjects.push_back({key("b")});
  rows = record_rows{stored};
  ASSERT_TRUE(decided_on(review_of(2, by_account("b"))));
  const auto merged = test::there(decided_on(order));
  EXPECT_TRUE(merged->change->merges);
  EXPECT_FALSE(merged->change->by) << "an admin without a profile";
}

TEST_F(Attestations, LeaveAUserWithMoreThanTheAccountAlone) {
  stored.attestations.push_back({{attestation_id{7}, {}, by_account("a")}, user_id{15}, {}, false, 1});
  stored.attestations.push_back({{attestation_id{8}, {}, by_account("b")}, user_id{15}, {}, false, 1});
  rows = record_rows{stored};
  EXPECT_FALSE(decided_on(attest(1, "a"))->change->merges) << "the other account is left";
  EXPECT_TRUE(decided_on(attest(2, "b"))->change->merges) << "the last one";
}

TEST_F(Attestations, LeaveAListingItsAccount) {
  stored.attestations.push_back({{attestation_id{7}, {}, by_account("a")}, user_id{15}, {}, true, 0});
  rows = record_rows{stored};
  EXPECT_EQ(refused(attest(1, "a")), refusal_code::account_taken);
}

TEST_F(Attestations, NobodyJudgesThemselvesByThem) {
  ASSERT_TRUE(decided_on(review_of(1, by_account("a"))));
  EXPECT_EQ(refused(attest(1, "a")), refusal_code::own_records);
  EXPECT_TRUE(decide(rows, attest(2, "a"), how, noon)) << "somebody else's";
}

TEST_F(Attestations, StayWhileASlashIsOpen) {
  stored.slashed_accounts = {key("a")};
  rows = record_rows{stored};
  EXPECT_EQ(refused(attest(1, "a")), refusal_code::slash_is_open);
  stored.attestations.push_back({{attestation_id{7}, profile_id{1}, by_account("a")}, user_id{11}, profile_id{1}});
  rows = record_rows{stored};
  EXPECT_TRUE(decide(rows, attest(1, "a"), how, noon)) << "it does not leave its profile";
  EXPECT_EQ(refused(attest(2, "a")), refusal_code::slash_is_open);
}

TEST_F(Attestations, AreArchivedByTheirProfileAndRestoredByOthers) {
  ASSERT_TRUE(decided_on(attest(1, "a")));
  EXPECT_EQ(refused(archive(31, 2)), refusal_code::forbidden);
  EXPECT_EQ(refused(archive(99, 1)), refusal_code::not_found);
  ASSERT_TRUE(decided_on(archive(31, 1))->change);
  EXPECT_FALSE(decided_on(archive(31, 1))->change) << "once";
  EXPECT_EQ(refused(archive(31, 1, false)), refusal_code::forbidden) << "not by its profile";
  EXPECT_FALSE(decided_on(archive(31, 3, false))->answer.archived);
  ASSERT_TRUE(decided_on(archive(31, 3))->change);
  EXPECT_FALSE(decided_on(attest(2, "a"))->answer.archived) << "live again where it is claimed";
  EXPECT_EQ(refused(archive(31, 1)), refusal_code::forbidden) << "it is profile 2's";
}

TEST_F(Attestations, ThatNobodyMadeAreNotThere) {
  ASSERT_TRUE(decided_on(review_of(2, by_account("a"))));
  auto as_admin = archive(31, 1);
  as_admin.as_admin = true;
  EXPECT_EQ(refused(as_admin), refusal_code::not_found) << "the account is only known";
}

TEST_F(Attestations, AnOlderOneIsNotRestored) {
  stored.attestations.push_back({{attestation_id{7}, profile_id{1}, by_account("a"), {}, {}, {}, true},
                                 user_id{11},
                                 profile_id{1},
                                 false,
                                 0,
                                 true});
  rows = record_rows{stored};
  EXPECT_EQ(refused(archive(7, 3, false)), refusal_code::account_taken);
}

TEST_F(Attestations, TriedOnlyLeaveNoTrace) {
  auto tried = attest(1, "a");
  tried.dry_run = true;
  EXPECT_EQ(decide(rows, tried, how, noon)->answer.id, attestation_id{}) << "none is given to it";
  ASSERT_TRUE(decided_on(attest(1, "a")));
  tried.profile = profile_id{2};
  EXPECT_EQ(decide(rows, tried, how, noon)->answer.id, attestation_id{31});
}

} // namespace
} // namespace credence::reputation
