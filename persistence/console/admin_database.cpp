#include "persistence/console/admin_database.hpp"

#include "ops/log.hpp"
#include "persistence/console/rings.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/chain_sql.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

constexpr auto reconnect_pause = 1s;
constexpr auto store_fresh_for = 5s;
constexpr std::int32_t ring_runs_shown = 10;

constexpr auto ended_sql = "SELECT id FROM revoked_tokens WHERE profile_id = 0 AND expires_at > now() LIMIT 10000";
constexpr auto end_sql = "INSERT INTO revoked_tokens (id, profile_id, revoked_at, expires_at)"
                         " VALUES ($1::text, 0, $2::timestamptz, $3::timestamptz) ON CONFLICT DO NOTHING";
constexpr auto audit_filtered_sql =
  "SELECT number, at, act, profile_id, caller_id, credential, request_id, address, subject, before, after FROM "
  "audit_log"
  " WHERE ($1::int4 IS NULL OR profile_id = $1::int4) AND ($2::int4 IS NULL OR caller_id = $2::int4)"
  " AND ($3::text IS NULL OR act = $3::text) AND ($4::text IS NULL OR request_id = $4::text)"
  " AND ($5::text IS NULL OR credential = $5::text)";
constexpr auto between_numbers_sql =
  " AND ($6::int8 IS NULL OR number > $6::int8) AND ($7::int8 IS NULL OR number < $7::int8)";
const std::string audit_newest_sql =
  std::string{audit_filtered_sql} + between_numbers_sql + " ORDER BY number DESC LIMIT $8::int4";
const std::string audit_next_sql =
  std::string{audit_filtered_sql} + between_numbers_sql + " ORDER BY number LIMIT $8::int4";
// Entries of some time, by time: an index has them in this order. By number, PostgreSQL would read backwards from the
// newest entry and pass every one that is newer than what is asked for.
const std::string audit_of_time_sql =
  std::string{audit_filtered_sql}
  + " AND ($6::timestamptz IS NULL OR at >= $6::timestamptz) AND ($7::timestamptz IS NULL OR at < $7::timestamptz)"
    " AND ($8::int8 IS NULL OR (at, number) < (SELECT at, number FROM audit_log WHERE number = $8::int8))"
    " ORDER BY at DESC, number DESC LIMIT $9::int4";
// With the names of those whom a page of votes is about, read for the rows of the page alone.
constexpr auto votes_told_sql =
  ") SELECT v.project_id, coalesce(u.display_name, '') AS project_name, v.voter_id,"
  " coalesce(w.display_name, '') AS voter_name, v.number, v.bullish, v.weight::int4 AS weight, v.reason, v.cast_at"
  " FROM page v LEFT JOIN projects p ON p.id = v.project_id LEFT JOIN users u ON u.id = p.user_id"
  " LEFT JOIN profiles f ON f.id = v.voter_id LEFT JOIN users w ON w.id = f.user_id ORDER BY ";
constexpr auto wanted_votes_sql =
  " AND ($2::bool IS NULL OR bullish = $2::bool) AND ($3::timestamptz IS NULL OR cast_at >= $3::timestamptz)"
  " AND ($4::timestamptz IS NULL OR cast_at < $4::timestamptz)";
// Votes of a project are numbered without gaps, as they come; their times follow the numbers, but for less than a
// minute. Which numbers a time has is found by halves, a row each.
std::string by_halves(const std::string& name, const std::string& moment) {
  return name + "(below, above) AS (SELECT 0, top FROM ends WHERE " + moment
         + " IS NOT NULL UNION ALL"
           " SELECT CASE WHEN earlier THEN middle ELSE below END, CASE WHEN earlier THEN above ELSE middle END FROM"
           " (SELECT below, above, middle, coalesce(v.cast_at < "
         + moment + ", true) AS earlier FROM " + name
         + ", LATERAL (SELECT below + (above - below) / 2 AS middle) m LEFT JOIN LATERAL (SELECT cast_at FROM votes"
           " WHERE project_id = $1::int4 AND number <= middle ORDER BY number DESC LIMIT 1) v ON true"
           " WHERE above - below > 1) step)";
}
const std::string vote_numbers_sql =
  "WITH RECURSIVE ends AS (SELECT coalesce(max(number), 0) + 1 AS top FROM votes WHERE project_id = $1::int4), "
  + by_halves("oldest", "$2::timestamptz - interval '1 minute'") + ", "
  + by_halves("newest", "$3::timestamptz + interval '1 minute'")
  + " SELECT coalesce((SELECT max(below) FROM oldest), 0) AS below,"
    " coalesce((SELECT min(above) FROM newest), top) AS above FROM ends";
