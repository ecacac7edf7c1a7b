#include "persistence/sql/outbox_sql.hpp"

#include "persistence/postgres/column.hpp"
#include "persistence/sql/words.hpp"

#include <span>
#include <string>

namespace credence::persistence {

template <>
inline constexpr detail::words words_of<wallets::transaction_state> = wallets::transaction_state_names;

namespace {

const statement move_transaction{
  "move_transaction",
  "UPDATE wallet_transactions SET state = $2::text, reason = left($3::text, 2000), block = $4::int8, done = "
  "$5::boolean,"
  " replaced_by = $6::int8, changed_at = greatest(created_at, $7::timestamptz) WHERE seq = $1::int8 AND NOT done"};

constexpr auto columns =
  "SELECT seq, nonce, to_address, value, data, gas_limit, max_fee, max_priority_fee, signed_bytes, hash, kind, origin,"
  " beneficiary, state, reason, block, created_at, changed_at FROM wallet_transactions ";

/// Reads rows that begin with `columns`.
struct outbox_columns {
  const rows& in;
  column<std::int64_t> id{in, "seq"};
  column<std::int64_t> nonce{in, "nonce"};
  column<address> to{in, "to_address"};
  column<wei> value{in, "value"};
  column<std::string> data{in, "data"};
  column<std::int64_t> gas_limit{in, "gas_limit"};
  column<wei> max_fee{in, "max_fee"};
  column<wei> max_priority_fee{in, "max_priority_fee"};
  column<std::string> signed_bytes{in, "signed_bytes"};
  column<digest32> hash{in, "hash"};
  column<std::string> kind{in, "kind"};
  column<std::string> origin{in, "origin"};
  column<std::optional<profile_id>> beneficiary{in, "beneficiary"};
  column<wallets::transaction_state> state{in, "state"};
  column<std::string> reason{in, "reason"};
  column<std::optional<std::int64_t>> block{in, "block"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> changed_at{in, "changed_at"};

  wallets::outbox_row operator[](int row) const {
    return {id[row],
            static_cast<std::uint64_t>(nonce[row]),
            {to[row], value[row], data[row], static_cast<std::uint64_t>(gas_limit[row]), kind[row], origin[row],
             beneficiary[row].value_or(profile_id{})},
            {max_fee[row], max_priority_fee[row]},
            signed_bytes[row],
            hash[row],
            state[row],
            reason[row],
            created_at[row],
            changed_at[row],
            block[row]};
  }
};

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

const statement store_transactions{"store_transactions",
                                   fact_columns<wallets::transaction_stored>::insert_into("wallet_transactions")};

statements_used sql_of<wallets::transactions_moved>::used() { return {&move_transaction}; }

void sql_of<wallets::transactions_moved>::add(const wallets::transactions_moved& change, global_seq,
                                              batch_statements& to) {
  for (const auto& move : change.moves) {
    parameters with;
    with.int8(move.id).text(wallets::name_of(move.to)).text(move.reason);
    move.block ? with.int8(*move.block) : with.null();
    with.boolean(move.done);
    move.replaced_by ? with.int8(move.replaced_by) : with.null();
    to.put(move_transaction, std::move(with.time(change.at)));
  }
}

// -- reading -----------------------------------------------------------------------------------

wallets::stored_outbox read(connection& on, const wallets::load_outbox& query, steady_time deadline) {
  static const auto open_sql = std::string{columns} + "WHERE wallet_id = $1::int8 AND NOT done ORDER BY seq";
  transaction snapshot{on, deadline, begin_snapshot};
  wallets::stored_outbox out;
  const auto wallet = wallets::wallet_id_of(query.profile);
  const auto open = on.run(open_sql.c_str(), parameters{}.int8(wallet), deadline);
  const outbox_columns row{open};
  for (int i = 0; i < open.count(); ++i)
    out.open.push_back(row[i]);
  out.used =
    static_cast<std::uint64_t>(on.run(used_sql, parameters{}.int8(wallet), deadline).first<std::int64_t>("used"));
  out.signed_today = static_cast<std::int32_t>(
    on.run(signed_sql, parameters{}.int8(wallet).time(query.since), deadline).first<std::int64_t>("signed"));
  const auto grants = on.run(outbox_grants_sql, parameters{}.int8(wallet).time(query.since), deadline);
  const column<profile_id> beneficiary{grants, "beneficiary"};
  const column<wei> granted{grants, "granted"};
  for (int i = 0; i < grants.count(); ++i)
    out.granted_today[beneficiary[i]] = granted[i];
  snapshot.commit(deadline);
  return out;
}

wallets::followed_outbox read(connection& on, const wallets::load_followed& query, steady_time deadline) {
  const auto found = on.run(followed_sql, parameters{}.int8(query.after.value).int4(query.limit), deadline);
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

wallets::found_transaction read(connection& on, const wallets::load_transaction& query, steady_time deadline) {
  static const auto one_sql = replacing_sql + std::string{columns} + counting_sql;
  const auto found =
    on.run(one_sql.c_str(), parameters{}.int8(wallets::wallet_id_of(query.profile)).int8(query.id), deadline);
  return {found.empty() ? std::nullopt : std::optional{outbox_columns{found}[0]}};
}

wallets::found_transaction read(connection& on, const wallets::load_call& query, steady_time deadline) {
  static const auto newest_sql = std::string{columns} + call_sql;
  binary_array calls{sql_type::bytea};
  for (const auto& each : query.calls)
    calls.bytes(std::as_bytes(std::span{each}));
  parameters with;
  with.int8(wallets::wallet_id_of(query.profile)).bytes(query.to.bytes).array(calls);
  const auto found = on.run(newest_sql.c_str(), with, deadline);
  return {found.empty() ? std::nullopt : std::optional{outbox_columns{found}[0]}};
}

std::vector<wallets::wallet_transaction> read(connection& on, const wallets::find_transactions& query,
                                              steady_time deadline) {
  const auto found =
    on.run(outbox_page_sql,
           parameters{}.int8(wallets::wallet_id_of(query.profile)).int4(query.limit).int4(query.offset), deadline);
  const column<std::int64_t> id{found, "seq"};
  const column<std::int64_t> nonce{found, "nonce"};
  const column<digest32> hash{found, "hash"};
  const column<wallets::transaction_state> state{found, "state"};
  const column<std::string> kind{found, "kind"};
  const column<std::string> origin{found, "origin"};
  const column<std::string> reason{found, "reason"};
  const column<std::optional<std::int64_t>> block{found, "block"};
  const column<timestamp> created_at{found, "created_at"};
  const column<timestamp> changed_at{found, "changed_at"};
  std::vector<wallets::wallet_transaction> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({id[i], hash[i], static_cast<std::uint64_t>(nonce[i]), state[i], kind[i], origin[i], reason[i],
                   created_at[i], changed_at[i], block[i]});
  return out;
}

} // namespace credence::persistence
