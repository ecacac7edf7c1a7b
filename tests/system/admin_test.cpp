#include "auth/address.hpp"
#include "http/admin/routes.hpp"
#include "http/server/route_table.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

// The admin listener of the real executable: who comes in, and what they may do.

namespace credence::test {
namespace {

constexpr auto cookie_name = "__Host-credence-console";
const std::string api = "/admin/api/v1";

/// What a browser holds after it has signed in at the console.
struct console_session {
  std::string cookie, csrf, set_cookie;
};

struct Admin : api_tests {
  Admin() : api_tests(shared()) {}
  static service& shared() {
    return shared_service([](service& one) {
      link_wallet(one, operators_wallet, 3);
      link_wallet(one, strangers_wallet, 4);
      one.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5", "--http-admin-origins",
                 "https://ops.example.org"});
    });
  }

  std::string link_code(const std::string& role) const {
    const auto made = server.command({"console-link", "--role", role});
    const auto at = made.out.find("#link=");
    EXPECT_NE(at, std::string::npos) << made.out << made.err;
    return made.out.substr(at + 6, made.out.find('\n') - at - 6);
  }
  http_response use_link(const std::string& code) const {
    return console().post(api + "/sign-in/link", R"({"code":")" + code + "\"}");
  }
  console_session come_in(const std::string& role) const {
    const auto came = ok(use_link(link_code(role)));
    return {came.cookie(cookie_name), json_text(came.body, "/csrfToken"),
            came.cookies.empty() ? "" : came.cookies.front()};
  }
  http_response send(const console_session& as, const std::string& method, const std::string& path,
                     const std::string& body = {}, bool with_token = true) const {
    http_headers headers{{"Cookie", std::string{cookie_name} + "=" + as.cookie},
                         {"X-Request-Id", "act-" + std::to_string(++requests)}};
    if (with_token)
      headers.emplace_back("X-CSRF-Token", as.csrf);
    if (!body.empty())
      headers.emplace_back("Content-Type", "application/json");
    return console().send(method, api + path, headers, body);
  }
  /// What a message says instead of what the console asks for.
  struct instead {
    std::string statement, nonce;
  };
  std::string sign_in_body(const auth::wallet& by, const std::string& domain = {}, const instead& text = {}) const {
    const auto terms = console().get(api + "/sign-in").body;
    const auto host = domain.empty() ? json_text(terms, "/domain") : domain;
    const auto nonce = text.nonce.empty() ? json_text(terms, "/nonce") : text.nonce;
    const auto statement = text.statement.empty() ? json_text(terms, "/statement") : text.statement;
    const auto message = host + " wants you to sign in with your Ethereum account:\n"
                         + auth::checksummed_text(by.account()) + "\n\n" + statement + "\n\nURI: http://" + host
                         + "\nVersion: 1\nChain ID: " + std::to_string(json_number(terms, "/chainId"))
                         + "\nNonce: " + nonce + "\nIssued At: " + json_text(terms, "/issuedAt")
                         + "\nExpiration Time: " + json_text(terms, "/expirationTime");
    std::string escaped;
    for (const char c : message)
      escaped += c == '\n' ? std::string{"\\n"} : std::string{c};
    return R"({"message":")" + escaped + R"(","signature":")" + by.sign(message) + "\"}";
  }

  /// Of who signs in by a wallet.
  std::string sessions_cookie_of(const auth::wallet& by) const {
    return console().post(api + "/sign-in", sign_in_body(by)).cookie(cookie_name);
  }

  static inline const auth::wallet operators_wallet{"an operator"};
  static inline const auth::wallet strangers_wallet{"somebody without a role"};
  static inline int requests = 0;
};

TEST_F(Admin, IsNotThereForThePublic) {
  for (const auto* path :
       {"/admin", "/admin/", "/admin/api/v1/overview", "/admin/api/v1/sign-in", "/admin/api/v1/openapi.json"})
    EXPECT_EQ(server.client().get(path, server.token(1)).status, 404) << path;
  EXPECT_EQ(http_client{server.operator_port()}.get("/admin/api/v1/overview").status, 404);
}

TEST_F(Admin, LetsNobodyInWithoutACredential) {
  EXPECT_EQ(console().get(api + "/overview").status, 401);
  EXPECT_EQ(console().get(api + "/events?topics=overview").status, 401);
  EXPECT_EQ(console().get(api + "/overview", "no token").status, 401);
  EXPECT_EQ(console().get(api + "/overview", server.token(2)).status, 403) << "a profile without a role";
  EXPECT_EQ(console().get(api + "/nothing").status, 404);
}

