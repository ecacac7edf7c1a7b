#include "persistence/migrate.hpp"

#include <charconv>
#include <map>
#include <string_view>

namespace credence::persistence {

namespace {

struct embedded_file {
  const char* name;
  const char* text;
};

constexpr embedded_file files[] = {
#include "migrations.inc"
};

/// Any number, as long as no other program locks it: "credence" in ASCII.
constexpr std::int64_t migration_lock = 0x63726564656E6365;

int version_of(std::string_view name) {
  int version = 0;
  std::from_chars(name.data(), name.data() + name.size(), version);
  return version;
}

bool has_history(connection& on, steady_time deadline) {
  return on.exec_params("SELECT to_regclass('schema_migrations') IS NOT NULL", deadline).boolean(0, 0);
}

/// SHA-256 of a migration's text in hex, computed by the database: one hash function less here.
std::string checksum(connection& on, const char* text, steady_time deadline) {
  parameters with;
  with.text(text);
  return std::string{
    on.exec_params("SELECT encode(sha256(convert_to($1::text, 'UTF8')), 'hex')", with, deadline).text(0, 0)};
}

} // namespace

std::vector<migration_status> migration_list(connection& on, steady_time deadline) {
  std::map<int, migration_status> all;
  for (const auto& file : files) {
    const auto version = version_of(file.name);
    all[version] = {version, file.name, migration_state::pending};
  }
  if (has_history(on, deadline)) {
    const auto applied =
      on.exec_params("SELECT version, name, checksum FROM schema_migrations ORDER BY version", deadline);
    for (int i = 0; i < applied.count(); ++i) {
      const auto version = applied.int4(i, 0);
      const auto found = all.find(version);
      if (found == all.end()) {
        all[version] = {version, std::string{applied.text(i, 1)}, migration_state::unknown};
        continue;
      }
      for (const auto& file : files)
        if (version_of(file.name) == version)
          found->second.state = checksum(on, file.text, deadline) == applied.text(i, 2)
                                  ? migration_state::applied
                                  : migration_state::changed;
    }
  }
  std::vector<migration_status> out;
  for (auto& [version, status] : all)
    out.push_back(std::move(status));
  return out;
}

schema_state check_schema(connection& on, steady_time deadline) {
  auto state = schema_state::current;
  for (const auto& each : migration_list(on, deadline)) {
    if (each.state == migration_state::unknown)
      return schema_state::ahead;
    if (each.state == migration_state::changed)
      return schema_state::changed;
    if (each.state == migration_state::pending)
      state = schema_state::behind;
  }
  return state;
}

std::vector<int> migrate_up(connection& on, steady_time deadline) {
  parameters lock;
  lock.int8(migration_lock);
  // The lock belongs to the session: it goes with the connection, however this ends.
  on.exec_params("SELECT pg_advisory_lock($1::int8)", lock, deadline);
  on.exec("CREATE TABLE IF NOT EXISTS schema_migrations (version int PRIMARY KEY, name text NOT NULL,"
          " checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),"
          " applied_by text NOT NULL DEFAULT current_user)",
          deadline);
  const auto list = migration_list(on, deadline);
  int last_applied = 0;
  for (const auto& each : list) {
    if (each.state == migration_state::unknown)
      throw migration_error("the database has migration " + each.name + ", which this build does not know: use a newer build");
    if (each.state == migration_state::changed)
      throw migration_error("migration " + each.name + " was applied from another text than this build has");
    if (each.state == migration_state::applied) {
      if (last_applied != each.version - 1)
        throw migration_error("migration " + each.name + " is applied, but not the one before it");
      last_applied = each.version;
    }
  }
  std::vector<int> applied;
  for (const auto& file : files) {
    const auto version = version_of(file.name);
    if (version <= last_applied)
      continue;
    transaction all_of_it{on, deadline};
    on.exec(file.text, deadline);
    parameters row;
    row.int4(version).text(file.name).text(checksum(on, file.text, deadline));
    on.exec_params("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1::int4, $2::text, $3::text)",
                   row, deadline);
    all_of_it.commit(deadline);
    applied.push_back(version);
  }
  on.exec_params("SELECT pg_advisory_unlock($1::int8)", lock, deadline);
  return applied;
}

} // namespace credence::persistence
