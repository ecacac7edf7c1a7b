#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/profile/profile_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

struct ProfileActorTest : testing::Test, protected test::deterministic_world {
  ask<get_balance> balance_of(int profile, std::optional<int> project = {}, period::period_name in = {}) {
    get_balance question{profile_id{profile}, {}, in};
    if (project)
      question.project = project_id{*project};
    return put(others.profiles, question);
  }
};

TEST_F(ProfileActorTest, CountsWhatWasCastInThePeriod) {
  auto& stored = storage->profiles[profile_id{1}];
  stored.votes = {{project_id{1}, period_id{1}, sentiment::bullish},
                  {project_id{1}, period_id{2}, sentiment::bearish},
                  {project_id{2}, period_id{2}, sentiment::bullish}};
  const auto now = balance_of(1, 1);
  ASSERT_TRUE(yes(now));
  EXPECT_EQ(yes(now)->balance.bullish_cast, 1);
  EXPECT_EQ(yes(now)->balance.bearish_cast, 1);
  EXPECT_EQ(yes(now)->vote, sentiment::bearish);
  EXPECT_FALSE(yes(now)->balance.can_vote);
  EXPECT_TRUE(yes(balance_of(1, 3))->balance.can_vote);
  EXPECT_TRUE(yes(balance_of(1))->balance.can_vote);
  const auto before = balance_of(1, 1, {2026, 1});
  EXPECT_EQ(yes(before)->vote, sentiment::bullish);
  EXPECT_FALSE(yes(balance_of(1, 3, {2026, 1}))->balance.can_vote) << "that period is over";
}

TEST_F(ProfileActorTest, AllocationsWereResetWhenThePeriodWasClosed) {
  storage->periods[0].closed_at = test::at_day(2026, 2, 20, 7); // planned to end on March 1st
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.reset_at, test::at_day(2026, 2, 20, 7));
  EXPECT_EQ(yes(balance_of(1))->balance.reset_at, test::at_day(2026, 4, 1)) << "as planned";
}

TEST_F(ProfileActorTest, RefusesPeriodsAndProjectsThatDoNotExist) {
  EXPECT_EQ(no(balance_of(1, {}, {1999, 1})), refusal_code::period_not_found);
  EXPECT_EQ(no(balance_of(1, 88)), refusal_code::project_not_found);
}

TEST_F(ProfileActorTest, CannotVoteOnAnArchivedProject) {
  storage->projects[project_id{2}].archived = true;
  EXPECT_FALSE(yes(balance_of(1, 2))->balance.can_vote);
}

TEST_F(ProfileActorTest, AnArchivedProfileCannotVote) {
  storage->profiles[profile_id{1}].archived = true;
  EXPECT_FALSE(yes(balance_of(1))->balance.can_vote);
}

TEST(ProfileState, AVoteThatTheLoadAlreadyHeldIsNotCountedTwice) {
  profile_state state;
  state.take_in(period_id{2}, {true, false, 40, {{project_id{1}, period_id{2}, sentiment::bullish}}});
  state.learn({project_id{1}, period_id{2}, sentiment::bullish});
  state.learn({project_id{2}, period_id{2}, sentiment::bullish});
  state.learn({project_id{2}, period_id{2}, sentiment::bullish});
  EXPECT_EQ(state.votes_in(period_id{2}).size(), 2u);
}

TEST(ProfileState, KeepsThePeriodsAskedForLast) {
  profile_state state;
  const auto most = static_cast<int>(profile_state::periods_max);
  for (int in = 1; in <= most; ++in)
    state.take_in(period_id{in}, {});
  state.votes_in(period_id{1});
  state.take_in(period_id{most + 1}, {});
  EXPECT_TRUE(state.knows(period_id{1}));
  EXPECT_FALSE(state.knows(period_id{2}));
  EXPECT_TRUE(state.knows(period_id{most + 1}));
}

TEST_F(ProfileActorTest, ACommittedVoteIsConfirmedAlsoWhenTheVoterCannotBeLoaded) {
  const auto vote = cast(1, 1);
  storage->loads_fail = true;
  ASSERT_TRUE(yes(after(write_result::stored, vote)));
  EXPECT_FALSE(yes(vote)->new_balance);
}

