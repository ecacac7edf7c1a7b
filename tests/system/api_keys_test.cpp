#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <set>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

service& shared() {
  return shared_service([](service& one) { one.start({"--public-url", signing_origin, "--admin", "1"}); });
}

constexpr const char* keys_path = "/api/v2/api-keys";
constexpr const char* balance_path = "/api/v2/projects/votes/balance";
const std::string unknown_id = "00000000-0000-4000-8000-000000000000";

struct made_key {
  std::string id;
  std::string token;
};

made_key make_key(const key_order& order) {
  auto client = shared().client();
  const auto answer = post_until_decided(client, keys_path, order.body());
  if (answer.status != 200)
    throw std::runtime_error("no key was made: " + std::to_string(answer.status) + " " + answer.body);
  return {json_text(answer.body, "/id"), json_text(answer.body, "/token")};
}
made_key make_key(int profile) { return make_key(key_order{profile}); }

std::set<std::string> members_of(const std::string& json, const char* pointer = "") {
  simdjson::dom::parser parser;
  std::set<std::string> out;
  const simdjson::dom::object members =
    parser.parse(json).at_pointer(pointer).get_object().value(); // a loop would not keep it
  for (const auto member : members)
    out.emplace(member.key);
  return out;
}

/// `profile`'s keys as it lists them with its access token.
std::string list_of(int profile) { return shared().client().get(keys_path, shared().token(profile)).body; }

std::size_t count_in(const std::string& list) {
  simdjson::dom::parser parser;
  return parser.parse(list).get_array().value().size();
}

/// The listed key with this id, as JSON; empty when it is not there.
std::string entry_in(const std::string& list, const std::string& id) {
  simdjson::dom::parser parser;
  const simdjson::dom::array keys = parser.parse(list).get_array().value();
  for (const auto each : keys)
    if (std::string_view{each["id"]} == id)
      return simdjson::minify(each);
  return {};
}

// -- making -----------------------------------------------------------------------------

TEST(ApiKeys, AreGoodForNinetyDaysUnlessToldOtherwise) {
  const auto before = iso_text(system_now() + 90 * 24h);
  const auto answer = shared().client().post(keys_path, key_order{2}.body());
  const auto after = iso_text(system_now() + 90 * 24h);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(members_of(answer.body), (std::set<std::string>{"expiresAt", "id", "name", "token"}));
  EXPECT_EQ(json_text(answer.body, "/name"), "a bot");
  EXPECT_EQ(json_text(answer.body, "/id").size(), 36u);
  const auto token = json_text(answer.body, "/token");
  EXPECT_TRUE(token.starts_with("crd_ey")) << "a prefix and a JWT";
  EXPECT_EQ(std::count(token.begin(), token.end(), '.'), 2);
  const auto expires = json_text(answer.body, "/expiresAt");
  EXPECT_LE(before, expires);
  EXPECT_LE(expires, after);
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store") << "a token is for its owner alone";
}

TEST(ApiKeys, EndWhenTheyAreToldTo) {
  const auto in = [](auto span) { return iso_text(system_now() + span); };
  struct row {
    std::string request;
    std::string answered;
  };
  const auto soon = in(1min);
  const auto late = in(365 * 24h - 1min);
  for (const auto& [question, answered] : std::vector<row>{
         {soon, soon},
         {late, late},
         {in(24h).substr(0, 19) + "Z", ""},
         {in(24h).substr(0, 19) + "+00:00", ""},
         {in(48h).substr(0, 10), in(48h).substr(0, 10) + "T23:59:59.999Z"}, // a day counts to its end
       }) {
    key_order order{2};
    order.members["expiresAt"] = json_string(question);
    const auto answer = ok(shared().client().post(keys_path, order.body()));
    EXPECT_EQ(json_text(answer.body, "/expiresAt"), answered.empty() ? question.substr(0, 19) + ".000Z" : answered);
  }
}

TEST(ApiKeys, LastAsLongAsTheyMayThoughTheClientsClockIsAhead) {
  key_order order{2};
  order.members["expiresAt"] = json_string(iso_text(system_now() + 30s + 365 * 24h));
  const auto before = iso_text(system_now() + 365 * 24h);
  const auto answer = ok(shared().client().post(keys_path, order.body()));
  EXPECT_LE(before, json_text(answer.body, "/expiresAt"));
  EXPECT_LE(json_text(answer.body, "/expiresAt"), iso_text(system_now() + 365 * 24h)) << "and not longer";
}

