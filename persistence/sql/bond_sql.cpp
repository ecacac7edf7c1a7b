#include "persistence/sql/bond_sql.hpp"

#include "config/bond_limits.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

using reputation::bond_id;
using reputation::bond_record;

const statement insert_bond{
  "insert_bond",
  "INSERT INTO bonds (id, author_profile, subject_key, subject_generation, subject_profile, bond_type, amount, "
  "amount_type,"
  " statement, method, comment, expires_at, created_by, created_at, updated_at, seq) VALUES ($1::int4, $2::int4, "
  "$3::bytea,"
  " $4::int4, $5::int4, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text, $12::timestamptz, $13::int4,"
  " $14::timestamptz, $14::timestamptz, $15::int8)"};
const statement archive_bond{"archive_bond",
                             "UPDATE bonds SET archived = true, archived_at = $2::timestamptz, archived_by = $3::int4,"
                             " archive_reason = $4::text, updated_at = $2::timestamptz WHERE id = $1::int4"};
const statement set_bond_expiration{"set_bond_expiration",
                                    "UPDATE bonds SET expires_at = $2::timestamptz, lapsed = false,"
                                    " updated_at = $3::timestamptz WHERE id = $1::int4"};

#define CREDENCE_BOND                                                                                                  \
  "SELECT b.id, b.author_profile, coalesce(b.subject_key, int4send(0)) AS subject_key, "                               \
  "coalesce(b.subject_generation, 0) AS subject_generation,"                                                           \
  " NULL::text AS subject_service, NULL::text AS subject_account, coalesce(b.subject_profile, 0) AS subject_profile, " \
  "b.bond_type, b.amount,"                                                                                             \
  " b.amount_type, b.statement, b.method, b.comment, coalesce(b.expires_at, 'epoch') AS expires_at, b.created_at, "    \
  "b.updated_at,"                                                                                                      \
  " b.archived_at, b.archived_by, b.archive_reason"
constexpr auto bonds_sql = CREDENCE_BOND " FROM bonds b WHERE b.id = ANY($1::int4[])";
constexpr auto bonds_about_sql =
  CREDENCE_BOND ", (SELECT p.user_id FROM profiles p WHERE p.id = b.author_profile) AS author_user FROM bonds b"
                " WHERE b.subject_profile = (SELECT p.id FROM profiles p WHERE p.user_id = $1::int4)"
                " ORDER BY b.archived OR b.lapsed, b.id DESC LIMIT $2::int4";

struct bond_columns {
  const rows& in;
  column<bond_id> id{in, "id"};
  column<profile_id> author{in, "author_profile"};
  named_subject_columns subject{in};
  column<profile_id> subject_profile{in, "subject_profile"};
  column<std::string> type{in, "bond_type"};
  column<std::string> amount{in, "amount"};
  column<std::string> amount_type{in, "amount_type"};
  column<std::string> statement{in, "statement"};
  column<std::optional<reputation::verification_method>> method{in, "method"};
  column<std::string> comment{in, "comment"};
  column<timestamp> expires_at{in, "expires_at"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};
  column<std::optional<timestamp>> archived_at{in, "archived_at"};
  column<std::optional<profile_id>> archived_by{in, "archived_by"};
  column<std::optional<std::string>> archive_reason{in, "archive_reason"};

  bond_record record(int row) const {
    bond_record out{id[row],         author[row],      subject.subject(row), subject_profile[row], type[row],
                    amount[row],     amount_type[row], statement[row],       method[row],          comment[row],
                    expires_at[row], created_at[row],  updated_at[row],      std::nullopt};
    if (const auto at = archived_at[row])
      out.ended = reputation::bond_end{*at, archived_by[row].value_or(profile_id{}), archive_reason[row].value_or("")};
    return out;
  }
};

} // namespace

statements_used sql_of<reputation::bond_created>::used() { return {&open_subject, &insert_bond}; }
void sql_of<reputation::bond_created>::add(const reputation::bond_created& fresh, global_seq seq,
                                           batch_statements& to) {
  const auto& record = fresh.record;
  if (fresh.subject)
    to.put(open_subject, open_subject_with(*fresh.subject, record.created_at));
  parameters with;
  with.int4(record.id.value)
    .int4(record.author.value)
    .bytes(record.subject.name.key.bytes())
    .int4(record.subject.generation);
  with.int4(record.subject_profile.value)
    .text(record.type)
    .text(record.amount)
    .text(record.amount_type)
    .text(record.statement);
  if (record.method)
    with.text(reputation::verification_method_names[static_cast<std::size_t>(*record.method)]);
  else
    with.null();
  to.put(insert_bond,
         with.text(record.comment).time(record.expires_at).int4(fresh.by.value).time(record.created_at).int8(seq));
}

statements_used sql_of<reputation::bond_archived>::used() { return {&archive_bond}; }
void sql_of<reputation::bond_archived>::add(const reputation::bond_archived& done, global_seq, batch_statements& to) {
  to.put(archive_bond,
         parameters{}.int4(done.id.value).time(done.end.at).int4(done.end.by.value).text(done.end.reason));
}

statements_used sql_of<reputation::bond_expiration_set>::used() { return {&set_bond_expiration}; }
void sql_of<reputation::bond_expiration_set>::add(const reputation::bond_expiration_set& done, global_seq,
                                                  batch_statements& to) {
  to.put(set_bond_expiration, parameters{}.int4(done.id.value).time(done.expires_at).time(done.at));
}

std::vector<bond_record> read_bonds_here(connection& on, const std::set<bond_id>& which, steady_time deadline) {
  std::vector<bond_record> out;
  if (which.empty())
    return out;
  auto ids = ids_of(which);
  const auto found = on.run(bonds_sql, parameters{}.array(ids), deadline);
  const bond_columns from{found};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(from.record(i));
  return out;
}

std::vector<bond_record> read_bonds_about_here(connection& on, user_id who, std::vector<user_id>& authors,
                                               steady_time deadline) {
  std::vector<bond_record> out;
  const auto found = on.run(bonds_about_sql, parameters{}.int4(who.value).int4(limits::bonds_shown_max), deadline);
  const bond_columns from{found};
  const column<user_id> author{found, "author_user"};
  for (int i = 0; i < found.count(); ++i) {
    out.push_back(from.record(i));
    authors.push_back(author[i]);
  }
  return out;
}

reputation::found_bond read(connection& on, const reputation::load_bond& query, steady_time deadline) {
  auto found = read_bonds_here(on, {query.id}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

} // namespace credence::persistence
