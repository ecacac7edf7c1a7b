#pragma once

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

} // namespace credence::chain
