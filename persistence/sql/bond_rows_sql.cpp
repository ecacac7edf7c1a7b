#include "persistence/sql/bond_rows_sql.hpp"

#include "persistence/sql/chain_columns.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

constexpr auto followed_bonds_sql = "SELECT id, author_profile, bond_type, amount, amount_type, told_expiration, "
                                    "told_expires_at, archived_at, archived_by_wallet,"
                                    " coalesce(archive_reason, '') AS archive_reason, created_at, updated_at FROM "
                                    "bonds WHERE id = ANY($1::int4[]) AND source = 'chain'";

} // namespace

void read_bond_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline) {
  if (keys.bonds.empty())
    return;
  auto ids = ids_of(keys.bonds);
  const auto found = on.run(followed_bonds_sql, parameters{}.array(ids), deadline);
  const column<chain::bond_id> id{found, "id"};
  const column<profile_id> author{found, "author_profile"};
  const column<std::string> type{found, "bond_type"}, amount{found, "amount"}, amount_type{found, "amount_type"},
    reason{found, "archive_reason"};
  const column<std::optional<std::string>> expiration{found, "told_expiration"};
  const column<std::optional<timestamp>> expires{found, "told_expires_at"}, archived{found, "archived_at"};
  const column<std::optional<address>> archived_by{found, "archived_by_wallet"};
  const column<timestamp> created{found, "created_at"}, updated{found, "updated_at"};
  for (int i = 0; i < found.count(); ++i)
    to.bonds.put(id[i],
                 {author[i], type[i], amount[i], amount_type[i], expiration[i], seconds_of(expires[i]),
                  seconds_of(archived[i]), archived_by[i], reason[i], seconds_of(created[i]), seconds_of(updated[i])});
}

} // namespace credence::persistence
