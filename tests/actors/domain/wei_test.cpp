#include "actors/domain/wei.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credence {
namespace {

const std::string most = "115792089237316195423570985008687907853269984665640564039457584007913129639935"; // 2^256 - 1

TEST(Wei, IsReadAndWrittenToTheLastDigit) {
  for (const std::string text :
       {"0", "1", "9", "10", "6607563687658171", "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616",
        "100000000000000000000000000000000000000", "340282366920938463463374607431768211455", "340282366920938463463374607431768211456"}) {
    const auto read = parse_wei(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, wei{text});
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
      const auto number = from_limbs({random(), random(), random(), random()}) >> bits;
      EXPECT_EQ(decimal(number), number.str());
      EXPECT_EQ(parse_wei(number.str()), number);
      EXPECT_EQ(from_limbs(to_limbs(number)), number);
    }
}

TEST(Wei, TakesPlainDigitsBelowTheEndOnly) {
  auto end = most; // 2^256
  end.back() = '6';
  for (const std::string text : {"", "-1", "+1", "00", "01", " 1", "1 ", "1n", "n", "0x1", "1e3", "1.0", "1,000", "\xd9\xa1"})
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
  EXPECT_EQ(decimal(wei_change{most}), most);
  EXPECT_EQ(decimal(wei_change{"-" + most}), "-" + most);
}

TEST(Wei, NeverWrapsAround) {
  wei one = 1, all = std::numeric_limits<wei>::max();
  EXPECT_ANY_THROW(static_cast<void>(wei{all + one}));
  EXPECT_ANY_THROW(static_cast<void>(wei{all * 2}));
  EXPECT_ANY_THROW(static_cast<void>(wei{one - all}));
}

} // namespace
} // namespace credence
