#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"

#include <caf/fwd.hpp>

#include <stdexcept>

namespace credence::persistence {

/// Why the service does not start on this database; written for the operator.
class unfit_database : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Checks that the database may be trusted with votes (durable settings, not a standby,
/// PostgreSQL 15 or newer, the very schema of this build), then spawns the writer and the
/// readers. They connect by themselves; `status.writable` turns true when the writer has
/// taken over. `status` must outlive both. Throws `unfit_database`, and `database_error`
/// when there is no connection to be had.
store open_store(caf::actor_system& sys, const settings::store& how, store_status& status);

} // namespace credence::persistence
