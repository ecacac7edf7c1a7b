#include "actors/news/news_state.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

namespace credence::news {
namespace {

using namespace std::chrono_literals;
using result = looked_up::result;
using status = news_state::status;

account numbered(int i) { return {std::to_string(i), {}}; }

looked_up found(const std::string& text) {
  post one;
  one.id = "1";
  one.text = text;
  return {.outcome = result::found, .newest = std::make_shared<const post>(std::move(one))};
}
const looked_up none{.outcome = result::none};
const looked_up failed{.outcome = result::failed, .why = "away"};

std::string text_of(const post_ptr& ptr) { return ptr ? ptr->text : "nothing"; }

struct News : testing::Test {
  news_state::sight see(const account& whose, std::uint64_t request = 1, const asker& by = {}) {
    return state.see(whose, by, {request, 0}, now);
  }
  /// The number of the account to ask for next; 0: none.
  int next() {
    const auto errand = state.next(now);
    return errand ? std::stoi(errand->whose.id) : 0;
  }
  /// Looks for an account that nobody waits for yet.
  std::vector<news_state::answered> look(const account& whose, const looked_up& came) {
    EXPECT_EQ(see(whose).how, status::looked_for);
    const auto errand = state.next(now);
    EXPECT_TRUE(errand && errand->whose == whose);
    return state.learn(*errand, came, now);
  }
  void expect_known(const account& whose, const std::string& text) {
    const auto sight = see(whose);
    EXPECT_EQ(sight.how, status::known);
    EXPECT_EQ(text_of(sight.newest), text);
    EXPECT_FALSE(state.next(now)) << "nobody needs to be asked";
  }

