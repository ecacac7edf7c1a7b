#pragma once

#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {

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

} // namespace credence::chain
