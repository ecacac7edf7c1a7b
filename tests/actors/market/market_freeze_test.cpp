#include "tests/actors/market/one_market.hpp"

#include <gtest/gtest.h>

namespace credence::market {
namespace {

using namespace one_market;

TEST(MarketState, AFrozenMarketTakesNoTradesUntilItGoesOn) {
  auto market = fresh();
  done(market, buying(profile_id{2}, vote_side::trust, 10));
  const get_quote question{{its_market, direction::buy, vote_side::trust, 5, std::nullopt}};
  auto tried = buying(profile_id{2}, vote_side::trust, 1);
  tried.dry_run = true;
  const auto freeze = market.decide(set_market_frozen{its_market, true}, start);
  ASSERT_TRUE(freeze);
  market.apply(*freeze);
  EXPECT_EQ(refused(market, buying(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen)
    << "trades build on what is not committed";
  EXPECT_TRUE(market.decide(question, rates)) << "what is shown is committed";
  EXPECT_TRUE(market.decide(tried, plenty, rates, start));
  EXPECT_FALSE(market.view({}).frozen);
  EXPECT_FALSE(market.decide(set_market_frozen{its_market, true}, start)) << "it is so already";
  market.commit(*freeze);
  EXPECT_TRUE(market.view({}).frozen);
  EXPECT_EQ(market.decide(question, rates).why().code, refusal_code::market_frozen);
  EXPECT_EQ(refused(market, tried), refusal_code::market_frozen);
  EXPECT_EQ(refused(market, selling(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen);
  EXPECT_EQ(market.view({}).votes.trust, 11);
  EXPECT_EQ(holders_of(market).front().votes, 10);
  const auto end = market.decide(set_market_frozen{its_market, false}, start);
  ASSERT_TRUE(end);
  market.apply(*end);
  market.commit(*end);
  EXPECT_TRUE(market.decide(question, rates));
  EXPECT_EQ(done(market, selling(profile_id{2}, vote_side::trust, 10)).number, 2);
}

TEST(MarketState, AFreezeIsTakenBackWithTheTradesBeforeIt) {
  auto market = fresh();
  const auto trade = market.decide(buying(profile_id{2}, vote_side::trust, 5), plenty, rates, start);
  market.apply(*trade);
  market.apply(*market.decide(set_market_frozen{its_market, true}, start));
  market.take_back();
  EXPECT_EQ(done(market, buying(profile_id{2}, vote_side::trust, 5)).number, 1);
  EXPECT_TRUE(market.decide(set_market_frozen{its_market, true}, start)) << "it is not frozen";
}

TEST(MarketState, IsFrozenAsItIsStored) {
  auto book = fresh_book(opening());
  book.frozen = true;
  const market_state market{its_market, book, {}, {{start, 0, 0, 0}, {}, true, 0}};
  EXPECT_TRUE(market.view({}).frozen);
  EXPECT_EQ(refused(market, buying(profile_id{2}, vote_side::trust, 1)), refusal_code::market_frozen);
}

} // namespace
} // namespace credence::market
