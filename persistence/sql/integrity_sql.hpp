#pragma once

#include "actors/integrity/integrity_types.hpp"
#include "persistence/postgres/connection.hpp"

/// What an analysis of integrity looks at: statements and row mapping. All of it is read in pieces, by their keys.
namespace credence::persistence {

integrity::extent read(connection& on, const integrity::load_extent& query, steady_time deadline);
integrity::votes_read read(connection& on, const integrity::load_votes_cast& query, steady_time deadline);
integrity::ties_read read(connection& on, const integrity::load_ties& query, steady_time deadline);
integrity::joined_read read(connection& on, const integrity::load_joined& query, steady_time deadline);

} // namespace credence::persistence
