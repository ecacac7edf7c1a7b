#pragma once

#include "actors/directory.hpp"
#include "actors/kernel/context.hpp"
#include "tests/simulation/simulation.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace credence::test {

/// Stands in for the machine's clocks while it lives, and keeps the log quiet.
class virtual_time {
public:
  virtual_time();
  ~virtual_time();
  virtual_time(const virtual_time&) = delete;
  virtual_time& operator=(const virtual_time&) = delete;

  static void advance(std::chrono::nanoseconds by);
  static std::chrono::nanoseconds since_start();
  /// Steps the service's wall clock; the database's stays.
  static void jump(std::chrono::microseconds by);
};

/// The real actors in one thread on virtual time, over a database that fails. The dice say
/// whose turn it is; what happens goes into the report's trace.
class world {
public:
  static constexpr int projects = 3;
  static constexpr int profiles = 8;
  static constexpr int live_profiles = 4; // in memory at a time
  static constexpr std::int64_t xp_each = 500; // at first
  static constexpr int markets = 2;            // at first
  static inline const wei wei_each = 200'000;  // at first

  world(const simulation_plan& plan, simulation_report& report);
  ~world() { close(); }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Starts the actors and waits until they know what they need; a violation when they never do.
  void open();
  /// Stops them all. Whoever is owed an answer has one afterwards.
  void close();

  void note(const std::string& what);
  void violation(const std::string& what);
  bool violated() const noexcept { return !report_.violations.empty(); }

  // -- time and turns
  void advance_clock(std::chrono::nanoseconds by);
  /// At most so many messages, each of whichever actor the dice choose.
  void some_turns(std::uint32_t at_most);
  /// Lets the actors work for so long.
  void pass_time(std::chrono::nanoseconds by);

  // -- faults
  void crash_somebody();
  void archive_somebody();
  /// The faults begin, as the plan has them.
  void begin_faults() { database_.faults = plan_.faults; }
  /// They end, time passes, and the store must have recovered by itself. `now_and_then` is done twice a second.
  void heal(const std::function<void()>& now_and_then);

  // -- for those who ask and judge
  dice& chance() noexcept { return dice_; }
  simulated_database& database() noexcept { return database_; }
  const simulated_database& database() const noexcept { return database_; }
  const directory& actors() const noexcept { return others_; }
  const people::people_index& people_known() const noexcept { return people_; }
  period::voting_period open_period() const { return calendar_.get()->current(); }

private:
  void one_turn();

  virtual_time time_;
  const simulation_plan& plan_;
  simulation_report& report_;
  dice dice_;
  std::chrono::milliseconds owed_{0}; // time that a turn has taken; alarms hear of it after the turn
  simulated_database database_;
  settings::store settings_;
  store_status status_;
  people::people_index people_;
  listing::project_index projects_;
  period::published_calendar calendar_;
  directory others_;
  caf::actor_system_config config_;
  std::optional<caf::actor_system> sys_;
  caf::scheduler::test_coordinator* sched_ = nullptr;
  std::shared_ptr<context> with_ = std::make_shared<context>();
};

} // namespace credence::test
