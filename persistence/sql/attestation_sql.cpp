#include "persistence/sql/reputation_sql.hpp"

/// Attestations: accounts elsewhere that are somebody's.
namespace credence::persistence {

namespace {

using reputation::attestation_record;
using accounts_asked = std::map<reputation::subject_key, reputation::named_subject>;

const statement attest_account{
  "attest_account", "SELECT attest_account($1::int4, $2::bytea, $3::text, $4::text, $5::int4, $6::int4, $7::boolean,"
                    " $8::int4, $9::boolean, $10::text, $11::text, $12::int4, $13::timestamptz, $14::timestamptz)"};
const statement archive_attestation{"archive_attestation",
                                    update_one<reputation::attestation_archived>("attestations")};

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

/// Records with the accounts that they are of.
std::vector<attestation_record> records_of(const rows& found) {
  auto out = all_of(found, part<attestation_record>::fields);
  const column<people::account_service> service{found, "service"};
  const column<std::string> account{found, "account"};
  for (int i = 0; i < found.count(); ++i)
    out[static_cast<std::size_t>(i)].name.account = reputation::account{service[i], account[i]};
  return out;
}

parameters& put_accounts(parameters& to, const accounts_asked& accounts) {
  binary_array keys{sql_type::bytea}, services{sql_type::text}, ids{sql_type::text};
  for (const auto& [key, name] : accounts) {
    keys.bytes(key.bytes());
    services.text(people::name_of(name.account.value().service));
    ids.text(name.account->id);
  }
  for (auto* each : {&keys, &services, &ids})
    detail::put_parameter(to, *each);
  return to;
}

} // namespace

fact_sql_ptr sql_of(kind<reputation::account_attested> it) {
  return written_by(it, {&attest_account}, [](const auto& done, global_seq, batch_statements& to) {
    const auto& record = done.record;
    const auto& account = record.name.account.value();
    to.put(attest_account, with(record.id, record.name.key, account.service, account.id, record.profile, done.user,
                                done.fresh, done.before, done.merges, record.username, record.evidence,
                                done.by ? std::optional{done.by} : std::nullopt, record.created_at, record.updated_at));
  });
}
fact_sql_ptr sql_of(kind<reputation::attestation_archived> it) { return written_in_turn(it, archive_attestation); }

std::vector<reputation::attestation_row> read_attestations_here(connection& on,
                                                                const std::set<reputation::attestation_id>& which,
                                                                const accounts_asked& accounts, steady_time deadline) {
  std::vector<reputation::attestation_row> out;
  if (which.empty() && accounts.empty())
    return out;
  auto asked = with(array_of(which));
  const auto found = on.run(attestations_sql, put_accounts(asked, accounts), deadline);
  auto records = records_of(found);
  const column<user_id> owner{found, "user_id"};
  const column<std::optional<profile_id>> profile{found, "owner_profile"};
  const column<bool> listed{found, "listed"};
  const column<std::int32_t> others{found, "others"};
  const column<bool> superseded{found, "superseded"};
  std::set<reputation::attestation_id> seen;
  for (int i = 0; i < found.count(); ++i)
    if (auto& record = records[static_cast<std::size_t>(i)]; seen.insert(record.id).second)
      out.push_back(
        {std::move(record), owner[i], profile[i].value_or(profile_id{}), listed[i], others[i], superseded[i]});
  return out;
}

std::vector<reputation::subject_key> read_slashed_here(connection& on, const accounts_asked& accounts,
                                                       steady_time deadline) {
  parameters asked;
  if (accounts.empty())
    return {};
  return on.run(slashed_sql, put_accounts(asked, accounts), deadline).all<reputation::subject_key>("key");
}

std::optional<reputation::attestation_record> read(connection& on, const reputation::get_attestation& query,
                                                   steady_time deadline) {
  return first_in(records_of(on.run(attestation_sql, with(query.id), deadline)));
}
load_handler handler(asked<reputation::get_attestation> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
