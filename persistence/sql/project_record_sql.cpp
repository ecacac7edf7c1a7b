#include "persistence/sql/project_record_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

namespace {

using reputation::project_record;
using reputation::team_member;

const statement create_project{
  "create_project", "SELECT create_project($1::int4, $2::int4, $3::text, $4::text, $5::boolean, $6::boolean, $7::text,"
                    " $8::timestamptz, $9::int8)"};
// What events told of a project of theirs stays, also what they tell while it is edited.
const statement edit_project{
  "edit_project",
  "UPDATE projects SET banner_image_url = CASE source WHEN 'chain' THEN banner_image_url ELSE $2::text END,"
  " is_promoted = $3::boolean, show_archived = $4::boolean,"
  " description = CASE source WHEN 'chain' THEN description ELSE $5::text END, updated_at = $6::timestamptz"
  " WHERE id = $1::int4 AND NOT orphaned"};
const statement archive_project{"archive_project",
                                "UPDATE projects SET status = CASE WHEN $2::boolean THEN 'ARCHIVED' ELSE 'ACTIVE' END,"
                                " updated_at = $3::timestamptz WHERE id = $1::int4 AND NOT orphaned"};
const statement name_user{
  "name_user_of_project",
  "UPDATE users SET display_name = $2::text, username = $3::text, avatar_url = $4::text WHERE id = $1::int4"};
const statement clear_project{"clear_project", "SELECT clear_project($1::int4)"};
const statement add_link{
  "add_link_of_project",
  "INSERT INTO project_links (project_id, position, type, url) VALUES ($1::int4, $2::int4, $3::text, $4::text)"};
const statement add_member{
  "add_member_of_project",
  "INSERT INTO project_team (project_id, profile_id, role, manager) SELECT $1::int4, $2::int4, $3::text, $4::boolean"
  " WHERE NOT EXISTS (SELECT FROM projects p WHERE p.id = $1::int4 AND p.source = 'chain')"};
const statement add_category{"add_category_of_project",
                             "INSERT INTO project_categories (project_id, category_id) VALUES ($1::int4, $2::int4)"};
const statement add_chain{"add_chain_of_project",
                          "INSERT INTO project_chains (project_id, chain_id) VALUES ($1::int4, $2::int4)"};

// One that was taken back is none.
constexpr auto project_record_projects_sql =
  "SELECT id, user_id, userkey, status = 'ARCHIVED' AS archived, description, banner_image_url, is_promoted,"
  " show_archived, created_at, updated_at FROM projects WHERE NOT orphaned AND (id = ANY($1::int4[])"
  " OR userkey = ANY($2::text[]) OR user_id = ANY($3::int4[])) ORDER BY id";
constexpr auto project_record_links_sql =
  "SELECT project_id, type, url FROM project_links WHERE project_id = ANY($1::int4[]) ORDER BY project_id, position";
constexpr auto project_record_team_sql =
  "SELECT project_id, profile_id, role, manager FROM project_team WHERE project_id = ANY($1::int4[])"
  " ORDER BY project_id, profile_id";
constexpr auto project_record_categories_sql =
  "SELECT project_id, category_id AS id FROM project_categories WHERE project_id = ANY($1::int4[])"
  " ORDER BY project_id, category_id";
constexpr auto project_record_chains_sql =
  "SELECT project_id, chain_id AS id FROM project_chains WHERE project_id = ANY($1::int4[])"
  " ORDER BY project_id, chain_id";
constexpr auto listed_sql =
  "SELECT u.id, (SELECT p.id FROM profiles p WHERE p.user_id = u.id) AS profile_id, u.display_name, u.username,"
  " u.avatar_url, u.description FROM users u WHERE u.id = ANY($1::int4[])";

void put_name(batch_statements& to, user_id who, const std::optional<reputation::profile_texts>& shown) {
  if (shown)
    to.put(name_user,
           parameters{}.int4(who.value).text(shown->display_name).text(shown->username).text(shown->avatar_url));
}

/// What belongs to a project, in place of whatever did.
void put_project_parts(batch_statements& to, const project_record& record) {
  const auto id = record.id.value;
  to.put(clear_project, parameters{}.int4(id));
  std::int32_t position = 0;
  for (const auto& each : record.details.links)
    to.put(add_link, parameters{}
                       .int4(id)
                       .int4(position++)
                       .text(listing::link_type_names[static_cast<std::size_t>(each.type)])
                       .text(each.url));
  for (const auto& each : record.details.team)
    to.put(add_member, parameters{}.int4(id).int4(each.profile.value).text(each.role).boolean(each.manager));
  for (const auto each : record.details.categories)
    to.put(add_category, parameters{}.int4(id).int4(each.value));
  for (const auto each : record.details.chains)
    to.put(add_chain, parameters{}.int4(id).int4(each.value));
}

struct project_columns {
  const rows& in;
  column<project_id> id{in, "id"};
  column<user_id> user{in, "user_id"};
  column<std::string> userkey{in, "userkey"};
  column<bool> archived{in, "archived"};
  column<std::optional<std::string>> description{in, "description"};
  column<std::optional<std::string>> banner{in, "banner_image_url"};
  column<bool> promoted{in, "is_promoted"};
  column<bool> show_archived{in, "show_archived"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};

