#include "http/server/server.hpp"

#include "tests/http/server/small_server.hpp"

#include <set>

namespace credence::http {
namespace {

class ServerTest : public test::small_server {};
using test::request;
using test::wire;

// -- requests and answers --------------------------------------------------------------------

TEST_F(ServerTest, AnswersWithTheHeadersEveryAnswerHas) {
  const auto came = get("/api/v2/hello/you");
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.body, R"({"said":"you"})");
  EXPECT_EQ(came.header("content-type"), "application/json");
  EXPECT_EQ(came.header("content-length"), "14");
  EXPECT_EQ(came.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(came.header("access-control-allow-origin"), "*");
  EXPECT_EQ(came.header("access-control-expose-headers"),
            "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, Link, Idempotency-Replayed");
  EXPECT_EQ(came.header("date").size(), std::string{"Sun, 06 Nov 1994 08:49:37 GMT"}.size());
  EXPECT_FALSE(came.header("x-request-id").empty());
  EXPECT_FALSE(came.has("server")) << "no version banner";
  EXPECT_EQ(came.header("connection"), "keep-alive");
  EXPECT_EQ(came.header("keep-alive"), "timeout=80") << "longer than proxies keep a connection";
  EXPECT_EQ(came.header("vary"), "Origin, Accept-Encoding");
  EXPECT_FALSE(came.has("cache-control"));
}

TEST_F(ServerTest, ServesManyRequestsOnOneConnection) {
  wire one{port()};
  for (int i = 0; i < 100; ++i) {
    const auto name = std::to_string(i);
    EXPECT_EQ(one.send(request("GET", "/api/v2/hello/" + name)).next().body, R"({"said":")" + name + "\"}");
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInTheirOrder) {
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += request("GET", i % 3 == 0 ? "/api/v2/ask/now" : "/api/v2/hello/" + std::to_string(i));
  wire one{port()};
  one.send(many).end_of_input();
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(one.next().body, R"({"said":")" + (i % 3 == 0 ? "now" : std::to_string(i)) + "\"}") << i;
  EXPECT_TRUE(one.ended());
}

TEST_F(ServerTest, SkipsEmptyLinesBeforeARequest) {
  wire one{port()};
  EXPECT_EQ(one.send("\r\n\r\n" + request("GET", "/api/v2/hello/a")).next().status, 200);
  EXPECT_EQ(one.send("\r").send("\n").send(request("GET", "/api/v2/hello/a")).next().status, 200);
}

TEST_F(ServerTest, AnswersHeadLikeGetWithoutTheBody) {
  wire one{port()};
  const auto came = one.send(request("HEAD", "/api/v2/hello/you")).next(true);
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.header("content-length"), "14");
  EXPECT_EQ(one.send(request("HEAD", "/api/v2/nothing")).next(true).status, 404);
  EXPECT_EQ(one.send(request("GET", "/api/v2/hello/you")).next().body, R"({"said":"you"})") << "no body between";
}

TEST_F(ServerTest, DecodesPathAndQuery) {
  EXPECT_EQ(get("/api/v2/hello/caf%C3%A9%2Fbar?times=a+b%2Bc").body, "{\"said\":\"café/bar xa b+c\"}");
  EXPECT_EQ(get("/api/v2/hello/nobody").body, R"({"said":"literal"})");
  EXPECT_EQ(get("http://localhost/api/v2/hello/x").body, R"({"said":"x"})");
}

TEST_F(ServerTest, RefusesParametersOfReadsThatAreNotDescribed) {
  const auto refused = get("/api/v2/hello/you?other=1&times=2&tim=3&other=4&none=");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(
    refused.body.find(R"("issues":[{"message":"other is not known here"},{"message":"tim is not known here"}])"),
    std::string::npos)
    << refused.body;
  EXPECT_EQ(get("/api/v2/hello/you?none=&times=2").status, 200) << "one without a value is absent";
  EXPECT_EQ(get("/api/v2/hello/you?times=2&_=1772355600000").status, 200) << "a script does not want a cached answer";
  EXPECT_EQ(get("/api/v2/hello/you?times[]=2").status, 400) << "it is no list";
  std::string many = "/api/v2/hello/you?a0=1";
  for (int i = 1; i < 30; ++i)
    many += "&a" + std::to_string(i) + "=1";
  EXPECT_EQ(get(many).body.find("a10 is not"), std::string::npos) << "ten are told";
}

