#pragma once

#include "actors/console/admin_database.hpp"
#include "config/settings.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

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

} // namespace credence::persistence
