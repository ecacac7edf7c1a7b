#pragma once

#include "config/settings.hpp"
#include "persistence/postgres/connection.hpp"
#include "tests/persistence/postgres_fixture.hpp"

#include <cstdint>
#include <string>

namespace credence::test {

/// The one cluster that the storage tests of this process share; started when it is down.
private_postgres& shared_postgres();

/// A new database of that cluster with the schema of this build: profiles 1..`profiles`
/// (each with its user of the same id), projects 1..`projects` of the users behind
/// them, and period 1 of 2026 open. Its connection string.
std::string fresh_database(int profiles = 20, int projects = 5);

/// Settings for a store on that database.
settings::store store_settings(const std::string& url);
/// A connection for looking behind the scenes.
persistence::connection look_into(const std::string& url);
/// Runs statements there.
void run_sql(const std::string& url, const std::string& sql);
/// The state with which the database refuses `sql`, also at the end of a transaction; empty when it
/// takes it. Nothing stays.
std::string refusal_of(const std::string& url, const std::string& sql);
/// What `sql`, a scalar, comes to; 0 for null.
std::int64_t number_from(const std::string& url, const std::string& sql);

} // namespace credence::test
