#include "persistence/sql/catalogue_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/people_sql.hpp"

#include <unordered_map>

namespace credence::persistence {

namespace {

using reputation::category_record;
using reputation::chain_record;
using reputation::counted_category;

const statement insert_category{
  "insert_category",
  "INSERT INTO categories (id, name, slug, description, show_on_leaderboard, show_in_daily_service, banner_image_url)"
  " VALUES ($1::int4, $2::text, $3::text, $4::text, $5::boolean, $6::boolean, $7::text)"};
const statement update_category{"update_category",
                                "UPDATE categories SET name = $2::text, slug = $3::text, description = $4::text,"
                                " show_on_leaderboard = $5::boolean, show_in_daily_service = $6::boolean,"
                                " banner_image_url = $7::text WHERE id = $1::int4"};
const statement insert_chain{
  "insert_chain", "INSERT INTO chains (id, name, url, icon_url) VALUES ($1::int4, $2::text, $3::text, $4::text)"};
const statement update_chain{
  "update_chain", "UPDATE chains SET name = $2::text, url = $3::text, icon_url = $4::text WHERE id = $1::int4"};

// Whoever has an active project in a category counts there.
#define CREDENCE_MEMBERS                                                                                               \
  " FROM project_categories m JOIN projects p ON p.id = m.project_id AND p.status = 'ACTIVE' JOIN users u ON u.id = "  \
  "p.user_id"

constexpr auto categories_sql =
  "SELECT id, name, slug, description, show_on_leaderboard, show_in_daily_service, banner_image_url FROM categories"
  " WHERE id = ANY($1::int4[]) OR slug = ANY($2::text[])";
constexpr auto chains_sql =
  "SELECT id, name, url, icon_url FROM chains WHERE id = ANY($1::int4[]) OR name = ANY($2::text[])";
constexpr auto categories_page_sql =
  "SELECT c.id, c.name, c.slug, c.description, c.show_on_leaderboard, c.show_in_daily_service, c.banner_image_url,"
  " (SELECT count(*)" CREDENCE_MEMBERS " WHERE m.category_id = c.id) AS users"
  " FROM categories c WHERE $3::int4 IS NULL OR c.id = $3::int4 ORDER BY c.id LIMIT $1::int4 OFFSET $2::int4";
constexpr auto chains_page_sql = "SELECT id, name, url, icon_url FROM chains WHERE $3::int4 IS NULL OR id = $3::int4"
                                 " ORDER BY id LIMIT $1::int4 OFFSET $2::int4";
constexpr auto members_count_sql = "SELECT (SELECT count(*) FROM categories WHERE id = $1::int4) AS known,"
                                   " (SELECT count(*)" CREDENCE_MEMBERS " WHERE m.category_id = $1::int4) AS total";
constexpr auto members_sql =
  "SELECT u.id" CREDENCE_MEMBERS " WHERE m.category_id = $1::int4 ORDER BY u.score DESC, u.id"
  " LIMIT $2::int4 OFFSET $3::int4";
constexpr auto ranks_sql =
  "SELECT c.id, c.name, c.slug, c.description, c.show_on_leaderboard, c.show_in_daily_service, c.banner_image_url, "
  "o.users, o.rank"
  " FROM projects mine JOIN users me ON me.id = mine.user_id JOIN project_categories pc ON pc.project_id = mine.id"
  " JOIN categories c ON c.id = pc.category_id, LATERAL (SELECT count(*) AS users,"
  "  count(*) FILTER (WHERE (u.score, -u.id) > (me.score, -me.id)) + 1 AS rank" CREDENCE_MEMBERS
  " WHERE m.category_id = c.id) o"
  " WHERE mine.user_id = $1::int4 AND mine.status = 'ACTIVE' ORDER BY c.id";

#undef CREDENCE_MEMBERS

struct category_columns {
  const rows& in;
  column<reputation::category_id> id{in, "id"};
  column<std::string> name{in, "name"};
  column<std::string> slug{in, "slug"};
  column<std::optional<std::string>> description{in, "description"};
  column<bool> on_leaderboard{in, "show_on_leaderboard"};
  column<bool> in_daily_service{in, "show_in_daily_service"};
  column<std::optional<std::string>> banner{in, "banner_image_url"};

  category_record record(int row) const {
    return {id[row], name[row], slug[row], description[row], on_leaderboard[row], in_daily_service[row], banner[row]};
  }
};

struct chain_columns {
  const rows& in;
  column<reputation::chain_id> id{in, "id"};
  column<std::string> name{in, "name"};
  column<std::optional<std::string>> url{in, "url"};
  column<std::optional<std::string>> icon_url{in, "icon_url"};