TEST_F(Admin, AnswersOnlyToItsOwnNames) {
  EXPECT_EQ(console().raw("GET /admin/api/v1/sign-in HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
  EXPECT_EQ(console().raw("GET /admin/api/v1/sign-in HTTP/1.1\r\nHost: localhost:1\r\n\r\n").status, 200);
}

TEST_F(Admin, GuardsItsAnswers) {
  const auto page = console().get("/");
  EXPECT_TRUE(has(page.headers.at("content-security-policy"), "default-src 'none'"));
  EXPECT_EQ(page.headers.at("x-frame-options"), "DENY");
  const auto answer = console().get(api + "/sign-in");
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
}

TEST_F(Admin, ALinkSignsInOnce) {
  const auto code = link_code("viewer");
  EXPECT_TRUE(tells(ok(use_link(code)).body, "/role", "viewer"));
  EXPECT_EQ(use_link(code).status, 401);
  EXPECT_EQ(newest("console_sign_in", "after"), "role viewer");
}

TEST_F(Admin, ItsCookieStaysWithBrowserAndHost) {
  const auto session = come_in("viewer");
  for (const auto* part : {"; Path=/", "; HttpOnly", "; Secure", "; SameSite=Strict"})
    EXPECT_TRUE(has(session.set_cookie, part));
  EXPECT_FALSE(has(session.set_cookie, "Domain"));
}

TEST_F(Admin, AWriteWithACookieNeedsItsToken) {
  const auto session = come_in("operator");
  const std::string order = R"({"level":"debug","minutes":1})";
  EXPECT_EQ(send(session, "PUT", "/logs/level", order, false).status, 403);
  auto wrong = session;
  wrong.csrf = come_in("operator").csrf;
  EXPECT_EQ(send(wrong, "PUT", "/logs/level", order).status, 403) << "another session's";
  EXPECT_EQ(send(session, "PUT", "/logs/level", order).status, 200);
  EXPECT_EQ(send(session, "DELETE", "/logs/level").status, 200);
}

TEST_F(Admin, PagesOfOtherOriginsChangeNothing) {
  const auto session = come_in("operator");
  const std::string order = R"({"level":"debug","minutes":1})";
  const auto from = [&](const std::string& origin, const std::string& method, const std::string& path,
                        const std::string& body) {
    http_headers headers{
      {"Cookie", std::string{cookie_name} + "=" + session.cookie}, {"X-CSRF-Token", session.csrf}, {"Origin", origin}};
    if (!body.empty())
      headers.emplace_back("Content-Type", "application/json");
    return console().send(method, api + path, headers, body);
  };
  const auto port = std::to_string(server.admin_port());
  for (const auto& foreign :
       {std::string{"https://evil.example"}, std::string{"null"}, std::string{"http://localhost:1"},
        "https://127.0.0.1:" + port, "http://127.0.0.1:" + port + ".evil.example",
        std::string{"https://ops.example.org:8443"}}) {
    const auto refused = from(foreign, "PUT", "/logs/level", order);
    EXPECT_EQ(code(refused), "403 ORIGIN_NOT_ALLOWED") << foreign;
    EXPECT_EQ(json_text(from(foreign, "GET", "/events?topics=overview", "").body, "/code"), "ORIGIN_NOT_ALLOWED")
      << foreign;
    EXPECT_EQ(from(foreign, "GET", "/overview", "").status, 200) << "a read changes nothing: " << foreign;
  }
  EXPECT_EQ(json_text(send(session, "GET", "/logs/level").body, "/level"), "info") << "nothing was done";
  const auto by_token = console().send(
    "PUT", api + "/logs/level",
    with_json({{"Authorization", "Bearer " + server.token(1)}, {"Origin", "https://evil.example"}}), order);
  EXPECT_EQ(json_text(by_token.body, "/code"), "ORIGIN_NOT_ALLOWED") << by_token.body;
  const auto code = link_code("viewer");
  const auto with_code = R"({"code":")" + code + "\"}";
  EXPECT_EQ(
    console().send("POST", api + "/sign-in/link", with_json({{"Origin", "https://evil.example"}}), with_code).status,
    403);
  EXPECT_EQ(use_link(code).status, 200) << "the link was not used up";
  for (const auto& good :
       {"http://127.0.0.1:" + port, "http://localhost:" + port, std::string{"https://ops.example.org"}})
    EXPECT_EQ(from(good, "PUT", "/logs/level", order).status, 200) << good;
  EXPECT_EQ(send(session, "DELETE", "/logs/level").status, 200) << "programs send no Origin";
  const auto tunnelled = console().raw(
    "DELETE /admin/api/v1/logs/level HTTP/1.1\r\nHost: localhost:7000\r\nOrigin: http://localhost:7000\r\nCookie: "
    + std::string{cookie_name} + "=" + session.cookie + "\r\nX-CSRF-Token: " + session.csrf + "\r\n\r\n");
  EXPECT_EQ(tunnelled.status, 200) << "by the name that the page has called: " << tunnelled.body;
  const std::string own = "Origin: http://127.0.0.1:" + port + "\r\n";
  const std::string foreign = "Origin: https://evil.example\r\n";
  for (const auto& two : {own + foreign, foreign + own, own + own}) {
    const auto refused =
      console().raw("DELETE /admin/api/v1/logs/level HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n" + two + "Cookie: "
                    + cookie_name + "=" + session.cookie + "\r\nX-CSRF-Token: " + session.csrf + "\r\n\r\n");
    EXPECT_EQ(json_text(refused.body, "/code"), "ORIGIN_NOT_ALLOWED") << two << refused.body;
  }
}

TEST_F(Admin, ReadsRefuseFiltersThatTheyDoNotKnow) {
  const auto session = come_in("viewer");
  for (const auto* list : {"/actors", "/actors/busiest?kind=project", "/audit", "/chain/failed", "/clients",
                           "/clients/deprecated", "/clients/budgets", "/keys", "/logs", "/periods", "/people",
                           "/projects", "/projects/1/chart", "/markets", "/slashes", "/sessions"})
    EXPECT_EQ(send(session, "GET", list).status, 200) << list;
  for (const auto& to : http::admin::routes())
    if (to.verb == http::method::get) {
      std::string path{to.path.substr(api.size())};
      if (const auto part = path.find('{'); part != path.npos)
        path.replace(part, path.find('}') - part + 1, "1");
      const auto refused = send(session, "GET", path + "?author=7");
      EXPECT_EQ(refused.status, 400) << to.path;
      EXPECT_TRUE(has(refused.body, "author is not known here")) << to.path;
    }
}

/// A new filter that is free text has to be named here.
TEST_F(Admin, ReadsRefuseFiltersThatAreWrong) {
  const auto session = come_in("admin");
  const std::set<std::string_view> texts{"query", "act",   "requestId", "credential", "event",
                                         "text",  "route", "client",    "lastEventId"};
  std::size_t looked_at = 0;
  for (const auto& to : http::admin::routes()) {
    std::string path{to.path.substr(api.size())};
    if (const auto part = path.find('{'); part != path.npos)
      path.replace(part, path.find('}') - part + 1, "1");
    for (auto rest = to.verb == http::method::get ? to.by_query : std::string_view{}; !rest.empty();) {
      const std::string name{rest.substr(0, rest.find(','))};
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      if (texts.contains(name))
        continue;
      const auto refused = send(session, "GET", path + "?" + name + "=wrong");
      EXPECT_EQ(refused.status, 400) << path << " " << name << refused.body;
      EXPECT_TRUE(has(refused.body, name + " ")) << path << " " << name << refused.body;
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 30u);
}

TEST_F(Admin, EachRoleMayWhatItMay) {
  const auto viewer = come_in("viewer"), runner = come_in("operator"), admin = come_in("admin");
  EXPECT_EQ(send(viewer, "GET", "/overview").status, 200);
  EXPECT_EQ(send(viewer, "PUT", "/logs/level", R"({"level":"debug","minutes":1})").status, 403);
  EXPECT_EQ(send(viewer, "POST", "/store/verifications").status, 403);
  const auto period = send(viewer, "GET", "/periods").body;
  const auto name = std::to_string(json_number(period, "/values/0/year")) + "/"
                    + std::to_string(json_number(period, "/values/0/number"));
  const auto order = R"({"confirm":")" + name + "\"}";
  EXPECT_EQ(send(runner, "POST", "/periods/advance?dryRun=true", order).status, 403);
  const auto tried = ok(send(admin, "POST", "/periods/advance?dryRun=true", order));
  EXPECT_GT(json_number(tried.body, "/usersAffected"), 0);
  EXPECT_EQ(send(admin, "POST", "/periods/advance", R"({"confirm":"1999/1"})").status, 409);
}

/// Whoever comes to the screen's keyboard sees what it shows, and nothing else.
TEST_F(Admin, AWallMayReadTheOverviewAlone) {
  const auto wall = come_in("wall");
  const std::set<std::string_view> its_own{"/admin/api/v1/session", "/admin/api/v1/overview",
                                           "/admin/api/v1/overview/history", "/admin/api/v1/events"};
  for (const auto& to : http::admin::routes()) {
    if (to.least == http::admin::role::none)
      continue;
    EXPECT_EQ(to.least == http::admin::role::wall, its_own.contains(to.path)) << to.path;
    if (its_own.contains(to.path))
      continue;
    std::string path{to.path.substr(api.size())};
    for (auto part = path.find('{'); part != path.npos; part = path.find('{'))
      path.replace(part, path.find('}') - part + 1, "1");
    const bool has_body = to.verb != http::method::get && to.verb != http::method::del;
    const auto refused = send(wall, std::string{http::name_of(to.verb)}, path, has_body ? "{}" : "");
    EXPECT_EQ(code(refused), "403 FORBIDDEN") << http::name_of(to.verb) << " " << path;
  }
  EXPECT_EQ(send(wall, "GET", "/overview").status, 200);
  EXPECT_EQ(send(wall, "GET", "/overview/history").status, 200);
  EXPECT_EQ(send(wall, "GET", "/events?topics=overview,logs").status, 403);
  EXPECT_EQ(send(wall, "GET", "/events?topics=audit").status, 403);
  EXPECT_EQ(send(wall, "GET", "/events?topics=actors").status, 403);
  const auto reads =
    console().send("GET", "/api/v2/profiles/recent", {{"Cookie", std::string{cookie_name} + "=" + wall.cookie}});
  EXPECT_EQ(reads.status, 403) << "nor what the API tells everybody";
  EXPECT_TRUE(has(wall.set_cookie, "; Max-Age=2592000")) << wall.set_cookie;
  EXPECT_EQ(newest("console_wall_sign_in", "after"), "role wall");

  const auto admin = come_in("admin");
  const auto listed = send(admin, "GET", "/sessions").body; // newest first
  EXPECT_TRUE(tells(listed, "/values/0/role", "admin", "/values/1/role", "wall", "/values/1/idleEndsAt",
                    json_number(listed, "/values/1/endsAt"), "/wallMaxSeconds", 30 * 24 * 3600));
  EXPECT_EQ(send(admin, "DELETE", "/sessions/" + json_text(listed, "/values/1/id")).status, 200);
  EXPECT_EQ(send(wall, "GET", "/overview").status, 401);
}

TEST_F(Admin, AWalletSignsInForTheRoleOfItsProfile) {
  const auto body = sign_in_body(operators_wallet);
  const auto came = ok(console().post(api + "/sign-in", body));
  EXPECT_TRUE(tells(came.body, "/role", "operator", "/profileId", 3));
  const auto again = console().post(api + "/sign-in", body);
  EXPECT_EQ(code(again), "400 NONCE_REUSED") << "a nonce counts once";
  EXPECT_EQ(sql("SELECT count(*) FROM used_nonces WHERE profile_id = 3"), "1") << "wherever it was used";
  EXPECT_EQ(console().post(api + "/sign-in", sign_in_body(strangers_wallet)).status, 403);
  EXPECT_EQ(console().post(api + "/sign-in", sign_in_body(operators_wallet, "evil.example")).status, 400);
  EXPECT_EQ(newest("console_sign_in", "profile_id"), "3");
}

/// One client of the event stream.
class events {
public:
  events(std::uint16_t port, const console_session& as, const std::string& query, const std::string& last_id = {})
    : client_(port) {
    head =
      client_.raw("GET " + api + "/events?" + query + " HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie_name + "="
                  + as.cookie + "\r\n" + (last_id.empty() ? "" : "Last-Event-ID: " + last_id + "\r\n") + "\r\n");
  }
  /// Reads until an event of this name comes whose data hold the text; false when none does in time.
  bool waits_for(const std::string& name, const std::string& text) {
    for (std::string line; client_.read_line(line);) {
      if (line.starts_with("event: "))
        event_ = line.substr(7);
      if (line.starts_with("id: "))
        id = line.substr(4);
      if (line.starts_with("data: ") && event_ == name && line.find(text) != std::string::npos) {
        data = line.substr(6);
        return true;
      }
    }
    return false;
  }
  /// Whether the server ends the stream in time.
  bool ends() {
    const auto until = steady_clock::now() + wait_at_most;
    for (std::string line; client_.read_line(line);)
      if (steady_clock::now() > until)
        return false;
    return true;
  }
  http_response head;
  std::string id, data;

private:
  http_client client_;
  std::string event_;
};

TEST_F(Admin, ASessionEndsWhenItsWalletLeavesTheProfile) {
  const auth::wallet lost{"an operator's that was lost"};
  link_wallet(server, lost, 3);
  const auto look = [&](const std::string& cookie) {
    return console().send("GET", api + "/session", {{"Cookie", std::string{cookie_name} + "=" + cookie}});
  };
  const auto lost_one = sessions_cookie_of(lost), other = sessions_cookie_of(operators_wallet);
  ASSERT_EQ(look(lost_one).status, 200);
  ok(server.client().send("POST", "/api/v2/addresses/unlink", with_json(by_bearer(server.token(3))),
                          R"({"address":")" + auth::checksummed_text(lost.account()) + "\"}"));
  EXPECT_TRUE(await("the end of the session", [&] { return look(lost_one).status == 401; }));
  EXPECT_EQ(newest("console_session_ended", "after"),
            "ended: its wallet " + lower_text(lost.account()) + " has left the profile, or that is archived");
  EXPECT_EQ(newest("console_session_ended", "address"), "127.0.0.1");
  EXPECT_EQ(newest("console_session_ended", "caller_id"), "3");
  EXPECT_EQ(newest("console_session_ended", "credential"),
            "console session " + newest("console_session_ended", "subject"));
  link_wallet(server, lost, 3);
  EXPECT_EQ(look(lost_one).status, 401) << "for good";
  EXPECT_EQ(look(other).status, 200) << "that of another wallet of the profile";
  server.terminate();
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
  EXPECT_EQ(look(lost_one).status, 401) << "also for the next process";
  EXPECT_EQ(look(other).status, 200);
}

