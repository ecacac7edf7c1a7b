#include "config/limits.hpp"
#include "persistence/sql/reputation_sql.hpp"

/// Bonds. Triggers derive who is verified (`count_bonds`, 0006_records.sql).
namespace credence::persistence {

namespace {

using reputation::bond_id;
using reputation::bond_record;

const statement insert_bond{"insert_bond", insert_one<reputation::bond_created>("bonds")};
const statement archive_bond{"archive_bond",
                             "UPDATE bonds SET archived = true, archived_at = $2::timestamptz, archived_by = $3::int4,"
                             " archive_reason = $4::text, updated_at = $2::timestamptz WHERE id = $1::int4"};
const statement set_bond_expiration{"set_bond_expiration",
                                    "UPDATE bonds SET expires_at = $2::timestamptz, lapsed = false,"
                                    " updated_at = $3::timestamptz WHERE id = $1::int4"};

#define CREDENCE_BOND                                                                                                  \
  "SELECT b.id, b.author_profile, coalesce(b.subject_key, int4send(0)) AS subject_key, "                               \
  "coalesce(b.subject_generation, 0) AS subject_generation,"                                                           \
  " coalesce(b.subject_profile, 0) AS subject_profile, b.bond_type, b.amount,"                                         \
  " b.amount_type, b.statement, b.method, b.comment, coalesce(b.expires_at, 'epoch') AS expires_at, b.created_at, "    \
  "b.updated_at,"                                                                                                      \
  " b.archived_at, b.archived_by, b.archive_reason"
constexpr auto bonds_sql = CREDENCE_BOND " FROM bonds b WHERE b.id = ANY($1::int4[])";
constexpr auto bonds_about_sql =
  CREDENCE_BOND ", (SELECT p.user_id FROM profiles p WHERE p.id = b.author_profile) AS author_user FROM bonds b"
                " WHERE b.subject_profile = (SELECT p.id FROM profiles p WHERE p.user_id = $1::int4)"
                " ORDER BY b.archived OR b.lapsed, b.id DESC LIMIT $2::int4";

std::vector<bond_record> records_of_bonds(const rows& found) {
  auto out = all_of(found, part<bond_record>::fields);
  const column<std::optional<timestamp>> archived_at{found, "archived_at"};
  const column<std::optional<profile_id>> archived_by{found, "archived_by"};
  const column<std::optional<std::string>> reason{found, "archive_reason"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto at = archived_at[i])
      out[static_cast<std::size_t>(i)].ended =
        reputation::bond_end{*at, archived_by[i].value_or(profile_id{}), reason[i].value_or("")};
  return out;
}

} // namespace

fact_sql_ptr sql_of(kind<reputation::bond_created> it) {
  return written_by(it, {&open_subject, &insert_bond}, [](const auto& fresh, global_seq seq, batch_statements& to) {
    put_subject(to, fresh.subject, fresh.record.created_at);
    to.put(insert_bond, columns_of(fresh, seq));
  });
}
number_column numbers_of(kind<reputation::bond_created>) { return {"bonds"}; }
fact_sql_ptr sql_of(kind<reputation::bond_archived> it) { return written_in_turn(it, archive_bond); }
fact_sql_ptr sql_of(kind<reputation::bond_expiration_set> it) { return written_in_turn(it, set_bond_expiration); }

std::vector<bond_record> read_bonds_here(connection& on, const std::set<bond_id>& which, steady_time deadline) {
  if (which.empty())
    return {};
  return records_of_bonds(on.run(bonds_sql, with(array_of(which)), deadline));
}

std::vector<bond_record> read_bonds_about_here(connection& on, user_id who, std::vector<user_id>& authors,
                                               steady_time deadline) {
  const auto found = on.run(bonds_about_sql, with(who, limits::bonds_shown_max), deadline);
  authors = found.all<user_id>("author_user");
  return records_of_bonds(found);
}

std::optional<reputation::bond_record> read(connection& on, const reputation::get_bond& query, steady_time deadline) {
  return first_in(read_bonds_here(on, {query.id}, deadline));
}
load_handler handler(asked<reputation::get_bond> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
