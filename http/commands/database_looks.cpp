#include "http/commands/database_looks.hpp"

#include "actors/domain/service_clock.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/replication.hpp"
#include "persistence/writer/takeover.hpp"

#include <chrono>
#include <iostream>

namespace credence::commands {

using persistence::connection;

int findings::tell(bool json) const {
  bool good = true;
  std::string text;
  http::json_writer to{text};
  to.begin_array();
  for (const auto& each : all_) {
    good = good && each.good;
    if (!json) {
      std::cout << (each.good ? "ok     " : "WRONG  ") << each.of << ": " << each.text << "\n";
      continue;
    }
    to.begin_object();
    to.field("of", each.of);
    to.field("ok", each.good);
    to.field("text", each.text);
    to.end_object();
  }
  to.end_array();
  if (json)
    std::cout << text << "\n";
  return good ? ok : failed;
}

void look_at_durability(findings& to, connection& on, steady_time until) {
  const auto unfit = persistence::unfit(on, until);
  to.note("durability", !unfit, unfit.value_or("what is committed survives a crash"));
}

void look_at_replication(findings& to, connection& on, steady_time until) {
  const auto seen = persistence::look_at_replication(on, until);
  const auto connected =
    std::to_string(seen.standbys.size()) + (seen.standbys.size() == 1 ? " standby is" : " standbys are") + " connected";
  if (seen.hidden && (seen.needed > 0 || !seen.standbys.empty()))
    return to.note("replication", false, connected + ", but " + persistence::how_to_see_standbys);
  if (seen.needed == 0)
    return to.note("replication", true,
                   connected + ", and a commit waits for none: what is acknowledged is on the primary alone");
  const auto there = seen.there();
  const auto text = "a commit waits for " + std::to_string(seen.needed)
                    + " of the standbys that synchronous_standby_names names, and " + std::to_string(there)
                    + " of these stream";
  to.note("replication", there >= seen.needed,
          there >= seen.needed ? text : text + ": bring them back, or no write is acknowledged");
}

void look_at_role(findings& to, connection& on, steady_time until) {
  const auto row = on.exec_params(
    "SELECT current_user::text AS name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,"
    " EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    "  WHERE n.nspname = 'public' AND pg_has_role(current_user, c.relowner, 'USAGE')) AS is_owner,"
    " (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public'"
    "  AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT')) AS hidden",
    until);
  const auto name = row.first<std::string>("name");
  if (row.first<bool>("is_superuser") || row.first<bool>("is_owner"))
    return to.note("role", false,
                   name
                     + " may change tables: the server needs a role that only reads and writes rows, as ops/roles.sql "
                       "makes; give that one in"
                       " store.database_url");
  if (const auto hidden = row.first<std::int64_t>("hidden"); hidden > 0)
    return to.note(
      "role", false,
      name + " may not read " + std::to_string(hidden)
        + " tables: run `credence migrate up` as the role that ops/roles.sql grants its rights for, credence_owner");
  to.note("role", true, name + " reads and writes rows alone");
}

void look_at_schema(findings& to, connection& on, steady_time until) {
  const auto* stale = persistence::what_to_do(persistence::check_schema(on, until));
  to.note("schema", !stale, stale ? stale : "it is the one of this build");
}

void look_at_clock(findings& to, connection& on, steady_time until) {
  const auto before = system_now();
  const auto theirs = on.exec_params("SELECT clock_timestamp()", until).value<timestamp>();
  const auto after = system_now();
  using std::chrono::milliseconds;
  const auto apart = theirs < before ? before - theirs : theirs > after ? theirs - after : timestamp::duration{0};
  const auto text = std::to_string(std::chrono::duration_cast<milliseconds>(apart).count()) + " ms from PostgreSQL's";
  to.note("clock", apart < clock_difference_max, apart < clock_difference_max ? text : text + ": set both by NTP");
}

} // namespace credence::commands