TEST_F(ProfileActorTest, AnOldPeriodIsReadWhenSomebodyAsksForIt) {
  auto& stored = storage->profiles[profile_id{1}];
  stored.votes = {{project_id{1}, period_id{1}, sentiment::bullish}, {project_id{1}, period_id{2}, sentiment::bearish}};
  ASSERT_TRUE(yes(balance_of(1)));
  EXPECT_EQ(storage->profile_loads, 1);
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.bullish_cast, 1);
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.bearish_cast, 0);
  EXPECT_EQ(yes(balance_of(1))->balance.bearish_cast, 1);
  EXPECT_EQ(storage->profile_loads, 2) << "each period is read once";
}

TEST(ProfileState, APeriodThatOpensWhileTheVoterIsInMemoryBeginsEmpty) {
  profile_state state{period_id{2}};
  state.take_in(period_id{2}, {true, false, 40, {{project_id{1}, period_id{2}, sentiment::bullish}}});
  EXPECT_FALSE(state.begin(period_id{1})) << "an older one";
  ASSERT_TRUE(state.begin(period_id{3}));
  state.learn({project_id{1}, period_id{3}, sentiment::bearish});
  EXPECT_EQ(state.votes_in(period_id{3}).size(), 1u);
  EXPECT_EQ(state.votes_in(period_id{2}).size(), 1u);
}

TEST(ProfileState, APeriodThatHadToGoIsReadAgain) {
  profile_state state{period_id{1}};
  state.take_in(period_id{1}, {});
  const auto most = static_cast<int>(profile_state::periods_max);
  for (int in = 2; in <= most + 2; ++in)
    EXPECT_TRUE(state.begin(period_id{in}));
  ASSERT_FALSE(state.knows(period_id{2}));
  EXPECT_FALSE(state.begin(period_id{2})) << "votes were heard of and forgotten";
}

TEST(ProfileState, APeriodThatCouldNotBeReadIsReadTheNextTime) {
  profile_state state{period_id{2}};
  EXPECT_FALSE(state.begin(period_id{3}));
  state.learn({project_id{1}, period_id{3}, sentiment::bearish}); // forgotten, as the read failed
  state.take_in(period_id{2}, {true, false, 40, {}});
  EXPECT_FALSE(state.begin(period_id{3}));
}

TEST_F(ProfileActorTest, ANewPeriodIsNotReadForWhoIsInMemory) {
  ASSERT_TRUE(yes(balance_of(1)));
  const auto later = put(others.periods, period::advance_period{});
  ASSERT_TRUE(yes(after(write_result::stored, later)));
  const auto vote = cast(1, 1);
  ASSERT_TRUE(yes(after(write_result::stored, vote)));
  EXPECT_EQ(yes(vote)->new_balance->bullish_cast, 1);
  EXPECT_EQ(yes(balance_of(1))->balance.bullish_cast, 1);
  EXPECT_EQ(storage->profile_loads, 1);
}

TEST_F(ProfileActorTest, ALoadThatFailsIsTriedAgainForTheNextWhoAsks) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(balance_of(1)), failure::unavailable);
  storage->loads_fail = false;
  EXPECT_TRUE(yes(balance_of(1)));
}

struct ColdVoters : ProfileActorTest {
  static constexpr int voters = 9;
  /// Everybody votes on that project, and one batch has all of it.
  std::vector<ask<project::cast_vote>> all_vote_on(int project) {
    std::vector<ask<project::cast_vote>> votes;
    for (int voter = 1; voter <= voters; ++voter)
      votes.push_back(cast(voter, project, voter % 2 ? sentiment::bullish : sentiment::bearish));
    const auto stream = storage->written.front().stream;
    const auto listener = storage->written.front().from;
    for (const auto& each : storage->written) {
      const auto& vote = get<project::vote_cast>(each.change);
      storage->profiles[vote.voter].votes.push_back({vote.project, vote.in, vote.side});
    }
    storage->written.clear();
    send(listener, write_outcome{stream, write_result::stored, voters, ++last_global, 0});
    run();
    return votes;
  }
  static std::int64_t profiles_spawned() { return ops::the_metrics().of(ops::actor_kind::profile).spawned.value(); }
};

