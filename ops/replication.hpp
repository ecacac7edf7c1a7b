#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence::ops {

/// One standby that is connected to the primary. What the role may not see is missing.
struct standby_of_database {
  std::string name;                  // its application_name
  std::string state;                 // such as `streaming`
  std::string sync_state;            // `sync`, `potential`, `quorum` or `async`
  std::int64_t lag_bytes = 0;        // from the end of the primary's log to what is replayed
  std::optional<double> lag_seconds; // of what was replayed last; nothing while nothing is written
};

/// How the database is replicated, as its primary tells.
struct replication {
  bool in_recovery = false; // a standby was asked
  std::int32_t timeline = 0;
  std::int32_t needed = 0; // standbys that a commit waits for; 0: for none
  std::int32_t named = 0;  // standbys that may be among these; one more than are needed where any may
  bool hidden = false;     // the server's role may not see states and lags
  std::vector<standby_of_database> standbys;

  /// Standbys that a commit may wait for and that stream.
  std::int32_t there() const {
    std::int32_t count = 0;
    for (const auto& each : standbys)
      count += each.state == "streaming" && !each.sync_state.empty() && each.sync_state != "async";
    return count;
  }
};

/// What was seen last, for whoever tells of it. From any thread.
class replication_board {
public:
  void put(std::optional<replication> seen) {
    const std::lock_guard lock{guard_};
    seen_ = std::move(seen);
  }
  /// Nothing while the database is away.
  std::optional<replication> read() const {
    const std::lock_guard lock{guard_};
    return seen_;
  }

private:
  mutable std::mutex guard_;
  std::optional<replication> seen_;
};

replication_board& the_replication();

} // namespace credence::ops
