#include "persistence/sql/chain_texts_sql.hpp"

#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_kind> = chain::text_kind_names;

namespace {

const statement put_texts{
  "put_chain_texts",
  "SELECT put_chain_texts($1::text[], $2::int4[], $3::int8[], $4::text[], $5::text[], $6::text[],"
  " $7::text[], $8::int4[], $9::boolean[], $10::timestamptz[], $11::bytea[], $12::numeric[],"
  " $13::int4[], $14::timestamptz[], $15::text[], $16::text[], $17::bytea[], $18::int8, $19::bytea)"};
/// So many replies come into their threads with one change: each moves sums.
constexpr std::int32_t joined_together = 200;
const statement join_some{"join_waiting_replies", "SELECT join_waiting_replies($1::int4)"};

constexpr auto due_sql =
  "SELECT kind, id, stamp, attempts, refusals, next_at, holder"
  " FROM due_texts($1::timestamptz, $2::int4, $3::text[], make_interval(secs => $4::int4), $5::timestamptz, $6::int8)";
constexpr auto chain_texts_state_sql = "SELECT wanted, failed, differing, oldest FROM count_texts($1::text[])";
constexpr auto joining_sql = "SELECT EXISTS (SELECT FROM chain_threads) AS joining";
constexpr auto tip_sql = "SELECT tip_number, tip_hash, tip_parent, tip_at FROM chain_follow WHERE chain_id = $1::int8";
constexpr auto of_transaction_sql = "SELECT EXISTS (SELECT FROM (SELECT CASE contract WHEN 'discussion' THEN 'reply' "
                                    "WHEN 'profile' THEN 'inviter' ELSE contract END AS kind,"
                                    "    (SELECT id_offset FROM chain_follow) + CASE event_name WHEN 'ReviewCreated' "
                                    "THEN log_data::jsonb #>> '{args,reviewId}' WHEN 'ReviewEdited'"
                                    "    THEN log_data::jsonb #>> '{args,reviewId}' WHEN 'ReplyAdded' THEN "
                                    "log_data::jsonb #>> '{args,replyId}' WHEN 'ReplyEdited' THEN"
                                    "    log_data::jsonb #>> '{args,replyId}' WHEN 'Vouched' THEN log_data::jsonb #>> "
                                    "'{args,vouchId}' WHEN 'BondCreated' THEN"
                                    "    log_data::jsonb #>> '{args,bondId}' WHEN 'BondExpirationUpdated' THEN "
                                    "log_data::jsonb #>> '{args,bondId}' WHEN 'ProfileCreated' THEN"
                                    "    log_data::jsonb #>> '{args,profileId}' END::int AS id"
                                    "   FROM chain_events WHERE tx_hash = $2::bytea AND chain_id = $1::int8 AND "
                                    "contract IN ('review', 'discussion', 'vouch', 'bond', 'profile')"
                                    "    AND status = 'applied') e JOIN chain_texts t USING (kind, id) WHERE t.state = "
                                    "'wanted' AND t.kind <> ALL($3::text[])) AS wanted";
constexpr auto chain_texts_counts_sql = "SELECT kind, state, coalesce(reason, '') AS reason, count(*) AS texts FROM "
                                        "chain_texts GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";
constexpr auto retry_sql = "WITH again AS (UPDATE chain_texts SET state = 'wanted', attempts = 0, refusals = 0, "
                           "next_at = 'epoch' WHERE state = 'failed' RETURNING 1)"
                           " SELECT count(*) FROM again";

binary_array names_of(const std::vector<chain::text_kind>& kinds) {
  binary_array out{sql_type::text};
  for (const auto each : kinds)
    out.text(chain::name_of(each));
  return out;
}

} // namespace

