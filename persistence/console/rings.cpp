#include "persistence/console/rings.hpp"

#include "actors/integrity/integrity_state.hpp"
#include "ops/metrics.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/integrity_sql.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace credence::persistence {

namespace {

using integrity::ring;
using integrity::ring_run;

constexpr auto ring_fields =
  CREDENCE_FIELDS(ring, id, change, mark, marked_by, marked_at, remark, first_found, last_found, runs, members, seen,
                  decades, sign_decades, sign_pairs, mutual, moments, first_at, last_at);
constexpr auto ring_run_fields =
  CREDENCE_FIELDS(ring_run, started_at, ended_at, votes, people, found, fresh, grown, gone);

constexpr std::size_t reviewed_members_max = 100;

// Runs follow each other; whoever marks a ring meanwhile waits for the run, and the other way round.
constexpr auto one_run_sql = "LOCK TABLE ring_runs IN SHARE ROW EXCLUSIVE MODE";
constexpr auto newest_run_sql = "SELECT max(ended_at) AS ended_at FROM ring_runs";
constexpr auto known_rings_sql = "SELECT * FROM rings ORDER BY id FOR UPDATE";
// A ring without an id gets one.
constexpr auto put_ring_sql =
  "INSERT INTO rings (id, change, mark, marked_by, marked_at, remark, first_found, last_found, runs, members, seen,"
  " decades, sign_decades, sign_pairs, mutual, moments, first_at, last_at) OVERRIDING SYSTEM VALUE"
  " VALUES (coalesce($1::int4, nextval(pg_get_serial_sequence('rings', 'id'))), $2::text, $3::text, $4::text,"
  " $5::timestamptz, $6::text, $7::timestamptz, $8::timestamptz, $9::int4, $10::text::int[], $11::text::int[],"
  " $12::float8, $13::text::int[], $14::text::int[], $15::text::int[], $16::int4, $17::timestamptz, $18::timestamptz)"
  " ON CONFLICT (id) DO UPDATE SET change = EXCLUDED.change, mark = EXCLUDED.mark, last_found = EXCLUDED.last_found,"
  " runs = EXCLUDED.runs, members = EXCLUDED.members, seen = EXCLUDED.seen, decades = EXCLUDED.decades,"
  " sign_decades = EXCLUDED.sign_decades, sign_pairs = EXCLUDED.sign_pairs, mutual = EXCLUDED.mutual,"
  " moments = EXCLUDED.moments, first_at = EXCLUDED.first_at, last_at = EXCLUDED.last_at";
constexpr auto rings_gone_sql =
  "UPDATE rings SET change = 'gone' WHERE change <> 'gone' AND last_found < $1::timestamptz";
constexpr auto put_run_sql =
  "INSERT INTO ring_runs (started_at, ended_at, votes, people, found, fresh, grown, gone)"
  " VALUES ($1::timestamptz, $2::timestamptz, $3::int8, $4::int8, $5::int4, $6::int4, $7::int4, $8::int4)";
constexpr auto forget_rings_sql =
  "DELETE FROM rings WHERE last_found < $1::timestamptz OR id IN"
  " (SELECT id FROM rings ORDER BY change = 'gone', last_found DESC, id DESC OFFSET $2::int4)";
constexpr auto forget_runs_sql =
  "DELETE FROM ring_runs WHERE number NOT IN (SELECT number FROM ring_runs ORDER BY number DESC LIMIT $1::int4)";
constexpr auto read_rings_sql =
  "SELECT * FROM rings ORDER BY change = 'gone', mark <> 'open', decades DESC, id LIMIT $1::int4";
constexpr auto read_runs_sql = "SELECT * FROM ring_runs ORDER BY number DESC LIMIT $1::int4";
constexpr auto read_ring_sql = "SELECT * FROM rings WHERE id = $1::int4";
// Of each member the newest rows by an index, so that the busiest members take no longer than others.
constexpr auto shared_votes_sql =
  "SELECT v.project_id, v.bullish, array_agg(DISTINCT v.voter_id ORDER BY v.voter_id) AS voters,"
  " min(v.cast_at) AS first_at, max(v.cast_at) AS last_at FROM unnest($1::text::int[]) AS m (id),"
  " LATERAL (SELECT * FROM votes WHERE voter_id = m.id ORDER BY period_id DESC, project_id DESC LIMIT 200) v"
  " GROUP BY v.project_id, v.bullish HAVING count(DISTINCT v.voter_id) > 1"
  " ORDER BY count(DISTINCT v.voter_id) DESC, max(v.cast_at) DESC LIMIT 200";
constexpr auto ties_among_sql =
  "SELECT 0 AS kind, m.id AS giver, p.id AS receiver, r.created_at AS at FROM unnest($1::text::int[]) AS m (id),"
  " LATERAL (SELECT * FROM reviews WHERE author_profile = m.id ORDER BY created_at DESC, id DESC LIMIT 200) r"
  " JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation"
  " JOIN profiles p ON p.user_id = s.user_id"
  " WHERE p.id = ANY ($1::text::int[]) AND p.id <> m.id AND r.score = 2 AND NOT r.archived"
  " UNION ALL SELECT 1, m.id, p.id, v.vouched_at FROM unnest($1::text::int[]) AS m (id),"
  " LATERAL (SELECT * FROM vouches WHERE author_profile = m.id ORDER BY vouched_at DESC LIMIT 200) v"
  " JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
  " JOIN profiles p ON p.user_id = s.user_id"
  " WHERE p.id = ANY ($1::text::int[]) AND p.id <> m.id AND NOT v.archived"
  " UNION ALL SELECT 2, m.id, r.author_profile, a.created_at FROM unnest($1::text::int[]) AS m (id),"
  " LATERAL (SELECT * FROM activity_votes WHERE voter = m.id ORDER BY number DESC LIMIT 200) a"
  " JOIN reviews r ON r.id = a.target_id"
  " WHERE a.kind = 'review' AND a.upvote AND NOT a.archived AND r.author_profile <> m.id"
  " AND r.author_profile = ANY ($1::text::int[]) ORDER BY at DESC, giver, receiver LIMIT 500";
constexpr auto mark_before_sql = "SELECT * FROM rings WHERE id = $1::int4 FOR UPDATE";
constexpr auto set_mark_sql =
  "UPDATE rings SET mark = $2::text, remark = $3::text, marked_by = $4::text, marked_at = $5::timestamptz"
  " WHERE id = $1::int4";

constexpr auto told_of_rings_sql =
  "SELECT (SELECT count(*) FROM rings WHERE mark = 'open' AND change <> 'gone') AS unmarked,"
  " coalesce(extract(epoch FROM (SELECT max(ended_at) FROM ring_runs)), 0)::int8 AS run";

void put_ring(connection& on, const ring& each, steady_time until) {
  const auto id = each.id > 0 ? std::optional{each.id} : std::nullopt;
  on.run(put_ring_sql,
         with(id, each.change, each.mark, each.marked_by, each.marked_at, each.remark, each.first_found,
              each.last_found, each.runs, each.members, each.seen, each.decades, each.sign_decades, each.sign_pairs,
              each.mutual, each.moments, each.first_at, each.last_at),
         until);
}

/// Compares what was found with what is known, and stores it. What was not found is still as it was.
void put_found(connection& on, const integrity::findings& found, ring_run& run, steady_time until) {
  auto known = all_of(on.run(known_rings_sql, until), ring_fields);
  std::vector<ring> seen;
  for (const auto& group : found.groups)
    seen.push_back(integrity::as_found(group));
  const auto which = integrity::recognise(known, seen);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    auto& each = seen[i];
    each.last_found = run.ended_at;
    if (which[i]) {
      auto& before = known[*which[i]];
      integrity::find_again(before, each);
      run.grown += before.change == integrity::ring_change::grown;
      put_ring(on, before, until);
    } else {
      each.first_found = run.ended_at;
      each.runs = 1;
      ++run.fresh;
      put_ring(on, each, until);
    }
  }
}

