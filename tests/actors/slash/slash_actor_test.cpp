#include "actors/slash/slash_actor.hpp"
#include "actors/slash/slash_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::slash {
namespace {

using namespace std::chrono_literals;

/// Profiles 1 to 9 have 1100, 1200 and so on to 1900 points.
struct SlashActorTest : testing::Test, protected test::deterministic_world {
  ask<open_slash> order(int author, int wallet) {
    open_slash out;
    out.author = profile_id{author};
    out.subject.wallet.emplace().bytes[0] = static_cast<std::byte>(wallet);
    out.amount = 100;
    out.lasts = 1h;
    out.comment = "because";
    return put(others.slashes, out);
  }
  ask<cast_slash_vote> vote(int on, int voter, vote_side side = vote_side::slash) {
    return put(others.slashes, cast_slash_vote{slash_id{on}, profile_id{voter}, side});
  }
  ask<cancel_slash> cancel(int which) { return put(others.slashes, cancel_slash{slash_id{which}}); }
  void opened(int author, int wallet) {
    const auto pending = order(author, wallet);
    ASSERT_TRUE(yes(after(write_result::stored, pending)));
    storage->slashes.open.push_back({*yes(pending), 0, {}});
    storage->slashes.last = yes(pending)->id;
  }
  const slash_closed& closing_written() { return get<slash_closed>(storage->written.front().change); }

  const timestamp end = test::test_now + 1h;
};

TEST_F(SlashActorTest, ConfirmsASlashOnceItIsStored) {
  const auto pending = order(9, 1);
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(get<slash_opened>(storage->written.front().change).record.created_at, test::test_now);
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->id, slash_id{1});
  EXPECT_EQ(yes(pending)->ends_at(), end);
  EXPECT_FALSE(yes(pending)->closed);
}

TEST_F(SlashActorTest, NobodySlashesOverTheApiWhereEventsMakeSlashes) {
  opened(9, 1);
  opened(8, 2);
  with->followed.add(chain::record_kind::slash);
  EXPECT_EQ(no(order(7, 3)), refusal_code::followed_from_chain);
  EXPECT_EQ(no(vote(3, 8)), refusal_code::followed_from_chain);
  EXPECT_EQ(no(cancel(3)), refusal_code::followed_from_chain);
  EXPECT_TRUE(storage->written.empty());
  // Those that were open before go on.
  const auto voted = vote(1, 8);
  ASSERT_TRUE(yes(after(write_result::stored, voted)));
  EXPECT_EQ(yes(voted)->weight, 3);
  const auto cancelled = cancel(2);
  ASSERT_TRUE(yes(after(write_result::stored, cancelled)));
  EXPECT_EQ(yes(cancelled)->closed->how, verdict::cancelled);
  EXPECT_EQ(no(vote(2, 9)), refusal_code::followed_from_chain)
    << "closed: what is left with that id is up to the chain";
  test::test_now = end;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().slash, slash_id{1});
  EXPECT_EQ(closing_written().end.votes.slash, 3);
}

TEST_F(SlashActorTest, AnswersAVoteWithItsWeight) {
  opened(9, 1);
  const auto pending = vote(1, 8, vote_side::defend);
  EXPECT_TRUE(open_still(pending));
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->weight, 3);
  EXPECT_EQ(yes(pending)->side, vote_side::defend);
}

TEST_F(SlashActorTest, AVoteThatChangesNothingWritesNothing) {
  opened(9, 1);
  const auto first = vote(1, 8);
  const auto same = vote(1, 8);
  EXPECT_TRUE(open_still(same)) << "the first one is not on disk yet";
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  ASSERT_TRUE(yes(same));
  EXPECT_EQ(yes(same)->weight, 3);
  const auto later = vote(1, 8);
  EXPECT_TRUE(storage->written.empty());
  ASSERT_TRUE(yes(later));
  EXPECT_EQ(yes(later)->side, vote_side::slash);
}

TEST_F(SlashActorTest, BallotsComeInPiecesAndVotesWaitForTheirs) {
  slash_record record{slash_id{1}, profile_id{9}, {}, slash_type::score, 100, 1h, "because", "", test::test_now};
  record.subject.wallet.emplace();
  storage->slashes = {slash_id{1}, {{record, 3, {6, 0}}}, {}};
  storage->ballots[slash_id{1}] = {{profile_id{5}, vote_side::slash, 1, 1},
                                   {profile_id{6}, vote_side::slash, 2, 1},
                                   {profile_id{8}, vote_side::slash, 3, 1}};
  storage->ballots_at_once = 1;
  storage->ballots_fail = true;
  const auto same = vote(1, 8);
  const auto changed = vote(1, 6, vote_side::defend);
  EXPECT_TRUE(open_still(same));
  EXPECT_TRUE(open_still(changed));
  EXPECT_TRUE(yes(put(others.slashes, find_slashes{}))) << "all else goes on";
  storage->ballots_fail = false;
  advance(300ms);
  ASSERT_EQ(storage->written.size(), 1u) << "the other one stands already";
  EXPECT_EQ(get<slash_voted>(storage->written.front().change).number, 4);
  EXPECT_TRUE(yes(after(write_result::stored, changed)));
  EXPECT_TRUE(yes(same));
  test::test_now = end;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().end.votes.slash, 4);
  EXPECT_EQ(closing_written().end.votes.defend, 2);
}

