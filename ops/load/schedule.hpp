#pragma once

#include "ops/load/histogram.hpp"
#include "ops/load/options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace credence::load {

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

} // namespace credence::load
