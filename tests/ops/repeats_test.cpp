#include "ops/log_ring.hpp"
#include "ops/repeats.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::ops {
namespace {

using namespace std::chrono_literals;

TEST(Repeats, LetsTheFirstThroughAndCountsTheOthers) {
  repeats of;
  const repeats::time begin{1h};
  EXPECT_TRUE(of.lets_through("away", "1", begin));
  EXPECT_TRUE(of.lets_through("slow", "1", begin));
  for (int i = 2; i <= 20; ++i)
    EXPECT_FALSE(of.lets_through("away", std::to_string(i), begin + i * 100ms));
  EXPECT_TRUE(of.due(begin + 9s).empty());
  const auto due = of.due(begin + 10s);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].text, "20");
  EXPECT_EQ(due[0].held, 19);
}

TEST(Repeats, TellMoreAndMoreSeldom) {
  repeats of;
  repeats::time now{1h};
  of.lets_through("away", "", now);
  int told = 0;
  for (const auto end = now + 1h; now < end; now += 500ms) {
    of.lets_through("away", "", now);
    told += static_cast<int>(of.due(now).size());
  }
  EXPECT_LT(told, 20) << "twice a second for an hour";
  EXPECT_GT(told, 10);
}

TEST(Repeats, ForgetWhatDoesNotComeAgain) {
  repeats of;
  repeats::time now{1h};
  EXPECT_TRUE(of.lets_through("away", "", now));
  EXPECT_TRUE(of.due(now + 11s).empty());
  EXPECT_TRUE(of.lets_through("away", "", now + 12s));
}

TEST(Repeats, TellAllAtTheEnd) {
  repeats of;
  const repeats::time now{1h};
  of.lets_through("once", "", now);
  for (int i = 0; i < 3; ++i)
    of.lets_through("away", std::to_string(i), now);
  const auto all = of.all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text, "2");
  EXPECT_EQ(all[0].held, 2);
  EXPECT_TRUE(of.all().empty());
}

TEST(Repeats, AreBounded) {
  repeats of;
  const repeats::time now{1h};
  for (std::size_t i = 0; i < 2 * repeats::keys_max; ++i)
    EXPECT_TRUE(of.lets_through(std::to_string(i), "", now));
  EXPECT_TRUE(of.lets_through(std::to_string(2 * repeats::keys_max - 1), "", now))
    << "what is not remembered is let through";
}

std::vector<kept_line> kept(const std::string& event) { return log_lines({.event = event, .limit = 500}).lines; }

TEST(Log, KeepsOneOfManyFailuresThatDifferInTheirIdsAlone) {
  for (int i = 0; i < 30; ++i)
    log(level::warn, "repeats_test_failed", {{"request_id", std::to_string(i)}, {"status", 503}, {"ms", 0.5 * i}});
  log(level::warn, "repeats_test_failed", {{"request_id", "x"}, {"status", 500}, {"ms", 1.5}});
  ASSERT_EQ(kept("repeats_test_failed").size(), 2u);
  EXPECT_NE(kept("repeats_test_failed")[1].fields.find("500"), std::string::npos);
}

TEST(Log, TellsAtTheEndWhatIsStillHeldBack) {
  for (int i = 0; i < 3; ++i)
    log(level::warn, "repeats_test_ended", {{"part", "same"}});
  ASSERT_EQ(kept("repeats_test_ended").size(), 1u);
  log_all_repeats();
  ASSERT_EQ(kept("repeats_test_ended").size(), 2u);
  EXPECT_EQ(kept("repeats_test_ended")[1].fields, R"({"part":"same","repeated":2})");
  log_all_repeats();
  EXPECT_EQ(kept("repeats_test_ended").size(), 2u) << "once";
}

TEST(Log, KeepsOfALongLineThatRepeatsWhatFits) {
  const std::string text(100'000, 'x');
  for (const auto* end : {"a", "a", "b"})
    log(level::warn, "repeats_test_long", {{"part", "same"}, {"error", text + end}});
  ASSERT_EQ(kept("repeats_test_long").size(), 2u) << "they are told apart by their ends";
  log_all_repeats();
  ASSERT_EQ(kept("repeats_test_long").size(), 3u);
  EXPECT_EQ(kept("repeats_test_long")[2].fields, R"({"part":"same","repeated":1})");
}

TEST(Log, KeepsWhatIsNoWarning) {
  for (int i = 0; i < 5; ++i)
    log(level::info, "repeats_test_told", {{"part", "same"}});
  EXPECT_EQ(kept("repeats_test_told").size(), 5u);
}

} // namespace
} // namespace credence::ops
