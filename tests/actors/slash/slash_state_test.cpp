#include "actors/slash/slash_state.hpp"

#include "actors/people/people_index.hpp"
#include "config/limits.hpp"

#include <gtest/gtest.h>

namespace credence::slash {
namespace {

using namespace std::chrono_literals;

const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;

class SlashState : public testing::Test {
protected:
  SlashState() {
    for (const auto& [profile, score] : std::initializer_list<std::pair<int, int>>{
           {1, 1600}, {2, 2800}, {3, 1599}, {4, 1399}, {5, 1400}, {6, 2000}, {7, 2600}, {8, 1800}, {9, 0}})
      people.publish({profile_id{profile}, static_cast<std::int16_t>(score), true});
    people.publish({profile_id{10}, 2000, false});
  }

  static subject wallet(int number, int profile = 0) {
    subject out;
    out.wallet.emplace().bytes[19] = static_cast<std::byte>(number);
    if (profile) {
      out.user = user_id{profile};
      out.profile = profile_id{profile};
    }
    return out;
  }
  static open_slash order(int author, subject who, std::int64_t amount = 100) {
    open_slash out;
    out.author = profile_id{author};
    out.subject = std::move(who);
    out.amount = amount;
    out.lasts = 48h;
    out.comment = "because";
    return out;
  }
  std::optional<refusal_code> refused(const open_slash& command, timestamp now = noon) const {
    const auto decision = rules.decide(command, now);
    return decision ? std::nullopt : std::optional{decision.why().code};
  }
  slash_id open(int author, subject who, timestamp now = noon) {
    const auto change = rules.decide(order(author, std::move(who)), now);
    EXPECT_TRUE(change) << change.why().detail;
    rules.apply(*change);
    return change->record.id;
  }
  std::optional<refusal_code> vote(slash_id on, int voter, vote_side side, timestamp now = noon + 1h) {
    const auto change = rules.decide(cast_slash_vote{on, profile_id{voter}, side}, now);
    if (!change)
      return change.why().code;
    if (change->change)
      rules.apply(*change->change);
    return std::nullopt;
  }
  closing close(slash_id which, timestamp now = noon + 48h) {
    const auto due = rules.due(now);
    EXPECT_EQ(due.size(), 1u);
    EXPECT_EQ(due.front().slash, which);
    rules.apply(due.front());
    return due.front().end;
  }

