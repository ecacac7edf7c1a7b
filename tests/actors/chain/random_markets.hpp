#pragma once

#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {

/// An event of a market of either contract, about the people of `random_step`.
inline event random_market_step(samples::dice_type& dice) {
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const onchain_profile profile{1 + low(4)};
  const onchain_market number{1 + low(3)};
  const auto who = samples::address_of(static_cast<unsigned char>(low(6)));
  const bool trusts = low(2) == 0;
  const uint256 votes = 1 + low(20), funds = uint256{1 + low(90)} << 60;
  const unix_time at{1'700'000'000 + low(5000)};
  const market_config config{1000 + low(5), uint256{1} << 53, 5};
  switch (low(19)) {
    case 0:
    case 1: return reputation_market_events::market_created{profile, who, config};
    case 2:
    case 3:
    case 4: return reputation_market_events::votes_bought{profile, who, trusts, votes, funds, at};
    case 5: return reputation_market_events::votes_sold{profile, who, trusts, votes, funds, at};
    case 6:
    case 17:
    case 18:
      return reputation_market_events::market_updated{profile, 1 + low(30), 1 + low(30), low(50), low(50), -1,
                                                      1,       0,           0,           7,       at};
    case 7: return reputation_market_events::donation_withdrawn{who, funds};
    case 8: return reputation_market_events::donation_recipient_updated{profile, who, who};
    case 9:
      if (low(6) == 0)
        return reputation_market_events::market_graduated{profile};
      return reputation_market_events::market_funds_withdrawn{profile, who, funds};
    case 10: return reputation_market_events::market_config_added{low(5), config};
    case 11: return reputation_market_events::market_config_removed{low(5), config};
    case 12:
      return market_events::market_created{number, {}, who, who, who, who, "profileId:" + std::to_string(low(9))};
    case 13: return market_events::position_opened{number, who, trusts, funds, votes << 60};
    case 14: return market_events::position_closed{number, who, trusts, votes << 60, funds};
    case 15: return market_events::market_pause_state_updated{number, static_cast<market_state>(low(3))};
    default: return market_events::market_updated{number, votes << 60, funds, low(50), low(50), funds};
  }
}

} // namespace credence::chain
