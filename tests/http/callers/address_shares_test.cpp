#include "http/callers/client_address.hpp"

#include "http/server/bounds.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

client_address at(const char* text) { return parse_address(text).value(); }

TEST(AddressShares, BoundWhatAHouseholdHolds) {
  address_shares all;
  address_share first, second, third, other;
  EXPECT_TRUE(first.take(all, at("2001:db8:0:1::1"), 1, 2));
  EXPECT_TRUE(second.take(all, at("2001:db8:0:1:ffff::2"), 1, 2));
  EXPECT_FALSE(third.take(all, at("2001:db8:0:1::3"), 1, 2));
  EXPECT_TRUE(other.take(all, at("2001:db8:0:2::1"), 1, 2));
  EXPECT_EQ(all.addresses(), 2u);
  {
    const address_share moved = std::move(first);
    EXPECT_FALSE(third.take(all, at("2001:db8:0:1::3"), 1, 2)) << "moved, not given back";
  }
  EXPECT_TRUE(third.take(all, at("2001:db8:0:1::3"), 1, 2));
  EXPECT_TRUE(third.take(all, at("2001:db8:0:1::3"), 1, 2)) << "in place of what it held";
  for (auto* each : {&second, &third, &other})
    each->give_back();
  EXPECT_EQ(all.addresses(), 0u) << "who holds nothing takes no memory";
}

TEST(UnsentAnswers, GiveRoomAgainAndNobodyMoreThanAPart) {
  unsent_answers all{400};
  unsent_answers::room first, second, others[4], forced;
  EXPECT_TRUE(first.take(all, at("10.0.0.1"), 100));
  EXPECT_FALSE(second.take(all, at("10.0.0.1"), 1)) << "a quarter for one address";
  EXPECT_FALSE(second.held());
  EXPECT_TRUE(others[0].take(all, at("10.0.0.2"), 100));
  EXPECT_TRUE(others[1].take(all, at("10.0.0.3"), 100));
  forced.take_anyway(all, 50);
  EXPECT_FALSE(others[2].take(all, at("10.0.0.4"), 100)) << "all of it is taken";
  EXPECT_EQ(all.bytes(), 350);
  forced.give_back();
  EXPECT_TRUE(others[2].take(all, at("10.0.0.4"), 100));
  first.give_back();
  EXPECT_TRUE(second.take(all, at("10.0.0.1"), 100));
  EXPECT_EQ(all.bytes(), 400);
}

TEST(RequestWeight, GrowsWithRowsAndKeys) {
  EXPECT_EQ(weight_of({}, ""), 1);
  EXPECT_EQ(weight_of({{"limit", "50"}, {"offset", "1000000"}}, ""), 1);
  EXPECT_EQ(weight_of({{"limit", "51"}}, ""), 2);
  EXPECT_EQ(weight_of({{"limit", "1000"}}, ""), 20);
  for (const auto* wrong : {"", "x", "-5", "99999999999999999999"})
    EXPECT_EQ(weight_of({{"limit", wrong}}, ""), 1) << wrong;
  EXPECT_EQ(weight_of({{"limit", "9223372036854775807"}}, ""), 200) << "refused anyway";
  EXPECT_EQ(weight_of({{"profileIds", "1,2,3,4,5,6,7,8,9,10,11"}}, ""), 2);
  query_map repeated;
  for (int i = 0; i < 100; ++i)
    repeated.emplace_back("profileIds[]", "7");
  EXPECT_EQ(weight_of(repeated, ""), 10);
  EXPECT_EQ(weight_of({}, R"({"keys":["a","b"]})"), 1);
  EXPECT_EQ(weight_of({}, R"({"keys":[",,,,,,,,,,,,,,,,,,","\",,,,,,,,,,,"]})"), 1) << "commas in texts";
  EXPECT_EQ(weight_of({}, R"({"limit" : 1000, "offset":0})"), 20);
  EXPECT_EQ(weight_of({}, R"({"l\u0069mit":1000})"), 20) << "however it is written";
  EXPECT_EQ(weight_of({}, R"({"filter":{"limit":1},"limit":1000})"), 20) << "its own, not that of what is within";
  EXPECT_EQ(weight_of({}, R"({"text":"\"limit\":1","limit":1000})"), 20) << "not what a text says";
  EXPECT_EQ(weight_of({}, R"({"limit":1,"limit":1000})"), 1) << "refused anyway";
  EXPECT_EQ(weight_of({{"limit", "1000"}}, R"({"limit":51})"), 20) << "whichever is more";
  for (const auto* other : {R"({"limit":"1000"})", R"({"limit":-1000})", R"({"limit"})", R"({"limit":)"})
    EXPECT_EQ(weight_of({}, other), 1) << other;
  EXPECT_EQ(weight_of({}, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]"), 3);
}

} // namespace
} // namespace credence::http
