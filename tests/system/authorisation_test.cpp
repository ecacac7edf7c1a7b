#include "http/routes.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

#include <simdjson.h>

#include <set>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using http::access;
using http::method;
using http::route;

constexpr int person_a = 3;
constexpr int person_b = 4;

/// What somebody who calls shows, as far as it matters for what is allowed.
enum class shows {
  nothing,
  bearer,
  admin_bearer,
  key,
  session,           // a cookie, without Origin
  session_of_page,   // a cookie, from a page that is allowed
  session_elsewhere, // a cookie, from another page
  something_bad,
};

struct caller {
  std::string name;
  shows shown;
  http_headers headers;
};

/// What the table says becomes of a request before its handler runs; nothing: it runs.
std::optional<int> refused_by_table(const route& to, shows shown) {
  if (to.partners == http::partner_use::act)
    return 403; // nobody here is a page of a partner
  const bool alike_for_all =
    to.who == access::open && !to.by_caller && (to.verb == method::get || to.does == http::effect::none);
  if (shown == shows::something_bad)
    return alike_for_all ? std::nullopt : std::optional{401}; // it has to hold wherever it makes a difference
  if (to.who == access::open)
    return std::nullopt;
  if (shown == shows::nothing)
    return 401;
  if (to.verb != method::get && (shown == shows::session || shown == shows::session_elsewhere))
    return 403;
  if (to.who == access::admin && shown != shows::admin_bearer)
    return 403;
  if (to.who == access::owner && shown == shows::key)
    return 403;
  return std::nullopt;
}

/// The few that look at what is shown themselves.
std::optional<int> refused_by_handler(const route& to, shows shown) {
  const bool by_other_page = shown == shows::session || shown == shows::session_elsewhere;
  if (to.path == "/api/v2/auth/login" || to.path == "/api/v2/auth/logout")
    return by_other_page ? std::optional{403} : std::nullopt;
  if (to.path == "/api/v2/auth/refresh") // nobody here shows a refresh cookie
    return by_other_page ? 403 : 401;
  if (to.path == "/api/v2/auth/exchange" && shown != shows::bearer && shown != shows::admin_bearer)
    return 401; // only an access token is exchanged
  if (to.path == "/api/v2/wallets/managed/export" && shown != shows::session_of_page)
    return 403; // only where its owner is, on a page of ours
  return std::nullopt;
}

std::string_view name_of(method verb) {
  switch (verb) {
    case method::get: return "GET";
    case method::post: return "POST";
    case method::put: return "PUT";
    case method::patch: return "PATCH";
    case method::del: return "DELETE";
  }
  return "";
}

