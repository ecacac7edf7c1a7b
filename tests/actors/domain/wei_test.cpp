#include "actors/domain/wei.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace credence {
namespace {

const std::string most = "115792089237316195423570985008687907853269984665640564039457584007913129639935"; // 2^256 - 1

TEST(Wei, IsReadAndWrittenToTheLastDigit) {
  for (const std::string text :
       {"0", "1", "9", "10", "6607563687658171", "9999999999999999999", "10000000000000000000", "18446744073709551615",
        "18446744073709551616", "100000000000000000000000000000000000000", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456"}) {
    const auto read = parse_wei(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(boost::multiprecision::checked_uint256_t{text}.str(), decimal(*read));
    EXPECT_EQ(decimal(*read), text);
  }
  ASSERT_TRUE(parse_wei(most));
  EXPECT_EQ(*parse_wei(most), std::numeric_limits<wei>::max());
  EXPECT_EQ(decimal(*parse_wei(most)), most);
}

TEST(Wei, OfEveryLengthComesBackAsItWas) {
  std::mt19937_64 random{1};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (int i = 0; i < 20; ++i) {
      const auto number = uint256{limbs256{random(), random(), random(), random()}} >> bits;
      EXPECT_EQ(parse_wei(decimal(number)), number);
      EXPECT_EQ(boost::multiprecision::checked_uint256_t{decimal(number)}.str(), decimal(number));
    }
}

TEST(Wei, TakesPlainDigitsBelowTheEndOnly) {
  auto end = most; // 2^256
  end.back() = '6';
  for (const std::string text :
       {"", "-1", "+1", "00", "01", " 1", "1 ", "1n", "n", "0x1", "1e3", "1.0", "1,000", "\xd9\xa1"})
    EXPECT_FALSE(parse_wei(text)) << text;
  EXPECT_FALSE(parse_wei(end));
  EXPECT_FALSE(parse_wei(std::string(78, '9')));
  EXPECT_FALSE(parse_wei(most + "0"));
  EXPECT_FALSE(parse_wei("1" + std::string(1000, '0')));
  EXPECT_FALSE(parse_wei(std::string_view{"1\0"
                                          "1",
                                          3}));
}

TEST(BigInt, MayHaveOneNBehind) {
  EXPECT_EQ(parse_bigint("213n"), wei{213});
  EXPECT_EQ(parse_bigint("213"), wei{213});
  EXPECT_EQ(parse_bigint("0n"), wei{0});
  EXPECT_EQ(parse_bigint(most + "n"), std::numeric_limits<wei>::max());
  for (const std::string text : {"n", "1nn", "1N", "n1", "-1n", "01n", ""})
    EXPECT_FALSE(parse_bigint(text)) << text;
}

TEST(WeiChange, IsWrittenWithItsSign) {
  EXPECT_EQ(decimal(wei_change{0}), "0");
  EXPECT_EQ(decimal(wei_change{-1}), "-1");
  EXPECT_EQ(decimal(wei_change{*parse_wei(most)}), most);
  EXPECT_EQ(decimal(-wei_change{*parse_wei(most)}), "-" + most);
}

using oracle = boost::multiprecision::checked_uint256_t;
using signed_oracle = boost::multiprecision::checked_int256_t;

oracle oracle_of(const uint256& number) { return oracle{decimal(number)}; }
signed_oracle oracle_of(const wei_change& number) { return signed_oracle{decimal(number)}; }

/// What came out as text, or which kind of error: `<` below zero, `>` beyond the end or by zero.
template <class Work>
std::string outcome_of(Work work) {
  std::ostringstream out;
  try {
    out << work();
  } catch (const std::range_error&) {
    return "<";
  } catch (const std::overflow_error&) {
    return ">";
  }
  return out.str();
}

oracle euclid(oracle a, oracle b) {
  while (b != 0)
    a = std::exchange(b, oracle{a % b});
  return a;
}

/// Numbers of every length, those at the ends of limbs among them.
std::vector<uint256> numbers(std::uint64_t seed) {
  std::vector<uint256> out{0, 1, 2, 10, 1'000'000'007};
  for (const unsigned bits : {63U, 64U, 65U, 127U, 128U, 129U, 191U, 192U, 193U, 255U}) {
    const auto power = uint256{1} << bits;
    out.insert(out.end(), {power - 1, power, power + 1});
  }
  out.push_back(std::numeric_limits<uint256>::max());
  std::mt19937_64 random{seed};
  for (unsigned bits = 0; bits < 256; bits += 5)
    out.push_back(uint256{limbs256{random(), random(), random(), random()}} >> bits);
  return out;
}

TEST(Wei, CountsAsALibraryOfLargeNumbersDoes) {
  for (const auto& a : numbers(1))
    for (const auto& b : numbers(2)) {
      const auto x = oracle_of(a), y = oracle_of(b);
      const bool by_zero = y == 0; // the library ends the process
      ASSERT_EQ(outcome_of([&] { return a + b; }), outcome_of([&] { return oracle{x + y}; })) << a << " + " << b;
      ASSERT_EQ(outcome_of([&] { return a - b; }), x < y ? "<" : outcome_of([&] { return oracle{x - y}; }))
        << a << " - " << b;
      ASSERT_EQ(outcome_of([&] { return a * b; }), outcome_of([&] { return oracle{x * y}; })) << a << " * " << b;
      ASSERT_EQ(outcome_of([&] { return a / b; }), by_zero ? ">" : outcome_of([&] { return oracle{x / y}; }))
        << a << " / " << b;
      ASSERT_EQ(outcome_of([&] { return a % b; }), by_zero ? ">" : outcome_of([&] { return oracle{x % y}; }))
        << a << " % " << b;
      ASSERT_EQ(outcome_of([&] { return gcd(a, b); }), euclid(x, y).str()) << a << ", " << b;
      ASSERT_EQ(a < b, x < y) << a << " < " << b;
      ASSERT_EQ(a == b, x == y) << a << " == " << b;
    }
}

TEST(Wei, IsShiftedWithoutLosingDigits) {
  for (const auto& number : numbers(3)) {
    const auto x = oracle_of(number);
    EXPECT_EQ(bit_width(number), number == 0 ? 0 : msb(x) + 1);
    for (unsigned bits = 0; bits < 256; bits += 7) {
      EXPECT_EQ(decimal(number >> bits), oracle{x >> bits}.str()) << number << " >> " << bits;
      const bool fits = bit_width(number) + bits <= 256 || number == 0;
      EXPECT_EQ(outcome_of([&] { return number << bits; }),
                fits ? boost::multiprecision::uint512_t(boost::multiprecision::uint512_t{x} << bits).str() : ">")
        << number << " << " << bits;
    }
  }
}

TEST(Wei, IsMultipliedAndDividedWithAllDigitsInBetween) {
  using boost::multiprecision::uint512_t;
  const auto end = uint512_t{1} << 256;
  for (const auto& a : numbers(4))
    for (const auto& b :
         {uint256{1}, uint256{1'000'000'000'000'000'000U}, uint256{1} << 200, std::numeric_limits<uint256>::max()})
      for (const auto& divisor : numbers(5)) {
        if (divisor == 0) {
          EXPECT_THROW(static_cast<void>(multiply_divide(a, b, divisor)), std::overflow_error);
          continue;
        }
        const uint512_t exact = uint512_t{oracle_of(a)} * uint512_t{oracle_of(b)} / uint512_t{oracle_of(divisor)};
        const auto is = multiply_divide(a, b, divisor);
        ASSERT_EQ(is ? decimal(*is) : "beyond", exact < end ? exact.str() : "beyond")
          << a << " * " << b << " / " << divisor;
      }
}

TEST(WeiChange, CountsAsALibraryOfLargeNumbersDoes) {
  std::vector<wei_change> all;
  for (const auto& number : numbers(6)) {
    all.emplace_back(number);
    all.push_back(-wei_change{number});
  }
  for (std::size_t i = 0; i < all.size(); i += 2)
    for (std::size_t k = 0; k < all.size(); k += 3) {
      const auto &a = all[i], &b = all[k];
      const auto x = oracle_of(a), y = oracle_of(b);
      const bool by_zero = y == 0; // the library ends the process
      const auto same = [](const std::string& is, const std::string& should) {
        return is == should || (is == ">" && should == "<");
      };
      ASSERT_PRED2(same, outcome_of([&] { return a + b; }), outcome_of([&] { return signed_oracle{x + y}; }))
        << a << " + " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a - b; }), outcome_of([&] { return signed_oracle{x - y}; }))
        << a << " - " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a * b; }), outcome_of([&] { return signed_oracle{x * y}; }))
        << a << " * " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a / b; }),
                   by_zero ? ">" : outcome_of([&] { return signed_oracle{x / y}; }))
        << a << " / " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a % b; }),
                   by_zero ? ">" : outcome_of([&] { return signed_oracle{x % y}; }))
        << a << " % " << b;
      ASSERT_EQ(a < b, x < y) << a << " < " << b;
      ASSERT_EQ(a == b, x == y) << a << " == " << b;
      ASSERT_EQ(a.sign(), x.sign()) << a;
    }
}

