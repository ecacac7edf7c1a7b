#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

/// Uses are stored every few seconds, so these are spread over several of such times.
TEST(KeyUsage, OfFiveThousandRequestsWithinAMinuteCostsTwoUpdatesAtMost) {
  const auth::wallet owner{"somebody who asks often"};
  service server;
  link_wallet(server, owner, 3);
  server.start();
  const auto key = make_key(server, owner);
  const auto updates = [&] {
    return std::stoi(server.database().sql("SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'api_keys'"));
  };
  ASSERT_EQ(updates(), 0);
  const auto began = std::chrono::steady_clock::now();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> clients;
    for (int i = 0; i < 5; ++i)
      clients.emplace_back([&] {
        auto client = server.client();
        for (int n = 0; n < 50; ++n)
          EXPECT_EQ(client.send("GET", "/api/v2/projects/votes/balance", by_key(key.token)).status, 200);
      });
    for (auto& each : clients)
      each.join();
    std::this_thread::sleep_until(began + 1s * (round + 1));
  }
  const auto stamped = [&] {
    return server.database().sql("SELECT last_used_at IS NOT NULL FROM api_keys WHERE id = '" + key.id + "'") == "t";
  };
  EXPECT_TRUE(await("the moment, stored", [&] { return stamped() && updates() > 0; }));
  if (std::chrono::steady_clock::now() - began < 60s) { // on a machine that could keep up
    EXPECT_LE(updates(), 2);
  }
  const auto seen = server.client().send("GET", "/api/v2/api-keys", by_key(key.token));
  EXPECT_FALSE(json_text(seen.body, "/0/lastUsedAt").empty());
}

} // namespace
} // namespace credence::test
