#include "persistence/sql/chain_reprocess_sql.hpp"

#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

namespace {

const statement try_event{
  "reprocess_chain_event",
  "SELECT reprocess_chain_event($1::int8, $2::bytea, $3::int8, $4::int8, $5::text, $6::text, $7::text,"
  " $8::text, $9::text[], $10::text[], $11::int4[], $12::timestamptz)"};

constexpr auto wanted_sql = "SELECT reprocess_after, tip_hash FROM chain_follow WHERE chain_id = $1::int8";
constexpr auto chain_reprocess_next_sql =
  "SELECT id, block_number, block_hash, block_at, tx_hash, block_index, log_index, contract, address, topics, data, "
  "event_name,"
  " log_data, status, reason FROM chain_events WHERE id > $1::int8 AND chain_id = $2::int8 AND status = 'failed'"
  " ORDER BY id LIMIT 1";
// One that is under way goes on; what it has tried already it does not try again.
constexpr auto want_sql = "UPDATE chain_follow SET reprocess_after = coalesce(reprocess_after, 0)"
                          " RETURNING (SELECT count(*) FROM chain_events WHERE status = 'failed') AS failed";
constexpr auto places_sql = "SELECT event_id, after_event, kinds FROM chain_reprocessed ORDER BY number";

} // namespace

statements_used sql_of<chain::event_reprocessed>::used() { return {&try_event}; }
void sql_of<chain::event_reprocessed>::add(const chain::event_reprocessed& tried, global_seq, batch_statements& to) {
  binary_array relations{sql_type::text}, images{sql_type::text}, pieces{sql_type::int4};
  for (const auto& each : tried.rows) {
    relations.text(each.relation);
    images.text(each.columns);
    pieces.int4(each.piece);
  }
  to.put(try_event, parameters{}
                      .int8(tried.chain)
                      .bytes(tried.tip)
                      .int8(tried.before)
                      .int8(tried.event)
                      .text(tried.event_name)
                      .text(tried.log_data)
                      .text(chain::name_of(tried.status))
                      .text(tried.reason)
                      .bytes(copied(relations))
                      .bytes(copied(images))
                      .bytes(copied(pieces))
                      .time(tried.at));
}

chain::stored_reprocess read(connection& on, const chain::load_reprocess& question, steady_time deadline) {
  chain::stored_reprocess out;
  const auto wanted = on.run(wanted_sql, parameters{}.int8(question.chain), deadline);
  if (wanted.empty())
    return out;
  out.tried_to = wanted.first<std::optional<std::int64_t>>("reprocess_after");
  out.tip = wanted.first<digest32>("tip_hash");
  if (!out.tried_to)
    return out;
  auto found =
    events_in(on.run(chain_reprocess_next_sql, parameters{}.int8(*out.tried_to).int8(question.chain), deadline));
  if (!found.empty())
    out.next = std::move(found.front());
  return out;
}

std::optional<std::int64_t> reprocess_failed(connection& on, steady_time deadline) {
  const auto found = on.exec_params(want_sql, deadline);
  return found.empty() ? std::nullopt : std::optional{found.first<std::int64_t>("failed")};
}

std::vector<reprocessed_place> read_reprocessed(connection& on, steady_time deadline) {
  const auto found = on.run(places_sql, parameters{}, deadline);
  const column<std::int64_t> event{found, "event_id"}, after{found, "after_event"};
  const column<std::string> kinds{found, "kinds"};
  std::vector<reprocessed_place> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({event[i], after[i], kinds[i]});
  return out;
}

} // namespace credence::persistence