TEST_F(Admin, AStreamThatIsLeftOpenEndsWhenItsWalletLeavesTheProfile) {
  const auth::wallet lost{"an operator's that was lost"};
  link_wallet(server, lost, 3);
  events live{server.admin_port(), {sessions_cookie_of(lost), {}, {}}, "topics=overview"};
  events other{server.admin_port(), {sessions_cookie_of(operators_wallet), {}, {}}, "topics=overview"};
  ASSERT_TRUE(live.waits_for("overview", "\"parts\""));
  ok(server.client().send("POST", "/api/v2/addresses/unlink", with_json(by_bearer(server.token(3))),
                          R"({"address":")" + auth::checksummed_text(lost.account()) + "\"}"));
  EXPECT_TRUE(live.ends()) << "without another request";
  EXPECT_EQ(newest("console_session_ended", "address"), "127.0.0.1") << "where the stream was asked for";
  EXPECT_TRUE(other.waits_for("overview", "\"parts\"")) << "that of another wallet goes on";
}

TEST_F(Admin, AMessageForSomethingElseDoesNotSignIn) {
  const auto code_of = [&](const instead& text) {
    const auto answer = console().post(api + "/sign-in", sign_in_body(operators_wallet, {}, text));
    return std::to_string(answer.status) + " " + json_text(answer.body, "/code");
  };
  for (const auto* statement : {"Read the news.", "Sign in.", "Link this address to profile 3.", "Create an API key."})
    EXPECT_EQ(code_of({statement, {}}), "400 INVALID_MESSAGE") << statement;
  const auto nonce = json_text(server.client().get("/api/v2/auth/nonce").body, "/nonce");
  EXPECT_EQ(code_of({{}, nonce}), "400 INVALID_MESSAGE") << "the nonce was made for the public listener";
}

