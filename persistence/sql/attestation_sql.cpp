#include "persistence/sql/attestation_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

namespace {

using reputation::attestation_record;
using accounts_asked = std::map<reputation::subject_key, reputation::named_subject>;

const statement attest_account{
  "attest_account", "SELECT attest_account($1::int4, $2::bytea, $3::text, $4::text, $5::int4, $6::int4, $7::boolean,"
                    " $8::int4, $9::boolean, $10::text, $11::text, $12::int4, $13::timestamptz, $14::timestamptz)"};
const statement archive_attestation{
  "archive_attestation",
  "UPDATE attestations SET archived = $2::boolean, updated_at = $3::timestamptz WHERE id = $1::int4"};

// The row of an account is the live one, or else the newest; one that nobody has attested counts only while it is live.
// Each look-up is a scalar subquery, which is one descent of an index whatever the plan around it.
constexpr auto attestations_sql =
  "SELECT coalesce(k.key, a.hash) AS key, a.id, a.user_id, a.profile_id, a.service, a.account, a.username, a.url, "
  "a.evidence, a.archived,"
  " a.created_at, coalesce(a.updated_at, a.created_at) AS updated_at,"
  " (SELECT p.id FROM profiles p WHERE p.user_id = a.user_id) AS owner_profile,"
  " EXISTS (SELECT FROM projects l WHERE l.user_id = a.user_id) AS listed,"
  " ((SELECT count(*) FROM addresses o WHERE o.user_id = a.user_id)"
  "  + (SELECT count(*) FROM attestations t WHERE t.user_id = a.user_id AND NOT t.archived AND t.id <> a.id))::int4 AS "
  "others,"
  " a.id IS DISTINCT FROM (SELECT t.id FROM attestations t WHERE t.service = a.service AND t.account = a.account"
  "  AND (NOT t.archived OR t.profile_id IS NOT NULL) ORDER BY t.archived, t.id DESC LIMIT 1) AS superseded"
  " FROM (SELECT NULL::bytea AS key, i.id FROM unnest($1::int4[]) i(id)"
  "  UNION ALL SELECT k.key, (SELECT t.id FROM attestations t WHERE t.service = k.service AND t.account = k.account"
  "   AND (NOT t.archived OR t.profile_id IS NOT NULL) ORDER BY t.archived, t.id DESC LIMIT 1)"
  "  FROM unnest($2::bytea[], $3::text[], $4::text[]) k(key, service, account)) k"
  " CROSS JOIN LATERAL (SELECT * FROM attestations t WHERE t.id = k.id LIMIT 1) a";

constexpr auto slashed_sql =
  "SELECT k.key FROM unnest($1::bytea[], $2::text[], $3::text[]) k(key, service, account)"
  " WHERE EXISTS (SELECT FROM slashes h WHERE h.closed_at IS NULL AND h.subject_service = k.service AND "
  "h.subject_account = k.account)"
  " OR EXISTS (SELECT FROM slashes h WHERE h.closed_at IS NULL AND h.subject_user_id = (SELECT t.user_id FROM "
  "attestations t"
  "  WHERE t.service = k.service AND t.account = k.account AND (NOT t.archived OR t.profile_id IS NOT NULL)"
  "  ORDER BY t.archived, t.id DESC LIMIT 1))";

constexpr auto attestation_sql =
  "SELECT hash AS key, id, profile_id, service, account, username, url, evidence, archived, created_at,"
  " coalesce(updated_at, created_at) AS updated_at FROM attestations WHERE id = $1::int4 AND profile_id IS NOT NULL";

struct attestation_columns {
  const rows& in;
  column<std::string_view> key{in, "key"};
  column<reputation::attestation_id> id{in, "id"};
  column<std::optional<profile_id>> profile{in, "profile_id"};
  column<people::account_service> service{in, "service"};
  column<std::string> account{in, "account"};
  column<std::optional<std::string>> username{in, "username"};
  column<std::optional<std::string>> url{in, "url"};
  column<std::optional<std::string>> evidence{in, "evidence"};
  column<bool> archived{in, "archived"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};

