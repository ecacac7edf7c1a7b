#include "tests/persistence/sql/chain_rows_fixture.hpp"

namespace credence::persistence {
namespace {

using namespace reputation_market_events;
namespace tokens = market_events;

/// Markets of events in a database.
struct MarketRows : ChainRows {
  MarketRows() { apply({profile_events::profile_created{{7}, alice}, market_created{{7}, alice, {1500, 1000, 5}}}); }

  static event buy(const address& who, bool trusts, int votes, const uint256& funds) {
    return votes_bought{{7}, who, trusts, votes, funds, {1'600'000'000}};
  }
  static event prices(int trust, int distrust) {
    return market_updated{{7}, trust, distrust, 600, 400, 0, 0, 0, 0, 1, {1'600'000'000}};
  }
  bool holds(const std::string& sql) { return number("SELECT count(*) " + sql) == 1; }
};

TEST_F(MarketRows, TradesPricesAndPositionsAreStoredAndTakenBack) {
  apply({buy(bob, true, 10, 100), prices(11, 1)});
  apply({votes_sold{{7}, bob, true, 4, 30, {1'600'000'001}}, prices(7, 1), donation_withdrawn{alice, 3}});
  EXPECT_TRUE(holds(
    "FROM chain_markets WHERE contract = 'reputationMarket' AND id = 1007 AND liquidity = 1500 AND trust = 7 AND "
    "distrust = 1"
    " AND trust_price = 600 AND bought = 100 AND sold = 30 AND trades = 2 AND prices = 2 AND standing = 'ACTIVE'"));
  EXPECT_TRUE(holds("FROM chain_trades WHERE event_id = 5 AND market_id = 1007 AND NOT buys AND trusts AND votes = 4 "
                    "AND funds = 30 AND number = 2"
                    " AND volume_after = 130 AND bought_after = 100 AND at = to_timestamp(1600000001) AND block = 3"));
  EXPECT_TRUE(holds("FROM chain_prices WHERE event_id = 6 AND number = 2 AND trust = 7 AND trust_price = 600 AND "
                    "distrust_price = 400"));
  EXPECT_TRUE(holds("FROM chain_positions WHERE market_id = 1007 AND trust = 6 AND distrust = 0"));
  EXPECT_TRUE(holds("FROM chain_market_accounts WHERE bought = 100 AND sold = 30 AND trades = 2 AND trust_trades = 2"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(holds("FROM chain_markets WHERE trust = 11 AND trades = 1 AND prices = 1 AND sold = 0"));
  EXPECT_TRUE(holds("FROM chain_positions WHERE trust = 10"));
  EXPECT_TRUE(holds("FROM chain_trades"));
  EXPECT_TRUE(holds("FROM chain_market_accounts"));
  expect_whole();
  undo(1);
  EXPECT_EQ(
    number("SELECT (SELECT count(*) FROM chain_trades) + (SELECT count(*) FROM chain_prices) + (SELECT count(*) "
           "FROM chain_positions)"),
    0);
  expect_whole();
}

TEST_F(MarketRows, AMarketInTokensHoldsTheGreatestAmounts) {
  const auto most = (uint256{1} << 255) + ((uint256{1} << 255) - 1);
  apply({tokens::market_created{{1}, {}, alice, bob, bob, bob, "address:0x02"},
         tokens::position_opened{{1}, bob, false, 5, most}, tokens::market_updated{{1}, 0, most, 1, most, 5},
         tokens::market_pause_state_updated{{1}, chain::market_state::paused}});
  EXPECT_TRUE(holds("FROM chain_markets WHERE contract = 'market' AND id = 1001 AND userkey = 'address:0x02' AND "
                    "distrust = 2::numeric ^ 256 - 1 AND standing = 'PAUSED' AND backing = 5"));
  expect_whole();
  apply({tokens::position_closed{{1}, bob, false, most, 4}});
  EXPECT_TRUE(holds("FROM chain_positions WHERE contract = 'market' AND distrust = 0"));
  expect_whole();
}

TEST_F(MarketRows, TheFirstTenThousandHoldersAreListedAndCounted) {
  sql("SET session_replication_role = replica;"
      "INSERT INTO chain_positions (contract, market_id, account, trust, distrust, event_id, block)"
      " SELECT 'reputationMarket', 1007, decode(lpad(to_hex(i), 40, '0'), 'hex'), i, greatest(i - 6000, "
      "0), 1, 1 FROM generate_series(1, 11000) i; ANALYZE chain_positions");
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", soon()); // as readers have it
  market::holder_page found;
  const auto rows_read = [&](const page& slice, std::optional<market::vote_side> side = {}) {
    return test::rows_read_by(on, url, "'chain_positions'",
                              [&] {
                                const market::load_mirrored_holders question{market_id{1007}, slice, side};
                                found = read(question);
                              })
      .all;
  };
  EXPECT_LE(rows_read({10, 0}), 2 * limits::list_depth_max + 20);
  EXPECT_EQ(found.total, limits::list_depth_max) << "of 16,000 holdings";
  EXPECT_EQ(found.values.front().votes, 11'000);
  rows_read({10, 9'995});
  EXPECT_EQ(found.values.size(), 5u) << "what is not counted is not listed";
  EXPECT_LE(rows_read({10, limits::offset_max}), 2 * limits::list_depth_max);
  EXPECT_TRUE(found.values.empty());
  rows_read({10, 0}, market::vote_side::distrust);
  EXPECT_EQ(found.total, 5'000);
}

TEST_F(MarketRows, ReplayTellsOfWhatWasTamperedWith) {
  apply({buy(bob, true, 10, 100), prices(11, 1), buy(alice, false, 1, 9)});
  sql("UPDATE chain_markets SET bought = 1");
  sql("UPDATE chain_trades SET funds = 101 WHERE event_id = 3");
  sql("DELETE FROM chain_positions WHERE distrust > 0");
  expect_differences({"market reputationMarket 1007 is stored otherwise", "trade of event 3 is stored otherwise",
                      "position of " + lower_text(alice) + " in reputationMarket 1007 is not stored",
                      "chain_positions: events make 2, and 1 are stored"});
}

} // namespace
} // namespace credence::persistence
