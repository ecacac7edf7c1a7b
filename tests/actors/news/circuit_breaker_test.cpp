#include "actors/news/news_state.hpp"

#include <gtest/gtest.h>

namespace credence::news {
namespace {

using namespace std::chrono_literals;
using state = circuit_breaker::state;

class NewsBreaker : public testing::Test {
protected:
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
