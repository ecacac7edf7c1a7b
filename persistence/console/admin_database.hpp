#pragma once

#include "actors/console/admin_database.hpp"
#include "config/settings.hpp"
#include "persistence/postgres/connection.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace credence::persistence {

/// Works everything out anew, on a thread and a connection of its own, one at a time; remembers what the last one
/// found. May be asked from any thread.
class verification_desk {
public:
  explicit verification_desk(const settings::store& how) : how_(how) {}
  verification_desk(const verification_desk&) = delete;
  verification_desk& operator=(const verification_desk&) = delete;
  /// Stops the one that runs.
  ~verification_desk();

  /// False when one runs already. From one thread at a time.
  bool start(const std::string& by);
  console::verification now() const;
  /// Has the one that runs stop at the end of the statement under way, which the database is told to cancel.
  void stop();

private:
  void run();
  /// Tells the database to cancel the statement under way, if there is one.
  void cancel();
  void finish(console::verification::state how, const std::string& error);

  const settings::store how_;
  mutable std::mutex mutex_;
  console::verification shown_;
  std::atomic<int> backend_{0}; // of the connection; 0: none
  std::atomic<bool> stopping_{false};
  std::jthread thread_;
};

/// What the console reads and notes, without a mailbox. Belongs to one thread, which waits for the database under
/// deadlines.
class admin_database {
public:
  explicit admin_database(const settings::store& how) : how_(how), verification_(how) {}

  /// Keeps an act and writes all that are kept. False when there is no room.
  bool note(console::note_act act);
  /// Writes what is kept, if anything; comes now and then.
  void write_kept();

  // These throw `database_error`.
  std::vector<std::string> ended();
  std::vector<console::audit_entry> audit(const console::read_audit& question);
  console::votes_page votes(const console::read_votes& question);
  std::shared_ptr<const console::stored> store();
  std::shared_ptr<const console::activity> activity();
  /// False when there is no such profile.
  bool set_api_access(const console::set_api_access& order);
  void retry_texts(const console::retry_texts& order);
  /// How many events have failed; nothing where no chain is stored.
  std::optional<std::int64_t> reprocess_failed(const console::reprocess_failed& order);
  /// Nothing where a newer run is stored.
  std::optional<integrity::ring_run> store_findings(const console::store_findings& order);
  std::shared_ptr<const console::stored_rings> rings();
  outcome<integrity::ring> ring(const console::read_ring& question);
  outcome<console::ring_review> review_ring(const console::review_ring& question);
  outcome<integrity::ring> mark_ring(const console::mark_ring& order);

  verification_desk& verification() noexcept { return verification_; }

private:
  static constexpr std::size_t kept_max = 1000;
  connection& on();
  void write(const console::note_act& act);

  const settings::store how_;
  std::optional<connection> on_;
  steady_time connects_again_{};
  std::deque<console::note_act> kept_;
  std::shared_ptr<const console::stored> store_;
  steady_time store_read_{};
  verification_desk verification_;
};

/// Spawns the actor that reads and notes for the console, on a thread of its own.
console::admin_database_handle spawn_admin_database(caf::actor_system& sys, const settings::store& how);

} // namespace credence::persistence