outcome<ring> unless_missing(std::optional<ring> found, std::int32_t id) {
  if (found)
    return *std::move(found);
  return refusal{refusal_code::not_found, "there is no ring " + std::to_string(id)};
}

/// Each run that finds a ring may have changed its members.
outcome<ring> as_seen(outcome<ring> found, std::int32_t runs) {
  if (found && found->runs != runs)
    return refusal{refusal_code::sequence_mismatch, "runs is " + std::to_string(runs) + ", but ring "
                                                      + std::to_string(found->id) + " has been found by "
                                                      + std::to_string(found->runs)};
  return found;
}

double share_read(std::int64_t read, std::int64_t all) {
  return std::min(1.0, static_cast<double>(read) / static_cast<double>(std::max<std::int64_t>(all, 1)));
}

} // namespace

integrity::findings find_rings(connection& on, timestamp now, const integrity::watch& told, steady_time until) {
  using namespace integrity;
  const auto since = now - looked_back;
  gathered_acts acts{static_cast<std::uint32_t>(std::max<std::int64_t>(unix_seconds(since), 0))};
  const auto all = read(on, load_extent{}, until);
  std::int64_t done = 0;
  const auto count = [&](std::int64_t rows) {
    done += rows;
    told(share_read(done, all.votes + all.people + all.ties));
  };
  for (load_joined query{{}, people_at_once};;) {
    const auto piece = read(on, query, until);
    acts.add(piece.people);
    count(static_cast<std::int64_t>(piece.people.size()));
    if (piece.people.size() < static_cast<std::size_t>(query.most))
      break;
    query.after = profile_id{piece.people.back().profile};
  }
  for (std::size_t kind = 0; kind < tie_kinds; ++kind)
    for (load_ties query{static_cast<tie_kind>(kind), {}, ties_at_once};;) {
      const auto piece = read(on, query, until);
      acts.add(piece.ties);
      count(piece.read);
      if (piece.read < query.most)
        break;
      query.after = piece.last;
    }
  for (load_votes_cast query{{}, 0, since, votes_at_once};;) {
    query.since = timestamp{std::chrono::seconds{acts.since()}}; // later, where there are more than are kept
    const auto piece = read(on, query, until);
    acts.add(piece.votes);
    count(piece.read);
    if (piece.read < query.most)
      break;
    query.after = piece.last;
    query.after_number = piece.last_number;
  }
  auto what = acts.take();
  return analyse(what, bounds{}, [](double) { return true; }).value();
}

