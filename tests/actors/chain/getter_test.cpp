#include "actors/chain/calls.hpp"

#include "actors/chain/abi.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

TEST(Getter, TakesNumbersAndTextsOutOfWhatIsReturned) {
  const auto declared = getter::parse(
    "of(uint256) returns (address who, uint8 kind, string words, bytes32[] hashes, uint256 last, string more)");
  ASSERT_TRUE(declared) << declared.why();
  EXPECT_EQ(declared->call_for(5), call_data("of(uint256)", uint256{5}));
  const auto found = declared->read(bytes_of(
    abi_encode(address{}, uint256{2}, std::string{"words"}, std::vector<uint256>{1, 2}, uint256{9}, std::string{})));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (values_by_name{{"kind", uint256{2}}, {"words", "words"}, {"last", uint256{9}}, {"more", ""}}));
}

TEST(Getter, FindsAStructWhereItLies) {
  const auto of_words = getter::parse("of(uint256) returns ((uint a, bool b))");
  EXPECT_EQ(*of_words->read(bytes_of(abi_encode(uint256{7}, true))), (values_by_name{{"a", uint256{7}}}))
    << "in place: no text is in it";
  const auto of_texts = getter::parse(" of(uint256)  returns ( ( uint256 a , string memory b ) ) ");
  ASSERT_TRUE(of_texts) << of_texts.why();
  EXPECT_EQ(*of_texts->read(bytes_of(abi_encode(uint256{32}) + abi_encode(uint256{7}, std::string{"x"}))),
            (values_by_name{{"a", uint256{7}}, {"b", "x"}}));
}

TEST(Getter, RefusesWhatIsNoDeclaration) {
  for (const std::string bad : {"",
                                "bonds",
                                "bonds(uint256)",
                                "bonds(address) returns (uint256 a)",
                                "(uint256) returns (uint256 a)",
                                "2(uint256) returns (uint256 a)",
                                "bonds(uint256) returns",
                                "bonds(uint256) returns uint256",
                                "bonds(uint256) returns ()",
                                "bonds(uint256) returns (uint256 a,)",
                                "bonds(uint256) returns (uint7 a)",
                                "bonds(uint256) returns (uint264 a)",
                                "bonds(uint256) returns (uint08 a)",
                                "bonds(uint256) returns (uint256[3] a)",
                                "bonds(uint256) returns ((uint256 a), uint256 b)",
                                "bonds(uint256) returns (((uint256 a)))",
                                "bonds(uint256) returns (uint256 a-b)",
                                "bonds(uint256, uint256) returns (uint256 a)",
                                "bonds(uint256) returns (bytes33 a)",
                                "bonds(uint256) yields (uint256 a)"})
    EXPECT_FALSE(getter::parse(bad)) << bad;
  std::string many = "bonds(uint256) returns (uint256 a";
  for (int i = 0; i < 64; ++i)
    many += ", bool";
  EXPECT_FALSE(getter::parse(many + ")")) << "more than 64 values";
  EXPECT_FALSE(getter::parse(std::string(5000, 'a') + "(uint256) returns (uint256 a)"));
}

TEST(Getter, OfABondOrAnInviterNamesThePerson) {
  EXPECT_TRUE(bond_getter("bonds(uint256) returns (uint256 subject)"));
  EXPECT_FALSE(bond_getter("bonds(uint256) returns (string subject)"));
  EXPECT_FALSE(bond_getter("bonds(uint256) returns (string statement)"));
  EXPECT_TRUE(invite_getter("of(uint256) returns (uint256 inviter)"));
  EXPECT_FALSE(invite_getter("of(uint256) returns (address inviter)"));
  const auto with_seconds = bond_getter("bonds(uint256) returns (uint256 subject, uint64 expiresAt)");
  EXPECT_EQ(bond_in(*with_seconds, 1, bytes_of(abi_encode(uint256{3}, uint256{1'900'000'000})))->expiration,
            "1900000000");
  EXPECT_EQ(bond_in(*with_seconds, 1, bytes_of(abi_encode(uint256{3}, uint256{0})))->expiration, "") << "never";
}

TEST(Getter, HostileBytesAreAnErrorAndNoMore) {
  const auto declared = getter::parse("of(uint256) returns ((uint256 a, string b, string c))");
  const auto why = [&](const std::string& bytes) {
    const auto found = declared->read(bytes_of(bytes));
    return found ? std::string{"read"} : std::string{name_of(found.why())};
  };
  EXPECT_EQ(why(""), "truncated");
  EXPECT_EQ(why(abi_encode(uint256{32})), "bad_offset");
  EXPECT_EQ(why(abi_encode(std::numeric_limits<uint256>::max())), "bad_offset");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, std::numeric_limits<uint256>::max(), uint256{96})), "bad_offset");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, uint256{96}, uint256{96}, uint256{1} << 64)), "too_long");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, uint256{96}, uint256{96}, uint256{40}, uint256{0})), "truncated");
}

} // namespace
} // namespace credence::chain
