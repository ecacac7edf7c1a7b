#include "http/server/request.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

constexpr steady_time start{1h};

TEST(BodyPace, SmallBodiesMayTakeTheTimeOfTheRequest) {
  body_pace pace;
  pace.begin();
  pace.came(1, start);
  EXPECT_FALSE(pace.too_slow(start + 25s)) << "a slow phone sends a vote";
  pace.came(1000, start + 25s);
  EXPECT_FALSE(pace.too_slow(start + 29s));
}

TEST(BodyPace, LargeOnesHaveToComeAtTheLeastRateAfterAGrace) {
  body_pace pace;
  pace.begin();
  pace.came(1000, start);
  pace.came(24, start + 10s);
  EXPECT_FALSE(pace.too_slow(start + 15s)) << "the grace begins with the first second's worth of bytes";
  EXPECT_FALSE(pace.too_slow(start + 15900ms));
  EXPECT_TRUE(pace.too_slow(start + 16s)) << "1024 more were due";
  pace.came(1024, start + 16s);
  EXPECT_FALSE(pace.too_slow(start + 16s));
  EXPECT_TRUE(pace.too_slow(start + 17s));
  pace.begin();
  EXPECT_FALSE(pace.too_slow(start + 17s)) << "the next body";
}

} // namespace
} // namespace credence::http
