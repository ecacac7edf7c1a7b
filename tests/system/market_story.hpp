#pragma once

#include "tests/system/followed_records.hpp"

/// Events of markets in ether that tests of followed markets need.
namespace credence::test {

inline const chain::market_config normal_market{1500, 10'000'000'000'000'000, 100'000'000'000'000'000};

inline chain::event opened(int profile, const address& by) {
  return chain::reputation_market_events::market_created{{profile}, by, normal_market};
}
inline chain::event bought(int profile, const address& by, bool trusts, int votes, std::int64_t funds) {
  return chain::reputation_market_events::votes_bought{{profile}, by, trusts, votes, funds, {1'700'000'000}};
}
inline chain::event sold(int profile, const address& by, bool trusts, int votes, std::int64_t funds) {
  return chain::reputation_market_events::votes_sold{{profile}, by, trusts, votes, funds, {1'700'000'001}};
}
inline chain::event priced(int profile, int trust, int distrust, std::int64_t trust_price) {
  return chain::reputation_market_events::market_updated{
    {profile}, trust, distrust, trust_price, normal_market.base_price - trust_price, 0, 0, 0, 0, 1, {1'700'000'000}};
}

} // namespace credence::test
