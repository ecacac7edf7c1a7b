#pragma once

#include "actors/all_actors.hpp"
#include "tests/simulation/simulated_database.hpp"

#include <caf/actor_system.hpp>

namespace credence::test {

/// How many entities a process keeps in memory, and what money does.
struct process_rules {
  std::size_t live_projects = 2;
  std::size_t live_profiles = 4;
  market::terms trading;
  wall_clock now = nullptr;  // what this process goes by
  wall_clock wall = nullptr; // the machine's, which may be wrong
  void (*set_ahead)(std::chrono::microseconds) = nullptr;
};

/// The actors of one process of the service, as `serve` wires them, over a simulated database.
class process {
public:
  process(caf::actor_system& sys, simulated_database& on, const process_rules& how);
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  /// It knows what it needs to answer.
  bool ready() const { return known_.calendar.get() && known_.people.complete() && known_.projects.complete(); }
  const store_status& status() const noexcept { return status_; }
  /// The time that it goes by.
  timestamp now() const { return now_(); }
  /// A mistake: it takes changes whatever its writer has found.
  void write_all_the_same() { status_.writable.store(true); }
  bool believes_its_clock() const { return status_.clock.load() == clock_verdict::good; }
  const directory& actors() const noexcept { return others_; }
  const people::people_index& people() const noexcept { return known_.people; }
  const period::calendar* calendar() const { return known_.calendar.get(); }

  /// Tells all actors to stop, in good order; the scheduler does the rest.
  void stop();
  /// The same without order: nothing more of it reaches the database. This object has to live until
  /// its last actor is gone all the same.
  void kill();

private:
  void stop_all_but_the_writer();

  bool gone_ = false;
  wall_clock now_;
  settings::store settings_;
  store_status status_;
  published_state known_;
  directory others_;
  store storage_;
};

} // namespace credence::test