TEST_F(ColdVoters, AreToldTheirBalancesByOneStatementAndGetNoActor) {
  storage->profiles[profile_id{2}].votes = {{project_id{3}, period_id{2}, sentiment::bullish},
                                            {project_id{3}, period_id{1}, sentiment::bullish}};
  open();
  const auto before = profiles_spawned();
  const auto votes = all_vote_on(1);
  EXPECT_EQ(storage->vote_counts, 1);
  EXPECT_EQ(storage->profile_loads, 0);
  EXPECT_EQ(profiles_spawned(), before);
  for (const auto& vote : votes) {
    ASSERT_TRUE(yes(vote));
    ASSERT_TRUE(yes(vote)->new_balance);
    EXPECT_EQ(yes(vote)->new_balance->bullish_cast + yes(vote)->new_balance->bearish_cast,
              vote->voter == profile_id{2} ? 2 : 1);
    EXPECT_EQ(yes(vote)->new_balance->reset_at, test::at_day(2026, 4, 1));
    EXPECT_FALSE(yes(vote)->new_balance->can_vote);
  }
}

TEST_F(ColdVoters, WhoVoteAgainGetAnActorThatIsToldOfTheirVotes) {
  all_vote_on(1);
  all_vote_on(2);
  EXPECT_EQ(storage->profile_loads, voters);
  const auto third = all_vote_on(3);
  EXPECT_EQ(storage->profile_loads, voters) << "they are in memory";
  EXPECT_EQ(storage->vote_counts, 1);
  for (const auto& vote : third)
    EXPECT_EQ(yes(vote)->new_balance->bullish_cast + yes(vote)->new_balance->bearish_cast, 3);
}

TEST_F(ColdVoters, AreToldTheSameAsThoseInMemory) {
  balance_of(1); // is in memory from here on
  const auto votes = all_vote_on(1);
  const auto warm = *yes(votes[0])->new_balance;
  const auto cold = *yes(votes[2])->new_balance;
  EXPECT_EQ(storage->vote_counts, 1);
  EXPECT_EQ(std::tie(warm.bullish_cast, warm.bearish_cast, warm.reset_at, warm.can_vote),
            std::tie(cold.bullish_cast, cold.bearish_cast, cold.reset_at, cold.can_vote));
}

TEST_F(ProfileActorTest, TooManyWaitingQuestionsOfOneProfileAreItsOwnFault) {
  with->limits.waiting_per_profile_max = 0;
  EXPECT_EQ(trouble(balance_of(1)), failure::too_many);
}

using namespace std::chrono_literals;

struct CredentialsActorTest : testing::Test, protected test::deterministic_world {
  static constexpr profile_id me{1};

  static digest32 hash() {
    digest32 out{};
    out[0] = std::byte{7};
    return out;
  }

  CredentialsActorTest() {
    auto& stored = storage->credentials[me];
    stored.live = stored.api_access = true;
    stored.keys.emplace_back(
      api_key{"a-key", me, {}, "a name", test::test_now - 1h, test::test_now + 24h, std::nullopt}, hash());
    stored.sessions.push_back(
      {"a-session", me, hash(), std::nullopt, test::test_now, test::test_now, test::test_now + 24h});
  }

  std::shared_ptr<credential_slot> check(credential_kind kind, const char* id) {
    const auto pending = put(others.profiles, check_credential{me, kind, id, hash()});
    return yes(pending) ? *yes(pending) : nullptr;
  }
  std::shared_ptr<credential_slot> check_key() { return check(credential_kind::api_key, "a-key"); }
  std::shared_ptr<credential_slot> check_session() { return check(credential_kind::session, "a-session"); }
};

TEST_F(CredentialsActorTest, ARevokedKeyIsOverForWhoHoldsItsSlotBeforeTheAnswer) {
  const auto slot = test::there(check_key());
  const auto revoking = put(others.profiles, revoke_key{me, "a-key"});
  EXPECT_TRUE(slot->holds(test::test_now)) << "it is not stored yet";
  EXPECT_TRUE(open_still(revoking));
  EXPECT_TRUE(yes(after(write_result::stored, revoking)));
  EXPECT_FALSE(slot->holds(test::test_now));
  EXPECT_FALSE(check_key());
}