TEST(ApiKeys, HaveNamesOfOneToAHundredCharacters) {
  std::string hundred;
  for (int i = 0; i < 100; ++i)
    hundred += "é";
  for (const auto& name : {std::string{"x"}, hundred, std::string{"it's \"mine\" \\ 机器人"}}) {
    key_order order{2};
    order.members["name"] = json_string(name);
    const auto answer = ok(shared().client().post(keys_path, order.body()));
    EXPECT_EQ(json_text(answer.body, "/name"), name);
    EXPECT_EQ(json_text(entry_in(list_of(2), json_text(answer.body, "/id")), "/name"), name);
  }
}

TEST(ApiKeys, AreToldOnceAndKeptNowhere) {
  const auto key = make_key(2);
  auto client = shared().client();
  EXPECT_EQ(with_key(client, "GET", balance_path, key.token).status, 200);
  EXPECT_EQ(shared().database().sql("SELECT id FROM api_keys WHERE token_hash = sha256('" + key.token + "')"), key.id);
  const auto rows = shared().database().sql("SELECT * FROM api_keys; SELECT * FROM idempotency_records");
  EXPECT_FALSE(has(rows, key.token));
  EXPECT_FALSE(has(list_of(2), key.token));
  EXPECT_FALSE(has(shared().log(), key.token));
}

// -- listing ----------------------------------------------------------------------------

TEST(ApiKeys, AreListedWithEverythingButTheirToken) {
  key_order order{4};
  order.members["name"] = R"("first")";
  const auto first = make_key(order);
  const auto second = make_key(4);
  const auto list = list_of(4);
  ASSERT_EQ(count_in(list), 2u) << list;
  EXPECT_EQ(json_text(list, "/0/id"), second.id) << "the newest comes first";
  EXPECT_EQ(members_of(list, "/1"),
            (std::set<std::string>{"address", "createdAt", "expiresAt", "id", "lastUsedAt", "name", "profileId"}));
  EXPECT_TRUE(tells(list, "/1/id", first.id, "/1/address", order.address, "/1/name", "first", "/1/profileId", 4));
  EXPECT_LT(json_text(list, "/1/createdAt"), json_text(list, "/1/expiresAt"));
  EXPECT_TRUE(has(list, R"("lastUsedAt":null)"));
  auto client = shared().client();
  EXPECT_EQ(count_in(with_key(client, "GET", keys_path, first.token).body), 2u) << "a key lists its fellows";
  EXPECT_EQ(list_of(10), "[]") << "nobody else's";
  EXPECT_EQ(client.get(keys_path).status, 401);
}

TEST(ApiKeys, SayWhenTheyWereLastUsed) {
  auto client = shared().client();
  made_key key;
  timestamp before, after;
  for (bool steady = false; !steady;) { // a machine that sets its clock right meanwhile tells nothing
    key = make_key(5);
    EXPECT_TRUE(has(entry_in(list_of(5), key.id), R"("lastUsedAt":null)"));
    const auto began = std::chrono::steady_clock::now();
    before = system_now();
    ASSERT_EQ(with_key(client, "GET", balance_path, key.token).status, 200);
    after = system_now();
    const auto took = std::chrono::steady_clock::now() - began;
    steady = std::chrono::abs(took - (after - before)) < 1ms;
  }
  const auto listed = json_text(entry_in(list_of(5), key.id), "/lastUsedAt");
  EXPECT_LE(iso_text(before), listed);
  EXPECT_LE(listed, iso_text(after));
  // And that is stored, a little later.
  std::string stored;
  EXPECT_TRUE(await("the moment, stored", [&] {
    return !(stored = shared().database().sql("SELECT last_used_at FROM api_keys WHERE id = '" + key.id + "'")).empty();
  }));
}

// -- using ------------------------------------------------------------------------------

