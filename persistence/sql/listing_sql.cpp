#include "persistence/sql/listing_sql.hpp"

#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/words.hpp"

#include <unordered_map>

namespace credence::persistence {

namespace {

constexpr auto listing_page_sql =
  "SELECT id AS project_id FROM projects WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
constexpr auto changed_sql =
  "WITH changed AS MATERIALIZED (SELECT project_id FROM listing_marks WHERE changed >= $3::text::xid8)"
  " SELECT project_id FROM changed WHERE project_id > $1::int4 ORDER BY project_id LIMIT $2::int4";

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

void add_links(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<listing::link_type> type{found, "type"};
  const column<std::string> url{found, "url"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).core->links.push_back({type[i], url[i]});
}

void add_team(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<profile_id> member{found, "profile_id"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).core->team.push_back(member[i]);
}

void add_categories(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<std::int32_t> id{found, "id"};
  const column<std::string> name{found, "name"};
  const column<std::string> slug{found, "slug"};
  const column<std::optional<std::string>> description{found, "description"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).core->categories.push_back({id[i], name[i], slug[i], description[i]});
}

void add_chains(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<std::int32_t> id{found, "id"};
  const column<std::string> name{found, "name"};
  const column<std::optional<std::string>> url{found, "url"};
  const column<std::optional<std::string>> icon_url{found, "icon_url"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).core->chains.push_back({id[i], name[i], url[i], icon_url[i]});
}

void read_parts(connection& on, const parameters& ids, by_project& all, steady_time deadline) {
  add_links(all, on.run(links_sql, ids, deadline));
  add_team(all, on.run(team_sql, ids, deadline));
  add_categories(all, on.run(listing_categories_sql, ids, deadline));
  add_chains(all, on.run(listing_chains_sql, ids, deadline));
}

void add_periods(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<period_id> period{found, "period_id"};
  const column<std::int64_t> bullish{found, "bullish_weight"};
  const column<std::int64_t> bearish{found, "bearish_weight"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).stored->periods.push_back({period[i], {bullish[i], bearish[i]}});
}

void add_days(by_project& to, const rows& found) {
  const column<std::int32_t> project{found, "project_id"};
  const column<period_id> period{found, "period_id"};
  const column<std::chrono::sys_days> day{found, "day"};
  const column<std::int64_t> bullish{found, "bullish_weight"};
  const column<std::int64_t> bearish{found, "bearish_weight"};
  for (int i = 0; i < found.count(); ++i)
    to.at(project[i]).stored->days.push_back({period[i], day[i], 0, 0, {bullish[i], bearish[i]}});
}

void read_tallies(connection& on, binary_array& ids, std::chrono::sys_days from_day, by_project& all,
                  steady_time deadline) {
  add_periods(all, on.run(periods_sql, parameters{}.array(ids), deadline));
  const auto first = static_cast<std::int32_t>((from_day - postgres_epoch).count());
  add_days(all, on.run(days_sql, parameters{}.array(ids).int4(first), deadline));
}

struct core_columns {
  const rows& in;
  column<project_id> id{in, "id"};
  column<std::optional<user_id>> user{in, "user_id"}; // nobody's: its block was taken back
  column<std::string> userkey{in, "userkey"};
  column<bool> archived{in, "archived"};
  column<std::optional<std::string>> banner_image_url{in, "banner_image_url"};
  column<bool> is_promoted{in, "is_promoted"};
  column<bool> show_archived{in, "show_archived"};
  column<std::optional<std::string>> description{in, "description"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};
  column<std::int64_t> comment_count{in, "comment_count"};
  column<entity_seq> tallied{in, "tallied"};
  column<entity_seq> last_vote{in, "last_vote"};
  column<std::optional<std::int64_t>> unsettled{in, "unsettled"};

  listing::listing_core core(int row) const {
    listing::listing_core out;
    out.id = id[row];
    out.userkey = userkey[row];
    out.archived = archived[row];
    out.banner_image_url = banner_image_url[row];
    out.is_promoted = is_promoted[row];
    out.show_archived = show_archived[row];
    out.description = description[row];
    out.created_at = created_at[row];
    out.updated_at = updated_at[row];
    out.comment_count = comment_count[row];
    return out;
  }
};

/// Fills in the user of each listing that is somebody's.
void add_owners(connection& on, by_project& to, const rows& found, const core_columns& of, steady_time deadline) {
  std::vector<user_id> owners;
  for (int i = 0; i < found.count(); ++i)
    if (const auto owner = of.user[i])
      owners.push_back(*owner);
  std::unordered_map<std::int32_t, people::user_ptr> users;
  for (auto& each : read_users_here(on, owners, deadline))
    users.emplace(each->id.value, each);
  for (int i = 0; i < found.count(); ++i)
    if (const auto owner = of.user[i])
      to.at(of.id[i].value).core->user = users.at(owner->value);
}

/// The ids of a page, and whether it is the last one.
bool add_page(connection& on, const listing::load_listings& query, binary_array& to, steady_time deadline) {
  auto which = parameters{}.int4(query.after.value).int4(query.most);
  const auto found = query.changed_since.empty() ? on.run(listing_page_sql, which, deadline)
                                                 : on.run(changed_sql, which.text(query.changed_since), deadline);
  const column<std::int32_t> project{found, "project_id"};
  for (int i = 0; i < found.count(); ++i)
    to.int4(project[i]);
  return found.count() < query.most;
}

} // namespace

listing::stored_listings read(connection& on, const listing::load_listings& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  listing::stored_listings out;
  binary_array ids{sql_type::int4};
  out.as_of = on.run("SELECT pg_snapshot_xmin(pg_current_snapshot())::text", deadline).value<std::string>();
  if (query.named.empty())
    out.last = add_page(on, query, ids, deadline);
  else
    for (const auto each : query.named)
      ids.int4(each.value);
  const auto with_ids = parameters{}.array(ids);
  const auto heads = on.run(cores_sql, with_ids, deadline);
  const core_columns cores{heads};
  out.listings.resize(static_cast<std::size_t>(heads.count()));
  by_project all;
  for (int i = 0; i < heads.count(); ++i) {
    auto& stored = out.listings[static_cast<std::size_t>(i)];
    auto core = std::make_shared<listing::listing_core>(cores.core(i));
    stored.core = core;
    stored.tallied_through = cores.tallied[i];
    stored.last_vote = cores.last_vote[i];
    stored.unsettled = cores.unsettled[i];
    const auto id = core->id.value;
    all[id] = growing{std::move(core), &stored};
  }
  read_parts(on, with_ids, all, deadline);
  if (query.tallies_from)
    read_tallies(on, ids, *query.tallies_from, all, deadline);
  add_owners(on, all, heads, cores, deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
