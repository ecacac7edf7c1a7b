#pragma once

#include "ops/demo/parts.hpp"

/// A dozen profiles of the demo that act as one, for whoever looks for such.
namespace credence::persistence {

/// What the metadata of the members' reviews are; those of all others say no more than where they come from.
inline constexpr std::string_view demo_ring_mark = R"({"source":"demo","ring":true})";

/// They joined within minutes in the period before the open one, invited by the first of them. They praise each other
/// and vouch for each other, and in both periods they vote alike on a few listings within seconds of each other; on
/// nothing else.
class demo_ring {
public:
  static constexpr std::int32_t members = 12;

  /// Empty where the demo is too small to do without a dozen voters.
  demo_ring(const demo_size& size, timestamp now);

  bool empty() const { return first_ == 0; }
  bool has(std::int32_t profile) const { return !empty() && profile >= first_ && profile < first_ + members; }
  /// The members' profiles have neighbouring ids; the places go round, so that the one before 0 is the last one.
  std::int32_t first() const { return first_; }
  std::int32_t at_place(std::int32_t place) const { return first_ + (place + members) % members; }

  timestamp joined(std::int32_t profile) const;
  /// The votes of a period, as they were cast.
  std::vector<demo_vote> votes(timestamp from, timestamp to) const;

private:
  std::int32_t first_ = 0;
  timestamp joins_;
  std::vector<std::int32_t> projects_;
};

} // namespace credence::persistence
