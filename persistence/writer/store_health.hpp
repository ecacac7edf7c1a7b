#pragma once

#include "actors/kernel/writes.hpp"
#include "ops/metrics.hpp"
#include "persistence/postgres/error.hpp"

#include <chrono>
#include <string_view>

namespace credence::persistence {

/// Whether the database is there, can be written and tells the time as this machine does: keeps the status and the
/// metrics true, and knows when it is to be asked next. Belongs to the writer's thread.
class store_health {
public:
  store_health(store_status& status, ops::writer_metrics& metrics, clock_source clocks);

  /// The database is about to be asked; `good` counts from now.
  void asking();
  /// The database is well, and nobody else owned the shard when it was asked.
  void good();
  /// Nobody else owned the shard when the database was asked; whether it can be written is another question.
  void owned();
  /// When it has to be asked whether it is well.
  steady_time next_probe() const noexcept { return next_probe_; }
  /// It could not say now; it is asked again soon.
  void probe_later();

  /// Whether a batch can be written, as far as the database goes.
  bool can_write() const noexcept { return can_write_; }
  void set_writable(bool yes);
  /// Logs why it cannot be written or reached, once until it can again.
  void log_once(std::string_view event, const database_error& why);
  /// The database can be reached, by a standby that does not write.
  void well();
  /// Logs that the session is lost.
  void log_loss(std::string_view event, const database_error& why);

  /// The wall clock of this machine.
  timestamp wall() const { return clocks_.wall(); }
  /// The database's clock showed `theirs` between `before`, by the wall clock, and now.
  void judge_clock(timestamp before, timestamp theirs);

private:
  store_status& status_;
  ops::writer_metrics& metrics_;
  clock_source clocks_;
  clock_judge clock_;
  bool can_write_ = false;
  bool away_logged_ = false;
  std::chrono::nanoseconds asked_at_{}; // boot clock: when the database was asked what it answers now
  steady_time next_probe_{};
  steady_time next_clock_check_{};
};

} // namespace credence::persistence
