#include "tests/each_of.hpp"
#include "tests/persistence/database.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/market_story.hpp"

#include <simdjson.h>

/// Markets that are followed, as clients see them.
namespace credence::test {
namespace {

using namespace chain;
namespace ether = reputation_market_events;

/// How `a` and `b` differ in their members and the types of these, or nothing. Where one has null, the other may have
/// anything.
std::string difference(const simdjson::dom::element& a, const simdjson::dom::element& b, const std::string& at) {
  if (a.is_null() || b.is_null())
    return {};
  if (a.is_object() && b.is_object()) {
    auto left = a.get_object().value().begin(), right = b.get_object().value().begin();
    const auto left_end = a.get_object().value().end(), right_end = b.get_object().value().end();
    for (; left != left_end && right != right_end; ++left, ++right) {
      if (left.key() != right.key())
        return at + " has " + std::string{left.key()} + " where the other has " + std::string{right.key()};
      if (auto found = difference(left.value(), right.value(), at + "/" + std::string{left.key()}); !found.empty())
        return found;
    }
    return left != left_end || right != right_end ? at + " has members that the other lacks" : "";
  }
  if (a.is_array() && b.is_array()) {
    const auto left = a.get_array().value(), right = b.get_array().value();
    return left.size() == 0 || right.size() == 0 ? "" : difference(*left.begin(), *right.begin(), at + "/0");
  }
  const bool same = (a.is_number() && b.is_number()) || a.type() == b.type();
  return same ? "" : at + " is of another type";
}
std::string difference(const std::string& a, const std::string& b) {
  simdjson::dom::parser of_a, of_b;
  return difference(of_a.parse(without_large_numbers(a)).value(), of_b.parse(without_large_numbers(b)).value(), "");
}

struct ChainMarkets : followed_records {
  ChainMarkets()
    : followed_records({.contracts = {contract_kind::reputation_market, contract_kind::market}, .kinds = ",market"}) {}

  http_response post(const std::string& path, const std::string& body, int by = 2) {
    return own.client().send("POST", path, with_json(by_bearer(own.token(by)), {}), body);
  }