  attestation_record record(int row) const {
    return {
      id[row],
      profile[row].value_or(profile_id{}),
      {reputation::subject_key{std::as_bytes(std::span{key[row]})}, reputation::account{service[row], account[row]}},
      username[row],
      url[row],
      evidence[row],
      archived[row],
      created_at[row],
      updated_at[row]};
  }
};

/// Accounts as array parameters.
struct account_arrays {
  explicit account_arrays(const accounts_asked& from) {
    for (const auto& [key, name] : from) {
      keys.bytes(key.bytes());
      const auto& account = name.account.value();
      services.text(people::name_of(account.service));
      accounts.text(account.id);
    }
  }
  binary_array keys{sql_type::bytea}, services{sql_type::text}, accounts{sql_type::text};
};

} // namespace

statements_used sql_of<reputation::account_attested>::used() { return {&attest_account}; }
void sql_of<reputation::account_attested>::add(const reputation::account_attested& done, global_seq,
                                               batch_statements& to) {
  const auto& record = done.record;
  const auto& account = record.name.account.value();
  parameters with;
  with.int4(record.id.value).bytes(record.name.key.bytes()).text(people::name_of(account.service)).text(account.id);
  with.int4(record.profile.value).int4(done.user.value).boolean(done.fresh);
  put_if_any(with, done.before).boolean(done.merges).text(record.username).text(record.evidence);
  put_if_any(with, done.by ? std::optional{done.by} : std::nullopt);
  to.put(attest_account, with.time(record.created_at).time(record.updated_at));
}

statements_used sql_of<reputation::attestation_archived>::used() { return {&archive_attestation}; }
void sql_of<reputation::attestation_archived>::add(const reputation::attestation_archived& done, global_seq,
                                                   batch_statements& to) {
  to.put(archive_attestation, parameters{}.int4(done.id.value).boolean(done.archived).time(done.at));
}

std::vector<reputation::attestation_row> read_attestations_here(connection& on,
                                                                const std::set<reputation::attestation_id>& which,
                                                                const accounts_asked& accounts, steady_time deadline) {
  std::vector<reputation::attestation_row> out;
  if (which.empty() && accounts.empty())
    return out;
  auto ids = ids_of(which);
  account_arrays named{accounts};
  const auto found = on.run(
    attestations_sql, parameters{}.array(ids).array(named.keys).array(named.services).array(named.accounts), deadline);
  const attestation_columns records{found};
  const column<user_id> owner{found, "user_id"};
  const column<std::optional<profile_id>> profile{found, "owner_profile"};
  const column<bool> listed{found, "listed"};
  const column<std::int32_t> others{found, "others"};
  const column<bool> superseded{found, "superseded"};
  std::set<reputation::attestation_id> seen;
  for (int i = 0; i < found.count(); ++i)
    if (seen.insert(records.id[i]).second)
      out.push_back(
        {records.record(i), owner[i], profile[i].value_or(profile_id{}), listed[i], others[i], superseded[i]});
  return out;
}

std::vector<reputation::subject_key> read_slashed_here(connection& on, const accounts_asked& accounts,
                                                       steady_time deadline) {
  std::vector<reputation::subject_key> out;
  if (accounts.empty())
    return out;
  account_arrays named{accounts};
  const auto found =
    on.run(slashed_sql, parameters{}.array(named.keys).array(named.services).array(named.accounts), deadline);
  const column<std::string_view> key{found, "key"};
  for (int i = 0; i < found.count(); ++i)
    out.emplace_back(std::as_bytes(std::span{key[i]}));
  return out;
}

reputation::found_attestation read(connection& on, const reputation::load_attestation& query, steady_time deadline) {
  const auto found = on.run(attestation_sql, parameters{}.int4(query.id.value), deadline);
  if (found.empty())
    return {};
  return {attestation_columns{found}.record(0)};
}

} // namespace credence::persistence