  news_state state;
  steady_time now = steady_time{} + 1h;
};

TEST_F(News, AreKeptForADay) {
  EXPECT_EQ(text_of(look(numbered(1), found("hello")).at(0).newest), "hello");
  expect_known(numbered(1), "hello");
  now += 24h - 1ms;
  expect_known(numbered(1), "hello");
  now += 1ms;
  EXPECT_EQ(text_of(look(numbered(1), found("later")).at(0).newest), "later");
  expect_known(numbered(1), "later");
}

TEST_F(News, ThatThereAreNoneIsKeptForADay) {
  EXPECT_EQ(look(numbered(1), none).at(0).newest, nullptr);
  now += 24h - 1ms;
  expect_known(numbered(1), "nothing");
  now += 1ms;
  look(numbered(1), found("first"));
  expect_known(numbered(1), "first");
}

TEST_F(News, AFailureIsKeptForAMinute) {
  EXPECT_EQ(look(numbered(1), failed).at(0).newest, nullptr);
  now += 1min - 1ms;
  expect_known(numbered(1), "nothing");
  now += 1ms;
  EXPECT_EQ(text_of(look(numbered(1), found("hello")).at(0).newest), "hello");
}

TEST_F(News, OfYesterdayStandInForADayWhileTheSourceFails) {
  look(numbered(1), found("yesterday"));
  now += 24h;
  const auto sight = see(numbered(1), 7);
  EXPECT_EQ(sight.how, status::looked_for) << "the source is asked all the same";
  EXPECT_EQ(text_of(sight.newest), "yesterday");
  EXPECT_EQ(text_of(state.learn(*state.next(now), failed, now).at(0).newest), "yesterday");
  expect_known(numbered(1), "yesterday");
  now += 24h - 1ms;
  EXPECT_EQ(text_of(look(numbered(1), failed).at(0).newest), "yesterday");
  now += 1ms;
  expect_known(numbered(1), "nothing");
  now += 1min;
  EXPECT_EQ(look(numbered(1), failed).at(0).newest, nullptr);
}

TEST_F(News, ThatAreGoneDoNotStandIn) {
  look(numbered(1), found("deleted"));
  now += 24h;
  EXPECT_EQ(look(numbered(1), none).at(0).newest, nullptr);
  expect_known(numbered(1), "nothing");
}

TEST_F(News, AreLookedForOnceWhoeverWaits) {
  see(numbered(1), 1);
  see(numbered(1), 2);
  const auto errand = test::there(state.next(now));
  EXPECT_EQ(see(numbered(1), 3).how, status::looked_for) << "also while it is under way";
  EXPECT_FALSE(state.next(now));
  state.forget(numbered(1), 2);
  const auto told = test::exactly(1, state.learn(*errand, found("hello"), now));
  ASSERT_EQ(told[0].whom.size(), 2u);
  EXPECT_EQ(told[0].whom[0].request, 1u);
  EXPECT_EQ(told[0].whom[1].request, 3u);
}

TEST_F(News, FillTheMemoryAlsoWhenNobodyWaitsAnyMore) {
  see(numbered(1), 1);
  const auto errand = state.next(now);
  state.forget(numbered(1), 1);
  EXPECT_TRUE(state.learn(*errand, found("hello"), now).at(0).whom.empty());
  expect_known(numbered(1), "hello");
}

TEST_F(News, AnAccountKnownByNameIsTheSameInAnyCase) {
  look({{}, "Ada"}, found("hello"));
  expect_known({{}, "aDA"}, "hello");
  EXPECT_EQ(see({"7", "ada"}).how, status::looked_for) << "one known by its id is another";
}

TEST_F(News, TheQueueIsBounded) {
  for (std::size_t i = 0; i < news_state::waiting_max; ++i)
    ASSERT_EQ(see(numbered(static_cast<int>(i))).how, status::looked_for);
  EXPECT_EQ(see(numbered(1'000'000)).how, status::turned_away);
  EXPECT_EQ(see(numbered(5)).how, status::looked_for) << "who waits already may be waited for";
  ASSERT_TRUE(state.next(now));
  EXPECT_EQ(see(numbered(1'000'000)).how, status::looked_for);
  EXPECT_EQ(state.waiting(), news_state::waiting_max);
}

TEST_F(News, WhoWantsManyHoldsUpNobodyElse) {
  const asker flood{asker_rank::anonymous, 1}, other{asker_rank::anonymous, 2}, known{asker_rank::known, 3};
  const auto most = static_cast<int>(news_state::waiting_each);
  for (int i = 1; i <= most; ++i)
    ASSERT_EQ(see(numbered(i), 1, flood).how, status::looked_for);
  EXPECT_EQ(see(numbered(most + 1), 1, flood).how, status::turned_away) << "of one asker so many wait";
  EXPECT_EQ(see(numbered(1001), 2, other).how, status::looked_for);
  EXPECT_EQ(see(numbered(77), 2, other).how, status::looked_for);
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 1001) << "and not behind all the others";
  EXPECT_EQ(next(), 2);
  EXPECT_EQ(next(), 77) << "in the turn of whoever waits for it";
  EXPECT_EQ(see(numbered(1002), 3, known).how, status::looked_for);
  EXPECT_EQ(next(), 1002) << "whoever is known comes first";
  for (int i = 3; i <= most; ++i)
    if (i != 77)
      EXPECT_EQ(next(), i) << "each account once";
  EXPECT_EQ(next(), 0);
}

TEST_F(News, WhatWasAskedForInTheTurnOfAnotherTakesUpNoRoom) {
  const asker one{asker_rank::anonymous, 1}, other{asker_rank::anonymous, 2};
  const auto most = static_cast<int>(news_state::waiting_each);
  for (int i = 1; i <= most; ++i)
    ASSERT_EQ(see(numbered(i), 1, one).how, status::looked_for);
  for (int i = most; i >= 1; --i)
    ASSERT_EQ(see(numbered(i), 2, other).how, status::looked_for);
  for (int i = 1; i <= most; ++i)
    ASSERT_NE(next(), 0);
  EXPECT_EQ(next(), 0);
  for (int i = 1; i <= most; ++i)
    ASSERT_EQ(see(numbered(most + i), 2, other).how, status::looked_for) << i << ": a question may name so many";
  EXPECT_EQ(see(numbered(1000000), 2, other).how, status::turned_away);
  for (int i = 1; i <= most; ++i)
    EXPECT_EQ(next(), most + i);
}

TEST_F(News, StrangersLeaveRoomForThoseWhoAreKnown) {
  const auto half = static_cast<int>(news_state::waiting_max / 2);
  const auto stranger = [](int i) { return asker{asker_rank::anonymous, static_cast<std::uint64_t>(i / 100)}; };
  for (int i = 0; i < half; ++i)
    ASSERT_EQ(see(numbered(i), 1, stranger(i)).how, status::looked_for);
  EXPECT_EQ(see(numbered(half), 1, stranger(half)).how, status::turned_away);
  EXPECT_EQ(see(numbered(half), 2, {asker_rank::known, 1}).how, status::looked_for);
}

TEST_F(News, WhatNobodyWantedForLongestIsForgotten) {
  const auto most = static_cast<int>(news_state::remembered_max);
  for (int i = 0; i < most; ++i)
    look(numbered(i), none);
  expect_known(numbered(0), "nothing"); // wanted again
  look(numbered(most), none);
  EXPECT_EQ(state.remembered(), news_state::remembered_max);
  expect_known(numbered(0), "nothing");
  EXPECT_EQ(see(numbered(1)).how, status::looked_for);
}

TEST_F(News, NobodyWaitsForASourceThatIsLeftAlone) {
  look(numbered(99), found("before"));
  for (int i = 1; i < circuit_breaker::failures_max; ++i)
    look(numbered(i), failed);
  now += 24h; // number 99 is of yesterday, and the failures are forgotten
  see(numbered(1), 1);
  const auto last = state.next(now);
  see(numbered(99), 2);
  see(numbered(98), 3);
  const auto told = state.learn(*last, failed, now);
  ASSERT_EQ(told.size(), 3u) << "and those that wait to be asked for";
  EXPECT_EQ(told[1].whom.at(0).request, 2u);
  EXPECT_EQ(text_of(told[1].newest), "before");
  EXPECT_EQ(told[2].newest, nullptr);
  EXPECT_EQ(see(numbered(98)).how, status::turned_away);
  EXPECT_EQ(text_of(see(numbered(99)).newest), "before");
  EXPECT_FALSE(state.next(now));

  now += circuit_breaker::open_for;
  see(numbered(98), 4);
  see(numbered(97), 5);
  const auto trial = test::there(state.next(now));
  EXPECT_FALSE(state.next(now)) << "one trial";
  EXPECT_EQ(see(numbered(96)).how, status::turned_away);
  state.learn(*trial, none, now);
  EXPECT_TRUE(state.next(now)) << "the one that waited";
  EXPECT_EQ(see(numbered(96)).how, status::looked_for);
}

TEST_F(News, ThatTheSourceIsAskedTooOftenPausesIt) {
  look(numbered(1), {.outcome = result::limited, .pause = 5min});
  EXPECT_EQ(see(numbered(2)).how, status::turned_away);
  now += 5min;
  look(numbered(2), none);
  EXPECT_EQ(state.source(), circuit_breaker::state::closed);
}

TEST(NewsAccount, IsAnIdOrAName) {
  const auto is = [](std::string_view id, std::string_view name) {
    const auto found = account_of(id, name);
    return found ? found->id + "/" + found->name : "nobody";
  };
  EXPECT_EQ(is("1000000000000007919", "ada1"), "1000000000000007919/ada1");
  EXPECT_EQ(is("7", ""), "7/");
  EXPECT_EQ(is("7", "@ada"), "7/ada");
  EXPECT_EQ(is("7", "a/../b"), "7/");
  EXPECT_EQ(is("ada", ""), "/ada");
  EXPECT_EQ(is("ada_old", "ada"), "/ada");
  for (const auto* odd :
       {"", "a b", "a?b", "../1", "1/2", "ä", "a%2Fb", "123456789012345678901234567890123456789012345678901"})
    EXPECT_EQ(is(odd, ""), "nobody") << odd;
}

using state = circuit_breaker::state;

struct NewsBreaker : testing::Test {
  circuit_breaker::leave send() {
    const auto with = breaker.may_send(now);
    EXPECT_TRUE(with);
    return with.value_or(circuit_breaker::leave{});
  }
  void fail(int times) {
    for (int i = 0; i < times; ++i)
      breaker.failed(send(), now);
  }