const std::string votes_on_project_sql =
  std::string{"WITH page AS (SELECT * FROM votes WHERE project_id = $1::int4"} + wanted_votes_sql
  + " AND number > $5::int4 AND number < $6::int4 ORDER BY number DESC LIMIT $7::int4" + votes_told_sql
  + "v.number DESC";
// Down the key of one vote a period; a page reads the periods that it is of.
const std::string votes_of_voter_sql =
  "WITH page AS (SELECT * FROM (SELECT * FROM votes WHERE voter_id = $1::int4 ORDER BY period_id DESC, project_id DESC"
  " LIMIT "
  + std::to_string(console::votes_looked_at_max) + ") newest WHERE true" + wanted_votes_sql
  + " ORDER BY period_id DESC, seq DESC OFFSET coalesce($5::int4, 0) LIMIT $6::int4" + votes_told_sql
  + "v.period_id DESC, v.seq DESC";
// Batches of a shard are numbered without gaps, from 1.
constexpr auto shards_sql =
  "SELECT shard, owner, epoch, sequence AS batches, sequence AS last_sequence, last_seq AS last_number"
  " FROM shard_owners ORDER BY shard";
constexpr auto database_sql =
  "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes";
constexpr auto tables_sql =
  "SELECT c.relname::text AS name, greatest(c.reltuples, 0)::int8 AS rows, pg_total_relation_size(c.oid) AS bytes,"
  " pg_indexes_size(c.oid) AS index_bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
  " WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 3 DESC, 1 LIMIT 30";

std::string name_of(migration_state state) {
  constexpr std::array names{"applied", "pending", "changed", "unknown"};
  return names[static_cast<std::size_t>(state)];
}

constexpr auto cast_vote_fields =
  CREDENCE_FIELDS(console::cast_vote, (project_id, project), project_name, (voter_id, voter), voter_name, number,
                  bullish, weight, reason, (cast_at, at));
constexpr auto audit_fields =
  CREDENCE_FIELDS(console::audit_entry, number, at, act, (profile_id, profile), (caller_id, caller), credential,
                  request_id, address, subject, before, after);

} // namespace

connection& admin_database::on() {
  if (on_ && on_->still_open())
    return *on_;
  const auto now = steady_clock::now();
  if (now < connects_again_)
    throw database_error{trouble::lost, "", "the database was away a moment ago"};
  session mine;
  mine.application_name = "credence-console";
  mine.statement_timeout = how_.statement_timeout;
  try {
    on_.emplace(how_.database_url, mine, how_.connect_timeout);
  } catch (...) {
    connects_again_ = steady_clock::now() + reconnect_pause;
    throw;
  }
  return *on_;
}

void admin_database::write(const console::note_act& act) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  note_in_audit(database, {act.at, act.act, act.profile, act.subject, act.before, act.after}, act.from.get(), until);
  if (act.ends)
    database.exec_params(end_sql, with(*act.ends, act.at, act.ends_until), until);
  all.commit(until);
}

bool admin_database::note(console::note_act act) {
  if (kept_.size() >= kept_max)
    return false;
  kept_.push_back(std::move(act));
  write_kept();
  return true;
}

/// One whose outcome is unknown is written again: an act that the audit tells of twice is better than one that it
/// leaves out.
void admin_database::write_kept() {
  while (!kept_.empty()) {
    try {
      write(kept_.front());
    } catch (const database_error& why) {
      if (why.why() != trouble::refused)
        return;
      ops::log(ops::level::error, "act_not_noted",
               {{"act", kept_.front().act}, {"sqlstate", why.sqlstate()}, {"error", why.what()}});
      if (why.sqlclass() != "22" && why.sqlclass() != "23") // else the row itself is wrong, and will be
        return;
    }
    kept_.pop_front();
  }
}

std::vector<std::string> admin_database::ended() {
  return on().run(ended_sql, deadline_in(how_.load_timeout)).all<std::string>("id");
}

