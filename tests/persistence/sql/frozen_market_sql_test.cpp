#include "tests/persistence/sql/identity_store.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr wei ether = wei_per_ether;
const timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h};
constexpr profile_id owner{3};
constexpr market_id its_market{3};
const market::curve how{1500, ether / 100};

/// A market that is opened over the API, without trades.
struct FrozenMarketSql : test::store_tests {
  FrozenMarketSql() {
    put(funds::funds_moved{owner, funds::flow::deposit, ether, "an invoice", noon});
    put(market::market_opened{owner, market::tier::normal, how, ether / 10, noon});
  }
  void set(bool frozen) { put(market::market_frozen_set{its_market, frozen, noon + 1h}); }
  /// As the market is loaded.
  bool loaded_frozen() { return store.read(market::load_market{its_market, noon - 24h}).book.value().frozen; }
  /// As lists show it.
  bool listed_frozen() { return store.read(market::get_markets{{its_market}, noon + 2h}).at(0).frozen; }
  std::string audited(const std::string& column) {
    auto on = test::look_into(store.url);
    return on
      .exec_params(("SELECT coalesce(" + column + "::text, '') FROM audit_log ORDER BY number DESC LIMIT 1").c_str(),
                   deadline_in(60s))
      .value<std::string>();
  }
  void expect_kept() { test::expect_kept(store.url, promises_of("market")); }
};

TEST_F(FrozenMarketSql, IsStoredAsItWasSetLast) {
  EXPECT_FALSE(loaded_frozen());
  EXPECT_FALSE(listed_frozen());
  set(true);
  EXPECT_TRUE(loaded_frozen());
  EXPECT_TRUE(listed_frozen());
  expect_kept();
  set(false);
  EXPECT_FALSE(loaded_frozen());
  EXPECT_FALSE(listed_frozen());
  EXPECT_EQ(store.how_many("market_freezes"), 2) << "what was stays";
  expect_kept();
}

TEST_F(FrozenMarketSql, TheAuditTellsOfItAndOfItsEnd) {
  set(true);
  EXPECT_EQ(audited("act"), "market_frozen");
  EXPECT_EQ(audited("profile_id"), "3");
  EXPECT_EQ(audited("subject"), "market 3");
  EXPECT_EQ(audited("before"), "open");
  EXPECT_EQ(audited("after"), "frozen");
  set(false);
  EXPECT_EQ(audited("act"), "market_unfrozen");
  EXPECT_EQ(audited("before"), "frozen");
  EXPECT_EQ(audited("after"), "open");
}

TEST_F(FrozenMarketSql, TakesNoTradeWhoeverSendsIt) {
  const auto next = market::lmsr_point::at(how, {2, 1}).value();
  const auto cost = market::purchase_cost(market::lmsr_point::at(how, {1, 1}).value(), next, market::vote_side::trust);
  market::traded trade;
  trade.market = its_market;
  trade.number = 1;
  trade.trader = owner;
  trade.votes = 1;
  trade.cost = cost;
  trade.after = {2, 1};
  trade.trust_price_after = next.trust_price();
  trade.distrust_price_after = next.distrust_price();
  trade.volume_after = trade.bought_after = cost;
  trade.at = noon + 2h;
  set(true);
  EXPECT_TRUE(refuses(trade));
  set(false);
  EXPECT_EQ(store.result_of(trade), write_result::stored);
  EXPECT_EQ(store.number("SELECT trades FROM markets"), 1);
  expect_kept();
}

} // namespace
} // namespace credence::persistence
