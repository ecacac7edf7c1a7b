#include "persistence/sql/reputation_sql.hpp"

/// What projects say of themselves.

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
    to.put(name_user, with(who, shown->display_name, shown->username, shown->avatar_url));
}

/// What belongs to a project, in place of whatever did.
void put_project_parts(batch_statements& to, const project_record& record) {
  to.put(clear_project, with(record.id));
  std::int32_t position = 0;
  for (const auto& each : record.details.links)
    to.put(add_link, with(record.id, position++, each.type, each.url));
  for (const auto& each : record.details.team)
    to.put(add_member, with(record.id, each.profile, each.role, each.manager));
  for (const auto each : record.details.categories)
    to.put(add_category, with(record.id, each));
  for (const auto each : record.details.chains)
    to.put(add_chain, with(record.id, each));
}

/// Puts what belongs to a project into its lists: `list` is the member that takes them.
template <class List, class... Get>
void add_parts(std::vector<project_record>& to, const rows& found, List reputation::project_details::*list,
               const field_list<Get...>& fields) {
  const auto parts = records_in(found, fields);
  const column<project_id> whose{found, "project_id"};
  for (int i = 0; i < found.count(); ++i)
    for (auto& each : to)
      if (each.id == whose[i])
        (each.details.*list).push_back(parts[i]);
}

void read_parts(connection& on, std::vector<project_record>& to, steady_time deadline) {
  using reputation::category_id;
  using reputation::chain_id;
  using details = reputation::project_details;
  const auto ids = with(array_of(to, &project_record::id));
  const auto found = [&](const char* sql) { return on.run(sql, ids, deadline); };
  add_parts(to, found(project_record_links_sql), &details::links, part<listing::link>::fields);
  add_parts(to, found(project_record_team_sql), &details::team, part<team_member>::fields);
  add_parts(to, found(project_record_categories_sql), &details::categories, CREDENCE_FIELDS(category_id, (id, value)));
  add_parts(to, found(project_record_chains_sql), &details::chains, CREDENCE_FIELDS(chain_id, (id, value)));
}

} // namespace

fact_sql_ptr sql_of(kind<reputation::project_created> it) {
  return written_by(
    it, {&open_subject, &name_user, &create_project, &clear_project, &add_link, &add_member, &add_category, &add_chain},
    [](const auto& made, global_seq seq, batch_statements& to) {
      const auto& record = made.record;
      const auto& details = record.details;
      put_subject(to, made.subject, record.created_at);
      put_name(to, record.user, made.shown);
      to.put(create_project, with(record.id, record.user, record.userkey, details.banner_image_url, details.promoted,
                                  details.show_archived, details.description, record.created_at, seq));
      put_project_parts(to, record);
    });
}
number_column numbers_of(kind<reputation::project_created>) { return {"projects"}; }
fact_sql_ptr sql_of(kind<reputation::project_edited> it) {
  return written_by(it, {&name_user, &edit_project, &clear_project, &add_link, &add_member, &add_category, &add_chain},
                    [](const auto& edited, global_seq, batch_statements& to) {
                      const auto& record = edited.record;
                      const auto& details = record.details;
                      put_name(to, record.user, edited.shown);
                      to.put(edit_project, with(record.id, details.banner_image_url, details.promoted,
                                                details.show_archived, details.description, record.updated_at));
                      put_project_parts(to, record);
                    });
}
fact_sql_ptr sql_of(kind<reputation::project_archived> it) { return written_in_turn(it, archive_project); }

std::vector<project_record> read_projects_here(connection& on, const std::set<project_id>& which,
                                               const std::set<std::string>& userkeys, const std::set<user_id>& users,
                                               steady_time deadline) {
  if (which.empty() && userkeys.empty() && users.empty())
    return {};
  auto out =
    all_of(on.run(project_record_projects_sql, with(array_of(which), array_of(userkeys), array_of(users)), deadline),
           part<project_record>::row);
  read_parts(on, out, deadline);
  return out;
}

std::vector<reputation::listed_user> read_listed_here(connection& on, const std::set<user_id>& users,
                                                      steady_time deadline) {
  using of = reputation::listed_user;
  static constexpr auto fields = within(&of::texts, part<reputation::profile_texts>::fields, field{"id", &of::user},
                                        field{"profile_id", or_null(&of::profile)});
  return all_with(on, listed_sql, users, fields, deadline);
}

std::optional<reputation::project_team> read(connection& on, const reputation::get_team& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  auto found = read_projects_here(on, {query.id}, {}, {}, deadline);
  if (found.empty())
    return {};
  return reputation::project_team{std::move(found.front().details.team)};
}
load_handler handler(asked<reputation::get_team> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