std::vector<console::audit_entry> admin_database::audit(const console::read_audit& question) {
  const auto asked = [&](const auto&... range) {
    return with(question.profile, question.caller, question.act, question.request_id, question.credential, range...,
                question.before_number, question.limit);
  };
  const bool by_time = question.from || question.to;
  const auto& sql = by_time ? audit_of_time_sql : question.after_number ? audit_next_sql : audit_newest_sql;
  // Not prepared: which index serves depends on the filters that are given, so each question gets a plan of its own.
  return all_of(on().exec_params(sql.c_str(),
                                 by_time ? asked(question.from, question.to) : asked(question.after_number),
                                 deadline_in(how_.load_timeout)),
                audit_fields);
}

console::votes_page admin_database::votes(const console::read_votes& question) {
  // Not prepared, as the audit is not: filters that are not given cost nothing then.
  const auto read = [&](const std::string& sql, const auto& values) {
    return on().exec_params(sql.c_str(), values, deadline_in(how_.load_timeout));
  };
  console::votes_page out;
  if (!question.project) {
    out.values = all_of(read(votes_of_voter_sql, with(question.voter, question.bullish, question.from, question.to,
                                                      question.after, question.limit)),
                        cast_vote_fields);
    const auto next = question.after.value_or(0) + question.limit;
    if (out.values.size() == static_cast<std::size_t>(question.limit) && next <= console::votes_looked_at_max)
      out.next = next;
    return out;
  }
  const auto numbers = read(vote_numbers_sql, with(*question.project, question.from, question.to));
  const auto below = numbers.first<std::int32_t>("below");
  const auto above =
    std::min(numbers.first<std::int32_t>("above"), question.after.value_or(std::numeric_limits<std::int32_t>::max()));
  const auto looked_at_above = std::max(below, above - 1 - console::votes_looked_at_max);
  out.values = all_of(read(votes_on_project_sql, with(*question.project, question.bullish, question.from, question.to,
                                                      looked_at_above, above, question.limit)),
                      cast_vote_fields);
  if (out.values.size() == static_cast<std::size_t>(question.limit))
    out.next = out.values.back().number;
  else if (looked_at_above > below)
    out.next = looked_at_above + 1;
  return out;
}

std::shared_ptr<const console::stored> admin_database::store() {
  const auto now = steady_clock::now();
  if (store_ && now - store_read_ < store_fresh_for)
    return store_;
  auto& database = on();
  const auto until = deadline_in(how_.load_timeout);
  auto fresh = std::make_shared<console::stored>();
  fresh->shards = all_of(database.run(shards_sql, until), CREDENCE_FIELDS(console::shard, (shard, number), owner, epoch,
                                                                          batches, last_sequence, last_number));
  const auto about = database.run(database_sql, until);
  fresh->server_version = about.first<std::string>("version");
  fresh->bytes = about.first<std::int64_t>("bytes");
  fresh->tables =
    all_of(database.run(tables_sql, until), CREDENCE_FIELDS(console::table_size, name, rows, bytes, index_bytes));
  for (const auto& each : migration_list(database, until))
    fresh->migrations.push_back({each.version, each.name, name_of(each.state)});
  store_ = std::move(fresh);
  store_read_ = now;
  return store_;
}

namespace {

// Statements of other roles may have a password in them, as ALTER ROLE, or somebody's words: of what they run the first
// word is told, and of what they ran only statements whose constants PostgreSQL has left out. Asking who blocks a
// process stops all locks for a moment.
constexpr auto under_way_sql =
  "SELECT pid, application_name AS application, state,"
  " coalesce(CASE WHEN usename = current_user THEN left(query, 500) ELSE substring(query FROM '^\\s*(\\w{1,20})') END,"
  " '') AS text,"
  " extract(epoch FROM clock_timestamp() - CASE WHEN state = 'active' THEN query_start ELSE xact_start END)::float8 AS "
  "seconds,"
  " wait_event_type || ': ' || wait_event AS waits_for,"
  " CASE WHEN wait_event_type = 'Lock' THEN array_to_string(pg_blocking_pids(pid), ', ') ELSE '' END AS blocked_by"
  " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
  " AND state IS NOT NULL ORDER BY xact_start LIMIT 50";
constexpr auto connections_sql =
  "SELECT application_name AS application, coalesce(state, 'not told') AS state, count(*) AS count FROM "
  "pg_stat_activity"
  " WHERE datname = current_database() GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 50";
constexpr auto archived_sql = "SELECT last_archived_time FROM pg_stat_archiver";
constexpr auto has_slow_sql = "SELECT to_regclass('pg_stat_statements') IS NOT NULL AS there";
constexpr auto slow_sql =
  "SELECT left(query, 500) AS text, calls, rows, total_exec_time AS total_ms, mean_exec_time AS mean_ms"
  " FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
  " AND (pg_get_userbyid(userid) = current_user OR query ~* '^\\s*(select|with|insert|update|delete|merge)\\M')"
  " ORDER BY total_exec_time DESC LIMIT 30";

} // namespace