  const address nina = person(3), bob = person(4);
  std::string market = our_id(3);
  /// Nina's market, on which Bob buys 1000 votes of trust and sells 400. The hashes of both trades.
  std::vector<std::string> traded() {
    emit_together({joined(3, nina), joined(4, bob), opened(3, nina), priced(3, 1, 1, 5'000'000'000'000'000)});
    std::vector<std::string> out;
    out.push_back(
      emit_together({bought(3, bob, true, 1000, 6'000'000), priced(3, 1001, 1, 6'607'563'687'658'171)}).front());
    out.push_back(
      emit_together({sold(3, bob, true, 400, 2'000'000), priced(3, 601, 1, 5'900'000'000'000'000)}).front());
    return out;
  }
};

TEST_F(ChainMarkets, AreReadLikeThoseOfTheApi) {
  const auto hashes = traded();
  ASSERT_TRUE(follows());
  const auto v1 = "/api/v1/markets/" + market, v2 = "/api/v2/markets/" + market;
  const auto account = text_of(bob);
  EXPECT_EQ(seen(v1, "/data/trustVotes"), "601");
  EXPECT_EQ(seen(v1, "/data/distrustVotes"), "1");
  EXPECT_EQ(seen(v1, "/data/positivePrice"), "\"5900000000000000\"");
  EXPECT_EQ(seen(v1, "/data/negativePrice"), "\"4100000000000000\"");
  EXPECT_EQ(seen(v1, "/data/configType"), "\"NORMAL\"");
  EXPECT_EQ(seen(v1, "/data/stats/marketCapWei"), "\"4000000\"");
  EXPECT_EQ(seen(v1, "/data/stats/volumeTotalWei"), "\"8000000\"");
  EXPECT_EQ(seen(v1, "/data/stats/volume24hWei"), "\"0\"") << "the events say that it was long ago";
  EXPECT_EQ(seen(v1, "/data/stats/priceChange24hPercent"), "18");
  EXPECT_EQ(seen(v2, "/sequence"), "2");
  EXPECT_EQ(seen(v2, "/user/profileId"), market);
  EXPECT_EQ(seen("/api/v2/markets", "/total"), "1");
  EXPECT_EQ(seen("/api/v2/markets?orderBy=score", "/values/0/id"), market);
  EXPECT_EQ(seen("/api/v2/markets/featured", "/0/type"), "\"top-volume\"");
  EXPECT_EQ(seen(v1 + "/tx/history", "/data/values/0/type"), "\"SELL\"");
  EXPECT_EQ(seen(v1 + "/tx/history", "/data/values/0/txHash"), "\"" + hashes[1] + "\"");
  EXPECT_EQ(seen(v1 + "/tx/history?limit=1&offset=1", "/data/values/0/txHash"), "\"" + hashes[0] + "\"");
  EXPECT_EQ(seen(v1 + "/tx/history", "/data/values/1/timestamp"), "1700000000");
  EXPECT_EQ(seen(v1 + "/tx/history?voteTypeFilter=distrust", "/data/total"), "0");
  EXPECT_EQ(seen("/api/v1/markets/activity/" + account, "/data/total"), "2");
  EXPECT_EQ(seen(v1 + "/price/history", "/data/0/positivePrice"), "\"5000000000000000\"") << "oldest first";
  EXPECT_EQ(seen(v1 + "/price/history?limit=1", "/data/0/positivePrice"), "\"5900000000000000\"") << "the newest";
  EXPECT_EQ(seen(v1 + "/price/history?offset=3", "/data"), "[]");
  EXPECT_EQ(seen(v1 + "/holders", "/data/all/0/total"), "\"600n\"");
  EXPECT_EQ(seen(v2 + "/holders", "/values/0/user/profileId"), our_id(4));
  EXPECT_EQ(seen("/api/v1/markets/holdings/" + account, "/data/0/balanceWei"), "\"3540000000000000000\"");
  EXPECT_EQ(seen("/api/v1/markets/holdings/" + account + "/total", "/data/totalValue"), "\"3540000000000000000n\"");
  EXPECT_EQ(seen("/api/v1/markets/leaderboard/profit", "/data/0/profit"), "\"3539999999996000000\"");
  EXPECT_EQ(seen(v2 + "/change", "/change/trust/latestWei"), "\"5900000000000000\"");
  EXPECT_EQ(json_number(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":600})").body, "/sequence"),
            2);
  EXPECT_EQ(json_text(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":601})").body, "/code"),
            "INSUFFICIENT_VOTES");
  EXPECT_EQ(get("/api/v1/markets/1").status, 404);
  EXPECT_EQ(get("/api/v1/markets/1/tx/history").status, 404);
  EXPECT_EQ(get("/api/v1/markets/1/price/history").status, 404);
  EXPECT_EQ(get("/api/v2/markets/1/holders").status, 404);
  emit(ether::market_graduated{{3}});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(json_text(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":1})").body, "/code"),
            "MARKET_LIMIT_REACHED");
  EXPECT_EQ(seen(v1, "/data/trustVotes"), "601");
}

/// Every read of a market has the same members as one of the API, in the same order and of the same types.
TEST_F(ChainMarkets, HaveTheShapesOfThoseOfTheApi) {
  traded();
  emit(ether::market_config_added{0, normal_market});
  ASSERT_TRUE(follows());
  service local;
  local.start();
  const auto by = [&](int who) { return with_json(by_bearer(local.token(who)), {}); };
  const std::string much = "20000000000000000000";
  for (const int who : {3, 4})
    ASSERT_EQ(local.client()
                .send("POST", "/api/v2/markets/deposits", by(1),
                      R"({"profileId":)" + std::to_string(who) + R"(,"amount":")" + much + "\"}")
                .status,
              200);
  ASSERT_EQ(local.client().send("POST", "/api/v2/markets", by(3), R"({"configType":"NORMAL"})").status, 200);
  for (const auto* order :
       {R"({"action":"buy","voteType":"trust","votes":1000})", R"({"action":"sell","voteType":"trust","votes":400})"})
    ASSERT_EQ(local.client().send("POST", "/api/v2/markets/3/trades", by(4), order).status, 200);
  const auto trader = json_text(local.client().get("/api/v1/markets/3/holders").body, "/data/all/0/actorAddress");
  const auto expect_same = [](const std::string& path, const http_response& mirrored, const http_response& of_api) {
    ASSERT_EQ(of_api.status, 200) << path << of_api.body;
    ASSERT_EQ(mirrored.status, 200) << path << mirrored.body;
    EXPECT_EQ(difference(mirrored.body, of_api.body), "") << path << "\n" << mirrored.body << "\n" << of_api.body;
  };
  const auto put = [](std::string text, const std::string& id, const std::string& who) {
    for (const auto& [mark, value] : {std::pair{std::string{"{m}"}, id}, std::pair{std::string{"{a}"}, who}})
      for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark))
        text.replace(at, mark.size(), value);
    return text;
  };
  for (const std::string path :
       each_of("v2/markets", "v2/markets?orderBy=score", "v2/markets/{m}", "v2/markets/{m}/info",
               "v2/markets/{m}/holders", "v2/markets/{m}/price/history?window=1H", "v2/markets/{m}/change",
               "v2/markets/info/bulk?profileIds={m}", "v2/markets/featured", "v2/markets/configs", "v1/markets/search",
               "v1/markets/{m}", "v1/markets/{m}/price/history", "v1/markets/{m}/tx/history", "v1/markets/{m}/holders",
               "v1/markets/activity/{a}", "v1/markets/holdings/{a}", "v1/markets/holdings/{a}/total",
               "v1/markets/volume/{a}", "v1/markets/leaderboard/profit"))
    expect_same(path, get("/api/" + put(path, market, text_of(bob))),
                local.client().get("/api/" + put(path, "3", trader)));
  for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
         {"v2/markets/{m}/quote", R"({"action":"buy","voteType":"trust","votes":5})"},
         {"v2/markets/simulate-buy", R"({"profileId":{m},"voteType":"trust","buyAmountWei":"100000000000000000"})"},
         {"v2/markets/simulate-sell", R"({"profileId":{m},"voteType":"trust","sellVotes":5})"},
         {"v1/markets/bulk", R"({"profileIds":[{m}]})"},
         {"v1/markets/news", "[{m}]"}})
    expect_same(path, post("/api/" + put(path, market, ""), put(body, market, "")),
                local.client().send("POST", "/api/" + put(path, "3", ""), by(2), put(body, "3", "")));
}

TEST_F(ChainMarkets, AreFoundByTheNamesOfTheirOwnersUntilTheirBlocksGo) {
  emit_together({joined(3, nina), joined(5, person(5)), opened(3, nina)});
  ASSERT_TRUE(follows());
  const std::string search = "/api/v2/markets?filterQuery=Lighthouse";
  EXPECT_EQ(seen(search, "/total"), "0");
  const auto renamed = [&](int profile, const std::string& name) {
    test::run_sql(own.database().url(),
                  "UPDATE users SET display_name = '" + name
                    + "' FROM profiles p WHERE p.user_id = users.id AND p.id = " + our_id(profile));
  };
  renamed(3, "Lighthouse");
  renamed(5, "Lighthouse");
  EXPECT_EQ(seen(search, "/total"), "1");
  EXPECT_EQ(seen(search, "/values/0/id"), market);
  emit_together({opened(5, person(5)), bought(5, bob, true, 1, 500)});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen(search, "/values/0/id"), our_id(5)) << "the one with more volume first";
  EXPECT_EQ(seen("/api/v2/markets?orderBy=volumeTotalWei", "/values/0/id"), our_id(5));
  emit(bought(3, bob, true, 1, 501));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen("/api/v2/markets?orderBy=volumeTotalWei", "/values/0/id"), market) << "a trade moves it";
  reorganise(2);
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen(search, "/total"), "1");
  EXPECT_EQ(seen("/api/v2/markets", "/total"), "1");
  expect_whole();
}

TEST_F(ChainMarkets, TakeNothingOverTheApi) {
  traded();
  auto with_admin = flags(node.url());
  with_admin.insert(with_admin.end(), {"--admin", "1"});
  own.start(with_admin);
  ASSERT_TRUE(reaches_head());
  const std::string buy = R"({"action":"buy","voteType":"trust","votes":1,"maximumCost":"100000000000000000"})";
  for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
         {"/api/v2/markets", R"({"configType":"NORMAL"})"},
         {"/api/v2/markets/" + market + "/trades", buy},
         {"/api/v2/markets/" + market + "/trades?dryRun=true", buy},
         {"/api/v2/markets/" + market + "/trades", R"({"action":"sell","voteType":"trust","votes":1})"}}) {
    const auto refused = post(path, body);
    EXPECT_EQ(code(refused), "409 FOLLOWED_FROM_CHAIN") << path << refused.body;
  }
  const auto made = own.command({"token", "1", "--admin"});
  const auto admin = with_json(by_bearer(made.out.substr(0, made.out.find('\n'))));
  const auto frozen = http_client{own.admin_port()}.send("PUT", "/admin/api/v1/markets/" + market + "/frozen", admin,
                                                         R"({"frozen":true,"confirm":")" + market + "\"}");
  EXPECT_EQ(code(frozen), "409 FOLLOWED_FROM_CHAIN") << frozen.body;
  const auto funds = own.client().get("/api/v2/markets/me/balance", own.token(2)).body;
  EXPECT_EQ(json_text(funds, "/available"), json_text(funds, "/balance")) << "nothing is left set aside";
  EXPECT_EQ(how_many("market_trades"), 0);
}

