#pragma once

#include "actors/chain/chain_types.hpp"
#include "actors/kernel/pace.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace credence::chain {

/// Events of any step.
inline constexpr std::size_t step_events_max = 2000;

/// How fast the follower catches up with the chain: at full speed while no client waits; in small steps with rests
/// between them while clients wait for answers, as both share the machine. Decides by what it is told of each step.
class follow_pace {
public:
  /// A commit waits for the disk and for cores that others use, so its time says little of small steps: they are never
  /// smaller than that for it.
  static constexpr std::size_t under_load_least = 10;

  std::size_t events_max(bool under_load) const noexcept {
    return under_load ? std::min(under_load_, alone_.max()) : alone_.max();
  }
  /// A step of so many events is stored.
  void stored(std::size_t events, std::chrono::nanoseconds commit) noexcept;
  /// A step was not stored: perhaps it was too large.
  void lost() noexcept;

private:
  step_size alone_{step_events_max};
  std::size_t under_load_ = 2 * under_load_least;
};

// How long the follower waits, and how often it tries.

inline constexpr std::chrono::seconds write_timeout{10};
inline constexpr std::chrono::milliseconds reload_after{250};
/// After so many writes in a row that took too long, each of half as many events, a trial looks for the one event.
inline constexpr int losses_before_trial = 4;
/// How long to wait after so many writes in a row that came to nothing: they may have held up those of others.
inline std::chrono::milliseconds after_losses(int losses) { return reload_after * (1 << std::min(losses - 1, 4)); }
inline constexpr std::chrono::seconds settle_timeout{60};
inline constexpr std::chrono::milliseconds left_for_the_answer{300};
/// A block that many blocks ahead is not hurried to.
inline constexpr block_number hurry_blocks_max = 1000;
/// Nodes are given so long to tell whether one of them withheld a log.
inline constexpr std::chrono::seconds gap_timeout{60};
/// Who remembers people is given so long to look again.
inline constexpr std::chrono::seconds telling_timeout{2};

} // namespace credence::chain
