#include "persistence/sql/project_sql.hpp"

#include "actors/domain/hash.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

namespace credence {

namespace persistence {

/// The figures of a project's day, period and votes: a row each.
struct tallied_day {
  project_id project;
  project::day_tally tally;
};
struct tallied_period {
  project_id project;
  project::period_tally tally;
};
struct tallied_through {
  project_id project;
  entity_seq through = 0;
};

} // namespace persistence

template <>
struct part<persistence::tallied_day> {
  using day = project::day_tally;
  static constexpr auto fields =
    CREDENCE_FIELDS(persistence::tallied_day, (project_id, project), (period_id, tally, &day::in),
                    (day, tally, &day::day), (bullish, tally, &day::bullish), (bearish, tally, &day::bearish),
                    (bullish_weight, tally, &day::weight, &project::vote_weights::bullish),
                    (bearish_weight, tally, &day::weight, &project::vote_weights::bearish));
};
template <>
struct part<persistence::tallied_period> {
  using period = project::period_tally;
  static constexpr auto fields =
    CREDENCE_FIELDS(persistence::tallied_period, (project_id, project), (period_id, tally, &period::in),
                    (bullish_weight, tally, &period::weight, &project::vote_weights::bullish),
                    (bearish_weight, tally, &period::weight, &project::vote_weights::bearish));
};
CREDENCE_PART(persistence::tallied_through, (project_id, project), through);

namespace persistence {

// -- writing --------------------------------------------------------------------------

const statement insert_votes{"insert_votes", insert_all<project::vote_cast>("votes")};

// What `check_votes` of the schema looks for is looked for here, and it is told so.
const statement lone_vote{
  "lone_vote", "WITH mine AS (UPDATE shard_owners SET sequence = $4::int8, batch = $5::uuid, last_seq = $7::int8"
               "  FROM projects p, profiles v"
               "  WHERE shard = $1::int4 AND owner = $2::text AND epoch = $3::int8 AND sequence = $4::int8 - 1"
               "   AND last_seq = $6::int8 - 1 AND open_period = $11::int4"
               "   AND p.id = $8::int4 AND p.status = 'ACTIVE' AND v.id = $9::int4 AND NOT v.archived"
               "   AND $15::int8 > 0 AND $10::int4 > 0 AND $16::int2 BETWEEN 0 AND 7"
               "   AND ($13::text IS NULL OR char_length($13::text) BETWEEN 1 AND 50)"
               "  RETURNING set_config('credence.vote_checked', 'yes', true))"
               " INSERT INTO votes (project_id, voter_id, number, period_id, bullish, reason, cast_at, seq, weight)"
               " SELECT $8::int4, $9::int4, $10::int4, $11::int4, $12::bool, $13::text, $14::timestamptz, $15::int8, "
               "$16::int2 FROM mine"};

void add_lone_vote(parameters& fence, const project::vote_cast& vote, global_seq seq) {
  fence.int4(vote.project.value).int4(vote.voter.value).int4(vote.number).int4(vote.in.value);
  fence.boolean(vote.side == project::sentiment::bullish)
    .text(vote.reason)
    .time(vote.at)
    .int8(seq)
    .int2(static_cast<std::int16_t>(vote.weight));
}

fact_sql_ptr sql_of(kind<project::vote_cast> it) { return written_together(it, insert_votes); }
number_column numbers_of(kind<project::vote_cast>) { return {"votes"}; }

namespace {

const statement upsert_days{
  "upsert_tallies",
  "INSERT INTO project_tallies (project_id, period_id, day, bullish, bearish, bullish_weight, bearish_weight)"
  " SELECT * FROM unnest($1::int4[], $2::int4[], $3::date[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])"
  " ON CONFLICT (project_id, period_id, day)"
  " DO UPDATE SET bullish = excluded.bullish, bearish = excluded.bearish,"
  "  bullish_weight = excluded.bullish_weight, bearish_weight = excluded.bearish_weight"};

const statement upsert_periods{
  "upsert_period_tallies",
  "INSERT INTO project_period_tallies (project_id, period_id, bullish_weight, bearish_weight)"
  " SELECT * FROM unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[])"
  " ON CONFLICT (project_id, period_id)"
  " DO UPDATE SET bullish_weight = excluded.bullish_weight, bearish_weight = excluded.bearish_weight"};

const statement upsert_rollups{
  "upsert_rollups",
  "INSERT INTO project_rollups (project_id, through, periods_through)"
  " SELECT p, n, n FROM unnest($1::int4[], $2::int4[]) r(p, n)"
  " ON CONFLICT (project_id) DO UPDATE SET through = excluded.through, periods_through = excluded.periods_through"};

/// When a day or period comes twice the last one counts: they are absolute figures in order.
class tallies final : public sql_of_kind<project::project_tallied> {
public:
  using sql_of_kind::sql_of_kind;
  void clear() override {
    days_.clear();
    periods_.clear();
    through_.clear();
  }
  void finish(batch_statements& to) override {
    put(to, upsert_days, days_, day_rows_);
    put(to, upsert_periods, periods_, period_rows_);
    put(to, upsert_rollups, through_, through_rows_);
  }

private:
  void write(const project::project_tallied& change, global_seq, batch_statements&) override {
    through_[change.project] = {change.project, change.through};
    for (const auto& each : change.days)
      days_[{change.project, each.in, each.day}] = {change.project, each};
    for (const auto& each : change.periods)
      periods_[{change.project, each.in}] = {change.project, each};
  }
  template <class Last, class Row>
  static void put(batch_statements& to, const statement& which, const Last& last, fact_columns<Row>& rows) {
    rows.clear();
    for (const auto& [key, row] : last)
      rows.add(row);
    if (!rows.empty())
      to.borrow(which, rows.finish());
  }

