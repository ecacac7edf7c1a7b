#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

// What admins change of markets over the admin API, and what traders see of it.

namespace credence::test {
namespace {

constexpr int owner = 3;
constexpr int trader = 4;
constexpr int runner = 5; // an operator
const std::string market = std::to_string(owner);
const std::string ether = "1000000000000000000";
const std::string api = "/admin/api/v1";
const std::string buy = R"({"action":"buy","voteType":"trust","votes":1})";
const std::string sell = R"({"action":"sell","voteType":"trust","votes":1})";

/// A market on which the trader holds two votes of trust.
class AdminMarkets : public testing::Test {
protected:
  void SetUp() override {
    start();
    for (const int who : {owner, trader})
      ASSERT_EQ(send("POST", "/people/" + std::to_string(who) + "/credit",
                     R"({"amountWei":")" + ether + R"(","confirm":")" + std::to_string(who) + "\"}")
                  .status,
                200);
    ASSERT_EQ(post("/api/v2/markets", R"({"configType":"NORMAL"})", owner).status, 200);
    ASSERT_EQ(post(trades, R"({"action":"buy","voteType":"trust","votes":2})").status, 200);
  }
  void start() { server.start({"--admin", "1", "--auth-operators", std::to_string(runner)}); }

  /// By an admin at the console, unless a token says otherwise.
  http_response send(const std::string& method, const std::string& path, const std::string& body = {},
                     std::string token = {}) {
    if (token.empty()) {
      const auto made = server.command({"token", "1", "--admin"});
      token = made.out.substr(0, made.out.find('\n'));
    }
    const auto by = by_bearer(token);
    return http_client{server.admin_port()}.send(method, api + path, body.empty() ? by : with_json(by), body);
  }
  http_response set_frozen(bool frozen) {
    return send("PUT", "/markets/" + market + "/frozen",
                R"({"frozen":)" + std::string{frozen ? "true" : "false"} + R"(,"confirm":")" + market + "\"}");
  }
  http_response post(const std::string& path, const std::string& body, int by = trader) {
    return server.client().send("POST", path, with_json(by_bearer(server.token(by))), body);
  }
  http_response get(const std::string& path) { return server.client().get(path); }
  std::string newest(const std::string& act, const std::string& column) {
    return server.database().sql("SELECT coalesce(" + column + "::text, 'null') FROM audit_log WHERE act = '" + act
                                 + "' ORDER BY number DESC LIMIT 1");
  }
  static std::int64_t points_of(const http_response& chart) {
    std::int64_t out = 0;
    for (auto at = chart.body.find(R"({"at":)"); at != std::string::npos; at = chart.body.find(R"({"at":)", at + 1))
      ++out;
    return out;
  }
  static std::string price_at(const http_response& chart, std::int64_t point) {
    return json_text(chart.body, "/values/" + std::to_string(point) + "/trustPriceWei");
  }
  bool shown_frozen() { return send("GET", "/markets/" + market).body.find(R"("frozen":true)") != std::string::npos; }

  /// Nobody buys, sells or is told what that would come to; all else can be read.
  void expect_frozen() {
    for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
           {trades, buy},
           {trades, sell},
           {trades + "?dryRun=true", buy},
           {"/api/v2/markets/" + market + "/quote", sell},
           {"/api/v2/markets/simulate-buy",
            R"({"profileId":)" + market + R"(,"voteType":"trust","buyAmountWei":"100000000000000000"})"},
           {"/api/v2/markets/simulate-sell", R"({"profileId":)" + market + R"(,"voteType":"trust","sellVotes":1})"}}) {
      const auto refused = post(path, body);
      EXPECT_EQ(refused.status, 409) << path << refused.body;
      EXPECT_EQ(json_text(refused.body, "/code"), "MARKET_FROZEN") << path;
    }
    EXPECT_EQ(json_number(get("/api/v1/markets/" + market).body, "/data/trustVotes"), 3);
    EXPECT_EQ(json_number(get("/api/v2/markets/" + market + "/holders").body, "/values/0/votes"), 2);
    for (const auto* path : {"/price/history", "/change", "/info"})
      EXPECT_EQ(get("/api/v2/markets/" + market + path).status, 200) << path;
    EXPECT_EQ(json_number(get("/api/v1/markets/" + market + "/tx/history").body, "/data/total"), 1);
    EXPECT_EQ(json_number(get("/api/v2/markets").body, "/total"), 1);
    const auto funds = server.client().get("/api/v2/markets/me/balance", server.token(trader)).body;
    EXPECT_EQ(json_text(funds, "/available"), json_text(funds, "/balance")) << "nothing is left set aside";
    EXPECT_TRUE(shown_frozen());
  }

  service server;
  const std::string trades = "/api/v2/markets/" + market + "/trades";
};

