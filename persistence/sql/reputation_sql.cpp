#include "persistence/sql/reputation_sql.hpp"

#include "persistence/sql/attestation_sql.hpp"
#include "persistence/sql/bond_sql.hpp"
#include "persistence/sql/catalogue_sql.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/join_sql.hpp"
#include "persistence/sql/project_record_sql.hpp"
#include "persistence/sql/reply_sql.hpp"
#include "persistence/sql/review_sql.hpp"
#include "persistence/sql/verification_sql.hpp"
#include "persistence/sql/vouch_sql.hpp"

namespace credence::persistence {

namespace {

// Users that events of a chain bring have ids from 1,000,000,000 on, and their attestations those of the contract.
constexpr auto last_ids_sql =
  "SELECT coalesce((SELECT max(id) FROM users WHERE id < 1000000000), 0) AS last_user,"
  " greatest((SELECT max(id) FROM attestations), (SELECT 1000000000 FROM chain_follow WHERE kinds LIKE 'identity%'), 0)"
  "  AS last_attestation,"
  " greatest((SELECT max(id) FROM profiles), (SELECT max(mock_id) FROM placeholders), 0) AS last_profile,"
  " coalesce((SELECT max(id) FROM invitations WHERE source = 'api'), 0) AS last_invitation,"
  " coalesce((SELECT max(id) FROM reviews WHERE source = 'api'), 0) AS last_review,"
  " coalesce((SELECT max(number) FROM vouches WHERE source = 'api'), 0) AS last_vouch,"
  " coalesce((SELECT max(id) FROM replies WHERE source = 'api'), 0) AS last_reply,"
  " coalesce((SELECT max(number) FROM activity_votes WHERE source = 'api'), 0) AS last_vote,"
  " coalesce((SELECT max(id) FROM projects), 0) AS last_project,"
  " coalesce((SELECT max(id) FROM categories), 0) AS last_category,"
  " coalesce((SELECT max(id) FROM chains), 0) AS last_chain,"
  " coalesce((SELECT max(id) FROM bonds WHERE source = 'api'), 0) AS last_bond";

// Each look-up is a scalar subquery, which is one descent of an index whatever the plan around it. An archived
// attestation still says whose the account is: who archives one does not shed what the account receives.
constexpr auto subjects_sql =
  "SELECT k.key, CASE octet_length(k.key) WHEN 20 THEN (SELECT a.user_id FROM addresses a WHERE a.address = k.key)"
  " WHEN 4 THEN (SELECT p.user_id FROM profiles p WHERE p.id = ('x' || encode(k.key, 'hex'))::bit(32)::int4)"
  " ELSE (SELECT a.user_id FROM attestations a WHERE a.service = k.service AND a.account = k.account"
  "  AND (NOT a.archived OR a.profile_id IS NOT NULL) ORDER BY a.archived, a.id DESC LIMIT 1) END AS owner,"
  " (SELECT max(s.generation) FROM subjects s WHERE s.key = k.key) AS generation,"
  " (SELECT s.user_id FROM subjects s WHERE s.key = k.key ORDER BY s.generation DESC LIMIT 1) AS user_id,"
  " (SELECT CASE WHEN n.since > f.authority THEN n.since END FROM chain_follow f CROSS JOIN LATERAL (SELECT greatest("
  "  CASE octet_length(k.key) WHEN 20 THEN (SELECT a.since_block FROM addresses a WHERE a.address = k.key)"
  "  WHEN 4 THEN (SELECT p.since_block FROM profiles p WHERE p.id = ('x' || encode(k.key, 'hex'))::bit(32)::int4)"
  "  ELSE (SELECT max(a.since_block) FROM attestations a WHERE a.service = k.service AND a.account = k.account) END,"
  "  (SELECT s.since_block FROM subjects s WHERE s.key = k.key ORDER BY s.generation DESC LIMIT 1)) AS since) n)"
  "  AS unsettled"
  " FROM unnest($1::bytea[], $2::text[], $3::text[]) k(key, service, account)";

void read_last(reputation::last_ids& to, connection& on, steady_time deadline) {
  const auto last = on.run(last_ids_sql, deadline);
  to.user = last.first<user_id>("last_user");
  to.attestation = last.first<std::int32_t>("last_attestation");
  to.profile = last.first<profile_id>("last_profile");
  to.invitation = last.first<invitation_id>("last_invitation");
  to.review = last.first<review_id>("last_review");
  to.vouch = last.first<vouch_id>("last_vouch");
  to.reply = last.first<reply_id>("last_reply");
  to.vote = last.first<std::int32_t>("last_vote");
  to.project = last.first<project_id>("last_project");
  to.category = last.first<reputation::category_id>("last_category");
  to.chain = last.first<reputation::chain_id>("last_chain");
  to.bond = last.first<std::int32_t>("last_bond");
}

std::vector<reputation::subject_row> read_subjects_here(connection& on, const reputation::record_keys& command,
                                                        steady_time deadline) {
  std::vector<reputation::subject_row> out;
  binary_array keys{sql_type::bytea}, services{sql_type::text}, accounts{sql_type::text};
  const auto add = [&](const reputation::subject_key& key, const std::optional<reputation::account>& account) {
    keys.bytes(key.bytes());
    if (account) {
      services.text(people::name_of(account->service));
      accounts.text(account->id);
    } else {
      services.null();
      accounts.null();
    }
  };
  for (const auto& [key, name] : command.subjects)
    add(key, name.account);
  for (const auto& each : command.addresses)
    if (const reputation::subject_key key{each}; !command.subjects.contains(key))
      add(key, std::nullopt);
  if (command.subjects.empty() && command.addresses.empty())
    return out;
  const auto found = on.run(subjects_sql, parameters{}.array(keys).array(services).array(accounts), deadline);
  const column<std::string_view> key{found, "key"};
  const column<std::optional<user_id>> owner{found, "owner"};
  const column<std::optional<std::int32_t>> generation{found, "generation"};
  const column<std::optional<user_id>> user{found, "user_id"};
  const column<std::optional<std::int64_t>> unsettled{found, "unsettled"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({reputation::subject_key{std::as_bytes(std::span{key[i]})}, owner[i].value_or(user_id{}),
                   generation[i].value_or(-1), user[i].value_or(user_id{}), unsettled[i]});
  return out;
}

/// Projects, and the users that are listed or are to be.
void read_listings_here(connection& on, const reputation::record_keys& keys, reputation::stored_records& to,
                        steady_time deadline) {
  std::set<user_id> users;
  if (!keys.userkeys.empty())
    for (const auto& each : to.subjects)
      for (const auto who : {each.owner, each.user})
        if (who)
          users.insert(who);
  to.projects = read_projects_here(on, keys.projects, keys.userkeys, users, deadline);
  for (const auto& each : to.projects)
    users.insert(each.user);
  to.listed = read_listed_here(on, users, deadline);
}

} // namespace

const statement open_subject{
  "open_subject", "SELECT open_subject($1::bytea, $2::int4, $3::int4, $4::text, $5::text, $6::text, $7::text, $8::int4,"
                  " $9::timestamptz)"};

parameters open_subject_with(const reputation::fresh_subject& fresh, timestamp at) {
  parameters out;
  out.bytes(fresh.name.key.bytes()).int4(fresh.generation).int4(fresh.user.value);
  if (const auto& account = fresh.name.account)
    out.text(people::name_of(account->service)).text(account->id);
  else
    out.null().null();
  if (const auto& made = fresh.new_user)
    out.text(made->display_name).text(made->avatar_url).int4(made->attestation);
  else
    out.null().null().null();
  return out.time(at);
}

reputation::stored_records read_records_here(connection& on, const reputation::record_keys& keys,
                                             steady_time deadline) {
  reputation::stored_records out;
  read_last(out.last, on, deadline);
  out.profiles = read_profiles_here(on, keys.profiles, deadline);
  out.subjects = read_subjects_here(on, keys, deadline);
  out.addresses = read_addresses_here(on, keys.addresses, deadline);
  out.usernames = read_usernames_here(on, keys.usernames, deadline);
  out.invitations = read_invitations_here(on, keys.invitations, keys.addresses, deadline);
  out.attestations = read_attestations_here(on, keys.attestations, keys.accounts, deadline);
  out.slashed_accounts = read_slashed_here(on, keys.accounts, deadline);
  out.verifications = read_verifications_here(on, keys.verifications, deadline);
  out.bonds = read_bonds_here(on, keys.bonds, deadline);
  out.reviews = read_reviews_here(on, keys.reviews, deadline);
  std::set<reputation::vouch_place> vouches;
  for (const auto which : keys.vouches)
    vouches.insert({which});
  out.vouches = read_vouches_here(on, vouches, deadline);
  out.active = read_active_here(on, keys.vouchers, deadline);
  out.made = read_made_here(on, keys.authors, deadline);
  out.judged = read_judged_here(on, keys.judged, deadline);
  if (!keys.vouchers.empty())
    out.vouched = read_vouched_here(on, out.subjects, deadline);
  out.replies = read_replies_here(on, keys.replies, deadline);
  out.activities = read_activities_here(on, keys.activities, deadline);
  out.votes = read_votes_here(on, keys.votes, deadline);
  out.used_nonces = read_nonces_here(on, keys.nonces, deadline);
  read_listings_here(on, keys, out, deadline);
  out.categories = read_categories_here(on, keys.categories, keys.slugs, deadline);
  out.chains = read_chains_here(on, keys.chains, keys.chain_names, deadline);
  return out;
}

reputation::stored_records read(connection& on, const reputation::load_records& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  auto out = read_records_here(on, query.keys, deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
