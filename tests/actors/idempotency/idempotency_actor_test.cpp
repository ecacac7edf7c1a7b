#include "actors/idempotency/day_counts.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace credence::idempotency {
namespace {

using namespace std::chrono_literals;

digest32 digest(int n) {
  digest32 out{};
  out[0] = static_cast<std::byte>(n);
  return out;
}

const digest32 key = digest(1);
const digest32 body = digest(2);
const digest32 other_body = digest(3);

struct IdempotencyActor : testing::Test, protected test::deterministic_world {
  ask<claim_key> claim(const digest32& id = key, const digest32& of = body) {
    return put(others.idempotency, claim_key{id, of, test::test_now, nullptr, caller});
  }
  ask<record_answer> record(const digest32& id = key) {
    return put(others.idempotency, record_answer{{id, body, test::test_now, 200, "{}"}});
  }
  void stored(std::int32_t answered, std::chrono::seconds ago = 1h) {
    storage->records[key] = {true, body, test::test_now - ago, {"17", answered, answered ? R"({"tipId":17})" : ""}};
  }
  std::string caller = "7";
  /// Lets go of what was claimed.
  void release(ask<claim_key>& claimed) {
    claimed = {};
    run();
  }
};

TEST_F(IdempotencyActor, ANewKeyIsForOneRequest) {
  const auto first = claim();
  ASSERT_TRUE(yes(first));
  ASSERT_TRUE(yes(first)->context);
  EXPECT_FALSE(yes(first)->before);
  EXPECT_EQ(yes(first)->context->id(), key);
  EXPECT_EQ(yes(first)->context->fingerprint(), body);
  EXPECT_EQ(yes(first)->context->at(), test::test_now);
  EXPECT_EQ(no(claim()), refusal_code::request_in_progress);
  EXPECT_EQ(no(claim(key, other_body)), refusal_code::key_reused);
  EXPECT_TRUE(yes(claim(digest(9)))) << "another key";
}

TEST_F(IdempotencyActor, AnAnswerIsRecordedWithoutTheNoteOfItsRequest) {
  const auto claimed = claim();
  ask<record_answer> question{record_answer{{key, body, test::test_now, 200, "{}"}}, sink, steady_clock::now() + 100s};
  question.get()->carry(yes(claimed)->context); // as the front does for every question of a request
  send(others.idempotency.to(), question);
  run();
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(storage->written.front().context, nullptr) << "it went with what the request did, and counts once";
  EXPECT_TRUE(yes(after(write_result::stored, question)));
}

TEST_F(IdempotencyActor, AKeyIsFreeOnceNobodyHoldsItsNote) {
  auto first = claim();
  auto context = yes(first)->context; // as a question on its way to the database
  release(first);
  EXPECT_EQ(no(claim()), refusal_code::request_in_progress);
  context.reset();
  run();
  auto second = claim(key, other_body);
  EXPECT_TRUE(yes(second)) << "nothing was done under it, so the body may be another";
  release(second);
  EXPECT_TRUE(yes(claim()));
}

TEST_F(IdempotencyActor, WhoWasToldThatItTookTooLongTriesAgainWhileTheKeyIsStillLookedUp) {
  storage->records_wait = true;
  open();
  const auto deadline = steady_clock::now() + 1s;
  ask<claim_key> late{claim_key{key, body, test::test_now, nullptr, caller}, sink, deadline};
  send(others.idempotency.to(), late);
  run();
  std::this_thread::sleep_until(deadline + 10ms); // the actor has seen it before that
  EXPECT_EQ(no(claim(key, other_body)), refusal_code::key_reused);
  const auto again = claim();
  EXPECT_EQ(trouble(late), failure::timed_out);
  EXPECT_TRUE(open_still(again));
  EXPECT_EQ(no(claim()), refusal_code::request_in_progress) << "one at a time";
  answer_held();
  ASSERT_TRUE(yes(again));
  EXPECT_TRUE(yes(again)->context);
}

TEST_F(IdempotencyActor, WhatWasAnsweredIsToldAgain) {
  stored(200);
  open();
  for (int i = 0; i < 2; ++i) { // and claims nothing
    const auto again = claim();
    ASSERT_TRUE(yes(again));
    EXPECT_FALSE(yes(again)->context);
    ASSERT_TRUE(yes(again)->before);
    EXPECT_EQ(yes(again)->before->status, 200);
    EXPECT_EQ(yes(again)->before->body, R"({"tipId":17})");
  }
  EXPECT_EQ(no(claim(key, other_body)), refusal_code::key_reused);
  EXPECT_TRUE(yes(claim())) << "that one has claimed nothing either";
}

TEST_F(IdempotencyActor, WhatWasDoneAndNotAnsweredIsForOneToAnswer) {
  stored(0);
  auto first = claim();
  ASSERT_TRUE(yes(first));
  ASSERT_TRUE(yes(first)->context);
  EXPECT_EQ(yes(first)->context->at(), test::test_now - 1h) << "of the request that did it";
  ASSERT_TRUE(yes(first)->before);
  EXPECT_EQ(yes(first)->before->effect, "17");
  EXPECT_EQ(no(claim()), refusal_code::request_in_progress);
  EXPECT_EQ(no(claim(key, other_body)), refusal_code::key_reused);
  release(first);
  EXPECT_EQ(no(claim(key, other_body)), refusal_code::key_reused);
  EXPECT_TRUE(yes(claim()));
}

TEST_F(IdempotencyActor, AKeyIsForgottenAfterADay) {
  stored(200, 24h - 1s);
  EXPECT_FALSE(yes(claim())->context);
  stored(200, 24h);
  const auto fresh = claim(key, other_body);
  ASSERT_TRUE(yes(fresh));
  EXPECT_TRUE(yes(fresh)->context);
  EXPECT_FALSE(yes(fresh)->before);
}

TEST_F(IdempotencyActor, WithoutTheDatabaseNobodyKnows) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(claim()), failure::unavailable);
  EXPECT_EQ(trouble(claim()), failure::unavailable) << "not under way";
  storage->loads_fail = false;
  EXPECT_TRUE(yes(claim()));
}

