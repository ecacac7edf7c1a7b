#include "actors/wallets/eip1559.hpp"

#include "actors/domain/hash.hpp"

#include <gtest/gtest.h>

#include <span>

namespace credence::wallets {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

std::string bytes_of(std::string_view digits) {
  std::string out(digits.size() / 2, '\0');
  EXPECT_TRUE(decode_hex(digits, std::as_writable_bytes(std::span{out}))) << digits;
  return out;
}

std::string text(std::string_view of) {
  std::string out;
  rlp::append_bytes(out, of);
  return out;
}
std::string number(const uint256& of) {
  std::string out;
  rlp::append_number(out, of);
  return out;
}
std::string list(std::initializer_list<std::string> items) {
  std::string all, out;
  for (const auto& each : items)
    all += each;
  rlp::append_list(out, all);
  return out;
}

// The examples of https://ethereum.org/en/developers/docs/data-structures-and-encoding/rlp (once the Ethereum wiki).

TEST(Rlp, WritesTheExamplesOfTheSpecification) {
  EXPECT_EQ(hex(text("dog")), "83646f67");
  EXPECT_EQ(hex(list({text("cat"), text("dog")})), "c88363617483646f67");
  EXPECT_EQ(hex(text("")), "80");
  EXPECT_EQ(hex(list({})), "c0");
  EXPECT_EQ(hex(number(0)), "80");
  EXPECT_EQ(hex(text(std::string(1, '\0'))), "00");
  EXPECT_EQ(hex(number(15)), "0f");
  EXPECT_EQ(hex(number(1024)), "820400");
  const auto empty = list({}), one = list({empty});
  EXPECT_EQ(hex(list({empty, one, list({empty, one})})), "c7c0c1c0c3c0c1c0")
    << "the set-theoretical representation of three";
  EXPECT_EQ(hex(text("Lorem ipsum dolor sit amet, consectetur adipisicing elit")),
            "b8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e67"
            "20656c6974");
}

TEST(Rlp, WritesTheEdgesOfEachForm) {
  EXPECT_EQ(hex(number(127)), "7f");
  EXPECT_EQ(hex(number(128)), "8180");
  EXPECT_EQ(hex(number(std::numeric_limits<uint256>::max())), "a0" + std::string(64, 'f'));
  EXPECT_EQ(hex(text(std::string(55, 'a'))), "b7" + hex(std::string(55, 'a')));
  EXPECT_EQ(hex(text(std::string(56, 'a'))).substr(0, 4), "b838");
  EXPECT_EQ(hex(text(std::string(1024, 'a'))).substr(0, 6), "b90400");
  EXPECT_EQ(hex(list({std::string(55, 'a')})).substr(0, 2), "f7");
  EXPECT_EQ(hex(list({std::string(56, 'a')})).substr(0, 4), "f838");
}

TEST(Rlp, ReadsWhatItWrites) {
  const auto all = list({text("cat"), number(1024), list({text(std::string(300, 'x'))}), number(0)});
  rlp::reader whole{all};
  auto in = whole.next_list();
  EXPECT_EQ(in.next_bytes(), "cat");
  EXPECT_EQ(in.next_small_number(), 1024u);
  auto inner = in.next_list();
  EXPECT_EQ(inner.next_bytes(), std::string(300, 'x'));
  EXPECT_TRUE(inner.good() && inner.at_end());
  EXPECT_EQ(in.next_number(), 0);
  EXPECT_TRUE(in.good() && in.at_end());
  EXPECT_TRUE(whole.good() && whole.at_end());
}

TEST(Rlp, RefusesEveryOtherFormOfTheSame) {
  for (const auto* bad : {"8100", "817f", "b800", "b83761", "b90038", "83646f", "b8", "bfffffffffffffffff", "c0", ""}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_EQ(in.next_bytes(), "") << bad;
    EXPECT_FALSE(in.good()) << bad;
  }
  for (const auto* bad : {"00", "8200ff"}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_EQ(in.next_number(), 0) << bad;
    EXPECT_FALSE(in.good()) << "zeros in front: " << bad;
  }
  for (const auto* bad : {"80", "61", "c1", "f800", "f83761", "ffffffffffffffffff"}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_FALSE(in.next_list().good()) << bad;
    EXPECT_FALSE(in.good()) << bad;
  }
  const auto large = number((uint256{1} << 64));
  rlp::reader in{large};
  in.next_small_number();
  EXPECT_FALSE(in.good()) << "beyond 64 bits";
}

} // namespace
} // namespace credence::wallets
