#pragma once

#include "actors/domain/hash.hpp"

#include <compare>
#include <cstdint>
#include <functional>

namespace credence {

/// A number that means one thing only: a profile id never fits where a project
/// id is expected. Valid ids are 1..2147483647; 0 means "none". But reviews and replies of a chain begin at 0: do not
/// test whether those are there by their ids.
template <class Tag>
struct id {
  std::int32_t value = 0;
  constexpr explicit operator bool() const noexcept { return value > 0; }
  friend constexpr auto operator<=>(const id&, const id&) = default;
};

using user_id = id<struct user_tag>;
using profile_id = id<struct profile_tag>;
/// A market is about a profile and has its number; see market_of and owner_of.
using market_id = id<struct market_tag>;
using project_id = id<struct project_tag>;
using slash_id = id<struct slash_tag>;
using review_id = id<struct review_tag>;
using vouch_id = id<struct vouch_tag>;
using reply_id = id<struct reply_tag>;
using invitation_id = id<struct invitation_tag>;
/// Position of a voting period in history: 1 is the first one ever.
using period_id = id<struct period_tag>;

/// Number of a committed change over all entities; gapless, in commit order.
using global_seq = std::int64_t;
/// Number of a committed change of one entity; gapless from 1.
using entity_seq = std::int32_t;

} // namespace credence

template <class Tag>
struct std::hash<credence::id<Tag>> {
  std::size_t operator()(credence::id<Tag> x) const noexcept {
    return credence::keyed_hash{}(x.value); // strangers ask for ids of their choice
  }
};
