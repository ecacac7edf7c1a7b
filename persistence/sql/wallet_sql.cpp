#include "persistence/sql/wallet_sql.hpp"

namespace credence::persistence {

namespace {

const statement insert_wallets{"insert_wallets", insert_all<wallets::wallet_made>("managed_wallets")};
const statement stamp_exports{"stamp_exports",
                              "UPDATE managed_wallets w SET exported_at = greatest(w.exported_at, u.at)"
                              " FROM unnest($1::int8[], $2::timestamptz[]) AS u (id, at) WHERE w.id = u.id"};

// Of several profiles at once; each costs one descent of an index, whatever the plan around it.
constexpr auto wallets_sql =
  "SELECT k.place, w.id, w.address, w.master_version, w.sealed_key, w.created_at, w.exported_at,"
  " w.orphaned_at IS NOT NULL AS orphaned"
  " FROM unnest($1::int8[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT * FROM managed_wallets WHERE id = k.id OFFSET 0) w";

using wallets::sealed_key;
using wallets::stored_wallet;
// Without the key itself.
constexpr auto wallet_fields =
  CREDENCE_FIELDS(stored_wallet, id, (address, at), (master_version, key, &sealed_key::master_version),
                  (created_at, made_at), exported_at);
constexpr auto key_fields = CREDENCE_FIELDS(sealed_key, master_version, (sealed_key, bytes));

constexpr auto older_sql =
  "SELECT id, master_version, sealed_key FROM managed_wallets WHERE master_version < $1::int4 AND id > $2::int8"
  " ORDER BY id LIMIT $3::int4 FOR UPDATE";
constexpr auto seal_sql = "UPDATE managed_wallets w SET master_version = $1::int4, sealed_key = u.sealed_key"
                          " FROM unnest($2::int8[], $3::bytea[]) AS u (id, sealed_key) WHERE w.id = u.id";
constexpr auto wallet_rotation_count_sql =
  "SELECT master_version, count(*) AS wallets FROM managed_wallets GROUP BY master_version ORDER BY master_version";
// Two versions at most are in use, unless a rotation was left half done. Each costs two descents of an index.
constexpr auto first_and_last_sql = "SELECT w.id, w.master_version, w.sealed_key FROM (SELECT (SELECT "
                                    "min(master_version) FROM managed_wallets) AS version"
                                    "  UNION SELECT (SELECT max(master_version) FROM managed_wallets)) v CROSS JOIN "
                                    "LATERAL (SELECT id, master_version, sealed_key"
                                    "  FROM managed_wallets WHERE master_version = v.version ORDER BY id LIMIT 1) w";
constexpr auto list_sql = "SELECT w.id, w.profile_id, w.address, w.master_version, w.created_at, w.exported_at, "
                          "coalesce(p.archived, false) AS archived"
                          " FROM managed_wallets w LEFT JOIN profiles p ON p.id = w.profile_id WHERE w.id > $1::int8 "
                          "ORDER BY w.id LIMIT $2::int4";

} // namespace

fact_sql_ptr sql_of(kind<wallets::wallet_made> it) { return written_together(it, insert_wallets); }
/// A wallet may be exported before it is in any batch but this one.
fact_sql_ptr sql_of(kind<wallets::wallet_exported> it) {
  return behind<wallets::wallet_made>(written_together(it, stamp_exports));
}

/// The wallets of these profiles, in the order asked.
std::vector<stored_wallet> read(connection& on, std::span<const wallets::load_wallet> whose, steady_time deadline) {
  const auto found = on.run(
    wallets_sql, with(array_of(whose, [](const auto& each) { return wallets::wallet_id_of(each.profile); })), deadline);
  const auto stored = records_in(found, wallet_fields);
  const auto keys = records_in(found, key_fields);
  const places place{found};
  const column<bool> orphaned{found, "orphaned"};
  std::vector<stored_wallet> out(whose.size());
  for (int i = 0; i < found.count(); ++i) {
    auto& wallet = out.at(place[i]);
    if (orphaned[i]) {
      wallet.orphaned = true;
      continue;
    }
    wallet = stored[i];
    wallet.found = true;
    wallet.profile = whose[place[i]].profile;
    wallet.key = keys[i];
  }
  return out;
}
load_handler handler(asked<wallets::load_wallet> it) { return reads<load_in_groups, wallets::storage>(it); }

rotated_piece rotate_wallets(connection& on, wallets::wallet_keys& keys, std::int32_t version, std::int64_t after,
                             std::int32_t most, steady_time deadline) {
  const auto found = on.exec_params(older_sql, with(version, after, most), deadline);
  const column<std::int64_t> id{found, "id"};
  const auto older = records_in(found, key_fields);
  rotated_piece out;
  out.more = found.count() == most;
  binary_array ids{sql_type::int8}, sealed{sql_type::bytea};
  for (int i = 0; i < found.count(); ++i) {
    out.last = id[i];
    try {
      const auto key = keys.rotate(out.last, older[i]);
      ids.int8(out.last);
      sealed.bytes(std::as_bytes(std::span{key.bytes}));
      ++out.sealed;
    } catch (const wallets::key_error& why) {
      out.unreadable.emplace_back(why.what());
    }
  }
  if (out.sealed > 0)
    on.exec_params(seal_sql, with(version, ids, sealed), deadline);
  return out;
}

std::vector<wallets_counted> count_wallets(connection& on, steady_time deadline) {
  return all_of(on.exec_params(wallet_rotation_count_sql, deadline),
                CREDENCE_FIELDS(wallets_counted, (master_version, version), wallets));
}

std::vector<stored_wallet> wallets_of_ends(connection& on, steady_time deadline) {
  const auto found = on.exec_params(first_and_last_sql, deadline);
  const auto keys = records_in(found, key_fields);
  auto out = all_of(found, CREDENCE_FIELDS(stored_wallet, id));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].found = true;
    out[i].key = keys[static_cast<int>(i)];
  }
  return out;
}

std::vector<listed_wallet> list_wallets(connection& on, std::int64_t after, std::int32_t most, steady_time deadline) {
  static constexpr auto fields =
    within(&listed_wallet::wallet, wallet_fields, field{"archived", &listed_wallet::profile_archived});
  const auto found = on.exec_params(list_sql, with(after, most), deadline);
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  auto out = all_of(found, fields);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].wallet.found = true;
    out[i].wallet.profile = profile[static_cast<int>(i)].value_or(wallets::funding_account);
  }
  return out;
}

} // namespace credence::persistence
