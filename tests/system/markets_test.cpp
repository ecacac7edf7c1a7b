#include "actors/domain/wei.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <mutex>

namespace credence::test {
namespace {

constexpr int owner = 3;
constexpr int trader = 4;
constexpr int other = 5;
const std::string ether = "1000000000000000000";

std::string order(const std::string& action, const std::string& side, const std::string& more) {
  return R"({"action":")" + action + R"(","voteType":")" + side + "\"," + more + "}";
}

struct Markets : testing::Test {
  void SetUp() override { server.start(); }

  http_response post(const std::string& path, const std::string& body, int by, const std::string& key = {}) {
    return server.client().send("POST", path, with_json(by_bearer(server.token(by)), key), body);
  }
  http_response get(const std::string& path) { return server.client().get(path); }
  void deposit(int profile, const std::string& amount) {
    ok(post("/api/v2/markets/deposits",
            R"({"profileId":)" + std::to_string(profile) + R"(,"amount":")" + amount + "\"}", 1));
  }
  void open(int profile, const std::string& tier = "NORMAL") {
    deposit(profile, ether);
    ok(post("/api/v2/markets", R"({"configType":")" + tier + "\"}", profile));
  }
  http_response trade(const std::string& body, int by = trader, const std::string& key = {}) {
    return post("/api/v2/markets/3/trades", body, by, key);
  }
  std::string balance(int of) {
    return json_text(server.client().get("/api/v2/markets/me/balance", server.token(of)).body, "/balance");
  }
  void expect_refused(const http_response& answer, int status, const std::string& code) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), code) << answer.body;
  }
  void expect_v1_error(const std::string& path, int status, const std::string& code) {
    const auto answer = get(path);
    EXPECT_EQ(answer.status, status) << path << answer.body;
    EXPECT_EQ(json_text(answer.body, "/error/code"), code) << path << answer.body;
  }
  void expect_verified() { EXPECT_TRUE(sound(server, true)); }

  service server;
};

/// The market of `owner`, of which `trader` buys 1000 votes and sells 400, and what every read makes of them.
struct TradedMarket : Markets {
  void buy() {
    open(owner);
    deposit(trader, "20" + ether.substr(1));
    bought = trade(order("buy", "trust", R"("votes":1000)"));
    ASSERT_EQ(bought.status, 200) << bought.body;
    EXPECT_EQ(json_text(bought.body, "/positivePrice"), "6607563687658171") << "the public sample of 1001 and 1 votes";
    EXPECT_TRUE(tells(bought.body, "/negativePrice", "3392436312341829", "/votesHeld", 1000));
    paid = *parse_wei(json_text(bought.body, "/funds"));
    EXPECT_EQ(balance(trader), decimal(*parse_wei("20" + ether.substr(1)) - paid));
    EXPECT_EQ(json_text(bought.body, "/balance"), balance(trader));
    EXPECT_EQ(balance(owner),
              decimal(*parse_wei("900000000000000000") + *parse_wei(json_text(bought.body, "/donation"))));
  }

  void sell() {
    sold = trade(order("sell", "trust", R"("votes":400)"));
    ASSERT_EQ(sold.status, 200) << sold.body;
  }

  void expect_shown_by_v1() {
    const auto shown = get("/api/v1/markets/3");
    EXPECT_TRUE(tells(shown.body, "/data/trustVotes", 1001, "/data/positivePrice", "6607563687658171"));
    EXPECT_TRUE(
      tells(shown.body, "/data/stats/marketCapWei", decimal(paid), "/data/stats/volume24hWei", decimal(paid)));
    EXPECT_TRUE(tells(shown.body, "/data/stats/priceChange24hPercent", 32, "/data/configType", "NORMAL"));
    EXPECT_EQ(get("/api/v1/markets/search?limit=1").body,
              R"({"ok":true,"data":[)" + shown.body.substr(18, shown.body.size() - 19) + "]}");
    const auto name = json_text(shown.body, "/data/profile/name");
    EXPECT_EQ(
      json_number(get("/api/v1/markets/search?q=" + name.substr(0, name.find(' '))).body, "/data/0/marketProfileId"),
      3);
  }

