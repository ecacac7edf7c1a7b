#pragma once

#include "tests/actors/chain/random_markets.hpp"
#include "tests/actors/chain/random_projects.hpp"
#include "tests/actors/chain/random_slashes.hpp"
#include "tests/actors/chain/random_vouches.hpp"

namespace credence::chain {

/// An event about a few people, accounts and records, so that they meet.
inline event random_step(samples::dice_type& dice) {
  if (samples::below(dice, 3) == 0)
    return random_vouch_step(dice);
  if (samples::below(dice, 4) == 0)
    return random_project_step(dice);
  if (samples::below(dice, 5) == 0)
    return random_slash_step(dice);
  if (samples::below(dice, 6) == 0)
    return random_market_step(dice);
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const auto whom = [&] { return samples::address_of(static_cast<unsigned char>(low(6))); };
  const auto profile = [&] { return onchain_profile{1 + low(6)}; };
  const std::string account = std::to_string(low(3));
  const bool yes = low(2) == 0;
  const auto target = fold_world::contract_of(yes ? contract_kind::review : contract_kind::discussion);
  switch (low(18)) {
    case 0:
    case 1: return profile_events::profile_created{profile(), whom()};
    case 2: return profile_events::mock_profile_created{profile()};
    case 3: return profile_events::profile_archived{profile()};
    case 4: return profile_events::profile_restored{profile()};
    case 5: return profile_events::address_claim{profile(), whom(), address_claim_kind::claimed};
    case 6: return profile_events::address_claim{profile(), whom(), address_claim_kind::unclaimed};
    case 7: return profile_events::user_invited{profile(), whom()};
    case 8: return profile_events::uninvited{profile(), whom(), 3, whom()};
    case 9:
      return attestation_events::attestation_created{profile(), people::account_service::x, account, "", {1 + low(5)}};
    case 10:
      return attestation_events::attestation_claimed{{1 + low(5)}, people::account_service::x, account, "", profile()};
    case 11:
    case 12:
    case 13:
      return review_events::review_created{
        review_score::positive,   whom(),    yes ? attestation_hash("x.com", account) : digest32{},
        yes ? address{} : whom(), {low(20)}, profile()};
    case 14: return review_events::review_archived{{low(20)}, whom(), whom()};
    case 15: return vote_events::voted{yes, profile(), target, {low(5)}, {1 + low(50)}};
    case 16: return vote_events::vote_changed{yes, low(2) == 0, profile(), target, {low(5)}, {1}};
    default: return discussion_events::reply_added{profile(), target, {low(20)}};
  }
}

} // namespace credence::chain
