#include "persistence/sql/wallet_rotation.hpp"

#include "persistence/postgres/column.hpp"

#include <optional>

namespace credence::persistence {

namespace {

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

/// The id and the sealed key of a wallet.
struct wallet_rotation_key_columns {
  explicit wallet_rotation_key_columns(const rows& in)
    : id(in, "id"), version(in, "master_version"), sealed(in, "sealed_key") {}
  column<std::int64_t> id;
  column<std::int32_t> version;
  column<std::string> sealed;

  wallets::sealed_key key(int row) const { return {version[row], sealed[row]}; }
};

} // namespace

rotated_piece rotate_wallets(connection& on, wallets::wallet_keys& keys, std::int32_t version, std::int64_t after,
                             std::int32_t most, steady_time deadline) {
  const auto found = on.exec_params(older_sql, parameters{}.int4(version).int8(after).int4(most), deadline);
  const wallet_rotation_key_columns older{found};
  rotated_piece out;
  out.more = found.count() == most;
  binary_array ids{sql_type::int8}, sealed{sql_type::bytea};
  for (int i = 0; i < found.count(); ++i) {
    out.last = older.id[i];
    try {
      const auto key = keys.rotate(out.last, older.key(i));
      ids.int8(out.last);
      sealed.bytes(std::as_bytes(std::span{key.bytes}));
      ++out.sealed;
    } catch (const wallets::key_error& why) {
      out.unreadable.emplace_back(why.what());
    }
  }
  if (out.sealed > 0)
    on.exec_params(seal_sql, parameters{}.int4(version).array(ids).array(sealed), deadline);
  return out;
}

std::vector<wallets_counted> count_wallets(connection& on, steady_time deadline) {
  const auto found = on.exec_params(wallet_rotation_count_sql, deadline);
  const column<std::int32_t> version{found, "master_version"};
  const column<std::int64_t> wallets{found, "wallets"};
  std::vector<wallets_counted> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({version[i], wallets[i]});
  return out;
}

std::vector<wallets::stored_wallet> wallets_of_ends(connection& on, steady_time deadline) {
  const auto found = on.exec_params(first_and_last_sql, deadline);
  const wallet_rotation_key_columns columns{found};
  std::vector<wallets::stored_wallet> out;
  for (int i = 0; i < found.count(); ++i) {
    auto& wallet = out.emplace_back();
    wallet.found = true;
    wallet.id = columns.id[i];
    wallet.key = columns.key(i);
  }
  return out;
}

std::vector<listed_wallet> list_wallets(connection& on, std::int64_t after, std::int32_t most, steady_time deadline) {
  const auto found = on.exec_params(list_sql, parameters{}.int8(after).int4(most), deadline);
  const column<std::int64_t> id{found, "id"};
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  const column<address> at{found, "address"};
  const column<std::int32_t> version{found, "master_version"};
  const column<timestamp> made_at{found, "created_at"};
  const column<std::optional<timestamp>> exported_at{found, "exported_at"};
  const column<bool> archived{found, "archived"};
  std::vector<listed_wallet> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({{true,
                    profile[i].value_or(wallets::funding_account),
                    id[i],
                    at[i],
                    {version[i], {}},
                    made_at[i],
                    exported_at[i]},
                   archived[i]});
  return out;
}

} // namespace credence::persistence
