#include "persistence/sql/reputation_sql.hpp"

/// What all records share: the rows that requests are decided over, and subjects.
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

reputation::last_ids read_last(connection& on, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(
    reputation::last_ids, (last_user, user), (last_attestation, attestation), (last_profile, profile),
    (last_invitation, invitation), (last_review, review), (last_vouch, vouch), (last_reply, reply), (last_vote, vote),
    (last_project, project), (last_category, category), (last_chain, chain), (last_bond, bond));
  return first_of(on.run(last_ids_sql, deadline), fields).value();
}

std::vector<reputation::subject_row> read_subjects_here(connection& on, const reputation::record_keys& command,
                                                        steady_time deadline) {
  using of = reputation::subject_row;
  static constexpr field_list fields{field{"key", &of::key}, field{"owner", or_null(&of::owner)},
                                     field{"user_id", or_null(&of::user)}, field{"unsettled", &of::unsettled}};
  if (command.subjects.empty() && command.addresses.empty())
    return {};
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
  const auto found = on.run(subjects_sql, with(keys, services, accounts), deadline);
  auto out = all_of(found, fields);
  const column<std::optional<std::int32_t>> generation{found, "generation"};
  for (int i = 0; i < found.count(); ++i)
    out[static_cast<std::size_t>(i)].generation = generation[i].value_or(-1);
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

void put_subject(batch_statements& to, const std::optional<reputation::fresh_subject>& fresh, timestamp at) {
  if (!fresh)
    return;
  const auto& account = fresh->name.account;
  const auto& made = fresh->new_user;
  to.put(open_subject,
         with(fresh->name.key, fresh->generation, fresh->user, account ? std::optional{account->service} : std::nullopt,
              account ? std::optional{account->id} : std::nullopt,
              made ? std::optional{made->display_name} : std::nullopt,
              made ? std::optional{made->avatar_url} : std::nullopt,
              made ? std::optional{made->attestation} : std::nullopt, at));
}

const statement use_nonce{"use_nonce", "INSERT INTO used_nonces (address, nonce, profile_id, used_at, expires_at)"
                                       " VALUES ($1::bytea, $2::text, $3::int4, $4::timestamptz, $5::timestamptz)"};

void put_nonce(batch_statements& to, const profile::signed_nonce& which, profile_id of, timestamp at) {
  to.put(use_nonce, with(which.signer, which.nonce, of, at, which.expires_at));
}

reputation::stored_records read_records_here(connection& on, const reputation::record_keys& keys,
                                             steady_time deadline) {
  reputation::stored_records out;
  out.last = read_last(on, deadline);
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

/// The rows behind some requests, of one snapshot.
reputation::stored_records read(connection& on, const reputation::load_records& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  return read_records_here(on, query.keys, deadline);
}
load_handler handler(asked<reputation::load_records> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