  void expect_shown_by_v2() {
    const auto newer = get("/api/v2/markets/3");
    EXPECT_TRUE(tells(newer.body, "/id", 3, "/user/profileId", 3));
    EXPECT_EQ(json_text(newer.body, "/stats/marketCapChange24hWei"), decimal(paid)) << "there was nothing a day ago";
    EXPECT_EQ(json_number(newer.body, "/stats/marketCapChange24hPercent"), 0);
    for (const auto* gone : {"marketProfileId", R"("profile":{)"})
      EXPECT_FALSE(has(newer.body, gone));
    EXPECT_EQ(get("/api/v2/markets").body, R"({"values":[)" + newer.body + R"(],"total":1,"limit":50,"offset":0})");
    EXPECT_EQ(get("/api/v1/markets/search?offset=1").body, R"({"ok":true,"data":[]})") << "searches are paged through";
    EXPECT_TRUE(has(get("/api/v2/markets/3/change").body, R"("latestUsd":null)")) << "no price of an ether is set";
    const auto price = get("/api/v2/exchange-rates/eth-price-in-usd");
    EXPECT_EQ(code(price), "404 EXCHANGE_RATE_NOT_SET") << price.body;
  }

  void expect_trades_and_prices() {
    const auto list = get("/api/v1/markets/3/tx/history");
    EXPECT_EQ(json_number(list.body, "/data/total"), 2);
    EXPECT_EQ(json_text(list.body, "/data/values/0/type"), "SELL") << "newest first";
    EXPECT_TRUE(tells(list.body, "/data/values/0/funds", json_text(sold.body, "/funds"), "/data/values/1/eventId",
                      json_number(bought.body, "/tradeId")));
    EXPECT_EQ(json_number(get("/api/v1/markets/3/tx/history?voteTypeFilter=distrust").body, "/data/total"), 0);
    const auto prices = get("/api/v1/markets/3/price/history");
    EXPECT_EQ(json_text(prices.body, "/data/0/priceWei"), "5000000000000000") << "oldest first";
    EXPECT_EQ(json_text(prices.body, "/data/2/positivePrice"), json_text(sold.body, "/positivePrice"));
    EXPECT_EQ(json_text(get("/api/v1/markets/3/price/history?limit=1").body, "/data/0/priceWei"),
              json_text(sold.body, "/positivePrice"))
      << "the newest";
    EXPECT_EQ(json_text(get("/api/v1/markets/3/price/history?limit=1&offset=2").body, "/data/0/priceWei"),
              "5000000000000000");
    EXPECT_EQ(get("/api/v1/markets/3/price/history?offset=3").body, R"({"ok":true,"data":[]})");
  }

