#include "persistence/sql/chain_texts_sql.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_kind> = chain::text_kind_names;

namespace {

const statement put_texts{"put_chain_texts", "SELECT put_chain_texts($1::text[], $2::int4[], $3::int8[], $4::text[], $5::text[], $6::text[],"
                                             " $7::text[], $8::int4[], $9::boolean[], $10::timestamptz[])"};
/// So many replies come into their threads with one change: each moves sums.
constexpr std::int32_t joined_together = 200;
const statement join_some{"join_waiting_replies", "SELECT join_waiting_replies($1::int4)"};

constexpr auto due_sql = "SELECT kind, id, stamp, attempts, refusals FROM chain_texts WHERE state = 'wanted' AND next_at <= $1::timestamptz"
                         " ORDER BY next_at, stamp LIMIT $2::int4";
constexpr auto state_sql = "SELECT (SELECT count(*) FROM (SELECT FROM chain_texts WHERE state = 'wanted' LIMIT 100000) few) AS wanted,"
                           " (SELECT count(*) FROM (SELECT FROM chain_texts WHERE state = 'failed' LIMIT 100000) few) AS failed,"
                           " (SELECT min(since) FROM chain_texts WHERE state = 'wanted') AS oldest, EXISTS (SELECT FROM chain_threads) AS joining";
constexpr auto tip_sql = "SELECT tip_number, tip_hash, tip_parent, tip_at FROM chain_follow WHERE chain_id = $1::int8";
constexpr auto of_transaction_sql =
  "SELECT EXISTS (SELECT FROM (SELECT CASE contract WHEN 'discussion' THEN 'reply' ELSE contract END AS kind, (SELECT id_offset FROM chain_follow)"
  "    + CASE event_name WHEN 'ReviewCreated' THEN log_data::jsonb #>> '{args,reviewId}' WHEN 'ReviewEdited' THEN log_data::jsonb #>>"
  "    '{args,reviewId}' WHEN 'ReplyAdded' THEN log_data::jsonb #>> '{args,replyId}' WHEN 'ReplyEdited' THEN log_data::jsonb #>>"
  "    '{args,replyId}' WHEN 'Vouched' THEN log_data::jsonb #>> '{args,vouchId}' END::int AS id"
  "   FROM chain_events WHERE tx_hash = $2::bytea AND chain_id = $1::int8 AND contract IN ('review', 'discussion', 'vouch') AND status = 'applied') e"
  "  JOIN chain_texts t USING (kind, id) WHERE t.state = 'wanted') AS wanted";
constexpr auto counts_sql =
  "SELECT kind, state, coalesce(reason, '') AS reason, count(*) AS texts FROM chain_texts GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";
constexpr auto retry_sql =
  "WITH again AS (UPDATE chain_texts SET state = 'wanted', attempts = 0, refusals = 0, next_at = 'epoch' WHERE state = 'failed' RETURNING 1)"
  " SELECT count(*) FROM again";

std::span<const std::byte> copied(binary_array& array) { return std::as_bytes(std::span{array.finish()}); }

} // namespace

statements_used sql_of<chain::texts_read>::used() { return {&put_texts, &join_some}; }
void sql_of<chain::texts_read>::add(const chain::texts_read& change, global_seq, batch_statements& to) {
  binary_array kinds{sql_type::text}, ids{sql_type::int4}, stamps{sql_type::int8}, states{sql_type::text}, reasons{sql_type::text},
    texts{sql_type::text}, metadatas{sql_type::text}, parents{sql_type::int4}, originals{sql_type::boolean}, nexts{sql_type::timestamptz};
  for (const auto& each : change.texts) {
    kinds.text(chain::name_of(each.of.kind));
    ids.int4(each.of.id);
    stamps.int8(each.stamp);
    states.text(chain::name_of(each.state));
    each.reason ? reasons.text(*each.reason) : reasons.null();
    texts.text(each.text);
    metadatas.text(each.metadata);
    each.parent ? parents.int4(*each.parent) : parents.null();
    originals.boolean(each.parent_is_target);
    nexts.time(each.next_at);
  }
  parameters with;
  for (auto* each : {&kinds, &ids, &stamps, &states, &reasons, &texts, &metadatas, &parents, &originals, &nexts})
    with.bytes(copied(*each));
  to.put(put_texts, std::move(with));
  to.put(join_some, parameters{}.int4(joined_together));
}

chain::text_queue read(connection& on, const chain::load_text_queue& question, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  chain::text_queue out;
  const auto due = on.run(due_sql, parameters{}.time(question.now).int4(question.most), deadline);
  const column<chain::text_kind> kind{due, "kind"};
  const column<std::int32_t> id{due, "id"}, attempts{due, "attempts"}, refusals{due, "refusals"};
  const column<std::int64_t> stamp{due, "stamp"};
  for (int i = 0; i < due.count(); ++i)
    out.due.push_back({{kind[i], id[i]}, stamp[i], attempts[i], refusals[i]});
  const auto state = on.run(state_sql, parameters{}, deadline);
  out.wanted = state.first<std::int64_t>("wanted");
  out.failed = state.first<std::int64_t>("failed");
  out.oldest = state.first<std::optional<timestamp>>("oldest");
  out.joining = state.first<bool>("joining");
  const auto place = on.run(tip_sql, parameters{}.int8(question.chain), deadline);
  if (!place.empty())
    out.tip = chain::block_mark{static_cast<chain::block_number>(place.first<std::int64_t>("tip_number")),
                                place.first<digest32>("tip_hash"),
                                place.first<digest32>("tip_parent"),
                                {std::chrono::floor<std::chrono::seconds>(place.first<timestamp>("tip_at").time_since_epoch()).count()}};
  snapshot.commit(deadline);
  return out;
}

chain::texts_of_transaction read(connection& on, const chain::load_texts_of& question, steady_time deadline) {
  const auto found = on.run(of_transaction_sql, parameters{}.int8(question.chain).bytes(question.tx), deadline);
  return {found.first<bool>("wanted")};
}

std::vector<texts_counted> count_texts(connection& on, steady_time deadline) {
  const auto found = on.exec_params(counts_sql, deadline);
  const column<std::string> kind{found, "kind"}, state{found, "state"}, reason{found, "reason"};
  const column<std::int64_t> texts{found, "texts"};
  std::vector<texts_counted> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({kind[i], state[i], reason[i], texts[i]});
  return out;
}

std::int64_t retry_texts(connection& on, steady_time deadline) { return on.exec_params(retry_sql, deadline).value<std::int64_t>(); }

} // namespace credence::persistence