TEST_F(ServerTest, TellsAllMistakesInPlaceOfWhateverAHandlerAnswers) {
  wire one{port()};
  const auto wrong = one.send(request("GET", "/api/v2/page/none?times=often")).next();
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.header("content-type"), "application/json");
  EXPECT_NE(wrong.body.find(R"("code":"BAD_REQUEST","issues":[{"message":"id must be)"), std::string::npos)
    << wrong.body;
  EXPECT_NE(wrong.body.find(R"({"message":"times must be)"), std::string::npos) << wrong.body;
  const auto right = one.send(request("GET", "/api/v2/page/7?times=2")).next();
  EXPECT_EQ(right.status, 200) << "mistakes are those of one request";
  EXPECT_EQ(right.header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(right.body, "page 7 x2");
}

TEST_F(ServerTest, SendsLargeAnswersWhole) {
  const auto came = get("/api/v2/large");
  EXPECT_EQ(came.body, std::string(8u << 20, 'x'));
}

TEST_F(ServerTest, ContinuesWhenTheClientWaitsForThat) {
  wire one{port()};
  one.send("POST /api/v2/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
           "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(one.next().status, 100);
  EXPECT_EQ(one.send("{}").next().body, "{}");
}

TEST_F(ServerTest, KeepsOrClosesTheConnectionAsAsked) {
  wire closing{port()};
  EXPECT_EQ(closing.send(request("GET", "/api/v2/hello/a", "Connection: close\r\n")).next().header("connection"),
            "close");
  EXPECT_TRUE(closing.ended());
  wire old{port()};
  EXPECT_EQ(old.send("GET /api/v2/hello/a HTTP/1.0\r\n\r\n").next().header("connection"), "close");
  EXPECT_TRUE(old.ended());
  wire kept{port()};
  const std::string keep = "GET /api/v2/hello/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(kept.send(keep).next().header("connection"), "keep-alive");
  EXPECT_EQ(kept.send(keep).next().status, 200);
}

TEST_F(ServerTest, ClosesAfterTheConfiguredNumberOfRequests) {
  how.requests_per_connection_max = 2;
  wire one{port()};
  EXPECT_EQ(one.send(request("GET", "/api/v2/hello/a")).next().header("connection"), "keep-alive");
  const auto last = one.send(request("GET", "/api/v2/hello/a")).next();
  EXPECT_EQ(last.header("connection"), "close");
  EXPECT_FALSE(last.has("keep-alive"));
  EXPECT_TRUE(one.ended());
}

// -- request ids -----------------------------------------------------------------------------

TEST_F(ServerTest, EchoesAGoodRequestIdAndReplacesABadOne) {
  EXPECT_EQ(get("/api/v2/hello/a", "X-Request-Id: my-id_1.2\r\n").header("x-request-id"), "my-id_1.2");
  EXPECT_EQ(get("/api/v2/nothing", "x-request-id: abc\r\n").header("x-request-id"), "abc");
  const std::string long_id(129, 'a');
  std::set<std::string> made;
  for (const std::string bad : {"", "has space", "quote\"", long_id.c_str(), "umlaut\xC3\xA4"})
    made.insert(get("/api/v2/hello/a", "X-Request-Id: " + bad + "\r\n").header("x-request-id"));
  EXPECT_EQ(made.size(), 5u) << "every request has an id of its own";
  EXPECT_FALSE(made.contains(""));
  EXPECT_FALSE(made.contains(long_id));
}

// -- errors of the front ---------------------------------------------------------------------

TEST_F(ServerTest, SaysWhatAPathTakes) {
  const auto came = ask(request("DELETE", "/api/v2/mine"));
  EXPECT_EQ(came.status, 405);
  EXPECT_EQ(came.header("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_NE(came.body.find(R"("code":"METHOD_NOT_ALLOWED")"), std::string::npos);
  EXPECT_EQ(get("/api/v2/echo").header("allow"), "POST, OPTIONS");
  EXPECT_EQ(ask(request("POST", "/livez")).status, 405);
}

TEST_F(ServerTest, ShapesErrorsAsThePathsVersionDoes) {
  EXPECT_EQ(get("/api/v2/nothing").body, R"({"message":"there is nothing at '/api/v2/nothing'","code":"NOT_FOUND"})");
  EXPECT_EQ(get("/api/v1/nothing?x=1").body,
            R"({"ok":false,"error":{"code":"NOT_FOUND","message":"there is nothing at '/api/v1/nothing'"}})");
  EXPECT_EQ(get("/nothing").body.substr(0, 10), R"({"message")");
  const auto framing = ask("GET /api/v1/old HTTP/1.1\r\n\r\n");
  EXPECT_EQ(framing.status, 400);
  EXPECT_EQ(framing.body, R"({"ok":false,"error":{"code":"VALIDATION_ERROR","message":"Host is missing",)"
                          R"("fields":[{"code":"custom","message":"Host is missing","path":["Host"]}]}})");
  EXPECT_EQ(get("/api/v1/old").body.substr(0, 30), R"({"ok":false,"error":{"code":"U)");
}

TEST_F(ServerTest, LetsErrorsBeReadFromOtherOrigins) {
  EXPECT_EQ(get("/api/v2/nothing").header("access-control-allow-origin"), "*");
  EXPECT_EQ(get("/api/v2/hello/%00").header("access-control-allow-origin"), "*");
  EXPECT_FALSE(get("/api/v2/mine").has("access-control-allow-origin"));
}

// -- callers ---------------------------------------------------------------------------------

TEST_F(ServerTest, KnowsTheCallerByTheToken) {
  const auto came = get("/api/v2/mine", "Authorization: Bearer seven\r\n");
  EXPECT_EQ(came.body, R"({"said":"7"})");
  EXPECT_EQ(came.header("cache-control"), "no-store");
  EXPECT_EQ(get("/api/v2/mine", "authorization: bEARER  seven\r\n").status, 200);
  EXPECT_EQ(get("/api/v2/hello/you", "Authorization: Bearer seven\r\n").body, R"({"said":"you from 7"})");
}

TEST_F(ServerTest, RefusesCallersItDoesNotKnow) {
  const auto none = get("/api/v2/mine");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.header("www-authenticate"), "Bearer");
  for (const auto* bad : {"Bearer wrong", "Bearer", "Bearer ", "seven", "Basic c2V2ZW46", "Bearer seven extra"}) {
    const auto line = "Authorization: " + std::string{bad} + "\r\n";
    EXPECT_EQ(get("/api/v2/mine", line).status, 401) << bad;
    EXPECT_EQ(get("/api/v2/personal", line).status, 401) << bad;
  }
  EXPECT_EQ(get("/api/v2/mine", "Authorization: Bearer seven\r\nAuthorization: Bearer admin\r\n").status, 401);
}

TEST_F(ServerTest, RefusesWritesAtOnceWhileTheStoreCannotWrite) {
  const auto write = request("POST", "/api/v2/mine", "Authorization: Bearer seven\r\n");
  EXPECT_EQ(ask(write).status, 200);
  storage.writable = false;
  const auto came = ask(write);
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_NE(came.body.find("SERVICE_UNAVAILABLE"), std::string::npos);
  EXPECT_EQ(get("/api/v2/mine", "Authorization: Bearer seven\r\n").status, 200) << "reads go on";
  storage.writable = true;
  EXPECT_EQ(ask(write).status, 200);
}

TEST_F(ServerTest, TellsNothingOnceItsDataMayBeSomebodyElses) {
  EXPECT_EQ(get("/api/v2/hello/you").status, 200);
  storage.owned_at_ns = (boot_now() - store_status::lease).count();
  const auto came = get("/api/v2/hello/you");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_NE(came.body.find("still its own"), std::string::npos) << came.body;
  EXPECT_EQ(get("/livez").status, 200);
  storage.owned_at_ns = boot_now().count();
  EXPECT_EQ(get("/api/v2/hello/you").status, 200);
  storage.superseded = true;
  EXPECT_EQ(get("/api/v2/hello/you").status, 503);
}

TEST_F(ServerTest, AnAnswerThatComesAfterTheLeaseIsNotTold) {
  wire read{port()};
  read.send(request("GET", "/api/v2/ask/hold"));
  wire write{port()};
  write.send(request("POST", "/api/v2/ask/hold"));
  wait_for_held(2);
  storage.owned_at_ns = (boot_now() - store_status::lease).count();
  release();
  EXPECT_EQ(read.next().status, 503);
  EXPECT_EQ(write.next().status, 200) << "what was written stays so";
}

TEST_F(ServerTest, RefusesWritesWhileTheClockIsWrong) {
  running();
  const auto write = request("POST", "/api/v2/mine", "Authorization: Bearer seven\r\n");
  storage.clock = clock_verdict::differs;
  storage.writable = false;
  const auto came = ask(write);
  EXPECT_EQ(came.status, 503);
  EXPECT_NE(came.body.find("clock"), std::string::npos) << came.body;
  EXPECT_EQ(get("/api/v2/mine", "Authorization: Bearer seven\r\n").status, 200);
}

// -- other origins ---------------------------------------------------------------------------

TEST_F(ServerTest, LetsOtherOriginsReadWhatAnybodyMayRead) {
  const auto came = ask(request("OPTIONS", "/api/v2/hello/you",
                                "Origin: https://example.org\r\nAccess-Control-Request-Method: GET\r\n"
                                "Access-Control-Request-Headers: x-service-client\r\n"));
  EXPECT_EQ(came.status, 204);
  EXPECT_EQ(came.header("access-control-allow-origin"), "*");
  EXPECT_EQ(came.header("access-control-allow-methods"), "GET, HEAD");
  EXPECT_NE(came.header("access-control-allow-headers").find("X-Service-Client"), std::string::npos);
  EXPECT_EQ(came.header("allow"), "GET, HEAD, OPTIONS");
  EXPECT_FALSE(came.has("content-length"));
  EXPECT_FALSE(came.has("access-control-allow-credentials"));
}

TEST_F(ServerTest, LetsPagesAddHeadersOfTheirTools) {
  const auto allowed = [this](const std::string& asked) {
    return ask(request(
                 "OPTIONS", "/api/v2/hello/you",
                 "Origin: https://example.org\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: "
                   + asked + "\r\n"))
      .header("access-control-allow-headers");
  };
  for (const auto* tools :
       {"sentry-trace,baggage", "traceparent, tracestate", "x-requested-with", "cache-control,x-service-client"})
    EXPECT_TRUE(allowed(tools).ends_with(std::string{", "} + tools)) << allowed(tools);
  for (const auto& strange : {std::string{"a:b"}, std::string{"(x)"}, std::string(2000, 'x')}) {
    EXPECT_NE(allowed(strange).find("X-Service-Client"), std::string::npos);
    EXPECT_EQ(allowed(strange).find(strange), std::string::npos);
  }
}

TEST_F(ServerTest, ASlashAtTheEndOfAPathMakesNoDifference) {
  EXPECT_EQ(get("/api/v2/hello/you/").body, R"({"said":"you"})");
  EXPECT_EQ(get("/api/v2/hello/you/?times=2").body, R"({"said":"you x2"})");
  const auto posted = ask(request("POST", "/api/v2/echo/", "Content-Type: application/json\r\n", "{}"));
  EXPECT_EQ(posted.status, 200) << "answered, not sent on: some clients do not repeat a body";
  EXPECT_EQ(posted.body, "{}");
  EXPECT_EQ(ask(request("OPTIONS", "/api/v2/echo/")).header("allow"), "POST, OPTIONS");
  EXPECT_EQ(get("/api/v2/hello/you//").status, 404);
  EXPECT_EQ(get("/api/v2/hello/").status, 404);
  EXPECT_EQ(get("/livez/").status, 200);
}

TEST_F(ServerTest, StopsOtherOriginsBeforeTheyWrite) {
  const auto came = ask(request("OPTIONS", "/api/v2/mine", "Access-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(came.status, 204);
  EXPECT_EQ(came.header("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_FALSE(came.has("access-control-allow-origin"));
  EXPECT_FALSE(came.has("access-control-allow-methods"));
  EXPECT_EQ(ask(request("OPTIONS", "*")).status, 204);
}

// -- beginning and end -----------------------------------------------------------------------

TEST_F(ServerTest, NamesTheAddressThatIsTaken) {
  how.port = port();
  services with;
  with.settings = how;
  with.actors = &actors;
  try {
    server second{std::move(with)};
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("127.0.0.1:" + std::to_string(how.port)), std::string::npos);
  }
}

TEST_F(ServerTest, AnswersWhatIsInFlightWhenItDrains) {
  wire busy{port()}, idle{port()};
  EXPECT_EQ(idle.send(request("GET", "/api/v2/hello/you")).next().status, 200);
  busy.send(request("GET", "/api/v2/ask/hold"));
  wait_for_held(1);
  EXPECT_FALSE(running().drain(std::chrono::milliseconds{50})) << "somebody still waits";
  EXPECT_TRUE(idle.ended());
  EXPECT_THROW(wire{port()}, std::runtime_error) << "no new connections";
  release();
  const auto came = busy.next();
  EXPECT_EQ(came.body, R"({"said":"hold"})");
  EXPECT_EQ(came.header("connection"), "close");
  EXPECT_TRUE(running().drain(std::chrono::seconds{60}));
}

TEST_F(ServerTest, StopsWithQuestionsOut) {
  wire busy{port()};
  busy.send(request("GET", "/api/v2/ask/hold"));
  wait_for_held(1);
  running().stop();
}

} // namespace
} // namespace credence::http
