#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"

#include <stdexcept>
#include <string>

namespace credence::persistence {

struct claim;

/// Why the service does not start on this database; written for the operator.
class unfit_database : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Spawns the writer, the readers and what tidies up. They connect by themselves, and check the
/// database before they use it. `status` must outlive them. `mine` is a claim to the first shard, without an epoch.
store open_store_later(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine);

/// Checks that the database may be trusted with votes (durable settings, PostgreSQL 15 or newer, the very schema of
/// this build), then does the same; `status.writable` turns true when the writer has taken over. Throws
/// `unfit_database`, and `database_error` when there is no connection to be had, or only one to a standby.
store open_store(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine);

/// The same store for those who write records of a chain, texts and scores: with a writer on a connection of its own,
/// behind which no vote waits. It writes once the writer of `of`, which has that name, too, has taken over.
store open_chain_store(caf::actor_system& sys, const settings::store& how, store_status& status,
                       const std::string& owner, const store& of);

} // namespace credence::persistence
