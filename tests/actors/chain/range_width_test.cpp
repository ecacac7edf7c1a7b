#include "actors/chain/chain_node.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

block_range first_blocks(std::uint64_t width) { return {100, 100 + width - 1}; }

TEST(RangeWidth, AimsAtTwoThousandLogs) {
  range_width width{10'000};
  EXPECT_EQ(width.next(), 2000U);
  width.succeeded(2000, 1000);
  EXPECT_EQ(width.next(), 4000U);
  width.succeeded(4000, 0);
  EXPECT_EQ(width.next(), 8000U) << "twice at most";
  width.succeeded(8000, 7);
  EXPECT_EQ(width.next(), 10'000U) << "never more than the setting";
  width.succeeded(10'000, 5000);
  EXPECT_EQ(width.next(), 4000U);
  width.succeeded(4000, 1'000'000);
  EXPECT_EQ(width.next(), 1000U) << "a quarter at least";
  width.succeeded(1000, 2000);
  EXPECT_EQ(width.next(), 1000U);
}

TEST(RangeWidth, StaysAtOneBlockWhereBlocksAreFull) {
  range_width width{10'000};
  for (int i = 0; i < 20; ++i)
    width.succeeded(width.next(), 1'000'000);
  EXPECT_EQ(width.next(), 1U);
  width.succeeded(1, 1'000'000);
  EXPECT_EQ(width.next(), 1U);
}

TEST(RangeWidth, ALastShortRangeDoesNotMakeItNarrow) {
  range_width width{10'000};
  width.succeeded(3, 1);
  EXPECT_EQ(width.next(), 4000U);
}

TEST(RangeWidth, HalvesWhatIsTooLarge) {
  range_width width{10'000};
  EXPECT_TRUE(width.too_large(first_blocks(2000), std::nullopt));
  EXPECT_EQ(width.next(), 1000U);
  EXPECT_TRUE(width.too_large(first_blocks(2000), std::nullopt)) << "another request of that time";
  EXPECT_EQ(width.next(), 1000U) << "counts once";
  EXPECT_TRUE(width.too_slow(first_blocks(1000)));
  EXPECT_EQ(width.next(), 500U);
  width.succeeded(500, 0);
  EXPECT_EQ(width.next(), 500U) << "what was learned holds";
}

TEST(RangeWidth, TakesASuggestionOnlyWhenItIsNarrower) {
  range_width width{10'000};
  EXPECT_TRUE(width.too_large(first_blocks(2000), first_blocks(2000)));
  EXPECT_EQ(width.next(), 1000U) << "the range that failed was suggested";
  EXPECT_TRUE(width.too_large(first_blocks(1000), first_blocks(5000)));
  EXPECT_EQ(width.next(), 500U);
  EXPECT_TRUE(width.too_large(first_blocks(500), first_blocks(123)));
  EXPECT_EQ(width.next(), 123U);
  EXPECT_TRUE(width.too_large(first_blocks(123), block_range{200, 100}));
  EXPECT_EQ(width.next(), 61U) << "a range that ends before it begins is none";
}

TEST(RangeWidth, SaysWhenOneBlockIsTooLarge) {
  range_width width{10'000};
  int requests = 0;
  while (width.too_large(first_blocks(width.next()), std::nullopt))
    ASSERT_LT(++requests, 20);
  EXPECT_EQ(width.next(), 1U);
  EXPECT_FALSE(width.too_slow(first_blocks(1)));
}

TEST(RangeWidth, ACapFadesByATenthAfterTenAnswers) {
  range_width width{10'000};
  width.too_large(first_blocks(2000), std::nullopt);
  for (int i = 0; i < 9; ++i)
    width.succeeded(1000, 0);
  EXPECT_EQ(width.next(), 1000U);
  width.succeeded(1000, 0);
  EXPECT_EQ(width.next(), 1100U);
  width.too_large(first_blocks(1100), std::nullopt);
  EXPECT_EQ(width.next(), 550U);
  for (int i = 0; i < 1000; ++i)
    width.succeeded(width.next(), 0);
  EXPECT_EQ(width.next(), 10'000U);
}

TEST(RangeWidth, HoldsForAnySetting) {
  EXPECT_EQ(range_width{0}.next(), 1U);
  EXPECT_EQ(range_width{7}.next(), 7U);
  range_width width{~std::uint64_t{0}};
  for (int i = 0; i < 100; ++i)
    width.succeeded(width.next(), 0);
  EXPECT_EQ(width.next(), std::uint64_t{1} << 40);
}

} // namespace
} // namespace credence::chain
