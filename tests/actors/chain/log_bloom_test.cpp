#include "actors/chain/log_checks.hpp"
#include "tests/actors/chain/chain_samples.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace credence::chain {
namespace {

using namespace samples;

int bits_in(const logs_bloom& bloom) {
  int count = 0;
  for (const auto each : bloom)
    count += std::popcount(std::to_integer<unsigned>(each));
  return count;
}

TEST(LogBloom, SetsTheBitsThatTheYellowPaperNames) {
  // keccak256 of 20 zero bytes begins 5380c7b7ae81: bits 0x380, 0x7b7, 0x681 from the end.
  logs_bloom bloom{};
  bloom_bits{address{}}.add_to(bloom);
  const auto hash = keccak256(std::string(20, '\0'));
  ASSERT_EQ(hex(hash).substr(0, 12), "5380c7b7ae81");
  logs_bloom expected{};
  for (const unsigned bit : {0x380U, 0x7b7U, 0x681U})
    expected[255 - bit / 8] |= static_cast<std::byte>(1U << bit % 8);
  EXPECT_EQ(hex(bloom), hex(expected));
  EXPECT_EQ(bits_in(bloom), 3);
  EXPECT_TRUE(bloom_bits{address{}}.in(bloom));
  EXPECT_FALSE(bloom_bits{address_of(1)}.in(bloom));
}

TEST(LogBloom, RulesOutBlocksThatLackAllOurAddresses) {
  const std::vector<address> ours{address_of(1), address_of(2)};
  const bloom_watch watch{ours};
  logs_bloom bloom{};
  EXPECT_FALSE(watch.rules_out(bloom)) << "a node that keeps no blooms says nothing by an empty one";
  bloom_bits{address_of(9)}.add_to(bloom);
  EXPECT_TRUE(watch.rules_out(bloom));
  bloom_bits{address_of(2)}.add_to(bloom);
  EXPECT_FALSE(watch.rules_out(bloom));
  logs_bloom full;
  full.fill(std::byte{0xFF});
  EXPECT_FALSE(watch.rules_out(full));
}

TEST(LogBloom, HoldsEveryLogOfItsBlock) {
  std::vector<chain_log> logs(2);
  logs[0].from = address_of(1);
  logs[0].topics = {hash_of(1), hash_of(2)};
  logs[1].from = address_of(2);
  logs_bloom bloom{};
  EXPECT_TRUE(holds_all(bloom, {}));
  EXPECT_FALSE(holds_all(bloom, logs));
  bloom_bits{address_of(1)}.add_to(bloom);
  bloom_bits{address_of(2)}.add_to(bloom);
  bloom_bits{std::span{logs[0].topics[0]}}.add_to(bloom);
  EXPECT_FALSE(holds_all(bloom, logs)) << "the second topic is missing";
  bloom_bits{std::span{logs[0].topics[1]}}.add_to(bloom);
  EXPECT_TRUE(holds_all(bloom, logs));
}

} // namespace
} // namespace credence::chain