  std::map<std::tuple<project_id, period_id, std::chrono::sys_days>, tallied_day> days_;
  std::map<std::pair<project_id, period_id>, tallied_period> periods_;
  std::map<project_id, tallied_through> through_;
  fact_columns<tallied_day> day_rows_;
  fact_columns<tallied_period> period_rows_;
  fact_columns<tallied_through> through_rows_;
};

} // namespace

fact_sql_ptr sql_of(kind<project::project_tallied>) {
  return std::make_unique<tallies>(statements_used{&upsert_days, &upsert_periods, &upsert_rollups});
}

// -- reading --------------------------------------------------------------------------

namespace {

constexpr std::int32_t chunk_rows = 20000;

// Votes lie in order of periods. So those of the periods before the open one, or before that of the
// first vote that is not tallied, are the first ones: all that are tallied but those of later periods, whose
// tallies are few.
constexpr auto standing_sql =
  "WITH known AS MATERIALIZED (SELECT p.id, p.status = 'ARCHIVED' AS archived,"
  "  CASE WHEN p.since_block > (SELECT authority FROM chain_follow) THEN p.since_block END AS unsettled,"
  "  coalesce((SELECT number FROM votes WHERE project_id = p.id ORDER BY number DESC LIMIT 1), 0) AS last,"
  "  coalesce((SELECT through FROM project_rollups WHERE project_id = p.id AND periods_through = through), 0) AS "
  "tallied"
  "  FROM projects p WHERE p.id = $1::int4),"
  " begun AS MATERIALIZED (SELECT k.*, CASE WHEN tallied >= last THEN (SELECT id FROM voting_periods WHERE closed_at "
  "IS NULL)"
  "  ELSE (SELECT period_id FROM votes WHERE project_id = k.id AND number = tallied + 1) END AS since FROM known k),"
  " counted AS MATERIALIZED (SELECT b.*, tallied - coalesce((SELECT sum(bullish + bearish)::int8 FROM project_tallies"
  "  WHERE project_id = b.id AND period_id >= b.since), 0) AS base FROM begun b)"
  " SELECT c.archived, c.unsettled, c.last, c.tallied, coalesce(v.number, 0) AS base, coalesce(c.since, 0) AS since, "
  "v.cast_at AS last_at FROM "
  "counted c"
  " LEFT JOIN votes v ON v.project_id = c.id AND v.number = c.base AND v.number <= c.tallied AND v.period_id < c.since";

constexpr auto chunk_sql = "SELECT voter_id, period_id, bullish, cast_at, reason, weight FROM votes"
                           " WHERE project_id = $1::int4 AND number > $2::int4 AND number <= $3::int4"
                           " ORDER BY number";

using project::stored_vote;
// Without its reason.
constexpr auto vote_fields = joined_lists(
  CREDENCE_FIELDS(stored_vote, (voter_id, voter), (period_id, in)),
  field{"bullish", flag(&stored_vote::side, project::sentiment::bullish, project::sentiment::bearish)},
  CREDENCE_FIELDS(stored_vote, (cast_at, at)), field{"weight", as_number<std::int16_t>(&stored_vote::weight)});

/// Gives every distinct reason one number.
class reason_table {
public:
  explicit reason_table(std::vector<std::string>& into) : into_(into) {}
  std::int32_t number_of(std::string_view reason) {
    const auto found = known_.find(reason);
    if (found != known_.end())
      return found->second;
    const auto fresh = static_cast<std::int32_t>(into_.size());
    into_.emplace_back(reason);
    known_.emplace(reason, fresh);
    return fresh;
  }

private:
  std::vector<std::string>& into_;
  std::unordered_map<std::string, std::int32_t, keyed_hash, std::equal_to<>> known_;
};

/// Reads the votes `after`+1..`last` of a project, each chunk under `per_chunk`.
void read_votes(connection& on, project_id which, entity_seq after, entity_seq last, milliseconds per_chunk,
                std::vector<stored_vote>& into, std::vector<std::string>& reasons_into) {
  into.reserve(static_cast<std::size_t>(last - after));
  reason_table reasons{reasons_into};
  while (after < last) {
    const auto until = last - after > chunk_rows ? after + chunk_rows : last;
    const auto votes = on.run(chunk_sql, with(which, after, until), deadline_in(per_chunk));
    if (votes.count() != until - after)
      throw database_error(trouble::usage, {}, "the votes of project " + std::to_string(which.value) + " have a hole");
    const auto records = records_in(votes, vote_fields);
    const column<std::optional<std::string_view>> reason{votes, "reason"};
    for (int i = 0; i < votes.count(); ++i) {
      auto& vote = into.emplace_back(records[i]);
      const auto given = reason[i];
      vote.reason = given ? reasons.number_of(*given) : -1;
    }
    after = until;
  }
}

} // namespace

/// A project and its votes as of one moment, in order of their number: those of the open period,
/// and from the period of the first vote on that is not tallied. Read in chunks, each under
/// `per_chunk`, so that memory holds one copy of the votes only. Throws `database_error`; also when
/// the numbers have a hole.
project::stored_project read(connection& on, const project::load_project& query, milliseconds per_chunk) {
  const auto which = query.project;
  project::stored_project out;
  const auto status = on.run(standing_sql, with(which), deadline_in(per_chunk));
  if (status.empty())
    return out;
  out.exists = true;
  out.archived = status.first<bool>("archived");
  out.unsettled = status.first<std::optional<std::int64_t>>("unsettled");
  out.tallied_through = status.first<entity_seq>("tallied");
  if (const auto base = status.first<entity_seq>("base"); base > 0) {
    out.base = base;
    out.from = status.first<period_id>("since");
    out.last_at = status.first<timestamp>("last_at");
  }
  // Votes are only ever added, so everything up to this number is one snapshot.
  const auto last = status.first<entity_seq>("last");
  read_votes(on, which, out.base, last, per_chunk, out.votes, out.reasons);
  if (!out.votes.empty() && out.votes.front().in < out.from) { // the tallies are wrong: no use is made of them
    out.base = 0;
    out.from = {};
    out.last_at = {};
    out.votes.clear();
    out.reasons.clear();
    read_votes(on, which, 0, last, per_chunk, out.votes, out.reasons);
  }
  return out;
}
load_handler handler(asked<project::load_project> it) { return reads<load_in_pieces, project::storage>(it); }

/// The votes that it left out, likewise.
project::stored_history read(connection& on, const project::load_history& query, milliseconds per_chunk) {
  project::stored_history out;
  read_votes(on, query.project, 0, query.through, per_chunk, out.votes, out.reasons);
  return out;
}
load_handler handler(asked<project::load_history> it) { return reads<load_last, project::storage>(it); }

} // namespace persistence

} // namespace credence
