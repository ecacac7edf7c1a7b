#include "persistence/sql/broker_rows_sql.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

using namespace chain;

constexpr auto projects_sql =
  "SELECT id, user_id, userkey, archived, name, metadata, managers, created_at FROM chain_projects"
  " WHERE id = ANY($1::int4[]) OR user_id = ANY($2::int4[])";

} // namespace

void read_project_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.projects.empty() && keys.owners.empty())
    return;
  auto ids = ids_of(keys.projects);
  auto owners = ids_of(keys.owners);
  const auto found = on.run(projects_sql, parameters{}.array(ids).array(owners), deadline);
  const column<project_id> id{found, "id"};
  const column<user_id> user{found, "user_id"};
  const column<std::string> userkey{found, "userkey"}, metadata{found, "metadata"};
  const column<bool> archived{found, "archived"};
  const column<std::optional<std::string>> name{found, "name"};
  const column<std::vector<std::int32_t>> managers{found, "managers"};
  const column<timestamp> created{found, "created_at"};
  for (int i = 0; i < found.count(); ++i) {
    project_row row{user[i], userkey[i], archived[i], name[i], metadata[i], {}, unix_time_of(created[i])};
    for (const auto each : managers[i])
      row.managers.push_back({each});
    to.projects.put(id[i], std::move(row));
  }
}

} // namespace credence::persistence
