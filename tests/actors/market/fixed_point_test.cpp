#include "actors/market/lmsr.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace credence::market {

static void PrintTo(const fixed& x, std::ostream* out) { *out << decimal(x.raw); }

namespace {

fixed of(const char* raw) { return {*parse_wei(raw)}; }
constexpr auto unit = fixed_unit;
const auto most = std::numeric_limits<uint256>::max();

// What the reference gives for many more arguments: reference_test.cpp. These need no node.
TEST(FixedPoint, PowersAreThoseOfTheContractLibrary) {
  EXPECT_EQ(exp2({0}), fixed{unit});
  EXPECT_EQ(exp2({10 * unit}), fixed{uint256{1024} * unit});
  EXPECT_EQ(exp2({unit / 2}), fixed{1'414213562373095048});
  EXPECT_EQ(exp({0}), fixed{unit});
  EXPECT_EQ(exp({unit}), fixed{2'718281828459045234}) << "the last digit of e is 5: the contract is one below it";
}

TEST(FixedPoint, LogarithmsAreThoseOfTheContractLibrary) {
  EXPECT_EQ(log2({unit}), fixed{0});
  EXPECT_EQ(log2({8 * unit}), fixed{3 * unit});
  EXPECT_EQ(ln({unit}), fixed{0});
  EXPECT_EQ(ln({2'718281828459045235}), fixed{999999999999999990});
}

TEST(FixedPoint, TakesAllThatTheContractLibraryTakesAndNothingElse) {
  EXPECT_TRUE(exp2(of("191999999999999999999")));
  EXPECT_FALSE(exp2(of("192000000000000000000")));
  EXPECT_FALSE(exp2({most}));
  EXPECT_TRUE(exp(of("133084258667509499440")));
  EXPECT_FALSE(exp(of("133084258667509499441")));
  EXPECT_FALSE(exp({most}));
  for (const auto logarithm : {log2, ln}) {
    EXPECT_FALSE(logarithm({0}));
    EXPECT_FALSE(logarithm({unit - 1}));
    EXPECT_TRUE(logarithm({unit}));
    EXPECT_TRUE(logarithm({most}));
  }
}

TEST(FixedPoint, ProductsAndQuotientsAreCutOffAndNeverWrapAround) {
  EXPECT_EQ(mul({2 * unit}, {3 * unit}), fixed{6 * unit});
  EXPECT_EQ(mul({unit - 1}, {unit - 1}), fixed{unit - 2});
  EXPECT_EQ(mul({most}, {unit}), fixed{most});
  EXPECT_FALSE(mul({most}, {unit + 1}));
  EXPECT_EQ(div({2 * unit}, {3 * unit}), fixed{666666666666666666});
  EXPECT_EQ(div({most}, {most}), fixed{unit});
  EXPECT_EQ(div({most}, {unit}), fixed{most});
  EXPECT_FALSE(div({most}, {unit - 1}));
  EXPECT_FALSE(div({unit}, {0}));
}

} // namespace
} // namespace credence::market
