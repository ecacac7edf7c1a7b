#include "http/api/people/user_cards.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using people::lookup_key;

lookup_key profile(std::int32_t number) { return {.how = lookup_key::form::profile, .number = number}; }
people::found_person person(std::int32_t user) { return {user_id{user}, std::nullopt, 1500, 0}; }

class KnownKeys : public testing::Test {
protected:
  steady_time now{1h};
  known_keys keys{3};
  bool knows(const lookup_key& key) { return keys.find(key, now) != nullptr; }
};

TEST_F(KnownKeys, KeepsWhatWasFoundForSomeSeconds) {
  EXPECT_FALSE(knows(profile(1)));
  keys.take(profile(1), person(11), now);
  now += 10s;
  ASSERT_TRUE(knows(profile(1)));
  EXPECT_EQ(keys.find(profile(1), now)->user, user_id{11});
  now += 1ms;
  EXPECT_FALSE(knows(profile(1)));
  keys.take(profile(1), person(12), now);
  EXPECT_EQ(keys.find(profile(1), now)->user, user_id{12});
  EXPECT_EQ(keys.size(), 1u);
}

TEST_F(KnownKeys, RemembersThatNobodyWasThere) {
  keys.take(profile(1), {}, now);
  ASSERT_TRUE(knows(profile(1)));
  EXPECT_FALSE(*keys.find(profile(1), now));
}

TEST_F(KnownKeys, LetsGoOfWhatWasFoundLongestAgo) {
  for (int i = 1; i <= 3; ++i)
    keys.take(profile(i), person(i), now += 1ms);
  keys.take(profile(1), person(1), now);
  keys.take(profile(4), person(4), now);
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_TRUE(knows(profile(1)));
  EXPECT_FALSE(knows(profile(2)));
  EXPECT_TRUE(knows(profile(4)));
}

TEST_F(KnownKeys, TellsFormsAndServicesApart) {
  const auto account = [](people::account_service service) {
    return lookup_key{.how = lookup_key::form::account, .service = service, .text = "7"};
  };
  keys.take(account(people::account_service::x), person(1), now);
  EXPECT_FALSE(knows(account(people::account_service::discord)));
  EXPECT_FALSE(knows({.how = lookup_key::form::x_handle, .text = "7"}));
  EXPECT_FALSE(knows(profile(7)));
}

} // namespace
} // namespace credence::http
