#include "http/call/coroutine.hpp"

#include "tests/http/server/small_server.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace credence::http {
namespace {

/// Handlers that ask one actor after the other.
class Coroutine : public test::small_server {
protected:
  static void TearDownTestSuite() { EXPECT_EQ(handlers_under_way(), 0) << "a handler has outlived its server"; }
};
using test::request;
using test::wire;

TEST_F(Coroutine, GoesOnWithOneAnswerAfterTheOther) {
  start();
  EXPECT_EQ(get("/api/v2/ask/now/now").body, R"({"said":"now and now"})");
  for (const auto* path : {"/api/v2/ask/hold/now", "/api/v2/ask/now/hold"}) {
    wire one{port()};
    one.send(request("GET", path));
    wait_for_held(1);
    EXPECT_EQ(handlers_under_way(), 1);
    release();
    EXPECT_EQ(one.next().status, 200) << path;
    EXPECT_EQ(handlers_under_way(), 0);
    wait_for_held(0);
  }
}

TEST_F(Coroutine, EndsWithARefusalThatItsHandlerDoesNotTake) {
  start();
  const auto came = get("/api/v2/ask/refuse/hold");
  EXPECT_EQ(came.status, 400);
  EXPECT_EQ(came.body, R"({"message":"once is enough","code":"ALREADY_VOTED"})");
  EXPECT_EQ(handlers_under_way(), 0);
  EXPECT_EQ(get("/api/v2/ask/now/refuse").body, R"({"said":"now and no, once is enough"})") << "which this one takes";
}

TEST_F(Coroutine, EndsWithAFailureInEitherForm) {
  start();
  EXPECT_EQ(get("/api/v2/ask/fail/now").status, 429);
  EXPECT_EQ(get("/api/v2/ask/now/fail").status, 429);
  EXPECT_EQ(get("/api/v2/ask/drop/now").status, 503);
  EXPECT_EQ(get("/api/v2/ask/now/drop").status, 503);
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, GoesOnWithoutAnAnswerWhereItOnlyTries) {
  start();
  EXPECT_EQ(get("/api/v2/try/now/now").body, R"({"said":"now and now"})");
  EXPECT_EQ(get("/api/v2/try/refuse/now").body, R"({"said":"no, once is enough and now"})") << "it is told of refusals";
  EXPECT_EQ(get("/api/v2/try/now/refuse").body, R"({"said":"now and no, once is enough"})");
  for (const auto* fate : {"fail", "drop"}) {
    EXPECT_EQ(get(std::string{"/api/v2/try/"} + fate + "/now").body, R"({"said":"nothing and now"})") << fate;
    EXPECT_EQ(get(std::string{"/api/v2/try/now/"} + fate).body, R"({"said":"now and nothing"})") << fate;
  }
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, GoesOnWithoutAnAnswerWhereThereIsNoPlaceForAQuestionThatItOnlyTries) {
  actors.all_questions = std::make_shared<gate>(0);
  start();
  const auto came = get("/api/v2/try/now/now");
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.body, R"({"said":"nothing and nothing"})");
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, EndsWhereThereIsNoPlaceForItsQuestion) {
  actors.all_questions = std::make_shared<gate>(0);
  start();
  const auto came = get("/api/v2/ask/now/now");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, NeverGoesOnAfterTheDeadline) {
  how.answer_timeout = std::chrono::seconds{2}; // well enough for the second one
  start();
  wire one{port()};
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/hold/throw")).next().status, 503);
  EXPECT_EQ(handlers_under_way(), 0);
  wait_for_held(1);
  release(); // the answer comes too late
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/now/now")).next().body, R"({"said":"now and now"})");
}

TEST_F(Coroutine, MayThrowBeforeAndAfterAnAnswer) {
  start();
  for (const auto* path : {"/api/v2/ask/throw/now", "/api/v2/ask/now/throw"}) {
    wire one{port()};
    const auto came = one.send(request("GET", path)).next();
    EXPECT_EQ(came.status, 500) << path;
    EXPECT_EQ(came.body, R"({"message":"the request could not be handled","code":"INTERNAL_SERVER_ERROR"})");
    EXPECT_EQ(handlers_under_way(), 0) << path;
    EXPECT_EQ(one.send(request("GET", "/api/v2/ask/now/now")).next().status, 200) << path;
  }
}

TEST_F(Coroutine, EndsThoughItsClientHasLeft) {
  start();
  {
    wire gone{port()};
    gone.send(request("GET", "/api/v2/ask/hold/now"));
    wait_for_held(1);
  }
  release();
  wait_for_held(0);
  expect_alive();
}

TEST_F(Coroutine, EndsWithTheServerThatItWaitsIn) {
  start();
  wire busy{port()};
  busy.send(request("GET", "/api/v2/ask/hold/now"));
  wait_for_held(1);
  running().stop();
}

} // namespace
} // namespace credence::http