TEST_F(IdempotencyActor, AQuestionThatCameTooLateClaimsNothing) {
  EXPECT_EQ(trouble(put(others.idempotency, claim_key{key, body, test::test_now}, 0s)), failure::timed_out);
  EXPECT_TRUE(yes(claim()));
}

TEST_F(IdempotencyActor, AnAnswerIsKeptBeforeItIsGiven) {
  const auto pending = record();
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  const auto& change = get<answer_recorded>(storage->written.front().change);
  EXPECT_EQ(change.id, key);
  EXPECT_EQ(change.fingerprint, body);
  EXPECT_EQ(change.status, 200);
  EXPECT_EQ(change.body, "{}");
  EXPECT_TRUE(open_still(after(write_result::in_doubt, pending)));
  EXPECT_TRUE(yes(after(write_result::stored, pending)));
}

TEST_F(IdempotencyActor, AnAnswerThatCannotBeKeptIsNotGiven) {
  open();
  for (const auto result : {write_result::failed, write_result::not_written}) {
    const auto first = record();
    const auto second = record(digest(9));
    resolve(result);
    EXPECT_EQ(trouble(first), failure::unavailable);
    EXPECT_EQ(trouble(second), failure::unavailable) << "the store writes nothing of a stream that failed";
    resolve(result);
    const auto later = record();
    EXPECT_TRUE(yes(after(write_result::stored, later)));
  }
  status.writable = false;
  EXPECT_EQ(trouble(record()), failure::unavailable);
  status.writable = true;
  with->queue_max = 0;
  EXPECT_EQ(trouble(record()), failure::overloaded);
}

