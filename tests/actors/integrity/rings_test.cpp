#include "actors/integrity/rings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace credence::integrity {
namespace {

using places = std::vector<std::optional<std::size_t>>;

ring ring_of(std::vector<std::int32_t> who) {
  found_group group;
  for (const auto each : who)
    group.members.push_back({each, 1'700'000'000});
  group.signs = {{sign::reciprocal, 20.9, 6}, {sign::same_seconds, 12.2, 5}};
  group.decades = 33;
  group.mutual = {4, 3, 2};
  return as_found(group);
}

TEST(Rings, KeepTheirNameWhileHalfOfThemStaysTogether) {
  const std::vector known{ring_of({1, 2, 3, 4}), ring_of({11, 12, 13, 14})};
  EXPECT_EQ(recognise(known, {ring_of({11, 12, 13, 20})}), places{1});
  EXPECT_EQ(recognise(known, {ring_of({1, 2, 21, 22})}), places{std::nullopt}) << "half is not more than half";
  EXPECT_EQ(recognise(known, {ring_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}), places{0}) << "however much it has grown";
  EXPECT_EQ(recognise(known, {ring_of({31, 32, 33, 34})}), places{std::nullopt});
  EXPECT_EQ(recognise({}, {ring_of({1, 2, 3, 4})}), places{std::nullopt});
}

TEST(Rings, ThatFallApartLeaveTheirNameToTheLargerPart) {
  const std::vector known{ring_of({1, 2, 3, 4, 5, 6, 7, 8, 9})};
  EXPECT_EQ(recognise(known, {ring_of({1, 2, 3, 4}), ring_of({5, 6, 7, 8, 9})}), (places{std::nullopt, 0}));
}

TEST(Rings, ThatJoinHaveTheNameOfTheLargerOne) {
  const std::vector known{ring_of({1, 2, 3, 4}), ring_of({5, 6, 7, 8, 9})};
  EXPECT_EQ(recognise(known, {ring_of({1, 2, 3, 4, 5, 6, 7, 8, 9})}), places{1});
}

TEST(Rings, AreOpenAgainOnceSomebodyNewIsInThem) {
  auto known = ring_of({1, 2, 3, 4});
  known.id = 7;
  known.runs = 1;
  known.mark = ring_mark::honest;
  known.marked_by = "profile 1";
  known.remark = "a team";
  find_again(known, ring_of({1, 2, 3}));
  EXPECT_EQ(known.change, ring_change::same);
  EXPECT_EQ(known.mark, ring_mark::honest);
  EXPECT_EQ(known.members, (std::vector<std::int32_t>{1, 2, 3}));
  find_again(known, ring_of({1, 2, 3, 4}));
  EXPECT_EQ(known.change, ring_change::same) << "4 was in it before";
  EXPECT_EQ(known.mark, ring_mark::honest);
  find_again(known, ring_of({1, 2, 3, 4, 5}));
  EXPECT_EQ(known.change, ring_change::grown);
  EXPECT_EQ(known.mark, ring_mark::open);
  EXPECT_EQ(known.remark, "a team") << "what was said before can still be read";
  EXPECT_EQ(known.id, 7);
  EXPECT_EQ(known.runs, 4);
}

TEST(Rings, RememberAThousandMembersAtMost) {
  const auto from = [](std::int32_t first) {
    std::vector<std::int32_t> out(500);
    std::iota(out.begin(), out.end(), first);
    return ring_of(out);
  };
  auto known = from(1);
  find_again(known, from(501));
  find_again(known, from(1001));
  EXPECT_EQ(known.seen.size(), ring_seen_max);
  EXPECT_TRUE(std::includes(known.seen.begin(), known.seen.end(), known.members.begin(), known.members.end()));
}

TEST(Rings, ShowTheMeasuresThatTheyWereStoredWith) {
  const auto group = group_of(ring_of({4, 2, 3, 1}));
  ASSERT_EQ(group.members.size(), 4u);
  EXPECT_EQ(group.members.front().profile, 1);
  ASSERT_EQ(group.signs.size(), 2u);
  EXPECT_EQ(group.signs.front().what, sign::reciprocal) << "the strongest first";
  EXPECT_EQ(group.signs.front().decades, 20);
  EXPECT_EQ(group.signs.back().pairs, 5);
  EXPECT_EQ(group.mutual, (std::array<std::int32_t, tie_kinds>{4, 3, 2}));
}

} // namespace
} // namespace credence::integrity
