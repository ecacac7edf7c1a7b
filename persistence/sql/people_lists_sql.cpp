#include "config/limits.hpp"
#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

using profile_list = reputation::list_profiles::answer_type;
using invitation_list = reputation::list_invitations::answer_type;

static_assert(limits::list_depth_max == 10'000, "the texts below say so");

#define CREDENCE_PROFILES(from)                                                                                        \
  "SELECT p.id, p.user_id, p.archived, p.created_at, p.updated_at, p.invites_available, p.invited_by,"                 \
  " (SELECT i.user_id FROM profiles i WHERE i.id = p.invited_by) AS inviter FROM (" from ") p"
#define CREDENCE_PROFILE_RUN(direction)                                                                                \
  CREDENCE_PROFILES("SELECT r.* FROM unnest($1::boolean[]) k(archived) CROSS JOIN LATERAL (SELECT * FROM profiles p "  \
                    "WHERE p.archived = k.archived"                                                                    \
                    " ORDER BY p.id " direction " LIMIT $2::int4 + $3::int4) r ORDER BY id " direction                 \
                    " LIMIT $2::int4 OFFSET $3::int4")                                                                 \
  " ORDER BY p.id " direction
#define CREDENCE_PROFILES_NAMED(direction)                                                                             \
  CREDENCE_PROFILES("SELECT * FROM profiles p WHERE p.id = ANY($4::int4[]) AND p.archived = ANY($1::boolean[]) ORDER " \
                    "BY p.id " direction " LIMIT $2::int4 OFFSET $3::int4")                                            \
  " ORDER BY p.id " direction
constexpr auto newest_profiles_sql = CREDENCE_PROFILE_RUN("DESC");
constexpr auto oldest_profiles_sql = CREDENCE_PROFILE_RUN("ASC");
constexpr auto named_down_sql = CREDENCE_PROFILES_NAMED("DESC");
constexpr auto named_up_sql = CREDENCE_PROFILES_NAMED("ASC");
constexpr auto count_named_sql =
  "SELECT count(*) AS total FROM profiles WHERE id = ANY($1::int4[]) AND archived = ANY($2::boolean[])";
constexpr auto people_lists_count_sql =
  "SELECT coalesce(sum(profiles), 0)::int8 AS total FROM profile_sums WHERE archived = ANY($1::boolean[])";
constexpr auto stats_sql = "SELECT profiles, invites FROM profile_sums WHERE NOT archived";

// `run` goes down an index from the newest one, in the index's order, and no further than to the end of the page.
#define CREDENCE_INVITATIONS(run, order)                                                                               \
  "WITH page AS (" run " ORDER BY " order " LIMIT least($3::int4, 10000 - $4::int4) OFFSET $4::int4)"                  \
  " SELECT t.n AS total, p.id FROM (SELECT least(coalesce(sum(invitations), 0), 10000)::int8 AS n"                     \
  " FROM invitation_tallies WHERE sender = coalesce($1::int4, 0) AND ($2::text IS NULL OR status = $2::text)) t"       \
  " LEFT JOIN page p ON true ORDER BY p.id DESC"
constexpr auto all_invitations_sql = CREDENCE_INVITATIONS("SELECT id FROM invitations", "id DESC");
// Two comparisons of the status: with one, PostgreSQL may go down the primary key and pass over all others.
constexpr auto invitations_of_status_sql =
  CREDENCE_INVITATIONS("SELECT id FROM invitations WHERE status >= $2::text AND status <= $2::text", "status, id DESC");
constexpr auto sent_invitations_sql = CREDENCE_INVITATIONS(
  "SELECT i.id FROM (VALUES ('INVITED'), ('ACCEPTED'), ('ACCEPTED_OTHER_INVITATION'), ('WITHDRAWN')) s (status),"
  " LATERAL (SELECT id FROM invitations WHERE sender = $1::int4 AND status >= s.status AND status <= s.status"
  " ORDER BY status, id DESC LIMIT $3::int4 + $4::int4) i",
  "i.id DESC");
constexpr auto sent_of_status_sql = CREDENCE_INVITATIONS(
  "SELECT id FROM invitations WHERE sender = $1::int4 AND status >= $2::text AND status <= $2::text",
  "status, id DESC");

// As many as the API lets be open to one address are put in order by the scores of their senders. Where events of a
// chain tell of more, those of later senders are behind them.
static_assert(limits::invitations_open_to_one_max == 256, "the text below says so");
#define CREDENCE_OPEN_TO                                                                                               \
  "SELECT id, sender FROM invitations WHERE recipient = $1::bytea AND status = 'INVITED' ORDER BY sender"
constexpr auto pending_sql =
  "WITH ranked AS MATERIALIZED (SELECT f.id, coalesce((SELECT e.score FROM epoch_scores e WHERE e.user_id ="
  " (SELECT p.user_id FROM profiles p WHERE p.id = f.sender)), 1200) AS score FROM (" CREDENCE_OPEN_TO " LIMIT 256) f),"
  " others AS (" CREDENCE_OPEN_TO " LIMIT greatest(0, $2::int4 + $3::int4 - 256) OFFSET 256)"
  " SELECT id FROM (SELECT id, score, 0 AS sender FROM ranked UNION ALL SELECT id, -1, sender FROM others) pending"
  " ORDER BY score DESC, sender, id LIMIT $2::int4 OFFSET $3::int4";
constexpr auto pending_of_sender_sql =
  "SELECT id FROM invitations WHERE recipient = $1::bytea AND sender = $2::int4 AND status = 'INVITED'";
constexpr auto recipient_sql =
  "SELECT u.score FROM addresses a JOIN users u ON u.id = a.user_id WHERE a.address = $1::bytea";
constexpr auto senders_sql =
  "SELECT p.id, p.user_id, coalesce(e.score, 1200) AS score FROM profiles p LEFT JOIN epoch_scores e"
  " ON e.user_id = p.user_id WHERE p.id = ANY($1::int4[])";

constexpr auto root_sql =
  "SELECT id, coalesce(invited_by, 0) AS invited_by, user_id, NULL::int4 AS invitation, 0 AS level"
  " FROM profiles WHERE id = $1::int4";
constexpr auto next_generation_sql =
  "WITH r AS (SELECT p.* FROM unnest($1::int4[]) k(id) CROSS JOIN LATERAL (SELECT p.id, p.invited_by, p.user_id FROM "
  "profiles p WHERE p.invited_by = k.id ORDER BY p.id LIMIT $2::int4) p ORDER BY p.id LIMIT $2::int4)"
  " SELECT r.*, i.id AS invitation, $3::int4 AS level FROM r LEFT JOIN invitations i ON i.sender = r.invited_by"
  " AND i.status = 'ACCEPTED' AND i.profile = r.id ORDER BY r.id";

// Read by the index on names: `a.id + 0` keeps the planner from walking the primary key backwards instead.
constexpr auto farcaster_sql = "SELECT k.place, (SELECT a.user_id FROM attestations a WHERE a.service = 'farcaster' "
                               "AND lower(a.username) = lower(k.name) AND NOT a.archived"
                               "  ORDER BY a.id + 0 DESC LIMIT 1) AS user_id FROM unnest($1::text[]) WITH ORDINALITY "
                               "k(name, place) ORDER BY k.place";

/// Who sent invitations, and their scores at the epoch.
std::map<profile_id, std::pair<user_id, std::int32_t>> senders_of(connection& on, const std::set<profile_id>& which,
                                                                  steady_time deadline) {
  std::map<profile_id, std::pair<user_id, std::int32_t>> out;
  if (which.empty())
    return out;
  const auto found = on.run(senders_sql, with(array_of(which)), deadline);
  const column<profile_id> id{found, "id"};
  const column<user_id> user{found, "user_id"};
  const column<std::int32_t> score{found, "score"};
  for (int i = 0; i < found.count(); ++i)
    out.emplace(id[i], std::pair{user[i], score[i]});
  return out;
}

/// Adds the invitations of a page, in its order, with whoever came by them.
void add_invitations(invitation_list& to, connection& on, const rows& found, steady_time deadline) {
  const auto page = found.all<invitation_id>("id");
  std::map<invitation_id, reputation::invitation_record> records;
  std::set<profile_id> came, sent;
  for (const auto& each : read_invitations_here(on, {page.begin(), page.end()}, {}, deadline)) {
    records.emplace(each.id, each);
    sent.insert(each.sender);
    if (each.profile)
      came.insert(*each.profile);
  }
  const auto owners = read_owners_here(on, came, deadline);
  const auto senders = senders_of(on, sent, deadline);
  using of = reputation::listed_invitation;
  for (const auto which : page) {
    const auto& record = records.at(which);
    const auto& [sender, sender_score] = senders.at(record.sender);
    of row{record, std::nullopt, sender, sender_score};
    if (record.profile && record.status == reputation::invitation_status::accepted)
      row.invited = owners.at(*record.profile);
    to.rows.push_back(std::move(row));
  }
  to.users = users_of(on, to.rows, deadline, &of::sender, &of::invited);
}

void add_generation(reputation::invitation_tree& to, const rows& found) {
  for (const auto& each : all_of(found, CREDENCE_FIELDS(reputation::invited_profile, (id, profile), invited_by,
                                                        (user_id, user), invitation, level)))
    to.rows.push_back(each);
}

void add_profiles(profile_list& to, connection& on, const rows& found, steady_time deadline) {
  using of = reputation::listed_profile;
  static constexpr auto fields =
    joined_lists(within(&of::record, profile_fields), CREDENCE_FIELDS(of, (user_id, user), inviter));
  to.rows = all_of(found, fields);
  to.users = users_of(on, to.rows, deadline, &of::user, &of::inviter);
}

} // namespace