TEST_F(IdempotencyActor, ACallerHasSoManyAnswersKeptInADay) {
  with->limits.idempotency_keys_per_day = 2;
  open();
  for (int n = 1; n <= 2; ++n) {
    auto one = claim(digest(n));
    ASSERT_TRUE(yes(one));
    const auto kept = record(digest(n));
    EXPECT_TRUE(yes(after(write_result::stored, kept)));
    release(one);
  }
  EXPECT_EQ(no(claim(digest(3))), refusal_code::too_many_keys);
  EXPECT_EQ(no(claim(digest(3))), refusal_code::too_many_keys) << "and nothing is claimed";
  stored(200);
  EXPECT_TRUE(yes(claim(key))) << "what was answered is told again";
  caller = "8";
  EXPECT_TRUE(yes(claim(digest(4)))) << "somebody else has answers of their own";
  caller = "7";
  EXPECT_TRUE(yes(put(others.idempotency, claim_key{digest(5), body, test::test_now + 24h, nullptr, caller})))
    << "a day later";
}

TEST_F(IdempotencyActor, ActsOfADayAreBoundedWithWhatIsStoredOfThem) {
  storage->days[profile_id{7}].counts = {{profile_id{7}, "profile_edits",
                                          std::chrono::floor<std::chrono::days>(test::test_now),
                                          bound_of(daily_act::profile_edits).most - 1}};
  open();
  const auto edit = [&] { return put(others.idempotency, take_daily{profile_id{7}, daily_act::profile_edits}); };
  EXPECT_TRUE(yes(edit()));
  EXPECT_EQ(no(edit()), refusal_code::too_many_records);
  send(others.idempotency.to(), daily_given_back{profile_id{7}, daily_act::profile_edits});
  run();
  EXPECT_TRUE(yes(edit())) << "one was refused, and is given back";
  EXPECT_EQ(no(edit()), refusal_code::too_many_records);
}

TEST_F(IdempotencyActor, NobodyActsWhoseActsOfTheDayAreNotKnown) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(put(others.idempotency, take_daily{profile_id{7}, daily_act::profile_edits})),
            failure::unavailable);
  storage->loads_fail = false;
  EXPECT_TRUE(yes(put(others.idempotency, take_daily{profile_id{7}, daily_act::profile_edits})));
}

TEST_F(IdempotencyActor, AProfileHasSoManyBytesOfAnswersKeptInADay) {
  open();
  const auto with_bytes = [&](int n) {
    return put(others.idempotency, claim_key{digest(n), body, test::test_now, nullptr, "7", profile_id{7}});
  };
  auto first = with_bytes(1);
  ASSERT_TRUE(yes(first));
  put(others.idempotency,
      record_answer{{digest(1), body, test::test_now, 200,
                     std::string(static_cast<std::size_t>(bound_of(daily_act::kept_answer_bytes).most), 'x')}});
  resolve(write_result::stored);
  release(first);
  EXPECT_EQ(no(with_bytes(2)), refusal_code::too_many_keys);
  EXPECT_EQ(no(with_bytes(2)), refusal_code::too_many_keys) << "and nothing is claimed";
  EXPECT_TRUE(yes(put(others.idempotency, claim_key{digest(3), body, test::test_now, nullptr, "8", profile_id{8}})))
    << "somebody else";
}

constexpr timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};
constexpr std::chrono::sys_days today = std::chrono::floor<std::chrono::days>(noon);
constexpr profile_id first_one{1}, another_one{2};
constexpr auto edits = daily_act::profile_edits;
const auto most = bound_of(edits).most;

/// How many acts are let through, of ten more than there may be.
std::int64_t taken(day_counts& of, profile_id whose, timestamp at = noon) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < most + 10; ++i)
    out += !of.take(whose, edits, 1, at);
  return out;
}

TEST(DayCounts, AProfileHasSoManyActsADayAndEachProfileItsOwn) {
  day_counts days;
  EXPECT_EQ(taken(days, first_one), most);
  EXPECT_EQ(taken(days, another_one), most);
  EXPECT_FALSE(days.take(first_one, daily_act::replies, 1, noon)) << "another kind of act";
  EXPECT_EQ(taken(days, first_one, noon + 11h), 0) << "the same day";
  EXPECT_EQ(taken(days, first_one, noon + 12h), most) << "the next one";
}

