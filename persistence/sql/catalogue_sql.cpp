#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <unordered_map>

/// Categories and chains of projects.
namespace credence::persistence {

namespace {

using reputation::category_record;
using reputation::chain_record;
using reputation::counted_category;
constexpr const auto& category_fields = part<category_record>::fields;
constexpr const auto& chain_fields = part<chain_record>::fields;
constexpr auto counted_fields =
  within(&counted_category::record, category_fields, field{"users", &counted_category::users});

const statement insert_category{"insert_category", insert_one<category_record>("categories")};
const statement update_category{"update_category", update_one<category_record>("categories")};
const statement insert_chain{"insert_chain", insert_one<chain_record>("chains")};
const statement update_chain{"update_chain", update_one<chain_record>("chains")};

// Whoever has an active project in a category counts there.
#define CREDENCE_MEMBERS                                                                                               \
  " FROM project_categories m JOIN projects p ON p.id = m.project_id AND p.status = 'ACTIVE' JOIN users u ON u.id = "  \
  "p.user_id"

const auto categories_sql =
  "SELECT " + column_list(category_fields) + " FROM categories WHERE id = ANY($1::int4[]) OR slug = ANY($2::text[])";
const auto chains_sql =
  "SELECT " + column_list(chain_fields) + " FROM chains WHERE id = ANY($1::int4[]) OR name = ANY($2::text[])";
const auto categories_page_sql =
  "SELECT " + column_list(category_fields, "c.")
  + ", (SELECT count(*)" CREDENCE_MEMBERS " WHERE m.category_id = c.id) AS users"
    " FROM categories c WHERE $3::int4 IS NULL OR c.id = $3::int4 ORDER BY c.id LIMIT $1::int4 OFFSET $2::int4";
const auto chains_page_sql = "SELECT " + column_list(chain_fields)
                             + " FROM chains WHERE $3::int4 IS NULL OR id = $3::int4"
                               " ORDER BY id LIMIT $1::int4 OFFSET $2::int4";
constexpr auto members_count_sql = "SELECT (SELECT count(*) FROM categories WHERE id = $1::int4) AS known,"
                                   " (SELECT count(*)" CREDENCE_MEMBERS " WHERE m.category_id = $1::int4) AS total";
constexpr auto members_sql =
  "SELECT u.id" CREDENCE_MEMBERS " WHERE m.category_id = $1::int4 ORDER BY u.score DESC, u.id"
  " LIMIT $2::int4 OFFSET $3::int4";
const auto ranks_sql =
  "SELECT " + column_list(category_fields, "c.")
  + ", o.users, o.rank"
    " FROM projects mine JOIN users me ON me.id = mine.user_id JOIN project_categories pc ON pc.project_id = mine.id"
    " JOIN categories c ON c.id = pc.category_id, LATERAL (SELECT count(*) AS users,"
    "  count(*) FILTER (WHERE (u.score, -u.id) > (me.score, -me.id)) + 1 AS rank" CREDENCE_MEMBERS
    " WHERE m.category_id = c.id) o"
    " WHERE mine.user_id = $1::int4 AND mine.status = 'ACTIVE' ORDER BY c.id";

#undef CREDENCE_MEMBERS

} // namespace

fact_sql_ptr sql_of(kind<reputation::category_saved> it) {
  return written_by(it, {&insert_category, &update_category}, [](const auto& saved, global_seq, batch_statements& to) {
    to.put(saved.fresh ? insert_category : update_category, columns_of(saved.record));
  });
}
fact_sql_ptr sql_of(kind<reputation::chain_saved> it) {
  return written_by(it, {&insert_chain, &update_chain}, [](const auto& saved, global_seq, batch_statements& to) {
    to.put(saved.fresh ? insert_chain : update_chain, columns_of(saved.record));
  });
}

std::vector<category_record> read_categories_here(connection& on, const std::set<reputation::category_id>& which,
                                                  const std::set<std::string>& slugs, steady_time deadline) {
  if (which.empty() && slugs.empty())
    return {};
  return all_of(on.run(categories_sql.c_str(), with(array_of(which), array_of(slugs)), deadline), category_fields);
}

std::vector<chain_record> read_chains_here(connection& on, const std::set<reputation::chain_id>& which,
                                           const std::set<std::string>& names, steady_time deadline) {
  if (which.empty() && names.empty())
    return {};
  return all_of(on.run(chains_sql.c_str(), with(array_of(which), array_of(names)), deadline), chain_fields);
}

reputation::categories_page read(connection& on, const reputation::get_categories& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::categories_page out;
  out.total = on.run("SELECT count(*) FROM categories", deadline).value<std::int64_t>();
  out.categories =
    all_of(on.run(categories_page_sql.c_str(), with(query.slice.limit, query.slice.offset, query.only), deadline),
           counted_fields);
  return out;
}
load_handler handler(asked<reputation::get_categories> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::chains_page read(connection& on, const reputation::get_chains& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::chains_page out;
  out.total = on.run("SELECT count(*) FROM chains", deadline).value<std::int64_t>();
  out.chains = all_of(
    on.run(chains_page_sql.c_str(), with(query.slice.limit, query.slice.offset, query.only), deadline), chain_fields);
  return out;
}
load_handler handler(asked<reputation::get_chains> it) { return reads<list_a_page, reputation::storage>(it); }

reputation::category_users read(connection& on, const reputation::get_category_users& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::category_users out;
  const auto counts = on.run(members_count_sql, with(query.id), deadline);
  out.known = counts.first<std::int64_t>("known") > 0;
  out.total = counts.first<std::int64_t>("total");
  const auto found = on.run(members_sql, with(query.id, query.slice.limit, query.slice.offset), deadline);
  const auto ids = found.all<user_id>("id");
  std::unordered_map<std::int32_t, people::user_ptr> users;
  for (auto& each : read_users_here(on, ids, deadline))
    users.emplace(each->id.value, each);
  for (const auto each : ids)
    out.users.push_back(users.at(each.value));
  return out;
}
load_handler handler(asked<reputation::get_category_users> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::category_ranks read(connection& on, const reputation::get_user_categories& query, steady_time deadline) {
  using of = reputation::category_rank;
  static constexpr auto fields = within(&of::category, counted_fields, field{"rank", &of::rank});
  return {all_of(on.run(ranks_sql.c_str(), with(query.user), deadline), fields)};
}
load_handler handler(asked<reputation::get_user_categories> it) { return reads<list_of_many, reputation::storage>(it); }

} // namespace credence::persistence
