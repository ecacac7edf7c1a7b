#include "actors/chain/apply.hpp"
#include "actors/chain/chain_records.hpp"
#include "persistence/sql/bond_rows_sql.hpp"
#include "persistence/sql/broker_rows_sql.hpp"
#include "persistence/sql/chain_columns.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/slash_rows_sql.hpp"
#include "persistence/sql/vouch_rows_sql.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::invitation_status> = chain::invitation_status_words;

namespace {

using namespace chain;

/// Ids of users that events bring. Those that the API brings are below, so that two who count do not meet.
constexpr auto counters_sql =
  "SELECT name, last FROM chain_last_ids"
  " UNION ALL SELECT 'user', coalesce((SELECT max(id) FROM users WHERE id >= 1000000000), 999999999)"
  " UNION ALL SELECT 'invitation', coalesce((SELECT max(id) FROM invitations), 0)";
constexpr auto params_sql = "SELECT contract, name, value FROM chain_params";
constexpr auto users_sql = "SELECT u.id, (SELECT p.id FROM profiles p WHERE p.user_id = u.id AND NOT p.orphaned) AS "
                           "profile, u.status = 'ACTIVE' AS active, u.merged_into"
                           " FROM users u WHERE u.id = ANY($1::int4[])";
constexpr auto chain_rows_profiles_sql = "SELECT p.id, p.user_id, (SELECT a.address FROM addresses a WHERE a.user_id = "
                                         "p.user_id AND a.kind = 'primary') AS main,"
                                         " p.invites_available, CASE p.source WHEN 'chain' THEN p.told_inviter ELSE "
                                         "p.invited_by END AS inviter, p.created_at, p.archived, p.orphaned FROM "
                                         "profiles p WHERE p.id = ANY($1::int4[])";
constexpr auto addresses_sql =
  "SELECT address, user_id, compromised, coalesce(first_seen_at, added_at) AS first_seen_at, unlinked_at FROM addresses"
  " WHERE address = ANY($1::bytea[]) OR user_id = ANY($2::int4[])";
constexpr auto chain_rows_attestations_sql =
  "SELECT id, profile_id, service, account, coalesce(evidence, '') AS evidence, archived, created_at FROM attestations"
  " WHERE id = ANY($1::int4[]) AND profile_id IS NOT NULL";
constexpr auto chain_rows_subjects_sql =
  "SELECT s.key, s.generation, s.user_id, s.service, s.account FROM subjects s JOIN (SELECT k.key, (SELECT "
  "max(n.generation)"
  "   FROM subjects n WHERE n.key = k.key) AS generation FROM unnest($1::bytea[]) k(key)"
  "  UNION SELECT * FROM unnest($2::bytea[], $3::int4[])) w ON w.key = s.key AND w.generation = s.generation";
constexpr auto placeholders_sql = "SELECT mock_id, key, generation FROM placeholders WHERE mock_id = ANY($1::int4[])";
// Which one of several was accepted is read of the contract; events leave them all alike.
constexpr auto invitations_sql =
  "SELECT i.id, i.sender, i.recipient, CASE WHEN i.status = 'ACCEPTED' AND i.source = 'chain' AND p.told_inviter IS "
  "NULL"
  "  THEN 'ACCEPTED_OTHER_INVITATION' ELSE i.status END AS status, i.invited_at, i.accepted_at, i.profile"
  " FROM invitations i LEFT JOIN profiles p ON p.id = i.profile WHERE i.recipient = ANY($1::bytea[])";
constexpr auto chain_rows_reviews_sql =
  "SELECT id, author_profile, author_address, subject_key AS key, subject_generation AS generation, score, archived,"
  " created_at, updated_at, edits FROM reviews WHERE id = ANY($1::int4[])";
constexpr auto chain_rows_votes_sql =
  "SELECT v.kind, v.target_id, v.voter, v.number, v.upvote, v.archived, v.created_at, v.updated_at FROM activity_votes "
  "v"
  " JOIN unnest($1::text[], $2::int4[], $3::int4[]) k(kind, target_id, voter) USING (kind, target_id, voter)";
constexpr auto chain_rows_replies_sql =
  "SELECT id, author_profile, target_kind, created_at, updated_at, edits FROM replies"
  " WHERE id = ANY($1::int4[]) AND author_profile IS NOT NULL";

void put_key(binary_array& to, const subject_key& key) { to.bytes(bytes_of(key)); }

void read_users(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.users.empty())
    return;
  auto ids = ids_of(keys.users);
  const auto found = on.run(users_sql, parameters{}.array(ids), deadline);
  const column<user_id> id{found, "id"};
  const column<std::optional<profile_id>> profile{found, "profile"};
  const column<bool> active{found, "active"};
  const column<std::optional<user_id>> merged{found, "merged_into"};
  for (int i = 0; i < found.count(); ++i)
    to.users.put(id[i], {profile[i], active[i], merged[i]});
}