TEST_F(AdminMarkets, AFrozenOneTakesNoTradesAlsoAfterAKillUntilItGoesOn) {
  EXPECT_FALSE(shown_frozen());
  ASSERT_EQ(set_frozen(true).status, 200);
  expect_frozen();
  ASSERT_EQ(send("POST", "/actors/market:" + market + "/reload").status, 200);
  expect_frozen();
  server.kill_hard();
  start();
  expect_frozen();
  ASSERT_EQ(set_frozen(false).status, 200);
  EXPECT_FALSE(shown_frozen());
  EXPECT_EQ(post("/api/v2/markets/" + market + "/quote", buy).status, 200);
  EXPECT_EQ(post(trades, buy).status, 200);
  EXPECT_EQ(post(trades, sell).status, 200);
  const auto found = server.command({"verify", "--server", "http://127.0.0.1:" + std::to_string(server.port())});
  EXPECT_EQ(found.code, 0) << found.out << found.err;
}

TEST_F(AdminMarkets, TheAuditSaysWhoFrozeOneAndWhoLetItGoOn) {
  ASSERT_EQ(set_frozen(true).status, 200);
  EXPECT_EQ(newest("market_frozen", "caller_id"), "1");
  EXPECT_EQ(newest("market_frozen", "profile_id"), market);
  EXPECT_EQ(newest("market_frozen", "subject"), "market " + market);
  EXPECT_EQ(newest("market_frozen", "before"), "open");
  EXPECT_EQ(newest("market_frozen", "after"), "frozen");
  ASSERT_EQ(set_frozen(true).status, 200);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'market_frozen'"), "1")
    << "it was so already";
  ASSERT_EQ(set_frozen(false).status, 200);
  EXPECT_EQ(newest("market_unfrozen", "caller_id"), "1");
  EXPECT_EQ(newest("market_unfrozen", "before"), "frozen");
  EXPECT_EQ(newest("market_unfrozen", "after"), "open");
}

TEST_F(AdminMarkets, OneIsFrozenOnlyByAnAdminWhoTypesItsIdOnceMore) {
  const auto path = "/markets/" + market + "/frozen";
  EXPECT_EQ(send("PUT", path, R"({"frozen":true,"confirm":"3"})", server.token(runner)).status, 403)
    << "an operator does not";
  for (const auto* body : {R"({"frozen":true})", R"({"frozen":true,"confirm":"4"})", R"({"confirm":"3"})",
                           R"({"frozen":"yes","confirm":"3"})"})
    EXPECT_EQ(send("PUT", path, body).status, 400) << body;
  EXPECT_EQ(send("PUT", "/markets/0/frozen", R"({"frozen":true,"confirm":"0"})").status, 400);
  EXPECT_EQ(send("PUT", "/markets/9/frozen", R"({"frozen":true,"confirm":"9"})").status, 404) << "there is none";
  EXPECT_FALSE(shown_frozen());
  EXPECT_EQ(post(trades, buy).status, 200);
}

TEST_F(AdminMarkets, TheirPricesOfTheLastHourEndWithThoseOfNow) {
  const auto chart = "/markets/" + market + "/chart";
  const auto price_now = json_text(send("GET", "/markets/" + market).body, "/trustPriceWei");
  const auto fresh = send("GET", chart + "?window=1H", {}, server.token(runner));
  ASSERT_EQ(fresh.status, 200) << fresh.body;
  EXPECT_EQ(price_at(fresh, points_of(fresh) - 1), price_now) << "also of a trade that was made just now";
  server.database().sql("SET session_replication_role = replica;"
                        "UPDATE markets SET created_at = created_at - interval '40 minutes' WHERE profile_id = "
                        + market
                        + ";UPDATE market_trades SET at = at - interval '20 minutes' WHERE market_id = " + market);
  const auto hour = send("GET", chart + "?window=1H");
  const auto points = points_of(hour);
  EXPECT_GE(points, 79) << "one in half a minute: " << hour.body;
  EXPECT_LE(points, 83) << "none before it was opened: " << hour.body;
  EXPECT_EQ(price_at(hour, 0), "5000000000000000");
  EXPECT_EQ(price_at(hour, points / 4), "5000000000000000") << "nobody had traded yet";
  EXPECT_EQ(price_at(hour, points * 3 / 4), price_now);
  EXPECT_EQ(price_at(hour, points - 1), price_now);
  EXPECT_EQ(send("GET", chart + "?window=2D").status, 400);
  EXPECT_EQ(send("GET", "/markets/9/chart").status, 404) << "there is none";
  EXPECT_EQ(send("GET", chart, {}, server.token(trader)).status, 403);
}

} // namespace
} // namespace credence::test