  chain_record record(int row) const { return {id[row], name[row], url[row], icon_url[row]}; }
};

binary_array texts_of(const std::set<std::string>& which) {
  binary_array out{sql_type::text};
  for (const auto& each : which)
    out.text(each);
  return out;
}

parameters slice_with(const page& slice) { return parameters{}.int4(slice.limit).int4(slice.offset); }
template <class Id>
parameters slice_with(const page& slice, const std::optional<Id>& only) {
  auto out = slice_with(slice);
  put_if_any(out, only);
  return out;
}

} // namespace

statements_used sql_of<reputation::category_saved>::used() { return {&insert_category, &update_category}; }
void sql_of<reputation::category_saved>::add(const reputation::category_saved& saved, global_seq,
                                             batch_statements& to) {
  const auto& record = saved.record;
  to.put(saved.fresh ? insert_category : update_category, parameters{}
                                                            .int4(record.id.value)
                                                            .text(record.name)
                                                            .text(record.slug)
                                                            .text(record.description)
                                                            .boolean(record.on_leaderboard)
                                                            .boolean(record.in_daily_service)
                                                            .text(record.banner_image_url));
}

statements_used sql_of<reputation::chain_saved>::used() { return {&insert_chain, &update_chain}; }
void sql_of<reputation::chain_saved>::add(const reputation::chain_saved& saved, global_seq, batch_statements& to) {
  const auto& record = saved.record;
  to.put(saved.fresh ? insert_chain : update_chain,
         parameters{}.int4(record.id.value).text(record.name).text(record.url).text(record.icon_url));
}

std::vector<category_record> read_categories_here(connection& on, const std::set<reputation::category_id>& which,
                                                  const std::set<std::string>& slugs, steady_time deadline) {
  std::vector<category_record> out;
  if (which.empty() && slugs.empty())
    return out;
  auto ids = ids_of(which);
  auto texts = texts_of(slugs);
  const auto found = on.run(categories_sql, parameters{}.array(ids).array(texts), deadline);
  const category_columns categories{found};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(categories.record(i));
  return out;
}

std::vector<chain_record> read_chains_here(connection& on, const std::set<reputation::chain_id>& which,
                                           const std::set<std::string>& names, steady_time deadline) {
  std::vector<chain_record> out;
  if (which.empty() && names.empty())
    return out;
  auto ids = ids_of(which);
  auto texts = texts_of(names);
  const auto found = on.run(chains_sql, parameters{}.array(ids).array(texts), deadline);
  const chain_columns chains{found};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(chains.record(i));
  return out;
}

reputation::categories_page read(connection& on, const reputation::get_categories& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  reputation::categories_page out;
  out.total = on.run("SELECT count(*) FROM categories", deadline).value<std::int64_t>();
  const auto found = on.run(categories_page_sql, slice_with(query.slice, query.only), deadline);
  const category_columns categories{found};
  const column<std::int64_t> users{found, "users"};
  for (int i = 0; i < found.count(); ++i)
    out.categories.push_back({categories.record(i), users[i]});
  snapshot.commit(deadline);
  return out;
}

reputation::chains_page read(connection& on, const reputation::get_chains& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  reputation::chains_page out;
  out.total = on.run("SELECT count(*) FROM chains", deadline).value<std::int64_t>();
  const auto found = on.run(chains_page_sql, slice_with(query.slice, query.only), deadline);
  const chain_columns chains{found};
  for (int i = 0; i < found.count(); ++i)
    out.chains.push_back(chains.record(i));
  snapshot.commit(deadline);
  return out;
}

reputation::category_users read(connection& on, const reputation::get_category_users& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  reputation::category_users out;
  const auto counts = on.run(members_count_sql, parameters{}.int4(query.id.value), deadline);
  out.known = counts.first<std::int64_t>("known") > 0;
  out.total = counts.first<std::int64_t>("total");
  const auto found =
    on.run(members_sql, parameters{}.int4(query.id.value).int4(query.slice.limit).int4(query.slice.offset), deadline);
  const column<user_id> user{found, "id"};
  std::vector<user_id> ids;
  for (int i = 0; i < found.count(); ++i)
    ids.push_back(user[i]);
  std::unordered_map<std::int32_t, people::user_ptr> users;
  for (auto& each : read_users_here(on, ids, deadline))
    users.emplace(each->id.value, each);
  for (const auto each : ids)
    out.users.push_back(users.at(each.value));
  snapshot.commit(deadline);
  return out;
}

reputation::category_ranks read(connection& on, const reputation::get_user_categories& query, steady_time deadline) {
  reputation::category_ranks out;
  const auto found = on.run(ranks_sql, parameters{}.int4(query.user.value), deadline);
  const category_columns categories{found};
  const column<std::int64_t> users{found, "users"};
  const column<std::int64_t> rank{found, "rank"};
  for (int i = 0; i < found.count(); ++i)
    out.ranks.push_back({{categories.record(i), users[i]}, rank[i]});
  return out;
}

} // namespace credence::persistence
