#pragma once

#include "actors/domain/time.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

/// How fast work goes on that shares the database and the machine with clients.
namespace credence {

/// How much a step may have in it, so that its commit does not hold up writes of others: half as much after one that
/// took longer than `slow`, a tenth more after one below `fast`. The first one is small, as nobody knows how long it
/// takes. Pure: told of each commit.
class step_size {
public:
  static constexpr std::size_t least = 1, first = 200;
  static constexpr std::chrono::milliseconds slow{150}, fast{100};
  /// How long a step may take: see above.
  struct times {
    std::chrono::milliseconds slow, fast;
  };
  /// Never more than `most`.
  explicit step_size(std::size_t most, std::size_t begin = first) noexcept
    : step_size(most, begin, times{slow, fast}) {}
  step_size(std::size_t most, std::size_t begin, times aimed_at) noexcept
    : most_(most), max_(std::min(begin, most)), aimed_at_(aimed_at) {}
  std::size_t max() const noexcept { return max_; }
  void took(std::chrono::nanoseconds commit) noexcept;

private:
  std::size_t most_;
  std::size_t max_;
  times aimed_at_;
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

inline constexpr std::chrono::milliseconds rest_max{100};
/// How long to rest behind a step that took so long in all. Where others wait it is eight times that, `rest_max` at
/// most, so that they have most of the time; else it is nothing.
std::chrono::milliseconds rest_behind(std::chrono::nanoseconds step, bool yielding) noexcept;

} // namespace credence
