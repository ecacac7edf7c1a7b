#pragma once

#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {

/// An event of the broker, of a project or of the token, about the people and accounts of `random_step`.
inline event random_project_step(samples::dice_type& dice) {
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const auto profile = [&] { return onchain_profile{1 + low(6)}; };
  const auto whom = [&] { return samples::address_of(static_cast<unsigned char>(low(6))); };
  const onchain_post post{1 + low(6)};
  const onchain_project project{1 + low(4)};
  const auto token = samples::address_of(static_cast<unsigned char>(100 + low(2)));
  const account_details account{std::to_string(low(3)), "x.com"};
  const std::string words = std::to_string(low(1000));
  switch (low(14)) {
    case 0:
      return broker_events::post_created{post, profile(), post_level::premium,       "title", words,
                                         "5",  "{}",      {1'700'000'000 + low(100)}};
    case 1: return broker_events::post_updated{post, profile(), words, "more", "6", "", {1'700'000'000 + low(100)}};
    case 2: return broker_events::premium_post_fee_paid{post, token, uint256{low(100)} << 200, samples::address_of(1)};
    case 3: return broker_events::credit_balance_updated{profile(), token, 0, low(100)};
    case 4: return broker_events::credit_used{profile(), token, post, 1, low(100)};
    case 5:
    case 12:
    case 13:
      return project_events::project_created{project,     {1'700'000'000},
                                             low(2) == 0, "{\"description\":\"" + words + "\"}",
                                             account,     {profile(), profile(), profile()}};
    case 6: return project_events::project_archived{project, low(2) == 0};
    case 7: return project_events::project_details_updated{project, low(3) == 0 ? "" : words, words, account};
    case 8:
      return whuffie_events::transfer{low(4) == 0 ? address{} : whom(), low(5) == 0 ? address{} : whom(), low(50)};
    case 9: return rewards_events::credited{token, whom(), 1, low(9)};
    case 10: return rewards_events::debited{token, whom(), 1, low(9)};
    default: return project_events::project_manager_profile_ids_updated{project, {profile(), {900}}};
  }
}

} // namespace credence::chain
