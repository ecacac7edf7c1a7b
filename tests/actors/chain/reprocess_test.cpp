#include "actors/chain/refold_types.hpp"

#include <gtest/gtest.h>

#include <vector>

/// What is decided about failed events that are tried again.
namespace credence::chain {
namespace {

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