void read_profiles(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.profiles.empty())
    return;
  auto ids = ids_of(keys.profiles);
  const auto found = on.run(chain_rows_profiles_sql, parameters{}.array(ids), deadline);
  const column<profile_id> id{found, "id"};
  const column<user_id> user{found, "user_id"};
  const column<std::optional<address>> primary{found, "main"};
  const column<std::int32_t> invites{found, "invites_available"};
  const column<std::optional<profile_id>> inviter{found, "inviter"};
  const column<timestamp> created{found, "created_at"};
  const column<bool> archived{found, "archived"}, orphaned{found, "orphaned"};
  for (int i = 0; i < found.count(); ++i)
    to.profiles.put(id[i],
                    {user[i], primary[i], invites[i], inviter[i], seconds_of(created[i]), archived[i], orphaned[i]});
}

void read_addresses(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.addresses.empty() && keys.holders.empty())
    return;
  binary_array which{sql_type::bytea};
  for (const auto& each : keys.addresses)
    which.bytes(each.bytes);
  auto holders = ids_of(keys.holders);
  const auto found = on.run(addresses_sql, parameters{}.array(which).array(holders), deadline);
  const column<address> where{found, "address"};
  const column<user_id> user{found, "user_id"};
  const column<bool> compromised{found, "compromised"};
  const column<timestamp> seen{found, "first_seen_at"};
  const column<std::optional<timestamp>> unlinked{found, "unlinked_at"};
  for (int i = 0; i < found.count(); ++i)
    to.addresses.put(where[i], {user[i], compromised[i], seconds_of(seen[i]), seconds_of(unlinked[i])});
}

void read_attestations(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.attestations.empty())
    return;
  auto ids = ids_of(keys.attestations);
  const auto found = on.run(chain_rows_attestations_sql, parameters{}.array(ids), deadline);
  const column<attestation_id> id{found, "id"};
  const column<profile_id> profile{found, "profile_id"};
  const column<std::string> service{found, "service"}, account{found, "account"}, evidence{found, "evidence"};
  const column<bool> archived{found, "archived"};
  const column<timestamp> created{found, "created_at"};
  for (int i = 0; i < found.count(); ++i)
    to.attestations.put(id[i], {profile[i], service[i], account[i], evidence[i], archived[i], seconds_of(created[i])});
}

void read_subjects(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.newest.empty() && keys.subjects.empty())
    return;
  binary_array newest{sql_type::bytea}, places{sql_type::bytea}, generations{sql_type::int4};
  for (const auto& each : keys.newest)
    put_key(newest, each);
  for (const auto& each : keys.subjects) {
    put_key(places, each.key);
    generations.int4(each.generation);
  }
  const auto found =
    on.run(chain_rows_subjects_sql, parameters{}.array(newest).array(places).array(generations), deadline);
  const column<std::string_view> key{found, "key"};
  const column<std::int32_t> generation{found, "generation"};
  const column<user_id> user{found, "user_id"};
  const column<std::optional<std::string>> service{found, "service"}, account{found, "account"};
  for (int i = 0; i < found.count(); ++i)
    to.subjects.put({key_of(key[i]), generation[i]}, {user[i], service[i], account[i]});
}

void read_placeholders(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.placeholders.empty())
    return;
  auto ids = ids_of(keys.placeholders);
  const auto found = on.run(placeholders_sql, parameters{}.array(ids), deadline);
  const column<profile_id> id{found, "mock_id"};
  const column<std::optional<std::string_view>> key{found, "key"};
  const column<std::optional<std::int32_t>> generation{found, "generation"};
  for (int i = 0; i < found.count(); ++i) {
    placeholder_row row;
    if (const auto named = key[i])
      row.names = subject_place{key_of(*named), generation[i].value_or(0)};
    to.placeholders.put(id[i], row);
  }
}

void read_invitations(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.recipients.empty())
    return;
  binary_array recipients{sql_type::bytea};
  for (const auto& each : keys.recipients)
    recipients.bytes(each.bytes);
  const auto found = on.run(invitations_sql, parameters{}.array(recipients), deadline);
  const column<invitation_id> id{found, "id"};
  const column<profile_id> sender{found, "sender"};
  const column<address> recipient{found, "recipient"};
  const column<invitation_status> status{found, "status"};
  const column<timestamp> invited{found, "invited_at"};
  const column<std::optional<timestamp>> accepted{found, "accepted_at"};
  const column<std::optional<profile_id>> profile{found, "profile"};
  for (int i = 0; i < found.count(); ++i)
    to.invitations.put(
      id[i], {sender[i], recipient[i], status[i], seconds_of(invited[i]), seconds_of(accepted[i]), profile[i]});
}