  /// The trader holds 600 votes, and is known by an address.
  void expect_holder() {
    const auto holders = get("/api/v1/markets/3/holders");
    EXPECT_EQ(json_text(holders.body, "/data/all/0/total"), "600n");
    EXPECT_EQ(get("/api/v1/markets/3/holders?limit=5&offset=1").body,
              R"({"ok":true,"data":{"all":[],"total":1,"limit":5,"offset":1}})");
    account = json_text(holders.body, "/data/all/0/actorAddress");
    EXPECT_EQ(account, json_text(get("/api/v1/markets/3/tx/history").body, "/data/values/0/actorAddress"));
    EXPECT_EQ(json_number(get("/api/v1/markets/activity/" + account).body, "/data/total"), 2);
    const auto worth = decimal(*parse_wei(json_text(sold.body, "/positivePrice")) * 600);
    EXPECT_EQ(json_text(get("/api/v1/markets/holdings/" + account).body, "/data/0/balanceWei"), worth);
    EXPECT_EQ(json_text(get("/api/v1/markets/holdings/" + account + "/total").body, "/data/totalValue"), worth + "n");
    funds = paid + *parse_wei(json_text(sold.body, "/funds"));
    EXPECT_EQ(json_text(get("/api/v1/markets/volume/" + account).body, "/data/totalVolumeWei"), decimal(funds));
    profit = wei_change{*parse_wei(worth)} + wei_change{*parse_wei(json_text(sold.body, "/funds"))} - wei_change{paid};
    EXPECT_EQ(get("/api/v1/markets/leaderboard/profit").body,
              R"({"ok":true,"data":[{"profit":")" + decimal(profit) + R"(","address":")" + account + "\"}]}");
  }

  /// Version 2 answers with what version 1 has as its data.
  void expect_in_both_versions() {
    for (const auto& path : {std::string{"3/tx/history"}, "activity/" + account, "holdings/" + account,
                             "volume/" + account, std::string{"leaderboard/profit"}, std::string{"leaderboard/xp"}}) {
      const auto old = get("/api/v1/markets/" + path);
      EXPECT_EQ(old.body, R"({"ok":true,"data":)" + get("/api/v2/markets/" + path).body + "}") << path;
      EXPECT_EQ(old.headers.at("link"), "</api/v2/markets/" + path + R"(>; rel="successor-version")");
    }
    const auto value = json_text(get("/api/v2/markets/holdings/" + account + "/total").body, "/totalValue");
    EXPECT_EQ(json_text(get("/api/v1/markets/holdings/" + account + "/total").body, "/data/totalValue"), value + "n");
    EXPECT_EQ(code(get("/api/v2/markets/activity/nobody")), "400 BAD_REQUEST") << "an error of version 2";
  }

  http_response bought, sold;
  wei paid, funds; // of the purchase; of both trades
  wei_change profit;
  std::string account; // of the trader
};

TEST_F(TradedMarket, IsShownByEveryReadAndAfterAStart) {
  ASSERT_NO_FATAL_FAILURE(buy());
  expect_shown_by_v1();
  expect_shown_by_v2();
  ASSERT_NO_FATAL_FAILURE(sell());
  expect_trades_and_prices();
  expect_holder();
  expect_in_both_versions();
  EXPECT_EQ(json_number(post("/api/v1/markets/bulk", R"({"profileIds":[3]})", trader).body, "/data/0/trustVotes"), 601);
  ASSERT_EQ(post("/api/v2/xp/tip", R"({"receiverUserkey":"profileId:5","amount":1})", trader).status, 200)
    << "whatever takes a number next";
  expect_verified();
  server.terminate();
  server.start();
  EXPECT_EQ(json_number(get("/api/v1/markets/3").body, "/data/trustVotes"), 601) << "also after a start";
  EXPECT_EQ(json_text(get("/api/v1/markets/3").body, "/data/stats/volume24hWei"), decimal(funds));
  EXPECT_EQ(json_text(get("/api/v1/markets/leaderboard/profit").body, "/data/0/profit"), decimal(profit));
}

