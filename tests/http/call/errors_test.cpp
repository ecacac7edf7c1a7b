#include "http/call/coroutine.hpp"
#include "http/call/errors.hpp"
#include "http/call/media.hpp"
#include "tests/http/server/small_server.hpp"

namespace credence::http {
namespace {

std::string written(error_shape shape, std::string_view message, std::vector<std::string> issues = {}) {
  std::string out;
  write_error(out, shape, "BAD_REQUEST", message, issues);
  return out;
}

TEST(Errors, TakeTheShapeOfThePathsVersion) {
  for (const auto* v1 : {"/api/v1", "/api/v1/", "/api/v1/a/b"})
    EXPECT_EQ(shape_for(v1), error_shape::v1) << v1;
  for (const auto* v2 : {"", "/", "/api/v2/a", "/api/v10", "/api/v1x", "/x/api/v1"})
    EXPECT_EQ(shape_for(v2), error_shape::v2) << v2;
}

TEST(Errors, AreWrittenInBothShapes) {
  EXPECT_EQ(written(error_shape::v2, "no"), R"({"message":"no","code":"BAD_REQUEST"})");
  EXPECT_EQ(written(error_shape::v2, "no", {"a", "b"}),
            R"({"message":"no","code":"BAD_REQUEST","issues":[{"message":"a"},{"message":"b"}]})");
  EXPECT_EQ(
    written(error_shape::v1, "no",
            {"limit must be less", "each item of profileIds must be more", "source.type is required", "a mess"}),
    R"({"ok":false,"error":{"code":"VALIDATION_ERROR","message":"no","fields":[)"
    R"({"code":"custom","message":"limit must be less","path":["limit"]},)"
    R"({"code":"custom","message":"each item of profileIds must be more","path":["profileIds"]},)"
    R"({"code":"custom","message":"source.type is required","path":["source","type"]},)"
    R"({"code":"custom","message":"a mess","path":[]}]}})");
  EXPECT_EQ(written(error_shape::v1, "author: a userkey must be more"),
            R"({"ok":false,"error":{"code":"VALIDATION_ERROR","message":"author: a userkey must be more","fields":[)"
            R"({"code":"custom","message":"author: a userkey must be more","path":["author"]}]}})");
}

TEST(Errors, HaveTheCodesOfTheirVersion) {
  const auto in_v1 = [](std::string_view code) {
    std::string out;
    write_error(out, error_shape::v1, code, "no");
    return out;
  };
  EXPECT_EQ(fault_code(error_shape::v1), "PROCESSING_ERROR");
  EXPECT_EQ(fault_code(error_shape::v2), "INTERNAL_SERVER_ERROR");
  for (const std::string same : {"UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "RATE_LIMITED", "SERVICE_UNAVAILABLE"})
    EXPECT_EQ(in_v1(same), R"({"ok":false,"error":{"code":")" + same + R"(","message":"no"}})");
}

TEST(Errors, EscapeWhatClientsSent) {
  EXPECT_EQ(written(error_shape::v2, "a\"b\\c\n\x01é"),
            "{\"message\":\"a\\\"b\\\\c\\u000a\\u0001é\",\"code\":\"BAD_REQUEST\"}");
}

TEST(Errors, HaveTheStatusOfTheSpec) {
  EXPECT_EQ(kind_of(refusal_code::already_voted).status, 400u);
  EXPECT_EQ(kind_of(refusal_code::already_voted).code, "ALREADY_VOTED");
  EXPECT_EQ(kind_of(refusal_code::unauthenticated).status, 401u);
  EXPECT_EQ(kind_of(refusal_code::forbidden).code, "FORBIDDEN");
  EXPECT_EQ(kind_of(refusal_code::project_not_found).status, 404u);
  EXPECT_EQ(kind_of(failure::too_many).status, 429u);
  EXPECT_EQ(kind_of(failure::too_many).code, "RATE_LIMITED");
  EXPECT_EQ(kind_of(failure::refused).status, 409u);
  EXPECT_EQ(kind_of(failure::refused).code, "CHANGE_NOT_WRITTEN");
  for (const auto why : {failure::unavailable, failure::timed_out, failure::overloaded, failure::stranded}) {
    EXPECT_EQ(kind_of(why).status, 503u);
    EXPECT_EQ(kind_of(why).code, "SERVICE_UNAVAILABLE");
    for (const bool only_read : {false, true})
      EXPECT_FALSE(message_of(why, only_read).empty());
  }
  for (const auto why : {failure::timed_out, failure::stranded}) {
    EXPECT_NE(message_of(why, false).find("the outcome is unknown"), std::string_view::npos)
      << "whether it was written";
    EXPECT_EQ(message_of(why, true).find("outcome"), std::string_view::npos) << "a read has none";
  }
}

TEST(Errors, HaveAReasonPhraseForEveryStatusInUse) {
  for (const unsigned status :
       {200, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 417, 422, 429, 431, 500, 501, 503, 505})
    EXPECT_NE(reason_phrase(status), "Unknown") << status;
}

TEST(Media, AcceptsJsonUnlessTheClientExcludesIt) {
  for (const auto* yes : {"", "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "APPLICATION/JSON",
                          "application/json;q=0.001", "text/html,application/json;charset=utf-8",
                          "*/*;q=0, application/json", " , application/json ,", "application/*;q=0, application/json"})
    EXPECT_TRUE(accepts_json(yes)) << yes;
  for (const auto* no : {"text/html", "application/xml", "application/json;q=0", "application/json; q=0.000, */*",
                         "*/*;q=0", "application/*;q=0, */*", "application/jsonx", "text/*", "json"})
    EXPECT_FALSE(accepts_json(no)) << no;
}

TEST(Media, KnowsJsonWithAnyParameters) {
  for (const auto* yes :
       {"application/json", "application/json; charset=utf-8", "Application/JSON", "application/json ;x"})
    EXPECT_TRUE(is_json(yes)) << yes;
  for (const auto* no : {"", "text/plain", "application/json2", "application/problem+json",
                         "application/x-www-form-urlencoded", "text/json", "application / json"})
    EXPECT_FALSE(is_json(no)) << no;
}

TEST(Media, GzipIsSentToThoseWhoTakeIt) {
  for (const auto* yes : {"gzip", "deflate, gzip;q=0.5", "GZIP", "x-gzip", "br,\tgzip", "gzip ;q=1", "*",
                          "gzip;q=0.001", "identity;q=0, gzip", "identity;q=0.5, gzip;q=0.5", "identity, *"})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (const auto* no : {"", "br", "gzip;q=0", "gzip;q=0.0", "gzip; q=0.000", "*;q=0", "*, gzip;q=0", "gzipx",
                         "identity, gzip;q=0.5", "gzip;q=2", "gzip;q=1.001", "gzip;q=x", "gzip;q=0.0001"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}

TEST(Media, ATagIsFoundInAListWhetherWeakOrStrong) {
  for (const auto* yes : {"*", "\"a\"", "W/\"a\"", "\"b\", \"a\"", " W/\"b\" ,W/\"a\" "}) {
    EXPECT_TRUE(lists_etag(yes, "\"a\"")) << yes;
    EXPECT_TRUE(lists_etag(yes, "W/\"a\"")) << yes;
  }
  for (const auto* no : {"", "a", "\"ab\"", "\"b\"", "\"x\"a\""})
    EXPECT_FALSE(lists_etag(no, "\"a\"")) << no;
}

constexpr asker caller{asker_rank::known, 1};
constexpr asker other{asker_rank::known, 2};

TEST(CallerGate, NobodyTakesMoreThanTheirShareOfThePlaces) {
  const auto gate = std::make_shared<caller_gate>(5, 2);
  std::vector<caller_place> held;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(held.emplace_back(gate, caller));
  EXPECT_FALSE(caller_place(gate, caller));
  EXPECT_TRUE(held.emplace_back(gate, other)) << "somebody else has places left";
  held.front() = {};
  EXPECT_TRUE(held.emplace_back(gate, caller)) << "a place that was given back is taken again";
  EXPECT_FALSE(caller_place(gate, caller));
}

TEST(CallerGate, HasSoManyPlacesForAll) {
  const auto gate = std::make_shared<caller_gate>(3, 2);
  const caller_place first{gate, caller}, second{gate, caller};
  std::optional<caller_place> third{std::in_place, gate, other};
  EXPECT_TRUE(*third);
  EXPECT_FALSE(caller_place(gate, other)) << "all are taken";
  third.reset();
  EXPECT_TRUE(caller_place(gate, other));
}

/// Handlers that ask one actor after the other.
struct Coroutine : test::small_server {
  static void TearDownTestSuite() { EXPECT_EQ(handlers_under_way(), 0) << "a handler has outlived its server"; }
};
using test::request;
using test::wire;

TEST_F(Coroutine, GoesOnWithOneAnswerAfterTheOther) {
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
  const auto came = get("/api/v2/ask/refuse/hold");
  EXPECT_EQ(came.status, 400);
  EXPECT_EQ(came.body, R"({"message":"once is enough","code":"ALREADY_VOTED"})");
  EXPECT_EQ(handlers_under_way(), 0);
  EXPECT_EQ(get("/api/v2/ask/now/refuse").body, R"({"said":"now and no, once is enough"})") << "which this one takes";
}

TEST_F(Coroutine, EndsWithAFailureInEitherForm) {
  EXPECT_EQ(get("/api/v2/ask/fail/now").status, 429);
  EXPECT_EQ(get("/api/v2/ask/now/fail").status, 429);
  EXPECT_EQ(get("/api/v2/ask/drop/now").status, 503);
  EXPECT_EQ(get("/api/v2/ask/now/drop").status, 503);
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, GoesOnWithoutAnAnswerWhereItOnlyTries) {
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
  const auto came = get("/api/v2/try/now/now");
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.body, R"({"said":"nothing and nothing"})");
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, EndsWhereThereIsNoPlaceForItsQuestion) {
  actors.all_questions = std::make_shared<gate>(0);
  const auto came = get("/api/v2/ask/now/now");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_EQ(handlers_under_way(), 0);
}

TEST_F(Coroutine, NeverGoesOnAfterTheDeadline) {
  how.answer_timeout = std::chrono::seconds{2}; // well enough for the second one
  wire one{port()};
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/hold/throw")).next().status, 503);
  EXPECT_EQ(handlers_under_way(), 0);
  wait_for_held(1);
  release(); // the answer comes too late
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/now/now")).next().body, R"({"said":"now and now"})");
}

TEST_F(Coroutine, MayThrowBeforeAndAfterAnAnswer) {
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
  wire busy{port()};
  busy.send(request("GET", "/api/v2/ask/hold/now"));
  wait_for_held(1);
  running().stop();
}

} // namespace
} // namespace credence::http
