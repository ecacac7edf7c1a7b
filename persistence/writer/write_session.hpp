#pragma once

#include "config/settings.hpp"
#include "persistence/writer/batch.hpp"

#include <memory>
#include <optional>
#include <string>

namespace credence::persistence {

/// One session of the database that writes. Everything throws `database_error`: `refused`
/// means rolled back, all of it, and the session stands; any other trouble ends the
/// session and leaves the outcome unknown. PostgreSQL implements this; simulations of
/// the actors stand in for it.
class write_session {
public:
  virtual ~write_session() = default;
  /// Waits until no batch of an earlier owner can come any more, takes the shard and looks
  /// what is there. Comes first, once.
  virtual ownership take_over(const claim& mine, const std::optional<batch_id>& doubtful, steady_time deadline) = 0;
  /// What else it takes to be used; comes second, once. It may fail where `take_over` did not:
  /// a table is locked.
  virtual void prepare(steady_time deadline) = 0;
  /// One transaction. Returns when the database has committed it.
  virtual void commit(const batch& batch, const claim& mine, steady_time deadline) = 0;
  /// The time by the database's clock while the shard is still ours; nothing when it is not, or when a standby is
  /// asked. May come before `take_over`. Renews the lease of the first shard's owner now and then.
  virtual std::optional<timestamp> owns(const claim& mine, steady_time deadline) = 0;
  /// The lease of the owner, for which a patient claim waits; nothing where nobody has one. Call it before `take_over`;
  /// it throws where that would refuse the database.
  virtual std::optional<lease> lease_of_another(const claim&, steady_time) { return std::nullopt; }
  /// The owner ends: gives its lease back, so that nobody waits for it.
  virtual void give_back(const claim&, steady_time) {}
};

/// Where sessions come from, one after the other.
class write_sessions {
public:
  virtual ~write_sessions() = default;
  /// Begins to connect, or goes on with that for a moment. Nothing while it needs more time.
  virtual std::unique_ptr<write_session> connect() = 0;
};

/// Sessions of a real PostgreSQL. Each checks that the server may be trusted with votes and
/// has the schema of this build, and ends what is left of the one before it.
std::unique_ptr<write_sessions> postgres_sessions(const settings::store& how, std::string application_name);

} // namespace credence::persistence
