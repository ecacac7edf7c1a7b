#include "persistence/sql/wallet_sql.hpp"

#include <span>

namespace credence::persistence {

namespace {

const statement move_transaction{
  "move_transaction",
  "UPDATE wallet_transactions SET state = $2::text, reason = left($3::text, 2000), block = $4::int8, done = "
  "$5::boolean,"
  " replaced_by = $6::int8, changed_at = greatest(created_at, $7::timestamptz) WHERE seq = $1::int8 AND NOT done"};

constexpr const auto& outbox_fields = part<wallets::outbox_row>::fields;
const auto select_outbox = "SELECT " + column_list(outbox_fields) + " FROM wallet_transactions ";

constexpr auto used_sql = "SELECT coalesce(max(nonce) + 1, 0) AS used FROM wallet_transactions WHERE wallet_id = "
                          "$1::int8 AND done AND block IS NOT NULL";
// What the service signs of itself, such as the same with higher fees, takes nothing from its owner.
constexpr auto signed_sql =
  "SELECT count(*) AS signed FROM wallet_transactions WHERE wallet_id = $1::int8 AND created_at >= $2::timestamptz"
  " AND replaces IS NULL AND kind <> 'filler'";
// With the most that it may cost, by the dearest of each nonce.
constexpr auto outbox_grants_sql =
  "SELECT beneficiary, sum(cost) AS granted FROM (SELECT beneficiary, max(value + gas_limit * max_fee) AS cost"
  "  FROM wallet_transactions WHERE wallet_id = $1::int8 AND created_at >= $2::timestamptz AND beneficiary IS NOT NULL"
  "  AND (state <> 'failed' OR block IS NOT NULL) GROUP BY beneficiary, nonce) by_nonce GROUP BY beneficiary";

// A transaction with those that took its nonce, one after the other. After a reorganisation two may name each other;
// UNION ends that.
constexpr auto replacing_sql =
  "WITH RECURSIVE line AS (SELECT seq, replaced_by FROM wallet_transactions WHERE wallet_id = $1::int8 AND seq = "
  "$2::int8"
  " UNION SELECT n.seq, n.replaced_by FROM wallet_transactions n JOIN line l ON n.seq = l.replaced_by"
  "  WHERE n.wallet_id = $1::int8) ";
// Of these the one that counts.
constexpr auto counting_sql = "WHERE seq IN (SELECT seq FROM line) ORDER BY state = 'replaced', seq DESC LIMIT 1";

// The record is there with the events, and the state a look later.
constexpr auto call_sql =
  "WHERE wallet_id = $1::int8 AND to_address = $2::bytea"
  " AND sha256(data) = ANY(ARRAY(SELECT sha256(d) FROM unnest($3::bytea[]) d)) AND data = ANY($3::bytea[]) AND (state "
  "IN ('mined', 'settled')"
  " OR EXISTS (SELECT FROM chain_events e WHERE e.tx_hash = wallet_transactions.hash)) ORDER BY seq DESC LIMIT 1";

constexpr auto followed_sql =
  "SELECT f.tip_number, f.authority, t.wallet_id, t.seq, t.block FROM chain_follow f LEFT JOIN ("
  " SELECT o.wallet_id::int4 AS wallet_id, o.seq, (SELECT max(e.block_number) FROM chain_events e WHERE e.tx_hash = "
  "o.hash) AS block"
  "  FROM wallet_transactions o WHERE NOT o.done AND o.wallet_id IN (SELECT DISTINCT w.wallet_id FROM "
  "wallet_transactions w"
  "   WHERE NOT w.done AND w.wallet_id > $1::int8 ORDER BY 1 LIMIT $2::int4)) t ON true ORDER BY t.wallet_id, t.seq";

constexpr auto outbox_page_sql =
  "SELECT seq, nonce, hash, state, kind, origin, reason, block, created_at, changed_at FROM wallet_transactions"
  " WHERE wallet_id = $1::int8 ORDER BY seq DESC LIMIT $2::int4 OFFSET $3::int4";

} // namespace

// -- writing -----------------------------------------------------------------------------------

namespace {

const statement store_transactions{"store_transactions",
                                   insert_one<wallets::transaction_stored>("wallet_transactions")};

} // namespace

/// What replaces another one finds it stored, so each takes a statement.
fact_sql_ptr sql_of(kind<wallets::transaction_stored> it) {
  return behind<wallets::wallet_made>(written_in_turn(it, store_transactions));
}
number_column numbers_of(kind<wallets::transaction_stored>) { return {"wallet_transactions"}; }
fact_sql_ptr sql_of(kind<wallets::transactions_moved> it) {
  return behind<wallets::transaction_stored>(
    written_by(it, {&move_transaction}, [](const auto& change, global_seq, batch_statements& to) {
      for (const auto& move : change.moves) {
        auto asked = columns_of(move);
        to.put(move_transaction, std::move(asked.time(change.at)));
      }
    }));
}

// -- reading -----------------------------------------------------------------------------------

/// Open transactions, and what counts against the bounds, of one snapshot.
wallets::stored_outbox read(connection& on, const wallets::load_outbox& query, steady_time deadline) {
  static const auto open_sql = select_outbox + "WHERE wallet_id = $1::int8 AND NOT done ORDER BY seq";
  const read_snapshot snapshot{on, deadline};
  wallets::stored_outbox out;
  const auto wallet = wallets::wallet_id_of(query.profile);
  out.open = all_of(on.run(open_sql.c_str(), with(wallet), deadline), outbox_fields);
  out.used = on.run(used_sql, with(wallet), deadline).first<std::uint64_t>("used");
  out.signed_today =
    static_cast<std::int32_t>(on.run(signed_sql, with(wallet, query.since), deadline).first<std::int64_t>("signed"));
  const auto grants = on.run(outbox_grants_sql, with(wallet, query.since), deadline);
  const column<profile_id> beneficiary{grants, "beneficiary"};
  const column<wei> granted{grants, "granted"};
  for (int i = 0; i < grants.count(); ++i)
    out.granted_today[beneficiary[i]] = granted[i];
  return out;
}
load_handler handler(asked<wallets::load_outbox> it) { return reads<load_by_key, wallets::outbox_storage>(it); }

/// Open transactions of many wallets as the chain's follower sees them.
wallets::followed_outbox read(connection& on, const wallets::load_followed& query, steady_time deadline) {
  const auto found = on.run(followed_sql, with(std::int64_t{query.after.value}, query.limit), deadline);
  const column<std::int64_t> tip{found, "tip_number"};
  const column<std::int64_t> authority{found, "authority"};
  const column<std::optional<profile_id>> wallet{found, "wallet_id"};
  const column<std::optional<std::int64_t>> id{found, "seq"};
  const column<std::optional<std::int64_t>> block{found, "block"};
  wallets::followed_outbox out;
  for (int i = 0; i < found.count(); ++i) {
    out.tip = tip[i];
    out.authority = authority[i];
    if (const auto whose = wallet[i])
      out.rows.push_back({*whose, id[i].value(), block[i]});
  }
  return out;
}
load_handler handler(asked<wallets::load_followed> it) { return reads<load_by_key, wallets::outbox_storage>(it); }

std::optional<wallets::outbox_row> read(connection& on, const wallets::load_transaction& query, steady_time deadline) {
  static const auto one_sql = replacing_sql + select_outbox + counting_sql;
  return first_of(on.run(one_sql.c_str(), with(wallets::wallet_id_of(query.profile), query.id), deadline),
                  outbox_fields);
}
load_handler handler(asked<wallets::load_transaction> it) { return reads<load_by_key, wallets::outbox_storage>(it); }

std::optional<wallets::outbox_row> read(connection& on, const wallets::load_call& query, steady_time deadline) {
  static const auto newest_sql = select_outbox + call_sql;
  const auto calls = array_of(query.calls, [](const auto& call) { return std::as_bytes(std::span{call}); });
  return first_of(on.run(newest_sql.c_str(), with(wallets::wallet_id_of(query.profile), query.to, calls), deadline),
                  outbox_fields);
}
load_handler handler(asked<wallets::load_call> it) { return reads<load_by_key, wallets::outbox_storage>(it); }

/// Newest first.
std::vector<wallets::wallet_transaction> read(connection& on, const wallets::find_transactions& query,
                                              steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(wallets::wallet_transaction, (seq, id), nonce, hash, state, kind,
                                                 origin, reason, block, created_at, changed_at);
  return all_of(
    on.run(outbox_page_sql, with(wallets::wallet_id_of(query.profile), query.limit, query.offset), deadline), fields);
}
load_handler handler(asked<wallets::find_transactions> it) { return reads<list_a_page, wallets::outbox_storage>(it); }

} // namespace credence::persistence