TEST_F(Admin, AnAccessTokenOfAnAdminIsForScripts) {
  EXPECT_TRUE(tells(console().get(api + "/session", server.token(5)).body, "/role", "viewer"));
  const auto made = server.command({"token", "1", "--admin"});
  const auto token = made.out.substr(0, made.out.find('\n'));
  const auto changed =
    ok(console().send("PUT", api + "/logs/level", with_json(by_bearer(token)), R"({"level":"warn","minutes":1})"));
  EXPECT_EQ(console().send("DELETE", api + "/logs/level", by_bearer(token)).status, 200);
  EXPECT_EQ(newest("log_level_changed", "caller_id"), "1");
}

TEST_F(Admin, SigningOutEndsTheSessionAlsoForTheNextProcess) {
  const auto session = come_in("viewer");
  EXPECT_EQ(send(session, "GET", "/session").status, 200);
  EXPECT_EQ(send(session, "DELETE", "/session").status, 200);
  EXPECT_EQ(send(session, "GET", "/session").status, 401);
  const auto kept = come_in("viewer");
  server.terminate();
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
  EXPECT_EQ(send(session, "GET", "/session").status, 401);
  EXPECT_EQ(send(kept, "GET", "/session").status, 200) << "a session outlives the process";
}

TEST_F(Admin, SessionsAreListedWithWhatTheyDidAndEnded) {
  const auto viewer = come_in("viewer"), admin = come_in("admin");
  ASSERT_EQ(send(admin, "PUT", "/logs/level", R"({"level":"warn","minutes":1})").status, 200);
  const auto change = "act-" + std::to_string(requests);
  const auto listed = send(viewer, "GET", "/sessions").body; // newest first
  EXPECT_EQ(json_text(listed, "/values/0/role"), "admin");
  EXPECT_TRUE(tells(listed, "/values/1/role", "viewer", "/values/1/by", "link"));
  EXPECT_NE(listed.find(R"("own":true)"), std::string::npos);
  EXPECT_GT(json_number(listed, "/values/0/lastUsedAt"), 0);
  EXPECT_TRUE(tells(listed, "/idleMaxSeconds", 3600, "/maxSeconds", 12 * 3600));
  auto credential = json_text(listed, "/values/0/credential");
  for (std::size_t at = 0; (at = credential.find(' ', at)) != std::string::npos;)
    credential.replace(at, 1, "%20");
  const auto did = send(viewer, "GET", "/audit?credential=" + credential).body;
  EXPECT_EQ(json_text(did, "/values/0/requestId"), change);
  EXPECT_EQ(did.find("console_sign_in"), std::string::npos);

  const auto path = "/sessions/" + json_text(listed, "/values/1/id");
  EXPECT_EQ(send(viewer, "DELETE", "/sessions/" + json_text(listed, "/values/0/id")).status, 403);
  EXPECT_EQ(send(admin, "DELETE", "/sessions/7").status, 404);
  EXPECT_EQ(send(admin, "DELETE", path).status, 200);
  EXPECT_EQ(newest("console_session_ended", "subject"), json_text(listed, "/values/1/id"));
  EXPECT_EQ(send(viewer, "GET", "/session").status, 401);
  EXPECT_EQ(send(admin, "GET", "/sessions").body.find(json_text(listed, "/values/1/id")), std::string::npos);
  EXPECT_EQ(send(admin, "DELETE", "/logs/level").status, 200);
}

