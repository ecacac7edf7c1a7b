#include "tests/persistence/database.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest-spi.h>

#include <cstdlib>

// What one caller or address takes is theirs alone: the others are served meanwhile, and nobody keeps more than a day's
// share.
namespace credence::test {
namespace {

http_headers from(const std::string& address) {
  return {{"X-Forwarded-For", address}, {"X-Service-Client", "somebody@1"}};
}

std::int64_t lists_waiting(const service& at) {
  const auto all = http_client{at.operator_port()}.get("/metrics").body;
  const std::string name = "\ncredence_store_reads_waiting{lane=\"lists\"} ";
  const auto found = all.find(name);
  return found == std::string::npos ? -1 : std::stoll(all.substr(found + name.size()));
}

TEST(FairShares, WhoFloodsAListFillsTheirOwnPlacesAndNobodyElses) {
  service server;
  server.start({"--admin", "1", "--http-trusted-proxies", "127.0.0.0/8", "--http-answer-timeout", "60000",
                "--store-load-timeout", "60000"});
  const auto list = "/api/v2/votes?type=review&activityId=1";
  std::atomic<int> refused{0}, answered{0}, other_statuses{0};
  std::vector<std::jthread> flood, others;
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
    others.emplace_back([&] { of_other_address = server.client().send("GET", list, from("198.51.100.2")); });
    others.emplace_back([&] {
      of_profile = server.client().send(
        "GET", list, {{"Authorization", "Bearer " + server.token(3)}, {"X-Forwarded-For", "198.51.100.1"}});
    });
    EXPECT_TRUE(await("the others in the line, behind the 64", [&] { return lists_waiting(server) >= 66; }));
    const auto console =
      http_client{server.admin_port()}.send("GET", "/admin/api/v1/keys", by_bearer(fresh_token(server, 1)));
    EXPECT_EQ(console.status, 200) << "the console has a lane of its own: " << console.body;
    holder.exec("ROLLBACK", persistence::deadline_in(wait_at_most));
  }
  for (auto& each : flood)
    each.join();
  for (auto& each : others)
    each.join();
  EXPECT_EQ(of_other_address.status, 200) << of_other_address.body;
  EXPECT_EQ(of_profile.status, 200) << of_profile.body;
  EXPECT_EQ(answered, 64);
  EXPECT_EQ(refused, 36);
  EXPECT_EQ(other_statuses, 0);
}

/// Tells `story` again where midnight (UTC) passes in it, as acts are counted anew from then on. It gets the number of
/// the attempt, to be of other profiles.
template <class Story>
void within_a_day(Story story) {
  const auto today = [] { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); };
  for (int attempt = 0;; ++attempt) {
    testing::TestPartResultArray said;
    const auto day = today();
    {
      const testing::ScopedFakeTestPartResultReporter kept{&said};
      story(attempt);
    }
    if (today() != day)
      continue;
    for (int i = 0; i < said.size(); ++i)
      if (const auto& each = said.GetTestPartResult(i); each.failed())
        ADD_FAILURE_AT(each.file_name(), each.line_number()) << each.message();
    return;
  }
}

struct DailyBounds : testing::Test {
  /// Edits a profile.
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
  /// What is stored of a profile's acts, "" where nothing is.
  std::string used(int who, const std::string& act) {
    return server.database().sql("SELECT used FROM daily_acts WHERE profile_id = " + std::to_string(who)
                                 + " AND act = '" + act + "'");
  }

  service server;

private:
  int names_ = 0;
};

