#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

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

using chain::due_text;
constexpr auto due_fields =
  joined_lists(CREDENCE_FIELDS(due_text, (kind, of, &chain::wanted_text::kind), (id, of, &chain::wanted_text::id),
                               stamp, attempts, refusals),
               field{"holder", or_null(&due_text::holder)}, CREDENCE_FIELDS(due_text, next_at));

} // namespace

fact_sql_ptr sql_of(kind<chain::texts_read> it) {
  return written_by(it, {&put_texts, &join_some}, [](const auto& change, global_seq, batch_statements& to) {
    using reading = chain::text_reading;
    using account = chain::read_account;
    const auto& all = change.texts;
    const auto of_account = [](auto member) {
      return
        [member](const reading& each) { return each.account ? std::optional{(*each.account).*member} : std::nullopt; };
    };
    to.put(put_texts,
           with(array_of(all, [](const reading& each) { return each.of.kind; }),
                array_of(all, [](const reading& each) { return each.of.id; }), array_of(all, &reading::stamp),
                array_of(all, &reading::state), array_of(all, &reading::reason), array_of(all, &reading::text),
                array_of(all, &reading::metadata), array_of(all, &reading::parent),
                array_of(all, &reading::parent_is_target), array_of(all, &reading::next_at),
                array_of(all, &reading::wallet), array_of(all, &reading::amount), array_of(all, &reading::person),
                array_of(all, &reading::expires_at), array_of(all, of_account(&account::service)),
                array_of(all, of_account(&account::account)), array_of(all, of_account(&account::hash)),
                change.at ? std::optional{change.at->number} : std::nullopt,
                change.at ? std::optional{change.at->hash} : std::nullopt));
    to.put(join_some, with(joined_together));
  });
}

chain::text_queue read(connection& on, const chain::load_text_queue& question, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  chain::text_queue out;
  const auto unread = array_of(question.unread);
  const auto& after = question.after;
  out.due = all_of(on.run(due_sql,
                          with(question.now, question.most, unread, static_cast<std::int32_t>(chain::young_tip.count()),
                               after ? after->next_at : timestamp{}, after ? after->stamp : 0),
                          deadline),
                   due_fields);
  if (question.counted) {
    const auto state = on.run(chain_texts_state_sql, with(unread), deadline);
    out.wanted = state.first<std::int64_t>("wanted");
    out.failed = state.first<std::int64_t>("failed");
    out.differing = state.first<std::int64_t>("differing");
    out.oldest = state.first<std::optional<timestamp>>("oldest");
    out.counted = true;
  }
  out.joining = on.run(joining_sql, deadline).first<bool>("joining");
  out.tip = first_of(on.run(tip_sql, with(question.chain), deadline),
                     CREDENCE_FIELDS(chain::block_mark, (tip_number, number), (tip_hash, hash),
                                     (tip_parent, parent_hash), (tip_at, at)));
  return out;
}
load_handler handler(asked<chain::load_text_queue> it) { return reads<load_by_key, chain::storage>(it); }

chain::texts_of_transaction read(connection& on, const chain::load_texts_of& question, steady_time deadline) {
  return {on.run(of_transaction_sql, with(question.chain, question.tx, array_of(question.unread)), deadline)
            .first<bool>("wanted")};
}
load_handler handler(asked<chain::load_texts_of> it) { return reads<load_by_key, chain::storage>(it); }

std::vector<texts_counted> count_texts(connection& on, steady_time deadline) {
  return all_of(on.exec_params(chain_texts_counts_sql, deadline),
                CREDENCE_FIELDS(texts_counted, kind, state, reason, texts));
}

std::int64_t retry_texts(connection& on, steady_time deadline) {
  return on.exec_params(retry_sql, deadline).value<std::int64_t>();
}

} // namespace credence::persistence
