#pragma once

#include "actors/domain/hash.hpp"
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

/// An event of slashes, or a vote on one, about the people and accounts of `random_step`. Some slashes end soon in the
/// time of `fold_world`, others in that of blocks in a database.
inline event random_slash_step(samples::dice_type& dice) {
  using namespace slash_events;
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const auto whom = [&] { return samples::address_of(static_cast<unsigned char>(low(6))); };
  const auto profile = [&] { return onchain_profile{1 + low(6)}; };
  const onchain_slash which{low(5)};
  const bool yes = low(2) == 0;
  const auto soon = [&] { return span_of_time{low(60)}; };
  switch (low(12)) {
    case 0:
    case 1:
    case 2:
      return slash_created{which,
                           {(yes ? 1'700'000'000 : 1'790'000'000) + low(200)},
                           soon(),
                           yes ? address{} : whom(),
                           yes ? attestation_hash("x.com", std::to_string(low(3))) : digest32{},
                           profile(),
                           {low(8) == 0 ? 1'600'000'000 : 0},
                           static_cast<std::uint64_t>(low(500)),
                           static_cast<slash_type>(low(3)),
                           "why",
                           "{}"};
    case 3: return slash_edited{which, std::to_string(low(100)), ""};
    case 4: return slash_extended{which, soon()};
    case 5: return slash_cancelled{which, whom(), {1'700'000'000 + low(100)}};
    case 6: return slash_resolved{which, static_cast<slash_resolution>(low(5)), 500};
    case 7: return financial_slash_created{which, profile(), profile(), 1, 1};
    case 8: return resolution_executed{which};
    case 9:
      return vote_events::vote_changed{
        yes, false, profile(), fold_world::contract_of(contract_kind::slash), {which.value}, {100 + low(50)}};
    default:
      return vote_events::voted{
        yes, profile(), fold_world::contract_of(contract_kind::slash), {which.value}, {100 + low(50)}};
  }
}

/// An event of vouches in ether about the people and accounts of `random_step`.
inline event random_ether_step(samples::dice_type& dice) {
  using namespace vouch_events;
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const auto profile = [&] { return onchain_profile{1 + low(6)}; };
  const auto whom = [&] { return samples::address_of(static_cast<unsigned char>(low(6))); };
  const auto hash = attestation_hash("x.com", std::to_string(low(3)));
  const onchain_vouch which{low(15)};
  const wei staked = 1000 + low(1'000'000), deposited = staked - low(1000);
  switch (low(16)) {
    case 0:
    case 1: return early_vouched{which, profile(), profile(), staked, deposited};
    case 2:
    case 3: return vouched{which, profile(), profile(), whom(), {}, staked, deposited};
    case 4: return vouched{which, profile(), profile(), {}, hash, staked, deposited};
    case 5: return vouch_increased{which, profile(), profile(), whom(), {}, staked, deposited};
    case 6: return early_vouch_increased{which, profile(), profile(), staked, deposited};
    case 7:
    case 8: return unvouched{which, profile(), profile(), staked};
    case 9: return marked_unhealthy{which, profile(), profile()};
    case 10: return slashed{profile(), low(1001), low(1000)};
    case 11: return frozen{profile(), low(2) == 0};
    case 12: return attestation_vouch_mapping_updated{hash, profile(), profile()};
    case 13: return deposited_to_rewards{profile(), staked};
    case 14: return withdrawn_from_rewards{profile(), staked};
    default: return entry_vouchers_pool_fee_basis_points_updated{low(600)};
  }
}

/// The same of vouches in WHUF.
inline event random_whuf_step(samples::dice_type& dice) {
  using namespace vouch_v2_events;
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const auto whom = [&] { return samples::address_of(static_cast<unsigned char>(low(6))); };
  const onchain_vouch which{1 + low(10)};
  const std::string targets[]{"profileId:" + std::to_string(1 + low(6)), "address:" + lower_text(whom()),
                              "service:x.com:" + std::to_string(low(3)), "no userkey"};
  const auto& target = targets[low(4)];
  const auto hash = low(8) == 0 ? samples::hash_of(1) : keccak256(target);
  const wei balance = 1000 + low(1'000'000);
  switch (low(12)) {
    case 0:
    case 1:
    case 2:
    case 3: return vouched{whom(), hash, which, target, balance, low(100), "{}"};
    case 4: return vouch_increased{which, balance, low(100), balance};
    case 5: return vouch_decreased{which, balance, low(100), low(2000)};
    case 6: return unvouched{which, balance, low(100), balance};
    case 7: return vouch_slashed{which, balance, low(1000), low(100)};
    case 8: return marked_unhealthy{which, whom(), hash};
    case 9: return vouch_metadata_updated{which, std::to_string(low(100))};
    case 10: return account_slashed{whom(), 5, 5};
    default: return frozen{whom(), low(2) == 0};
  }
}

/// An event of bonds.
inline event random_bond_step(samples::dice_type& dice) {
  using namespace bond_events;
  const auto low = [&](std::size_t bound) { return static_cast<std::int32_t>(samples::below(dice, bound)); };
  const onchain_bond which{1 + low(8)};
  const onchain_profile author{1 + low(6)};
  const auto whom = samples::address_of(static_cast<unsigned char>(low(6)));
  switch (low(3)) {
    case 0:
      return bond_created{which, author, "HUMAN", std::to_string(low(1000)),
                          low(50) == 0 ? std::string(257, 'x') : "XP"};
    case 1: return bond_archived{which, author, whom, low(2) == 0 ? "" : "broken"};
    default:
      return bond_expiration_updated{which, author, whom,
                                     low(2) == 0 ? std::to_string(1'900'000'000 + low(1000)) : "never"};
  }
}

inline event random_vouch_step(samples::dice_type& dice) {
  const auto which = samples::below(dice, 7);
  return which == 0 ? random_bond_step(dice) : which < 3 ? random_whuf_step(dice) : random_ether_step(dice);
}

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