TEST_F(Markets, RefuseWithTheRightCode) {
  open(owner);
  deposit(trader, ether);
  expect_refused(post("/api/v2/markets", R"({"configType":"NORMAL"})", owner), 409, "MARKET_EXISTS");
  expect_refused(post("/api/v2/markets", R"({"configType":"normal"})", owner), 400, "BAD_REQUEST");
  expect_refused(post("/api/v2/markets", R"({"configType":"NORMAL"})", other), 400, "INSUFFICIENT_FUNDS");
  expect_refused(trade(order("buy", "trust", R"("votes":1000)")), 400, "INSUFFICIENT_FUNDS");
  expect_refused(trade(order("sell", "trust", R"("votes":1)")), 400, "INSUFFICIENT_VOTES");
  expect_refused(trade(order("buy", "trust", R"("votes":0)")), 400, "BAD_REQUEST");
  expect_refused(trade(order("buy", "trust", R"("votes":1.5)")), 400, "BAD_REQUEST");
  expect_refused(trade(order("hold", "trust", R"("votes":1)")), 400, "BAD_REQUEST");
  expect_refused(trade(order("buy", "doubt", R"("votes":1)")), 400, "BAD_REQUEST");
  expect_refused(trade(order("buy", "trust", R"("maximumCost":"-1")")), 400, "BAD_REQUEST");
  expect_refused(trade(order("buy", "trust", R"("maximumCost":"10")")), 400, "TRADE_TOO_SMALL");
  expect_refused(trade(order("buy", "trust", R"("votes":1,"maximumCost":"10n")")), 400, "SLIPPAGE_LIMIT_EXCEEDED");
  expect_refused(trade(order("buy", "trust", R"("votes":1,"expectedSequence":7)")), 409, "SEQUENCE_MISMATCH");
  expect_refused(trade(order("buy", "trust", R"("votes":1,"deadline":1)")), 400, "DEADLINE_PASSED");
  expect_refused(trade(order("buy", "trust", R"("votes":199999)")), 400, "MARKET_LIMIT_REACHED");
  expect_refused(post("/api/v2/markets/9/trades", order("buy", "trust", R"("votes":1)"), trader), 404, "NOT_FOUND");
  expect_refused(post("/api/v2/markets/deposits", R"({"profileId":3,"amount":"0"})", 1), 400, "INVALID_AMOUNT");
  expect_refused(post("/api/v2/markets/deposits", R"({"profileId":3,"amount":"1"})", trader), 403, "FORBIDDEN");
  expect_refused(post("/api/v2/markets/deposits", R"({"profileId":999999,"amount":"1"})", 1), 403, "PROFILE_NOT_LIVE");
  expect_refused(post("/api/v2/markets/withdrawals", R"({"profileId":4,"amount":"1000000000000000001"})", 1), 400,
                 "INSUFFICIENT_FUNDS");
  EXPECT_EQ(balance(trader), ether) << "nothing of that cost anything";
  for (const auto* path : {"77", "77/price/history", "77/tx/history", "77/holders"})
    expect_v1_error(std::string{"/api/v1/markets/"} + path, 404, "NOT_FOUND");
  for (const auto* path :
       {"activity/0x12", "holdings/nobody", "holdings/0x12/total", "volume/0x", "search?q=a", "search?limit=0",
        "leaderboard/xp?limit=101", "leaderboard/profit?limit=no", "0", "3/tx/history?voteTypeFilter=TRUST"})
    expect_v1_error(std::string{"/api/v1/markets/"} + path, 400, "VALIDATION_ERROR");
  const auto bulk = post("/api/v1/markets/bulk", R"({"profileIds":[3,9]})", trader);
  EXPECT_EQ(bulk.status, 500);
  EXPECT_EQ(bulk.body, R"({"ok":false,"error":{"code":"INTERNAL_SERVER_ERROR","message":"profile 9 has no market"}})");
  EXPECT_EQ(post("/api/v1/markets/bulk", R"({"profileIds":[]})", trader).status, 400);
  expect_verified();
}

