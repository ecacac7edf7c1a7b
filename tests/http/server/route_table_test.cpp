#include "http/routes.hpp"
#include "http/server/route_table.hpp"
#include "ops/standby.hpp"
#include "tests/http/server/small_server.hpp"

#include <set>

namespace credence::http {
namespace {

void nothing(call&) {}

constexpr route table[]{
  {method::get, "/projects/{id}/votes", access::open, scope::none, nothing},
  {method::post, "/projects/{id}/votes", access::bearer, scope::none, nothing},
  {method::get, "/projects/votes/balance", access::bearer, scope::none, nothing},
  {method::get, "/projects/{id}/{part}", access::open, scope::none, nothing},
  {method::get, "/projects/username/{name}", access::open, scope::none, nothing},
  {method::del, "/things", access::admin, scope::none, nothing},
};

struct RouteTableTest : testing::Test {
  const route_table::match& find(std::string_view path) {
    routes_.find(path, found_);
    return found_;
  }
  std::string get(std::string_view path) {
    const auto* entry = find(path).found ? found_.by_method[0] : nullptr;
    return entry ? std::string{entry->route->path} : "none";
  }
  route_table routes_{table};
  route_table::match found_;
};

TEST_F(RouteTableTest, PrefersLiteralSegments) {
  EXPECT_EQ(get("/projects/7/votes"), "/projects/{id}/votes");
  EXPECT_EQ(get("/projects/votes/balance"), "/projects/votes/balance");
  EXPECT_EQ(get("/projects/7/balance"), "/projects/{id}/{part}");
}

TEST_F(RouteTableTest, GivesThePartsStillEncoded) {
  find("/projects/a%2Fb/x");
  ASSERT_EQ(found_.parts.size(), 2u);
  EXPECT_EQ(found_.parts[0], (std::pair<std::string_view, std::string_view>{"id", "a%2Fb"}));
  EXPECT_EQ(found_.parts[1].first, "part");
  find("/projects/votes/balance");
  EXPECT_TRUE(found_.parts.empty());
}

TEST_F(RouteTableTest, MatchesWholePathsOnly) {
  for (const auto* path : {"/", "//", "/projects", "/projects/", "/projects/7", "/projects//votes",
                           "/projects/7/votes/", "/projects/7/votes/x", "/Things", "/things/"})
    EXPECT_FALSE(find(path).found) << path;
}

/// A part that is first taken for a literal one is taken for a name where the path goes on otherwise.
TEST_F(RouteTableTest, GoesBackWhereALiteralSegmentLeadsNowhere) {
  EXPECT_EQ(get("/projects/votes/votes"), "/projects/{id}/votes");
  EXPECT_EQ(found_.parts.at(0).second, "votes");
  EXPECT_EQ(get("/projects/votes/x"), "/projects/{id}/{part}");
  EXPECT_EQ(found_.parts.size(), 2u);
}

/// Of two forms that both fit: a project of the user `votes`, not the votes of a project `username`.
TEST_F(RouteTableTest, PrefersTheOneThatIsLiteralFirst) {
  EXPECT_EQ(get("/projects/username/votes"), "/projects/username/{name}");
  EXPECT_EQ(get("/projects/7/votes"), "/projects/{id}/votes");
}

TEST_F(RouteTableTest, RefusesOneFormWithTwoNamesAndARouteTwice) {
  static constexpr route twice[]{{method::get, "/projects/{id}", access::open, scope::none, nothing},
                                 {method::post, "/projects/{projectId}", access::bearer, scope::none, nothing}};
  EXPECT_THROW(route_table{twice}, std::invalid_argument);
  static constexpr route again[]{{method::get, "/projects/{id}", access::open, scope::none, nothing},
                                 {method::get, "/projects/{id}", access::bearer, scope::none, nothing}};
  EXPECT_THROW(route_table{again}, std::invalid_argument);
}

TEST_F(RouteTableTest, ListsTheMethodsOfAPath) {
  EXPECT_EQ(find("/projects/7/votes").allow(), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(find("/things").allow(), "DELETE, OPTIONS");
}

constexpr route deprecated_routes[]{
  {method::get, "/api/v2/things", access::open, scope::none, nothing},
  {method::post, "/api/v2/things/{id}", access::bearer, scope::none, nothing, needs::data, quota_class::derived,
   "2026-10-01 2027-04-01 https://example.org/why"},
  {.verb = method::get,
   .path = "/api/v1/old/{id}",
   .who = access::open,
   .may = scope::none,
   .run = nothing,
   .deprecated = "2025-08-08",
   .successor = "GET /api/v2/things/{id}/{name}"},
};

TEST(Deprecations, TellsSinceWhenAndUntilWhen) {
  std::string why;
  EXPECT_EQ(parse_deprecation("2026-10-01", why)->head(), "Deprecation: @1790812800\r\n");
  EXPECT_EQ(parse_deprecation("2026-10-01 2027-04-01", why)->head(),
            "Deprecation: @1790812800\r\nSunset: Thu, 01 Apr 2027 00:00:00 GMT\r\n");
  EXPECT_EQ(parse_deprecation(" 2026-10-01  https://example.org/a?b ", why)->head(),
            "Deprecation: @1790812800\r\nLink: <https://example.org/a?b>; rel=\"deprecation\"\r\n");
}

TEST(Deprecations, SaysWhatIsWrongWithALine) {
  const std::vector<std::string> listed{
    "GET /api/v2/thing 2026-10-01",
    "get /api/v2/things 2026-10-01",
    "GET /api/v2/things",
    "GET /api/v2/things 2026-02-30",
    "GET /api/v2/things 2026-10-01 2026-09-30",
    "GET /api/v2/things 2026-10-01 ftp://example.org",
    "GET /api/v2/things 2026-10-01 2027-04-01 https://example.org more",
    "GET /api/v2/things 2026-10-01 https://example.org/<>",
    "",
    "GET /api/v2/things 2026-10-01 2026-10-01 http://example.org",
  };
  const auto mistakes = deprecation_mistakes(listed, deprecated_routes);
  ASSERT_EQ(mistakes.size(), 9u);
  EXPECT_EQ(mistakes[0], "'GET /api/v2/thing 2026-10-01' names no endpoint; did you mean GET /api/v2/things?");
  EXPECT_NE(mistakes[2].find("a day such as"), std::string::npos);
  EXPECT_NE(mistakes[4].find("sunset comes before"), std::string::npos);
  EXPECT_THROW((route_table{deprecated_routes, listed}), std::invalid_argument);
}

TEST(Deprecations, FindsWhatIsKnownOfARoute) {
  const std::vector<std::string> listed{"GET /api/v2/things 2026-01-01"};
  EXPECT_FALSE(deprecation_of(deprecated_routes[0], {}));
  EXPECT_EQ(deprecation_of(deprecated_routes[0], listed)->head(), "Deprecation: @1767225600\r\n");
  EXPECT_EQ(deprecation_of(deprecated_routes[1], listed)->link, "https://example.org/why");
  EXPECT_EQ(deprecation_of(deprecated_routes[2], {})->head(), "Deprecation: @1754611200\r\n");
  const std::vector<std::string> later{"POST /api/v2/things/{id} 2026-01-01",
                                       "GET /api/v1/old/{id} 2026-02-01 2026-12-01"};
  EXPECT_EQ(deprecation_of(deprecated_routes[1], later)->link, "") << "a setting wins over the table";
  EXPECT_TRUE(deprecation_of(deprecated_routes[2], later)->sunset);
}

TEST(Deprecations, LinkToTheSuccessorWithWhatThePathHasInItsPlaces) {
  route_table::match found;
  route_table{deprecated_routes}.find("/api/v1/old/a%2Fb", found);
  EXPECT_EQ(found.link_to_successor(deprecated_routes[2]),
            R"(Link: </api/v2/things/a%2Fb/{name}>; rel="successor-version")");
}

/// All of version 1, and nothing else; each leads to a route that stays, and whose places its own path fills.
TEST(Deprecations, NameASuccessorThatIsThere) {
  std::set<std::string> stay;
  for (const auto& each : routes())
    if (each.deprecated.empty())
      stay.insert(std::string{name_of(each.verb)} + " " + std::string{each.path});
  std::size_t gone = 0;
  for (const auto& each : routes()) {
    EXPECT_EQ(each.path.starts_with("/api/v1/"), !each.deprecated.empty()) << each.path;
    if (each.deprecated.empty())
      continue;
    ++gone;
    EXPECT_TRUE(stay.contains(std::string{each.successor})) << each.path << " is not succeeded by " << each.successor;
    std::string why;
    EXPECT_TRUE(parse_deprecation(each.deprecated, why)->sunset) << each.path;
    route_table::match found;
    route_table{routes()}.find(each.path, found);
    EXPECT_EQ(found.link_to_successor(each), "Link: <" + std::string{each.successor.substr(each.successor.find('/'))}
                                               + ">; rel=\"successor-version\"");
  }
  EXPECT_EQ(gone, 38u);
}

TEST(Deprecations, AreWellFormedInTheTableOfTheService) {
  for (const auto& each : routes()) {
    std::string why;
    EXPECT_TRUE(each.deprecated.empty() || parse_deprecation(each.deprecated, why)) << each.path << ": " << why;
  }
}

/// What the front answers by itself: health and metrics.
class BuiltIn : public test::small_server {};
using test::request;
using test::wire;

TEST_F(BuiltIn, LivezNamesWhatStandsStill) {
  std::atomic<bool> still{false};
  standing_still = [&] { return still ? std::string{"writer,io_thread_0"} : std::string{}; };
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
  EXPECT_EQ(get("/livez").body, R"({"ok":true})");
  const auto early = get("/readyz");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.body, R"({"ok":false,"checks":{"people":false}})");
  loaded = true;
  EXPECT_EQ(get("/readyz").body, R"({"ok":true})");
  wire operators{running().operator_port()};
  const auto told = [&](const std::string& query) { return operators.send(request("GET", "/readyz?" + query)).next(); };
  for (const auto* all : {"verbose", "verbose=true", "pretty=1&verbose"})
    EXPECT_EQ(told(all).body, R"({"ok":true,"checks":{"store":true,"people":true,"accepting":true}})") << all;
  for (const auto* failed : {"verbose=false", "verbosely", "pretty=1"})
    EXPECT_EQ(told(failed).body, R"({"ok":true})") << failed;
  for (const auto* nonsense : {"verbose=no", "verbose=1", "verbose=true&verbose=false", "verbose=%"})
    EXPECT_EQ(told(nonsense).status, 400) << nonsense;
  EXPECT_EQ(get("/readyz?verbose=no").body, R"({"ok":true})") << "who asks here is not told more";
}

TEST_F(BuiltIn, RefusesEverythingButHealthAndMetricsWhileItIsAStandby) {
  readiness = {{"store", [] { return false; }}};
  running();
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
