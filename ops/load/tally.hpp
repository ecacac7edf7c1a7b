#pragma once

#include "ops/load/dispenser.hpp"
#include "ops/load/histogram.hpp"
#include "ops/load/options.hpp"
#include "ops/load/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace credence::load {

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