  project_record record(int row) const {
    return {id[row],
            user[row],
            userkey[row],
            archived[row],
            {description[row], banner[row], promoted[row], show_archived[row], {}, {}, {}, {}},
            created_at[row],
            updated_at[row]};
  }
};

/// Calls `take(details, row)` for each row of what belongs to one of these projects.
template <class Take>
void add_parts(std::vector<project_record>& to, const rows& found, Take take) {
  const column<project_id> whose{found, "project_id"};
  for (int i = 0; i < found.count(); ++i)
    for (auto& each : to)
      if (each.id == whose[i])
        take(each.details, i);
}

void add_team(std::vector<project_record>& to, const rows& found) {
  const column<profile_id> profile{found, "profile_id"};
  const column<std::optional<std::string>> role{found, "role"};
  const column<bool> manager{found, "manager"};
  add_parts(to, found, [&](auto& details, int row) {
    details.team.push_back({profile[row], role[row], manager[row]});
  });
}

void read_parts(connection& on, std::vector<project_record>& to, steady_time deadline) {
  auto ids = ids_of(to, &project_record::id);
  const auto with = parameters{}.array(ids);
  const auto links = on.run(project_record_links_sql, with, deadline);
  const column<listing::link_type> type{links, "type"};
  const column<std::string> url{links, "url"};
  add_parts(to, links, [&](auto& details, int row) { details.links.push_back({type[row], url[row]}); });
  add_team(to, on.run(project_record_team_sql, with, deadline));
  const auto categories = on.run(project_record_categories_sql, with, deadline);
  const column<reputation::category_id> category{categories, "id"};
  add_parts(to, categories, [&](auto& details, int row) { details.categories.push_back(category[row]); });
  const auto chains = on.run(project_record_chains_sql, with, deadline);
  const column<reputation::chain_id> chain{chains, "id"};
  add_parts(to, chains, [&](auto& details, int row) { details.chains.push_back(chain[row]); });
}

} // namespace

statements_used sql_of<reputation::project_created>::used() {
  return {&open_subject, &name_user,  &create_project, &clear_project,
          &add_link,     &add_member, &add_category,   &add_chain};
}
void sql_of<reputation::project_created>::add(const reputation::project_created& made, global_seq seq,
                                              batch_statements& to) {
  const auto& record = made.record;
  const auto& details = record.details;
  if (made.subject)
    to.put(open_subject, open_subject_with(*made.subject, record.created_at));
  put_name(to, record.user, made.shown);
  to.put(create_project, parameters{}
                           .int4(record.id.value)
                           .int4(record.user.value)
                           .text(record.userkey)
                           .text(details.banner_image_url)
                           .boolean(details.promoted)
                           .boolean(details.show_archived)
                           .text(details.description)
                           .time(record.created_at)
                           .int8(seq));
  put_project_parts(to, record);
}

statements_used sql_of<reputation::project_edited>::used() {
  return {&name_user, &edit_project, &clear_project, &add_link, &add_member, &add_category, &add_chain};
}
void sql_of<reputation::project_edited>::add(const reputation::project_edited& edited, global_seq,
                                             batch_statements& to) {
  const auto& record = edited.record;
  const auto& details = record.details;
  put_name(to, record.user, edited.shown);
  to.put(edit_project, parameters{}
                         .int4(record.id.value)
                         .text(details.banner_image_url)
                         .boolean(details.promoted)
                         .boolean(details.show_archived)
                         .text(details.description)
                         .time(record.updated_at));
  put_project_parts(to, record);
}

statements_used sql_of<reputation::project_archived>::used() { return {&archive_project}; }
void sql_of<reputation::project_archived>::add(const reputation::project_archived& done, global_seq,
                                               batch_statements& to) {
  to.put(archive_project, parameters{}.int4(done.id.value).boolean(done.archived).time(done.at));
}

std::vector<project_record> read_projects_here(connection& on, const std::set<project_id>& which,
                                               const std::set<std::string>& userkeys, const std::set<user_id>& users,
                                               steady_time deadline) {
  std::vector<project_record> out;
  if (which.empty() && userkeys.empty() && users.empty())
    return out;
  auto ids = ids_of(which);
  auto owners = ids_of(users);
  binary_array keys{sql_type::text};
  for (const auto& each : userkeys)
    keys.text(each);
  const auto found = on.run(project_record_projects_sql, parameters{}.array(ids).array(keys).array(owners), deadline);
  const project_columns projects{found};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(projects.record(i));
  read_parts(on, out, deadline);
  return out;
}

std::vector<reputation::listed_user> read_listed_here(connection& on, const std::set<user_id>& users,
                                                      steady_time deadline) {
  std::vector<reputation::listed_user> out;
  if (users.empty())
    return out;
  auto ids = ids_of(users);
  const auto found = on.run(listed_sql, parameters{}.array(ids), deadline);
  const column<user_id> user{found, "id"};
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  const column<std::string> display_name{found, "display_name"};
  const column<std::optional<std::string>> username{found, "username"};
  const column<std::string> avatar_url{found, "avatar_url"};
  const column<std::optional<std::string>> description{found, "description"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(
      {user[i], profile[i].value_or(profile_id{}), {display_name[i], username[i], avatar_url[i], description[i]}});
  return out;
}

reputation::found_team read(connection& on, const reputation::load_team& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  auto found = read_projects_here(on, {query.id}, {}, {}, deadline);
  snapshot.commit(deadline);
  if (found.empty())
    return {};
  return {reputation::project_team{std::move(found.front().details.team)}};
}

} // namespace credence::persistence
