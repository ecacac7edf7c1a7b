#include "persistence/sql/xp_sql.hpp"

#include "config/limits.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/page_place.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

namespace {

// One statement, so one snapshot: the number and the balances belong together.
constexpr auto xp_sql =
  "SELECT k.place, coalesce((SELECT balance FROM xp_accounts WHERE id = k.id), 0) AS balance,"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0) AS as_of"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, place)";

// The number of a tip is its `seq`; a movement without one was made by another program.
// A page begins at the mark before it (a row in 256 has one), or at the newest. By the indexes on `id + 0` alone, and
// with a bound that the planner knows, or it would rather sort all there are.
static_assert(limits::limit_max + page_marked_every == 356);
#define CREDENCE_TIPS(account, list)                                                                                   \
  "SELECT coalesce(m.seq, m.id) AS tip, m.amount, m.at, m.message, m.from_account,"                                    \
  " (SELECT p.user_id FROM profiles p WHERE p.id = m.to_account) AS receiver, m.source_type, m.source_id FROM ("       \
  "SELECT * FROM (SELECT * FROM xp_movements WHERE " account                                                           \
  " = $1::int4 AND kind = 'XP_TIP_SENT' AND id + 0 <= coalesce((SELECT key"                                            \
  " FROM page_marks WHERE list = '" list "' AND owner = $1::int4 AND ordinal = $2::int8), 9223372036854775807)"        \
  " ORDER BY id + 0 DESC LIMIT 356) newest LIMIT $4::int4 OFFSET $3::int8) m ORDER BY m.id DESC"
#define CREDENCE_TIPS_PLACE(count, list)                                                                               \
  "SELECT k.total, m.ordinal FROM (SELECT coalesce((SELECT " count                                                     \
  " FROM xp_accounts WHERE id = $1::int4), 0) AS total) k"                                                             \
  " LEFT JOIN LATERAL (SELECT ordinal FROM page_marks WHERE list = '" list "' AND owner = $1::int4"                    \
  "  AND ordinal >= k.total - $2::int8 ORDER BY ordinal LIMIT 1) m ON true"
constexpr auto sent_sql = CREDENCE_TIPS("from_account", "tips sent");
constexpr auto sent_place_sql = CREDENCE_TIPS_PLACE("tips_sent", "tips sent");
constexpr auto received_sql = CREDENCE_TIPS("to_account", "tips received");
constexpr auto received_place_sql = CREDENCE_TIPS_PLACE("tips_received", "tips received");
constexpr auto figures_sql =
  "SELECT tips_sent, tips_sent_total, tips_received, tips_received_total FROM xp_accounts WHERE id = $1::int4";

// The newest of one's tips are looked at first: who asks again does so soon.
constexpr auto receipt_sql =
  "SELECT f.balance AS sender_balance, t.balance AS receiver_balance FROM xp_movements m JOIN xp_accounts f ON f.id = "
  "m.from_account"
  " JOIN xp_accounts t ON t.id = m.to_account"
  " WHERE m.from_account = $1::int4 AND m.seq = $2::int8 AND m.kind = 'XP_TIP_SENT' ORDER BY m.id + 0 DESC LIMIT 1";

// By the index of what profiles earned; the newest is looked at first.
constexpr auto grant_sql =
  "SELECT a.balance FROM xp_movements m JOIN xp_accounts a ON a.id = m.to_account"
  " WHERE m.to_account = $1::int4 AND m.to_account > 0 AND m.kind <> 'XP_TIP_SENT' AND m.kind = 'ADMIN_XP_GRANT'"
  " AND m.seq = $2::int8 ORDER BY m.id DESC LIMIT 1";

} // namespace

const statement insert_tips{
  "insert_tips", fact_columns<profile::xp_tipped>::insert_into("xp_movements", {"kind, ", "'XP_TIP_SENT', "})};
const statement insert_grants{"insert_grants",
                              fact_columns<profile::xp_granted>::insert_into(
                                "xp_movements", {"kind, from_account, ", "'ADMIN_XP_GRANT', 0, "})}; // 0: the issuer

std::vector<profile::stored_xp> read(connection& on, std::span<const profile::load_xp> whose, steady_time deadline) {
  auto ids = ids_of(whose, &profile::load_xp::profile);
  const auto found = on.run(xp_sql, parameters{}.array(ids), deadline);
  const places place{found};
  const column<std::int64_t> balance{found, "balance"};
  const column<global_seq> as_of{found, "as_of"};
  std::vector<profile::stored_xp> out(whose.size());
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]) = {balance[i], as_of[i]};
  return out;
}

profile::tip_figures read(connection& on, const profile::load_tip_figures& query, steady_time deadline) {
  const auto found = on.run(figures_sql, parameters{}.int4(query.profile.value), deadline);
  if (found.empty())
    return {};
  return {found.first<std::int64_t>("tips_sent"), found.first<std::int64_t>("tips_sent_total"),
          found.first<std::int64_t>("tips_received"), found.first<std::int64_t>("tips_received_total")};
}

profile::stored_receipt read(connection& on, const profile::load_receipt& query, steady_time deadline) {
  const auto found = on.run(receipt_sql, parameters{}.int4(query.sender.value).int8(query.tip), deadline);
  if (found.empty())
    return {};
  return {profile::tip_receipt{query.tip, found.first<std::int64_t>("sender_balance"),
                               found.first<std::int64_t>("receiver_balance")}};
}

profile::stored_grant read(connection& on, const profile::load_grant& query, steady_time deadline) {
  const auto found = on.run(grant_sql, parameters{}.int4(query.profile.value).int8(query.grant), deadline);
  if (found.empty())
    return {};
  return {profile::grant_receipt{query.grant, found.first<std::int64_t>("balance")}};
}

profile::tip_list read(connection& on, const profile::load_tips& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const bool sent = query.side == profile::tip_side::sent;
  profile::tip_list out;
  out.slice = query.slice;
  const auto where = place_from(on.run(sent ? sent_place_sql : received_place_sql,
                                       parameters{}.int4(query.profile.value).int8(query.slice.offset), deadline),
                                query.slice);
  out.total = where.total;
  if (where.empty) {
    snapshot.commit(deadline);
    return out;
  }
  const auto found = on.run(
    sent ? sent_sql : received_sql,
    parameters{}.int4(query.profile.value).int8(where.mark).int8(where.passed_over).int4(query.slice.limit), deadline);
  const column<std::int64_t> tip{found, "tip"};
  const column<std::int64_t> amount{found, "amount"};
  const column<timestamp> at{found, "at"};
  const column<std::optional<std::string>> message{found, "message"};
  const column<profile_id> sender{found, "from_account"};
  const column<user_id> receiver{found, "receiver"};
  const column<std::optional<profile::tip_source_kind>> source_type{found, "source_type"};
  const column<std::optional<std::int32_t>> source_id{found, "source_id"};
  for (int i = 0; i < found.count(); ++i) {
    std::optional<profile::tip_source> source;
    if (const auto kind = source_type[i])
      source = {*kind, source_id[i]};
    out.values.push_back({tip[i], amount[i], at[i], message[i], sender[i], receiver[i], source});
  }
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
