#pragma once

#include "ops/load/dispenser.hpp"
#include "ops/load/options.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace credence::load {

/// Durations in nanoseconds, counted in buckets whose width grows with the value: each is
/// within 1 % of what it stands for, from 1 ns to hours, in a table of fixed size.
class histogram {
public:
  void add(std::int64_t ns) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
    ++counts_[index_of(value)];
    ++count_;
    most_ = std::max(most_, value);
  }

  void add(const histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
    count_ += other.count_;
    most_ = std::max(most_, other.most_);
  }

  std::uint64_t count() const noexcept { return count_; }
  double max_ms() const noexcept { return static_cast<double>(most_) / 1e6; }

  /// The value that a share `quantile` (0 to 1) of all durations does not exceed, in milliseconds.
  double quantile_ms(double quantile) const noexcept {
    if (count_ == 0)
      return 0;
    const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(quantile * static_cast<double>(count_) + 0.5));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted)
        return static_cast<double>(std::min(upper_end(i), most_)) / 1e6;
    }
    return max_ms();
  }

private:
  static constexpr unsigned fine_bits = 7; // 128 buckets for each power of two
  static constexpr std::size_t per_power = std::size_t{1} << fine_bits;
  static constexpr std::size_t powers = 44 - fine_bits;

  static std::size_t index_of(std::uint64_t value) noexcept {
    if (value < per_power)
      return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - fine_bits - 1;
    const auto index = (shift + 1) * per_power + static_cast<std::size_t>((value >> shift) - per_power);
    return std::min(index, (powers + 1) * per_power - 1);
  }
  static std::uint64_t upper_end(std::size_t index) noexcept {
    if (index < per_power)
      return index;
    const auto shift = static_cast<unsigned>(index / per_power - 1);
    return ((per_power + index % per_power + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (powers + 1) * per_power> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t most_ = 0;
};

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using time_point = clock::time_point;

/// A span of that many seconds.
nanoseconds to_duration(double seconds);

/// What became of the requests that were due within one second of a schedule. Every one of
/// them is either unsent, or sent and then accepted, refused or failed.
struct second_tally {
  std::int64_t due = 0;
  std::int64_t unsent = 0;   // no connection was free for as long as a client waits for one
  std::int64_t late = 0;     // of those sent: more than `late_after` behind schedule
  std::int64_t accepted = 0; // 2xx
  std::int64_t refused = 0;  // 429 or 503
  std::int64_t failed = 0;   // another status, or a connection that broke
  histogram from_sent;       // of accepted ones: from sending to the answer
  histogram from_due;        // of accepted ones: from the moment they were due

  static constexpr auto late_after = std::chrono::milliseconds{10};

  void add(const second_tally& other);
};

/// The moments at which one worker's requests are due: phases of a steady rate one after
/// another, and, when there is more than one, a tally for every second of each.
class schedule {
public:
  /// `index` is the worker's, of `with.threads`.
  schedule(const options& with, unsigned index);

  /// Begins: the warm-up at `start`, the first phase at `measure_from`.
  void begin(time_point start, time_point measure_from);
  time_point due() const { return due_; }
  /// On to the next request's moment.
  void advance();
  /// All that is yet to come is later by `pause`.
  void shift(nanoseconds pause);

  /// The tally of the second that the next request is due in; nothing in the warm-up, and
  /// with a single phase.
  second_tally* second();

  /// Phase after phase, second after second.
  std::vector<std::vector<second_tally>> seconds;

private:
  void enter(std::size_t phase);

  const std::vector<phase>& phases_;
  const double share_; // of every rate
  const unsigned index_;
  const unsigned workers_;
  std::size_t now_ = 0; // phase
  time_point due_;
  time_point measure_from_;
  time_point began_; // of the phase
  time_point ends_;
  nanoseconds every_{0};
};

/// What was counted; threads count for themselves and are added up at the end.
struct tally {
  std::int64_t requests = 0;       // answered within the measured time
  std::int64_t requests_total = 0; // answered at all, with warm-up and drain
  std::int64_t ok = 0;
  std::int64_t acknowledged = 0; // 200 at any time of the run
  std::int64_t unknown = 0;      // asked, and no answer or a 5xx: may or may not have happened
  std::int64_t errors = 0;       // connections that broke or spoke nonsense
  std::int64_t reconnects = 0;
  std::int64_t unsent = 0; // due within the measured time and never sent
  std::int64_t bytes = 0;
  double cpu = 0;
  double seconds = 0;
  std::array<std::int64_t, 1000> by_status{};
  histogram latency;

  void add(const tally& other) {
    requests += other.requests;
    requests_total += other.requests_total;
    ok += other.ok;
    acknowledged += other.acknowledged;
    unknown += other.unknown;
    errors += other.errors;
    reconnects += other.reconnects;
    unsent += other.unsent;
    bytes += other.bytes;
    cpu += other.cpu;
    seconds = std::max(seconds, other.seconds);
    for (std::size_t i = 0; i < by_status.size(); ++i)
      by_status[i] += other.by_status[i];
    latency.add(other.latency);
  }
};

/// Prints the result as one JSON object on standard output; `phases` are the seconds of
/// each phase of the schedule, added up over the threads, if they were counted.
void print(const tally& all, const std::vector<std::vector<second_tally>>& phases, const options& with,
           const dispenser& numbers);

} // namespace credence::load
