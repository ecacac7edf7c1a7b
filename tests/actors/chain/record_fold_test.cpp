#include "tests/actors/chain/fold_world.hpp"
#include "tests/actors/chain/random_events.hpp"

namespace credence::chain {
namespace {

bool same_rows(const chain_rows& a, const chain_rows& b) {
  bool same = true;
#define CREDENCE_TABLE(name, ...) same = same && a.name.all() == b.name.all();
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  return same;
}

using samples::address_of;
using namespace review_events;
using namespace vote_events;
using namespace discussion_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3);

class RecordFold : public testing::Test, public fold_world {
public:
  RecordFold() {
    join(1, ada);
    join(2, bob);
  }
  static address reviews() { return contract_of(contract_kind::review); }
  const activity_vote_row& vote_on(std::int32_t review, std::int32_t voter) const {
    return *rows.votes.find({{contract_kind::review, review}, {voter}});
  }
  void change(bool is_unvote, bool is_upvote) { applied(vote_changed{is_unvote, is_upvote, {2}, reviews(), {0}, {1}}); }
};

TEST_F(RecordFold, AReviewNamesItsAuthorAndItsSubject) {
  review(0, ada, bob);
  EXPECT_EQ(review_row_of(0).author_profile, profile_id{1});
  EXPECT_EQ(review_row_of(0).author_address, ada);
  EXPECT_EQ(review_row_of(0).score, 2);
  EXPECT_EQ(review_row_of(0).created_at, unix_time{time - 1});
  EXPECT_EQ(reviewed(0), user(2));
  EXPECT_EQ(effects.dirty, std::set{user(2)});
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::review, 0}}));
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, bob, {0}, {0}}), "duplicate");
}

TEST_F(RecordFold, AReviewOfBothOrNeitherIsNone) {
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, samples::hash_of(1), bob, {0}, {0}}), "bad_word");
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, {}, {0}, {0}}), "bad_word");
  EXPECT_TRUE(rows.subjects.all().empty());
}

TEST_F(RecordFold, AnAuthorWithoutProfileIsNobody) {
  review(0, cyd, bob);
  EXPECT_FALSE(review_row_of(0).author_profile);
  join(3, cyd);
  EXPECT_FALSE(review_row_of(0).author_profile) << "who owned the address when it was written";
}

TEST_F(RecordFold, ReviewsOfAnUnknownAddressWaitTogether) {
  review(0, ada, cyd);
  review(1, bob, cyd);
  EXPECT_EQ(reviewed(0), reviewed(1));
  EXPECT_EQ(address_row_of(cyd).user, reviewed(0));
  EXPECT_FALSE(user_row_of(reviewed(0)).active);
}

TEST_F(RecordFold, EditingAndArchivingAReview) {
  review(0, ada, bob);
  applied(review_edited{{0}, cyd, bob});
  EXPECT_EQ(review_row_of(0).edits, 1) << "from another address of the author";
  EXPECT_EQ(review_row_of(0).author_address, ada);
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::review, 0}}));
  EXPECT_TRUE(effects.dirty.empty());
  applied(review_archived{{0}, ada, bob});
  EXPECT_TRUE(review_row_of(0).archived);
  EXPECT_EQ(effects.dirty, std::set{user(2)});
  applied(review_archived{{0}, ada, bob});
  EXPECT_TRUE(effects.dirty.empty()) << "repeated, it changes nothing";
  applied(review_restored{{0}, ada, bob});
  EXPECT_FALSE(review_row_of(0).archived);
  applied(review_fee_burned{ada, cyd, 5});
  EXPECT_EQ(fold(review_edited{{7}, ada, bob}), "missing_review");
  EXPECT_EQ(fold(review_archived{{7}, ada, bob}), "missing_review");
  EXPECT_EQ(fold(review_restored{{7}, ada, bob}), "missing_review");
}

TEST_F(RecordFold, AVoteIsGivenOnce) {
  review(0, ada, cyd);
  applied(voted{true, {2}, reviews(), {0}, {1}});
  EXPECT_TRUE(vote_on(0, 2).upvote);
  EXPECT_EQ(effects.dirty, std::set{user(1)}) << "the author of the review";
  EXPECT_EQ(fold(voted{false, {2}, reviews(), {0}, {2}}), "duplicate");
  applied(voted{false, {2}, contract_of(contract_kind::vouch), {0}, {3}});
  EXPECT_EQ(effects.dirty_targets, (std::set<target_place>{{contract_kind::vouch, 0}}));
  EXPECT_EQ(fold(voted{true, {2}, cyd, {0}, {4}}), "missing_target");
  EXPECT_EQ(fold(voted{true, {9}, reviews(), {0}, {4}}), "missing_profile");
}

TEST_F(RecordFold, TheVoteOfItsSubjectMovesTheSubjectToo) {
  review(0, ada, bob);
  applied(voted{false, {2}, reviews(), {0}, {1}});
  EXPECT_EQ(effects.dirty, (std::set{user(1), user(2)})) << "the review counts as neutral from now on";
}