TEST(ApiKeys, ActAsTheProfileThatMadeThem) {
  const auto key = make_key(5).token;
  auto client = shared().client();
  const auto vote = with_key(client, "POST", "/api/v2/projects/2/votes", key, R"({"voteType":"BULLISH"})");
  EXPECT_TRUE(vote.status == 200 || json_text(vote.body, "/code") == "ALREADY_VOTED") << vote.body;
  EXPECT_EQ(with_key(client, "GET", balance_path + std::string{"?projectId=2"}, key).body,
            client.get(balance_path + std::string{"?projectId=2"}, shared().token(5)).body);
  const auto tip =
    ok(with_key(client, "POST", "/api/v2/xp/tip", key, R"({"receiverUserkey":"profileId:6","amount":5})"));
  const auto self = with_key(client, "POST", "/api/v2/xp/tip", key, R"({"receiverUserkey":"profileId:5","amount":5})");
  EXPECT_EQ(json_text(self.body, "/code"), "CANNOT_TIP_SELF") << "it knows whose it is";
}

TEST(ApiKeys, AreNoAdmins) {
  const auto key = make_key(1).token;
  auto client = shared().client();
  EXPECT_EQ(with_key(client, "POST", "/api/v2/projects/votes/reallocate", key).status, 403);
}

TEST(ApiKeys, AreNoBearerTokensAndTheOtherWayRound) {
  const auto key = make_key(3).token;
  auto client = shared().client();
  const auto answer = client.get(balance_path, key);
  EXPECT_EQ(code(answer), "401 UNAUTHORIZED");
  EXPECT_TRUE(has(json_text(answer.body, "/message"), "X-Service-Api-Key")) << answer.body;
  EXPECT_EQ(client.get(balance_path, key.substr(4)).status, 401) << "nor is the JWT within";
  EXPECT_EQ(with_key(client, "GET", balance_path, shared().token(3)).status, 401);
  EXPECT_EQ(with_key(client, "GET", balance_path, "crd_" + shared().token(3)).status, 401);
}

TEST(ApiKeys, GiveWayToABearerToken) {
  const auto key = make_key(6);
  auto client = shared().client();
  const auto both = [&](const std::string& bearer) {
    return client.send("GET", keys_path, {{"X-Service-Api-Key", key.token}, {"Authorization", "Bearer " + bearer}});
  };
  EXPECT_EQ(both(shared().token(10)).body, "[]") << "profile 10 has none";
  EXPECT_EQ(both("no.such.token").status, 401) << "which the key does not make good";
  EXPECT_EQ(both("").status, 401);
  const auto other =
    client.send("GET", keys_path, {{"X-Service-Api-Key", "crd_x"}, {"Authorization", "Bearer " + shared().token(10)}});
  EXPECT_EQ(other.status, 200) << "nor a bad key bad";
}

TEST(ApiKeys, AreRefusedUnlessTheyAreExactlyOne) {
  const auto key = make_key(3).token;
  const auto other = make_key(3).token;
  auto client = shared().client();
  const auto status = [&](const http_headers& headers) {
    const auto answer = client.send("GET", balance_path, headers);
    EXPECT_TRUE(answer.status == 200 || json_text(answer.body, "/code") == "UNAUTHORIZED") << answer.body;
    return answer.status;
  };
  EXPECT_EQ(status({{"X-Service-Api-Key", key}, {"X-Service-Api-Key", key}}), 401);
  EXPECT_EQ(status({{"X-Service-Api-Key", key}, {"X-Service-Api-Key", other}}), 401);
  auto forged = key;
  forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
  for (const auto& bad : {std::string{}, key.substr(4), key.substr(0, key.size() - 1), key + "A", key + " " + other,
                          forged, "sk_" + key.substr(4), "CRD_" + key.substr(4), std::string{"crd_"},
                          std::string{"crd_a.b.c"}, key.substr(0, key.rfind('.') + 1),
                          key.substr(0, key.rfind('.')) + other.substr(other.rfind('.')), std::string(5000, 'a')})
    EXPECT_EQ(status({{"X-Service-Api-Key", bad}}), 401) << bad.substr(0, 60);
  EXPECT_EQ(status({{"x-service-api-key", key}}), 200);
}

TEST(ApiKeys, EndByThemselves) {
  key_order order{3};
  order.members["expiresAt"] = json_string(iso_text(system_now() + 5s)); // it is made before that
  const auto answer = ok(shared().client().post(keys_path, order.body()));
  auto client = shared().client();
  const auto token = json_text(answer.body, "/token");
  await("the key's end", [&] { return with_key(client, "GET", balance_path, token).status != 200; });
  EXPECT_GE(iso_text(system_now()), json_text(answer.body, "/expiresAt")) << "not before its time";
  EXPECT_EQ(with_key(client, "GET", balance_path, token).status, 401);
  EXPECT_FALSE(entry_in(list_of(3), json_text(answer.body, "/id")).empty()) << "its owner sees it still";
}