std::shared_ptr<const console::activity> admin_database::activity() {
  auto& database = on();
  const auto until = deadline_in(how_.load_timeout);
  auto out = std::make_shared<console::activity>();
  out->under_way =
    all_of(database.run(under_way_sql, until),
           CREDENCE_FIELDS(console::statement, pid, application, state, text, seconds, waits_for, blocked_by));
  out->connections =
    all_of(database.run(connections_sql, until), CREDENCE_FIELDS(console::connection_count, application, state, count));
  out->archived_at = database.run(archived_sql, until).first<std::optional<timestamp>>("last_archived_time");
  if (!database.run(has_slow_sql, until).first<bool>("there"))
    return out;
  try {
    out->slow = all_of(database.run(slow_sql, until),
                       CREDENCE_FIELDS(console::slow_statement, text, calls, rows, total_ms, mean_ms));
  } catch (const database_error& why) {
    if (why.why() != trouble::refused) // it was created, and PostgreSQL has not loaded it
      throw;
  }
  return out;
}

// -- what operators change ---------------------------------------------------------------------

// By the console, where no actor owns it; each with its row of the audit.

namespace {

constexpr auto access_before_sql = "SELECT api_access FROM profiles WHERE id = $1::int4 FOR NO KEY UPDATE";
constexpr auto set_access_sql = "UPDATE profiles SET api_access = $2::bool WHERE id = $1::int4";

const char* words_of_access(bool allowed) { return allowed ? "allowed" : "not allowed"; }

} // namespace

bool admin_database::set_api_access(const console::set_api_access& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto before = database.exec_params(access_before_sql, with(order.profile), until);
  if (before.empty())
    return false;
  const auto was = before.first<bool>("api_access");
  if (was != order.allowed) {
    database.exec_params(set_access_sql, with(order.profile, order.allowed), until);
    note_in_audit(
      database,
      {order.at, "api_access_changed", order.profile, "API keys", words_of_access(was), words_of_access(order.allowed)},
      order.from.get(), until);
  }
  all.commit(until);
  return true;
}

void admin_database::retry_texts(const console::retry_texts& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto again = persistence::retry_texts(database, until);
  note_in_audit(database,
                {order.at, "texts_retried", std::nullopt, "texts of the chain", std::nullopt,
                 std::to_string(again) + " tried again"},
                order.from.get(), until);
  all.commit(until);
}

std::optional<std::int64_t> admin_database::reprocess_failed(const console::reprocess_failed& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto failed = persistence::reprocess_failed(database, until);
  if (!failed)
    return std::nullopt;
  note_in_audit(database,
                {order.at, "events_reprocessed", std::nullopt, "events of the chain", std::nullopt,
                 std::to_string(*failed) + " tried again"},
                order.from.get(), until);
  all.commit(until);
  return failed;
}

std::optional<integrity::ring_run> admin_database::store_findings(const console::store_findings& order) {
  auto& database = on();
  const auto until = deadline_in(how_.load_timeout);
  auto run = store_rings(database, order, until);
  if (run)
    tell_rings(database, until);
  return run;
}

std::shared_ptr<const console::stored_rings> admin_database::rings() {
  auto& database = on();
  const auto until = deadline_in(how_.load_timeout);
  auto out = std::make_shared<console::stored_rings>();
  out->rings = read_rings(database, until);
  out->runs = read_ring_runs(database, ring_runs_shown, until);
  return out;
}

outcome<integrity::ring> admin_database::ring(const console::read_ring& question) {
  return read_ring(on(), question, deadline_in(how_.load_timeout));
}

outcome<console::ring_review> admin_database::review_ring(const console::review_ring& question) {
  return persistence::review_ring(on(), question, deadline_in(how_.load_timeout));
}

outcome<integrity::ring> admin_database::mark_ring(const console::mark_ring& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  auto marked = persistence::mark_ring(database, order, until);
  if (marked)
    tell_rings(database, until);
  return marked;
}

} // namespace credence::persistence