TEST(Wei, BecomesABuiltInNumberOnlyWhereItFits) {
  const auto greatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(static_cast<std::int64_t>(uint256{greatest}), greatest);
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(uint256{greatest} + 1)), std::overflow_error);
  EXPECT_EQ(static_cast<std::uint64_t>(uint256{greatest} + 1), std::uint64_t{1} << 63);
  EXPECT_THROW(static_cast<void>(static_cast<std::uint64_t>(uint256{1} << 64)), std::overflow_error);
  EXPECT_THROW(static_cast<void>(static_cast<std::int32_t>(uint256{1} << 31)), std::overflow_error);
  EXPECT_EQ(static_cast<std::int64_t>(-wei_change{greatest} - 1), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(-wei_change{greatest} - 2)), std::overflow_error);
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(wei_change{greatest} + 1)), std::overflow_error);
  EXPECT_FALSE(static_cast<bool>(uint256{0}));
  EXPECT_TRUE(static_cast<bool>(uint256{1} << 255));
  EXPECT_THROW(uint256{-1}, std::range_error);
  EXPECT_THROW(uint256{wei_change{-1}}, std::range_error);
  EXPECT_EQ(wei_change{std::numeric_limits<std::int64_t>::min()}, -wei_change{uint256{1} << 63});
}

TEST(Wei, IsNearlyTheSameAsADouble) {
  for (const auto& number : numbers(7)) {
    const auto exact = oracle_of(number).convert_to<double>();
    EXPECT_NEAR(static_cast<double>(number), exact, exact * 1e-15) << number;
  }
}

TEST(Wei, NeverWrapsAround) {
  wei one = 1, all = std::numeric_limits<wei>::max();
  EXPECT_THROW(static_cast<void>(wei{all + one}), std::overflow_error);
  EXPECT_THROW(static_cast<void>(wei{all * 2}), std::overflow_error);
  EXPECT_THROW(static_cast<void>(wei{one - all}), std::range_error);
  EXPECT_THROW(all += one, std::overflow_error);
  EXPECT_THROW(one -= all, std::range_error);
  EXPECT_THROW(all *= all, std::overflow_error);
  EXPECT_EQ(all, std::numeric_limits<wei>::max()) << "what throws changes nothing";
  EXPECT_EQ(one, 1);
}

} // namespace
} // namespace credence
