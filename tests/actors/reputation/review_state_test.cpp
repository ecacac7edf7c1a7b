#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;

struct Reviews : RecordRules {};

TEST_F(Reviews, AreNumberedFromOneAndAreOfTheWalletThatTheAuthorHas) {
  const auto first = test::there(decided_on(review_of(1, by_wallet(2))));
  EXPECT_EQ(first->answer.id, review_id{1});
  EXPECT_EQ(first->answer.author_address, wallet_of(1));
  EXPECT_EQ(first->answer.created_at, noon);
  EXPECT_EQ(decided_on(review_of(2, by_wallet(1)))->answer.id, review_id{2});
}

TEST_F(Reviews, WaitUntilTheBlocksOfAuthorAndSubjectAreSettled) {
  stored.profiles[0].unsettled = 7;
  stored.subjects[1].unsettled = 8;
  rows = record_rows{stored};
  EXPECT_EQ(refused(review_of(1, by_wallet(3))), refusal_code::not_yet_settled);
  EXPECT_EQ(refused(review_of(3, by_wallet(2))), refusal_code::not_yet_settled);
  EXPECT_EQ(refused(review_of(2, by_wallet(3))), std::nullopt);
}

TEST_F(Reviews, OfOneOwnSubjectsAreRefused) {
  EXPECT_EQ(refused(review_of(1, by_wallet(1))), refusal_code::cannot_review_self);
  ASSERT_TRUE(decided_on(review_of(2, by_wallet(1))));
  EXPECT_EQ(refused(review_of(1, by_wallet(1))), refusal_code::cannot_review_self)
    << "also once somebody has reviewed it";
}

TEST_F(Reviews, ArchivedAndUnknownProfilesWriteNone) {
  EXPECT_EQ(refused(review_of(4, by_wallet(1))), refusal_code::profile_not_live);
  EXPECT_EQ(refused(review_of(9, by_wallet(1))), refusal_code::profile_not_live);
}

TEST_F(Reviews, OfSomebodysWalletAreThatPersons) {
  const auto first = decided_on(review_of(1, by_wallet(2)));
  ASSERT_TRUE(first->change->subject);
  EXPECT_EQ(first->change->subject->user, user_id{12});
  EXPECT_FALSE(first->change->subject->new_user) << "that user is there";
  EXPECT_FALSE(decided_on(review_of(3, by_wallet(2)))->change->subject) << "the subject is there by now";
}

TEST_F(Reviews, OfNobodysWalletMakeAUserOnce) {
  const auto first = decided_on(review_of(1, by_wallet(0xAB)));
  ASSERT_TRUE(first->change->subject && first->change->subject->new_user);
  const auto& fresh = *first->change->subject;
  EXPECT_EQ(fresh.user, user_id{21});
  EXPECT_EQ(fresh.new_user->display_name, "0x0000…00ab");
  EXPECT_EQ(fresh.new_user->avatar_url, how.default_avatar);
  EXPECT_EQ(fresh.new_user->attestation, 0);
  EXPECT_FALSE(decided_on(review_of(2, by_wallet(0xAB)))->change->subject);
  const auto other = decided_on(review_of(2, by_account("some-one")));
  EXPECT_EQ(other->change->subject->user, user_id{22});
  EXPECT_EQ(other->change->subject->new_user->display_name, "github/some-one");
  EXPECT_EQ(other->change->subject->new_user->attestation, 31);
}

TEST_F(Reviews, OfAWalletThatWasLetGoAreOfItsNextGeneration) {
  stored.subjects[1] = {by_wallet(2).key, user_id{13}, 0, user_id{12}}; // profile 3 has it now
  rows = record_rows{stored};
  const auto made = decided_on(review_of(1, by_wallet(2)));
  EXPECT_EQ(made->answer.subject.generation, 1);
  EXPECT_EQ(made->change->subject->user, user_id{13});
  EXPECT_EQ(refused(review_of(3, by_wallet(2))), refusal_code::cannot_review_self);
}

TEST_F(Reviews, TriedOnlyGetNoNumberAndLeaveNoTrace) {
  auto query = review_of(1, by_wallet(2));
  query.dry_run = true;
  EXPECT_EQ(decide(rows, query, how, noon)->answer.id, review_id{});
  EXPECT_EQ(decided_on(review_of(1, by_wallet(2)))->answer.id, review_id{1});
}

TEST_F(Reviews, AreEditedByTheirAuthorWhileTheyStand) {
  ASSERT_TRUE(decided_on(review_of(1, by_wallet(2))));
  edit_review edit{review_id{1}, profile_id{1}, "kept it late", std::nullopt, false};
  const auto once = decided_on(edit, noon + 1h);
  EXPECT_EQ(once->answer.comment, "kept it late");
  EXPECT_EQ(once->answer.metadata, "{}") << "what is not named stays";
  EXPECT_EQ(once->answer.edits, 1);
  EXPECT_EQ(once->answer.updated_at, noon + 1h);
  EXPECT_FALSE(decided_on(edit, noon + 2h)->change) << "nothing changes by the same again";
  edit.by = profile_id{2};
  EXPECT_EQ(refused(edit), refusal_code::forbidden);
  edit.id = review_id{2};
  EXPECT_EQ(refused(edit), refusal_code::not_found);
  ASSERT_TRUE(decided_on(archive_review{review_id{1}, profile_id{1}}));
  EXPECT_EQ(refused(edit_review{review_id{1}, profile_id{1}, "too late", std::nullopt, false}),
            refusal_code::record_archived);
}

TEST_F(Reviews, AreArchivedAndRestoredByTheirAuthorOrAnAdmin) {
  ASSERT_TRUE(decided_on(review_of(1, by_wallet(2))));
  EXPECT_EQ(refused(archive_review{review_id{1}, profile_id{2}}), refusal_code::forbidden);
  EXPECT_TRUE(decided_on(archive_review{review_id{1}, profile_id{1}})->answer.archived);
  EXPECT_FALSE(decided_on(archive_review{review_id{1}, profile_id{1}})->change) << "it is archived already";
  EXPECT_FALSE(decided_on(archive_review{review_id{1}, profile_id{1}, false, false})->answer.archived);
  EXPECT_TRUE(decided_on(archive_review{review_id{1}, profile_id{2}, true})->answer.archived);
  EXPECT_FALSE(decided_on(archive_review{review_id{1}, profile_id{1}})->change);
  EXPECT_EQ(refused(archive_review{review_id{1}, profile_id{1}, false, false}), refusal_code::forbidden)
    << "an admin archived it";
  EXPECT_FALSE(decided_on(archive_review{review_id{1}, profile_id{2}, true, false})->answer.archived);
  EXPECT_TRUE(decided_on(archive_review{review_id{1}, profile_id{1}, true})->change);
  EXPECT_TRUE(decided_on(archive_review{review_id{1}, profile_id{1}, false, false}))
    << "an admin who archived a review of their own";
  EXPECT_EQ(refused(archive_review{review_id{7}, profile_id{1}, true}), refusal_code::not_found);
}

} // namespace
} // namespace credence::reputation
