#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"

#include <simdjson.h>

#include <algorithm>

/// Markets that are followed: what their events do, and what clients see of them.
namespace credence::test {
namespace {

using namespace chain;
namespace ether = reputation_market_events;
namespace tokens = market_events;

const market_config normal{1500, 10'000'000'000'000'000, 100'000'000'000'000'000};

event opened(int profile, const address& by) { return ether::market_created{{profile}, by, normal}; }
event bought(int profile, const address& by, bool trusts, int votes, std::int64_t funds) {
  return ether::votes_bought{{profile}, by, trusts, votes, funds, {1'700'000'000}};
}
event sold(int profile, const address& by, bool trusts, int votes, std::int64_t funds) {
  return ether::votes_sold{{profile}, by, trusts, votes, funds, {1'700'000'001}};
}
event priced(int profile, int trust, int distrust, std::int64_t trust_price) {
  return ether::market_updated{{profile}, trust, distrust, trust_price, normal.base_price - trust_price, 0, 0, 0, 0, 1, {1'700'000'000}};
}

/// Where an effect is looked up: a read of the API, or, without a path, a query of one value.
struct place {
  std::string path, pointer;
};
struct effect {
  std::vector<event> needs;
  event happens;
  place at;
  std::string before, after;
};

/// What a row of the table is about is of that row alone.
struct cast {
  int row;
  address self() const { return person(row); }
  event opened() const { return test::opened(row, self()); }
  event bought() const { return test::bought(row, self(), true, 10, 100); }
  event opened_in_tokens() const { return tokens::market_created{{row}, {}, self(), self(), self(), self(), "profileId:1"}; }
  event position() const { return tokens::position_opened{{row}, self(), true, 20, 30}; }
  place market(const std::string& pointer) const { return {"/api/v1/markets/" + our_id(row), pointer}; }
  place trades() const { return {"/api/v1/markets/" + our_id(row) + "/tx/history", "/data/total"}; }
  place stored(const std::string& figure, const std::string& contract) const {
    return {"",
            "SELECT coalesce((SELECT " + figure + " FROM chain_markets WHERE contract = '" + contract + "' AND id = " + our_id(row) + "), -1)::int8"};
  }
  place of_tokens(const std::string& figure) const { return stored(figure, "market"); }
};

place configs(const std::string& config) {
  return {"", "SELECT count(*) FROM chain_params WHERE name = 'marketConfigs' AND value LIKE '%" + config + "%'"};
}

effect of(const ether::market_created*, const cast& who) { return {{}, who.opened(), who.market("/data/liquidity"), "404", "\"1500\""}; }
effect of(const ether::market_config_added*, const cast&) { return {{}, ether::market_config_added{1, {11, 22, 33}}, configs("11/22/33"), "0", "1"}; }
effect of(const ether::market_config_removed*, const cast&) {
  const market_config gone{44, 1, 1};
  return {{ether::market_config_added{0, gone}}, ether::market_config_removed{0, gone}, configs("44/1/1"), "1", "0"};
}
effect of(const ether::votes_bought*, const cast& who) { return {{who.opened()}, who.bought(), who.trades(), "0", "1"}; }
effect of(const ether::votes_sold*, const cast& who) {
  return {{who.opened(), who.bought()},
          sold(who.row, who.self(), true, 4, 30),
          {"/api/v1/markets/volume/" + text_of(who.self()), "/data/totalVolumeWei"},
          "\"100\"",
          "\"130\""};
}
effect of(const ether::market_updated*, const cast& who) {
  return {{who.opened()}, priced(who.row, 1, 1, 600), who.market("/data/positivePrice"), "\"5000000000000000\"", "\"600\""};
}
effect of(const ether::donation_withdrawn*, const cast& who) {
  return {{},
          ether::donation_withdrawn{who.self(), 7},
          {"", "SELECT coalesce(sum(donations), 0)::int8 FROM chain_market_accounts WHERE account = '\\" + text_of(who.self()).substr(1) + "'"},
          "0",
          "7"};
}
effect of(const ether::donation_recipient_updated*, const cast& who) {
  return {{who.opened()},
          ether::donation_recipient_updated{{who.row}, who.self(), person(who.row + 1)},
          who.stored("(recipient <> creator)::int", "reputationMarket"),
          "0",
          "1"};
}
effect of(const ether::market_graduated*, const cast& who) {
  return {{who.opened()}, ether::market_graduated{{who.row}}, who.stored("(standing = 'GRADUATED')::int", "reputationMarket"), "0", "1"};
}
effect of(const ether::market_funds_withdrawn*, const cast& who) {
  return {{who.opened()}, ether::market_funds_withdrawn{{who.row}, who.self(), 9}, who.stored("withdrawn", "reputationMarket"), "0", "9"};
}
effect of(const tokens::market_created*, const cast& who) { return {{}, who.opened_in_tokens(), who.of_tokens("trades"), "-1", "0"}; }
effect of(const tokens::position_opened*, const cast& who) { return {{who.opened_in_tokens()}, who.position(), who.of_tokens("trust"), "0", "30"}; }
effect of(const tokens::position_closed*, const cast& who) {
  return {{who.opened_in_tokens(), who.position()}, tokens::position_closed{{who.row}, who.self(), true, 10, 6}, who.of_tokens("sold"), "0", "6"};
}
effect of(const tokens::market_updated*, const cast& who) {
  return {{who.opened_in_tokens()}, tokens::market_updated{{who.row}, 30, 1, 6, 4, 20}, who.of_tokens("backing"), "0", "20"};
}
effect of(const tokens::market_update_failed*, const cast& who) {
  return {{},
          tokens::market_update_failed{{who.row}, who.self(), true, {}},
          {"", "SELECT count(*) FROM chain_events WHERE event_name = 'MarketUpdateFailed' AND status = 'applied'"},
          "0",
          "1"};
}
effect of(const tokens::market_pause_state_updated*, const cast& who) {
  return {{who.opened_in_tokens()},
          tokens::market_pause_state_updated{{who.row}, chain::market_state::paused},
          who.of_tokens("(standing = 'PAUSED')::int"),
          "0",
          "1"};
}

struct row {
  std::string event;
  effect shows;
};
/// One for each event of both contracts; an event without a row does not compile.
std::vector<row> table() {
  std::vector<row> out;
  samples::for_each_event([&]<class Event>() {
    constexpr auto contract = Event::is.contract;
    if constexpr (contract == contract_kind::reputation_market || contract == contract_kind::market)
      out.push_back({std::string{name_of(contract)} + " " + std::string{Event::is.text},
                     of(static_cast<Event*>(nullptr), cast{10 * (1 + static_cast<int>(out.size()))})});
  });
  return out;
}

/// How `a` and `b` differ in their members and the types of these, or nothing. Where one has null, the other may have anything.
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
  return difference(of_a.parse(a).value(), of_b.parse(b).value(), "");
}

class ChainMarkets : public followed_records {
protected:
  ChainMarkets() : followed_records({.contracts = {contract_kind::reputation_market, contract_kind::market}, .kinds = ",market"}) {}

  std::string look(const place& at) { return at.path.empty() ? std::to_string(number(at.pointer)) : seen(at.path, at.pointer); }
  void expect_all(const std::vector<row>& rows, bool happened) {
    for (const auto& each : rows)
      EXPECT_EQ(look(each.shows.at), happened ? each.shows.after : each.shows.before)
        << each.event << (happened ? " happened" : " has not happened") << "; " << each.shows.at.path << " " << each.shows.at.pointer;
  }
  http_response post(const std::string& path, const std::string& body, int by = 2) {
    return own.client().send("POST", path, with_json(by_bearer(own.token(by)), {}), body);
  }

  const address nina = person(3), bob = person(4);
  std::string market = our_id(3);
  /// Nina's market, on which Bob buys 1000 votes of trust and sells 400. The hashes of both trades.
  std::vector<std::string> traded() {
    emit_together({joined(3, nina), joined(4, bob), opened(3, nina), priced(3, 1, 1, 5'000'000'000'000'000)});
    std::vector<std::string> out;
    out.push_back(emit_together({bought(3, bob, true, 1000, 6'000'000), priced(3, 1001, 1, 6'607'563'687'658'171)}).front());
    out.push_back(emit_together({sold(3, bob, true, 400, 2'000'000), priced(3, 601, 1, 5'900'000'000'000'000)}).front());
    return out;
  }
};

TEST_F(ChainMarkets, ShowEveryEventAndLoseItWithItsBlock) {
  const auto rows = table();
  for (const auto& each : rows)
    if (!each.shows.needs.empty())
      emit_together(each.shows.needs);
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'failed'"), 0);
  expect_all(rows, false);
  const auto before = node.head();
  for (const auto& each : rows)
    emit(each.shows.happens);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'failed'"), 0);
  expect_all(rows, true);
  expect_whole();
  verify();
  reorganise(static_cast<int>(node.head() - before));
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  ASSERT_TRUE(reaches_head());
  expect_all(rows, false);
  expect_whole();
  verify();
}

TEST_F(ChainMarkets, AreReadLikeThoseOfTheApi) {
  const auto hashes = traded();
  start();
  ASSERT_TRUE(reaches_head());
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
  EXPECT_EQ(json_number(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":600})").body, "/sequence"), 2);
  EXPECT_EQ(json_text(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":601})").body, "/code"), "INSUFFICIENT_VOTES");
  EXPECT_EQ(get("/api/v1/markets/1").status, 404);
  EXPECT_EQ(get("/api/v1/markets/1/tx/history").status, 404);
  EXPECT_EQ(get("/api/v1/markets/1/price/history").status, 404);
  EXPECT_EQ(get("/api/v2/markets/1/holders").status, 404);
  emit(ether::market_graduated{{3}});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(json_text(post(v2 + "/quote", R"({"action":"sell","voteType":"trust","votes":1})").body, "/code"), "MARKET_LIMIT_REACHED");
  EXPECT_EQ(seen(v1, "/data/trustVotes"), "601");
}

/// Every read of a market has the same members as one of the API, in the same order and of the same types.
TEST_F(ChainMarkets, HaveTheShapesOfThoseOfTheApi) {
  traded();
  emit(ether::market_config_added{0, normal});
  start();
  ASSERT_TRUE(reaches_head());
  service local;
  local.start();
  const auto by = [&](int who) { return with_json(by_bearer(local.token(who)), {}); };
  const std::string much = "20000000000000000000";
  for (const int who : {3, 4})
    ASSERT_EQ(local.client()
                .send("POST", "/api/v2/markets/deposits", by(1), R"({"profileId":)" + std::to_string(who) + R"(,"amount":")" + much + "\"}")
                .status,
              200);
  ASSERT_EQ(local.client().send("POST", "/api/v2/markets", by(3), R"({"configType":"NORMAL"})").status, 200);
  for (const auto* order : {R"({"action":"buy","voteType":"trust","votes":1000})", R"({"action":"sell","voteType":"trust","votes":400})"})
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
  for (const std::string path : {"v2/markets",
                                 "v2/markets?orderBy=score",
                                 "v2/markets/{m}",
                                 "v2/markets/{m}/info",
                                 "v2/markets/{m}/holders",
                                 "v2/markets/{m}/price/history?window=1H",
                                 "v2/markets/{m}/change",
                                 "v2/markets/info/bulk?profileIds={m}",
                                 "v2/markets/featured",
                                 "v2/markets/configs",
                                 "v1/markets/search",
                                 "v1/markets/{m}",
                                 "v1/markets/{m}/price/history",
                                 "v1/markets/{m}/tx/history",
                                 "v1/markets/{m}/holders",
                                 "v1/markets/activity/{a}",
                                 "v1/markets/holdings/{a}",
                                 "v1/markets/holdings/{a}/total",
                                 "v1/markets/volume/{a}",
                                 "v1/markets/leaderboard/profit"})
    expect_same(path, get("/api/" + put(path, market, text_of(bob))), local.client().get("/api/" + put(path, "3", trader)));
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
  start();
  ASSERT_TRUE(reaches_head());
  const std::string search = "/api/v2/markets?filterQuery=Lighthouse";
  EXPECT_EQ(seen(search, "/total"), "0");
  const auto renamed = [&](int profile, const std::string& name) {
    number("WITH u AS (UPDATE users SET display_name = '" + name + "' FROM profiles p WHERE p.user_id = users.id AND p.id = " + our_id(profile)
           + " RETURNING 1) SELECT count(*) FROM u");
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
    EXPECT_EQ(refused.status, 409) << path << refused.body;
    EXPECT_EQ(json_text(refused.body, "/code"), "FOLLOWED_FROM_CHAIN") << path;
  }
  const auto funds = own.client().get("/api/v2/markets/me/balance", own.token(2)).body;
  EXPECT_EQ(json_text(funds, "/available"), json_text(funds, "/balance")) << "nothing is left set aside";
  EXPECT_EQ(number("SELECT count(*) FROM market_trades"), 0);
}

TEST_F(ChainMarkets, ComeWhenTheirKindIsAdded) {
  auto before = flags(node.url());
  const auto at = std::find(before.begin(), before.end(), "--chain-kinds");
  *std::next(at) = followed_kinds;
  traded();
  own.start(before);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_markets"), 0);
  own.kill_hard();
  start();
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen("/api/v1/markets/" + market, "/data/trustVotes"), "601");
  EXPECT_EQ(seen("/api/v1/markets/" + market + "/tx/history", "/data/total"), "2");
  expect_whole();
  verify();
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
  EXPECT_NE(own.log().find("chain.kinds adds market, and 1 markets were made over the API"), std::string::npos) << own.log();
  EXPECT_EQ(number("SELECT count(*) FROM chain_markets"), 0);
}

} // namespace
} // namespace credence::test