profile_list read(connection& on, const reputation::list_profiles& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  binary_array statuses{sql_type::boolean};
  for (const bool archived : {false, true})
    if (query.archived.value_or(archived) == archived)
      statuses.boolean(archived);
  profile_list out;
  out.slice = query.slice;
  auto asked = with(statuses, query.slice.limit, query.slice.offset);
  if (query.ids) {
    out.total = on.run(count_named_sql, with(array_of(*query.ids), statuses), deadline).first<std::int64_t>("total");
    auto ids = array_of(*query.ids);
    add_profiles(out, on, on.run(query.ascending ? named_up_sql : named_down_sql, asked.array(ids), deadline),
                 deadline);
  } else {
    out.total = on.run(people_lists_count_sql, with(statuses), deadline).first<std::int64_t>("total");
    add_profiles(out, on, on.run(query.ascending ? oldest_profiles_sql : newest_profiles_sql, asked, deadline),
                 deadline);
  }
  return out;
}
load_handler handler(asked<reputation::list_profiles> it) { return reads<list_a_page, reputation::storage>(it); }

reputation::profile_stats read(connection& on, const reputation::get_profile_stats&, steady_time deadline) {
  return first_of(on.run(stats_sql, deadline), CREDENCE_FIELDS(reputation::profile_stats, (profiles, active), invites))
    .value();
}
load_handler handler(asked<reputation::get_profile_stats> it) { return reads<list_a_page, reputation::storage>(it); }

