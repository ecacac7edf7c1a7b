#include "auth/address.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/tip_ledger.hpp"
#include "tests/waiting.hpp"

#include <mutex>

namespace credence::test {
namespace {

constexpr int sender = 3;
constexpr int receiver = 4;

std::string amount_to(const std::string& userkey, const std::string& amount, const std::string& more = {}) {
  return R"({"receiverUserkey":")" + userkey + R"(","amount":)" + amount + more + "}";
}

struct Tips : testing::Test {
  Tips() {
    give_xp(server, sender, 1000);
    had = xp_of(server, sender);
  }

  http_response tip(const std::string& body, int from = sender, const std::string& key = {}) {
    return server.client().send("POST", "/api/v2/xp/tip", with_json(by_bearer(server.token(from)), key), body);
  }
  http_response get(const std::string& target, int of) { return server.client().get(target, server.token(of)); }
  std::int64_t shown_xp(int profile) {
    return std::stoll(server.client().get("/api/v2/xp/user/profileId:" + std::to_string(profile)).body);
  }
  void expect_refused(const std::string& body, int status, const std::string& code) {
    const auto before = all_xp(server).total;
    const auto answer = tip(body);
    EXPECT_EQ(answer.status, status) << body << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), code) << body << answer.body;
    EXPECT_EQ(xp_of(server, sender), had) << body;
    EXPECT_EQ(all_xp(server).total, before) << body;
  }
  void expect_verified() { EXPECT_TRUE(sound(server, true)); }

  service server;
  std::int64_t had = 0; // by the sender at first
};

TEST_F(Tips, GoToEveryFormOfUserkeyAndCountAtOnce) {
  const auth::wallet linked{"a wallet of the receiver"};
  link_wallet(server, linked, receiver);
  server.database().sql(
    "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, username, created_at)"
    " SELECT 900000 + n, sha256(service::bytea), user_id, id, service, 70000000 + n, 'tipped_one', now() FROM profiles,"
    " unnest(ARRAY['x.com', 'discord', 'farcaster', 'github', 'telegram']) WITH ORDINALITY AS of_it (service, n)"
    " WHERE id = 4");
  server.start();
  const auto address = auth::checksummed_text(linked.account());
  std::string lower = address;
  for (auto& c : lower)
    c = static_cast<char>(std::tolower(c));
  auto left = had;
  auto received = xp_of(server, receiver);
  std::int64_t last = 0;
  for (const auto& userkey :
       {std::string{"profileId:4"}, "address:" + address, "address:" + lower, std::string{"service:x.com:70000001"},
        std::string{"service:x.com:username:tipped_one"}, std::string{"service:x.com:username:Tipped_One"},
        std::string{"service:discord:70000002"}, std::string{"service:farcaster:70000003"},
        std::string{"service:github:70000004"}, std::string{"service:telegram:70000005"}}) {
    const auto answer = tip(amount_to(userkey, "7"));
    ASSERT_EQ(answer.status, 200) << userkey << answer.body;
    EXPECT_EQ(json_number(answer.body, "/senderNewBalance"), left -= 7) << userkey;
    EXPECT_EQ(json_number(answer.body, "/receiverNewBalance"), received += 7) << userkey;
    EXPECT_GT(json_number(answer.body, "/tipId"), std::exchange(last, json_number(answer.body, "/tipId")));
    EXPECT_EQ(shown_xp(sender), left) << "at once, on another connection";
    EXPECT_EQ(shown_xp(receiver), received) << userkey;
  }
  EXPECT_EQ(xp_of(server, sender), left);
  EXPECT_EQ(xp_of(server, receiver), received);
}

