#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace reputation_market_events;
namespace tokens = market_events;

const address ada = address_of(1), bob = address_of(2), eve = address_of(3);
const uint256 ether = uint256{1'000'000'000'000'000'000};
const market_config usual{1000, 1001, 7};

struct MarketFold : testing::Test, fold_world {
  static constexpr market_key in_ether{contract_kind::reputation_market, {7}};
  static constexpr market_key in_tokens{contract_kind::market, {5}};

  void open() { applied(market_created{{7}, ada, usual}); }
  void open_in_tokens() {
    applied(tokens::market_created{{5}, {}, ada, address_of(20), address_of(21), address_of(22), "address:0x01"});
  }
  static event buy(const address& who, bool trusts, int votes, int funds) {
    return votes_bought{{7}, who, trusts, votes, funds, {1'600'000'000}};
  }
  static event sell(const address& who, bool trusts, int votes, int funds) {
    return votes_sold{{7}, who, trusts, votes, funds, {1'600'000'001}};
  }
  static event prices(const uint256& trust, const uint256& distrust, const uint256& trust_price = 500) {
    return market_updated{{7}, trust, distrust, trust_price, 501, 0, 0, 0, 0, 1, {1'600'000'000}};
  }
  const market_row& row(const market_key& of = in_ether) const { return *rows.markets.find(of); }
  const market_trade_row& trade() const { return *rows.market_trades.find(last_event); } // of the last event
  const market_position_row& held(const address& who, const market_key& of = in_ether) const {
    return *rows.market_positions.find({of, who});
  }
  const market_account_row& account(const address& who) const {
    return *rows.market_accounts.find({contract_kind::reputation_market, who});
  }
  std::string parameter(const std::string& name) const {
    const auto* found = rows.parameters.find({contract_kind::reputation_market, name});
    return found ? *found : "none";
  }
};

TEST_F(MarketFold, AMarketBeginsWithAVoteASide) {
  const auto at = now();
  open();
  EXPECT_EQ(row().creator, ada);
  EXPECT_EQ(row().recipient, ada);
  EXPECT_EQ(row().config, usual);
  EXPECT_EQ(row().trust, 1);
  EXPECT_EQ(row().distrust, 1);
  EXPECT_EQ(row().trust_price, 500) << "half of the base price, cut off";
  EXPECT_EQ(row().distrust_price, 501) << "both together are the base price";
  EXPECT_EQ(row().status, market_status::active);
  EXPECT_EQ(row().created_at, at);
  EXPECT_EQ(fold(market_created{{7}, bob, usual}), "duplicate");
}

TEST_F(MarketFold, ATradeMovesVotesPositionsAndFunds) {
  open();
  applied(buy(bob, true, 10, 100));
  EXPECT_EQ(trade(), (market_trade_row{in_ether, bob, true, true, 10, 100, 1, 1, 1, 1, 100, 100, {1'600'000'000}}));
  applied(buy(eve, false, 3, 40));
  EXPECT_EQ(trade(), (market_trade_row{in_ether, eve, true, false, 3, 40, 2, 1, 1, 1, 140, 140, {1'600'000'000}}));
  applied(sell(bob, true, 4, 30));
  EXPECT_EQ(trade(), (market_trade_row{in_ether, bob, false, true, 4, 30, 3, 2, 2, 2, 170, 140, {1'600'000'001}}));
  applied(buy(bob, false, 1, 5));
  EXPECT_EQ(trade(), (market_trade_row{in_ether, bob, true, false, 1, 5, 4, 2, 3, 1, 175, 145, {1'600'000'000}}));
  EXPECT_EQ(held(bob), (market_position_row{6, 1}));
  EXPECT_EQ(held(eve), (market_position_row{0, 3}));
  EXPECT_EQ(account(bob), (market_account_row{105, 30, 0, 3, 2}));
  EXPECT_EQ(row().trust, 7);
  EXPECT_EQ(row().distrust, 5);
  EXPECT_EQ(row().bought, 145);
  EXPECT_EQ(row().sold, 30);
  EXPECT_EQ(row().trades, 4);
  EXPECT_EQ(row().trust_trades, 2);
}

TEST_F(MarketFold, NobodySellsWhatNobodyHas) {
  open();
  EXPECT_EQ(fold(sell(bob, true, 1, 1)), "missing_position");
  applied(buy(bob, true, 10, 100));
  EXPECT_EQ(fold(sell(bob, true, 11, 1)), "missing_position");
  EXPECT_EQ(fold(sell(bob, false, 1, 1)), "missing_position") << "of the other side";
  EXPECT_EQ(fold(sell(eve, true, 1, 1)), "missing_position");
  EXPECT_EQ(held(bob), (market_position_row{10, 0}));
  EXPECT_EQ(row().trades, 1) << "what failed is no trade";
  EXPECT_EQ(fold(votes_bought{{8}, bob, true, 1, 1, {}}), "missing_market");
}

TEST_F(MarketFold, PricesAreWhatTheContractSays) {
  open();
  applied(buy(bob, true, 10, 100));
  const auto at = now();
  applied(prices(11, 1, 600));
  EXPECT_EQ(*rows.market_prices.find(last_event), (market_price_row{in_ether, 1, 11, 1, 600, 501, at}));
  EXPECT_EQ(row().trust_price, 600);
  EXPECT_EQ(parameter("mismatches"), "none");
  applied(prices(12, 3));
  EXPECT_EQ(row().trust, 12) << "the event wins";
  EXPECT_EQ(row().distrust, 3);
  EXPECT_EQ(row().prices, 2);
  EXPECT_EQ(parameter("mismatches"), "1") << "and it is counted that trades come to something else";
  applied(prices(2, 1));
  applied(sell(bob, true, 10, 1));
  EXPECT_EQ(row().trust, 0) << "never below 0";
}

TEST_F(MarketFold, WhatHasGraduatedTakesNoTrades) {
  open();
  applied(buy(bob, true, 10, 100));
  applied(market_graduated{{7}});
  EXPECT_EQ(row().status, market_status::graduated);
  EXPECT_EQ(fold(sell(bob, true, 1, 1)), "refused:market_graduated");
  EXPECT_EQ(fold(prices(9, 1)), "refused:market_graduated");
  applied(market_funds_withdrawn{{7}, eve, 30});
  applied(market_funds_withdrawn{{7}, eve, 12});
  EXPECT_EQ(row().withdrawn, 42);
  EXPECT_EQ(fold(market_graduated{{8}}), "missing_market");
  EXPECT_EQ(fold(market_funds_withdrawn{{8}, eve, 1}), "missing_market");
}

TEST_F(MarketFold, DonationsGoToTheirRecipient) {
  open();
  applied(donation_recipient_updated{{7}, ada, eve});
  EXPECT_EQ(row().recipient, eve);
  EXPECT_EQ(row().creator, ada);
  applied(donation_withdrawn{eve, 5});
  applied(donation_withdrawn{eve, 6});
  EXPECT_EQ(account(eve).donations, 11);
  EXPECT_EQ(fold(donation_recipient_updated{{8}, ada, eve}), "missing_market");
}

TEST_F(MarketFold, TheLastConfigurationMovesIntoTheGap) {
  const market_config other{2000, 5, 8}, third{3000, 6, 9};
  applied(market_config_added{1, usual});
  EXPECT_EQ(parameter("marketConfigs"), "?,1000/1001/7") << "one was there before the first block";
  applied(market_config_added{2, other});
  applied(market_config_added{3, third});
  applied(market_config_removed{1, usual});
  EXPECT_EQ(parameter("marketConfigs"), "?,3000/6/9,2000/5/8");
  applied(market_config_removed{2, other});
  EXPECT_EQ(parameter("marketConfigs"), "?,3000/6/9") << "the last one leaves none";
  applied(market_config_removed{0, usual});
  EXPECT_EQ(parameter("marketConfigs"), "3000/6/9");
  EXPECT_EQ(fold(market_config_added{100, usual}), "refused:market_configs_at_most_100");
  EXPECT_EQ(market_configs_in("?,3000/6/9"), (market_configs{std::nullopt, third}));
}

TEST_F(MarketFold, WhatIsRemovedBeforeItIsKnownIsUnknown) {
  applied(market_config_removed{2, usual});
  EXPECT_EQ(parameter("marketConfigs"), "?,?,?");
}

TEST_F(MarketFold, WhatNobodyCouldReadIsRefused) {
  EXPECT_EQ(fold(market_created{{7}, ada, {uint256{1} << 53, 1, 1}}), "refused:votes_at_most_2^53");
  EXPECT_EQ(fold(market_created{{7}, ada, {1, (uint256{1} << 128) + 1, 1}}), "refused:price_at_most_2^128");
  open();
  EXPECT_EQ(fold(votes_bought{{7}, bob, true, uint256{1} << 53, 1, {}}), "refused:votes_at_most_2^53");
  EXPECT_EQ(fold(votes_bought{{7}, bob, true, 1, (uint256{1} << 254) + 1, {}}), "refused:volume_at_most_2^254");
  EXPECT_EQ(fold(prices(uint256{1} << 53, 1)), "refused:votes_at_most_2^53");
  EXPECT_EQ(fold(prices(2, 1, uint256{1} << 129)), "refused:price_at_most_2^128");
  EXPECT_EQ(fold(donation_withdrawn{bob, (uint256{1} << 254) + 1}), "refused:volume_at_most_2^254");
  EXPECT_EQ(fold(market_funds_withdrawn{{7}, bob, (uint256{1} << 254) + 1}), "refused:volume_at_most_2^254");
  EXPECT_TRUE(rows.market_trades.all().empty());
  EXPECT_TRUE(rows.market_accounts.all().empty());
}

TEST_F(MarketFold, AMarketInTokensIsApartFromThatOfTheSameNumber) {
  open_in_tokens();
  EXPECT_EQ(row(in_tokens).in_tokens->userkey, "address:0x01");
  EXPECT_EQ(fold(tokens::market_created{{5}, {}, ada, ada, ada, ada, "profileId:1"}), "duplicate");
  applied(market_created{{5}, bob, usual});
  applied(tokens::position_opened{{5}, bob, true, 20 * ether, 30 * ether});
  EXPECT_EQ(held(bob, in_tokens), (market_position_row{30 * ether, 0}));
  EXPECT_EQ(row(in_tokens).trades, 1);
  EXPECT_EQ(row({contract_kind::reputation_market, {5}}).trades, 0);
  applied(tokens::market_updated{{5}, 31 * ether, ether, 6, 4, 20 * ether});
  EXPECT_EQ(row(in_tokens).backing, 20 * ether);
  EXPECT_EQ(rows.parameters.find({contract_kind::market, "mismatches"}), nullptr)
    << "the first prices tell what it began with";
  applied(tokens::position_closed{{5}, bob, true, 10 * ether, 6 * ether});
  applied(tokens::market_updated{{5}, 21 * ether, ether, 5, 5, 14 * ether});
  EXPECT_EQ(rows.parameters.find({contract_kind::market, "mismatches"}), nullptr);
  applied(tokens::market_update_failed{{5}, ada, true, {}});
  applied(tokens::market_pause_state_updated{{5}, market_state::sell_only});
  EXPECT_EQ(row(in_tokens).status, market_status::sell_only);
  EXPECT_EQ(fold(tokens::position_closed{{5}, bob, true, 21 * ether, 1}), "missing_position");
  EXPECT_EQ(fold(tokens::position_opened{{6}, bob, true, 1, 1}), "missing_market");
  EXPECT_EQ(fold(tokens::market_updated{{6}, 1, 1, 1, 1, 1}), "missing_market");
}

TEST_F(MarketFold, TheOffsetCounts) {
  how.id_offset = 100;
  open();
  EXPECT_NE(rows.markets.find({contract_kind::reputation_market, {107}}), nullptr);
  how.id_offset = 2147483645;
  EXPECT_EQ(fold(market_created{{7}, ada, usual}), "id_out_of_range");
  EXPECT_EQ(fold(buy(bob, true, 1, 1)), "id_out_of_range");
  EXPECT_EQ(fold(prices(1, 1)), "id_out_of_range");
}

} // namespace
} // namespace credence::chain