invitation_list read(connection& on, const reputation::list_invitations& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  std::optional<std::string_view> status;
  if (query.status)
    status = reputation::invitation_status_names[static_cast<std::size_t>(*query.status)];
  const auto* text = query.sender ? (status ? sent_of_status_sql : sent_invitations_sql)
                                  : (status ? invitations_of_status_sql : all_invitations_sql);
  const auto found = on.run(text, with(query.sender, status, query.slice.limit, query.slice.offset), deadline);
  invitation_list out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  add_invitations(out, on, found, deadline);
  return out;
}
load_handler handler(asked<reputation::list_invitations> it) { return reads<list_a_page, reputation::storage>(it); }

reputation::pending_invitations read(connection& on, const reputation::list_pending_invitations& query,
                                     steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::pending_invitations out;
  out.slice = query.slice;
  add_invitations(out, on,
                  query.sender
                    ? on.run(pending_of_sender_sql, with(query.recipient, *query.sender), deadline)
                    : on.run(pending_sql, with(query.recipient, query.slice.limit, query.slice.offset), deadline),
                  deadline);
  const auto known = on.run(recipient_sql, with(query.recipient), deadline);
  if (known.count() != 0)
    out.recipient_score = known.first<std::int32_t>("score");
  return out;
}
load_handler handler(asked<reputation::list_pending_invitations> it) {
  return reads<list_a_page, reputation::storage>(it);
}

reputation::invitation_tree read(connection& on, const reputation::get_invitation_tree& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::invitation_tree out;
  add_generation(out, on.run(root_sql, with(query.root), deadline));
  std::size_t begins = 0; // of the last generation
  for (int depth = 0; depth < limits::invitation_tree_depth && begins < out.rows.size(); ++depth) {
    const auto room = limits::invitation_tree_max - static_cast<std::int32_t>(out.rows.size());
    if (room <= 0)
      break;
    binary_array inviters{sql_type::int4};
    for (auto i = begins; i < out.rows.size(); ++i)
      inviters.int4(out.rows[i].profile.value);
    begins = out.rows.size();
    add_generation(out, on.run(next_generation_sql, with(inviters, room, depth + 1), deadline));
  }
  out.users = users_of(on, out.rows, deadline, &reputation::invited_profile::user);
  return out;
}
load_handler handler(asked<reputation::get_invitation_tree> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::named_accounts read(connection& on, const reputation::find_farcaster_names& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found = on.run(farcaster_sql, with(array_of(query.names)), deadline);
  const places place{found};
  const column<std::optional<user_id>> user{found, "user_id"};
  reputation::named_accounts out;
  out.found.resize(query.names.size());
  std::vector<user_id> users;
  for (int i = 0; i < found.count(); ++i)
    if (const auto who = user[i]) {
      out.found.at(place[i]) = *who;
      users.push_back(*who);
    }
  out.users = read_named_here(on, std::move(users), deadline);
  return out;
}
load_handler handler(asked<reputation::find_farcaster_names> it) { return reads<list_a_page, reputation::storage>(it); }

} // namespace credence::persistence