TEST_F(ChainMarkets, ComeWhenTheirKindIsAdded) {
  auto before = flags(node.url());
  const auto at = std::find(before.begin(), before.end(), "--chain-kinds");
  *std::next(at) = followed_kinds;
  traded();
  own.start(before);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_markets"), 0);
  own.kill_hard();
  start();
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen("/api/v1/markets/" + market, "/data/trustVotes"), "601");
  EXPECT_EQ(seen("/api/v1/markets/" + market + "/tx/history", "/data/total"), "2");
  expect_kept();
}

TEST_F(ChainMarkets, AreNotAddedToThoseOfTheApi) {
  auto before = flags(node.url());
  *std::next(std::find(before.begin(), before.end(), "--chain-kinds")) = followed_kinds;
  before.insert(before.end(), {"--admin", "1"});
  traded();
  own.start(before);
  ASSERT_TRUE(reaches_head());
  ASSERT_EQ(post("/api/v2/markets/deposits", R"({"profileId":3,"amount":"1000000000000000000"})", 1).status, 200);
  ASSERT_EQ(post("/api/v2/markets", R"({"configType":"NORMAL"})", 3).status, 200);
  own.kill_hard();
  start();
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("chain.kinds adds market, and 1 markets were made over the API")) << own.log();
  EXPECT_EQ(how_many("chain_markets"), 0);
}

} // namespace
} // namespace credence::test