TEST(ApiKeys, StopWhereAccessIsTakenAway) {
  const auto key = make_key(7).token;
  auto client = shared().client();
  ASSERT_EQ(with_key(client, "GET", balance_path, key).status, 200);
  shared().database().sql("UPDATE profiles SET api_access = false WHERE id = 7");
  EXPECT_EQ(client.post(keys_path, key_order{7}.body()).status, 403);
  const auto answer = with_key(client, "GET", balance_path, key);
  EXPECT_EQ(code(answer), "403 FORBIDDEN");
  shared().database().sql("UPDATE profiles SET api_access = true WHERE id = 7");
  EXPECT_EQ(client.post(keys_path, key_order{7}.body()).status, 200);
  EXPECT_EQ(with_key(client, "GET", balance_path, key).status, 200);
}

// -- revoking ---------------------------------------------------------------------------

TEST(ApiKeys, AreRevokedByTheirOwnerAlone) {
  const auto key = make_key(3);
  auto client = shared().client();
  const auto revoke = [&](const std::string& id, int profile) {
    return client.send("DELETE", keys_path + ("/" + id), {{"Authorization", "Bearer " + shared().token(profile)}});
  };
  struct row {
    std::string id;
    int by;
  };
  std::string said;
  for (const auto& [id, by] :
       std::vector<row>{{key.id, 4}, {unknown_id, 3}, {"1", 3}, {"not-a-key", 3}, {key.id + "0", 3}, {"%00", 3}}) {
    const auto answer = revoke(id, by);
    EXPECT_EQ(answer.status, id == "%00" ? 400 : 404) << id << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), id == "%00" ? "BAD_REQUEST" : "KEY_NOT_FOUND") << id;
    if (id.size() == 36) { // somebody else's reads like one that never was
      auto about = answer.body;
      about.replace(about.find(id), id.size(), "<id>");
      EXPECT_TRUE(said.empty() || said == about) << about;
      said = about;
    }
  }
  EXPECT_EQ(with_key(client, "GET", balance_path, key.token).status, 200);
  EXPECT_EQ(client.send("DELETE", keys_path + ("/" + key.id)).status, 401);
  const auto done = ok(revoke(key.id, 3));
  EXPECT_EQ(done.body, R"({"ok":true})");
  EXPECT_EQ(with_key(client, "GET", balance_path, key.token).status, 401);
  EXPECT_EQ(revoke(key.id, 3).status, 404) << "it is gone";
  EXPECT_TRUE(entry_in(list_of(3), key.id).empty());
}

TEST(ApiKeys, RevokeThemselvesAndEachOther) {
  const auto first = make_key(3);
  const auto second = make_key(3);
  auto client = shared().client();
  EXPECT_EQ(with_key(client, "DELETE", keys_path + ("/" + second.id), first.token).status, 200);
  EXPECT_EQ(with_key(client, "GET", keys_path, second.token).status, 401);
  EXPECT_EQ(with_key(client, "DELETE", keys_path + ("/" + first.id), first.token).status, 200);
  EXPECT_EQ(with_key(client, "DELETE", keys_path + ("/" + first.id), first.token).status, 401);
}

// Keys that sign tokens, and tokens that operators make with them.

constexpr const char* balance = "/api/v2/projects/votes/balance";
constexpr const char* reallocate = "/api/v2/projects/votes/reallocate";

struct SigningKeys : testing::Test {
  SigningKeys() { link_wallet(server, wallet, 3); }