void read_reviews(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.reviews.empty())
    return;
  auto ids = ids_of(keys.reviews);
  const auto found = on.run(chain_rows_reviews_sql, parameters{}.array(ids), deadline);
  const column<review_id> id{found, "id"};
  const column<std::optional<profile_id>> author{found, "author_profile"};
  const column<std::optional<address>> author_address{found, "author_address"};
  const column<std::string_view> key{found, "key"};
  const column<std::int32_t> generation{found, "generation"}, edits{found, "edits"};
  const column<std::int16_t> score{found, "score"};
  const column<bool> archived{found, "archived"};
  const column<timestamp> created{found, "created_at"}, updated{found, "updated_at"};
  for (int i = 0; i < found.count(); ++i)
    to.reviews.put(id[i], {author[i],
                           author_address[i].value_or(address{}),
                           {key_of(key[i]), generation[i]},
                           static_cast<std::uint8_t>(score[i]),
                           archived[i],
                           seconds_of(created[i]),
                           seconds_of(updated[i]),
                           edits[i]});
}

void read_votes(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.votes.empty())
    return;
  binary_array kinds{sql_type::text}, targets{sql_type::int4}, voters{sql_type::int4};
  for (const auto& each : keys.votes) {
    kinds.text(chain::name_of(each.target.kind));
    targets.int4(each.target.id);
    voters.int4(each.voter.value);
  }
  const auto found = on.run(chain_rows_votes_sql, parameters{}.array(kinds).array(targets).array(voters), deadline);
  const column<std::string_view> kind{found, "kind"};
  const column<std::int32_t> target{found, "target_id"};
  const column<profile_id> voter{found, "voter"};
  const column<activity_vote_id> number{found, "number"};
  const column<bool> upvote{found, "upvote"}, archived{found, "archived"};
  const column<timestamp> created{found, "created_at"}, updated{found, "updated_at"};
  for (int i = 0; i < found.count(); ++i)
    to.votes.put({{contract_in(kind[i]), target[i]}, voter[i]},
                 {number[i], upvote[i], archived[i], seconds_of(created[i]), seconds_of(updated[i])});
}

void read_replies(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.replies.empty())
    return;
  auto ids = ids_of(keys.replies);
  const auto found = on.run(chain_rows_replies_sql, parameters{}.array(ids), deadline);
  const column<reply_id> id{found, "id"};
  const column<profile_id> author{found, "author_profile"};
  const column<std::string_view> kind{found, "target_kind"};
  const column<timestamp> created{found, "created_at"}, updated{found, "updated_at"};
  const column<std::int32_t> edits{found, "edits"};
  for (int i = 0; i < found.count(); ++i)
    to.replies.put(id[i], {author[i], contract_in(kind[i]), seconds_of(created[i]), seconds_of(updated[i]), edits[i]});
}

} // namespace

void read_chain_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  read_users(on, keys, to, deadline);
  read_profiles(on, keys, to, deadline);
  read_addresses(on, keys, to, deadline);
  read_attestations(on, keys, to, deadline);
  read_subjects(on, keys, to, deadline);
  read_placeholders(on, keys, to, deadline);
  read_invitations(on, keys, to, deadline);
  read_reviews(on, keys, to, deadline);
  read_votes(on, keys, to, deadline);
  read_replies(on, keys, to, deadline);
  read_vouch_rows(on, keys, to, deadline);
  read_bond_rows(on, keys, to, deadline);
  read_broker_rows(on, keys, to, deadline);
  read_project_rows(on, keys, to, deadline);
  read_token_rows(on, keys, to, deadline);
  read_slash_rows(on, keys, to, deadline);
  read_market_rows(on, keys, to, deadline);
}

void read_chain_counters(connection& on, chain_rows& to, steady_time deadline) {
  const auto counters = on.run(counters_sql, deadline);
  const column<std::string> name{counters, "name"};
  const column<std::int64_t> last{counters, "last"};
  for (int i = 0; i < counters.count(); ++i)
    to.last_ids.put(name[i], last[i]);
  const auto params = on.run(params_sql, deadline);
  const column<std::string_view> contract{params, "contract"};
  const column<std::string> param{params, "name"}, value{params, "value"};
  for (int i = 0; i < params.count(); ++i)
    to.parameters.put({contract_in(contract[i]), param[i]}, value[i]);
}

folded_step read(connection& on, const fold_step& order, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  chain_rows rows;
  read_chain_counters(on, rows, deadline);
  if (order.followed.contains(record_kind::slash))
    read_due_slashes(on, closing_until(order.step), rows, deadline);
  auto out =
    fold_in_rounds(rows, order, [&](const row_keys& missing) { read_chain_rows(on, missing, rows, deadline); });
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
