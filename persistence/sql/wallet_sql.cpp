#include "persistence/sql/wallet_sql.hpp"

#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

const statement insert_wallets{"insert_wallets", fact_columns<wallets::wallet_made>::insert_into("managed_wallets")};
const statement stamp_exports{"stamp_exports",
                              "UPDATE managed_wallets w SET exported_at = greatest(w.exported_at, u.at)"
                              " FROM unnest($1::int8[], $2::timestamptz[]) AS u (id, at) WHERE w.id = u.id"};

namespace {

// Of several profiles at once; each costs one descent of an index, whatever the plan around it.
constexpr auto wallets_sql =
  "SELECT k.place, w.id, w.address, w.master_version, w.sealed_key, w.created_at, w.exported_at,"
  " w.orphaned_at IS NOT NULL AS orphaned"
  " FROM unnest($1::int8[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT * FROM managed_wallets WHERE id = k.id OFFSET 0) w";

} // namespace

std::vector<wallets::stored_wallet> read(connection& on, std::span<const wallets::load_wallet> whose,
                                         steady_time deadline) {
  std::vector<wallets::stored_wallet> out(whose.size());
  binary_array ids{sql_type::int8};
  for (const auto& each : whose)
    ids.int8(wallets::wallet_id_of(each.profile));
  const auto found = on.run(wallets_sql, parameters{}.array(ids), deadline);
  const places place{found};
  const column<std::int64_t> id{found, "id"};
  const column<address> at{found, "address"};
  const column<std::int32_t> version{found, "master_version"};
  const column<std::string> sealed{found, "sealed_key"};
  const column<timestamp> made_at{found, "created_at"};
  const column<std::optional<timestamp>> exported_at{found, "exported_at"};
  const column<bool> orphaned{found, "orphaned"};
  for (int i = 0; i < found.count(); ++i) {
    const auto asked = place[i];
    if (orphaned[i]) {
      out.at(asked).orphaned = true;
      continue;
    }
    out.at(asked) = {true, whose[asked].profile, id[i], at[i], {version[i], sealed[i]}, made_at[i], exported_at[i]};
  }
  return out;
}

} // namespace credence::persistence