TEST_F(Admin, EveryActIsInTheAudit) {
  const auto session = come_in("operator");
  ASSERT_EQ(send(session, "PUT", "/store/intake", R"({"open":false,"reason":"a test","minutes":1})").status, 200);
  expect_audited("intake_changed",
                 {{"after", "paused: a test"}, {"request_id", "act-" + std::to_string(requests)}, {"before", "open"}});
  EXPECT_TRUE(newest("intake_changed", "credential").starts_with("console session of "));
  const auto vote = server.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})",
                                         server.token(server.voters().front()));
  EXPECT_EQ(vote.status, 503);
  ASSERT_EQ(send(session, "PUT", "/store/intake", R"({"open":true})").status, 200);
  EXPECT_TRUE(tells(send(session, "GET", "/audit?act=intake_changed&limit=1").body, "/values/0/after", "open"));
}

TEST_F(Admin, ShowsWhatIsInMemoryAndReloadsIt) {
  const auto session = come_in("operator");
  ASSERT_EQ(server.client().get("/api/v2/projects/2/voters").status, 200);
  EXPECT_TRUE(tells(send(session, "GET", "/actors/project:2").body, "/phase", "live"));
  EXPECT_EQ(send(session, "POST", "/actors/project:2/stop").status, 200);
  EXPECT_EQ(newest("actor_stopped", "subject"), "project:2");
  EXPECT_EQ(server.client().get("/api/v2/projects/2/voters").status, 200) << "it is loaded again";
  EXPECT_EQ(send(session, "POST", "/actors/project:2/reload").status, 200);
  EXPECT_EQ(send(session, "GET", "/actors/busiest?kind=project").status, 200);
  EXPECT_EQ(send(session, "GET", "/actors/unicorn:1").status, 404);
}

