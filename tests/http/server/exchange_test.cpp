#include "tests/http/server/small_server.hpp"
#include "tests/http/server/unpacked.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace credence::http {
namespace {

/// Requests whose handlers wait for actors.
class Exchange : public test::small_server {};
using test::request;
using test::wire;

TEST_F(Exchange, WaitsForTheAnswersOfActors) {
  start();
  EXPECT_EQ(get("/api/v2/ask/now").body, R"({"said":"now"})");
  EXPECT_EQ(get("/api/v2/ask/twice").body, R"({"said":"now"})");
  const auto no = get("/api/v2/ask/refuse");
  EXPECT_EQ(no.status, 400);
  EXPECT_EQ(no.body, R"({"message":"once is enough","code":"ALREADY_VOTED"})");
  const auto busy = get("/api/v2/ask/fail");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("retry-after"), "1");
}

TEST_F(Exchange, Answers503ForAQuestionThatAnActorDropped) {
  start();
  const auto came = get("/api/v2/ask/drop");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
}

TEST_F(Exchange, TellsOfAnUnknownOutcomeWhereSomethingMayHaveBeenWritten) {
  how.answer_timeout = std::chrono::milliseconds{50};
  start();
  const auto knows = [this](const char* verb, const std::string& path) {
    wire one{port()};
    const auto came = one.send(request(verb, path)).next();
    EXPECT_EQ(came.status, 503) << verb << ' ' << path;
    return came.body.find("the outcome is unknown") == std::string::npos;
  };
  for (const auto* how_it_ends : {"drop", "hold"}) {
    EXPECT_TRUE(knows("GET", std::string{"/api/v2/ask/"} + how_it_ends));
    EXPECT_TRUE(knows("POST", std::string{"/api/v2/look/"} + how_it_ends));
    EXPECT_FALSE(knows("POST", std::string{"/api/v2/ask/"} + how_it_ends));
  }
}

TEST_F(Exchange, Answers503AtTheDeadlineAndDropsTheLateAnswer) {
  how.answer_timeout = std::chrono::seconds{3};
  start();
  wire one{port()};
  const auto late = one.send(request("GET", "/api/v2/ask/hold-1")).next();
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.header("retry-after"), "1");
  one.send(request("GET", "/api/v2/ask/hold-2"));
  wait_for_held(2);
  release(); // both are answered now; only the second still has somebody who waits
  EXPECT_EQ(one.next().body, R"({"said":"hold-2"})");
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/now")).next().body, R"({"said":"now"})");
}

TEST_F(Exchange, OutlivesClientsThatLeaveWithQuestionsOut) {
  start();
  for (std::size_t i = 0; i < 20; ++i) {
    wire gone{port()};
    gone.send(request("GET", "/api/v2/ask/hold"));
    wait_for_held(i + 1);
  }
  release();
  wait_for_held(0);
  expect_alive();
}

TEST_F(Exchange, TakesOnlySoManyRequestsAtATime) {
  how.requests_in_flight_max = 2;
  start();
  wire first{port()}, second{port()};
  first.send(request("GET", "/api/v2/ask/hold"));
  second.send(request("GET", "/api/v2/ask/hold"));
  wait_for_held(2);
  const auto came = get("/api/v2/hello/you");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_EQ(get("/livez").status, 200) << "life does not depend on load";
  release();
  EXPECT_EQ(first.next().status, 200);
  EXPECT_EQ(second.next().status, 200);
  expect_alive();
}

TEST_F(Exchange, SurvivesHandlersWithBugs) {
  start();
  for (const auto* path : {"/api/v2/throw", "/api/v2/silent"}) {
    wire one{port()};
    const auto came = one.send(request("GET", path)).next();
    EXPECT_EQ(came.status, 500) << path;
    EXPECT_EQ(came.body, R"({"message":"the request could not be handled","code":"INTERNAL_SERVER_ERROR"})");
    EXPECT_EQ(one.send(request("GET", "/api/v2/hello/you")).next().status, 200) << path;
  }
}

TEST_F(Exchange, CountsQuestionsUntilAnActorIsDoneWithThem) {
  how.answer_timeout = std::chrono::milliseconds{50};
  actors.all_questions = std::make_shared<gate>(2);
  start();
  EXPECT_EQ(get("/api/v2/ask/hold").status, 503); // the front has given up, the actor has not
  EXPECT_EQ(get("/api/v2/ask/hold").status, 503);
  wait_for_held(2);
  const auto came = get("/api/v2/ask/now");
  EXPECT_EQ(came.status, 503);
  EXPECT_NE(came.body.find("too much to do"), std::string::npos) << came.body;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200) << "asks nobody";
  release();
  wait_for_held(0);
  EXPECT_EQ(get("/api/v2/ask/now").status, 200);
}

TEST_F(Exchange, AnswersTheApiOnlyOnceItsDataIsThere) {
  std::atomic<bool> loaded{false};
  may_open = [&loaded] { return loaded.load(); };
  start();
  const auto early = get("/api/v2/hello/you");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.header("retry-after"), "1");
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/api/v2/nothing").status, 404);
  loaded = true;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200);
  loaded = false;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200) << "what has been read stays";
}

TEST_F(Exchange, PacksLargeAnswersForWhoTakesThem) {
  start();
  std::string body = "[";
  for (int i = 0; i < 500; ++i)
    body += std::to_string(i) + ",";
  body += "0]";
  const auto echoed = [&](const std::string& more) {
    return ask(request("POST", "/api/v2/echo", "Content-Type: application/json\r\n" + more, body));
  };
  const auto plain = echoed("");
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_EQ(plain.body, body);
  EXPECT_NE(plain.header("vary").find("Accept-Encoding"), std::string::npos) << "a cache must know";
  const auto packed = echoed("Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(packed.header("content-type"), "application/json");
  EXPECT_LT(packed.body.size() * 2, body.size());
  EXPECT_EQ(test::unpacked(packed.body), body);
  EXPECT_FALSE(echoed("Accept-Encoding: gzip;q=0\r\n").has("content-encoding"));
  EXPECT_FALSE(echoed("Accept-Encoding: identity, gzip;q=0.5\r\n").has("content-encoding"))
    << "it prefers the answer as it is";
  EXPECT_FALSE(get("/api/v2/hello/you", "Accept-Encoding: gzip\r\n").has("content-encoding")) << "too small to pay";
}

TEST_F(Exchange, PacksMetricsOnlyForWhoAsksForThat) {
  start();
  wire operators{running().operator_port()};
  const auto plain = operators.send(request("GET", "/metrics")).next();
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_NE(plain.body.find("credence_"), std::string::npos);
  const auto packed = operators.send(request("GET", "/metrics/", "Accept-Encoding: gzip\r\n")).next();
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_NE(test::unpacked(packed.body).find("credence_"), std::string::npos);
}

} // namespace
} // namespace credence::http
