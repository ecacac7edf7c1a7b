#include "auth/address.hpp"

#include "tests/auth/vectors.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace credence::auth {
namespace {

const std::string checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const std::string lower = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";

TEST(Address, IsReadInAnyCaseAndWrittenInTwo) {
  for (const auto& text : {checksummed, lower, std::string{"0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"}}) {
    const auto read = parse_address(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(lower_text(*read), lower);
    EXPECT_EQ(checksummed_text(*read), checksummed);
  }
  EXPECT_EQ(lower_text(address{}), "0x" + std::string(40, '0'));
}

TEST(Address, WithAChecksumIsReadInOneCaseOnly) {
  EXPECT_EQ(parse_checksummed_address(checksummed), parse_address(checksummed));
  for (std::size_t i = 2; i < checksummed.size(); ++i) {
    auto other = checksummed;
    if (other[i] <= '9')
      continue;
    other[i] ^= 0x20;
    EXPECT_FALSE(parse_checksummed_address(other)) << other;
    EXPECT_TRUE(parse_address(other)) << other;
  }
  EXPECT_FALSE(parse_checksummed_address(lower));
  EXPECT_TRUE(parse_checksummed_address("0x" + std::string(40, '0'))) << "digits have no case";
}

TEST(Address, RefusesEveryOtherText) {
  for (const auto& text : {std::string{}, std::string{"0x"}, lower.substr(2), "0X" + lower.substr(2), lower + "0",
                           lower.substr(0, 41), " " + lower, lower + "\n", "0x" + std::string(39, 'a') + "g",
                           "0x" + std::string(39, 'a') + "\xE9", std::string(42, '\0'), "1x" + lower.substr(2)}) {
    EXPECT_FALSE(parse_address(text)) << text;
    EXPECT_FALSE(parse_checksummed_address(text)) << text;
  }
}

TEST(Address, IsOrderedByItsBytesAndFoundByItsHash) {
  const auto low = *parse_address("0x00000000000000000000000000000000000000ff");
  const auto high = *parse_address("0x0100000000000000000000000000000000000000");
  EXPECT_LT(low, high);
  EXPECT_NE(low, high);
  const std::unordered_set<address> known{low, high, low};
  EXPECT_EQ(known.size(), 2u);
  EXPECT_TRUE(known.contains(*parse_address("0x00000000000000000000000000000000000000FF")));
}

TEST(Address, AgreesWithThePublishedChecksums) {
  CREDENCE_VECTORS(file, "eip55", "checksum.json");
  for (const auto& each : file["valid"].GetArray()) {
    const auto read = parse_checksummed_address(each.GetString());
    ASSERT_TRUE(read) << each.GetString();
    EXPECT_EQ(checksummed_text(*read), each.GetString());
  }
  for (const auto& each : file["invalid"].GetArray()) {
    EXPECT_FALSE(parse_checksummed_address(each.GetString())) << each.GetString();
    EXPECT_TRUE(parse_address(each.GetString())) << each.GetString();
  }
  for (const auto& each : file["lowercase"].GetArray()) {
    EXPECT_FALSE(parse_checksummed_address(each[0].GetString())) << each[0].GetString();
    EXPECT_EQ(checksummed_text(*parse_address(each[0].GetString())), each[1].GetString());
  }
  for (const auto& each : file["malformed"].GetArray())
    EXPECT_FALSE(parse_address(each.GetString())) << each.GetString();
  EXPECT_EQ(file["valid"].Size() + file["invalid"].Size() + file["lowercase"].Size() + file["malformed"].Size(), 22u);
}

/// Texts are kept by a part of the address: others of the same part are told apart.
TEST(Address, TextsOfAddressesThatShareTheirLastByteAreToldApart) {
  const auto one = parse_address("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed").value();
  auto other = one;
  other.bytes.front() = std::byte{0xab};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(checksummed_text(one), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    EXPECT_EQ(parse_address(checksummed_text(other)), other);
    EXPECT_EQ(parse_address(checksummed_text(address{})), address{});
  }
}

} // namespace
} // namespace credence::auth
