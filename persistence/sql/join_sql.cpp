#include "persistence/sql/join_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/used_nonce.hpp"

namespace credence::persistence {

namespace {

const statement use_nonce_to_join{"use_nonce_to_join", use_nonce_sql};
const statement create_profile{
  "create_profile", "SELECT create_profile($1::int4, $2::int4, $3::text, $4::text, $5::bytea, $6::int4, $7::int4,"
                    " $8::int4, $9::timestamptz, $10::int8)"};
const statement archive_profile{"archive_profile",
                                "SELECT archive_profile($1::int4, $2::int4, $3::boolean, $4::timestamptz)"};
const statement edit_profile{"edit_profile",
                             "UPDATE users SET display_name = $2::text, username = $3::text, avatar_url = $4::text,"
                             " description = $5::text WHERE id = $1::int4"};
const statement stamp_profile{
  "stamp_profile", "UPDATE profiles SET updated_at = greatest(updated_at, $2::timestamptz) WHERE id = $1::int4"};
const statement link_address{
  "link_address", "SELECT link_address($1::bytea, $2::int4, $3::int4, $4::boolean, $5::boolean, $6::timestamptz)"};
const statement unlink_address{
  "unlink_address", "SELECT unlink_address($1::bytea, $2::int4, $3::int4, $4::text, $5::text, $6::int4, $7::bytea,"
                    " $8::timestamptz)"};
const statement send_invitation{"send_invitation",
                                "INSERT INTO invitations (id, sender, recipient, invited_at, seq)"
                                " VALUES ($1::int4, $2::int4, $3::bytea, $4::timestamptz, $5::int8)"};
const statement withdraw_invitation{
  "withdraw_invitation", "UPDATE invitations SET status = 'WITHDRAWN' WHERE id = $1::int4 AND status = 'INVITED'"};
const statement move_invites{
  "move_invites",
  "UPDATE profiles SET invites_available = least(invites_available + $2::int4, 2048) WHERE id = $1::int4"};

} // namespace

// -- writing -----------------------------------------------------------------------------------

statements_used sql_of<reputation::profile_created>::used() { return {&create_profile, &use_nonce_to_join}; }
void sql_of<reputation::profile_created>::add(const reputation::profile_created& change, global_seq seq,
                                              batch_statements& to) {
  parameters with;
  with.int4(change.id.value).int4(change.user.value);
  if (change.fresh)
    with.text(change.fresh->display_name).text(change.fresh->avatar_url);
  else
    with.null().null();
  with.bytes(change.account.bytes);
  put_if_any(with, change.inviter);
  put_if_any(with, change.accepted);
  to.put(create_profile, with.int4(change.invites).time(change.at).int8(seq));
  if (change.by)
    to.put(use_nonce_to_join, use_nonce_with(*change.by, change.id, change.at));
}

statements_used sql_of<reputation::profile_archived>::used() { return {&archive_profile}; }
void sql_of<reputation::profile_archived>::add(const reputation::profile_archived& change, global_seq,
                                               batch_statements& to) {
  to.put(archive_profile,
         parameters{}.int4(change.id.value).int4(change.user.value).boolean(change.archived).time(change.at));
}

statements_used sql_of<reputation::profile_edited>::used() { return {&edit_profile, &stamp_profile}; }
void sql_of<reputation::profile_edited>::add(const reputation::profile_edited& change, global_seq,
                                             batch_statements& to) {
  const auto& texts = change.texts;
  to.put(edit_profile, parameters{}
                         .int4(change.user.value)
                         .text(texts.display_name)
                         .text(texts.username)
                         .text(texts.avatar_url)
                         .text(texts.description));
  to.put(stamp_profile, parameters{}.int4(change.id.value).time(change.at));
}

statements_used sql_of<reputation::address_linked>::used() { return {&use_nonce_to_join, &link_address}; }
void sql_of<reputation::address_linked>::add(const reputation::address_linked& change, global_seq,
                                             batch_statements& to) {
  if (change.by)
    to.put(use_nonce_to_join, use_nonce_with(*change.by, change.profile, change.at));
  parameters with;
  with.bytes(change.account.bytes).int4(change.user.value);
  put_if_any(with, change.before);
  to.put(link_address, with.boolean(change.merges).boolean(change.primary).time(change.at));
}

statements_used sql_of<reputation::address_unlinked>::used() { return {&unlink_address}; }
void sql_of<reputation::address_unlinked>::add(const reputation::address_unlinked& change, global_seq,
                                               batch_statements& to) {
  parameters with;
  with.bytes(change.account.bytes)
    .int4(change.profile.value)
    .int4(change.to.value)
    .text(change.fresh.display_name)
    .text(change.fresh.avatar_url);
  put_if_any(with, change.generation);
  put_if_any(with, change.primary);
  to.put(unlink_address, with.time(change.at));
}

statements_used sql_of<reputation::invitation_sent>::used() { return {&send_invitation, &move_invites}; }
void sql_of<reputation::invitation_sent>::add(const reputation::invitation_sent& change, global_seq seq,
                                              batch_statements& to) {
  to.put(send_invitation, parameters{}
                            .int4(change.id.value)
                            .int4(change.sender.value)
                            .bytes(change.recipient.bytes)
                            .time(change.at)
                            .int8(seq));
  to.put(move_invites, parameters{}.int4(change.sender.value).int4(-1));
}

statements_used sql_of<reputation::invitation_withdrawn>::used() { return {&withdraw_invitation, &move_invites}; }
void sql_of<reputation::invitation_withdrawn>::add(const reputation::invitation_withdrawn& withdrawn, global_seq,
                                                   batch_statements& to) {
  to.put(withdraw_invitation, parameters{}.int4(withdrawn.id.value));
  to.put(move_invites, parameters{}.int4(withdrawn.sender.value).int4(1));
}

// -- reading -----------------------------------------------------------------------------------

namespace {

// Each look-up is a scalar subquery, which is one descent of an index whatever the plan around it.
constexpr auto join_profiles_sql = "SELECT p.id, p.user_id, p.archived OR p.orphaned AS archived,"
                                   " CASE WHEN p.since_block > (SELECT authority FROM chain_follow) THEN p.since_block "
                                   "END AS unsettled, p.invites_available, u.display_name, "
                                   "u.username,"
                                   " u.avatar_url, u.description FROM profiles p JOIN users u ON u.id = p.user_id "
                                   "WHERE p.id = ANY($1::int4[]) ORDER BY p.id";
constexpr auto join_wallets_sql =
  "SELECT p.id, a.address, a.kind FROM profiles p JOIN addresses a ON a.user_id = p.user_id WHERE p.id = "
  "ANY($1::int4[])"
  " AND a.kind IN ('primary', 'linked') ORDER BY p.id, a.kind <> 'primary', a.added_at, a.address";
constexpr auto join_addresses_sql =
  "SELECT a.address, a.user_id, (SELECT p.id FROM profiles p WHERE p.user_id = a.user_id) AS profile_id,"
  " EXISTS (SELECT FROM projects l WHERE l.user_id = a.user_id) AS listed,"
  " ((SELECT count(*) FROM addresses o WHERE o.user_id = a.user_id) - 1"
  "  + (SELECT count(*) FROM attestations t WHERE t.user_id = a.user_id AND NOT t.archived))::int4 AS others,"
  " EXISTS (SELECT FROM slashes h WHERE h.closed_at IS NULL"
  "  AND (h.subject_address = a.address OR h.subject_user_id = a.user_id)) AS slashed"
  " FROM addresses a WHERE a.address = ANY($1::bytea[])"
  // one that is nobody's may be slashed as well
  " UNION ALL SELECT h.subject_address, 0, NULL, false, 0, true FROM slashes h WHERE h.closed_at IS NULL"
  "  AND h.subject_address = ANY($1::bytea[]) AND NOT EXISTS (SELECT FROM addresses a WHERE a.address = "
  "h.subject_address)";
constexpr auto usernames_sql = "SELECT lower(username) AS name, id FROM users WHERE lower(username) = ANY($1::text[])";
constexpr auto judged_sql =
  "SELECT k.key, k.profile FROM unnest($1::bytea[], $2::int4[]) k(key, profile)"
  " JOIN subjects s ON s.key = k.key AND s.generation = (SELECT max(n.generation) FROM subjects n WHERE n.key = k.key)"
  " WHERE EXISTS (SELECT FROM reviews r WHERE r.author_profile = k.profile AND r.subject_key = s.key AND "
  "r.subject_generation = s.generation"
  "  AND NOT r.archived) OR EXISTS (SELECT FROM vouches v WHERE v.author_profile = k.profile AND v.subject_key = s.key"
  "  AND v.subject_generation = s.generation AND NOT v.archived)";
constexpr auto join_nonces_sql = "SELECT n.address, n.nonce FROM unnest($1::bytea[], $2::text[]) k(address, nonce)"
                                 " JOIN used_nonces n ON n.address = k.address AND n.nonce = k.nonce";
constexpr auto join_invitations_sql =
  "SELECT id, sender, recipient, status, invited_at, accepted_at, profile FROM invitations WHERE id = ANY($1::int4[])"
  " UNION SELECT id, sender, recipient, status, invited_at, accepted_at, profile FROM invitations"
  "  WHERE recipient = ANY($2::bytea[]) AND status = 'INVITED'"
  "  AND EXISTS (SELECT FROM profiles p WHERE p.id = sender AND NOT p.archived AND NOT p.orphaned) ORDER BY id";

void add_wallets(std::vector<reputation::profile_row>& to, const rows& found) {
  const column<profile_id> whose{found, "id"};
  const column<address> which{found, "address"};
  const column<people::address_kind> kind{found, "kind"};
  for (int i = 0; i < found.count(); ++i)
    for (auto& each : to)
      if (each.id == whose[i]) {
        each.addresses.push_back(which[i]);
        each.has_primary = each.has_primary || kind[i] == people::address_kind::primary;
      }
}

binary_array addresses_of(const std::set<address>& which) {
  binary_array out{sql_type::bytea};
  for (const auto& each : which)
    out.bytes(each.bytes);
  return out;
}

} // namespace

std::vector<reputation::profile_row> read_profiles_here(connection& on, const std::set<profile_id>& which,
                                                        steady_time deadline) {
  std::vector<reputation::profile_row> out;
  if (which.empty())
    return out;
  auto ids = ids_of(which);
  const auto with = parameters{}.array(ids);
  const auto found = on.run(join_profiles_sql, with, deadline);
  const column<profile_id> id{found, "id"};
  const column<user_id> user{found, "user_id"};
  const column<bool> archived{found, "archived"};
  const column<std::int32_t> invites{found, "invites_available"};
  const column<std::string> display_name{found, "display_name"};
  const column<std::optional<std::string>> username{found, "username"};
  const column<std::string> avatar_url{found, "avatar_url"};
  const column<std::optional<std::string>> description{found, "description"};
  const column<std::optional<std::int64_t>> unsettled{found, "unsettled"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({id[i],
                   user[i],
                   archived[i],
                   {},
                   false,
                   invites[i],
                   {display_name[i], username[i], avatar_url[i], description[i]},
                   unsettled[i]});
  add_wallets(out, on.run(join_wallets_sql, with, deadline));
  return out;
}

std::vector<reputation::address_row> read_addresses_here(connection& on, const std::set<address>& which,
                                                         steady_time deadline) {
  std::vector<reputation::address_row> out;
  if (which.empty())
    return out;
  auto keys = addresses_of(which);
  const auto found = on.run(join_addresses_sql, parameters{}.array(keys), deadline);
  const column<address> account{found, "address"};
  const column<user_id> owner{found, "user_id"};
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  const column<bool> listed{found, "listed"};
  const column<std::int32_t> others{found, "others"};
  const column<bool> slashed{found, "slashed"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({account[i], owner[i], profile[i].value_or(profile_id{}), listed[i], others[i], slashed[i]});
  return out;
}

std::vector<reputation::username_row> read_usernames_here(connection& on, const std::set<std::string>& which,
                                                          steady_time deadline) {
  std::vector<reputation::username_row> out;
  if (which.empty())
    return out;
  binary_array names{sql_type::text};
  for (const auto& each : which)
    names.text(each);
  const auto found = on.run(usernames_sql, parameters{}.array(names), deadline);
  const column<std::string> name{found, "name"};
  const column<user_id> user{found, "id"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({name[i], user[i]});
  return out;
}

std::vector<reputation::nonce_key> read_nonces_here(connection& on, const std::set<reputation::nonce_key>& which,
                                                    steady_time deadline) {
  std::vector<reputation::nonce_key> out;
  if (which.empty())
    return out;
  binary_array signers{sql_type::bytea}, nonces{sql_type::text};
  for (const auto& [signer, nonce] : which) {
    signers.bytes(signer.bytes);
    nonces.text(nonce);
  }
  const auto found = on.run(join_nonces_sql, parameters{}.array(signers).array(nonces), deadline);
  const column<address> signer{found, "address"};
  const column<std::string> nonce{found, "nonce"};
  for (int i = 0; i < found.count(); ++i)
    out.emplace_back(signer[i], nonce[i]);
  return out;
}

std::vector<reputation::judged_key> read_judged_here(connection& on, const std::set<reputation::judged_key>& which,
                                                     steady_time deadline) {
  std::vector<reputation::judged_key> out;
  if (which.empty())
    return out;
  binary_array keys{sql_type::bytea}, profiles{sql_type::int4};
  for (const auto& [key, profile] : which) {
    keys.bytes(key.bytes());
    profiles.int4(profile.value);
  }
  const auto found = on.run(judged_sql, parameters{}.array(keys).array(profiles), deadline);
  const column<std::string_view> key{found, "key"};
  const column<profile_id> profile{found, "profile"};
  for (int i = 0; i < found.count(); ++i)
    out.emplace_back(reputation::subject_key{std::as_bytes(std::span{key[i]})}, profile[i]);
  return out;
}

std::vector<reputation::invitation_record> read_invitations_here(connection& on, const std::set<invitation_id>& which,
                                                                 const std::set<address>& to, steady_time deadline) {
  std::vector<reputation::invitation_record> out;
  if (which.empty() && to.empty())
    return out;
  auto ids = ids_of(which);
  auto recipients = addresses_of(to);
  const auto found = on.run(join_invitations_sql, parameters{}.array(ids).array(recipients), deadline);
  const column<invitation_id> id{found, "id"};
  const column<profile_id> sender{found, "sender"};
  const column<address> recipient{found, "recipient"};
  const column<reputation::invitation_status> status{found, "status"};
  const column<timestamp> invited_at{found, "invited_at"};
  const column<std::optional<timestamp>> accepted_at{found, "accepted_at"};
  const column<std::optional<profile_id>> profile{found, "profile"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({id[i], sender[i], recipient[i], status[i], invited_at[i], accepted_at[i], profile[i]});
  return out;
}

reputation::found_invitation read(connection& on, const reputation::load_invitation& query, steady_time deadline) {
  auto found = read_invitations_here(on, {query.id}, {}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

} // namespace credence::persistence