TEST_F(Markets, AreFoundByNamesHoweverTheyAreWritten) {
  open(owner);
  server.database().sql("UPDATE users SET display_name = 'Élodie Öztürk' WHERE id = 3");
  for (const auto* text : {"%C3%89lodie", "%C3%A9lodie", "%C3%89LODIE%20%C3%B6z", "%C3%96zt%C3%BCrk"})
    EXPECT_EQ(json_number(get(std::string{"/api/v1/markets/search?q="} + text).body, "/data/0/marketProfileId"), 3)
      << text;
  EXPECT_EQ(json_number(get("/api/v1/markets/search?q=elodie").body, "/data/0/marketProfileId"), 3)
    << "nor does one need the accents";
  EXPECT_EQ(get("/api/v1/markets/search?q=%C3%A9lodia").body, R"({"ok":true,"data":[]})");
  server.database().sql("UPDATE users SET display_name = 'Elodia' WHERE id = 3");
  EXPECT_EQ(json_number(get("/api/v2/markets?filterQuery=elodia").body, "/total"), 1) << "at once";
  deposit(other, ether);
  ASSERT_EQ(post("/api/v2/markets", R"({"configType":"NORMAL"})", other).status, 200);
  EXPECT_EQ(json_number(get("/api/v2/markets").body, "/total"), 2);
  EXPECT_EQ(json_number(get("/api/v2/markets?limit=1").body, "/values/0/id"), other) << "the newest first";
}

TEST_F(Markets, QuotesAndDryRunsAreWhatThenHappens) {
  open(owner, "VOLATILE");
  deposit(trader, ether);
  const auto body = order("buy", "distrust", R"("maximumCost":"100000000000000000n")");
  const auto quoted = post("/api/v2/markets/3/quote", body, trader);
  const auto dry = ok(post("/api/v2/markets/3/trades?dryRun=true", body, trader));
  EXPECT_EQ(balance(trader), ether);
  const auto done = trade(body, trader, "once");
  for (const auto* field : {"/cost", "/funds", "/averagePrice", "/positivePrice", "/negativePrice"}) {
    EXPECT_EQ(json_text(quoted.body, field), json_text(done.body, field)) << field;
    EXPECT_EQ(json_text(dry.body, field), json_text(done.body, field)) << field;
  }
  EXPECT_EQ(json_number(dry.body, "/votesHeld"), json_number(done.body, "/votesHeld"));
  const auto again = trade(body, trader, "once");
  EXPECT_EQ(again.body, done.body) << "a repeat is answered, not traded";
  EXPECT_EQ(json_number(get("/api/v2/markets/3").body, "/sequence"), 1);
}

TEST_F(Markets, ADryRunIsNotKeptUnderItsKey) {
  open(owner);
  deposit(trader, ether);
  const auto body = order("buy", "trust", R"("votes":1)");
  const auto dry = [&] { return post("/api/v2/markets/3/trades?dryRun=true", body, trader, "one"); };
  const auto before = ok(dry());
  const auto done = ok(trade(body, trader, "one"));
  EXPECT_EQ(json_text(done.body, "/cost"), json_text(before.body, "/cost")) << "a trade, not the answer to the dry run";
  const auto after = dry();
  EXPECT_FALSE(after.headers.contains("idempotency-replayed"));
  EXPECT_NE(json_text(after.body, "/cost"), json_text(before.body, "/cost")) << "the next vote costs more";
  EXPECT_EQ(trade(body, trader, "one").body, done.body);
}

TEST_F(Markets, NobodySpendsMoreThanThereIs) {
  open(owner);
  deposit(trader, "100000000000000000"); // 0.1 ether: for 19 votes at about 0.0051
  std::atomic<int> good{0};
  at_once(8, [&] {
    for (int i = 0; i < 10; ++i)
      good += trade(order("buy", "trust", R"("votes":1)")).status == 200 ? 1 : 0;
  });
  EXPECT_EQ(good, 19);
  EXPECT_EQ(json_number(get("/api/v1/markets/3").body, "/data/trustVotes"), 20);
  expect_verified();
}

/// Clients that buy and sell on two markets until it goes away, and what they were told.
class busy_traders {
public:
  using request = std::function<http_response(const std::string& path, const std::string& body, int by)>;

