#pragma once

#include "tests/persistence/postgres/cutting_proxy.hpp"
#include "tests/system/service.hpp"
#include "tests/system/stand_ins.hpp"

#include <functional>

namespace credence::test {

/// What is promised of a service in trouble. Times are in seconds.
namespace bars {
inline constexpr double ready_after_kill = 2;                // killed, then started again
inline constexpr double writes_after_database = 2;           // PostgreSQL takes connections again
inline constexpr double any_answer = 3;                      // while PostgreSQL stands still, or anything else happens
inline constexpr std::int64_t memory_above_start = 64 << 20; // bytes

/// How many times longer than promised a time may be: BARS_SLACK, 20 when it is not set, so that a machine that does
/// other things at the same time fails no test. ops/soak sets 1.
double slack();
/// The same for answers, but less than the minute after which the tests' clients give up.
double any_answer_with_slack();
} // namespace bars

/// The exit code of a server of which a part has died that cannot be replaced.
inline constexpr int part_died = 8;

/// Seconds since then.
double seconds_since(std::chrono::steady_clock::time_point began);
/// Starts the server; how long it took to become ready.
double seconds_to_start(service& on, const std::vector<std::string>& flags);
/// Waits until PostgreSQL takes connections again.
void wait_for_database(service& on);
/// Lets an admin vote until a vote is stored; how long that took. Once a period.
double seconds_until_writes(service& on);

/// A service with everything around it that can be made to fail.
struct fragile_service {
  explicit fragile_service(service::size demo);
  fragile_service(const fragile_service&) = delete;
  fragile_service& operator=(const fragile_service&) = delete;
  ~fragile_service();

  /// Starts the server and waits until it is ready.
  void start();
  /// Steps the server's wall clock by so many seconds from the true time.
  void set_clock(int seconds) const;

  faulty_disk disk;
  service server;
  cutting_proxy proxy;
  std::string clock_file;
  double slowest_start = 0;           // seconds
  std::int64_t resident_at_start = 0; // of the server that runs now, in bytes
};

/// Something that goes wrong, and is over when `strike` returns: from then on the service has
/// to become ready by itself.
struct fault {
  const char* name;
  std::function<void(fragile_service&)> strike;
};

/// Every fault there is.
const std::vector<fault>& all_faults();

} // namespace credence::test
