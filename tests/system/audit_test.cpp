#include "auth/token_key.hpp"
#include "http/routes.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/tip_ledger.hpp"
#include "tests/text_of_file.hpp"

// Who did what that matters.
namespace credence::test {
namespace {

struct Audit : api_tests {
  Audit() {
    link_wallet(server, wallet, 3);
    auto flags = allow_pages;
    flags.insert(flags.end(), {"--admin", "1"});
    server.start(flags);
  }

  int rows() { return std::stoi(sql("SELECT count(*) FROM audit_log")); }
  http_response send(const std::string& method, const std::string& target, http_headers as,
                     const std::string& body = {}) {
    as.emplace_back("X-Request-Id", "request-" + std::to_string(++requests));
    return server.client().send(method, target, with_json(std::move(as)), body);
  }
  std::string last_request() const { return "request-" + std::to_string(requests); }
  void damage(const std::string& text) { sql("SET session_replication_role = replica; " + text); }

  const auth::wallet wallet{"somebody who is watched"};
  int requests = 0;
};

TEST_F(Audit, TellsOfLoginsKeysAndSessions) {
  const auto mine = log_in(server, wallet);
  EXPECT_EQ(newest("session_opened", "profile_id"), "3");
  EXPECT_EQ(newest("session_opened", "caller_id"), "null") << "the signature says who it is";
  EXPECT_TRUE(newest("session_opened", "credential").starts_with("wallet 0x"));
  EXPECT_EQ(newest("session_opened", "address"), "127.0.0.1");
  const auto session = newest("session_opened", "subject");
  EXPECT_TRUE(session.starts_with("session "));

  ASSERT_EQ(send("POST", "/api/v2/api-keys", {}, key_request(wallet, "watched")).status, 200);
  expect_audited("key_created", {{"request_id", last_request()}, {"before", "null"}});
  EXPECT_TRUE(newest("key_created", "after").starts_with("name watched; until 20"));
  const auto key = newest("key_created", "subject");

  ASSERT_EQ(send("DELETE", "/api/v2/api-keys/" + key.substr(8), by_cookie(mine.access_cookie, allowed_page)).status,
            200);
  expect_audited("key_revoked", {{"subject", key}, {"caller_id", "3"}});
  EXPECT_EQ(newest("key_revoked", "credential"), session) << "it was this session that asked";
  expect_audited("key_revoked", {{"request_id", last_request()}, {"after", "ended: asked for"}});

  ASSERT_EQ(send("DELETE", "/api/v2/auth/sessions/" + session.substr(8), by_bearer(mine.access_token)).status, 200);
  expect_audited("session_ended", {{"subject", session}, {"credential", "access token of " + session}});
  EXPECT_TRUE(sound(server));
}

TEST_F(Audit, TellsOfMoneyAndWhatAdminsDo) {
  const auto admin = by_bearer(server.token(1));
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", admin, R"({"profileId":3,"amount":"1000"})").status, 200);
  expect_audited("deposit", {{"profile_id", "3"}, {"caller_id", "1"}});
  EXPECT_TRUE(newest("deposit", "credential").starts_with("access token ")) << "an admin's token has an id";
  EXPECT_EQ(newest("deposit", "request_id"), last_request());
  const auto before = std::stoll(newest("deposit", "before"));
  EXPECT_EQ(std::stoll(newest("deposit", "after")), before + 1000);
  ASSERT_EQ(send("POST", "/api/v2/markets/withdrawals", admin, R"({"profileId":3,"amount":"400"})").status, 200);
  EXPECT_EQ(std::stoll(newest("withdrawal", "before")), before + 1000);
  EXPECT_EQ(std::stoll(newest("withdrawal", "after")), before + 600);
  auto keyed = admin;
  keyed.emplace_back("Idempotency-Key", "once");
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", keyed, R"({"profileId":4,"amount":"7"})").status, 200);
  EXPECT_EQ(newest("deposit", "request_id"), last_request()) << "also when it may be repeated";
  const auto so_far = rows();
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", keyed, R"({"profileId":4,"amount":"7"})").status, 200);
  EXPECT_EQ(rows(), so_far) << "a repeat has no effect";
  ASSERT_EQ(send("POST", "/api/v2/projects/votes/reallocate", admin, "{}").status, 200);
  expect_audited("period_opened", {{"caller_id", "1"}, {"request_id", last_request()}});
  EXPECT_TRUE(sound(server));
  damage("DELETE FROM audit_log WHERE number = (SELECT max(number) FROM audit_log WHERE act = 'deposit')");
  const auto found = server.command({"verify"});
  EXPECT_EQ(found.code, 7);
  EXPECT_TRUE(has(found.out, "BROKEN  audit_money:"));
}

TEST_F(Audit, TellsNothingOfVotesAndTips) {
  const auto before = rows();
  auto client = server.client();
  EXPECT_EQ(client.post("/api/v2/xp/tip", R"({"receiverUserkey":"profileId:5","amount":1})", server.token(4)).status,
            200);
  client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(server.voters().back()));
  EXPECT_EQ(rows(), before);
}

TEST_F(Audit, WhatOperatorsDoByHandIsToldToo) {
  ASSERT_EQ(server.command({"access", "3", "--off"}).code, 0);
  EXPECT_EQ(newest("api_access_changed", "profile_id"), "3");
  EXPECT_TRUE(newest("api_access_changed", "credential").starts_with("operator "));
  expect_audited("api_access_changed", {{"before", "allowed"}, {"after", "not allowed"}});
  log_in(server, wallet);
  EXPECT_TRUE(sound(server)) << "both wrote to one chain";
}

TEST_F(Audit, DamageIsFound) {
  for (int i = 0; i < 3; ++i)
    log_in(server, wallet);
  EXPECT_ANY_THROW(sql("UPDATE audit_log SET profile_id = 4"));
  EXPECT_ANY_THROW(sql("DELETE FROM audit_log"));
  EXPECT_ANY_THROW(sql("TRUNCATE audit_log"));
  const auto expect_broken = [&](const char* text) {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 7) << text;
    EXPECT_TRUE(has(found.out, "BROKEN  audit:")) << text;
  };
  damage("UPDATE audit_log SET profile_id = 4 WHERE number = 2");
  expect_broken("a row that was changed");
  damage("UPDATE audit_log SET hash = audit_hash(audit_log) WHERE number = 2");
  expect_broken("and given a hash that fits");
  damage("UPDATE audit_log SET profile_id = 3 WHERE number = 2");
  damage("UPDATE audit_log SET hash = audit_hash(audit_log) WHERE number = 2");
  ASSERT_TRUE(sound(server));
  damage("DELETE FROM audit_log WHERE number = 2");
  expect_broken("a row that is gone");
}

