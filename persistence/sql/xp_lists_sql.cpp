#include "persistence/sql/xp_lists_sql.hpp"

#include "config/list_limits.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/sql/activity_sql.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

namespace {

static_assert(limits::ledger_depth_max == 1000 && limits::list_depth_max == 10'000, "the texts below say so");

#define CREDENCE_SEASONS                                                                                               \
  "SELECT id, name, starts_on::timestamp AT TIME ZONE 'UTC' AS starts,"                                                \
  " (SELECT min(n.starts_on) FROM xp_seasons n WHERE n.starts_on > s.starts_on)::timestamp AT TIME ZONE 'UTC' AS "     \
  "ends FROM xp_seasons s"
constexpr auto seasons_sql = CREDENCE_SEASONS " ORDER BY starts_on LIMIT 1000";
constexpr auto season_sql = CREDENCE_SEASONS " WHERE id = $1::int4";

#define CREDENCE_DAY(moment) "(" moment "::timestamptz AT TIME ZONE 'UTC')::date"
constexpr auto weeks_sql = "SELECT (d.day - " CREDENCE_DAY(
  "$2") ") / 7 + 1 AS week, sum(d.points)::int8 AS points FROM xp_days d WHERE d.account = $1::int4"
        " AND d.day >= " CREDENCE_DAY("$2") " AND d.day < coalesce(" CREDENCE_DAY(
          "$3") ", 'infinity') GROUP BY 1 ORDER BY 1";

// A run of each side of the ledger, from an index in its order, as far as the ledger reaches. `side`: 1 to the profile,
// -1 away from it. Tips begin at a mark (`page_marks` has one for a row in 256), so that no plan sorts all that
// somebody has ever sent; what is no tip is read from an index that holds all that is asked for.
#define CREDENCE_TIP_RUN(account, side, list, count)                                                                   \
  "(SELECT m.id, " side " AS side FROM xp_movements m WHERE m." account                                                \
  " = $1::int4 AND m.kind = 'XP_TIP_SENT' AND m.id + 0 > coalesce("                                                    \
  "(SELECT key FROM page_marks WHERE list = '" list "' AND owner = $1::int4 AND ordinal <= (SELECT " count             \
  " FROM xp_accounts WHERE id = $1::int4)"                                                                             \
  " - 1000 ORDER BY ordinal DESC LIMIT 1), 0) ORDER BY m.id + 0 DESC LIMIT 1000)"
#define CREDENCE_OTHER_RUN(account, side)                                                                              \
  "(SELECT m.id, " side " AS side FROM xp_movements m WHERE m." account " = $1::int4 AND m." account                   \
  " > 0 AND m.kind <> 'XP_TIP_SENT'"                                                                                   \
  " ORDER BY m.id DESC LIMIT 1000)"
#define CREDENCE_LEDGER_RUNS                                                                                           \
  CREDENCE_TIP_RUN("from_account", "-1", "tips sent", "tips_sent")                                                     \
  " UNION ALL " CREDENCE_TIP_RUN(                                                                                      \
    "to_account", "1", "tips received",                                                                                \
    "tips_received") " UNION ALL " CREDENCE_OTHER_RUN("from_account",                                                  \
                                                      "-1") " UNION ALL " CREDENCE_OTHER_RUN("to_account", "1")
constexpr auto ledger_sql =
  "WITH newest AS MATERIALIZED (SELECT id, side FROM (" CREDENCE_LEDGER_RUNS ") runs ORDER BY id DESC LIMIT 1000),"
  " page AS (SELECT id, side FROM newest ORDER BY id DESC LIMIT $2::int4 OFFSET $3::int4),"
  " told AS (SELECT p.side, m.*, " CREDENCE_DAY(
    "m.at") " AS on_day FROM page p CROSS JOIN LATERAL (SELECT * FROM xp_movements WHERE id = p.id LIMIT 1) m)"
            " SELECT t.n AS total, m.id, CASE WHEN m.side > 0 AND m.kind = 'XP_TIP_SENT' THEN 'XP_TIP_RECEIVED' ELSE "
            "m.kind END AS type,"
            "  m.amount * m.side AS points, CASE WHEN m.side > 0 THEN m.from_account ELSE m.to_account END AS other, "
            "m.message, m.source_type,"
            "  m.source_id, m.at, s.id AS season, (m.on_day - s.starts_on) / 7 + 1 AS week"
            " FROM (SELECT count(*) AS n FROM newest) t LEFT JOIN told m ON true"
            " LEFT JOIN LATERAL (SELECT id, starts_on FROM xp_seasons x WHERE x.starts_on <= m.on_day ORDER BY "
            "x.starts_on DESC LIMIT 1) s ON true"
            " ORDER BY m.id DESC";

// The newest rows of the ledger are walked, whatever they are: no write keeps an index for this list alone.
constexpr auto tips_sql =
  "WITH newest AS MATERIALIZED (SELECT id FROM (SELECT id, kind FROM xp_movements ORDER BY id DESC LIMIT 10000) m "
  "WHERE kind = 'XP_TIP_SENT'),"
  " page AS (SELECT id FROM newest ORDER BY id DESC LIMIT $1::int4 OFFSET $2::int4)"
  " SELECT t.n AS total, coalesce(m.seq, m.id) AS tip, m.amount, m.at, (SELECT p.user_id FROM profiles p WHERE p.id = "
  "m.from_account) AS sender,"
  "  (SELECT p.user_id FROM profiles p WHERE p.id = m.to_account) AS receiver FROM (SELECT count(*) AS n FROM newest) "
  "t LEFT JOIN page ON true"
  " LEFT JOIN LATERAL (SELECT * FROM xp_movements x WHERE x.id = page.id LIMIT 1) m ON true ORDER BY page.id DESC";

std::vector<profile::xp_season> seasons_from(const rows& found) {
  const column<std::int32_t> id{found, "id"};
  const column<std::string> name{found, "name"};
  const column<timestamp> starts{found, "starts"};
  const column<std::optional<timestamp>> ends{found, "ends"};
  std::vector<profile::xp_season> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({id[i], name[i], starts[i], ends[i]});
  return out;
}

/// The columns of a row of the ledger.
struct ledger_columns {
  explicit ledger_columns(const rows& in) : from(in) {}
  const rows& from;
  column<std::optional<std::int64_t>> id{from, "id"}; // null in the row that is there when the page is empty
  column<std::string> type{from, "type"};
  column<std::int64_t> points{from, "points"};
  column<std::int32_t> other{from, "other"};
  column<std::optional<std::string>> message{from, "message"};
  column<std::optional<profile::tip_source_kind>> source_type{from, "source_type"};
  column<std::optional<std::int32_t>> source_id{from, "source_id"};
  column<timestamp> at{from, "at"};
  column<std::optional<std::int32_t>> season{from, "season"};
  column<std::optional<std::int32_t>> week{from, "week"};

  profile::ledger_row row(int i) const {
    std::optional<profile::tip_source> source;
    if (const auto kind = source_type[i])
      source = {*kind, source_id[i]};
    const auto whose = other[i];
    return {id[i].value(),      type[i], points[i], whose > 0 ? std::optional{profile_id{whose}} : std::nullopt,
            message[i],         source,  at[i],     season[i],
            week[i].value_or(0)};
  }
};

} // namespace

std::vector<profile::xp_season> read(connection& on, const profile::get_xp_seasons&, steady_time deadline) {
  return seasons_from(on.run(seasons_sql, parameters{}, deadline));
}

profile::season_points read(connection& on, const profile::get_season_points& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  profile::season_points out;
  auto found = seasons_from(on.run(season_sql, parameters{}.int4(query.season), deadline));
  if (!found.empty())
    out.season = std::move(found.front());
  if (out.season && query.who) {
    const auto weeks =
      on.run(weeks_sql, parameters{}.int4(query.who->value).time(out.season->starts).time(out.season->ends), deadline);
    const column<std::int32_t> week{weeks, "week"};
    const column<std::int64_t> points{weeks, "points"};
    for (int i = 0; i < weeks.count(); ++i)
      out.weeks.push_back({week[i], points[i]});
  }
  snapshot.commit(deadline);
  return out;
}

profile::ledger_page read(connection& on, const profile::list_ledger& query, steady_time deadline) {
  const auto found =
    on.run(ledger_sql, parameters{}.int4(query.who.value).int4(query.slice.limit).int4(query.slice.offset), deadline);
  const ledger_columns each{found};
  profile::ledger_page out;
  out.total = found.first<std::int64_t>("total");
  out.slice = query.slice;
  for (int i = 0; i < found.count(); ++i)
    if (each.id[i])
      out.values.push_back(each.row(i));
  return out;
}

reputation::list_tips::answer_type read(connection& on, const reputation::list_tips& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const auto found = on.run(tips_sql, parameters{}.int4(query.slice.limit).int4(query.slice.offset), deadline);
  const column<std::optional<std::int64_t>> tip{found, "tip"};
  const column<user_id> sender{found, "sender"};
  const column<user_id> receiver{found, "receiver"};
  const column<std::int64_t> amount{found, "amount"};
  const column<timestamp> at{found, "at"};
  reputation::list_tips::answer_type out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  std::vector<user_id> users;
  for (int i = 0; i < found.count(); ++i)
    if (const auto id = tip[i]) {
      out.rows.push_back({*id, sender[i], receiver[i], amount[i], at[i]});
      users.push_back(sender[i]);
      users.push_back(receiver[i]);
    }
  out.users = read_named_here(on, std::move(users), deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
