#include "persistence/sql/score_sql.hpp"

#include "persistence/sql/score_rows.hpp"

#include <algorithm>

namespace credence::persistence {

const statement set_scores{
  "set_scores",
  "SELECT set_scores($1::int4[], $2::int4[], $3::text[], $4::date[], $5::text[], $6::timestamptz[], $7::int8[])"};

namespace {

const statement begin_epoch{"begin_epoch", "SELECT begin_epoch(date '1970-01-01' + $1::int4, $2::timestamptz)"};
const statement turn_page{"turn_epoch_page",
                          "SELECT turn_epoch_page(date '1970-01-01' + $1::int4, $2::int4, $3::int4, $4::timestamptz)"};
const statement turn_model{"turn_vouch_model", "SELECT turn_vouch_model($1::text, $2::int4)"};
const statement recount_due{"recount_due", "SELECT recount_due($1::int4)"};

constexpr auto state_sql =
  "SELECT (SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL) AS epoch,"
  " (SELECT day FROM score_epochs WHERE finished_at IS NULL) AS begun, (SELECT step FROM score_epochs WHERE "
  "finished_at IS NULL) AS step,"
  " (SELECT last_value FROM score_marks) AS last_mark, (SELECT count(*) FROM (SELECT FROM score_dirty LIMIT 100000) "
  "few) AS waiting,"
  " (SELECT min(since) FROM score_dirty) AS oldest, (SELECT vouches FROM score_model) AS model,"
  " (SELECT marked_through IS NOT NULL FROM score_model) AS turning,"
  " (SELECT count(*) FROM (SELECT FROM recounts_due LIMIT 1000) few) AS recounts,"
  " EXISTS (SELECT FROM recounts_due WHERE not_before <= now()) AS recount_due";
// Whoever holds ether of a later day waits for the epoch of that day.
constexpr auto work_sql =
  "SELECT f.*, d.mark, d.cause || CASE d.others WHEN 0 THEN '' ELSE ' and ' || d.others || ' before it' END AS cause"
  " FROM score_dirty d JOIN full_score_inputs f ON f.user_id = d.user_id WHERE f.newest_part IS NULL OR f.newest_part "
  "<="
  " (SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL) ORDER BY d.mark LIMIT $1::int4";
constexpr auto one_sql = "SELECT * FROM full_score_inputs WHERE user_id = $1::int4";
constexpr auto shown_sql = "SELECT (SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL) AS epoch,"
                           " (SELECT score FROM users WHERE id = $1::int4) AS score,"
                           " EXISTS (SELECT FROM score_dirty WHERE user_id = $1::int4) AS dirty";
constexpr auto history_sql = "SELECT at, day, score, points, cause FROM (SELECT * FROM score_history WHERE user_id = "
                             "$1::int4 AND at >= $2::timestamptz"
                             " ORDER BY number DESC LIMIT $3::int4) newest ORDER BY number";
// Both go down the index of moments, no further than to the last that is told.
constexpr auto updates_sql = "SELECT h.user_id, h.at, p.id AS profile_id, (SELECT a.address FROM addresses a WHERE "
                             "a.user_id = h.user_id ORDER BY a.kind <> 'primary', a.address"
                             " LIMIT 1) AS address, (SELECT 'service:' || a.service || ':' || a.account FROM "
                             "attestations a WHERE a.user_id = h.user_id AND NOT a.archived"
                             " ORDER BY a.id LIMIT 1) AS account"
                             " FROM (SELECT user_id, at FROM score_latest WHERE at > $1::timestamptz AND at <= "
                             "coalesce($4::timestamptz, 'infinity') ORDER BY at, user_id"
                             " LIMIT $2::int4 OFFSET $3::int4) h"
                             " LEFT JOIN profiles p ON p.user_id = h.user_id ORDER BY h.at, h.user_id";
constexpr auto updated_sql = "SELECT count(*) FROM (SELECT FROM score_latest WHERE at > $1::timestamptz AND at <= "
                             "coalesce($3::timestamptz, 'infinity')"
                             " ORDER BY at, user_id LIMIT $2::int4) first";

std::int32_t number_of(score::day which) { return static_cast<std::int32_t>(which.time_since_epoch().count()); }

} // namespace

score_columns::score_columns(const rows& from) : in(from) {}

score::score_inputs score_columns::inputs(int row) const {
  score::score_inputs out;
  out.starting = starting[row];
  out.reviews = {{{negative[row], negative_scores[row]},
                  {neutral[row], neutral_scores[row]},
                  {positive[row], positive_scores[row]}}};
  out.vouches = {young[row], young_days[row], mature[row], as_of[row]};
  out.vouchers = vouchers[row];
  out.mutual_vouchers = mutual_vouchers[row];
  out.votes_up = votes_up[row];
  out.votes_down = votes_down[row];
  out.unhealthy = unhealthy[row];
  const auto ids = slashes[row], why = reasons[row], points = penalties[row];
  for (std::size_t i = 0; i < ids.size(); ++i)
    out.penalties.push_back({slash_id{ids[i]}, static_cast<score::penalty_reason>(why[i]), points[i]});
  out.human_verified = human_verified[row];
  out.first_seen = first_seen[row];
  if (const auto id = x_account[row])
    out.x_account = static_cast<std::uint64_t>(*id);
  out.inviter_score = inviter_score[row];
  return out;
}

statements_used sql_of<score::epoch_begun>::used() { return {&begin_epoch}; }
void sql_of<score::epoch_begun>::add(const score::epoch_begun& change, global_seq, batch_statements& to) {
  to.put(begin_epoch, parameters{}.int4(number_of(change.on)).time(change.at));
}

statements_used sql_of<score::epoch_page_turned>::used() { return {&turn_page}; }
void sql_of<score::epoch_page_turned>::add(const score::epoch_page_turned& change, global_seq, batch_statements& to) {
  to.put(turn_page,
         parameters{}.int4(number_of(change.on)).int4(change.step).int4(score::epoch_piece_rows).time(change.at));
}

statements_used sql_of<score::vouch_model_turned>::used() { return {&turn_model}; }
void sql_of<score::vouch_model_turned>::add(const score::vouch_model_turned& change, global_seq, batch_statements& to) {
  to.put(turn_model, parameters{}.text(fact<score::vouch_model_turned>::model(change)).int4(score::marked_together));
}

statements_used sql_of<score::records_recounted>::used() { return {&recount_due}; }
void sql_of<score::records_recounted>::add(const score::records_recounted&, global_seq, batch_statements& to) {
  to.put(recount_due, parameters{}.int4(score::recount_piece_rows));
}

score::stored_work read(connection& on, const score::load_work& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  score::stored_work out;
  const auto state = on.run(state_sql, deadline);
  out.epoch = state.first<std::optional<score::day>>("epoch");
  if (const auto begun = state.first<std::optional<score::day>>("begun"))
    out.begun = score::open_epoch{*begun, state.first<std::int32_t>("step")};
  out.last_mark = state.first<std::int64_t>("last_mark");
  out.waiting = state.first<std::int64_t>("waiting");
  out.oldest = state.first<std::optional<timestamp>>("oldest");
  out.model = state.first<score::vouch_model>("model");
  out.turning = state.first<bool>("turning");
  out.recounts = state.first<std::int64_t>("recounts");
  out.recount_due = state.first<bool>("recount_due");
  if (!out.begun && out.waiting > 0) {
    const auto found = on.run(work_sql, parameters{}.int4(query.most), deadline);
    const score_columns each{found};
    const column<std::int64_t> mark{found, "mark"};
    const column<std::string> cause{found, "cause"};
    for (int i = 0; i < found.count(); ++i)
      out.users.push_back({each.user[i], mark[i], cause[i], each.inputs(i)});
  }
  snapshot.commit(deadline);
  return out;
}

score::stored_score read(connection& on, const score::load_score& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  score::stored_score out;
  const auto whose = parameters{}.int4(query.user.value);
  const auto shown = on.run(shown_sql, whose, deadline);
  out.on = shown.first<std::optional<score::day>>("epoch").value_or(score::day{});
  out.dirty = shown.first<bool>("dirty");
  out.inputs.starting = shown.first<std::optional<std::int32_t>>("score").value_or(score::starting_score);
  const auto found = on.run(one_sql, whose, deadline);
  if (!found.empty()) {
    const score_columns each{found};
    out.inputs = each.inputs(0);
    const auto as_of = out.inputs.vouches.as_of;
    out.on = std::max({out.on, as_of, each.newest_part[0].value_or(as_of)});
    out.ahead = out.inputs.vouches.young != 0 && out.on > as_of + std::chrono::days{1};
  }
  snapshot.commit(deadline);
  return out;
}

score::score_history read(connection& on, const score::get_history& query, steady_time deadline) {
  const auto found =
    on.run(history_sql, parameters{}.int4(query.user.value).time(query.since).int4(score::history_rows_max), deadline);
  const column<timestamp> at{found, "at"};
  const column<score::day> day{found, "day"};
  const column<std::int32_t> score{found, "score"};
  const column<std::vector<std::int32_t>> points{found, "points"};
  const column<std::string> cause{found, "cause"};
  score::score_history out;
  for (int i = 0; i < found.count(); ++i)
    out.entries.push_back({at[i], day[i], score[i], points[i], cause[i]});
  return out;
}

score::score_updates read(connection& on, const score::get_updates& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  score::score_updates out;
  out.total =
    on.run(updated_sql, parameters{}.time(query.after).int4(score::updates_depth_max).time(query.until), deadline)
      .value<std::int64_t>();
  const auto offset = std::min(query.slice.offset, score::updates_depth_max);
  const auto limit = std::min(query.slice.limit, score::updates_depth_max - offset);
  const auto found =
    on.run(updates_sql, parameters{}.time(query.after).int4(limit).int4(offset).time(query.until), deadline);
  const column<user_id> user{found, "user_id"};
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  const column<std::optional<address>> wallet{found, "address"};
  const column<std::optional<std::string>> account{found, "account"};
  const column<timestamp> at{found, "at"};
  for (int i = 0; i < found.count(); ++i)
    out.users.push_back({user[i], profile[i], wallet[i], account[i], at[i]});
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
