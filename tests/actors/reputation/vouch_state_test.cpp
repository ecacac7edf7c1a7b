#include "config/limits.hpp"
#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;

struct Vouches : RecordRules {
  static create_vouch vouch(int author, named_subject about, std::int64_t amount = 1000,
                            vouch_token token = vouch_token::eth) {
    return {profile_id{author}, std::move(about), token, wei{amount}, "stands for it", "{}", false};
  }
  static move_vouch move(vouch_move way, std::int64_t amount = 0, int by = 1) {
    return {vouch_id{1}, profile_id{by}, way, wei{amount}};
  }
  using parts = std::vector<score::vouch_part>;
  const score::day day = std::chrono::floor<std::chrono::days>(noon);
};

TEST_F(Vouches, HoldWhatWasPutInAndRememberWhen) {
  const auto made = test::there(decided_on(vouch(1, by_wallet(2))));
  EXPECT_EQ(made->answer.id, vouch_id{1});
  EXPECT_EQ(made->answer.balance, 1000);
  EXPECT_EQ(made->answer.parts, (parts{{wei{1000}, day}}));
  const auto more = decided_on(move(vouch_move::increase, 500), noon + 24h)->answer;
  EXPECT_EQ(more.staked, 1500);
  EXPECT_EQ(more.balance, 1500);
  EXPECT_EQ(more.parts, (parts{{wei{1000}, day}, {wei{500}, day + std::chrono::days{1}}}));
  const auto less = decided_on(move(vouch_move::decrease, 750), noon + 48h)->answer;
  EXPECT_EQ(less.balance, 750);
  EXPECT_EQ(less.withdrawn, 750);
  EXPECT_EQ(less.staked, 1500);
  EXPECT_EQ(less.parts, (parts{{wei{750}, day}})) << "what came last goes first";
  const auto none = decided_on(move(vouch_move::withdraw), noon + 72h)->answer;
  EXPECT_EQ(none.balance, 0);
  EXPECT_EQ(none.withdrawn, 1500);
  EXPECT_TRUE(none.parts.empty());
  EXPECT_TRUE(none.archived);
  EXPECT_EQ(none.unvouched_at, noon + 72h);
}

TEST_F(Vouches, OfOneOwnSubjectsAreRefused) {
  EXPECT_EQ(refused(vouch(1, by_wallet(1))), refusal_code::cannot_vouch_self);
  EXPECT_EQ(refused(vouch(4, by_wallet(1))), refusal_code::profile_not_live);
}

TEST_F(Vouches, ForAnArchivedProfileAreRefused) {
  stored.subjects.push_back({by_profile(4).key, user_id{14}});
  rows = record_rows{stored};
  EXPECT_EQ(refused(vouch(1, by_profile(4))), refusal_code::profile_not_live);
}

TEST_F(Vouches, AndReviewsHaveABoundADay) {
  stored.made.push_back({profile_id{1}, limits::records_a_day_max - 2});
  rows = record_rows{stored};
  ASSERT_TRUE(decided_on(vouch(1, by_wallet(2))));
  ASSERT_TRUE(decided_on(review_of(1, by_wallet(2))));
  EXPECT_EQ(refused(vouch(1, by_wallet(3))), refusal_code::too_many_records);
  EXPECT_EQ(refused(review_of(1, by_wallet(3))), refusal_code::too_many_records);
  EXPECT_TRUE(decided_on(vouch(2, by_wallet(3)))) << "of another author";
}

TEST_F(Vouches, AreOneATokenForOnePersonHoweverNamed) {
  stored.subjects.push_back({by_profile(2).key, user_id{12}});
  rows = record_rows{stored};
  ASSERT_TRUE(decided_on(vouch(1, by_wallet(2))));
  EXPECT_EQ(refused(vouch(1, by_wallet(2))), refusal_code::already_vouched);
  EXPECT_EQ(refused(vouch(1, by_profile(2))), refusal_code::already_vouched);
  EXPECT_TRUE(decided_on(vouch(1, by_wallet(2), 5, vouch_token::whuf)));
  EXPECT_TRUE(decided_on(vouch(3, by_wallet(2)))) << "of another author";
  ASSERT_TRUE(decided_on(move(vouch_move::withdraw)));
  EXPECT_TRUE(decided_on(vouch(1, by_profile(2))));
}

TEST_F(Vouches, HaveABoundEachWay) {
  stored.vouched.push_back({user_id{12}, limits::vouches_each_way_max});
  for (int i = 1; i <= limits::vouches_each_way_max; ++i)
    stored.active.push_back(
      {vouch_id{i}, profile_id{3}, by_account(std::to_string(i)).key, user_id{1000 + i}, vouch_token::eth});
  rows = record_rows{stored};
  EXPECT_EQ(refused(vouch(1, by_wallet(2))), refusal_code::vouch_limit_reached) << "for one";
  EXPECT_EQ(refused(vouch(3, by_wallet(1))), refusal_code::vouch_limit_reached) << "of one";
  EXPECT_TRUE(decided_on(vouch(1, by_wallet(3))));
}

TEST_F(Vouches, AreChangedByTheirAuthorWhileTheyStand) {
  ASSERT_TRUE(decided_on(vouch(1, by_wallet(2))));
  EXPECT_EQ(refused(move(vouch_move::increase, 5, 2)), refusal_code::forbidden);
  EXPECT_EQ(refused(move(vouch_move::decrease, 1000)), refusal_code::invalid_amount) << "that would be all";
  auto other = move(vouch_move::increase, 5);
  other.token = vouch_token::whuf;
  EXPECT_EQ(refused(other), refusal_code::invalid_amount);
  other = move(vouch_move::increase);
  other.amount = transfer_wei_max;
  EXPECT_EQ(refused(other), refusal_code::invalid_amount);
  other.id = vouch_id{9};
  EXPECT_EQ(refused(other), refusal_code::not_found);
  ASSERT_TRUE(decided_on(move(vouch_move::withdraw)));
  EXPECT_EQ(refused(move(vouch_move::increase, 5)), refusal_code::record_archived);
  EXPECT_FALSE(decided_on(move(vouch_move::withdraw))->change) << "once";
}

TEST_F(Vouches, AreCalledUnhealthyWithinADayOfTheirEnd) {
  ASSERT_TRUE(decided_on(vouch(1, by_wallet(2))));
  const mark_unhealthy mark{vouch_id{1}, profile_id{1}};
  EXPECT_EQ(refused(mark), refusal_code::vouch_active);
  ASSERT_TRUE(decided_on(move(vouch_move::withdraw), noon + 1h));
  EXPECT_EQ(refused(mark, noon + 25h + 1s), refusal_code::unhealthy_too_late);
  EXPECT_EQ(refused(mark_unhealthy{vouch_id{1}, profile_id{2}}, noon + 2h), refusal_code::forbidden);
  EXPECT_TRUE(decided_on(mark, noon + 25h)->answer.unhealthy);
  EXPECT_FALSE(decided_on(mark, noon + 90h)->change) << "once";
}

} // namespace
} // namespace credence::reputation