  void restart() {
    server.kill_hard();
    server.start();
  }
  int status(const http_headers& as) { return server.client().send("GET", balance, as).status; }
  std::string minted(std::vector<std::string> words) {
    words.insert(words.begin(), "token");
    words.emplace_back("--json");
    const auto done = server.command(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  }
  int advance(const std::string& token) { return server.client().post(reallocate, "{}", token).status; }

  const auth::wallet wallet{"somebody with an old key"};
  service server;
};

TEST_F(SigningKeys, WhatAnOlderOneSignedHoldsUntilItIsRetired) {
  server.start();
  const auto token = server.token(3);
  const auto key = make_key(server, wallet);
  const auto session = log_in(server, wallet);
  const auto old = server.command({"signing-keys", "list"}).out.substr(0, 16);
  ASSERT_EQ(server.command({"signing-keys", "rotate"}).code, 0);
  EXPECT_EQ(server.command({"signing-keys", "retire", "0000000000000000"}).code, 1) << "there is none of that id";
  restart();
  EXPECT_EQ(status(by_bearer(token)), 200);
  EXPECT_EQ(status(by_key(key.token)), 200);
  EXPECT_EQ(status(by_cookie(session.access_cookie)), 200);
  EXPECT_EQ(status(by_bearer(log_in(server, wallet).access_token)), 200);
  const auto fresh = fresh_token(server, 3);
  EXPECT_NE(fresh.substr(0, fresh.find('.')), token.substr(0, token.find('.'))) << "signed with another key";
  EXPECT_EQ(status(by_bearer(fresh)), 200);
  const auto listed = server.command({"signing-keys", "list"}).out;
  EXPECT_TRUE(has(listed, old + " signed before"));
  EXPECT_EQ(server.command({"signing-keys", "retire", listed.substr(0, 16)}).code, 1) << "the one that signs stays";
  ASSERT_EQ(server.command({"signing-keys", "retire", old}).code, 0);
  restart();
  EXPECT_EQ(status(by_bearer(token)), 401);
  EXPECT_EQ(status(by_key(key.token)), 401);
  EXPECT_EQ(status(by_bearer(fresh)), 200);
}

TEST_F(SigningKeys, ConfiguredOnesAreReplacedTheSameWay) {
  const std::string first(40, 'a'), second(40, 'b');
  const auth::token_rules by_first{secret{first}, "credence", "credence-api", 30s};
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  const auto token = auth::mint_access_token(by_first, profile_id{3}, false, now, 1h);
  server.run_with({{"CREDENCE_AUTH_TOKEN_SECRET", second}, {"CREDENCE_AUTH_TOKEN_SECRET_BEFORE", first}});
  server.start();
  EXPECT_EQ(status(by_bearer(token)), 200);
  server.run_with({{"CREDENCE_AUTH_TOKEN_SECRET", second}});
  restart();
  EXPECT_EQ(status(by_bearer(token)), 401);
}

TEST_F(SigningKeys, AnAdminsTokenLivesHoursAndIsTakenBack) {
  server.start();
  EXPECT_EQ(server.command({"token", "7", "--admin", "--lifetime", "86401"}).code, 2);
  for (const auto* no_id : {"abc", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"})
    EXPECT_EQ(server.command({"revoke", "7", no_id}).code, 2) << no_id << " is the id of no token";
  EXPECT_TRUE(ended(server.command({"revoke", "999999", std::string(32, 'a')}), 1, "there is no profile 999999"));
  const auto made = minted({"7", "--admin"});
  EXPECT_EQ(json_number(made, "/expiresIn"), 8 * 3600);
  const auto token = json_text(made, "/token");
  const auto other = json_text(minted({"7", "--admin"}), "/token");
  ASSERT_EQ(advance(token), 200);
  ASSERT_EQ(advance(other), 200);
  ASSERT_EQ(server.command({"revoke", "7", json_text(made, "/id")}).code, 0);
  await("the token's end", [&] { return status(by_bearer(token)) != 200; });
  EXPECT_EQ(advance(token), 401);
  EXPECT_EQ(status(by_bearer(token)), 401) << "nor is it good for anything else";
  EXPECT_EQ(advance(other), 200);
  ASSERT_EQ(server.command({"revoke", "7", other}).code, 0) << "the token does as well as its id";
  restart();
  EXPECT_EQ(advance(token), 401);
  EXPECT_EQ(advance(other), 401);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'token_revoked' AND profile_id = 7"),
            "2");
}

TEST_F(SigningKeys, ATokenThatLivesForLongIsNobodysAdmin) {
  server.start({"--admin", "1"});
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  auth::token_claims claims;
  claims.profile = profile_id{7};
  claims.admin = true;
  claims.id = "an-id";
  claims.issued_at = now;
  claims.expires_at = now + 24h * 365;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
  claims.profile = profile_id{1}; // in auth.admins
  claims.admin = false;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
  claims.expires_at = now + 1h;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 200);
  claims.profile = profile_id{7};
  claims.admin = true;
  claims.id.clear(); // nobody could take it back
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
}

} // namespace
} // namespace credence::test