TEST_F(DailyBounds, OneAccountWritesSoManyRowsADayAlsoThroughARestart) {
  server.start({"--admin", "1"});
  within_a_day([&](int attempt) {
    const int me = 2 + 2 * attempt;
    const int other = me + 1;
    EXPECT_EQ(edit(me, R"({"username":"a b"})").status, 400);
    EXPECT_EQ(edits(me), 50) << "a refused one does not count";
    EXPECT_EQ(server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'profile_edited' AND profile_id = "
                                    + std::to_string(me)),
              "50");
    auto over = edit(me, R"({"displayName":"One more"})");
    EXPECT_EQ(over.status, 429);
    EXPECT_TRUE(has(over.body, "\"TOO_MANY_RECORDS\""));
    EXPECT_TRUE(has(over.body, "50 of 50 a day"));
    EXPECT_TRUE(has(over.body, "counted anew from"));
    EXPECT_GT(std::atoi(over.headers["retry-after"].c_str()), 0);
    EXPECT_EQ(edit(me, R"({"displayName":"One more"})", "?dryRun=true").status, 200)
      << "what is only tried keeps nothing";
    EXPECT_EQ(edit(other, R"({"displayName":"Another"})").status, 200) << "somebody else";
    EXPECT_TRUE(await("the count", [&] { return used(me, "profile_edits") == "50"; }));
    server.kill_hard();
    server.start({"--admin", "1"});
    EXPECT_EQ(edit(me, R"({"displayName":"After the restart"})").status, 429);
    EXPECT_EQ(edit(other, R"({"displayName":"After the restart"})").status, 200);
  });
}

TEST_F(DailyBounds, WhatAWalletSignsForCountsOnceAndAsItsOwners) {
  const std::array makers{auth::wallet{"somebody who makes keys"}, auth::wallet{"somebody who makes keys next day"}};
  link_wallet(server, makers[0], 4);
  link_wallet(server, makers[1], 6);
  server.start({"--admin", "1"});
  within_a_day([&](int attempt) {
    const auto& mine = makers.at(static_cast<std::size_t>(attempt));
    const int me = 4 + 2 * attempt;
    const int other = me + 1;
    const auto make = [&](const http_headers& as, const std::string& order, const std::string& key = {}) {
      return server.client().send("POST", "/api/v2/api-keys", with_json(as, key), order);
    };
    const auto order = key_request(mine, "first");
    const auto made = ok(make(by_bearer(server.token(me)), order, "the-same"));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(make(by_bearer(server.token(me)), order, "the-same").status, 409) << "a repeat";
    EXPECT_EQ(make(by_bearer(server.token(other)), key_request(mine, "second")).status, 200)
      << "by the credential of somebody else";
    EXPECT_EQ(make({}, order).status, 400) << "its nonce has been used";
    EXPECT_EQ(server.client()
                .send("DELETE", "/api/v2/api-keys/" + json_text(made.body, "/id"), by_bearer(server.token(me)))
                .status,
              200);
    EXPECT_EQ(make({}, key_request(mine, "third")).status, 200);
    EXPECT_TRUE(await("a count of three", [&] { return used(me, "keys") == "3"; }));
    EXPECT_EQ(used(other, "keys"), "");
  });
}

TEST_F(DailyBounds, HoldForWhatAPartnersPageDoesToo) {
  server.start({"--admin", "1", "--wallets-partner-origins", partner_origin});
  within_a_day([&](int attempt) {
    const int me = 2 + attempt;
    for (const auto& [act, most] :
         {std::pair{"replies", 500}, {"activity_votes", 2000}, {"record_edits", 500}, {"invitations", 200}})
      server.database().sql("INSERT INTO daily_acts (profile_id, act, day, used) VALUES (" + std::to_string(me) + ", '"
                            + act + "', (now() AT TIME ZONE 'UTC')::date, " + std::to_string(most) + ")");
    const auto review = server.client().send(
      "POST", "/api/v2/reviews/create", with_json(by_bearer(server.token(me + 1))),
      R"({"subject":"profileId:)" + std::to_string(me + 2) + R"(","score":"positive","comment":"kept its word"})");
    ASSERT_EQ(review.status, 200) << review.body;
    auto page = let_in_at(server, me);
    const std::string wallets = "/api/v2/wallets/";
    const auto about = wallets + "activity/review/" + std::to_string(json_number(review.body, "/id"));
    const auto after_a_few = [&](const std::string& path, const std::string& body) {
      std::string answer = "200 "; // what the day has had is looked up once a hundredth of a bound is used
      for (int times = 0; answer == "200 " && times < 25; ++times)
        answer = code_of(page.post(path, body));
      return answer;
    };
    EXPECT_EQ(after_a_few(about + "/reply", R"({"content":"Thanks"})"), "429 TOO_MANY_RECORDS");
    EXPECT_EQ(after_a_few(about + "/vote", R"({"isUpvote":true})"), "429 TOO_MANY_RECORDS");
    int invited = 0;
    std::string answer = "200 ";
    while (answer == "200 " && invited++ < 25)
      answer =
        code_of(page.post(wallets + "managed/invite/address", R"({"invitee":"0x00000000000000000000000000000000000000)"
                                                                + std::to_string(10 + invited) + "\"}"));
    EXPECT_EQ(answer, "429 TOO_MANY_RECORDS") << invited;
  });
}

