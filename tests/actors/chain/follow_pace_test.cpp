#include "actors/chain/chain_node.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/chain/refold_types.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace std::chrono_literals;

TEST(FollowPace, TakesLargeStepsWhileNobodyAsks) {
  follow_pace pace;
  EXPECT_LE(pace.events_max(false), step_size::first) << "nobody knows yet how long one takes";
  for (int i = 0; i < 30; ++i)
    pace.stored(pace.events_max(false), step_size::fast - 1ms);
  EXPECT_EQ(pace.events_max(false), step_events_max);
  pace.stored(2000, step_size::slow + 1ms);
  EXPECT_EQ(pace.events_max(false), 1000u);
}

TEST(FollowPace, TakesSmallStepsWithRestsWhileClientsWait) {
  follow_pace pace;
  const auto first = pace.events_max(true);
  EXPECT_LE(first, 100u);
  pace.stored(first, 23ms);
  EXPECT_LT(pace.events_max(true), first);
  EXPECT_EQ(pace.events_max(false), step_size::first) << "large ones are as they were";
  for (int i = 0; i < 100; ++i)
    pace.stored(1, 1ms);
  EXPECT_LT(pace.events_max(true), first) << "steps with little in them say nothing";
  for (int i = 0; i < 100; ++i)
    pace.stored(pace.events_max(true), 1ms);
  EXPECT_GT(pace.events_max(true), first);
  const auto grown = pace.events_max(true);
  pace.stored(2000, step_size::slow + 1ms);
  EXPECT_EQ(pace.events_max(true), std::min(grown, pace.events_max(false)))
    << "a large step says nothing of small ones";
}

TEST(FollowPace, NeverComesToAStandstillBehindTheCommitsOfOthers) {
  follow_pace pace;
  for (int i = 0; i < 1000; ++i)
    pace.stored(pace.events_max(true), step_size::slow - 5ms);
  EXPECT_EQ(pace.events_max(true), follow_pace::under_load_least);
}

TEST(FollowPace, ShrinksAfterAStepThatWasLostAndGrowsAgain) {
  for (const auto commit : {1ms, step_size::slow - 5ms}) {
    follow_pace pace;
    for (int i = 0; i < 20; ++i)
      pace.lost();
    EXPECT_EQ(pace.events_max(false), 1u);
    EXPECT_EQ(pace.events_max(true), 1u);
    for (int i = 0; i < 300; ++i)
      pace.stored(pace.events_max(false), commit);
    EXPECT_GE(pace.events_max(false), commit == 1ms ? step_events_max : follow_pace::under_load_least);
    EXPECT_GE(pace.events_max(true), follow_pace::under_load_least);
  }
}

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

/// What is decided about failed events that are tried again.

std::vector<block_mark> blocks_of(block_number first, block_number last) {
  std::vector<block_mark> out;
  for (auto number = first; number <= last; ++number)
    out.push_back({number, {}, {}, {}});
  return out;
}

/// Where the pieces lead to, one after the other.
std::vector<block_number> pieces_of(const piecewise_undo& undo, std::vector<block_mark> blocks) {
  std::vector<block_number> out;
  while (const auto back = undo.next(blocks.back(), blocks)) {
    out.push_back(back->number);
    std::erase_if(blocks, [&](const block_mark& each) { return each.number > back->number; });
  }
  return out;
}

TEST(PiecewiseUndo, TakesAFewBlocksBackAtATime) {
  EXPECT_EQ(pieces_of({}, blocks_of(100, 145)), (std::vector<block_number>{125, 105, 100}));
  EXPECT_EQ(pieces_of({}, blocks_of(100, 120)), (std::vector<block_number>{100}));
  EXPECT_TRUE(pieces_of({}, blocks_of(7, 7)).empty()) << "the last final block is the tip";
  EXPECT_FALSE(piecewise_undo{}.next({}, {}));
}

TEST(PiecewiseUndo, GoesBackToABlockThatIsKeptWhereTheyAreFarApart) {
  EXPECT_EQ(pieces_of({}, {{10, {}, {}, {}}, {60, {}, {}, {}}, {65, {}, {}, {}}, {110, {}, {}, {}}}),
            (std::vector<block_number>{65, 60, 10}));
}

TEST(PiecewiseUndo, HalvesAPieceThatWasLost) {
  piecewise_undo undo;
  undo.lost();
  EXPECT_EQ(pieces_of(undo, blocks_of(0, 25)), (std::vector<block_number>{15, 5, 0}));
  for (int i = 0; i < 10; ++i)
    undo.lost();
  EXPECT_EQ(pieces_of(undo, blocks_of(0, 3)), (std::vector<block_number>{2, 1, 0})) << "one at least";
}

TEST(NextSliceOfFailedEvents, WaitsUntilTheChainIsCaughtUpWith) {
  chain_status status;
  EXPECT_FALSE(near_head(status, 2)) << "no node has answered yet";
  status.head = 700;
  status.tip = block_mark{100, {}, {}, {}};
  EXPECT_FALSE(near_head(status, 2));
  status.tip->number = 677;
  EXPECT_FALSE(near_head(status, 2));
  status.tip->number = 678;
  EXPECT_TRUE(near_head(status, 2));
}

} // namespace
} // namespace credence::chain