TEST_F(Admin, ShowsWhatAnActorHoldsAndWhatItSentLast) {
  const auto session = come_in("viewer");
  const auto is_taken = [&](int voter) {
    return server.client().post("/api/v2/projects/4/votes", R"({"voteType":"BEARISH"})", server.token(voter)).status
           == 200;
  };
  ASSERT_TRUE(std::any_of(server.voters().begin(), server.voters().end(), is_taken));
  const auto project = send(session, "GET", "/actors/project:4").body;
  for (const auto* part : {R"({"name":"pendingVotes","value":0})", R"({"name":"archived","value":false})",
                           R"({"fact":"vote_cast","number":1,"at":)", R"("fate":"committed")"})
    EXPECT_TRUE(has(project, part)) << part << " in ";
  const auto nobody = send(session, "GET", "/actors/profile:2000000").body;
  EXPECT_EQ(json_text(nobody, "/phase"), "absent") << nobody;
  EXPECT_TRUE(has(nobody, R"("state":null,"changes":null)"));
  EXPECT_EQ(json_text(send(session, "GET", "/actors/profile:2000000").body, "/phase"), "absent")
    << "looking loads nothing";
}

TEST_F(Admin, ShowsStoreSettingsAndLog) {
  const auto session = come_in("viewer");
  const auto store = send(session, "GET", "/store");
  EXPECT_TRUE(tells(store.body, "/shards/0/shard", 1, "/migrations/0/state", "applied"));
  const auto activity = send(session, "GET", "/store/activity");
  EXPECT_EQ(activity.status, 200) << activity.body;
  EXPECT_TRUE(has(activity.body, R"("application":"credence-console")")) << activity.body;
  EXPECT_GT(json_number(activity.body, "/disk/usedBytes"), 0) << activity.body;
  EXPECT_GE(json_number(activity.body, "/disk/sizeBytes"), json_number(activity.body, "/disk/usedBytes"));
  const auto settings = send(session, "GET", "/settings").body;
  EXPECT_TRUE(has(settings, R"("name":"auth.operators","value":"3","origin":"flag")"));
  EXPECT_FALSE(has(settings, "dbname")) << "the database's address is a secret";
  EXPECT_TRUE(await("the line", [&] {
    return send(session, "GET", "/logs?event=ready").body.find(R"("event":"ready")") != std::string::npos;
  }));
  EXPECT_TRUE(has(send(session, "GET", "/openapi.json").body, "\"3.1.0\""));
  const auto lines = [&](const std::string& time) { return send(session, "GET", "/logs?limit=500&" + time).body; };
  const auto at = std::to_string(json_number(lines("from=0"), "/values/0/at"));
  EXPECT_NE(lines("from=" + at).find(at), std::string::npos);
  EXPECT_EQ(lines("to=" + at).find("\"at\":" + at), std::string::npos) << "lines from before it";
  EXPECT_EQ(send(session, "GET", "/logs?from=2&to=1").status, 400);
}

