#include "persistence/sql/reputation_sql.hpp"

/// Profiles, their addresses and invitations.
namespace credence::persistence {

namespace {

using reputation::invitation_record;

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
const statement send_invitation{"send_invitation", insert_one<reputation::invitation_sent>("invitations")};
const statement withdraw_invitation{
  "withdraw_invitation", "UPDATE invitations SET status = 'WITHDRAWN' WHERE id = $1::int4 AND status = 'INVITED'"};
const statement move_invites{
  "move_invites",
  "UPDATE profiles SET invites_available = least(invites_available + $2::int4, 2048) WHERE id = $1::int4"};

} // namespace

// -- writing -----------------------------------------------------------------------------------

fact_sql_ptr sql_of(kind<reputation::profile_created> it) {
  return written_by(it, {&create_profile, &use_nonce}, [](const auto& made, global_seq seq, batch_statements& to) {
    const auto& fresh = made.fresh;
    to.put(create_profile, with(made.id, made.user, fresh ? std::optional{fresh->display_name} : std::nullopt,
                                fresh ? std::optional{fresh->avatar_url} : std::nullopt, made.account, made.inviter,
                                made.accepted, made.invites, made.at, seq));
    if (made.by)
      put_nonce(to, *made.by, made.id, made.at);
  });
}
number_column numbers_of(kind<reputation::profile_created>) { return {"profiles"}; }
fact_sql_ptr sql_of(kind<reputation::profile_archived> it) { return written_in_turn(it, archive_profile); }
fact_sql_ptr sql_of(kind<reputation::profile_edited> it) {
  return written_by(it, {&edit_profile, &stamp_profile}, [](const auto& change, global_seq, batch_statements& to) {
    const auto& texts = change.texts;
    to.put(edit_profile, with(change.user, texts.display_name, texts.username, texts.avatar_url, texts.description));
    to.put(stamp_profile, with(change.id, change.at));
  });
}
fact_sql_ptr sql_of(kind<reputation::address_linked> it) {
  return written_by(it, {&use_nonce, &link_address}, [](const auto& change, global_seq, batch_statements& to) {
    if (change.by)
      put_nonce(to, *change.by, change.profile, change.at);
    to.put(link_address, columns_of(change));
  });
}
fact_sql_ptr sql_of(kind<reputation::address_unlinked> it) { return written_in_turn(it, unlink_address); }
fact_sql_ptr sql_of(kind<reputation::invitation_sent> it) {
  return written_by(it, {&send_invitation, &move_invites},
                    [](const auto& change, global_seq seq, batch_statements& to) {
                      to.put(send_invitation, columns_of(change, seq));
                      to.put(move_invites, with(change.sender, -1));
                    });
}
number_column numbers_of(kind<reputation::invitation_sent>) { return {"invitations"}; }
fact_sql_ptr sql_of(kind<reputation::invitation_withdrawn> it) {
  return written_by(it, {&withdraw_invitation, &move_invites},
                    [](const auto& withdrawn, global_seq, batch_statements& to) {
                      to.put(withdraw_invitation, with(withdrawn.id));
                      to.put(move_invites, with(withdrawn.sender, 1));
                    });
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
const auto join_invitations_sql =
  "SELECT " + column_list(part<invitation_record>::fields)
  + " FROM invitations WHERE id = ANY($1::int4[]) UNION SELECT " + column_list(part<invitation_record>::fields)
  + " FROM invitations WHERE recipient = ANY($2::bytea[]) AND status = 'INVITED'"
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

constexpr auto first_of_pair = [](const auto& pair) -> const auto& { return pair.first; };
constexpr auto second_of_pair = [](const auto& pair) -> const auto& { return pair.second; };

} // namespace

std::vector<reputation::profile_row> read_profiles_here(connection& on, const std::set<profile_id>& which,
                                                        steady_time deadline) {
  using of = reputation::profile_row;
  static constexpr auto fields =
    joined_lists(within(&of::texts, part<reputation::profile_texts>::fields),
                 CREDENCE_FIELDS(of, id, (user_id, user), archived, (invites_available, invites), unsettled));
  if (which.empty())
    return {};
  const auto ids = with(array_of(which));
  auto out = all_of(on.run(join_profiles_sql, ids, deadline), fields);
  add_wallets(out, on.run(join_wallets_sql, ids, deadline));
  return out;
}

std::vector<reputation::address_row> read_addresses_here(connection& on, const std::set<address>& which,
                                                         steady_time deadline) {
  using of = reputation::address_row;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (address, account), (user_id, owner)), field{"profile_id", or_null(&of::profile)},
                 CREDENCE_FIELDS(of, listed, others, slashed));
  return all_with(on, join_addresses_sql, which, fields, deadline);
}

std::vector<reputation::username_row> read_usernames_here(connection& on, const std::set<std::string>& which,
                                                          steady_time deadline) {
  return all_with(on, usernames_sql, which, CREDENCE_FIELDS(reputation::username_row, name, (id, user)), deadline);
}

std::vector<reputation::nonce_key> read_nonces_here(connection& on, const std::set<reputation::nonce_key>& which,
                                                    steady_time deadline) {
  if (which.empty())
    return {};
  return all_of(
    on.run(join_nonces_sql, with(array_of(which, first_of_pair), array_of(which, second_of_pair)), deadline),
    CREDENCE_FIELDS(reputation::nonce_key, (address, first), (nonce, second)));
}

std::vector<reputation::judged_key> read_judged_here(connection& on, const std::set<reputation::judged_key>& which,
                                                     steady_time deadline) {
  if (which.empty())
    return {};
  return all_of(on.run(judged_sql, with(array_of(which, first_of_pair), array_of(which, second_of_pair)), deadline),
                CREDENCE_FIELDS(reputation::judged_key, (key, first), (profile, second)));
}

std::vector<invitation_record> read_invitations_here(connection& on, const std::set<invitation_id>& which,
                                                     const std::set<address>& to, steady_time deadline) {
  if (which.empty() && to.empty())
    return {};
  return all_of(on.run(join_invitations_sql.c_str(), with(array_of(which), array_of(to)), deadline),
                part<invitation_record>::fields);
}

std::optional<reputation::invitation_record> read(connection& on, const reputation::get_invitation& query,
                                                  steady_time deadline) {
  return first_in(read_invitations_here(on, {query.id}, {}, deadline));
}
load_handler handler(asked<reputation::get_invitation> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
