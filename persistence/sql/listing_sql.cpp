#include "actors/listing/listing_storage.hpp"
#include "persistence/sql/people_sql.hpp"

#include <unordered_map>

/// Listings: statements and row mapping.
namespace credence::persistence {

namespace {

constexpr auto listing_page_sql =
  "SELECT id AS project_id FROM projects WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
// Of a category or chain that has changed, the next listings are found by its index.
#define CREDENCE_LISTINGS_NAMED_BY(names, column, listings)                                                            \
  " UNION SELECT l.project_id FROM " names " n CROSS JOIN LATERAL (SELECT project_id FROM " listings " WHERE " column  \
  " = n.id AND project_id > $1::int4 ORDER BY project_id LIMIT $2::int4) l WHERE n.changed >= $3::text::xid8"
constexpr auto changed_sql =
  "WITH changed AS MATERIALIZED (SELECT project_id FROM listing_marks WHERE changed >= "
  "$3::text::xid8" CREDENCE_LISTINGS_NAMED_BY("categories", "category_id", "project_categories")
    CREDENCE_LISTINGS_NAMED_BY("chains", "chain_id",
                               "project_chains") ")"
                                                 " SELECT project_id FROM changed WHERE project_id > $1::int4 ORDER BY "
                                                 "project_id LIMIT $2::int4";
#undef CREDENCE_LISTINGS_NAMED_BY

// The last vote of each project is one descent of the primary key.
constexpr auto cores_sql =
  "SELECT p.id, p.user_id, p.userkey, p.status = 'ARCHIVED' AS archived, p.banner_image_url, p.is_promoted, "
  "p.show_archived,"
  " p.description, p.created_at, p.updated_at, p.comment_count,"
  " CASE WHEN p.since_block > (SELECT authority FROM chain_follow) THEN p.since_block END AS unsettled,"
  " coalesce((SELECT r.through FROM project_rollups r WHERE r.project_id = p.id AND r.periods_through = r.through), 0) "
  "AS tallied,"
  " coalesce((SELECT number FROM votes WHERE project_id = p.id ORDER BY number DESC LIMIT 1), 0) AS last_vote"
  " FROM projects p WHERE p.id = ANY($1::int4[]) ORDER BY p.id";

constexpr auto links_sql = "SELECT project_id, type, url FROM project_links WHERE project_id = ANY($1::int4[])"
                           " ORDER BY project_id, position";
constexpr auto team_sql = "SELECT project_id, profile_id FROM project_team WHERE project_id = ANY($1::int4[])"
                          " ORDER BY project_id, profile_id";
constexpr auto listing_categories_sql =
  "SELECT project_id, c.id, c.name, c.slug, c.description FROM project_categories"
  " JOIN categories c ON c.id = category_id WHERE project_id = ANY($1::int4[]) ORDER BY project_id, c.id";
constexpr auto listing_chains_sql =
  "SELECT project_id, c.id, c.name, c.url, c.icon_url FROM project_chains"
  " JOIN chains c ON c.id = chain_id WHERE project_id = ANY($1::int4[]) ORDER BY project_id, c.id";
constexpr auto periods_sql = "SELECT project_id, period_id, bullish_weight, bearish_weight FROM project_period_tallies"
                             " WHERE project_id = ANY($1::int4[]) ORDER BY project_id, period_id";
// Days lie by period: those that were over before the first day asked for are not touched.
constexpr auto days_sql =
  "SELECT project_id, period_id, day, coalesce(bullish_weight, bullish) AS bullish_weight,"
  " coalesce(bearish_weight, bearish) AS bearish_weight"
  " FROM project_tallies WHERE project_id = ANY($1::int4[]) AND day >= date '2000-01-01' + $2::int4 AND period_id >="
  "  (SELECT coalesce(min(id), 0) FROM voting_periods"
  "   WHERE coalesce(closed_at, 'infinity') >= date '2000-01-01' + $2::int4)"
  " ORDER BY project_id, day, period_id";

/// A listing while its parts come in.
struct growing {
  std::shared_ptr<listing::listing_core> core;
  listing::stored_listing* stored;
};
using by_project = std::unordered_map<std::int32_t, growing>;

/// Puts each row into a list of its project.
template <class ListOf, class... Get>
void add_parts(by_project& to, const rows& found, const field_list<Get...>& fields, ListOf list_of) {
  const auto parts = records_in(found, fields);
  const column<std::int32_t> project{found, "project_id"};
  for (int i = 0; i < found.count(); ++i)
    list_of(to.at(project[i])).push_back(parts[i]);
}

constexpr auto link_fields = CREDENCE_FIELDS(listing::link, type, url);
constexpr auto category_parts = CREDENCE_FIELDS(listing::category, id, name, slug, description);
constexpr auto chain_parts = CREDENCE_FIELDS(listing::chain, id, name, url, icon_url);
constexpr auto weight_fields =
  CREDENCE_FIELDS(project::vote_weights, (bullish_weight, bullish), (bearish_weight, bearish));
constexpr auto period_fields =
  within(&project::period_tally::weight, weight_fields, field{"period_id", &project::period_tally::in});
constexpr auto day_fields = joined_lists(within(&project::day_tally::weight, weight_fields),
                                         CREDENCE_FIELDS(project::day_tally, (period_id, in), day));

void read_parts(connection& on, const parameters& ids, by_project& all, steady_time deadline) {
  const auto found = [&](const char* sql) { return on.run(sql, ids, deadline); };
  add_parts(
    all, found(links_sql), link_fields, [](growing & of) -> auto& { return of.core->links; });
  add_parts(
    all, found(team_sql), CREDENCE_FIELDS(profile_id, (profile_id, value)),
    [](growing & of) -> auto& { return of.core->team; });
  add_parts(
    all, found(listing_categories_sql), category_parts, [](growing & of) -> auto& { return of.core->categories; });
  add_parts(
    all, found(listing_chains_sql), chain_parts, [](growing & of) -> auto& { return of.core->chains; });
}

void read_tallies(connection& on, binary_array& ids, std::chrono::sys_days from_day, by_project& all,
                  steady_time deadline) {
  add_parts(
    all, on.run(periods_sql, with(ids), deadline), period_fields,
    [](growing & of) -> auto& { return of.stored->periods; });
  const auto first = static_cast<std::int32_t>((from_day - postgres_epoch).count());
  add_parts(
    all, on.run(days_sql, with(ids, first), deadline), day_fields,
    [](growing & of) -> auto& { return of.stored->days; });
}

using listing::listing_core;
constexpr auto core_fields = CREDENCE_FIELDS(listing_core, id, userkey, archived, banner_image_url, is_promoted,
                                             show_archived, description, created_at, updated_at, comment_count);
using listing::stored_listing;
constexpr auto listing_fields = CREDENCE_FIELDS(stored_listing, unsettled, (tallied, tallied_through), last_vote);

/// Fills in the user of each listing that is somebody's.
void add_owners(connection& on, by_project& to, const rows& found, steady_time deadline) {
  std::unordered_map<std::int32_t, people::user_ptr> users;
  for (auto& each : read_users_here(on, found.all<user_id>("user_id"), deadline))
    users.emplace(each->id.value, each);
  const column<std::int32_t> id{found, "id"};
  const column<std::optional<user_id>> user{found, "user_id"}; // nobody's: its block was taken back
  for (int i = 0; i < found.count(); ++i)
    if (const auto owner = user[i])
      to.at(id[i]).core->user = users.at(owner->value);
}

/// The ids of a page, and whether it is the last one.
bool add_page(connection& on, const listing::load_listings& query, binary_array& to, steady_time deadline) {
  const auto found = query.changed_since.empty()
                       ? on.run(listing_page_sql, with(query.after, query.most), deadline)
                       : on.run(changed_sql, with(query.after, query.most, query.changed_since), deadline);
  to = array_of(found.all<std::int32_t>("project_id"));
  return found.count() < query.most;
}

} // namespace

/// The next piece of the listings: each with its user, the number of its last vote and, if
/// asked for, its tallies; all of one snapshot. Throws `database_error`.
listing::stored_listings read(connection& on, const listing::load_listings& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  listing::stored_listings out;
  binary_array ids{sql_type::int4};
  out.as_of = on.run("SELECT pg_snapshot_xmin(pg_current_snapshot())::text", deadline).value<std::string>();
  if (query.named.empty())
    out.last = add_page(on, query, ids, deadline);
  else
    ids = array_of(query.named);
  const auto with_ids = with(ids);
  const auto heads = on.run(cores_sql, with_ids, deadline);
  const auto cores = records_in(heads, core_fields);
  out.listings = all_of(heads, listing_fields);
  by_project all;
  for (int i = 0; i < heads.count(); ++i) {
    auto& stored = out.listings[static_cast<std::size_t>(i)];
    auto core = std::make_shared<listing_core>(cores[i]);
    stored.core = core;
    const auto id = core->id.value;
    all[id] = growing{std::move(core), &stored};
  }
  read_parts(on, with_ids, all, deadline);
  if (query.tallies_from)
    read_tallies(on, ids, *query.tallies_from, all, deadline);
  add_owners(on, all, heads, deadline);
  return out;
}
load_handler handler(asked<listing::load_listings> it) { return reads<list_of_many, listing::storage>(it); }

} // namespace credence::persistence
