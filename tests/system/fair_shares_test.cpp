#include "tests/persistence/database.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

// What one caller or address takes is theirs alone: the others are served meanwhile, and nobody keeps more than a day's share.

namespace credence::test {
namespace {

http_headers from(const std::string& address) { return {{"X-Forwarded-For", address}, {"X-Service-Client", "somebody@1"}}; }

TEST(FairShares, WhoFloodsAListFillsTheirOwnPlacesAndNobodyElses) {
  service server;
  server.start({"--admin", "1", "--http-trusted-proxies", "127.0.0.0/8", "--http-answer-timeout", "60000", "--store-load-timeout", "60000"});
  const auto list = "/api/v2/votes?type=review&activityId=1";
  std::atomic<int> refused{0}, answered{0}, other_statuses{0};
  std::vector<std::thread> flood;
  std::thread others;
  http_response of_other_address, of_profile;
  {
    auto holder = look_into(server.database().url());
    holder.exec("BEGIN; LOCK TABLE activity_votes IN ACCESS EXCLUSIVE MODE", persistence::deadline_in(wait_at_most));
    for (int i = 0; i < 100; ++i)
      flood.emplace_back([&] {
        const auto came = server.client().send("GET", list, from("198.51.100.1"));
        (came.status == 429 ? refused : came.status == 200 ? answered : other_statuses)++;
        if (came.status == 429) {
          EXPECT_EQ(json_text(came.body, "/code"), "RATE_LIMITED");
          EXPECT_EQ(came.headers.at("retry-after"), "1");
        }
      });
    EXPECT_TRUE(await("the refusal of what one address has no places for", [&] { return refused == 36; }));
    others = std::thread{[&] {
      of_other_address = server.client().send("GET", list, from("198.51.100.2"));
      of_profile = server.client().send("GET", list, {{"Authorization", "Bearer " + server.token(3)}, {"X-Forwarded-For", "198.51.100.1"}});
    }};
    const auto console = http_client{server.admin_port()}.send("GET", "/admin/api/v1/keys", by_bearer(fresh_token(server, 1)));
    EXPECT_EQ(console.status, 200) << "the console has a lane of its own: " << console.body;
    holder.exec("ROLLBACK", persistence::deadline_in(wait_at_most));
  }
  for (auto& each : flood)
    each.join();
  others.join();
  EXPECT_EQ(of_other_address.status, 200) << of_other_address.body;
  EXPECT_EQ(of_profile.status, 200) << of_profile.body;
  EXPECT_EQ(answered, 64);
  EXPECT_EQ(refused, 36);
  EXPECT_EQ(other_statuses, 0);
}

TEST(ConsoleSessions, ThatDoNotHoldHaveARate) {
  service server;
  server.start({"--admin", "1", "--http-rate-limits", "true", "--http-rate-credentials", "1/h burst 5"});
  http_client console{server.admin_port()};
  const auto look = [&] { return console.send("GET", "/admin/api/v1/session", {{"Cookie", "__Host-credence-console=made.up.session"}}).status; };
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(look(), 401);
  EXPECT_EQ(look(), 429);
  EXPECT_EQ(console.send("GET", "/admin/api/v1/overview", by_bearer(fresh_token(server, 1))).status, 200) << "a good credential from there";
}

} // namespace
} // namespace credence::test
