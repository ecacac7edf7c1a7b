#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

struct ProfileTips : testing::Test, protected test::deterministic_world {
  ProfileTips() { storage->xp[profile_id{1}].balance = 100; }

  ask<send_tip> tip(int from, int to, std::int64_t amount) {
    return put(others.profiles, send_tip{profile_id{from}, profile_id{to}, amount, std::nullopt, std::nullopt});
  }
};

TEST_F(ProfileTips, AreConfirmedOnceTheyAreStored) {
  storage->xp[profile_id{2}].balance = 5;
  const auto pending = tip(1, 2, 40);
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  const auto& change = get<xp_tipped>(storage->written.front().change);
  EXPECT_EQ(change.sender, profile_id{1});
  EXPECT_EQ(change.receiver, profile_id{2});
  EXPECT_EQ(change.at, test::test_now);
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->id, last_global) << "its number";
  EXPECT_EQ(yes(pending)->sender_balance, 60);
  EXPECT_EQ(yes(pending)->receiver_balance, 45);
}

TEST_F(ProfileTips, ThatAreUnderWayCannotBeSpentAgain) {
  const auto first = tip(1, 2, 60);
  const auto too_much = tip(1, 3, 41);
  const auto second = tip(1, 3, 40);
  const auto one_more = tip(1, 3, 1);
  EXPECT_TRUE(open_still(too_much)) << "it is only too much when the first one is stored";
  EXPECT_EQ(no(after(write_result::stored, too_much)), refusal_code::insufficient_xp);
  EXPECT_TRUE(open_still(one_more));
  EXPECT_EQ(no(after(write_result::stored, one_more)), refusal_code::insufficient_xp);
  EXPECT_EQ(yes(first)->sender_balance, 40);
  EXPECT_EQ(yes(second)->sender_balance, 0);
  EXPECT_EQ(no(tip(1, 3, 1)), refusal_code::insufficient_xp);
}

TEST_F(ProfileTips, GoToNobodyWhoIsArchived) {
  open();
  people.publish({profile_id{2}, 0, false});
  EXPECT_EQ(no(tip(1, 2, 1)), refusal_code::receiver_not_found);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(ProfileTips, AreNotThereBeforeTheyAreStored) {
  const auto pending = tip(1, 2, 40);
  EXPECT_EQ(no(tip(2, 3, 1)), refusal_code::insufficient_xp);
  EXPECT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_TRUE(open_still(tip(2, 3, 40))) << "and are at once afterwards";
}

TEST_F(ProfileTips, ThatWereNotWrittenAreGivenBack) {
  const auto first = tip(1, 2, 60);
  const auto second = tip(1, 2, 40);
  EXPECT_EQ(trouble(after(write_result::not_written, first)), failure::unavailable);
  EXPECT_EQ(trouble(second), failure::unavailable) << "it was sent after the first one";
  resolve(write_result::not_written);
  const auto again = tip(1, 2, 100);
  EXPECT_TRUE(open_still(again));
  ASSERT_TRUE(yes(after(write_result::stored, again)));
  EXPECT_EQ(yes(again)->sender_balance, 0);
  EXPECT_EQ(yes(again)->receiver_balance, 100) << "nothing else came";
}

TEST_F(ProfileTips, ThatTheDatabaseRefusesHaveTheProfileReadAgain) {
  const auto pending = tip(1, 2, 60);
  storage->xp[profile_id{1}].balance = 30; // somebody else took it
  EXPECT_EQ(trouble(after(write_result::failed, pending)), failure::refused);
  EXPECT_EQ(storage->settles, 1) << "before it is read";
  EXPECT_EQ(no(tip(1, 2, 31)), refusal_code::insufficient_xp);
  EXPECT_TRUE(open_still(tip(1, 2, 30)));
}

TEST_F(ProfileTips, OthersAreDecidedAgainWhenTheDatabaseRefusesOne) {
  const auto refused = tip(1, 2, 60);
  const auto good = tip(1, 3, 30);
  const auto too_much = tip(1, 3, 50);
  storage->xp[profile_id{1}].balance = 40; // somebody else took it
  const auto request = storage->written.front();
  storage->written.clear();
  send(request.from, write_outcome{request.stream, write_result::failed, 1, 0, 0});
  run();
  EXPECT_EQ(trouble(refused), failure::refused);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(get<xp_tipped>(storage->written.front().change).amount, 30);
  ASSERT_TRUE(yes(after(write_result::stored, good)));
  EXPECT_EQ(yes(good)->sender_balance, 10);
  EXPECT_EQ(no(too_much), refusal_code::insufficient_xp);
}

TEST_F(ProfileTips, ThatALostSenderHadStoredAreWithTheirReceiver) {
  EXPECT_EQ(no(tip(2, 3, 1)), refusal_code::insufficient_xp) << "the receiver is in memory";
  tip(1, 2, 40);
  storage->xp[profile_id{1}].balance = 60; // stored, and the sender is gone before it hears of it
  storage->xp[profile_id{2}].balance = 40;
  storage->xp[profile_id{1}].as_of = storage->xp[profile_id{2}].as_of = ++last_global;
  const auto request = storage->written.front();
  storage->written.clear();
  kill_sender(request);
  const auto passed_on = tip(2, 3, 40);
  ASSERT_TRUE(open_still(passed_on));
  EXPECT_EQ(yes(after(write_result::stored, passed_on))->sender_balance, 0);
}

TEST_F(ProfileTips, InDoubtAreNeitherThereNorGone) {
  const auto pending = tip(1, 2, 60);
  EXPECT_TRUE(open_still(after(write_result::in_doubt, pending)));
  const auto too_much = tip(1, 3, 41);
  EXPECT_TRUE(open_still(too_much));
  EXPECT_EQ(no(tip(2, 3, 1)), refusal_code::insufficient_xp);
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->sender_balance, 40);
  EXPECT_EQ(no(too_much), refusal_code::insufficient_xp);

  const auto lost = tip(1, 2, 40);
  const auto behind_it = tip(1, 3, 1);
  resolve(write_result::in_doubt);
  EXPECT_EQ(trouble(after(write_result::not_written, lost)), failure::unavailable);
  EXPECT_EQ(trouble(behind_it), failure::unavailable) << "it would have been right without the lost one";
  EXPECT_TRUE(open_still(tip(1, 2, 40)));
}