/// So the page needs no other origin. Who reads is somebody without a credential there, and writes are for the public
/// listener.
TEST_F(Admin, AnswersOpenReadsOfTheApiToWhoIsIn) {
  const auto session = come_in("viewer");
  const http_headers headers{{"Cookie", std::string{cookie_name} + "=" + session.cookie},
                             {"X-CSRF-Token", session.csrf},
                             {"Content-Type", "application/json"}};
  const std::string project = "/api/v2/projects/2";
  EXPECT_EQ(console().get(project).status, 401);
  const auto here = console().send("GET", project, headers);
  EXPECT_EQ(here.status, 200) << here.body;
  EXPECT_EQ(here.body, http_client{server.port()}.get(project).body);
  EXPECT_FALSE(here.headers.contains("access-control-allow-origin"));
  const std::string feed = "/api/v2/activities/profile/all";
  const auto asked = console().send("POST", feed, headers, R"({"userkey":"profileId:2","limit":5})");
  EXPECT_EQ(asked.status, 200) << asked.body;
  EXPECT_EQ(console().send("GET", "/api/v2/projects?nothing=like-it", headers).status, 400);
  for (const auto* path : {"/api/v2/xp/tips/sent", "/api/v2/auth/sessions", "/api/v2/nothing"})
    EXPECT_EQ(console().send("GET", path, headers).status, 404) << path;
  EXPECT_EQ(console().send("POST", "/api/v2/xp/tip", headers, "{}").status, 404);
  EXPECT_EQ(console().send("GET", project, by_bearer(server.token(5))).status, 200) << "a viewer's profile";
  EXPECT_EQ(console().send("GET", project, by_bearer(server.token(2))).status, 403) << "a profile without a role";
}

TEST_F(Admin, VerifiesWhenAsked) {
  const auto session = come_in("operator");
  ASSERT_EQ(send(session, "POST", "/store/verifications").status, 202);
  std::string state;
  http_response now;
  await("the verification", [&] {
    now = send(session, "GET", "/store/verifications/latest");
    state = json_text(now.body, "/verification/state");
    return state == "done" || state == "failed";
  });
  ASSERT_EQ(state, "done") << now.body;
  EXPECT_EQ(json_number(now.body, "/verification/differences"), 0) << now.body;
}

TEST_F(Admin, TellsWhatChangesAndResumes) {
  const auto session = come_in("operator");
  std::string last;
  {
    events live{server.admin_port(), session, "topics=overview,logs,audit"};
    ASSERT_EQ(live.head.status, 200);
    EXPECT_EQ(live.head.headers.at("content-type"), "text/event-stream");
    EXPECT_TRUE(live.waits_for("overview", "\"parts\""));
    ASSERT_EQ(send(session, "PUT", "/logs/level", R"({"level":"debug","minutes":1})").status, 200);
    EXPECT_TRUE(live.waits_for("audit", "log_level_changed"));
    last = live.id;
  }
  ASSERT_EQ(send(session, "DELETE", "/logs/level").status, 200);
  events again{server.admin_port(), session, "topics=audit", last};
  EXPECT_TRUE(again.waits_for("audit", R"("before":"debug")")) << "what came meanwhile";
}

TEST_F(Admin, OnePersonTakesNoStreamsOfTheOthers) {
  const auto session = come_in("viewer");
  const auto listen = [&] { return std::make_unique<events>(server.admin_port(), session, "topics=overview"); };
  std::vector<std::unique_ptr<events>> open;
  while (open.size() < 9 && (open.empty() || open.back()->head.status == 200))
    open.push_back(listen());
  EXPECT_EQ(open.size(), 9u);
  EXPECT_EQ(open.back()->head.status, 429);
  const events other{server.admin_port(), {sessions_cookie_of(operators_wallet), {}, {}}, "topics=overview"};
  EXPECT_EQ(other.head.status, 200) << "somebody else";
  open.clear();
  EXPECT_TRUE(await("a place for another stream", [&] { return listen()->head.status == 200; }));
}

TEST_F(Admin, AStreamGoesOnAfterARestartWithoutALostEntry) {
  const auto session = come_in("operator");
  std::string last;
  {
    events live{server.admin_port(), session, "topics=audit,logs"};
    ASSERT_EQ(send(session, "PUT", "/logs/level", R"({"level":"debug","minutes":1})").status, 200);
    ASSERT_TRUE(live.waits_for("audit", "log_level_changed"));
    last = live.id;
  }
  ASSERT_EQ(send(session, "PUT", "/store/intake", R"({"open":false,"reason":"just before the end"})").status, 200);
  server.terminate();
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
  events again{server.admin_port(), session, "topics=audit,logs", last};
  EXPECT_TRUE(again.waits_for("reset", "logs")) << "lines of the log are in memory";
  EXPECT_TRUE(again.waits_for("audit", "just before the end"));
}