std::optional<ring_run> store_rings(connection& on, const console::store_findings& order, steady_time until) {
  const auto& found = *order.found;
  const auto ended_at = order.ended_at;
  transaction all{on, until};
  on.exec(one_run_sql, until);
  if (const auto newest = on.run(newest_run_sql, until).first<std::optional<timestamp>>("ended_at");
      newest && *newest >= ended_at)
    return std::nullopt;
  ring_run run{order.started_at, ended_at, found.votes, found.people, static_cast<std::int32_t>(found.groups.size())};
  put_found(on, found, run, until);
  if (found.groups.size() < integrity::bounds{}.groups_max) // else there may be weaker ones that it does not tell
    run.gone = static_cast<std::int32_t>(on.run(rings_gone_sql, with(ended_at), until).affected());
  on.run(put_run_sql,
         with(run.started_at, run.ended_at, run.votes, run.people, run.found, run.fresh, run.grown, run.gone), until);
  on.run(forget_rings_sql,
         with(ended_at - integrity::ring_kept_for, static_cast<std::int32_t>(integrity::rings_kept_max)), until);
  on.run(forget_runs_sql, with(integrity::ring_runs_kept_max), until);
  note_in_audit(on,
                {order.at, "rings_stored", std::nullopt, "rings", std::nullopt, std::to_string(run.found) + " found"},
                order.from.get(), until);
  all.commit(until);
  return run;
}

std::vector<ring> read_rings(connection& on, steady_time until) {
  return all_of(on.run(read_rings_sql, with(static_cast<std::int32_t>(integrity::rings_kept_max)), until), ring_fields);
}

outcome<ring> read_ring(connection& on, const console::read_ring& question, steady_time until) {
  auto found = first_of(on.run(read_ring_sql, with(question.ring), until), ring_fields);
  return as_seen(unless_missing(std::move(found), question.ring), question.runs);
}

outcome<console::ring_review> review_ring(connection& on, const console::review_ring& question, steady_time until) {
  const auto which =
    unless_missing(first_of(on.run(read_ring_sql, with(question.ring), until), ring_fields), question.ring);
  if (!which)
    return which.why();
  auto members = which->members;
  members.resize(std::min(members.size(), reviewed_members_max));
  using tie = console::ring_tie;
  return console::ring_review{
    all_of(on.run(shared_votes_sql, with(members), until),
           CREDENCE_FIELDS(console::shared_vote, (project_id, project), bullish, voters, first_at, last_at)),
    all_of(
      on.run(ties_among_sql, with(members), until),
      joined_lists(CREDENCE_FIELDS(tie, giver, receiver, at), field{"kind", as_number<std::int32_t>(&tie::kind)}))};
}

std::vector<ring_run> read_ring_runs(connection& on, std::int32_t most, steady_time until) {
  return all_of(on.run(read_runs_sql, with(most), until), ring_run_fields);
}

outcome<ring> mark_ring(connection& on, const console::mark_ring& order, steady_time until) {
  transaction all{on, until};
  auto found = as_seen(
    unless_missing(first_of(on.run(mark_before_sql, with(order.ring), until), ring_fields), order.ring), order.runs);
  if (!found)
    return found;
  const auto before = std::exchange(found->mark, order.mark);
  found->remark = order.remark;
  found->marked_by = order.by;
  found->marked_at = order.at;
  on.run(set_mark_sql, with(found->id, found->mark, found->remark, found->marked_by, found->marked_at), until);
  note_in_audit(on,
                {order.at, "ring_marked", std::nullopt, "ring " + std::to_string(order.ring),
                 std::string{word_of(before)},
                 std::string{word_of(order.mark)} + (order.remark.empty() ? "" : ": " + order.remark)},
                order.from.get(), until);
  all.commit(until);
  return found;
}

void tell_rings(connection& on, steady_time until) {
  const auto said = on.run(told_of_rings_sql, until);
  ops::the_metrics().database.rings_open.set(said.first<std::int64_t>("unmarked"));
  ops::the_metrics().database.rings_run_s.set(said.first<std::int64_t>("run"));
}

} // namespace credence::persistence