TEST(DayCounts, TheRefusalNamesTheBoundWhatIsUsedAndWhenItStartsAnew) {
  day_counts days;
  taken(days, first_one);
  const auto why = test::there(days.take(first_one, edits, 1, noon + 1s));
  EXPECT_EQ(why->code, refusal_code::too_many_records);
  EXPECT_EQ(
    why->detail,
    "profile 1 has used 50 of 50 a day: edits of the own profile; counted anew from 2026-03-05T00:00:00.000Z on");
  EXPECT_EQ(why->retry_after, 12h - 1s);
}

TEST(DayCounts, AnActThatWasRefusedIsGivenBack) {
  day_counts days;
  taken(days, first_one);
  days.give_back(first_one, edits, noon);
  EXPECT_FALSE(days.take(first_one, edits, 1, noon));
  EXPECT_TRUE(days.take(first_one, edits, 1, noon));
  days.give_back(another_one, edits, noon); // who has none
  EXPECT_EQ(taken(days, another_one), most);
}

TEST(DayCounts, WhatIsStoredOfTheDayCountsAndOfAnotherDayDoesNot) {
  day_counts days;
  EXPECT_TRUE(days.has_to_learn(first_one, edits, 1, noon)) << "of so few the first is a hundredth";
  days.learn(first_one,
             {{first_one, "profile_edits", today, most - 2}, {first_one, "an act of a later version", today, 7}}, noon);
  EXPECT_FALSE(days.has_to_learn(first_one, edits, 1, noon));
  EXPECT_EQ(taken(days, first_one), 2);
  days.learn(another_one, {{another_one, "profile_edits", today - std::chrono::days{1}, most}}, noon);
  EXPECT_EQ(taken(days, another_one), most);
}

TEST(DayCounts, NothingIsLookedUpNorWrittenForWhoUsesAHundredthOfABound) {
  day_counts days;
  const auto bytes = bound_of(daily_act::kept_answer_bytes).most / 100;
  EXPECT_FALSE(days.has_to_learn(first_one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_FALSE(days.take(first_one, daily_act::kept_answer_bytes, bytes - 1, noon));
  EXPECT_FALSE(days.has_to_learn(first_one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_FALSE(days.take(first_one, daily_act::kept_answer_bytes, 1, noon));
  EXPECT_TRUE(days.has_to_learn(first_one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_TRUE(days.take_unwritten(10).empty()) << "not before it is known what is stored";
  days.learn(first_one, {}, noon);
  EXPECT_FALSE(days.take(first_one, daily_act::kept_answer_bytes, 5, noon));
  const auto written = test::exactly(1, days.take_unwritten(10));
  EXPECT_EQ(written[0].act, "kept_answer_bytes");
  EXPECT_EQ(written[0].used, bytes + 5);
  EXPECT_EQ(written[0].day, today);
  EXPECT_FALSE(days.take(first_one, daily_act::kept_answer_bytes, 5, noon));
  EXPECT_TRUE(days.take_unwritten(10).empty()) << "a hundredth later";
}

TEST(DayCounts, WhatCouldNotBeWrittenIsWrittenLater) {
  day_counts days;
  days.learn(first_one, {}, noon);
  days.learn(another_one, {}, noon);
  static_cast<void>(days.take(first_one, edits, 1, noon));
  static_cast<void>(days.take(another_one, edits, 1, noon));
  const auto first = days.take_unwritten(1);
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(days.take_unwritten(10).size(), 1u);
  days.not_written(first);
  EXPECT_EQ(days.take_unwritten(10).size(), 1u);
  days.not_written(first);
  static_cast<void>(days.take(another_one, edits, 1, noon + 12h));
  for (const auto& each : days.take_unwritten(10))
    EXPECT_NE(each.profile, first_one) << "of a day that is over";
}

} // namespace
} // namespace credence::idempotency
