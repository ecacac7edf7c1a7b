#pragma once

#include "actors/console/admin_database.hpp"
#include "actors/integrity/rings.hpp"
#include "persistence/postgres/connection.hpp"

#include <optional>
#include <vector>

/// Rings that are remembered, over a connection of whoever asks: neither the writer nor the readers of the server take
/// part.
namespace credence::persistence {

/// Reads what was done within 90 days in pieces and looks for groups in it. `told` hears how much of the reading is
/// done, from 0 to 1. Throws `database_error`.
integrity::findings find_rings(connection& on, timestamp now, const integrity::watch& told, steady_time until);

/// Stores the findings of a run, compared with the rings that are known, and forgets what is beyond the bounds. One
/// transaction of some hundred small rows; two runs that end at once are stored one after the other. Where a run
/// reports as many rings as it may, the others stay as they were, as it may have left out weaker ones. An entry of the
/// audit is in the same transaction. Returns nothing, and changes nothing, where the newest stored run ended then or
/// later.
std::optional<integrity::ring_run> store_rings(connection& on, const console::store_findings& order, steady_time until);

/// All stored rings: those that nobody has marked come first, then the least likely to be chance.
std::vector<integrity::ring> read_rings(connection& on, steady_time until);
/// One ring; refused where it has changed since the caller read it.
outcome<integrity::ring> read_ring(connection& on, const console::read_ring& question, steady_time until);
/// What its members did together and for each other.
outcome<console::ring_review> review_ring(connection& on, const console::review_ring& question, steady_time until);
/// The newest runs, the newest first.
std::vector<integrity::ring_run> read_ring_runs(connection& on, std::int32_t most, steady_time until);
/// The ring that was marked. The audit tells of it in the same transaction.
outcome<integrity::ring> mark_ring(connection& on, const console::mark_ring& order, steady_time until);

/// Tells the metrics how many rings nobody has marked, and when the newest run ended.
void tell_rings(connection& on, steady_time until);

} // namespace credence::persistence
