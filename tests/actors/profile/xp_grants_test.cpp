#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

class XpGrants : public testing::Test, protected test::deterministic_world {
protected:
  XpGrants() { storage->xp[profile_id{1}].balance = 100; }

  ask<grant_xp> grant(int to, std::int64_t amount) {
    return put(others.profiles, grant_xp{profile_id{to}, amount, "an outage"});
  }
  ask<send_tip> tip(int from, int to, std::int64_t amount) {
    return put(others.profiles, send_tip{profile_id{from}, profile_id{to}, amount, std::nullopt, std::nullopt});
  }
};

TEST_F(XpGrants, AreConfirmedOnceTheyAreStored) {
  open();
  const auto pending = grant(1, 40);
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  const auto& change = get<xp_granted>(storage->written.front().change);
  EXPECT_EQ(change.profile, profile_id{1});
  EXPECT_EQ(change.amount, 40);
  EXPECT_EQ(change.reason, "an outage");
  EXPECT_EQ(change.balance_before, 100);
  EXPECT_EQ(change.at, test::test_now);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->id, last_global) << "its number";
  EXPECT_EQ(yes(pending)->balance, 140);
}

TEST_F(XpGrants, MayBeTippedOnceTheyAreStored) {
  open();
  const auto granted = grant(1, 40);
  const auto too_early = tip(1, 2, 101);
  EXPECT_TRUE(open_still(too_early)) << "the refusal waits for the grant";
  resolve(write_result::stored);
  EXPECT_TRUE(yes(granted));
  EXPECT_EQ(no(too_early), refusal_code::insufficient_xp) << "it was decided before the grant was in";
  const auto all = tip(1, 2, 140);
  EXPECT_TRUE(open_still(all));
  resolve(write_result::stored);
  ASSERT_TRUE(yes(all));
  EXPECT_EQ(yes(all)->sender_balance, 0);
}

TEST_F(XpGrants, CountBesideATipThatIsUnderWay) {
  open();
  const auto leaving = tip(1, 2, 60);
  const auto coming = grant(1, 5);
  ASSERT_EQ(storage->written.size(), 2u);
  EXPECT_EQ(get<xp_granted>(storage->written.back().change).balance_before, 40) << "the tip is out before it";
  resolve(write_result::stored);
  resolve(write_result::stored);
  EXPECT_EQ(yes(leaving)->sender_balance, 40);
  ASSERT_TRUE(yes(coming));
  EXPECT_EQ(yes(coming)->balance, 45);
}

TEST_F(XpGrants, ThatWereNotWrittenAreNotThere) {
  open();
  const auto pending = grant(1, 40);
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(pending), failure::unavailable);
  EXPECT_EQ(no(tip(1, 2, 101)), refusal_code::insufficient_xp);
}

TEST_F(XpGrants, ThatALostActorHadStoredAreWithTheNextOne) {
  open();
  grant(1, 40);
  storage->xp[profile_id{1}].balance = 140; // stored, and the actor is gone before it hears of it
  storage->xp[profile_id{1}].as_of = ++last_global;
  const auto request = storage->written.front();
  storage->written.clear();
  kill_sender(request);
  EXPECT_TRUE(open_still(tip(1, 2, 140)));
}

TEST_F(XpGrants, OutOfBoundsAreRefused) {
  open();
  EXPECT_EQ(no(grant(1, 0)), refusal_code::invalid_amount);
  EXPECT_EQ(no(grant(1, 1'000'001)), refusal_code::invalid_amount);
  EXPECT_TRUE(storage->written.empty());
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