TEST_F(ProfileTips, CountOnceForAReceiverThatIsReadLater) {
  const auto pending = tip(1, 2, 40);
  // By the time anybody asks for the receiver, what is stored holds the tip.
  storage->xp[profile_id{2}].balance = 40;
  storage->xp[profile_id{2}].as_of = last_global + 1;
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->receiver_balance, 40);
}

TEST_F(ProfileTips, AreNeverConfirmedWithoutTheReceiversBalance) {
  const auto pending = tip(1, 2, 40);
  storage->loads_fail = true; // the receiver cannot be loaded
  storage->receipt = tip_receipt{last_global + 1, 60, 45};
  ASSERT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(yes(pending)->sender_balance, 60);
  EXPECT_EQ(yes(pending)->receiver_balance, 45) << "read with the tip";
  storage->receipt.reset();
  const auto another = tip(1, 3, 10);
  EXPECT_EQ(trouble(after(write_result::stored, another)), failure::unavailable)
    << "it may have happened; to ask again tells";
  storage->loads_fail = false;
  EXPECT_EQ(no(tip(2, 1, 1)), refusal_code::insufficient_xp) << "read again: it is not in what the test stored";
}

TEST_F(ProfileTips, AreRefusedWhileNothingCanBeWritten) {
  ASSERT_EQ(no(tip(1, 2, 101)), refusal_code::insufficient_xp);
  status.writable = false;
  EXPECT_EQ(trouble(tip(1, 2, 1)), failure::unavailable);
  status.writable = true;
  with->queue_max = 0;
  EXPECT_EQ(trouble(tip(1, 2, 1)), failure::overloaded);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(ProfileTips, OfAProfileThatCannotBeReadAreUnknown) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(tip(1, 2, 1)), failure::unavailable);
  EXPECT_TRUE(storage->written.empty());
  storage->loads_fail = false;
  EXPECT_TRUE(open_still(tip(1, 2, 1)));
}

TEST_F(ProfileTips, CarryTheNoteOfTheirRequest) {
  open();
  const auto note = std::make_shared<const write_context>(digest32{}, digest32{}, test::test_now);
  const auto with_note = [&](std::int64_t amount) {
    ask<send_tip> question{send_tip{profile_id{1}, profile_id{2}, amount, std::nullopt, std::nullopt}, sink,
                           steady_clock::now() + std::chrono::seconds{100}};
    question.get()->carry(note);
    send(others.profiles.to(), question);
    run();
    return question;
  };
  const auto pending = with_note(1);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(storage->written.front().context, note);
  EXPECT_TRUE(yes(after(write_result::stored, pending)));
  EXPECT_EQ(note.use_count(), 1) << "whoever hears the answer may ask again";
  EXPECT_EQ(no(with_note(101)), refusal_code::insufficient_xp);
  EXPECT_EQ(note.use_count(), 1);
}

} // namespace
} // namespace credence::profile