TEST_F(Audit, RefusedCredentialsAndReusedTokensAreCounted) {
  const auto mine = log_in(server, wallet);
  const auto metric = [&](const std::string& name) {
    const auto all = http_client{server.operator_port()}.get("/metrics").body;
    const auto at = all.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoi(all.substr(at + name.size() + 2));
  };
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="api_key"})"), 0);
  auto client = server.client();
  EXPECT_EQ(client.send("GET", "/api/v2/xp/tips/sent", by_key("crd_something-that-was-guessed")).status, 401);
  EXPECT_EQ(client.send("GET", "/api/v2/xp/tips/sent", by_bearer("a.guessed.token")).status, 401);
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="api_key"})"), 1);
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="access_token"})"), 1);
  EXPECT_TRUE(server.logs("\"credential_refused\"")) << server.log();
  EXPECT_FALSE(has(server.log(), "guessed"));

  const auto refresh = [&](const std::string& token) {
    return client.send("POST", "/api/v2/auth/refresh",
                       {{"Cookie", "service-refresh-token=" + token}, {"Origin", allowed_page}});
  };
  const auto once = ok(refresh(mine.refresh_cookie));
  ASSERT_EQ(refresh(once.cookie("service-refresh-token")).status, 200);
  EXPECT_EQ(metric("credence_refresh_tokens_reused_total"), 0);
  EXPECT_EQ(refresh(mine.refresh_cookie).status, 401) << "replaced twice";
  EXPECT_EQ(metric("credence_refresh_tokens_reused_total"), 1);
  EXPECT_EQ(newest("session_ended", "after"), "ended: a replaced refresh token came back");
}

