#include "actors/kernel/turns.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence {
namespace {

constexpr asker ann{asker_rank::anonymous, 1}, bob{asker_rank::known, 2}, service{};

std::string all_of(turns<char>& from) {
  std::string out;
  while (!from.empty())
    out += from.take();
  return out;
}

TEST(Turns, AskersHaveTheirTurnOneAfterTheOther) {
  turns<char> line;
  EXPECT_TRUE(line.empty());
  for (const char each : {'a', 'b', 'c'})
    EXPECT_TRUE(line.add(ann, each));
  EXPECT_TRUE(line.add(bob, 'x'));
  EXPECT_EQ(line.take(), 'a');
  EXPECT_TRUE(line.add(bob, 'y'));
  EXPECT_EQ(all_of(line), "xbyc");
}

TEST(Turns, OnlyTheLineOfTheServiceHasNoBound) {
  turns<char> line;
  for (std::size_t i = 0; i < turns<char>::waiting_each; ++i)
    EXPECT_TRUE(line.add(ann, 'a'));
  EXPECT_FALSE(line.add(ann, 'a'));
  EXPECT_TRUE(line.add(bob, 'b'));
  for (std::size_t i = 0; i < 2 * turns<char>::waiting_each; ++i)
    EXPECT_TRUE(line.add(service, 's'));
  EXPECT_EQ(line.take(), 'a');
  EXPECT_TRUE(line.add(ann, 'a')) << "there is a place again";
}

} // namespace
} // namespace credence
