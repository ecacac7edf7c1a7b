#include "actors/score/influence.hpp"

#include <gtest/gtest.h>

namespace credence::score {
namespace {

person profile(std::int32_t id, std::int32_t epoch_score) { return {user_id{id}, true, epoch_score}; }
review praise(std::int64_t number, std::int32_t author, std::int32_t subject) {
  return {number, user_id{author}, user_id{subject}, sentiment::positive};
}
vouch backing(std::int64_t number, std::int32_t author, std::int32_t subject) {
  return {{activity::vouch, number}, user_id{author}, user_id{subject}};
}

class Influence : public testing::Test {
protected:
  Influence() {
    all.people = {profile(1, 1200), profile(2, 1600), profile(3, 2000), profile(4, 900), profile(5, 1400)};
  }
  std::int64_t reach(std::int32_t user) { return reaches_from(all).at(user_id{user}); }
  facts all;
};

TEST_F(Influence, IsWhatFollowersExceedNeutralBy) {
  EXPECT_EQ(reach(1), 0) << "nobody follows";
  all.reviews = {praise(1, 2, 1), praise(2, 4, 1)};
  all.vouches = {backing(1, 3, 1)};
  EXPECT_EQ(reach(1), 400 + 800) << "who is below 1200 adds nothing and takes nothing";
  EXPECT_EQ(reach(2), 0) << "following somebody gives no reach";
}

TEST_F(Influence, CountsAFollowerOnce) {
  all.reviews = {praise(1, 2, 1), praise(2, 2, 1)};
  all.vouches = {backing(1, 2, 1)};
  EXPECT_EQ(reach(1), 400);
}

TEST_F(Influence, CountsOnlyWhoStandsBehindTheUserNow) {
  all.reviews = {praise(1, 2, 1), praise(2, 3, 1), praise(3, 5, 1), praise(4, 1, 1)};
  all.reviews[0].archived = true;
  all.reviews[1].how = sentiment::negative;
  EXPECT_EQ(reach(1), 200) << "nor does anybody follow oneself";
  all.votes = {{{activity::review, 3}, user_id{1}, false}};
  EXPECT_EQ(reach(1), 0) << "praise that its subject votes down is none";
  all.vouches = {backing(1, 3, 1), backing(2, 5, 1)};
  all.vouches[0].archived = true;
  EXPECT_EQ(reach(1), 200);
  all.people[4].live = false;
  EXPECT_EQ(reach(1), 0) << "an archived profile";
}

TEST_F(Influence, IsShownAsALogarithm) {
  EXPECT_EQ(influence_factor_of(0), 0);
  EXPECT_EQ(influence_factor_of(400), 0.693);
  EXPECT_EQ(influence_factor_of(1200), 1.386);
}

} // namespace
} // namespace credence::score
