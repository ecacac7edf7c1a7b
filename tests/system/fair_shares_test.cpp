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
  std::vector<std::jthread> flood;
  std::jthread others;
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
    others = std::jthread{[&] {
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

/// Edits of a profile's name, in the whole service.
class DailyBounds : public testing::Test {
protected:
  http_response edit(int who, const std::string& body, const std::string& query = {}) {
    return server.client().send("PATCH", "/api/v2/profiles/me" + query, with_json(by_bearer(server.token(who))), body);
  }
  /// How many edits of a new name each are let through, of sixty.
  int edits(int who) {
    int out = 0;
    for (int i = 0; i < 60; ++i)
      out += edit(who, R"({"displayName":"Name )" + std::to_string(++names_) + "\"}").status == 200;
    return out;
  }

  service server;

private:
  int names_ = 0;
};

TEST_F(DailyBounds, OneAccountWritesSoManyRowsADayAlsoThroughARestart) {
  server.start({"--admin", "1"});
  EXPECT_EQ(edit(2, R"({"username":"a b"})").status, 400);
  EXPECT_EQ(edits(2), 50) << "a refused one does not count";
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'profile_edited' AND profile_id = 2"), "50");
  const auto over = edit(2, R"({"displayName":"One more"})");
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(json_text(over.body, "/code"), "TOO_MANY_RECORDS");
  EXPECT_NE(over.body.find("50 of 50 a day"), std::string::npos) << over.body;
  EXPECT_NE(over.body.find("counted anew from"), std::string::npos) << over.body;
  EXPECT_GT(std::stoi(over.headers.at("retry-after")), 0);
  EXPECT_EQ(edit(2, R"({"displayName":"One more"})", "?dryRun=true").status, 200) << "what is only tried keeps nothing";
  EXPECT_EQ(edit(3, R"({"displayName":"Another"})").status, 200) << "somebody else";
  const auto stored = [&] { return server.database().sql("SELECT used FROM daily_acts WHERE profile_id = 2 AND act = 'profile_edits'") == "50"; };
  EXPECT_TRUE(await("the count", stored));
  server.kill_hard();
  server.start({"--admin", "1"});
  EXPECT_EQ(edit(2, R"({"displayName":"After the restart"})").status, 429);
  EXPECT_EQ(edit(3, R"({"displayName":"After the restart"})").status, 200);
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
