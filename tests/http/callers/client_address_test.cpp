#include "http/callers/client_address.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

client_address at(std::string_view text) { return parse_address(text).value(); }

TEST(ClientAddress, ReadsWhatProxiesWrite) {
  EXPECT_EQ(at("10.0.0.1"), at("::ffff:10.0.0.1"));
  EXPECT_EQ(at("10.0.0.1:8080"), at("10.0.0.1"));
  EXPECT_EQ(at("[2001:db8::1]:443"), at("2001:db8::1"));
  EXPECT_EQ(at("[2001:db8::1]"), at("2001:db8::1"));
  EXPECT_EQ(at("fe80::1%eth0"), at("fe80::1"));
  for (const auto* bad :
       {"", "unknown", "10.0.0", "10.0.0.256", "10.0.0.1:", "10.0.0.1:x", "[::1", "[::1]x", "::1::2", "_hidden",
        "1.2.3.4 5.6.7.8", "10.0.0.1:123456", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    EXPECT_FALSE(parse_address(bad)) << bad;
}

TEST(ClientAddress, KnowsThisMachine) {
  for (const auto* here : {"127.0.0.1", "127.255.0.9", "::ffff:127.0.0.1", "::1"})
    EXPECT_TRUE(is_loopback(at(here))) << here;
  for (const auto* elsewhere : {"128.0.0.1", "10.0.0.1", "::2", "::", "1::1", "fe80::1", "::ffff:10.0.0.127"})
    EXPECT_FALSE(is_loopback(at(elsewhere))) << elsewhere;
}

TEST(ClientAddress, TellsHouseholdsApartNotTheirDevices) {
  EXPECT_EQ(at("2001:db8:0:1::1").of_one_client(), at("2001:db8:0:1:ffff::9").of_one_client());
  EXPECT_NE(at("2001:db8:0:1::1").of_one_client(), at("2001:db8:0:2::1").of_one_client());
  EXPECT_NE(at("10.0.0.1").of_one_client(), at("10.0.0.2").of_one_client());
}

TEST(ClientAddress, KnowsNetworks) {
  const std::vector<std::string> networks{"10.0.0.0/8", "192.168.4.0/22", "127.0.0.1", "fd00::/8", "2001:db8::5/128"};
  const address_ranges ranges{networks};
  for (const auto* inside : {"10.255.0.1", "192.168.7.255", "127.0.0.1", "fdab::1", "2001:db8::5", "::ffff:10.0.0.1"})
    EXPECT_TRUE(ranges.contains(at(inside))) << inside;
  for (const auto* outside : {"11.0.0.1", "192.168.8.0", "127.0.0.2", "fe00::1", "2001:db8::6", "::a00:1"})
    EXPECT_FALSE(ranges.contains(at(outside))) << outside;
  const std::vector<std::string> all{"0.0.0.0/0"};
  EXPECT_TRUE(address_ranges{all}.contains(at("1.2.3.4")));
  EXPECT_FALSE(address_ranges{all}.contains(at("::1")));
}

TEST(ClientAddress, BelievesProxiesItTrustsAndNoOthers) {
  const std::vector<std::string> networks{"10.0.0.0/8"};
  const address_ranges trusted{networks};
  struct {
    const char* peer;
    const char* said;
    const char* client;
  } const table[]{
    {"10.0.0.1", "", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4", "1.2.3.4"},
    {"5.5.5.5", "1.2.3.4", "5.5.5.5"},                     // anybody can write that
    {"10.0.0.1", "9.9.9.9, 1.2.3.4, 10.0.0.7", "1.2.3.4"}, // the right-most that is not ours
    {"10.0.0.1", "10.0.0.9,10.0.0.8", "10.0.0.9"},         // all are ours
    {"10.0.0.1", "garbage, 1.2.3.4", "1.2.3.4"},           // what is further left is never looked at
    {"10.0.0.1", "1.2.3.4, garbage", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4, garbage, 10.0.0.2", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4,", "10.0.0.1"},
    {"10.0.0.1", "[2001:db8::1]:99", "2001:db8::1"},
  };
  for (const auto& each : table)
    EXPECT_EQ(client_behind(at(each.peer), trusted, each.said), at(each.client)) << each.peer << " says " << each.said;
}

} // namespace
} // namespace credence::http