  people::people_index people;
  slash_state rules{{}, people};
};

TEST(SlashRules, AVoteWeighsByTheLevelOfTheVoter) {
  const std::pair<int, int> rows[] = {{0, 0},    {1200, 0}, {1399, 0}, {1400, 1}, {1599, 1}, {1600, 2}, {1800, 3},
                                      {2000, 4}, {2200, 5}, {2400, 6}, {2599, 6}, {2600, 7}, {2800, 7}};
  for (const auto& [score, weight] : rows)
    EXPECT_EQ(people::vote_weight_of(score), weight) << score;
}

TEST(SlashRules, MoreThanSixtyPercentSlashAndLessThanFortyDefend) {
  const struct {
    weights votes;
    verdict wanted;
  } rows[] = {{{0, 0}, verdict::inconclusive},  {{1, 0}, verdict::slashed},       {{0, 1}, verdict::defended},
              {{3, 2}, verdict::inconclusive},  {{61, 39}, verdict::slashed},     {{60, 40}, verdict::inconclusive},
              {{2, 3}, verdict::inconclusive},  {{39, 61}, verdict::defended},    {{40, 60}, verdict::inconclusive},
              {{6001, 3999}, verdict::slashed}, {{3999, 6001}, verdict::defended}};
  for (const auto& row : rows)
    EXPECT_EQ(verdict_of(row.votes), row.wanted) << row.votes.slash << " to " << row.votes.defend;
}

TEST(SlashRules, TheAmountFollowsTheDifferenceOfScores) {
  EXPECT_EQ(amount_max(1600, 1600), 100);
  EXPECT_EQ(amount_max(1600, 2800), 100) << "so many always";
  EXPECT_EQ(amount_max(1600, 1450), 150);
  EXPECT_EQ(amount_max(2800, 0), 1000) << "and no more than that";
}

TEST_F(SlashState, ForXpTakesWhatBothHave) {
  const auto question = [&](std::int64_t amount, subject who) {
    auto out = order(1, std::move(who), amount);
    out.type = slash_type::xp;
    return out;
  };
  const auto why = [&](std::int64_t amount, xp_at_hand xp, int profile = 9) {
    const auto decision = rules.decide(question(amount, wallet(1, profile)), noon, xp);
    return decision ? std::nullopt : std::optional{decision.why().code};
  };
  EXPECT_EQ(why(500, {500, 500}), std::nullopt);
  EXPECT_EQ(why(501, {500, 5000}), refusal_code::insufficient_xp) << "of the author";
  EXPECT_EQ(why(501, {5000, 500}), refusal_code::invalid_amount) << "the subject has less";
  EXPECT_EQ(why(1, {5000, 0}), refusal_code::invalid_amount);
  EXPECT_EQ(why(0, {5000, 500}), refusal_code::invalid_amount);
  EXPECT_EQ(why(1'000'000, {5'000'000, 5'000'000}), std::nullopt) << "whatever the scores";
  EXPECT_EQ(why(1'000'001, {5'000'000, 5'000'000}), refusal_code::invalid_amount);
  EXPECT_EQ(why(500, {500, 500}, 0), refusal_code::not_found) << "whoever has no profile has no XP";
}

TEST_F(SlashState, WhoSlashesNeedsAScoreAndALiveProfile) {
  EXPECT_EQ(refused(order(3, wallet(1))), refusal_code::score_too_low);
  EXPECT_EQ(refused(order(1, wallet(1))), std::nullopt);
  EXPECT_EQ(refused(order(10, wallet(1))), refusal_code::profile_not_live);
  EXPECT_EQ(refused(order(99, wallet(1))), refusal_code::profile_not_live);
}

TEST_F(SlashState, NobodySlashesItself) { EXPECT_EQ(refused(order(1, wallet(1, 1))), refusal_code::cannot_slash_self); }

TEST_F(SlashState, AmountsAreBoundedByTheScoresOfNow) {
  EXPECT_EQ(refused(order(1, wallet(1, 9), 1000)), std::nullopt);
  EXPECT_EQ(refused(order(1, wallet(1, 9), 1001)), refusal_code::invalid_amount);
  EXPECT_EQ(refused(order(1, wallet(1), 400)), std::nullopt) << "a stranger is neutral";
  EXPECT_EQ(refused(order(1, wallet(1), 401)), refusal_code::invalid_amount);
  EXPECT_EQ(refused(order(1, wallet(1), 0)), refusal_code::invalid_amount);
  EXPECT_EQ(refused(order(1, wallet(1), -5)), refusal_code::invalid_amount);
  auto known = order(1, wallet(1), 101);
  known.subject_score = 1500;
  EXPECT_EQ(refused(known), refusal_code::invalid_amount);
  const auto why = rules.decide(order(1, wallet(1), 401), noon).why().detail;
  EXPECT_NE(why.find("from 1 to 400"), std::string::npos) << why;
  EXPECT_NE(why.find("401"), std::string::npos) << why;
}

TEST_F(SlashState, AnAuthorAndASubjectHaveOneOpenSlashAtATime) {
  auto by_wallet = wallet(1, 4);
  const auto first = open(1, by_wallet);
  EXPECT_EQ(refused(order(1, wallet(2))), refusal_code::slash_open_already);
  EXPECT_EQ(refused(order(2, wallet(1))), refusal_code::slash_open_already) << "the same wallet";
  subject by_account;
  by_account.account = account{people::account_service::x, "77"};
  by_account.user = user_id{4};
  EXPECT_EQ(refused(order(2, by_account)), refusal_code::slash_open_already) << "the same person";
  by_account.user = {};
  EXPECT_EQ(refused(order(2, by_account)), std::nullopt);
  open(2, by_account);
  EXPECT_EQ(refused(order(6, by_account)), refusal_code::slash_open_already) << "the same account";
  const auto cancelled = rules.decide(cancel_slash{first}, noon + 1h);
  ASSERT_TRUE(cancelled);
  rules.apply(*cancelled);
  EXPECT_EQ(refused(order(1, by_wallet)), std::nullopt) << "once it is closed";
}

TEST_F(SlashState, IdsFollowEachOtherAlsoAfterALoad) {
  EXPECT_EQ(open(1, wallet(1)).value, 1);
  EXPECT_EQ(open(2, wallet(2)).value, 2);
  stored_open_slashes stored;
  stored.last = slash_id{41};
  const slash_state loaded{std::move(stored), people};
  EXPECT_EQ(loaded.decide(order(1, wallet(1)), noon)->record.id.value, 42);
}

TEST_F(SlashState, BeginsAndEndsAtWholeSeconds) {
  const auto change = rules.decide(order(1, wallet(1)), noon + 999'999us);
  EXPECT_EQ(change->record.created_at, noon);
  EXPECT_EQ(change->record.ends_at(), noon + 48h);
}

TEST_F(SlashState, TheLastVoteOfAProfileCounts) {
  const auto id = open(1, wallet(1));
  EXPECT_EQ(vote(id, 7, vote_side::defend), std::nullopt);
  EXPECT_EQ(vote(id, 5, vote_side::slash), std::nullopt);
  EXPECT_EQ(vote(id, 4, vote_side::slash), std::nullopt) << "neutral: without weight";
  EXPECT_EQ(vote(id, 7, vote_side::slash), std::nullopt);
  people.publish({profile_id{5}, 1800, true});
  EXPECT_EQ(vote(id, 5, vote_side::defend), std::nullopt);
  const auto end = close(id);
  EXPECT_EQ(end.votes.slash, 7);
  EXPECT_EQ(end.votes.defend, 3) << "by the score at that moment";
  EXPECT_EQ(end.how, verdict::slashed);
  EXPECT_EQ(end.at, noon + 48h);
}

TEST_F(SlashState, AVoteThatChangesNothingIsNotAChange) {
  const auto id = open(1, wallet(1));
  const auto decide = [&](vote_side side) { return rules.decide(cast_slash_vote{id, profile_id{7}, side}, noon + 1h); };
  vote(id, 7, vote_side::slash);
  for (int i = 0; i < 100; ++i) {
    const auto again = decide(vote_side::slash);
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->change);
    EXPECT_EQ(again->receipt.weight, 7);
  }
  people.publish({profile_id{7}, 1800, true});
  EXPECT_TRUE(decide(vote_side::slash)->change) << "it weighs less now";
  EXPECT_TRUE(decide(vote_side::defend)->change);
}

TEST_F(SlashState, AProfileChangesItsVoteSoManyTimes) {
  const auto id = open(1, wallet(1));
  const auto side = [](int i) { return i % 2 ? vote_side::slash : vote_side::defend; };
  for (int i = 1; i <= limits::slash_votes_per_profile_max; ++i)
    EXPECT_EQ(vote(id, 7, side(i)), std::nullopt) << i;
  EXPECT_EQ(vote(id, 7, side(limits::slash_votes_per_profile_max + 1)), refusal_code::vote_limit_reached);
  EXPECT_EQ(vote(id, 7, side(limits::slash_votes_per_profile_max)), std::nullopt) << "its last vote stands";
  EXPECT_EQ(vote(id, 8, vote_side::slash), std::nullopt) << "others are not concerned";
  EXPECT_EQ(close(id).votes.defend, 7);
}

TEST_F(SlashState, AuthorAndSubjectDoNotVote) {
  const auto id = open(1, wallet(1, 6));
  EXPECT_EQ(vote(id, 1, vote_side::slash), refusal_code::cannot_vote_own_slash);
  EXPECT_EQ(vote(id, 6, vote_side::defend), refusal_code::cannot_vote_own_slash);
  EXPECT_EQ(vote(id, 10, vote_side::defend), refusal_code::profile_not_live);
}

TEST_F(SlashState, TakesNothingFromItsEndOn) {
  const auto id = open(1, wallet(1));
  EXPECT_EQ(vote(id, 7, vote_side::slash, noon + 48h - 1us), std::nullopt);
  EXPECT_EQ(vote(id, 8, vote_side::slash, noon + 48h), refusal_code::slash_closed);
  EXPECT_TRUE(rules.decide(cancel_slash{id}, noon + 48h - 1us));
  EXPECT_EQ(rules.decide(cancel_slash{id}, noon + 48h).why().code, refusal_code::slash_closed);
  EXPECT_TRUE(rules.due(noon + 48h - 1us).empty());
  close(id);
  EXPECT_EQ(vote(id, 7, vote_side::slash), refusal_code::slash_closed) << "whatever the clock says";
  EXPECT_EQ(rules.decide(cancel_slash{id}, noon).why().code, refusal_code::slash_closed);
  EXPECT_EQ(vote(slash_id{id.value + 1}, 7, vote_side::slash), refusal_code::not_found);
  EXPECT_EQ(rules.decide(cancel_slash{slash_id{id.value + 1}}, noon).why().code, refusal_code::not_found);
}

TEST_F(SlashState, OneThatIsCancelledIsNotDueAnyMore) {
  const auto id = open(1, wallet(1));
  vote(id, 7, vote_side::slash);
  const auto change = rules.decide(cancel_slash{id}, noon + 2h + 1us);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->end.at, noon + 2h);
  EXPECT_EQ(change->end.how, verdict::cancelled);
  rules.apply(*change);
  EXPECT_TRUE(rules.due(noon + 1000h).empty());
  EXPECT_EQ(refused(order(2, wallet(1)), noon + 3h), std::nullopt) << "it slashed nobody";
}

TEST_F(SlashState, AClockThatWasSetBackPutsNothingBeforeTheBeginning) {
  const auto id = open(1, wallet(1));
  EXPECT_EQ(rules.decide(cast_slash_vote{id, profile_id{7}, vote_side::slash}, noon - 1h)->change->at, noon);
  EXPECT_EQ(rules.decide(cancel_slash{id}, noon - 1h)->end.at, noon);
}

TEST_F(SlashState, WhoWasSlashedHasSevenDaysOfPeace) {
  auto who = wallet(1, 4);
  vote(open(1, who), 7, vote_side::slash);
  close(slash_id{1});
  const auto until = noon + 48h + std::chrono::days{7};
  subject same_person;
  same_person.account = account{people::account_service::github, "x"};
  same_person.user = user_id{4};
  for (const auto& each : {who, wallet(1), same_person}) {
    EXPECT_EQ(refused(order(1, each), until - 1us), refusal_code::slash_cooldown);
    EXPECT_EQ(refused(order(1, each), until), std::nullopt);
  }
  EXPECT_EQ(refused(order(1, wallet(2)), noon + 49h), std::nullopt);
  stored_open_slashes stored;
  stored.slashed = {{who, noon + 48h}};
  EXPECT_EQ(slash_state(std::move(stored), people).decide(order(2, wallet(1)), noon + 50h).why().code,
            refusal_code::slash_cooldown)
    << "also after a load";
}

TEST_F(SlashState, GoesOnWithTheVotesThatAreStored) {
  stored_open_slashes stored;
  stored.last = slash_id{3};
  stored_slash one;
  one.record = rules.decide(order(1, wallet(1)), noon)->record;
  one.record.id = slash_id{3};
  one.last_number = 5;
  one.votes = {7, 3};
  stored.open.push_back(one);
  slash_state loaded{std::move(stored), people};
  EXPECT_EQ(loaded.due(noon + 48h).front().end.votes.slash, 7) << "it can be closed before its ballots are in";
  EXPECT_FALSE(loaded.knows(slash_id{3}, profile_id{7}));
  const auto first = loaded.wanted();
  ASSERT_TRUE(first);
  loaded.take(*first, {{{profile_id{7}, vote_side::slash, 7, 4}}, false});
  EXPECT_TRUE(loaded.knows(slash_id{3}, profile_id{7}));
  EXPECT_FALSE(loaded.knows(slash_id{3}, profile_id{8}));
  const auto decision = loaded.decide(cast_slash_vote{slash_id{3}, profile_id{7}, vote_side::defend}, noon + 1h);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->change->number, 6);
  loaded.apply(*decision->change);
  loaded.take(*loaded.wanted(), {{{profile_id{8}, vote_side::defend, 3, limits::slash_votes_per_profile_max}}, true});
  EXPECT_FALSE(loaded.wanted());
  EXPECT_EQ(loaded.decide(cast_slash_vote{slash_id{3}, profile_id{8}, vote_side::slash}, noon + 1h).why().code,
            refusal_code::vote_limit_reached)
    << "votes from before count";
  const auto due = loaded.due(noon + 48h);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due.front().end.votes.slash, 0);
  EXPECT_EQ(due.front().end.votes.defend, 10);
  EXPECT_EQ(due.front().end.how, verdict::defended);
}

} // namespace
} // namespace credence::slash
