#pragma once

#include "config/settings.hpp"
#include "ops/replication.hpp"
#include "persistence/postgres/connection.hpp"

#include <string_view>
#include <thread>

/// How the database is replicated: looked at beside all that is written, on a connection of its own.
namespace credence::persistence {

/// How many standbys a commit waits for, by `synchronous_standby_names`, and how many there are to choose from.
struct standby_rule {
  std::int32_t needed = 0; // 0: none is named
  std::int32_t named = 0;  // one more than are needed where it says `*`

  /// Reads the forms of PostgreSQL: `a, b`, `2 (a, b, c)`, `FIRST 2 (…)`, `ANY 2 (…)`.
  static standby_rule read(std::string_view setting);
};

/// Asks this server. Throws `database_error`.
ops::replication look_at_replication(connection& on, steady_time deadline);

/// What an operator has to do so that states and lags of standbys can be seen.
inline constexpr const char* how_to_see_standbys =
  "its role may not see the states of standbys: GRANT pg_read_all_stats to it, as ops/roles.sql does";

/// Looks every five seconds, on a thread of its own, and keeps `ops::the_replication()` true.
class replication_watch {
public:
  explicit replication_watch(const settings::store& how);
  replication_watch(const replication_watch&) = delete;
  replication_watch& operator=(const replication_watch&) = delete;
  /// Ends it, within the deadline of a question.
  ~replication_watch() = default;

private:
  void run(const std::stop_token& stop) const;

  settings::store how_;
  std::jthread thread_;
};

} // namespace credence::persistence
