#pragma once

#include "actors/chain/chain_types.hpp"
#include "actors/domain/time.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace credence::chain {

/// Events of any step.
inline constexpr std::size_t step_events_max = 2000;

/// How many events a step may have, so that its commit does not hold up writes of other records: half as many after one
/// that took longer than `slow`, a tenth more after one below `fast`. A single event may change hundreds of rows. The
/// first one is small, as nobody knows how long it takes. Pure: told of each commit.
class step_size {
public:
  static constexpr std::size_t least = 1, first = 200;
  static constexpr std::chrono::milliseconds slow{150}, fast{100};
  explicit step_size(std::size_t begin = first) noexcept : events_max_(begin) {}
  std::size_t events_max() const noexcept { return events_max_; }
  void took(std::chrono::nanoseconds commit) noexcept;

private:
  std::size_t events_max_;
};

/// Whether clients wait for answers, and not for blocks or texts, for a good part of the time: their writes come before
/// those of the chain. Quick answers leave moments in which nobody waits, and a program that asks a few times a second
/// how far the chain is makes no crowd.
class load_detector {
public:
  static constexpr std::chrono::milliseconds remembered{250};
  static constexpr double share_least = 0.25;
  bool here(std::int32_t waiting, steady_time now) noexcept {
    const double seen = waiting > 0 ? 1 : 0;
    const double kept = looked_ ? std::exp(-std::chrono::duration<double>{now - *looked_} / remembered) : 0;
    share_ = kept * share_ + (1 - kept) * seen;
    looked_ = now;
    return share_ >= share_least;
  }

private:
  double share_ = 0; // of the time, what is long ago for little
  std::optional<steady_time> looked_;
};

/// How fast the chain is caught up with: as fast as it goes while nobody else asks for anything; in small steps, with
/// rests between them, while clients wait for answers, as their writes and these share the machine. Pure: told of each
/// step.
class follow_pace {
public:
  /// A commit waits for the disk and for cores that others use, so its time says little of small steps: they are never
  /// smaller than that for it.
  static constexpr std::size_t under_load_least = 10;
  static constexpr std::chrono::milliseconds rest_max{100};

  std::size_t events_max(bool under_load) const noexcept {
    return under_load ? std::min(under_load_, alone_.events_max()) : alone_.events_max();
  }
  /// A step of so many events is stored.
  void stored(std::size_t events, std::chrono::nanoseconds commit) noexcept;
  /// A step was not stored: perhaps it was too large.
  void lost() noexcept;
  /// How long to rest after a step that took so long in all. Where others wait it is eight times that, 100 ms at most,
  /// so that they have most of the time; else it is nothing.
  static std::chrono::milliseconds rest(std::chrono::nanoseconds step, bool yielding) noexcept;

private:
  step_size alone_;
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
