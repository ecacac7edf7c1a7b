#pragma once

#include "actors/domain/ids.hpp"

#include <cstdint>
#include <vector>

namespace credence::project {

/// Maps a voter to the row of its newest vote: open addressing, eight bytes a
/// slot, because a project may have a million voters.
class voter_table {
public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Row of the voter's newest vote, or `none`.
  std::uint32_t find(profile_id who) const noexcept {
    if (slots_.empty())
      return none;
    const auto& slot = slots_[place_of(who)];
    return slot.voter == 0 ? none : slot.row;
  }

  /// Sets the voter's newest row. `none` keeps the voter known without a vote.
  void set(profile_id who, std::uint32_t row) {
    if ((used_ + 1) * 3 > slots_.size() * 2)
      grow();
    auto& slot = slots_[place_of(who)];
    used_ += slot.voter == 0;
    slot = {who.value, row};
  }

  /// Voters that are known, with or without a vote.
  std::size_t size() const noexcept { return used_; }

  template <class F>
  void for_each(F&& f) const {
    for (const auto& slot : slots_)
      if (slot.voter != 0 && slot.row != none)
        f(profile_id{slot.voter}, slot.row);
  }

private:
  struct slot_type {
    std::int32_t voter = 0;
    std::uint32_t row = none;
  };

  std::size_t place_of(profile_id who) const noexcept {
    const auto mask = slots_.size() - 1;
    auto at = (std::hash<profile_id>{}(who) >> 32) & mask;
    while (slots_[at].voter != 0 && slots_[at].voter != who.value)
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<slot_type> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old)
      if (slot.voter != 0)
        slots_[place_of(profile_id{slot.voter})] = slot;
  }

  std::vector<slot_type> slots_; // a power of two
  std::size_t used_ = 0;
};

} // namespace credence::project
