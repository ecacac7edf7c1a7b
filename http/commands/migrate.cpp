#include "persistence/migrations/migrate.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"

#include <algorithm>

namespace credence::commands {

namespace {

const char* state_name(persistence::migration_state state) {
  switch (state) {
    case persistence::migration_state::applied: return "applied";
    case persistence::migration_state::pending: return "pending";
    case persistence::migration_state::changed: return "changed";
    case persistence::migration_state::unknown: return "unknown";
  }
  return "";
}

} // namespace

int migrate_status(const command_line& line) {
  auto on = connect(good_settings(line), "migrate");
  const auto list = persistence::migration_list(on, persistence::deadline_in(timeout));
  print_rows(
    line.json, list,
    [](auto& to, const auto& each) {
      to.field("version", std::int64_t{each.version});
      to.field("name", each.name);
      to.field("state", state_name(each.state));
    },
    [](const auto& each) { return std::string{state_name(each.state)} + "  " + each.name; });
  const bool current = std::all_of(
    list.begin(), list.end(), [](const auto& each) { return each.state == persistence::migration_state::applied; });
  return current ? ok : unfit_schema;
}

/// Migrations may be run by the owner of the tables alone, who is not the role that the server acts as (ops/roles.sql).
ending lacks_rights(persistence::connection& on, const persistence::database_error& why) {
  const auto who = on.exec_params(
    "SELECT session_user::text AS me, coalesce((SELECT tableowner::text FROM pg_tables WHERE schemaname = 'public'"
    " AND tablename = 'schema_migrations'), pg_get_userbyid(datdba)::text) AS owner"
    " FROM pg_database WHERE datname = current_database()",
    persistence::deadline_in(timeout));
  const auto me = persistence::column<std::string>{who, "me"}[0];
  const auto owner = persistence::column<std::string>{who, "owner"}[0];
  return {unfit_schema, std::string{why.what()} + ": the role " + me
                          + " may not change the schema; run `credence migrate up` as " + owner
                          + ", who owns it (user=" + owner + " in the database URL)"};
}

int migrate_up(const command_line& line) {
  auto on = connect(good_settings(line), "migrate");
  std::vector<int> applied;
  try {
    auto told = progress_of(line, "migrate");
    applied =
      persistence::migrate_up(on, persistence::deadline_in(timeout), persistence::migrations_of_this_build(), told);
  } catch (const persistence::migration_error& error) {
    throw ending{unfit_schema, error.what()};
  } catch (const persistence::database_error& error) {
    if (error.sqlstate() == "42501" && on.open())
      throw lacks_rights(on, error);
    throw;
  }
  if (line.json)
    print_object(
      [&](auto& to) { to.array("applied", applied, [&](const auto version) { to.value(std::int64_t{version}); }); });
  else if (applied.empty())
    std::cout << "the schema is current\n";
  else
    std::cout << "applied " << applied.size() << " migration(s); the schema is current\n";
  return ok;
}

} // namespace credence::commands
