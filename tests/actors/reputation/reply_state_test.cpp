#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;

constexpr activity review_4{activity_kind::review, 4};
constexpr activity review_5{activity_kind::review, 5};

struct Discussions : RecordRules {
  Discussions() {
    stored.activities = {{review_4, false}, {review_5, true}};
    rows = record_rows{stored};
  }
  static create_reply reply(int author, activity on = review_4) {
    return {profile_id{author}, on, std::nullopt, "so it was", "{}"};
  }
  static put_vote vote(int voter, bool up, activity on = review_4) { return {on, profile_id{voter}, up}; }
};

TEST_F(Discussions, RepliesAreNumberedAndMayAnswerEachOther) {
  EXPECT_EQ(decided_on(reply(1))->answer.id, reply_id{1});
  auto nested = reply(2);
  nested.parent = reply_id{1};
  EXPECT_EQ(decided_on(nested)->answer.parent, reply_id{1});
  nested.parent = reply_id{9};
  EXPECT_EQ(refused(nested), refusal_code::not_found);
  stored.activities.push_back({{activity_kind::slash, 1}, false});
  stored.replies.push_back(decide(rows, reply(1), how, noon)->change->record);
  rows = record_rows{stored};
  auto elsewhere = reply(2, {activity_kind::slash, 1});
  elsewhere.parent = stored.replies.back().id;
  EXPECT_EQ(refused(elsewhere), refusal_code::not_found) << "that reply is to something else";
}

TEST_F(Discussions, WhatIsArchivedOrNotThereTakesNothing) {
  EXPECT_EQ(refused(reply(1, review_5)), refusal_code::record_archived);
  EXPECT_EQ(refused(reply(1, {activity_kind::review, 6})), refusal_code::not_found);
  EXPECT_EQ(refused(reply(4)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(vote(1, true, review_5)), refusal_code::record_archived);
  EXPECT_EQ(refused(vote(1, true, {activity_kind::vouch, 4})), refusal_code::not_found);
  EXPECT_EQ(refused(vote(4, true)), refusal_code::profile_not_live);
}

TEST_F(Discussions, WhatCameInABlockThatIsNotSettledTakesNothing) {
  stored.activities.push_back({{activity_kind::review, 7}, false, 1234});
  rows = record_rows{stored};
  const activity young{activity_kind::review, 7};
  EXPECT_EQ(refused(reply(1, young)), refusal_code::not_yet_settled);
  EXPECT_EQ(refused(vote(1, true, young)), refusal_code::not_yet_settled);
  const auto why = decide(rows, reply(1, young), how, noon).why().detail;
  EXPECT_NE(why.find("review 7 rests on block 1234 of the chain"), std::string::npos) << why;
}

TEST_F(Discussions, RepliesAreEditedByTheirAuthor) {
  ASSERT_TRUE(decided_on(reply(1)));
  edit_reply edit{reply_id{1}, profile_id{1}, "so it is", std::nullopt};
  EXPECT_EQ(decided_on(edit)->answer.edits, 1);
  EXPECT_FALSE(decided_on(edit)->change);
  edit.by = profile_id{2};
  EXPECT_EQ(refused(edit), refusal_code::forbidden);
  edit.id = reply_id{9};
  EXPECT_EQ(refused(edit), refusal_code::not_found);
}

TEST_F(Discussions, AVoteIsSwitchedOrWithdrawnAndGivenAgain) {
  const auto first = decided_on(vote(1, true));
  EXPECT_EQ(first->answer.number, 1);
  EXPECT_TRUE(first->change->first);
  const auto again = decided_on(vote(1, true), noon + 1h);
  EXPECT_FALSE(again->change) << "the same vote twice leaves what one leaves";
  EXPECT_FALSE(again->answer.archived);
  EXPECT_EQ(again->answer.updated_at, first->answer.updated_at);
  const auto other = decided_on(vote(1, false), noon + 1h);
  EXPECT_FALSE(other->answer.upvote);
  EXPECT_FALSE(other->answer.archived);
  EXPECT_FALSE(other->change->first);
  EXPECT_EQ(other->answer.number, 1) << "it takes the place of the one before";
  auto withdrawal = vote(1, true);
  withdrawal.wish = vote_wish::withdraw;
  const auto gone = decided_on(withdrawal);
  EXPECT_TRUE(gone->answer.archived);
  EXPECT_FALSE(gone->answer.upvote) << "it was a vote down";
  EXPECT_FALSE(decided_on(withdrawal)->change) << "it is withdrawn already";
  const auto given = decided_on(vote(1, false))->answer;
  EXPECT_FALSE(given.archived) << "given again";
  EXPECT_FALSE(given.upvote);
  EXPECT_EQ(decided_on(vote(2, true))->answer.number, 2);
  withdrawal.voter = profile_id{3};
  EXPECT_EQ(refused(withdrawal), refusal_code::not_found) << "there is none to withdraw";
}

} // namespace
} // namespace credence::reputation
