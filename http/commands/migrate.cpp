#include "persistence/migrations/migrate.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"

#include <iostream>

namespace credence::commands {

using http::json_writer;

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
  const auto list = persistence::migration_list(on, persistence::deadline_in(patience));
  bool current = true;
  std::string text;
  json_writer json{text};
  json.begin_array();
  for (const auto& each : list) {
    current = current && each.state == persistence::migration_state::applied;
    if (!line.json) {
      std::cout << state_name(each.state) << "  " << each.name << "\n";
      continue;
    }
    json.begin_object();
    json.field("version", std::int64_t{each.version});
    json.field("name", each.name);
    json.field("state", state_name(each.state));
    json.end_object();
  }
  json.end_array();
  if (line.json)
    std::cout << text << "\n";
  return current ? ok : unfit_schema;
}

int migrate_up(const command_line& line) {
  auto on = connect(good_settings(line), "migrate");
  std::vector<int> applied;
  try {
    auto told = progress_of(line, "migrate");
    applied = persistence::migrate_up(on, persistence::deadline_in(patience), persistence::migrations_of_this_build(), told);
  } catch (const persistence::migration_error& error) {
    throw ending{unfit_schema, error.what()};
  }
  std::string text;
  json_writer json{text};
  json.begin_object();
  json.key("applied");
  json.begin_array();
  for (const auto version : applied)
    json.value(std::int64_t{version});
  json.end_array();
  json.end_object();
  if (line.json)
    std::cout << text << "\n";
  else if (applied.empty())
    std::cout << "the schema is current\n";
  else
    std::cout << "applied " << applied.size() << " migration(s); the schema is current\n";
  return ok;
}

} // namespace credence::commands
