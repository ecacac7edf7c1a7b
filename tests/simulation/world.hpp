#pragma once

#include "tests/simulation/process.hpp"
#include "tests/simulation/simulation.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <memory>
#include <optional>

namespace credence::test {

/// Stands in for the machine's clocks while it lives, and keeps the log quiet.
struct virtual_time {
  virtual_time();
  ~virtual_time();
  virtual_time(const virtual_time&) = delete;
  virtual_time& operator=(const virtual_time&) = delete;

  static void advance(std::chrono::nanoseconds by);
  static std::chrono::nanoseconds since_start();
  /// The service's wall clock is so far from the database's, which is right.
  static void jump(std::chrono::microseconds by);
  static bool jumped();
};

/// The real actors in one thread on virtual time, over a database that fails, in processes that
/// are killed, started again and taken over. The dice say whose turn it is; what happens goes
/// into the report's trace.
class world {
public:
  static constexpr int projects = 3;
  static constexpr int profiles = 8;
  static constexpr int live_profiles = 4;      // in memory at a time
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

  void note(const std::string& text);
  void violation(const std::string& text);
  bool violated() const noexcept { return !report_.violations.empty(); }

  // -- time and turns
  /// What the serving process goes by.
  timestamp wall_now() const { return serving_->now(); }
  /// The machine's clock is stepped, by years or a moment, or put right.
  void step_clock();
  /// Whether this process has found its clock good since the question with this number of turns was put.
  bool believed_since(const process& which, std::uint64_t turns) const;
  std::uint64_t turns() const noexcept { return turns_; }
  void advance_clock(std::chrono::nanoseconds by);
  /// At most so many messages, each of whichever actor the dice choose.
  void some_turns(std::uint32_t at_most);
  /// Lets the actors work for so long, or until it is `over`.
  void pass_time(std::chrono::nanoseconds by, const std::function<bool()>& over = nullptr);

  // -- faults
  void crash_somebody();
  /// The process is killed, or an actor of which there is one dies, with which the process ends;
  /// another one is started in its place. `when_ended` runs in between.
  void restart();
  /// A second process is started while the first one serves. It takes the database over, and the
  /// first one ends when it notices.
  void start_second();
  /// What is to happen with everything that was asked and not answered when a process ends.
  std::function<void(const process&)> when_ended;
  void archive_somebody();
  void rate_somebody();
  /// Some messages: in some seeds enough that clients are mostly served, in others too few, so that
  /// mailboxes are long and much is under way when something fails.
  void work() { some_turns(1 + dice_.below(turns_at_once_)); }
  /// The faults begin, as the plan has them, in some seeds more seldom: where everything fails
  /// nothing gets far.
  void begin_faults();
  /// Whether something that the plan allows goes wrong now.
  bool strikes() { return dice_.chance(density_); }
  /// They end, time passes, and the store must have recovered by itself. `now_and_then` is done twice a second.
  void heal(const std::function<void()>& now_and_then);

  // -- for those who ask and judge
  dice& chance() noexcept { return dice_; }
  simulated_database& database() noexcept { return database_; }
  const simulated_database& database() const noexcept { return database_; }
  /// The process that clients reach.
  const process& serving() const noexcept { return *serving_; }
  const directory& actors() const noexcept { return serving_->actors(); }
  const people::people_index& people_known() const noexcept { return serving_->people(); }
  period::voting_period open_period() const { return serving_->calendar()->current(); }
  /// One that was taken over and has not noticed, if there is one; clients may still write to it.
  const process* overtaken() const noexcept { return overtaken_.get(); }

private:
  void one_turn();
  std::unique_ptr<process> start_process();
  void end(std::unique_ptr<process> which);
  void look_after_processes();
  void look_at_clocks();

  virtual_time time_;
  const simulation_plan& plan_;
  simulation_report& report_;
  dice dice_;
  std::chrono::milliseconds owed_{0}; // time that a turn has taken; alarms hear of it after the turn
  simulated_database database_;
  process_rules rules_;
  caf::actor_system_config config_;
  std::optional<caf::actor_system> sys_;
  caf::scheduler::test_coordinator* sched_ = nullptr;
  std::unique_ptr<process> serving_;
  std::unique_ptr<process> next_;               // started, and not ready yet
  std::unique_ptr<process> overtaken_;          // until it notices
  std::vector<std::unique_ptr<process>> ended_; // their actors may not all be gone
  std::uint64_t turns_ = 0;
  std::map<const process*, std::uint64_t> believed_at_; // the last turn with a clock that it found good
  int started_ = 0;
  std::uint32_t density_ = 1000; // of faults, of 1000 of those in the plan
  std::uint32_t turns_at_once_ = 0;
  steady_time overtaken_at_{};
};

} // namespace credence::test