TEST_F(SlashActorTest, AVoteIsAnsweredWhenItsSlashClosesBeforeTheBallotsCome) {
  slash_record record{slash_id{1}, profile_id{9}, {}, slash_type::score, 100, 1h, "because", "", test::test_now};
  record.subject.wallet.emplace();
  storage->slashes = {slash_id{1}, {{record, 1, {1, 0}}}, {}};
  storage->ballots_fail = true;
  const auto ahead = vote(1, 8);
  EXPECT_TRUE(open_still(ahead));
  test::test_now = end;
  advance(1s);
  resolve(write_result::stored);
  advance(300ms);
  EXPECT_EQ(no(ahead), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, ClosesByTimeOnce) {
  opened(9, 1);
  vote(1, 8);
  resolve(write_result::stored);
  test::test_now = end - 1us;
  advance(1s);
  EXPECT_TRUE(storage->written.empty());
  test::test_now = end + 5s;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().end.at, end) << "not when it was noticed";
  EXPECT_EQ(closing_written().end.how, verdict::slashed);
  EXPECT_EQ(closing_written().end.votes.slash, 3);
  advance(5s);
  EXPECT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  test::test_now = end - 30min; // somebody sets the clock back
  advance(5s);
  EXPECT_TRUE(storage->written.empty());
  EXPECT_EQ(no(vote(1, 7)), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, OfExpiryAndCancellationOneHappens) {
  opened(9, 1);
  opened(8, 2);
  test::test_now = end - 1us;
  const auto in_time = cancel(1);
  test::test_now = end;
  const auto too_late = cancel(2);
  ASSERT_EQ(storage->written.size(), 2u);
  EXPECT_EQ(closing_written().slash, slash_id{1});
  EXPECT_EQ(closing_written().end.how, verdict::cancelled);
  EXPECT_TRUE(open_still(too_late)) << "that it has closed is not on disk yet";
  ASSERT_TRUE(yes(after(write_result::stored, in_time)));
  EXPECT_EQ(yes(in_time)->closed->at, std::chrono::floor<std::chrono::seconds>(end - 1us));
  EXPECT_EQ(closing_written().slash, slash_id{2});
  EXPECT_EQ(closing_written().end.how, verdict::inconclusive);
  EXPECT_EQ(no(after(write_result::stored, too_late)), refusal_code::slash_closed);
  EXPECT_EQ(no(cancel(1)), refusal_code::slash_closed);
  advance(3s);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, ARefusalWaitsForWhatItRestsOn) {
  const auto first = order(9, 1);
  const auto second = order(9, 2);
  EXPECT_TRUE(open_still(second));
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_EQ(no(second), refusal_code::slash_open_already);
}

TEST_F(SlashActorTest, NobodyIsRefusedForWhatIsNotStored) {
  const auto first = order(9, 1);
  const auto second = order(9, 2);
  EXPECT_EQ(trouble(after(write_result::not_written, first)), failure::unavailable);
  EXPECT_EQ(trouble(second), failure::unavailable);
  EXPECT_EQ(storage->settles, 1);
  const auto again = order(9, 2);
  ASSERT_EQ(storage->written.size(), 1u);
  ASSERT_TRUE(yes(after(write_result::stored, again)));
  EXPECT_EQ(yes(again)->id, slash_id{1});
}

TEST_F(SlashActorTest, IsReadAgainWhenTheDatabaseRefuses) {
  opened(9, 1);
  const auto voted = vote(1, 8);
  const auto voted_too = vote(1, 7);
  storage->slashes.open.clear(); // somebody else has closed it
  EXPECT_EQ(trouble(after(write_result::failed, voted)), failure::refused);
  EXPECT_EQ(trouble(voted_too), failure::unavailable);
  EXPECT_EQ(storage->settles, 1) << "before it is read";
  storage->written.clear();
  EXPECT_EQ(no(vote(1, 8)), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, LooksAgainAtWhoeverTheDatabaseRefuses) {
  opened(9, 1);
  storage->people[7].live = false; // profile 8; another program has archived it
  const auto voted = vote(1, 8);
  EXPECT_TRUE(open_still(voted));
  EXPECT_EQ(trouble(after(write_result::failed, voted)), failure::refused);
  EXPECT_EQ(no(vote(1, 8)), refusal_code::profile_not_live);
  EXPECT_TRUE(open_still(vote(1, 7)));
}

TEST_F(SlashActorTest, AnExpiryThatWasNotWrittenIsWrittenLater) {
  opened(9, 1);
  test::test_now = end;
  advance(1s);
  resolve(write_result::not_written);
  ASSERT_EQ(storage->written.size(), 1u) << "as soon as it has been read again";
  resolve(write_result::stored);
  advance(3s);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, AnExpiryThatTheDatabaseRefusesHoldsUpNobodyAndWaits) {
  opened(9, 1);
  test::test_now = end;
  advance(1s);
  resolve(write_result::failed);
  test::test_now = end + 50s;
  advance(3s);
  EXPECT_TRUE(storage->written.empty()) << "the same statement is not put again and again";
  EXPECT_EQ(no(vote(1, 8)), refusal_code::slash_closed) << "it is over all the same";
  const auto other = order(8, 2);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_TRUE(yes(after(write_result::stored, other)));
  test::test_now = end + 61s;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u) << "after a minute";
  EXPECT_EQ(closing_written().slash, slash_id{1});
  resolve(write_result::stored);
  advance(3s);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, WaitsWithExpiryWhileNothingCanBeWritten) {
  opened(9, 1);
  status.writable = false;
  test::test_now = end;
  advance(2s);
  EXPECT_TRUE(storage->written.empty());
  EXPECT_EQ(trouble(vote(1, 8)), failure::unavailable);
  status.writable = true;
  advance(1s);
  EXPECT_EQ(storage->written.size(), 1u);
}

TEST_F(SlashActorTest, ReadsComeAfterTheChangesBeforeThem) {
  opened(9, 1);
  test::test_now = end;
  const auto found = put(others.slashes, find_slashes{});
  ASSERT_EQ(storage->written.size(), 1u) << "its end is written first";
  EXPECT_TRUE(open_still(found));
  EXPECT_TRUE(yes(after(write_result::in_doubt, found))) << "a doubt may last; what is committed can be read";
  EXPECT_TRUE(yes(put(others.slashes, find_slashes{})));
  resolve(write_result::stored);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, KnowsWhichSlashesThereAre) {
  opened(9, 1);
  storage->all_slashes[slash_id{1}] = storage->slashes.open.front().record;
  EXPECT_TRUE(yes(put(others.slashes, get_slash{slash_id{1}})));
  EXPECT_EQ(no(put(others.slashes, get_slash{slash_id{2}})), refusal_code::not_found);
  EXPECT_TRUE(yes(put(others.slashes, get_roles{slash_id{1}, {profile_id{1}}})));
  EXPECT_EQ(no(put(others.slashes, get_roles{slash_id{2}, {profile_id{1}}})), refusal_code::not_found);
}

TEST_F(SlashActorTest, WhoWasSlashedIsReadByAClockThatIsRight) {
  subject slashed;
  slashed.wallet.emplace().bytes[0] = std::byte{1};
  storage->slashes.slashed = {{slashed, test::test_now - 24h}};
  test::test_now += 24h * 30; // the machine's clock, when it was started
  status.clock = clock_verdict::differs;
  status.writable = false;
  open();
  test::test_now -= 24h * 30;
  status.clock = clock_verdict::good;
  status.writable = true;
  advance(300ms);
  EXPECT_EQ(no(order(9, 1)), refusal_code::slash_cooldown);
}

TEST_F(SlashActorTest, IsUnavailableUntilItHasBeenRead) {
  storage->loads_fail = true;
  EXPECT_EQ(trouble(order(9, 1)), failure::unavailable);
  storage->loads_fail = false;
  advance(300ms);
  EXPECT_TRUE(open_still(order(9, 1)));
}

const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;

struct SlashState : testing::Test {
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
  const auto cancelled = test::there(rules.decide(cancel_slash{first}, noon + 1h));
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
    const auto again = test::there(decide(vote_side::slash));
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
  const auto change = test::there(rules.decide(cancel_slash{id}, noon + 2h + 1us));
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
  const auto first = test::there(loaded.wanted());
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
  const auto due = test::exactly(1, loaded.due(noon + 48h));
  EXPECT_EQ(due.front().end.votes.slash, 0);
  EXPECT_EQ(due.front().end.votes.defend, 10);
  EXPECT_EQ(due.front().end.how, verdict::defended);
}

} // namespace
} // namespace credence::slash
