#pragma once

#include "actors/market/market_state.hpp"

#include <gtest/gtest.h>

/// A market without holders, and orders to it.
namespace credence::market::one_market {

inline constexpr profile_id owner{1};
inline constexpr market_id its_market{1};
inline constexpr fees rates{100, 100, 100};
inline const timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
inline constexpr wei ether = wei_per_ether;
inline const wei plenty = ether * 1'000'000;

inline market_opened opening(std::int64_t liquidity = 1500) {
  return {owner, tier::normal, {liquidity, ether / 100}, ether / 10, start};
}

inline market_state fresh(std::int64_t liquidity = 1500) {
  const auto opened = opening(liquidity);
  const auto price = lmsr_point::at(opened.how, {}).value().trust_price();
  return {its_market, fresh_book(opened), {}, {{start, 0, price, 0}, {}, true, 0}};
}

inline place_trade buying(profile_id who, vote_side side, std::int64_t votes) {
  return {.order = {its_market, direction::buy, side, votes, std::nullopt},
          .trader = who,
          .minimum_proceeds = {},
          .expected_sequence = {},
          .deadline = {}};
}
inline place_trade selling(profile_id who, vote_side side, std::int64_t votes) {
  auto out = buying(who, side, votes);
  out.order.way = direction::sell;
  return out;
}

/// Decides, applies and commits.
inline traded done(market_state& at, const place_trade& trade, timestamp now = start) {
  const auto change = at.decide(trade, plenty, rates, now);
  EXPECT_TRUE(change) << (change ? "" : change.why().detail);
  at.apply(*change);
  at.commit(*change);
  return *change;
}

inline std::vector<holder> holders_of(market_state& at) { return at.holders().page_of({10'000, 0}).values; }

inline refusal_code refused(const market_state& at, const place_trade& trade, const wei& funds = plenty) {
  const auto change = at.decide(trade, funds, rates, start);
  EXPECT_FALSE(change);
  return change ? refusal_code{} : change.why().code;
}

} // namespace credence::market::one_market