TEST_F(RecordFold, AVoteIsWithdrawnSwitchedAndGivenAgain) {
  review(0, ada, cyd);
  applied(voted{true, {2}, reviews(), {0}, {1}});
  change(true, true);
  EXPECT_TRUE(vote_on(0, 2).archived) << "the same direction again withdraws it";
  change(true, true);
  EXPECT_FALSE(vote_on(0, 2).archived) << "given again, although the contract says that it is not";
  EXPECT_TRUE(vote_on(0, 2).upvote);
  change(false, false);
  EXPECT_FALSE(vote_on(0, 2).archived);
  EXPECT_FALSE(vote_on(0, 2).upvote) << "switched";
  change(true, false);
  EXPECT_TRUE(vote_on(0, 2).archived);
  change(false, true);
  EXPECT_FALSE(vote_on(0, 2).archived);
  EXPECT_TRUE(vote_on(0, 2).upvote) << "given again in the other direction";
  EXPECT_EQ(vote_on(0, 2).number, activity_vote_id{1});
  EXPECT_EQ(fold(vote_changed{true, true, {2}, cyd, {0}, {1}}), "missing_target");
}

TEST_F(RecordFold, OfAVoteThatIsNotKnownTheContractIsBelieved) {
  change(true, false);
  EXPECT_TRUE(vote_on(0, 2).archived);
  EXPECT_FALSE(vote_on(0, 2).upvote);
  applied(vote_changed{false, true, {2}, reviews(), {5}, {8}});
  EXPECT_FALSE(vote_on(5, 2).archived);
  EXPECT_TRUE(vote_on(5, 2).upvote);
}

TEST_F(RecordFold, RepliesWaitForTheirTexts) {
  applied(reply_added{{1}, contract_of(contract_kind::discussion), {0}});
  EXPECT_EQ(rows.replies.find({0})->target_kind, contract_kind::discussion) << "nested";
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::reply, 0}}));
  applied(reply_edited{{1}, {0}});
  EXPECT_EQ(rows.replies.find({0})->edits, 1);
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::reply, 0}}));
  EXPECT_EQ(fold(reply_added{{1}, reviews(), {0}}), "duplicate");
  EXPECT_EQ(fold(reply_added{{1}, cyd, {1}}), "missing_target");
  EXPECT_EQ(fold(reply_added{{9}, reviews(), {1}}), "missing_profile");
  EXPECT_EQ(fold(reply_edited{{1}, {7}}), "missing_reply");
}

TEST_F(RecordFold, ReviewsAndRepliesCountFromZero) {
  review(1, ada, bob);
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"review", 0, 0}}));
  applied(reply_added{{1}, reviews(), {0}});
  EXPECT_TRUE(effects.gaps.empty());
  applied(voted{true, {2}, reviews(), {0}, {3}});
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"vote", 1, 2}}));
}

TEST_F(RecordFold, TheOffsetCountsForTargetsToo) {
  how.id_offset = 100;
  EXPECT_EQ(fold(profile_events::profile_created{{3}, cyd}), "");
  applied(voted{true, {3}, reviews(), {5}, {1}});
  EXPECT_TRUE(rows.votes.find({{contract_kind::review, 105}, {103}}));
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, bob, {8}, {0}}), "id_out_of_range");
  EXPECT_EQ(fold(voted{true, {3}, reviews(), {8}, {1}}), "id_out_of_range");
}

// -- undo --------------------------------------------------------------------------------------

/// What must hold of the rows whatever came.
void expect_whole(const chain_rows& rows) {
  for (const auto& [number, user] : rows.users.all()) {
    if (!user.merged_into)
      continue;
    EXPECT_FALSE(user.profile);
    EXPECT_TRUE(rows.users.find(*user.merged_into)->profile) << "nobody is merged into somebody who is merged";
  }
  for (const auto& [place, subject] : rows.subjects.all())
    EXPECT_FALSE(rows.users.find(subject.user)->merged_into) << "what counts, counts for somebody";
  for (const auto& [which, row] : rows.addresses.all())
    EXPECT_FALSE(rows.users.find(row.user)->merged_into);
  for (const auto& [number, profile] : rows.profiles.all()) {
    EXPECT_EQ(rows.users.find(profile.user)->profile, number);
    EXPECT_TRUE(!profile.primary || rows.addresses.find(*profile.primary)->user == profile.user);
  }
}

TEST(Folding, UndoneItIsAsIfTheEventsHadNotBeen) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    samples::dice_type dice{seed};
    fold_world world, without;
    int applied = 0;
    for (int block = 0; block < 40; ++block) {
      std::vector<event> events;
      for (auto left = samples::below(dice, 8); left > 0; --left)
        events.push_back(random_step(dice));
      const bool lost = samples::below(dice, 3) == 0;
      const auto mark = world.rows.mark();
      const auto time = world.time;
      const auto last_event = world.last_event;
      for (const auto& each : events) {
        applied += world.fold(each).empty() ? 1 : 0;
        if (!lost)
          without.fold(each);
      }
      if (lost) {
        world.rows.back_to(mark);
        world.time = time;
        world.last_event = last_event;
      }
      ASSERT_TRUE(same_rows(world.rows, without.rows)) << "seed " << seed << ", block " << block;
      expect_whole(world.rows);
    }
    EXPECT_GT(applied, 20) << "seed " << seed;
  }
}

TEST(Folding, KeepsWhatRowsWereBefore) {
  fold_world world;
  world.join(1, ada);
  const auto mark = world.rows.mark();
  world.claim(1, bob);
  world.claim(1, cyd);
  const auto before = world.rows.addresses.before(mark.at(2));
  ASSERT_EQ(before.size(), 2U);
  EXPECT_FALSE(before[0].second || before[1].second) << "neither address was there";
  EXPECT_TRUE(world.rows.reviews.before(mark.at(7)).empty());
  world.rows.settle();
  world.rows.back_to(world.rows.mark());
  EXPECT_TRUE(world.rows.addresses.find(cyd));
}

} // namespace
} // namespace credence::chain