  circuit_breaker breaker;
  steady_time now = steady_time{} + 1h;
};

TEST_F(NewsBreaker, OpensAfterFailuresInARow) {
  fail(circuit_breaker::failures_max - 1);
  breaker.succeeded(send());
  fail(circuit_breaker::failures_max - 1);
  EXPECT_EQ(breaker.now_in(), state::closed);
  fail(1);
  EXPECT_EQ(breaker.now_in(), state::open);
  now += circuit_breaker::open_for - 1ms;
  EXPECT_FALSE(breaker.may_send(now));
}

TEST_F(NewsBreaker, LetsOneTrialThroughAndClosesWhenItSucceeds) {
  fail(circuit_breaker::failures_max);
  now += circuit_breaker::open_for;
  EXPECT_TRUE(breaker.lets_through(now));
  const auto trial = send();
  EXPECT_EQ(breaker.now_in(), state::trial);
  EXPECT_FALSE(breaker.may_send(now + 1h)) << "it is under way";
  breaker.succeeded(trial);
  EXPECT_EQ(breaker.now_in(), state::closed);
  fail(circuit_breaker::failures_max - 1);
  EXPECT_EQ(breaker.now_in(), state::closed) << "it counts from none";
}

TEST_F(NewsBreaker, StaysOpenWhenTheTrialFails) {
  fail(circuit_breaker::failures_max);
  now += circuit_breaker::open_for;
  breaker.failed(send(), now);
  EXPECT_EQ(breaker.now_in(), state::open);
  EXPECT_FALSE(breaker.may_send(now + circuit_breaker::open_for - 1ms));
  EXPECT_TRUE(breaker.may_send(now + circuit_breaker::open_for));
}

TEST_F(NewsBreaker, LateOutcomesDoNotCount) {
  const auto early = send();
  const auto other = send();
  fail(circuit_breaker::failures_max);
  breaker.succeeded(early);
  EXPECT_EQ(breaker.now_in(), state::open);
  now += circuit_breaker::open_for;
  const auto trial = send();
  breaker.failed(other, now);
  breaker.told_to_pause(other, 1min, now);
  EXPECT_EQ(breaker.now_in(), state::trial);
  breaker.succeeded(trial);
  EXPECT_EQ(breaker.now_in(), state::closed);
}

TEST_F(NewsBreaker, PausesForAsLongAsItIsTold) {
  const std::pair<std::chrono::seconds, std::chrono::seconds> rows[]{
    {90s, 90s},
    {0s, circuit_breaker::open_for},
    {-5s, circuit_breaker::open_for},
    {std::chrono::seconds::max(), circuit_breaker::pause_max}};
  for (const auto& [told, length] : rows) {
    breaker = {};
    breaker.told_to_pause(send(), told, now);
    EXPECT_EQ(breaker.now_in(), state::open);
    EXPECT_FALSE(breaker.may_send(now + length - 1ms)) << told.count();
    EXPECT_TRUE(breaker.may_send(now + length)) << told.count();
  }
}

} // namespace
} // namespace credence::news