/// A new route for admins, or one that moves credentials, has to be told of.
TEST_F(Audit, EveryRouteOfAdminsIsToldOf) {
  for (const auto& to : http::routes())
    if (to.verb != http::method::get
        && (to.who == http::access::admin || to.path.starts_with("/api/v2/auth/") || to.may == scope::keys)) {
      EXPECT_EQ(to.does, http::effect::audited) << to.path;
    }
}

/// What must be found nowhere, by what it is.
using secrets = std::map<std::string, std::string>;

std::string hex_of(std::string_view text) {
  std::string out;
  append_hex(out, std::as_bytes(std::span{text}));
  return out;
}

/// Looks for every secret, as it is and as a database or a log would write its bytes.
void expect_none(const secrets& all, const std::string& where, const std::string& text) {
  ASSERT_FALSE(text.empty()) << where;
  for (const auto& [it, value] : all) {
    ASSERT_GE(value.size(), 32u) << it;
    EXPECT_FALSE(has(text, value)) << it << " is in " << where;
    EXPECT_FALSE(has(text, hex_of(value))) << it << " is in " << where << ", in hex";
    EXPECT_FALSE(has(text, auth::base64url(value))) << it << " is in " << where << ", in base64";
    if (const auto dot = value.rfind('.'); dot != std::string::npos) { // of a token the signature makes it one
      EXPECT_FALSE(has(text, value.substr(dot + 1))) << it << ": its signature is in " << where;
    }
  }
}

/// The signature in a request's body.
std::string signature_in(const std::string& body) {
  const auto at = body.find("\"signature\":\"0x") + 15;
  return body.substr(at, body.find('"', at) - at);
}

/// A server with whose secrets everything is done that clients do with them.
struct Secrets : testing::Test {
  Secrets() {
    link_wallet(server, owner, 3);
    give_xp(server, 3, 100);
    auto flags = allow_pages;
    flags.insert(flags.end(), {"--admin", "1", "--log-level", "debug", "--log-requests", "true"});
    server.keep_production_times(); // the database stands still for a tip
    server.start(flags);
    all["the key that signs tokens"] = auth::read_signing_keys({}, {}, server.data_dir().string()).now.reveal();
    all["an access token"] = server.token(3);
    all["an admin's token"] = server.token(1);
  }

  /// Keys: made, made with an Idempotency-Key, refused.
  void make_keys() {
    auto client = server.client();
    const auto order = key_request(owner, "first");
    all["a signature for a key"] = signature_in(order);
    const auto made = ok(client.send("POST", "/api/v2/api-keys", with_json({}, "make-it-once"), order));
    key_id = json_text(made.body, "/id");
    all["an API key"] = json_text(made.body, "/token");
    client.send("POST", "/api/v2/api-keys", with_json({}, "make-it-once"), order);
    client.post("/api/v2/api-keys", order);
    auto forged = key_request(owner, "second");
    const auto digit = forged.find("\"signature\":\"0x") + 20;
    forged[digit] = forged[digit] == '0' ? '1' : '0';
    all["a signature that does not hold"] = signature_in(forged);
    EXPECT_NE(client.post("/api/v2/api-keys", forged).status, 200);
  }

  /// Sessions: by signing in, by exchange; refreshed.
  void begin_sessions() {
    auto client = server.client();
    const auto session = log_in(server, owner);
    all["a signature of a login"] = signature_in(session.body);
    all["the access token of a login"] = session.access_token;
    all["an access cookie"] = session.access_cookie;
    all["a refresh cookie"] = session.refresh_cookie;
    const auto exchanged =
      ok(client.send("POST", "/api/v2/auth/exchange", with_json(by_bearer(fresh_token(server, 3)))));
    all["the access cookie of an exchange"] = exchanged.cookie("service-access-token");
    all["the refresh cookie of an exchange"] = exchanged.cookie("service-refresh-token");
    const auto refreshed = ok(client.send("POST", "/api/v2/auth/refresh", by_refresh_cookie(session.refresh_cookie)));
    all["a second access cookie"] = refreshed.cookie("service-access-token");
    all["a second refresh cookie"] = refreshed.cookie("service-refresh-token");
  }

