#include "config/limits.hpp"
#include "persistence/sql/keyset_position.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/record_lists_sql.hpp"

/// The ledger of XP.

namespace credence::persistence {

namespace {

// One statement, so one snapshot: the number and the balances belong together.
constexpr auto xp_sql =
  "SELECT k.place, coalesce((SELECT balance FROM xp_accounts WHERE id = k.id), 0) AS balance,"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0) AS as_of"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, place)";

// The number of a tip is its `seq`; a movement without one was made by another program.
// A page begins at the mark before it (a row in 256 has one), or at the newest. By the indexes on `id + 0` alone, and
// with a bound that the planner knows, or it would rather sort all there are.
static_assert(limits::limit_max + page_marked_every == 356);
#define CREDENCE_TIPS(account, list)                                                                                   \
  "SELECT coalesce(m.seq, m.id) AS tip, m.amount, m.at, m.message, m.from_account,"                                    \
  " (SELECT p.user_id FROM profiles p WHERE p.id = m.to_account) AS receiver, m.source_type, m.source_id FROM ("       \
  "SELECT * FROM (SELECT * FROM xp_movements WHERE " account                                                           \
  " = $1::int4 AND kind = 'XP_TIP_SENT' AND id + 0 <= coalesce((SELECT key"                                            \
  " FROM page_marks WHERE list = '" list "' AND owner = $1::int4 AND ordinal = $2::int8), 9223372036854775807)"        \
  " ORDER BY id + 0 DESC LIMIT 356) newest LIMIT $4::int4 OFFSET $3::int8) m ORDER BY m.id DESC"
#define CREDENCE_TIPS_PLACE(count, list)                                                                               \
  "SELECT k.total, m.ordinal FROM (SELECT coalesce((SELECT " count                                                     \
  " FROM xp_accounts WHERE id = $1::int4), 0) AS total) k"                                                             \
  " LEFT JOIN LATERAL (SELECT ordinal FROM page_marks WHERE list = '" list "' AND owner = $1::int4"                    \
  "  AND ordinal >= k.total - $2::int8 ORDER BY ordinal LIMIT 1) m ON true"
constexpr auto sent_sql = CREDENCE_TIPS("from_account", "tips sent");
constexpr auto sent_place_sql = CREDENCE_TIPS_PLACE("tips_sent", "tips sent");
constexpr auto received_sql = CREDENCE_TIPS("to_account", "tips received");
constexpr auto received_place_sql = CREDENCE_TIPS_PLACE("tips_received", "tips received");
constexpr auto figures_sql =
  "SELECT tips_sent, tips_sent_total, tips_received, tips_received_total FROM xp_accounts WHERE id = $1::int4";

// The newest of one's tips are looked at first: who asks again does so soon.
constexpr auto receipt_sql =
  "SELECT f.balance AS sender_balance, t.balance AS receiver_balance FROM xp_movements m JOIN xp_accounts f ON f.id = "
  "m.from_account"
  " JOIN xp_accounts t ON t.id = m.to_account"
  " WHERE m.from_account = $1::int4 AND m.seq = $2::int8 AND m.kind = 'XP_TIP_SENT' ORDER BY m.id + 0 DESC LIMIT 1";

// By the index of what profiles earned; the newest is looked at first.
constexpr auto grant_sql =
  "SELECT a.balance FROM xp_movements m JOIN xp_accounts a ON a.id = m.to_account"
  " WHERE m.to_account = $1::int4 AND m.to_account > 0 AND m.kind <> 'XP_TIP_SENT' AND m.kind = 'ADMIN_XP_GRANT'"
  " AND m.seq = $2::int8 ORDER BY m.id DESC LIMIT 1";

} // namespace

const statement insert_tips{"insert_tips",
                            insert_all<profile::xp_tipped>("xp_movements", {"kind, ", "'XP_TIP_SENT', "})};
const statement insert_grants{
  "insert_grants", // 0: the issuer
  insert_all<profile::xp_granted>("xp_movements", {"kind, from_account, ", "'ADMIN_XP_GRANT', 0, "})};

fact_sql_ptr sql_of(kind<profile::xp_tipped> it) { return written_together(it, insert_tips); }
number_column numbers_of(kind<profile::xp_tipped>) { return {"xp_movements"}; }
fact_sql_ptr sql_of(kind<profile::xp_granted> it) { return written_together(it, insert_grants); }
number_column numbers_of(kind<profile::xp_granted>) { return {"xp_movements"}; }

/// What profiles have, in the order asked, with the number it is as of; 0 for one that does not exist.
std::vector<profile::stored_xp> read(connection& on, std::span<const profile::load_xp> whose, steady_time deadline) {
  using of = profile::stored_xp;
  const auto found = on.run(xp_sql, with(array_of(whose, &profile::load_xp::profile)), deadline);
  const auto stored = records_in(found, CREDENCE_FIELDS(of, balance, as_of));
  const places place{found};
  std::vector<of> out(whose.size());
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]) = stored[i];
  return out;
}
load_handler handler(asked<profile::load_xp> it) { return reads<load_in_groups, profile::storage>(it); }

profile::tip_figures read(connection& on, const profile::get_tip_figures& query, steady_time deadline) {
  using of = profile::tip_figures;
  static constexpr auto fields =
    CREDENCE_FIELDS(of, (tips_sent, sent_count), (tips_sent_total, sent_total), (tips_received, received_count),
                    (tips_received_total, received_total));
  return first_of(on.run(figures_sql, with(query.profile), deadline), fields).value_or(of{});
}
load_handler handler(asked<profile::get_tip_figures> it) { return reads<list_a_page, profile::storage>(it); }