TEST_F(CredentialsActorTest, AKeyWhoseRevocationWasNotWrittenGoesOn) {
  const auto slot = check_key();
  const auto revoking = put(others.profiles, revoke_key{me, "a-key"});
  EXPECT_EQ(trouble(after(write_result::not_written, revoking)), failure::unavailable);
  EXPECT_TRUE(slot->holds(test::test_now));
  EXPECT_EQ(check_key(), slot);
}

TEST_F(CredentialsActorTest, NothingIsWrittenWhereThereAreNoOtherSessionsToEnd) {
  ASSERT_TRUE(check_session());
  EXPECT_TRUE(yes(put(others.profiles, end_other_sessions{me, "a-session"})));
  EXPECT_TRUE(storage->written.empty());
  const auto ending = put(others.profiles, end_other_sessions{me, std::nullopt});
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_TRUE(yes(after(write_result::stored, ending)));
  EXPECT_FALSE(check_session());
}

TEST_F(CredentialsActorTest, APartnerIsSwitchedOnceHoweverOftenThatIsAskedFor) {
  ASSERT_TRUE(check_key());
  const std::string page = "https://partner.example";
  const auto on = put(others.profiles, switch_partner{me, page, true});
  const auto off = put(others.profiles, switch_partner{me, page, false});
  const auto again = put(others.profiles, switch_partner{me, page, false});
  EXPECT_EQ(storage->written.size(), 2u) << "the third has no effect, though others are on their way";
  EXPECT_TRUE(open_still(again)) << "it rests on what is not stored yet";
  resolve(write_result::stored);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(on) && yes(off) && yes(again));
  EXPECT_FALSE(yes(again)->enabled);
  EXPECT_TRUE(yes(put(others.profiles, switch_partner{me, page, false})));
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(CredentialsActorTest, WhatWasEndedWithoutWordOfItIsOverOnceTheOwnerIsAskedAgain) {
  const auto key = check_key();
  const auto session = check_session();
  ASSERT_TRUE(key && session);
  put(others.profiles, revoke_key{me, "a-key"});
  put(others.profiles, end_session{me, "a-session"});
  kill_sender(storage->written.front());
  storage->credentials[me].keys.clear(); // both were stored all the same
  storage->credentials[me].sessions.clear();
  EXPECT_EQ(no(put(others.profiles, revoke_key{me, "a-key"})), refusal_code::key_not_found);
  EXPECT_FALSE(key->holds(test::test_now)) << "the client has been told that it is gone";
  EXPECT_FALSE(session->holds(test::test_now));
}

TEST_F(CredentialsActorTest, ALostRevocationThatWasNotStoredLeavesTheSlotAsItIs) {
  const auto key = check_key();
  const auto session = check_session();
  put(others.profiles, revoke_key{me, "a-key"});
  resolve(write_result::failed);
  EXPECT_EQ(check_key(), key);
  EXPECT_TRUE(key->holds(test::test_now));
  EXPECT_TRUE(session->holds(test::test_now));
}

TEST_F(CredentialsActorTest, AccessThatAnOperatorTookAwayCountsFromTheNextKeyOn) {
  const auto slot = check_key();
  EXPECT_TRUE(slot->allowed());
  storage->credentials[me].api_access = false;
  create_key wanted;
  wanted.key = {"b-key", me, {}, "b", test::test_now, test::test_now + 1h, std::nullopt};
  wanted.by.nonce = "a-nonce";
  EXPECT_EQ(no(put(others.profiles, wanted)), refusal_code::forbidden);
  EXPECT_FALSE(slot->allowed());
  EXPECT_TRUE(check_session()->allowed()) << "sessions need no such access";
}

TEST_F(CredentialsActorTest, AStolenRefreshTokenEndsTheSessionAtOnce) {
  const auto slot = check_session();
  digest32 old{};
  const auto stolen = put(others.profiles, refresh_session{me, "a-session", old, hash()});
  EXPECT_FALSE(slot->holds(test::test_now)) << "also while that is being stored";
  EXPECT_EQ(no(after(write_result::stored, stolen)), refusal_code::unauthenticated);
}