statements_used sql_of<chain::texts_read>::used() { return {&put_texts, &join_some}; }
void sql_of<chain::texts_read>::add(const chain::texts_read& change, global_seq, batch_statements& to) {
  binary_array kinds{sql_type::text}, ids{sql_type::int4}, stamps{sql_type::int8}, states{sql_type::text},
    reasons{sql_type::text}, texts{sql_type::text}, metadatas{sql_type::text}, parents{sql_type::int4},
    originals{sql_type::boolean}, nexts{sql_type::timestamptz}, wallets{sql_type::bytea}, amounts{sql_type::numeric},
    people{sql_type::int4}, expirations{sql_type::timestamptz}, services{sql_type::text}, accounts{sql_type::text},
    hashes{sql_type::bytea};
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
    each.wallet ? wallets.bytes(each.wallet->bytes) : wallets.null();
    each.amount ? amounts.numeric(*each.amount) : amounts.null();
    each.person ? people.int4(each.person->value) : people.null();
    each.expires_at ? expirations.time(*each.expires_at) : expirations.null();
    each.account ? services.text(each.account->service) : services.null();
    each.account ? accounts.text(each.account->account) : accounts.null();
    each.account ? hashes.bytes(each.account->hash) : hashes.null();
  }
  parameters with;
  for (auto* each : {&kinds, &ids, &stamps, &states, &reasons, &texts, &metadatas, &parents, &originals, &nexts,
                     &wallets, &amounts, &people, &expirations, &services, &accounts, &hashes})
    with.bytes(copied(*each));
  if (change.at)
    with.int8(chain::number_of(change.at->number)).bytes(change.at->hash);
  else
    with.null().null();
  to.put(put_texts, std::move(with));
  to.put(join_some, parameters{}.int4(joined_together));
}

chain::text_queue read(connection& on, const chain::load_text_queue& question, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  chain::text_queue out;
  auto unread = names_of(question.unread);
  const auto due = on.run(due_sql,
                          parameters{}
                            .time(question.now)
                            .int4(question.most)
                            .array(unread)
                            .int4(static_cast<std::int32_t>(chain::young_tip.count()))
                            .time(question.after ? question.after->next_at : timestamp{})
                            .int8(question.after ? question.after->stamp : 0),
                          deadline);
  const column<chain::text_kind> kind{due, "kind"};
  const column<std::int32_t> id{due, "id"}, attempts{due, "attempts"}, refusals{due, "refusals"};
  const column<std::int64_t> stamp{due, "stamp"};
  const column<timestamp> next_at{due, "next_at"};
  const column<std::optional<address>> holder{due, "holder"};
  for (int i = 0; i < due.count(); ++i)
    out.due.push_back(
      {{kind[i], id[i]}, stamp[i], attempts[i], refusals[i], holder[i].value_or(address{}), next_at[i]});
  if (question.counted) {
    const auto state = on.run(chain_texts_state_sql, parameters{}.array(unread), deadline);
    out.wanted = state.first<std::int64_t>("wanted");
    out.failed = state.first<std::int64_t>("failed");
    out.differing = state.first<std::int64_t>("differing");
    out.oldest = state.first<std::optional<timestamp>>("oldest");
    out.counted = true;
  }
  out.joining = on.run(joining_sql, {}, deadline).first<bool>("joining");
  const auto place = on.run(tip_sql, parameters{}.int8(question.chain), deadline);
  if (!place.empty())
    out.tip = chain::block_mark{
      static_cast<chain::block_number>(place.first<std::int64_t>("tip_number")),
      place.first<digest32>("tip_hash"),
      place.first<digest32>("tip_parent"),
      {std::chrono::floor<std::chrono::seconds>(place.first<timestamp>("tip_at").time_since_epoch()).count()}};
  snapshot.commit(deadline);
  return out;
}

chain::texts_of_transaction read(connection& on, const chain::load_texts_of& question, steady_time deadline) {
  auto unread = names_of(question.unread);
  const auto found =
    on.run(of_transaction_sql, parameters{}.int8(question.chain).bytes(question.tx).array(unread), deadline);
  return {found.first<bool>("wanted")};
}

std::vector<texts_counted> count_texts(connection& on, steady_time deadline) {
  const auto found = on.exec_params(chain_texts_counts_sql, deadline);
  const column<std::string> kind{found, "kind"}, state{found, "state"}, reason{found, "reason"};
  const column<std::int64_t> texts{found, "texts"};
  std::vector<texts_counted> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({kind[i], state[i], reason[i], texts[i]});
  return out;
}

std::int64_t retry_texts(connection& on, steady_time deadline) {
  return on.exec_params(retry_sql, deadline).value<std::int64_t>();
}

} // namespace credence::persistence
