#pragma once

#include "actors/domain/hash.hpp"
#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {

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

} // namespace credence::chain
