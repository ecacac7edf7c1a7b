#include "actors/profile/credential_slot.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

using namespace std::chrono_literals;

TEST(CredentialRegistry, HasTheOwnerAskedAtOnceWhereThereIsDoubt) {
  constexpr timestamp now{std::chrono::seconds{1'790'000'000}};
  credential_registry registry;
  const auto key = registry.intern(credential_kind::api_key, "a", profile_id{12}, now + 24h);
  const auto other = registry.intern(credential_kind::api_key, "b", profile_id{13}, now + 24h);
  for (const auto& each : {key, other}) {
    EXPECT_TRUE(each->due(now, 60s));
    EXPECT_FALSE(each->due(now + 1s, 60s));
  }
  registry.doubt(profile_id{12});
  EXPECT_TRUE(key->due(now + 1s, 60s));
  EXPECT_FALSE(key->due(now + 2s, 60s)) << "once";
  EXPECT_FALSE(other->due(now + 2s, 60s));
}

} // namespace
} // namespace credence::profile
