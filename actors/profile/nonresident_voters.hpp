#pragma once

#include "actors/profile/profile_actor.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::profile {

/// Votes that landed for voters who are not in memory. Most voters vote now and then: an actor of
/// theirs would be made, read everything and leave again for the sake of one balance. So their votes
/// are counted from committed rows, all that gathered at a time; who votes again soon gets an actor.
/// A plain object in the router's state.
class nonresident_voters {
public:
  /// Counted by one statement at most.
  static constexpr std::size_t together_max = 1024;

  /// Remembers about so many voters.
  explicit nonresident_voters(std::size_t voters) : lately_(std::bit_ceil(std::max<std::size_t>(voters, 1))) {}

  /// Whether this one has voted not long ago; forgets it then, or else remembers it, in place of another.
  bool again(profile_id who) {
    auto& place = lately_[(static_cast<std::uint32_t>(who.value) * 2654435769u) % lately_.size()];
    const bool known = place == who;
    place = known ? profile_id{} : who;
    return known;
  }

  void add(vote_landed landed) { waiting_.push_back(std::move(landed)); }

  /// The votes to be counted next; empty when there are none, or while others are being counted.
  std::vector<vote_landed> next() {
    std::vector<vote_landed> out;
    if (counting_ || waiting_.empty())
      return out;
    counting_ = true;
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), together_max));
    out.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.begin() + count));
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    return out;
  }
  void counted() noexcept { counting_ = false; }

private:
  std::vector<profile_id> lately_;   // by a hash of the id; 0 where there is none
  std::vector<vote_landed> waiting_; // as many as the front lets in at a time
  bool counting_ = false;
};

} // namespace credence::profile