/// A tip by its number, with the balances of now.
std::optional<profile::tip_receipt> read(connection& on, const profile::get_receipt& query, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(profile::tip_receipt, sender_balance, receiver_balance);
  auto out = first_of(on.run(receipt_sql, with(query.profile, query.tip), deadline), fields);
  if (out)
    out->id = query.tip;
  return out;
}
load_handler handler(asked<profile::get_receipt> it) { return reads<load_by_key, profile::storage>(it); }

/// A grant by its number, with the balance of now.
std::optional<profile::grant_receipt> read(connection& on, const profile::get_grant& query, steady_time deadline) {
  const auto found = on.run(grant_sql, with(query.profile, query.grant), deadline);
  if (found.empty())
    return {};
  return profile::grant_receipt{query.grant, found.first<std::int64_t>("balance")};
}
load_handler handler(asked<profile::get_grant> it) { return reads<load_by_key, profile::storage>(it); }

namespace {

/// What each was for, if it says so.
template <class Row>
void add_sources(std::vector<Row>& to, const rows& found) {
  const column<std::optional<profile::tip_source_kind>> kind{found, "source_type"};
  const column<std::optional<std::int32_t>> id{found, "source_id"};
  for (std::size_t i = 0; i < to.size(); ++i)
    if (const auto known = kind[static_cast<int>(i)])
      to[i].source = profile::tip_source{*known, id[static_cast<int>(i)]};
}

} // namespace

/// A page of tips, newest first, and how many there are.
profile::tip_list read(connection& on, const profile::get_tips& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const bool sent = query.side == profile::tip_side::sent;
  profile::tip_list out;
  out.slice = query.slice;
  const auto where = place_from(
    on.run(sent ? sent_place_sql : received_place_sql, with(query.profile, std::int64_t{query.slice.offset}), deadline),
    query.slice);
  out.total = where.total;
  if (where.empty)
    return out;
  const auto found = on.run(sent ? sent_sql : received_sql,
                            with(query.profile, where.mark, where.skipped_rows, query.slice.limit), deadline);
  static constexpr auto fields =
    CREDENCE_FIELDS(profile::tip_record, (tip, id), amount, at, message, (from_account, sender), receiver);
  out.values = all_of(found, fields);
  add_sources(out.values, found);
  return out;
}
load_handler handler(asked<profile::get_tips> it) { return reads<list_a_page, profile::storage>(it); }

// -- seasons, the ledger, and tips of all --------------------------------------------------------

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

using profile::xp_season;
constexpr auto season_fields = CREDENCE_FIELDS(xp_season, id, name, starts, ends);

} // namespace

/// All seasons, the earliest first.
std::vector<xp_season> read(connection& on, const profile::get_xp_seasons&, steady_time deadline) {
  return all_of(on.run(seasons_sql, deadline), season_fields);
}
load_handler handler(asked<profile::get_xp_seasons> it) { return reads<list_a_page, reputation::storage>(it); }

/// A season with what a profile has earned in its weeks; one snapshot.
profile::season_points read(connection& on, const profile::get_season_points& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  profile::season_points out;
  out.season = first_of(on.run(season_sql, with(query.season), deadline), season_fields);
  if (out.season && query.who)
    out.weeks = all_of(on.run(weeks_sql, with(*query.who, out.season->starts, out.season->ends), deadline),
                       CREDENCE_FIELDS(profile::xp_week, week, points));
  return out;
}
load_handler handler(asked<profile::get_season_points> it) { return reads<list_a_page, reputation::storage>(it); }

/// A page of a profile's ledger, the newest first.
profile::ledger_page read(connection& on, const profile::list_ledger& query, steady_time deadline) {
  using of = profile::ledger_row;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, id, type, points, message, at, season), field{"week", or_null(&of::week)});
  const auto found = on.run(ledger_sql, with(query.who, query.slice.limit, query.slice.offset), deadline);
  profile::ledger_page out;
  out.total = found.first<std::int64_t>("total");
  out.slice = query.slice;
  if (column<std::optional<std::int64_t>>{found, "id"}.null(0)) // the row that is there when the page is empty
    return out;
  out.values = all_of(found, fields);
  add_sources(out.values, found);
  const column<std::int32_t> other{found, "other"};
  for (int i = 0; i < found.count(); ++i)
    if (const profile_id whose{other[i]})
      out.values[static_cast<std::size_t>(i)].other = whose;
  return out;
}
load_handler handler(asked<profile::list_ledger> it) { return reads<list_of_many, reputation::storage>(it); }

/// A page of everybody's tips, the newest first.
reputation::list_tips::answer_type read(connection& on, const reputation::list_tips& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  static constexpr auto fields = CREDENCE_FIELDS(reputation::listed_tip, (tip, id), sender, receiver, amount, at);
  const auto found = on.run(tips_sql, with(query.slice.limit, query.slice.offset), deadline);
  reputation::list_tips::answer_type out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  if (!column<std::optional<std::int64_t>>{found, "tip"}.null(0)) // the row that is there when the page is empty
    out.rows = all_of(found, fields);
  out.users = users_of(on, out.rows, deadline, &reputation::listed_tip::sender, &reputation::listed_tip::receiver);
  return out;
}
load_handler handler(asked<reputation::list_tips> it) { return reads<list_of_many, reputation::storage>(it); }

} // namespace credence::persistence
