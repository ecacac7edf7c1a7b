#include "actors/score/score_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace credence::score {
namespace {

rational fraction(std::int64_t numerator, std::int64_t denominator) {
  return rational{wei_change{numerator}, uint256{denominator}};
}

TEST(Rational, IsKeptInLowestTermsSoThatEqualNumbersAreEqual) {
  EXPECT_EQ(fraction(4320, 42), fraction(720, 7));
  EXPECT_EQ(fraction(-6, 4), fraction(-3, 2));
  EXPECT_EQ(fraction(0, 9), rational{});
  EXPECT_EQ(fraction(84, 42), rational{2});
  EXPECT_NE(fraction(1, 3), fraction(-1, 3));
}

TEST(Rational, LosesWhatIsBehindThePointTowardsZero) {
  struct row {
    rational number;
    std::int64_t whole;
  };
  for (const auto& [number, whole] :
       {row{fraction(189, 2), 94}, row{fraction(-189, 2), -94}, row{fraction(999, 1000), 0},
        row{fraction(-999, 1000), 0}, row{fraction(2000, 1000), 2}, row{fraction(-2000, 1000), -2}, row{rational{}, 0}})
    EXPECT_EQ(number.truncated(), whole) << decimal_text(number, 12);
  EXPECT_EQ(rational{std::numeric_limits<std::int64_t>::min()}.truncated(), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(static_cast<void>(rational(wei_change{1} << 63, uint256{1}).truncated()), std::overflow_error);
}

TEST(Rational, ComparesWithWholeNumbers) {
  struct row {
    rational number;
    std::int64_t whole;
    std::strong_ordering order;
  };
  using enum_type = std::strong_ordering;
  for (const auto& [number, whole, order] :
       {row{fraction(1, 2), 0, enum_type::greater}, row{fraction(-1, 2), 0, enum_type::less},
        row{fraction(1, 2), 1, enum_type::less}, row{fraction(-1, 2), -1, enum_type::greater},
        row{fraction(-3, 2), -1, enum_type::less}, row{fraction(3, 2), 1, enum_type::greater},
        row{rational{5}, 5, enum_type::equal}, row{rational{-5}, -5, enum_type::equal},
        row{rational{}, 0, enum_type::equal}})
    EXPECT_EQ(number <=> whole, order) << decimal_text(number, 12) << " and " << whole;
}

TEST(Rational, IsWrittenExactlyWhenItEndsAndCutOffWhenItDoesNot) {
  struct row {
    rational number;
    int digits;
    const char* text;
  };
  for (const auto& [number, digits, text] :
       {row{fraction(4320, 42), 12, "102.857142857142"}, row{fraction(3780, 40), 12, "94.5"},
        row{fraction(-3780, 40), 12, "-94.5"}, row{rational{100}, 12, "100"}, row{rational{-100}, 12, "-100"},
        row{rational{}, 12, "0"}, row{fraction(1, 8), 3, "0.125"}, row{fraction(1, 8), 2, "0.12"},
        row{fraction(-1, 1000), 2, "0"}, row{fraction(2, 3), 5, "0.66666"}, row{fraction(-2, 3), 5, "-0.66666"},
        row{fraction(1001, 1000), 2, "1"}, row{fraction(19, 10), 0, "1"}, row{fraction(1, 1000), 12, "0.001"},
        row{fraction(100'100, 1000), 12, "100.1"}})
    EXPECT_EQ(decimal_text(number, digits), text);
  EXPECT_EQ(
    decimal_text(rational(wei_change{*parse_wei("123865000000000000001")}, *parse_wei("1000000000000000000")), 18),
    "123.865000000000000001");
}

TEST(Rational, TextReadBackIsOffByLessThanItsLastDigit) {
  std::mt19937_64 random{7};
  for (int i = 0; i < 5000; ++i) {
    const auto numerator = static_cast<std::int64_t>(random() >> 1 >> random() % 60) * (random() % 2 ? 1 : -1);
    const auto denominator = static_cast<std::int64_t>((random() >> 1 >> random() % 60) | 1);
    const auto text = decimal_text(fraction(numerator, denominator), 9);
    // Scaled by 10^9 the text is a whole number: compared with the quotient of the same scale.
    const auto sign = text.starts_with('-') ? 1U : 0U;
    const auto point = std::min(text.find('.'), text.size());
    auto behind = text.substr(std::min(point + 1, text.size()));
    behind.resize(9, '0');
    const auto scaled = *parse_wei(text.substr(sign, point - sign)) * 1'000'000'000 + std::stoull(behind);
    EXPECT_EQ(wei_change{scaled}, abs(wei_change{numerator} * 1'000'000'000 / denominator))
      << numerator << "/" << denominator << " gave " << text;
    EXPECT_EQ(sign == 1, numerator < 0 && scaled != 0);
  }
}

TEST(Rational, RefusesWhatItCannotHold) {
  const uint256 end = uint256{1} << 240;
  EXPECT_THROW(rational(wei_change{1}, uint256{0}), std::domain_error);
  EXPECT_THROW(rational(wei_change{1}, end), std::overflow_error);
  EXPECT_THROW(rational(-wei_change{end}, uint256{3}), std::overflow_error);
  const rational most{wei_change{end - 1}, end - 2};
  EXPECT_EQ(most.truncated(), 1);
  EXPECT_EQ(decimal_text(most, 12), "1"); // 1.000…, more zeros than twelve
  EXPECT_EQ(rational(wei_change{end}, end), rational{1}) << "lowest terms decide";
}

} // namespace
} // namespace credence::score
