#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

namespace {

const statement try_event{
  "reprocess_chain_event",
  "SELECT reprocess_chain_event($1::int8, $2::bytea, $3::int8, $4::int8, $5::text, $6::text, $7::text,"
  " $8::text, $9::text[], $10::text[], $11::int4[], $12::timestamptz)"};

constexpr auto wanted_sql = "SELECT reprocess_after, tip_hash FROM chain_follow WHERE chain_id = $1::int8";
const auto chain_reprocess_next_sql =
  "SELECT " + column_list(part<chain::stored_event>::fields)
  + " FROM chain_events WHERE id > $1::int8 AND chain_id = $2::int8 AND status = 'failed'"
    " ORDER BY id LIMIT 1";
// One that is under way goes on; what it has tried already it does not try again.
constexpr auto want_sql = "UPDATE chain_follow SET reprocess_after = coalesce(reprocess_after, 0)"
                          " RETURNING (SELECT count(*) FROM chain_events WHERE status = 'failed') AS failed";
constexpr auto places_sql = "SELECT event_id, after_event, kinds FROM chain_reprocessed ORDER BY number";

} // namespace

fact_sql_ptr sql_of(kind<chain::event_reprocessed> it) {
  return written_by(it, {&try_event}, [](const auto& tried, global_seq, batch_statements& to) {
    using image = chain::row_image;
    to.put(try_event, with(tried.chain, tried.tip, tried.before, tried.event, tried.event_name, tried.log_data,
                           tried.status, tried.reason, array_of(tried.rows, &image::relation),
                           array_of(tried.rows, &image::columns), array_of(tried.rows, &image::piece), tried.at));
  });
}

chain::stored_reprocess read(connection& on, const chain::load_reprocess& question, steady_time deadline) {
  chain::stored_reprocess out;
  const auto wanted = on.run(wanted_sql, with(question.chain), deadline);
  if (wanted.empty())
    return out;
  out.tried_to = wanted.first<std::optional<std::int64_t>>("reprocess_after");
  out.tip = wanted.first<digest32>("tip_hash");
  if (!out.tried_to)
    return out;
  auto found = events_in(on.run(chain_reprocess_next_sql.c_str(), with(*out.tried_to, question.chain), deadline));
  if (!found.empty())
    out.next = std::move(found.front());
  return out;
}
load_handler handler(asked<chain::load_reprocess> it) { return reads<load_by_key, chain::storage>(it); }

std::optional<std::int64_t> reprocess_failed(connection& on, steady_time deadline) {
  const auto found = on.exec_params(want_sql, deadline);
  return found.empty() ? std::nullopt : std::optional{found.first<std::int64_t>("failed")};
}

std::vector<reprocessed_place> read_reprocessed(connection& on, steady_time deadline) {
  return all_of(on.run(places_sql, deadline),
                CREDENCE_FIELDS(reprocessed_place, (event_id, event), (after_event, after), kinds));
}

} // namespace credence::persistence