  /// Every credential is good for a tip and a vote.
  void use() {
    auto client = server.client();
    for (const auto& headers : {by_bearer(server.token(3)), by_key(all["an API key"]),
                                by_cookie(all["a second access cookie"], allowed_page)}) {
      EXPECT_EQ(client.send("POST", "/api/v2/xp/tip", with_json(headers, "tip"), tip).status, 200);
      client.send("POST", "/api/v2/projects/1/votes", with_json(headers, "vote"), R"({"voteType":"BULLISH"})");
      client.send("GET", "/api/v2/xp/tips/sent?" + std::string{"token="} + "nothing", headers);
    }
    EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  }

  /// Every secret is shown where another belongs, and a tip is asked for that the database does not answer.
  void fail() {
    auto client = server.client();
    all["a token that does not hold"] = server.token(3).substr(0, server.token(3).size() - 5) + "AAAAA";
    for (const auto& [it, value] : secrets{all}) {
      client.send("GET", "/api/v2/xp/tips/sent", by_bearer(value));
      client.send("GET", "/api/v2/xp/tips/sent", by_key(value));
      client.send("GET", "/api/v2/xp/tips/sent", by_cookie(value));
    }
    server.database().pause();
    client.send("POST", "/api/v2/xp/tip", with_json(by_key(all["an API key"]), "unknown"), tip);
    server.database().resume();
    ASSERT_TRUE(server.becomes_ready());
  }

  /// A key is revoked and shown again, a session ended.
  void give_up() {
    auto client = server.client();
    client.send("DELETE", "/api/v2/api-keys/" + key_id, by_bearer(server.token(3)));
    client.send("GET", "/api/v2/api-keys", by_key(all["an API key"]));
    client.send("POST", "/api/v2/auth/logout", by_refresh_cookie(all["a second refresh cookie"]));
  }

  static http_headers by_refresh_cookie(const std::string& token) {
    return {{"Cookie", "service-refresh-token=" + token}, {"Origin", allowed_page}};
  }

  const std::string tip = R"({"receiverUserkey":"profileId:4","amount":1})";
  const auth::wallet owner{"somebody with secrets"};
  service server;
  secrets all;
  std::string key_id;
};

TEST_F(Secrets, AreInNoLogMetricOrTable) {
  ASSERT_NO_FATAL_FAILURE(make_keys());
  ASSERT_NO_FATAL_FAILURE(begin_sessions());
  use();
  ASSERT_NO_FATAL_FAILURE(fail());
  give_up();

  expect_none(all, "/metrics", http_client{server.operator_port()}.get("/metrics").body);
  EXPECT_EQ(server.terminate(), 0);
  expect_none(all, "the log", server.log());
  const auto& postgres = server.database();
  expect_none(all, "PostgreSQL's log", text_of_file(postgres.directory() / "log") + "that is all");
  const auto dump = run_program(
    {"/usr/lib/postgresql/15/bin/pg_dump", "-h", postgres.directory().string(), "-U", "postgres", "-d", "credence"});
  ASSERT_EQ(dump.code, 0) << dump.err;
  EXPECT_TRUE(has(dump.out, "COPY public.idempotency_records"));
  expect_none(all, "the database", dump.out);
  const auto directory = server.data_dir() / "export";
  ASSERT_EQ(server.command({"export", "--to", directory.string(), "--quiet"}).code, 0);
  std::string exported;
  for (const auto& each : std::filesystem::directory_iterator{directory})
    exported += text_of_file(each.path());
  expect_none(all, "an export", exported);
}

} // namespace
} // namespace credence::test
