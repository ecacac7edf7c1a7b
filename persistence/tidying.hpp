#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/postgres/connection.hpp"

#include <optional>

namespace credence::persistence {

/// Removes what has grown old, a round at a time: idempotency records, nonces of messages, sessions, and of the history
/// of scores what is older than 30 days but for the last row of each day and user; and ends bonds whose time is over.
/// Also notes for the metrics what PostgreSQL says of itself. Has a connection of its own and works in small pieces, so
/// nobody waits for it. Belongs to one thread.
class tidying {
public:
  tidying(const settings::store& how, const store_status& status) : how_(how), status_(status) {}
  /// One round, by the database's clock, while this process owns the database. Throws
  /// `database_error`; the next round goes on where this one ended.
  void round();

private:
  void tell_vitals();
  void forget_records(timestamp now);
  void forget_expired(const char* static_sql, timestamp before);
  void lapse_bonds(timestamp now);
  void thin_scores(timestamp now);

  settings::store how_;
  const store_status& status_;
  std::optional<connection> on_;
};

/// Tidies up once a minute, on a thread of its own, and ends when `writer` does. What fails is
/// logged, and tried again at the next round.
actor_ref spawn_tidying(caf::actor_system& sys, const settings::store& how, const store_status& status,
                        const actor_ref& writer);

} // namespace credence::persistence