  busy_traders(std::vector<int> who, const request& send) {
    for (const int each : who)
      clients_.emplace_back([this, each, send](const std::stop_token& over) {
        for (int i = 0; !over.stop_requested(); ++i) {
          try {
            const auto answer =
              send(i % 2 ? "/api/v2/markets/3/trades" : "/api/v2/markets/6/trades",
                   order(i % 3 == 2 ? "sell" : "buy", each % 2 ? "trust" : "distrust", R"("votes":2)"), each);
            if (answer.status == 200) {
              const std::lock_guard lock{guard_};
              acknowledged_[json_number(answer.body, "/tradeId")] = json_text(answer.body, "/funds");
            }
          } catch (const std::exception&) { // cut off: the outcome is unknown
          }
        }
      });
  }

  /// Waits until so many more were acknowledged; false when that takes too long.
  bool make(std::size_t more) {
    const auto enough = so_far() + more;
    return comes_true([&] { return so_far() >= enough; });
  }
  /// By trade: funds.
  std::map<std::int64_t, std::string> stop() {
    for (auto& each : clients_)
      each.request_stop();
    clients_.clear();
    return std::move(acknowledged_);
  }

private:
  std::size_t so_far() {
    const std::lock_guard lock{guard_};
    return acknowledged_.size();
  }

  std::mutex guard_;
  std::map<std::int64_t, std::string> acknowledged_;
  std::vector<std::jthread> clients_;
};

/// Under a load of purchases and sales the server is killed again and again: every trade that
/// was acknowledged is there once, and all money is somewhere.
TEST_F(Markets, KeepEveryAcknowledgedTradeThroughKills) {
  open(owner);
  open(6);
  const std::vector<int> who{trader, other, 7, 8};
  for (const int each : who)
    deposit(each, "100" + ether.substr(1));
  std::map<std::int64_t, std::string> acknowledged;
  for (int round = 0; round < 3; ++round) {
    busy_traders clients{who, [this](const auto& path, const auto& body, int by) { return post(path, body, by); }};
    EXPECT_TRUE(clients.make(100));
    server.kill_hard();
    acknowledged.merge(clients.stop());
    server.start();
  }
  ASSERT_GE(acknowledged.size(), 300u);
  std::map<std::int64_t, std::string> stored;
  for (const int market : {owner, 6}) {
    const auto path = "/api/v1/markets/" + std::to_string(market) + "/tx/history?limit=1000";
    const auto total = json_number(get(path).body, "/data/total");
    for (std::int64_t offset = 0; offset < total; offset += 1000) {
      const auto page = get(path + "&offset=" + std::to_string(offset)).body;
      for (std::int64_t i = 0; i < std::min<std::int64_t>(1000, total - offset); ++i) {
        const auto at = "/data/values/" + std::to_string(i);
        EXPECT_TRUE(stored.emplace(json_number(page, at + "/eventId"), json_text(page, at + "/funds")).second);
      }
    }
  }
  for (const auto& [trade, funds] : acknowledged)
    EXPECT_EQ(stored[trade], funds) << trade;
  expect_verified();
}

/// A trade whose connection is lost in its commit may be there all the same; who keeps sums of
/// trades must not go without it.
TEST_F(Markets, TheBoardIsRightThoughConnectionsAreLost) {
  open(owner);
  open(6);
  const std::vector<int> who{trader, other, 7, 8};
  for (const int each : who)
    deposit(each, "100" + ether.substr(1));
  const std::string board = "/api/v1/markets/leaderboard/profit";
  ASSERT_EQ(get(board).status, 200);
  busy_traders clients{who, [this](const auto& path, const auto& body, int by) { return post(path, body, by); }};
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(clients.make(20));
    server.database().sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'credence-writer'");
    EXPECT_EQ(get(board).status, 200);
  }
  EXPECT_TRUE(clients.make(20));
  clients.stop();
  expect_verified();
  const auto kept = get(board);
  server.kill_hard();
  server.start();
  EXPECT_EQ(kept.body, get(board).body) << "what it kept is what is read afresh";
}

} // namespace
} // namespace credence::test