/// Has the kept figures say that it was another version which started last.
void start_as_another_version(const std::filesystem::path& series) {
  auto kept = text_of_file(series);
  const std::string mark = "The server started as version ";
  auto changed = 0;
  for (auto at = kept.find(mark); at != std::string::npos; at = kept.find(mark, at + mark.size()), ++changed)
    kept[at + mark.size()] = '9';
  ASSERT_GT(changed, 0);
  std::ofstream{series, std::ios::binary} << kept;
}

/// What was counted and what happened is there after a restart, with the client who asked.
TEST_F(Admin, KeepsFiguresAndWhatHappenedOverARestart) {
  const auto session = come_in("operator");
  const auto history = [&](const std::string& more = {}) {
    return send(session, "GET", "/overview/history" + more).body;
  };
  const auto asks = [&] {
    http_client{server.port()}.send("GET", "/api/v2/projects", {{"X-Service-Client", "series-test"}});
    return history().find(R"("name":"series-test")") != std::string::npos;
  };
  EXPECT_TRUE(await("the client's figures", asks)) << history();
  ASSERT_EQ(send(session, "PUT", "/store/intake", R"({"open":false,"reason":"to be marked"})").status, 200);
  ASSERT_EQ(send(session, "PUT", "/store/intake", R"({"open":true})").status, 200);
  EXPECT_NE(history().find("PUT store/intake"), std::string::npos) << history();
  EXPECT_EQ(server.terminate(), 0);
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
  const auto after = history();
  for (const auto* told : {R"("outlivesRestarts":true)", R"("name":"series-test")", R"("name":"GET /api/v2/projects")",
                           "PUT store/intake", R"("kind":"stop")", R"("kind":"start")"})
    EXPECT_NE(after.find(told), std::string::npos) << told << " in " << after;
  EXPECT_EQ(after.find(R"("kind":"deployment")"), std::string::npos) << "it was the same version";
  EXPECT_EQ(server.terminate(), 0);
  start_as_another_version(server.data_dir() / "console.series");
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
  EXPECT_NE(history().find(R"("kind":"deployment","text":"The server started as version)"), std::string::npos)
    << history();
  EXPECT_EQ(send(session, "GET", "/overview/history?route=x&client=y").status, 400);
  EXPECT_NE(history("?client=series-test").find("\"values\":[{"), std::string::npos);
  EXPECT_EQ(send(session, "GET", "/overview/history?from=2000&to=1000").status, 400);
}

TEST_F(Admin, WorksWhileTheDatabaseIsAwayAndNotesActsLater) {
  const auto code = link_code("operator");
  server.database().stop();
  const auto came = ok(use_link(code));
  const console_session session{came.cookie(cookie_name), json_text(came.body, "/csrfToken"), ""};
  std::string overview;
  const auto told = [&] {
    return (overview = send(session, "GET", "/overview").body).find("CredenceCannotWrite") != std::string::npos;
  };
  EXPECT_TRUE(await("the alert", told)) << overview;
  std::string store;
  const auto alone = [&] { return has(store = send(session, "GET", "/store").body, R"("shards":null)"); };
  EXPECT_TRUE(await("what the database told to be old", alone)) << store;
  EXPECT_TRUE(has(store, R"("writer":{"writable":false,"queued":)")) << "the writer's own figures: " << store;
  EXPECT_EQ(send(session, "PUT", "/logs/level", R"({"level":"error","minutes":2})").status, 200);
  const auto act = "act-" + std::to_string(requests);
  EXPECT_EQ(send(session, "DELETE", "/logs/level").status, 200);
  server.database().start();
  std::string noted;
  await("the entry",
        [&] { return !(noted = sql("SELECT after FROM audit_log WHERE request_id = '" + act + "'")).empty(); });
  EXPECT_EQ(noted, "error");
  EXPECT_TRUE(server.becomes_ready());
}

TEST_F(Admin, SigningInIsCountedByAddressWhateverOthersAskTheApi) {
  server.terminate();
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5", "--http-rate-limits", "true",
                "--http-rate-wallet", "1/h burst 5", "--http-rate-read", "1/h burst 2"});
  for (int i = 0; i < 10; ++i) // nobody in particular
    server.client().get("/api/v2/internal/listings");
  int let_in = 0;
  while (let_in < 50 && console().get(api + "/sign-in").status == 200)
    ++let_in;
  EXPECT_EQ(let_in, 5);
  EXPECT_EQ(console().get(api + "/sign-in").status, 429);
  server.terminate(); // the others sign in without such bounds
  server.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
}

TEST_F(Admin, RefusesTopicsThatThereAreNot) {
  const auto session = come_in("viewer");
  EXPECT_EQ(send(session, "GET", "/events?topics=unicorns").status, 400);
  EXPECT_EQ(send(session, "GET", "/events").status, 400);
}

} // namespace
} // namespace credence::test
