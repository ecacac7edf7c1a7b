#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <barrier>
#include <mutex>

namespace credence::test {
namespace {

constexpr const char* keys_path = "/api/v2/api-keys";
constexpr const char* balance_path = "/api/v2/projects/votes/balance";

service& shared() {
  return shared_service([](service& one) { one.start({"--public-url", signing_origin}); });
}

/// How often each code was answered; `OK` for a 2xx.
using tally = std::map<std::string, int>;

std::string code_of(const http_response& answer) {
  return answer.status == 200 ? "OK" : answer.status == 0 ? "no answer" : json_text(answer.body, "/code");
}

/// Posts each body on a connection of its own, all at once. `unknown` counts those whose
/// nonce is found used after a 503: that one had been stored, or another with the same message.
tally post_at_once(const std::vector<std::string>& bodies, service& to = shared()) {
  tally out;
  std::mutex guard;
  std::vector<std::thread> clients;
  for (const auto& body : bodies)
    clients.emplace_back([&] {
      auto client = to.client();
      auto code = code_of(client.post(keys_path, body));
      if (code == "SERVICE_UNAVAILABLE" || code == "RATE_LIMITED") {
        code = code_of(post_until_decided(client, keys_path, body));
        code = code == "NONCE_REUSED" ? "unknown" : code;
      }
      const std::lock_guard lock{guard};
      ++out[code];
    });
  for (auto& each : clients)
    each.join();
  return out;
}

std::string active_keys_of(int profile) {
  return shared().database().sql(
    "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND expires_at > now() AND profile_id = "
    + std::to_string(profile));
}

TEST(ApiKeyRaces, OfSixtyCreationsAtOnceTwentyFiveSucceed) {
  std::vector<std::string> bodies;
  for (int i = 0; i < 60; ++i)
    bodies.push_back(key_order{6}.body());
  auto codes = post_at_once(bodies);
  EXPECT_EQ(codes["OK"] + codes["unknown"], 25);
  EXPECT_EQ(codes["KEY_LIMIT_REACHED"], 35);
  EXPECT_EQ(active_keys_of(6), "25");
  auto client = shared().client();
  const auto full = client.post(keys_path, key_order{6}.body());
  EXPECT_EQ(full.status, 400);
  EXPECT_TRUE(has(full.body, "revoke one first"));

  const auto list = client.get(keys_path, shared().token(6)).body;
  ok(client.send("DELETE", keys_path + ("/" + json_text(list, "/7/id")),
                 {{"Authorization", "Bearer " + shared().token(6)}}));
  EXPECT_EQ(post_at_once({key_order{6}.body(), key_order{6}.body()}), (tally{{"OK", 1}, {"KEY_LIMIT_REACHED", 1}}))
    << "there is room for one again";
}

TEST(ApiKeyRaces, AMessagePostedAHundredTimesAtOnceMakesOneKey) {
  const auto body = key_order{5}.body();
  auto codes = post_at_once(std::vector<std::string>(100, body));
  EXPECT_EQ(codes["OK"] + codes["unknown"] + codes["NONCE_REUSED"], 100);
  EXPECT_TRUE(codes["OK"] == 1 || (codes["OK"] == 0 && codes["unknown"] > 0)) << codes["OK"];
  EXPECT_EQ(active_keys_of(5), "1");
}

TEST(ApiKeyRaces, AMessageCountsOnceAndARevocationHoldsAcrossACrash) {
  service server;
  server.start({"--public-url", signing_origin});
  const auto body = key_order{5}.body();
  const auto made = ok(server.client().post(keys_path, body));
  const auto token = json_text(made.body, "/token");
  server.kill_hard();
  server.start({"--public-url", signing_origin});
  EXPECT_EQ(post_at_once(std::vector<std::string>(8, body), server), (tally{{"NONCE_REUSED", 8}}));
  auto client = server.client();
  EXPECT_EQ(with_key(client, "GET", balance_path, token).status, 200) << "the key itself is still good";
  ASSERT_EQ(with_key(client, "DELETE", keys_path + ("/" + json_text(made.body, "/id")), token).status, 200);
  server.kill_hard();
  server.start({"--public-url", signing_origin});
  auto later = server.client();
  EXPECT_EQ(with_key(later, "GET", balance_path, token).status, 401) << "and a revoked one stays revoked";
}

// -- revoking under way -------------------------------------------------------------------

TEST(ApiKeyRaces, NoRequestThatBeginsAfterARevocationSucceeds) {
  using clock = std::chrono::steady_clock;
  const auto made = ok(shared().client().post(keys_path, key_order{4}.body()));
  const auto token = json_text(made.body, "/token");
  struct seen {
    clock::time_point last_good{}; // start of the last request that succeeded
    tally codes;
  };
  constexpr int connections = 16;
  constexpr int good_enough = 20;
  constexpr int refusals_enough = 50;
  constexpr int requests_max = 100'000; // so that no mistake lasts for ever
  std::vector<seen> all(connections);
  std::barrier warm{connections + 1};
  std::vector<std::thread> clients;
  for (auto& mine : all)
    clients.emplace_back([&] {
      auto client = shared().client();
      const bool tips = (&mine - all.data()) % 4 == 0;
      int sent = 0;
      const auto request = [&] {
        const auto start = clock::now();
        const auto answer = tips && sent++ % 8 == 0 ? with_key(client, "POST", "/api/v2/xp/tip", token,
                                                               R"({"receiverUserkey":"profileId:5","amount":1})")
                                                    : with_key(client, "GET", balance_path, token);
        ++mine.codes[code_of(answer)];
        if (answer.status == 200)
          mine.last_good = start;
      };
      for (int i = 0; i < requests_max && mine.codes["OK"] < good_enough; ++i)
        request();
      warm.arrive_and_wait();
      for (int i = 0; i < requests_max && mine.codes["UNAUTHORIZED"] < refusals_enough; ++i)
        request();
    });
  warm.arrive_and_wait();
  const auto target = keys_path + ("/" + json_text(made.body, "/id"));
  auto owner = shared().client();
  auto code = std::string{"SERVICE_UNAVAILABLE"};
  await("the key's end", [&] { // unavailable: unknown; gone, perhaps
    code = code_of(owner.send("DELETE", target, {{"Authorization", "Bearer " + shared().token(4)}}));
    return code != "SERVICE_UNAVAILABLE";
  });
  const auto answered = clock::now();
  EXPECT_TRUE(code == "OK" || code == "KEY_NOT_FOUND") << code;
  for (auto& each : clients)
    each.join();
  for (auto& each : all) {
    EXPECT_LE(each.last_good, answered) << "it began after the key was gone";
    EXPECT_GE(each.codes["OK"], good_enough);
    EXPECT_EQ(each.codes["UNAUTHORIZED"], refusals_enough);
    for (const auto& [seen_code, times] : each.codes) // busy, perhaps; wrong, never
      EXPECT_TRUE(seen_code == "OK" || seen_code == "UNAUTHORIZED" || seen_code == "RATE_LIMITED"
                  || seen_code == "SERVICE_UNAVAILABLE" || seen_code == "INSUFFICIENT_XP")
        << seen_code << ": " << times;
  }
}

TEST(ApiKeyRaces, RequestsPipelinedBehindARevocationAreRefused) {
  const auto made = ok(shared().client().post(keys_path, key_order{4}.body()));
  const std::string head =
    " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Api-Key: " + json_text(made.body, "/token") + "\r\n\r\n";
  const auto get = std::string{"GET "} + balance_path + head;
  auto client = shared().client();
  EXPECT_EQ(
    client.raw(get + get + "DELETE " + keys_path + "/" + json_text(made.body, "/id") + head + get + get + get).status,
    200);
  for (const int status : {200, 200, 401, 401, 401})
    EXPECT_EQ(client.read_answer().status, status);
}

// -- repeating ----------------------------------------------------------------------------

TEST(ApiKeyRaces, ARepeatedRequestNamesTheKeyThatItMade) {
  auto client = shared().client();
  const http_headers repeatable{{"Idempotency-Key", "a-key-of-mine"}};
  const auto body = key_order{3}.body();
  const auto made = ok(post_until_decided(client, keys_path, body, repeatable));
  const auto id = json_text(made.body, "/id");
  for (int i = 0; i < 2; ++i) {
    const auto again = post_until_decided(client, keys_path, body, repeatable);
    EXPECT_EQ(code(again), "409 ANSWER_NOT_KEPT") << again.body;
    EXPECT_TRUE(has(json_text(again.body, "/message"), id)) << again.body;
    EXPECT_FALSE(has(again.body, json_text(made.body, "/token")));
  }
  const auto another = post_until_decided(client, keys_path, key_order{3}.body(), repeatable);
  EXPECT_EQ(code(another), "422 IDEMPOTENCY_KEY_REUSED") << another.body;
  EXPECT_EQ(active_keys_of(3), "1");
  const auto forged = [&] {
    key_order order{3};
    order.signer = &demo_wallet(2);
    return post_until_decided(client, keys_path, order.body(), repeatable);
  }();
  EXPECT_EQ(code_of(forged), "INVALID_SIGNATURE") << "who has not signed hears nothing of it";
  EXPECT_EQ(post_until_decided(client, keys_path, key_order{2}.body(), repeatable).status, 200)
    << "another caller's own";
  EXPECT_EQ(post_until_decided(client, keys_path, body, {{"Idempotency-Key", ""}}).status, 400);
}

TEST(ApiKeyRaces, ARepeatedRevocationIsAnsweredLikeTheFirst) {
  auto client = shared().client();
  const auto made = ok(client.post(keys_path, key_order{2}.body()));
  const auto target = keys_path + ("/" + json_text(made.body, "/id"));
  for (int i = 0; i < 2; ++i) {
    const auto answer =
      ok(client.send("DELETE", target, {{"Authorization", "Bearer " + shared().token(2)}, {"Idempotency-Key", "d"}}));
    EXPECT_EQ(answer.body, R"({"ok":true})");
    EXPECT_EQ(answer.headers.contains("idempotency-replayed"), i == 1);
  }
}

} // namespace
} // namespace credence::test
