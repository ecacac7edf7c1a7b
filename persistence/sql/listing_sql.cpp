#include "persistence/sql/listing_sql.hpp"

#include "persistence/sql/people_sql.hpp"

#include <unordered_map>

namespace credence::persistence {

namespace {

constexpr auto page_sql = "SELECT id FROM projects WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
constexpr auto changed_sql =
  "WITH changed AS MATERIALIZED (SELECT project_id FROM listing_marks WHERE changed >= $3::text::xid8)"
  " SELECT project_id FROM changed WHERE project_id > $1::int4 ORDER BY project_id LIMIT $2::int4";

// The last vote of each project is one descent of the primary key.
constexpr auto cores_sql =
  "SELECT p.id, p.user_id, p.userkey, p.status = 'ARCHIVED', p.banner_image_url, p.is_promoted, p.show_archived,"
  " p.description, p.created_at, p.updated_at, p.comment_count,"
  " coalesce((SELECT r.through FROM project_rollups r WHERE r.project_id = p.id AND r.periods_through = r.through), 0),"
  " coalesce((SELECT number FROM votes WHERE project_id = p.id ORDER BY number DESC LIMIT 1), 0)"
  " FROM projects p WHERE p.id = ANY($1::int4[]) ORDER BY p.id";

constexpr auto links_sql = "SELECT project_id, type, url FROM project_links WHERE project_id = ANY($1::int4[])"
                           " ORDER BY project_id, position";
constexpr auto team_sql = "SELECT project_id, profile_id FROM project_team WHERE project_id = ANY($1::int4[])"
                          " ORDER BY project_id, profile_id";
constexpr auto categories_sql =
  "SELECT project_id, c.id, c.name, c.slug, c.description FROM project_categories"
  " JOIN categories c ON c.id = category_id WHERE project_id = ANY($1::int4[]) ORDER BY project_id, c.id";
constexpr auto chains_sql =
  "SELECT project_id, c.id, c.name, c.url, c.icon_url FROM project_chains"
  " JOIN chains c ON c.id = chain_id WHERE project_id = ANY($1::int4[]) ORDER BY project_id, c.id";
constexpr auto periods_sql = "SELECT project_id, period_id, bullish_weight, bearish_weight FROM project_period_tallies"
                             " WHERE project_id = ANY($1::int4[]) ORDER BY project_id, period_id";
// Days lie by period: those that were over before the first day asked for are not touched.
constexpr auto days_sql =
  "SELECT project_id, period_id, day, coalesce(bullish_weight, bullish), coalesce(bearish_weight, bearish)"
  " FROM project_tallies WHERE project_id = ANY($1::int4[]) AND day >= date '2000-01-01' + $2::int4 AND period_id >="
  "  (SELECT coalesce(min(id), 0) FROM voting_periods"
  "   WHERE coalesce(closed_at, 'infinity') >= date '2000-01-01' + $2::int4)"
  " ORDER BY project_id, day, period_id";

listing::link_type link_type_of(std::string_view text) {
  using enum listing::link_type;
  if (text == "TWITTER")
    return twitter;
  if (text == "TELEGRAM")
    return telegram;
  return text == "DISCORD" ? discord : website;
}

/// A listing while its parts come in.
struct growing {
  std::shared_ptr<listing::listing_core> core;
  listing::stored_listing* stored;
};
using by_project = std::unordered_map<std::int32_t, growing>;

/// Runs `sql`, whose first column is the project, and hands each row to its listing.
template <class Take>
void each_part(connection& on, const char* sql, const parameters& with, by_project& to, steady_time deadline,
               Take take) {
  const auto found = on.run(sql, with, deadline);
  for (int i = 0; i < found.count(); ++i)
    take(to.at(found.int4(i, 0)), found, i);
}

void read_parts(connection& on, const parameters& ids, by_project& all, steady_time deadline) {
  each_part(on, links_sql, ids, all, deadline, [](growing& to, const rows& from, int i) {
    to.core->links.push_back({link_type_of(from.text(i, 1)), std::string{from.text(i, 2)}});
  });
  each_part(on, team_sql, ids, all, deadline,
            [](growing& to, const rows& from, int i) { to.core->team.push_back(profile_id{from.int4(i, 1)}); });
  each_part(on, categories_sql, ids, all, deadline, [](growing& to, const rows& from, int i) {
    to.core->categories.push_back(
      {from.int4(i, 1), std::string{from.text(i, 2)}, std::string{from.text(i, 3)}, from.maybe_text(i, 4)});
  });
  each_part(on, chains_sql, ids, all, deadline, [](growing& to, const rows& from, int i) {
    to.core->chains.push_back(
      {from.int4(i, 1), std::string{from.text(i, 2)}, from.maybe_text(i, 3), from.maybe_text(i, 4)});
  });
}

void read_tallies(connection& on, binary_array& ids, std::chrono::sys_days from_day, by_project& all,
                  steady_time deadline) {
  each_part(on, periods_sql, parameters{}.array(ids), all, deadline, [](growing& to, const rows& from, int i) {
    to.stored->periods.push_back({period_id{from.int4(i, 1)}, {from.int8(i, 2), from.int8(i, 3)}});
  });
  const auto first = static_cast<std::int32_t>((from_day - postgres_epoch).count());
  each_part(on, days_sql, parameters{}.array(ids).int4(first), all, deadline,
            [](growing& to, const rows& from, int i) {
              to.stored->days.push_back(
                {period_id{from.int4(i, 1)}, from.day(i, 2), 0, 0, {from.int8(i, 3), from.int8(i, 4)}});
            });
}

listing::listing_core core_from(const rows& from, int i) {
  listing::listing_core core;
  core.id = project_id{from.int4(i, 0)};
  core.userkey = from.text(i, 2);
  core.archived = from.boolean(i, 3);
  core.banner_image_url = from.maybe_text(i, 4);
  core.is_promoted = from.boolean(i, 5);
  core.show_archived = from.boolean(i, 6);
  core.description = from.maybe_text(i, 7);
  core.created_at = from.time(i, 8);
  core.updated_at = from.time(i, 9);
  core.comment_count = from.int8(i, 10);
  return core;
}

} // namespace

listing::stored_listings read_listings(connection& on, const listing::load_listings& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  listing::stored_listings out;
  out.as_of = on.run("SELECT pg_snapshot_xmin(pg_current_snapshot())::text", deadline).text(0, 0);
  auto which = parameters{}.int4(asked.after.value).int4(asked.most);
  const auto found = asked.changed_since.empty() ? on.run(page_sql, which, deadline)
                                                 : on.run(changed_sql, which.text(asked.changed_since), deadline);
  out.last = found.count() < asked.most;
  binary_array ids{sql_type::int4};
  for (int i = 0; i < found.count(); ++i)
    ids.int4(found.int4(i, 0));
  const auto with_ids = parameters{}.array(ids);
  const auto cores = on.run(cores_sql, with_ids, deadline);
  out.listings.resize(static_cast<std::size_t>(cores.count()));
  by_project all;
  std::vector<user_id> owners;
  for (int i = 0; i < cores.count(); ++i) {
    auto& stored = out.listings[static_cast<std::size_t>(i)];
    auto core = std::make_shared<listing::listing_core>(core_from(cores, i));
    stored.core = core;
    stored.tallied_through = cores.int4(i, 11);
    stored.last_vote = cores.int4(i, 12);
    owners.push_back(user_id{cores.int4(i, 1)});
    const auto id = core->id.value;
    all[id] = growing{std::move(core), &stored};
  }
  read_parts(on, with_ids, all, deadline);
  if (asked.tallies_from)
    read_tallies(on, ids, *asked.tallies_from, all, deadline);
  std::unordered_map<std::int32_t, people::user_ptr> users;
  for (auto& each : read_users_here(on, owners, deadline))
    users.emplace(each->id.value, each);
  for (int i = 0; i < cores.count(); ++i)
    all.at(cores.int4(i, 0)).core->user = users.at(cores.int4(i, 1));
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
