#include "persistence/sql/score_sql.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

const statement set_scores{
  "set_scores",
  "SELECT set_scores($1::int4[], $2::int4[], $3::text[], $4::date[], $5::text[], $6::timestamptz[], $7::int8[])"};
const statement begin_epoch{"begin_epoch", "SELECT begin_epoch(date '1970-01-01' + $1::int4, $2::timestamptz)"};
const statement turn_page{"turn_epoch_page",
                          "SELECT turn_epoch_page(date '1970-01-01' + $1::int4, $2::int4, $3::int4, $4::timestamptz)"};
const statement turn_model{"turn_vouch_model", "SELECT turn_vouch_model($1::text, $2::int4)"};
const statement recount_due{"recount_due", "SELECT recount_due($1::int4)"};

constexpr auto state_sql =
  "SELECT (SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL) AS epoch,"
  " (SELECT day FROM score_epochs WHERE finished_at IS NULL) AS begun, (SELECT step FROM score_epochs WHERE "
  "finished_at IS NULL) AS step,"
  " (SELECT last_value FROM score_marks) AS last_mark, EXISTS (SELECT FROM score_dirty) AS marked,"
  " (SELECT vouches FROM score_model) AS model, (SELECT marked_through IS NOT NULL FROM score_model) AS turning,"
  " EXISTS (SELECT FROM recounts_due WHERE not_before <= now()) AS recount_due";
constexpr auto waiting_sql = "SELECT (SELECT count(*) FROM (SELECT FROM score_dirty LIMIT 100000) few) AS waiting,"
                             " (SELECT min(since) FROM score_dirty) AS oldest,"
                             " (SELECT count(*) FROM (SELECT FROM recounts_due LIMIT 1000) few) AS recounts";
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

// But for what is in lists or is no member.
using score::score_inputs;
constexpr auto input_fields = CREDENCE_FIELDS(
  score_inputs, starting, (young_wei, vouches, &score::vouch_sums::young),
  (young_days, vouches, &score::vouch_sums::young_days), (mature_wei, vouches, &score::vouch_sums::mature),
  (as_of, vouches, &score::vouch_sums::as_of), vouchers, mutual_vouchers, votes_up, votes_down, unhealthy,
  human_verified, first_seen, x_account, inviter_score);

} // namespace

std::vector<score_inputs> score_inputs_in(const rows& found) {
  auto out = all_of(found, input_fields);
  const column<std::int64_t> negative{found, "negative"}, negative_scores{found, "negative_scores"},
    neutral{found, "neutral"}, neutral_scores{found, "neutral_scores"}, positive{found, "positive"},
    positive_scores{found, "positive_scores"};
  const column<std::vector<std::int32_t>> slashes{found, "slashes"}, reasons{found, "reasons"},
    penalties{found, "penalties"};
  for (int row = 0; row < found.count(); ++row) {
    auto& to = out[static_cast<std::size_t>(row)];
    to.reviews = {{{negative[row], negative_scores[row]},
                   {neutral[row], neutral_scores[row]},
                   {positive[row], positive_scores[row]}}};
    const auto ids = slashes[row], why = reasons[row], points = penalties[row];
    for (std::size_t i = 0; i < ids.size(); ++i)
      to.penalties.push_back({slash_id{ids[i]}, static_cast<score::penalty_reason>(why[i]), points[i]});
  }
  return out;
}

/// Of a user one at most in a batch.
fact_sql_ptr sql_of(kind<score::score_changed> it) { return written_together(it, set_scores); }
fact_sql_ptr sql_of(kind<score::epoch_begun> it) {
  return written_by(it, {&begin_epoch}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(begin_epoch, with(number_of(change.on), change.at));
  });
}
fact_sql_ptr sql_of(kind<score::epoch_page_turned> it) {
  return written_by(it, {&turn_page}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(turn_page, with(number_of(change.on), change.step, change.most, change.at));
  });
}
fact_sql_ptr sql_of(kind<score::vouch_model_turned> it) {
  return written_by(it, {&turn_model}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(turn_model, with(change.model, score::marked_together));
  });
}
fact_sql_ptr sql_of(kind<score::records_recounted> it) {
  return written_by(it, {&recount_due}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(recount_due, with(change.most));
  });
}

score::stored_work read(connection& on, const score::load_work& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto state = on.run(state_sql, deadline);
  static constexpr auto fields =
    CREDENCE_FIELDS(score::stored_work, epoch, last_mark, model, (turning, model_in_progress), recount_due);
  auto out = first_of(state, fields).value();
  if (const auto begun = state.first<std::optional<score::day>>("begun"))
    out.begun = score::open_epoch{*begun, state.first<std::int32_t>("step")};
  if (query.counts) {
    const auto found = on.run(waiting_sql, deadline);
    out.waiting = found.first<std::int64_t>("waiting");
    out.oldest = found.first<std::optional<timestamp>>("oldest");
    out.recounts = found.first<std::int64_t>("recounts");
  }
  if (!out.begun && state.first<bool>("marked") && !(query.recounts_first && out.recount_due)) {
    const auto found = on.run(work_sql, with(query.most), deadline);
    auto inputs = score_inputs_in(found);
    out.users = all_of(found, CREDENCE_FIELDS(score::dirty_user, (user_id, user), mark, cause));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      out.users[i].inputs = std::move(inputs[i]);
  }
  return out;
}
load_handler handler(asked<score::load_work> it) { return reads<load_by_key, score::storage>(it); }

score::stored_score read(connection& on, const score::load_score& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  score::stored_score out;
  const auto whose = with(query.user);
  const auto shown = on.run(shown_sql, whose, deadline);
  out.on = shown.first<std::optional<score::day>>("epoch").value_or(score::day{});
  out.dirty = shown.first<bool>("dirty");
  out.inputs.starting = shown.first<std::optional<std::int32_t>>("score").value_or(score::starting_score);
  const auto found = on.run(one_sql, whose, deadline);
  if (!found.empty()) {
    out.inputs = std::move(score_inputs_in(found).front());
    const auto as_of = out.inputs.vouches.as_of;
    out.on = std::max({out.on, as_of, found.first<std::optional<score::day>>("newest_part").value_or(as_of)});
    out.ahead = out.inputs.vouches.young != 0 && out.on > as_of + std::chrono::days{1};
  }
  return out;
}
load_handler handler(asked<score::load_score> it) { return reads<load_by_key, score::storage>(it); }

score::score_history read(connection& on, const score::get_history& query, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(score::history_entry, at, (day, on), score, points, cause);
  return {all_of(on.run(history_sql, with(query.user, query.since, score::history_rows_max), deadline), fields)};
}
load_handler handler(asked<score::get_history> it) { return reads<list_a_page, score::storage>(it); }

score::score_updates read(connection& on, const score::get_updates& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  score::score_updates out;
  out.total =
    on.run(updated_sql, with(query.after, score::updates_depth_max, query.until), deadline).value<std::int64_t>();
  const auto offset = std::min(query.slice.offset, score::updates_depth_max);
  const auto limit = std::min(query.slice.limit, score::updates_depth_max - offset);
  static constexpr auto fields =
    CREDENCE_FIELDS(score::score_update, (user_id, user), (profile_id, profile), (address, wallet), account, at);
  out.users = all_of(on.run(updates_sql, with(query.after, limit, offset, query.until), deadline), fields);
  return out;
}
load_handler handler(asked<score::get_updates> it) { return reads<list_of_many, score::storage>(it); }

} // namespace credence::persistence