TEST(ConsoleSessions, ThatDoNotHoldHaveARate) {
  service server;
  server.start({"--admin", "1", "--http-rate-limits", "true", "--http-rate-credentials", "1/h burst 5"});
  http_client console{server.admin_port()};
  const auto look = [&] {
    return console.send("GET", "/admin/api/v1/session", {{"Cookie", "__Host-credence-console=made.up.session"}}).status;
  };
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(look(), 401);
  EXPECT_EQ(look(), 429);
  EXPECT_EQ(console.send("GET", "/admin/api/v1/overview", by_bearer(fresh_token(server, 1))).status, 200)
    << "a good credential from there";
}

TEST(Rates, OfAKeyThatWasRevokedCostItsOwnerNothing) {
  const auth::wallet owner{"somebody whose key was found"};
  service server;
  link_wallet(server, owner, 3);
  server.start({"--http-rate-limits", "true", "--http-rate-read", "1/h burst 10"});
  const auto path = "/api/v2/projects/votes/balance";
  const auto found = make_key(server, owner, "found by others");
  const auto good = make_key(server, owner, "good");
  auto client = server.client();
  EXPECT_EQ(client.send("GET", path, by_key(found.token)).status, 200);
  ASSERT_EQ(client.send("DELETE", "/api/v2/api-keys/" + found.id, by_bearer(server.token(3))).status, 200);
  for (int i = 0; i < 20; ++i) {
    const auto answer = client.send("GET", path, by_key(found.token));
    EXPECT_EQ(answer.status, 401) << answer.body;
    EXPECT_TRUE(has(answer.body, "API key"));
    EXPECT_FALSE(has(answer.body, "access token")) << "a key is called a key:";
  }
  const auto mine = ok(client.send("GET", path, by_key(good.token)));
  EXPECT_EQ(mine.headers.at("ratelimit").substr(0, 10), R"("read";r=8)");
}

TEST(Rates, AListThatTheDatabaseGivesUpIsPaidFor) {
  service server;
  server.start({"--http-rate-limits", "true", "--http-rate-read", "1/h burst 1000", "--store-load-timeout", "4000",
                "--http-answer-timeout", "60000"});
  auto client = server.client();
  auto holder = look_into(server.database().url());
  holder.exec("BEGIN; LOCK TABLE activity_votes IN ACCESS EXCLUSIVE MODE", persistence::deadline_in(wait_at_most));
  int left = 1000;
  for (int tries = 0; tries < 20 && left >= 700; ++tries) { // the first ones may end before a connection is ready
    const auto given_up = client.send("GET", "/api/v2/votes?type=review&activityId=1", by_bearer(server.token(3)));
    ASSERT_EQ(given_up.status, 503) << given_up.body;
    const auto& told = given_up.headers.at("ratelimit");
    ASSERT_EQ(told.substr(0, 9), R"("read";r=)");
    left = std::atoi(told.substr(9).c_str());
  }
  holder.exec("ROLLBACK", persistence::deadline_in(wait_at_most));
  EXPECT_LT(left, 700) << "it had a connection for seconds, each of which is 250 requests";
}

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
    at_once(5, [&] {
      auto client = server.client();
      for (int n = 0; n < 50; ++n)
        EXPECT_EQ(client.send("GET", "/api/v2/projects/votes/balance", by_key(key.token)).status, 200);
    });
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