/// A target for a route; what stands in braces becomes something that may be there.
std::string target_of(const route& to) {
  std::string out{to.path};
  const auto put = [&](const std::string& name, const std::string& value) {
    if (const auto at = out.find("{" + name + "}"); at != std::string::npos)
      out.replace(at, name.size() + 2, value);
  };
  put("userkey", "profileId:7");
  put("address", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  put("username", "somebody");
  put("accountIdOrUsername", "somebody");
  put("projectId", "1");
  put("profileId", "7");
  put("userId", "7");
  put("id", "6b1f0c5e-0000-4000-8000-000000000000");
  put("hash", "0x" + std::string(64, '7'));
  put("type", "review");
  put("idOrContractType", to.path.ends_with("/{parentId}") ? "review" : "7");
  put("parentId", "7");
  put("seasonId", "1");
  put("guide", "first-bot");
  EXPECT_FALSE(has(out, "{")) << ": what may stand there?";
  if (to.path == "/api/v2/xp/history" || to.path == "/api/v2/xp/tips/stats")
    out += "?userkey=profileId:7"; // without it the caller's own
  return out;
}

struct Authorisation : testing::Test {
  Authorisation() {
    link_wallet(server, wallet_a, person_a);
    link_wallet(server, wallet_b, person_b);
    token_over = insert_key(server, person_a, -1h, 24h);
    row_over = insert_key(server, person_a, 24h, -1h);
    auto flags = allow_pages;
    flags.insert(flags.end(), {"--admin", "1", "--actors-period-advance", "manual"});
    server.start(flags);
    key_a = make_key(server, wallet_a, "of A");
    key_b = make_key(server, wallet_b, "of B");
    revoked = make_key(server, wallet_a, "revoked");
    EXPECT_EQ(remove(revoked.id, by_key(key_a.token)).status, 200);
    session_a = log_in(server, wallet_a);
  }

  http_response remove(const std::string& id, const http_headers& as) {
    return server.client().send("DELETE", "/api/v2/api-keys/" + id, as);
  }
  http_response keys_seen(const http_headers& as) { return server.client().send("GET", "/api/v2/api-keys", as); }

  /// With fresh sessions, as one may be ended.
  std::vector<caller> everybody() {
    return {{"nobody", shows::nothing, {}},
            {"A, bearer", shows::bearer, by_bearer(fresh_token(server, person_a))},
            {"A, bearer of a login", shows::bearer, by_bearer(session_a.access_token)},
            {"B, bearer", shows::bearer, by_bearer(fresh_token(server, person_b))},
            {"A, key", shows::key, by_key(key_a.token)},
            {"A, key that is over", shows::something_bad, by_key(token_over.token)},
            {"A, key whose row is over", shows::something_bad, by_key(row_over.token)},
            {"A, revoked key", shows::something_bad, by_key(revoked.token)},
            {"A, session", shows::session, by_cookie(log_in(server, wallet_a).access_cookie)},
            {"A, session, allowed page", shows::session_of_page,
             by_cookie(log_in(server, wallet_a).access_cookie, allowed_page)},
            {"A, session, another page", shows::session_elsewhere,
             by_cookie(log_in(server, wallet_a).access_cookie, "https://evil.example")},
            {"admin by token", shows::admin_bearer, by_bearer(fresh_token(server, 1))},
            {"garbage as bearer", shows::something_bad, by_bearer("garbage")},
            {"garbage as key", shows::something_bad, by_key("garbage")},
            {"a key as bearer", shows::something_bad, by_bearer(key_a.token)},
            {"a bearer as key", shows::something_bad, by_key(server.token(person_a))},
            {"a session as bearer", shows::something_bad, by_bearer(session_a.access_cookie)},
            {"a session as key", shows::something_bad, by_key(session_a.access_cookie)},
            {"a refresh token as bearer", shows::something_bad, by_bearer(session_a.refresh_cookie)},
            {"a bearer as session", shows::nothing, by_cookie(server.token(person_a), allowed_page)},
            {"a key as session", shows::nothing, by_cookie(key_a.token, allowed_page)},
            {"a refresh token as session", shows::nothing, by_cookie(session_a.refresh_cookie, allowed_page)}};
  }

  const auth::wallet wallet_a{"the wallet of A"};
  const auth::wallet wallet_b{"the wallet of B"};
  service server;
  api_key token_over, row_over, key_a, key_b, revoked;
  browser_session session_a;
};

TEST_F(Authorisation, HoldsForEveryRouteAndEverybody) {
  auto client = server.client();
  auto everyone = everybody();
  for (const auto& to : http::routes()) {
    for (std::size_t i = 0; i < everyone.size(); ++i) {
      const auto who = everyone[i];
      const auto refused = refused_by_table(to, who.shown);
      const auto wanted = refused ? refused : refused_by_handler(to, who.shown);
      auto headers = to.verb == method::get ? who.headers : with_json(who.headers);
      const auto body = to.verb == method::get || to.verb == method::del ? "" : "{}";
      const auto answer = client.send(name_of(to.verb), target_of(to), headers, body);
      const auto query =
        std::string{name_of(to.verb)} + " " + std::string{to.path} + " by " + who.name + ": " + answer.body;
      if (wanted) {
        EXPECT_EQ(answer.status, *wanted) << query;
        EXPECT_EQ(answer.headers.contains("www-authenticate"), refused == 401) << query;
      } else {
        EXPECT_TRUE(answer.status >= 200 && answer.status < 500 && answer.status != 401 && answer.status != 403)
          << query;
      }
      if (to.verb == method::del && to.path == "/api/v2/auth/sessions" && answer.status == 200) {
        session_a = log_in(server, wallet_a); // somebody has ended all others
        everyone = everybody();
      }
    }
    if (to.path == "/api/v2/auth/logout" || to.path == "/api/v2/auth/login")
      everyone = everybody();
  }
}

/// An answer about something else than was asked is worse than none.
TEST_F(Authorisation, NoReadTakesAParameterThatIsNotDescribed) {
  auto client = server.client();
  const auto as = by_bearer(fresh_token(server, 1));
  for (const auto& to : http::routes()) {
    if (!http::only_reads(to) || to.any_media)
      continue;
    auto target = target_of(to);
    target += (target.find('?') == target.npos ? "?" : "&") + std::string{"nobody_knows=1"};
    const bool by_url = to.verb == method::get;
    const auto answer = client.send(name_of(to.verb), target, by_url ? as : with_json(as), by_url ? "" : "{}");
    EXPECT_EQ(answer.status, 400) << target << answer.body;
    EXPECT_TRUE(has(answer.body, "nobody_knows is not known here")) << target << answer.body;
  }
  for (const auto* target :
       {"activities/bulk", "votes/stats", "users/by/ids", "users/by/address", "users/by/x",
        "users/by/farcaster/usernames", "score/addresses", "score/userIds", "activities/feed", "vouches", "profiles",
        "markets/simulate-buy", "markets/simulate-sell", "markets/3/quote"}) {
    const auto answer = client.post("/api/v2/" + std::string{target}, R"({"nobody_knows":1})");
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_TRUE(has(answer.body, "nobody_knows is not known here")) << target << answer.body;
  }
}

/// Whether a parameter is a number, yes or no, or a word out of a list, or several of these.
bool has_a_form(const simdjson::simdjson_result<simdjson::dom::element>& schema) {
  simdjson::dom::array words;
  std::string_view type;
  if (!schema["enum"].get(words))
    return true;
  if (schema["type"].get(type))
    return false;
  return type == "integer" || type == "boolean" || (type == "array" && has_a_form(schema["items"]));
}

/// The parameters of a read that the reference describes so.
std::vector<std::string> parameters_with_a_form(const simdjson::dom::element& reference, const route& to) {
  std::vector<std::string> out;
  simdjson::dom::array parameters;
  if (reference["paths"][to.path]["get"]["parameters"].get(parameters))
    return out;
  for (const auto each : parameters) {
    std::string_view name, in;
    if (!each["name"].get(name) && !each["in"].get(in) && in == "query" && has_a_form(each["schema"]))
      out.emplace_back(name);
  }
  return out;
}

/// Nor is an answer to a question of which a part was left out what was asked for. All that is wrong is told at once.
TEST_F(Authorisation, NoReadGoesOnWithoutAParameterThatIsWrong) {
  auto client = server.client();
  const auto as = by_bearer(fresh_token(server, 1));
  simdjson::dom::parser parser;
  const auto text = without_large_numbers(ok(client.get("/openapi.json")).body);
  const simdjson::dom::element reference = parser.parse(text);
  const auto with = [](const std::string& target, const std::string& name) {
    return target + (target.find('?') == target.npos ? "?" : "&") + name + "=wrong";
  };
  std::size_t looked_at = 0;
  for (const auto& to : http::routes()) {
    if (to.verb != method::get || to.any_media || to.partners == http::partner_use::act) // of pages of partners
      continue;
    const auto names = parameters_with_a_form(reference, to);
    auto all = target_of(to);
    for (const auto& name : names) {
      const auto answer = client.send("GET", with(target_of(to), name), as);
      EXPECT_EQ(answer.status, 400) << to.path << " " << name << answer.body;
      EXPECT_TRUE(has(answer.body, name + " ")) << to.path << " " << name << answer.body;
      all = with(all, name);
    }
    const auto answer = names.empty() ? http_response{} : client.send("GET", all, as);
    for (const auto& name : names)
      EXPECT_TRUE(has(answer.body, name + " ")) << all << answer.body;
    looked_at += names.size();
  }
  EXPECT_GT(looked_at, 100u) << "the reference describes them otherwise than this test reads it";
}

/// A new route that may change something without a caller has to be thought about here.
TEST_F(Authorisation, OnlyTheseChangeAnythingWithoutACaller) {
  std::set<std::string_view> open;
  for (const auto& to : http::routes())
    if (to.who == access::open && to.verb != method::get && to.does != http::effect::none)
      open.insert(to.path);
  EXPECT_EQ(open, (std::set<std::string_view>{"/api/v2/api-keys", "/api/v2/auth/login", "/api/v2/auth/refresh",
                                              "/api/v2/auth/logout", "/api/v2/profiles/create",
                                              "/api/v2/wallets/managed/partners/token"}));
  std::set<std::string_view> admin;
  for (const auto& to : http::routes())
    if (to.who == access::admin)
      admin.insert(to.path);
  EXPECT_TRUE(admin.contains("/api/v2/projects/votes/reallocate"));
}

TEST_F(Authorisation, AKeyOfSomebodyElseIsAsUnknownAsNone) {
  const std::string unknown = "6b1f0c5e-0000-4000-8000-000000000000";
  for (const auto& headers : {by_bearer(server.token(person_a)), by_key(key_a.token),
                              by_cookie(session_a.access_cookie, allowed_page), by_bearer(server.token(1))}) {
    auto foreign = remove(key_b.id, headers);
    const auto none = remove(unknown, headers);
    EXPECT_EQ(code(foreign), "404 KEY_NOT_FOUND");
    EXPECT_EQ(none.status, 404);
    const auto at = foreign.body.find(key_b.id);
    ASSERT_NE(at, std::string::npos) << foreign.body;
    EXPECT_EQ(foreign.body.replace(at, key_b.id.size(), unknown), none.body);
  }
  EXPECT_EQ(keys_seen(by_key(key_b.token)).status, 200) << "B's key holds";
}

TEST_F(Authorisation, EverybodySeesTheirOwnKeysAlone) {
  for (const auto& headers :
       {by_bearer(server.token(person_a)), by_key(key_a.token), by_cookie(session_a.access_cookie)}) {
    const auto seen = ok(keys_seen(headers));
    EXPECT_TRUE(has(seen.body, key_a.id));
    EXPECT_FALSE(has(seen.body, key_b.id));
    EXPECT_FALSE(has(seen.body, key_a.token));
  }
}

/// Whatever has been looked up before under another name.
TEST_F(Authorisation, ACredentialPassesForNoOtherKindAlsoOnceItIsKnown) {
  auto client = server.client(); // one connection, so one thread with its memory
  const auto votes = "/api/v2/projects/votes/balance?projectId=1";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.send("GET", votes, by_key(key_a.token)).status, 200);
    EXPECT_EQ(client.send("GET", votes, by_cookie(session_a.access_cookie)).status, 200);
    EXPECT_EQ(client.send("GET", votes, by_key(session_a.access_cookie)).status, 401);
    EXPECT_EQ(client.send("GET", votes, by_cookie(key_a.token)).status, 401);
    EXPECT_EQ(client.send("GET", votes, by_bearer(session_a.access_cookie)).status, 401);
    EXPECT_EQ(client.send("GET", votes, by_bearer(key_a.token)).status, 401);
    EXPECT_EQ(client.send("GET", votes, by_bearer(session_a.access_token)).status, 200);
    EXPECT_EQ(client.send("GET", votes, by_cookie(session_a.access_token)).status, 401);
    EXPECT_EQ(client.send("GET", votes, by_key(session_a.access_token)).status, 401);
  }
}

TEST_F(Authorisation, ATokenCountsBeforeAKeyAndAKeyBeforeASession) {
  const auto sees = [&](http_headers headers, const api_key& whose) {
    const auto seen = keys_seen(headers);
    return seen.status == 200 && seen.body.find(whose.id) != std::string::npos;
  };
  auto both = by_bearer(server.token(person_b));
  both.emplace_back("X-Service-Api-Key", key_a.token);
  EXPECT_TRUE(sees(both, key_b));
  auto key_and_session = by_cookie(session_a.access_cookie);
  key_and_session.emplace_back("X-Service-Api-Key", key_b.token);
  EXPECT_TRUE(sees(key_and_session, key_b));
  auto bad_and_good = by_bearer("garbage");
  bad_and_good.emplace_back("X-Service-Api-Key", key_a.token);
  EXPECT_EQ(keys_seen(bad_and_good).status, 401);
}

} // namespace
} // namespace credence::test