TEST_F(Tips, AreListedForBothSides) {
  server.start();
  const auto sent_before = json_number(get("/api/v2/xp/tips/stats", sender).body, "/sent/total");
  const auto received_before = json_number(get("/api/v2/xp/tips/stats", receiver).body, "/received/count");
  const auto others = json_number(get("/api/v2/xp/tips/sent", sender).body, "/total");
  ASSERT_EQ(tip(amount_to("profileId:4", "1")).status, 200);
  ASSERT_EQ(tip(amount_to("profileId:4", "2", R"(,"message":"für \"dich\" 👍")")).status, 200);
  const auto third = ok(tip(amount_to("profileId:4", "3", R"(,"message":"","source":{"type":"review","id":12})")));
  ASSERT_EQ(tip(amount_to("profileId:4", "4", R"(,"message":null,"source":{"type":"vouch"})")).status, 200);

  const auto sent = ok(get("/api/v2/xp/tips/sent?limit=3&offset=1", sender));
  EXPECT_EQ(json_number(sent.body, "/total"), others + 4);
  EXPECT_TRUE(tells(sent.body, "/limit", 3, "/offset", 1));
  EXPECT_EQ(json_number(sent.body, "/values/0/id"), json_number(third.body, "/tipId")) << "newest first";
  EXPECT_TRUE(tells(sent.body, "/values/0/amount", 3, "/values/0/senderProfileId", sender, "/values/0/receiverUserId",
                    receiver, "/values/0/message", "", "/values/0/source/type", "review", "/values/0/source/id", 12,
                    "/values/1/message", "für \"dich\" 👍"));
  EXPECT_NE(sent.body.find(R"("message":null)"), std::string::npos) << sent.body;
  EXPECT_NE(sent.body.find(R"("source":null)"), std::string::npos) << sent.body;

  const auto received = get("/api/v2/xp/tips/received", receiver);
  EXPECT_TRUE(tells(received.body, "/values/0/amount", 4, "/values/0/source/type", "vouch"));
  EXPECT_TRUE(tells(get("/api/v2/xp/tips/stats", sender).body, "/sent/total", sent_before + 10));
  EXPECT_EQ(json_number(get("/api/v2/xp/tips/stats", receiver).body, "/received/count"), received_before + 4);
  EXPECT_EQ(get("/api/v2/xp/tips/sent?limit=x", sender).status, 400);
  for (const auto* path : {"/api/v2/xp/tips/sent", "/api/v2/xp/tips/received", "/api/v2/xp/tips/stats"})
    EXPECT_EQ(server.client().get(path).status, 401) << path;
}

TEST_F(Tips, AreRefusedAsTheTableSays) {
  server.start();
  for (const auto* amount :
       {"0", "-1", "1.5", "\"5\"", "1e-3", "5.5", "null", "true", "[]", "9223372036854775808", "18446744073709551615"})
    expect_refused(amount_to("profileId:4", amount), 400, "INVALID_AMOUNT");
  expect_refused(R"({"receiverUserkey":"profileId:4"})", 400, "INVALID_AMOUNT");
  expect_refused("{}", 400, "INVALID_AMOUNT");
  expect_refused(amount_to("profileId:3", "1"), 400, "CANNOT_TIP_SELF");
  expect_refused(amount_to("profileId:3", "9223372036854775807"), 400, "CANNOT_TIP_SELF");
  expect_refused(amount_to("profileId:4", std::to_string(had + 1)), 400, "INSUFFICIENT_XP");
  expect_refused(amount_to("profileId:4", "9223372036854775807"), 400, "INSUFFICIENT_XP");
  for (const auto* nobody : {"profileId:999999", "address:0x00000000000000000000000000000000000000AA",
                             "service:x.com:999", "service:x.com:username:nobody_at_all", "service:discord:1"})
    expect_refused(amount_to(nobody, "1"), 404, "RECEIVER_NOT_FOUND");
  expect_refused(amount_to("profileId:61", "1"), 404, "RECEIVER_NOT_FOUND");
  for (const auto* malformed : {"", "profileId:", "profileId:0", "nobody:7", "address:0x12"})
    expect_refused(amount_to(malformed, "1"), 400, "BAD_REQUEST");
  expect_refused(R"({"amount":1})", 400, "BAD_REQUEST");
  expect_refused(amount_to("profileId:4", "18446744073709551616"), 400,
                 "BAD_REQUEST"); // in JSON as it is read here no number
  expect_refused(amount_to("profileId:4", "1", R"(,"message":7)"), 400, "BAD_REQUEST");
  expect_refused(amount_to("profileId:4", "1", R"(,"source":{"type":"gift"})"), 400, "BAD_REQUEST");
  expect_refused(amount_to("profileId:4", "1", R"(,"source":{"type":"review","id":0})"), 400, "BAD_REQUEST");
  expect_refused(amount_to("profileId:4", "1", R"(,"source":"review")"), 400, "BAD_REQUEST");
  EXPECT_EQ(server.client().post("/api/v2/xp/tip", amount_to("profileId:4", "1")).status, 401);
  EXPECT_EQ(server.client().post("/api/v2/xp/tip", amount_to("profileId:4", "1"), "no.such.token").status, 401);
}

TEST_F(Tips, HaveMessagesOf500Characters) {
  server.start();
  std::string longest;
  for (int i = 0; i < 500; ++i)
    longest += "ü"; // two bytes each
  EXPECT_EQ(tip(amount_to("profileId:4", "1", R"(,"message":")" + longest + '"')).status, 200);
  had -= 1;
  expect_refused(amount_to("profileId:4", "1", R"(,"message":")" + longest + "x\""), 400, "BAD_REQUEST");
  EXPECT_EQ(json_text(get("/api/v2/xp/tips/sent", sender).body, "/values/0/message"), longest);
}

TEST_F(Tips, OfEverythingLeaveNothingAndCanBePassedOnAtOnce) {
  server.start();
  auto received = xp_of(server, receiver);
  EXPECT_TRUE(tells(ok(tip(amount_to("profileId:4", std::to_string(had)))).body, "/senderNewBalance", 0));
  EXPECT_EQ(json_text(tip(amount_to("profileId:4", "1")).body, "/code"), "INSUFFICIENT_XP");
  const auto on = ok(tip(amount_to("profileId:5", std::to_string(received += had)), receiver));
  EXPECT_EQ(json_number(on.body, "/senderNewBalance"), 0);
  EXPECT_GE(all_xp(server).least, 0);
}

TEST_F(Tips, OfOneSenderNeverTakeMoreThanThereIs) {
  server.start();
  const auto before = all_xp(server);
  const std::int64_t each = had / 100 + 1;
  const auto affordable = had / each;
  std::atomic<int> next{0};
  std::mutex mutex;
  std::map<std::string, int> answers;
  at_once(100, [&] { // more than may wait for one profile
    auto client = server.client();
    for (int n = next++; n < 1000; n = next++) {
      http_response answer;
      await("a final answer to a tip", [&] {
        answer =
          client.send("POST", "/api/v2/xp/tip", with_json(by_bearer(server.token(sender)), "n" + std::to_string(n)),
                      amount_to("profileId:" + std::to_string(4 + n % 8), std::to_string(each)));
        return answer.status != 0 && answer.status != 409 && answer.status != 429 && answer.status != 503;
      });
      const std::lock_guard lock{mutex};
      ++answers[answer.status == 200 ? "200" : json_text(answer.body, "/code")];
    }
  });
  EXPECT_EQ(answers, (std::map<std::string, int>{{"200", static_cast<int>(affordable)},
                                                 {"INSUFFICIENT_XP", 1000 - static_cast<int>(affordable)}}));
  EXPECT_EQ(xp_of(server, sender), had - affordable * each);
  EXPECT_EQ(shown_xp(sender), had - affordable * each);
  EXPECT_EQ(all_xp(server).total, before.total);
  EXPECT_GE(all_xp(server).least, 0);
  expect_verified();
}

TEST_F(Tips, SeeXpThatAnotherProgramGives) {
  server.start();
  ASSERT_EQ(tip(amount_to("profileId:4", std::to_string(had))).status, 200);
  give_xp(server, sender, 50);
  http_response answer;
  const auto taken = [&] { return (answer = tip(amount_to("profileId:4", "50"))).status == 200; };
  EXPECT_TRUE(await("the other balance", taken)) << answer.body; // a balance is believed for a moment
  EXPECT_EQ(json_number(answer.body, "/senderNewBalance"), 0);
}

// -- under faults --------------------------------------------------------------------------

/// Many tip, and some time after 50 more tips `trouble` happens; they stop when it is over.
void tip_through(service& on, tip_ledger& book, std::mt19937_64& random, const std::function<void()>& trouble) {
  const auto enough = book.acknowledged() + 50 + random() % 100;
  std::atomic<bool> stop{false};
  std::thread troubled{[&] {
    if (await("acknowledged tips", [&] { return book.acknowledged() >= enough; }))
      trouble();
    stop = true;
  }};
  book.tip(on.voters(), 8, stop);
  troubled.join();
}

TEST_F(Tips, SurviveKillsOfTheServer) {
  constexpr std::uint64_t seed = 20260301;
  std::mt19937_64 random{seed};
  server.start();
  const auto before = all_xp(server).total;
  tip_ledger book{server, seed};
  for (int round = 0; round < 5; ++round) {
    tip_through(server, book, random, [&] { server.kill_hard(); });
    EXPECT_EQ(book.violations(), std::vector<std::string>{})
      << "an acknowledged one is there, an unknown one at most once";
    server.start();
    book.resolve_unknown();
    EXPECT_EQ(book.count(tip_attempt::unknown), 0u);
    EXPECT_EQ(book.violations(), std::vector<std::string>{}) << "round " << round;
    EXPECT_EQ(all_xp(server).total, before);
  }
  EXPECT_GT(book.count(tip_attempt::acknowledged), 250u);
  EXPECT_GE(all_xp(server).least, 0);
  expect_verified();
}

TEST_F(Tips, SurviveKillsOfPostgres) {
  constexpr std::uint64_t seed = 20260302;
  std::mt19937_64 random{seed};
  server.start();
  const auto before = all_xp(server).total;
  tip_ledger book{server, seed};
  for (int round = 0; round < 2; ++round) {
    tip_through(server, book, random, [&] {
      server.database().kill_hard();
      server.database().start();
      EXPECT_TRUE(server.becomes_ready());
    });
    book.resolve_unknown();
    EXPECT_EQ(book.count(tip_attempt::unknown), 0u);
    EXPECT_EQ(book.violations(), std::vector<std::string>{}) << "round " << round;
  }
  EXPECT_EQ(all_xp(server).total, before);
  EXPECT_GE(all_xp(server).least, 0);
  EXPECT_TRUE(server.running());
  expect_verified();
}

} // namespace
} // namespace credence::test
