#include "actors/kernel/turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace credence {
namespace {

constexpr asker ann{asker_rank::known, 1}, bob{asker_rank::known, 2}, service{};

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
  for (std::size_t i = 0; i < lists_waiting_each; ++i)
    EXPECT_TRUE(line.add(ann, 'a'));
  EXPECT_FALSE(line.add(ann, 'a'));
  EXPECT_TRUE(line.add(bob, 'b'));
  for (std::size_t i = 0; i < 2 * lists_waiting_each; ++i)
    EXPECT_TRUE(line.add(service, 's'));
  EXPECT_FALSE(line.add(ann, 'a'));
  all_of(line);
  EXPECT_TRUE(line.add(ann, 'a')) << "there is a place again";
}

TEST(Turns, ManyAddressesWeighNoMoreThanTheirRank) {
  turns<char> line;
  for (std::uint64_t who = 0; who < 40; ++who)
    EXPECT_TRUE(line.add({asker_rank::anonymous, who}, '.'));
  for (int i = 0; i < 9; ++i)
    EXPECT_TRUE(line.add(bob, 'b'));
  const auto first = all_of(line).substr(0, 12);
  EXPECT_EQ(std::count(first.begin(), first.end(), 'b'), 9) << first;
}

} // namespace
} // namespace credence
