#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "auth/token_key.hpp"
#include "config/secret.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/tip_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

namespace credence::test {
namespace {

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
    EXPECT_EQ(text.find(value), std::string::npos) << it << " is in " << where;
    EXPECT_EQ(text.find(hex_of(value)), std::string::npos) << it << " is in " << where << ", in hex";
    EXPECT_EQ(text.find(auth::base64url(value)), std::string::npos) << it << " is in " << where << ", in base64";
    if (const auto dot = value.rfind('.'); dot != std::string::npos) { // of a token the signature makes it one
      EXPECT_EQ(text.find(value.substr(dot + 1)), std::string::npos) << it << ": its signature is in " << where;
    }
  }
}

std::string whole(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream{file}.rdbuf();
  return out.str();
}

/// The signature in a request's body.
std::string signature_in(const std::string& body) {
  const auto at = body.find("\"signature\":\"0x") + 15;
  return body.substr(at, body.find('"', at) - at);
}

/// A server with whose secrets everything is done that clients do with them.
class Secrets : public testing::Test {
protected:
  Secrets() {
    link_wallet(server, owner, 3);
    give_xp(server, 3, 100);
    auto flags = allow_pages;
    flags.insert(flags.end(), {"--admin", "1", "--log-level", "debug", "--log-requests", "true"});
    server.start(flags);
    all["the key that signs tokens"] = auth::read_signing_keys({}, {}, server.data_dir().string()).now.reveal();
    all["an access token"] = server.token(3);
    all["an admin's token"] = server.token(1);
  }

  /// Keys: made, made with an Idempotency-Key, refused.
  void make_keys() {
    auto client = server.client();
    const auto order = key_order(owner, "first");
    all["a signature for a key"] = signature_in(order);
    const auto made = client.send("POST", "/api/v2/api-keys", with_json({}, "make-it-once"), order);
    ASSERT_EQ(made.status, 200) << made.body;
    key_id = json_text(made.body, "/id");
    all["an API key"] = json_text(made.body, "/token");
    client.send("POST", "/api/v2/api-keys", with_json({}, "make-it-once"), order);
    client.post("/api/v2/api-keys", order);
    auto forged = key_order(owner, "second");
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
    const auto exchanged = client.send("POST", "/api/v2/auth/exchange", with_json(by_bearer(fresh_token(server, 3))));
    ASSERT_EQ(exchanged.status, 200) << exchanged.body;
    all["the access cookie of an exchange"] = exchanged.cookie("service-access-token");
    all["the refresh cookie of an exchange"] = exchanged.cookie("service-refresh-token");
    const auto refreshed = client.send("POST", "/api/v2/auth/refresh", by_refresh_cookie(session.refresh_cookie));
    ASSERT_EQ(refreshed.status, 200) << refreshed.body;
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
  expect_none(all, "PostgreSQL's log", whole(postgres.directory() / "log") + "that is all");
  const auto dump = run_program(
    {"/usr/lib/postgresql/15/bin/pg_dump", "-h", postgres.directory().string(), "-U", "postgres", "-d", "credence"});
  ASSERT_EQ(dump.code, 0) << dump.err;
  EXPECT_NE(dump.out.find("COPY public.idempotency_records"), std::string::npos);
  expect_none(all, "the database", dump.out);
  const auto directory = server.data_dir() / "export";
  ASSERT_EQ(server.command({"export", "--to", directory.string(), "--quiet"}).code, 0);
  std::string exported;
  for (const auto& each : std::filesystem::directory_iterator{directory})
    exported += whole(each.path());
  expect_none(all, "an export", exported);
}

} // namespace
} // namespace credence::test
