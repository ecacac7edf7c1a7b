#include "ops/standby.hpp"
#include "tests/http/server/small_server.hpp"

#include <atomic>
#include <string>

namespace credence::http {
namespace {

/// What the front answers by itself: health and metrics.
class BuiltIn : public test::small_server {};
using test::request;
using test::wire;

TEST_F(BuiltIn, LivezNamesWhatStandsStill) {
  std::atomic<bool> still{false};
  standing_still = [&] { return still ? std::string{"writer,io_thread_0"} : std::string{}; };
  start();
  wire operators{running().operator_port()};
  EXPECT_EQ(get("/livez").status, 200);
  still = true;
  EXPECT_EQ(get("/livez").status, 503);
  const auto came = operators.send(request("GET", "/livez")).next();
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.body, R"({"ok":false,"standingStill":"writer,io_thread_0"})");
  still = false;
}

TEST_F(BuiltIn, SaysWhatIsNotReady) {
  bool loaded = false;
  readiness = {{"store", [] { return true; }}, {"people", [&loaded] { return loaded; }}};
  start();
  EXPECT_EQ(get("/livez").body, R"({"ok":true})");
  const auto early = get("/readyz");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.body, R"({"ok":false,"checks":{"people":false}})");
  loaded = true;
  EXPECT_EQ(get("/readyz").body, R"({"ok":true})");
  wire operators{running().operator_port()};
  EXPECT_EQ(operators.send(request("GET", "/readyz?verbose")).next().body,
            R"({"ok":true,"checks":{"store":true,"people":true,"accepting":true}})");
}

TEST_F(BuiltIn, RefusesEverythingButHealthAndMetricsWhileItIsAStandby) {
  readiness = {{"store", [] { return false; }}};
  start();
  ops::the_standby().wait_for({"credence-1@east", std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}, true});
  wire operators{running().operator_port()};
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/readyz").body, R"({"ok":false,"reason":"standby","checks":{"store":false}})");
  EXPECT_EQ(
    operators.send(request("GET", "/readyz?verbose")).next().body,
    R"({"ok":false,"reason":"standby","able":true,"owner":"credence-1@east","leaseUntil":"2026-05-01T00:00:00.000Z",)"
    R"("checks":{"store":false,"accepting":true}})");
  EXPECT_EQ(operators.send(request("GET", "/metrics")).next().status, 200);
  EXPECT_EQ(operators.send(request("GET", "/wallets/signing")).next().status, 503);
  for (const auto* path : {"/api/v2/hello/you", "/nowhere"}) {
    const auto came = get(path);
    EXPECT_EQ(came.status, 503) << path;
    EXPECT_NE(came.body.find(R"("code":"STANDBY")"), std::string::npos) << came.body;
    EXPECT_EQ(came.header("retry-after"), "1");
  }
  ops::the_standby().end();
  EXPECT_EQ(get("/api/v2/hello/you").status, 200);
}

TEST_F(BuiltIn, ShowsMetricsToOperatorsOnly) {
  start();
  get("/api/v2/hello/secret-name");
  EXPECT_EQ(get("/metrics").status, 404);
  wire operators{running().operator_port()};
  const auto came = operators.send(request("GET", "/metrics", "Accept: text/plain\r\n")).next();
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(came.body.find("route=\"/api/v2/hello\""), std::string::npos);
  EXPECT_EQ(came.body.find("secret-name"), std::string::npos) << "templates, never targets";
  EXPECT_EQ(operators.send(request("GET", "/livez")).next().status, 200);
  EXPECT_EQ(operators.send(request("GET", "/api/v2/hello/you")).next().status, 404);
}

TEST_F(BuiltIn, AnswersOperatorsWhoCallItByItsOwnName) {
  how.operator_hosts = {"credence-1.example.org"};
  start();
  const auto by = [&](const std::string& host, const std::string& target = "/metrics") {
    test::wire operators{running().operator_port()};
    return operators.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").next().status;
  };
  for (const auto* own :
       {"localhost", "LOCALHOST:9464", "127.0.0.1", "10.0.0.7:9464", "[::1]:9464", "credence-1.example.org:9464"})
    EXPECT_EQ(by(own), 200) << own;
  for (const auto* other : {"evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(by(other), 421) << other;
    EXPECT_EQ(by(other, "/readyz?verbose"), 421) << other;
  }
  EXPECT_EQ(get("/livez", "").status, 200);
}

} // namespace
} // namespace credence::http
