#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

using namespace std::chrono_literals;

class CredentialsActorTest : public testing::Test, protected test::deterministic_world {
protected:
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
  open();
  const auto slot = check_key();
  ASSERT_TRUE(slot);
  const auto revoking = put(others.profiles, revoke_key{me, "a-key"});
  EXPECT_TRUE(slot->holds(test::test_now)) << "it is not stored yet";
  EXPECT_TRUE(open_still(revoking));
  resolve(write_result::stored);
  EXPECT_TRUE(yes(revoking));
  EXPECT_FALSE(slot->holds(test::test_now));
  EXPECT_FALSE(check_key());
}

TEST_F(CredentialsActorTest, AKeyWhoseRevocationWasNotWrittenGoesOn) {
  open();
  const auto slot = check_key();
  const auto revoking = put(others.profiles, revoke_key{me, "a-key"});
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(revoking), failure::unavailable);
  EXPECT_TRUE(slot->holds(test::test_now));
  EXPECT_EQ(check_key(), slot);
}

TEST_F(CredentialsActorTest, NothingIsWrittenWhereThereAreNoOtherSessionsToEnd) {
  open();
  ASSERT_TRUE(check_session());
  EXPECT_TRUE(yes(put(others.profiles, end_other_sessions{me, "a-session"})));
  EXPECT_TRUE(storage->written.empty());
  const auto ending = put(others.profiles, end_other_sessions{me, std::nullopt});
  ASSERT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(ending));
  EXPECT_FALSE(check_session());
}

TEST_F(CredentialsActorTest, WhatWasEndedWithoutWordOfItIsOverOnceTheOwnerIsAskedAgain) {
  open();
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
  open();
  const auto key = check_key();
  const auto session = check_session();
  put(others.profiles, revoke_key{me, "a-key"});
  resolve(write_result::failed);
  EXPECT_EQ(check_key(), key);
  EXPECT_TRUE(key->holds(test::test_now));
  EXPECT_TRUE(session->holds(test::test_now));
}

TEST_F(CredentialsActorTest, AccessThatAnOperatorTookAwayCountsFromTheNextKeyOn) {
  open();
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
  open();
  const auto slot = check_session();
  digest32 old{};
  const auto stolen = put(others.profiles, refresh_session{me, "a-session", old, hash()});
  EXPECT_FALSE(slot->holds(test::test_now)) << "also while that is being stored";
  resolve(write_result::stored);
  EXPECT_EQ(no(stolen), refusal_code::unauthenticated);
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
  resolve(write_result::stored);
  ASSERT_TRUE(yes(refreshing));
  EXPECT_TRUE(yes(refreshing)->rotated);
}

} // namespace
} // namespace credence::profile