TEST_F(CredentialsActorTest, ARefreshIsAnsweredOnceItIsStored) {
  open();
  digest32 fresh{};
  fresh[0] = std::byte{8};
  const auto refreshing = put(others.profiles, refresh_session{me, "a-session", hash(), fresh});
  EXPECT_TRUE(open_still(refreshing));
  const auto beside = put(others.profiles, refresh_session{me, "a-session", hash(), fresh});
  ASSERT_TRUE(yes(beside));
  EXPECT_FALSE(yes(beside)->rotated);
  ASSERT_TRUE(yes(after(write_result::stored, refreshing)));
  EXPECT_TRUE(yes(refreshing)->rotated);
}

struct XpGrants : testing::Test, protected test::deterministic_world {
  XpGrants() { storage->xp[profile_id{1}].balance = 100; }

  ask<grant_xp> grant(int to, std::int64_t amount) {
    return put(others.profiles, grant_xp{profile_id{to}, amount, "an outage"});
  }
  ask<send_tip> tip(int from, int to, std::int64_t amount) {
    return put(others.profiles, send_tip{profile_id{from}, profile_id{to}, amount, std::nullopt, std::nullopt});
  }
};

TEST_F(XpGrants, AreConfirmedOnceTheyAreStored) {
  const auto pending = grant(1, 40);
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  const auto& change = get<xp_granted>(storage->written.front().change);
  EXPECT_EQ(change.profile, profile_id{1});
  EXPECT_EQ(change.amount, 40);
  EXPECT_EQ(change.reason, "an outage");
  EXPECT_EQ(change.balance_before, 100);
  EXPECT_EQ(change.at, test::test_now);
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->id, last_global) << "its number";
  EXPECT_EQ(yes(pending)->balance, 140);
}

TEST_F(XpGrants, MayBeTippedOnceTheyAreStored) {
  const auto granted = grant(1, 40);
  const auto too_early = tip(1, 2, 101);
  EXPECT_TRUE(open_still(too_early)) << "the refusal waits for the grant";
  EXPECT_TRUE(yes(after(write_result::stored, granted)));
  EXPECT_EQ(no(too_early), refusal_code::insufficient_xp) << "it was decided before the grant was in";
  const auto all = tip(1, 2, 140);
  EXPECT_TRUE(open_still(all));
  ASSERT_TRUE(yes(after(write_result::stored, all)));
  EXPECT_EQ(yes(all)->sender_balance, 0);
}

TEST_F(XpGrants, CountBesideATipThatIsUnderWay) {
  const auto leaving = tip(1, 2, 60);
  const auto coming = grant(1, 5);
  ASSERT_EQ(storage->written.size(), 2u);
  EXPECT_EQ(get<xp_granted>(storage->written.back().change).balance_before, 40) << "the tip is out before it";
  resolve(write_result::stored);
  EXPECT_EQ(yes(after(write_result::stored, leaving))->sender_balance, 40);
  ASSERT_TRUE(yes(coming));
  EXPECT_EQ(yes(coming)->balance, 45);
}

TEST_F(XpGrants, ThatWereNotWrittenAreNotThere) {
  const auto pending = grant(1, 40);
  EXPECT_EQ(trouble(after(write_result::not_written, pending)), failure::unavailable);
  EXPECT_EQ(no(tip(1, 2, 101)), refusal_code::insufficient_xp);
}

TEST_F(XpGrants, ThatALostActorHadStoredAreWithTheNextOne) {
  grant(1, 40);
  storage->xp[profile_id{1}].balance = 140; // stored, and the actor is gone before it hears of it
  storage->xp[profile_id{1}].as_of = ++last_global;
  const auto request = storage->written.front();
  storage->written.clear();
  kill_sender(request);
  EXPECT_TRUE(open_still(tip(1, 2, 140)));
}

TEST_F(XpGrants, AreRefusedWhileNothingCanBeWritten) {
  open();
  status.writable = false;
  EXPECT_EQ(trouble(grant(1, 1)), failure::unavailable);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(XpGrants, ThatWereMadeBeforeAreToldAgain) {
  open();
  storage->grant = grant_receipt{7, 140};
  const auto again = put(others.profiles, get_grant{profile_id{1}, 7});
  ASSERT_TRUE(yes(again));
  EXPECT_EQ(yes(again)->id, 7);
  EXPECT_EQ(yes(again)->balance, 140);
  storage->grant.reset();
  EXPECT_EQ(no(put(others.profiles, get_grant{profile_id{1}, 8})), refusal_code::not_found);
}

} // namespace
} // namespace credence::profile
