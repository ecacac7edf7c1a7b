#include "actors/people/people_index.hpp"
#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

using activity_vote_list = reputation::list_activity_votes::answer_type;
using reply_list = reputation::list_replies::answer_type;

using reputation::activity_kind;
using reputation::vote_order;

static_assert(limits::list_depth_max == 10'000 && limits::votes_weighed_max == 1000, "the texts below say so");

// A run of each direction, from an index in its order, as far as the page or as what is ranked.
#define CREDENCE_VOTES(direction, bound, first, order)                                                                 \
  "WITH runs AS (SELECT r.* FROM unnest($3::boolean[]) k(upvote) CROSS JOIN LATERAL (SELECT v.voter, v.number, "       \
  "v.upvote,"                                                                                                          \
  "   v.created_at, v.updated_at FROM activity_votes v"                                                                \
  "  WHERE v.kind = $1::text AND v.target_id = $2::int4 AND v.upvote = k.upvote AND NOT v.archived"                    \
  "  ORDER BY v.updated_at " direction ", v.number " direction " LIMIT " bound ") r),"                                 \
  " ranked AS (SELECT r.*, " first " AS first FROM (SELECT * FROM runs ORDER BY updated_at " direction                 \
  ", number " direction " LIMIT " bound ") r)"                                                                         \
  " SELECT voter, number, upvote, NULL::int4 AS weight, created_at, updated_at FROM ranked ORDER BY first " order      \
  ", updated_at " direction ", number " direction " LIMIT $4::int4 OFFSET $5::int4"
#define CREDENCE_SCORE "(SELECT u.score FROM profiles p JOIN users u ON u.id = p.user_id WHERE p.id = r.voter)"
constexpr auto latest_votes_sql = CREDENCE_VOTES("DESC", "$4::int4 + $5::int4", "0", "DESC");
constexpr auto earliest_votes_sql = CREDENCE_VOTES("ASC", "$4::int4 + $5::int4", "0", "ASC");
constexpr auto highest_votes_sql = CREDENCE_VOTES("DESC", "10000", CREDENCE_SCORE, "DESC");
constexpr auto lowest_votes_sql = CREDENCE_VOTES("DESC", "10000", CREDENCE_SCORE, "ASC");

// The votes of a slash that is closed, the last one of each voter, and what else was voted on it, as on any activity.
// On a slash of a chain all votes are such ones.
#define CREDENCE_SLASH_VOTES(run_direction, first, order, direction)                                                   \
  "WITH cast_votes AS MATERIALIZED (SELECT v.voter_id AS voter, v.number, v.for_slash AS upvote, v.weight, v.cast_at " \
  "FROM slash_votes v"                                                                                                 \
  "  WHERE v.slash_id = $2::int4 AND (SELECT s.closed_at FROM slashes s WHERE s.id = $2::int4) IS NOT NULL ORDER BY "  \
  "v.number DESC LIMIT 10000),"                                                                                        \
  " latest AS (SELECT DISTINCT ON (voter) voter, number, upvote, weight, cast_at AS updated_at, min(cast_at) OVER "    \
  "(PARTITION BY voter) AS"                                                                                            \
  "  created_at FROM cast_votes ORDER BY voter, number DESC),"                                                         \
  " others AS (SELECT r.* FROM unnest($3::boolean[]) k(upvote) CROSS JOIN LATERAL (SELECT v.voter, v.number, "         \
  "v.upvote, NULL::int4 AS weight,"                                                                                    \
  "  v.updated_at, v.created_at FROM activity_votes v WHERE v.kind = $1::text AND v.target_id = $2::int4 AND "         \
  "v.upvote = k.upvote AND NOT v.archived"                                                                             \
  "  ORDER BY v.updated_at " run_direction ", v.number " run_direction " LIMIT 10000) r),"                             \
  " ranked AS (SELECT r.*, " first                                                                                     \
  " AS first FROM (SELECT * FROM latest WHERE upvote = ANY($3::boolean[]) UNION ALL SELECT * FROM others) r)"          \
  " SELECT voter, number, upvote, weight, created_at, updated_at FROM ranked ORDER BY first " order                    \
  ", updated_at " direction ", number " direction " LIMIT $4::int4 OFFSET $5::int4"
constexpr auto latest_slash_votes_sql = CREDENCE_SLASH_VOTES("DESC", "0", "DESC", "DESC");
constexpr auto earliest_slash_votes_sql = CREDENCE_SLASH_VOTES("ASC", "0", "ASC", "ASC");
constexpr auto highest_slash_votes_sql = CREDENCE_SLASH_VOTES("DESC", CREDENCE_SCORE, "DESC", "DESC");
constexpr auto lowest_slash_votes_sql = CREDENCE_SLASH_VOTES("DESC", CREDENCE_SCORE, "ASC", "DESC");

// Of slashes of the API that are closed: how many voted either way, and with which weight.
constexpr auto slash_sums_sql =
  "SELECT k.place, c.up, c.down, s.slash_weight, s.defend_weight FROM unnest($1::int4[]) WITH ORDINALITY k(id, place)"
  " CROSS JOIN LATERAL (SELECT * FROM slashes s WHERE s.id = k.id AND s.closed_at IS NOT NULL AND s.source <> 'chain' "
  "LIMIT 1) s"
  " CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE b.for_slash) AS up, count(*) FILTER (WHERE NOT b.for_slash) AS "
  "down"
  "  FROM (SELECT for_slash FROM slash_ballots b WHERE b.slash_id = k.id LIMIT 10000) b) c";
constexpr auto own_slash_votes_sql =
  "SELECT k.place, v.number, v.for_slash, v.weight, v.cast_at FROM unnest($1::int4[]) WITH ORDINALITY k(id, place)"
  " CROSS JOIN LATERAL (SELECT * FROM (SELECT * FROM slash_votes v WHERE v.slash_id = k.id AND (SELECT s.closed_at "
  "FROM slashes s"
  "  WHERE s.id = k.id) IS NOT NULL ORDER BY v.number DESC LIMIT 10000) v WHERE v.voter_id = $2::int4 ORDER BY "
  "v.number DESC LIMIT 1) v";

constexpr auto tallies_sql =
  "SELECT k.place, coalesce(t.up, 0) AS up, coalesce(t.down, 0) AS down, coalesce(t.replies, 0) AS replies"
  " FROM unnest($1::text[], $2::int4[]) WITH ORDINALITY k(kind, id, place)"
  " LEFT JOIN LATERAL (SELECT * FROM activity_tallies t WHERE t.kind = k.kind AND t.target_id = k.id LIMIT 1) t ON "
  "true ORDER BY k.place";
constexpr auto weights_sql = "SELECT k.place, d.upvote, u.score, count(*) AS votes FROM unnest($1::text[], $2::int4[]) "
                             "WITH ORDINALITY k(kind, id, place)"
                             " CROSS JOIN (VALUES (true), (false)) d(upvote)"
                             " CROSS JOIN LATERAL (SELECT v.voter FROM activity_votes v WHERE v.kind = k.kind AND "
                             "v.target_id = k.id AND v.upvote = d.upvote"
                             "  AND NOT v.archived ORDER BY v.updated_at DESC, v.number DESC LIMIT 1000) v"
                             " CROSS JOIN LATERAL (SELECT (SELECT w.score FROM users w WHERE w.id = p.user_id) AS "
                             "score FROM profiles p WHERE p.id = v.voter LIMIT 1) u"
                             " GROUP BY k.place, d.upvote, u.score";

constexpr auto own_replies_sql = "SELECT k.place, (SELECT r.id FROM replies r WHERE r.author_profile = $3::int4 AND "
                                 "r.target_kind = k.kind AND r.target_id = k.id"
                                 "  ORDER BY r.id + 0 LIMIT 1) IS NOT NULL AS replied FROM unnest($1::text[], "
                                 "$2::int4[]) WITH ORDINALITY k(kind, id, place) ORDER BY k.place";
constexpr auto newest_replies_sql = "SELECT id FROM replies WHERE target_kind = $1::text AND target_id = $2::int4"
                                    " ORDER BY created_at DESC, id DESC LIMIT $3::int4 OFFSET $4::int4";
constexpr auto oldest_replies_sql = "SELECT id FROM replies WHERE target_kind = $1::text AND target_id = $2::int4"
                                    " ORDER BY created_at, id LIMIT $3::int4 OFFSET $4::int4";

constexpr auto score_of_sql = "SELECT u.score FROM profiles p JOIN users u ON u.id = p.user_id WHERE p.id = $1::int4";
constexpr auto owners_sql = "SELECT id, user_id FROM profiles WHERE id = ANY($1::int4[])";

const char* listing_sql(const reputation::list_activity_votes& query) {
  if (query.on.kind == activity_kind::slash && query.order == vote_order::score)
    return query.ascending ? lowest_slash_votes_sql : highest_slash_votes_sql;
  if (query.on.kind == activity_kind::slash)
    return query.ascending ? earliest_slash_votes_sql : latest_slash_votes_sql;
  if (query.order == vote_order::score)
    return query.ascending ? lowest_votes_sql : highest_votes_sql;
  return query.ascending ? earliest_votes_sql : latest_votes_sql;
}

/// Slashes count from 0 on a chain.
constexpr std::int32_t no_slash = -1;

/// Their kinds and ids.
parameters with_activities(const std::vector<reputation::activity>& of) {
  return with(array_of(of, &reputation::activity::kind), array_of(of, &reputation::activity::id));
}

/// Counts of votes and replies, in the order of `of`; zeros for what nobody has voted on.
struct tally {
  std::int64_t up = 0;
  std::int64_t down = 0;
  std::int64_t replies = 0;
  std::int64_t weight_up = 0; // what a slash that is closed was decided with
  std::int64_t weight_down = 0;
};
std::vector<tally> read_tallies_here(connection& on, const std::vector<reputation::activity>& of,
                                     steady_time deadline) {
  return all_of(on.run(tallies_sql, with_activities(of), deadline), CREDENCE_FIELDS(tally, up, down, replies));
}

/// The slashes among activities, as an array; other kinds have an id there that is none, so that places are kept.
binary_array slashes_of(const std::vector<reputation::activity>& of) {
  return array_of(of, [](const auto& each) { return each.kind == activity_kind::slash ? each.id : no_slash; });
}

/// Counts of votes, with those on slashes that are closed.
std::vector<tally> read_vote_counts_here(connection& on, const std::vector<reputation::activity>& of,
                                         steady_time deadline) {
  auto out = read_tallies_here(on, of, deadline);
  if (std::none_of(of.begin(), of.end(), [](const auto& each) { return each.kind == activity_kind::slash; }))
    return out;
  const auto found = on.run(slash_sums_sql, with(slashes_of(of)), deadline);
  const places place{found};
  const column<std::int64_t> up{found, "up"};
  const column<std::int64_t> down{found, "down"};
  const column<std::int64_t> for_it{found, "slash_weight"};
  const column<std::int64_t> against_it{found, "defend_weight"};
  for (int i = 0; i < found.count(); ++i) {
    auto& to = out.at(place[i]);
    to.up += up[i];
    to.down += down[i];
    to.weight_up = for_it[i];
    to.weight_down = against_it[i];
  }
  return out;
}

/// The viewer's votes on slashes that are closed.
void add_own_slash_votes(std::vector<reputation::vote_stats>& to, connection& on, profile_id viewer,
                         steady_time deadline) {
  std::vector<reputation::activity> of;
  for (const auto& each : to)
    of.push_back(each.on);
  if (std::none_of(of.begin(), of.end(), [](const auto& each) { return each.kind == activity_kind::slash; }))
    return;
  const auto found = on.run(own_slash_votes_sql, with(slashes_of(of), viewer), deadline);
  const places place{found};
  const column<std::int32_t> number{found, "number"};
  const column<bool> upvote{found, "for_slash"};
  const column<std::int32_t> weight{found, "weight"};
  const column<timestamp> cast{found, "cast_at"};
  for (int i = 0; i < found.count(); ++i) {
    auto& stats = to.at(place[i]);
    stats.own = reputation::activity_vote{of.at(place[i]), viewer, number[i], upvote[i], false, cast[i], cast[i]};
    stats.own_weight = weight[i];
  }
}

/// Of a vote on an activity that is known.
constexpr auto activity_vote_fields =
  CREDENCE_FIELDS(reputation::activity_vote, voter, number, upvote, created_at, updated_at);

void add_replies(reply_list& to, connection& on, const std::vector<reply_id>& ids, steady_time deadline) {
  auto found = read_replies_here(on, {ids.begin(), ids.end()}, deadline);
  const auto owners = read_owners_here(on, authors_of(found), deadline);
  add_authored(to, std::move(found), ids, owners);
  to.users = users_of(on, to.rows, deadline, [](const auto& each) { return each.author; });
}

} // namespace

std::map<profile_id, user_id> read_owners_here(connection& on, const std::set<profile_id>& which,
                                               steady_time deadline) {
  std::map<profile_id, user_id> out;
  if (which.empty())
    return out;
  const auto found = on.run(owners_sql, with(array_of(which)), deadline);
  const column<profile_id> id{found, "id"};
  const column<user_id> user{found, "user_id"};
  for (int i = 0; i < found.count(); ++i)
    out.emplace(id[i], user[i]);
  return out;
}

activity_vote_list read(connection& on, const reputation::list_activity_votes& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  activity_vote_list out;
  out.slice = query.slice;
  const auto counted = read_vote_counts_here(on, {query.on}, deadline).front();
  out.total = (query.upvote == false ? 0 : counted.up) + (query.upvote == true ? 0 : counted.down);
  binary_array directions{sql_type::boolean};
  for (const bool up : {true, false})
    if (query.upvote.value_or(up) == up)
      directions.boolean(up);
  const auto found = on.run(
    listing_sql(query), with(query.on.kind, query.on.id, directions, query.slice.limit, query.slice.offset), deadline);
  const auto votes = all_of(found, activity_vote_fields);
  const column<std::optional<std::int32_t>> weight{found, "weight"};
  std::set<profile_id> voters;
  for (const auto& each : votes)
    voters.insert(each.voter);
  const auto owners = read_owners_here(on, voters, deadline);
  for (const auto& each : votes) {
    out.rows.push_back({each, owners.at(each.voter)});
    out.rows.back().record.on = query.on;
  }
  out.users = users_of(on, out.rows, deadline, [](const auto& each) { return each.author; });
  for (int i = 0; i < found.count(); ++i) {
    auto& row = out.rows[static_cast<std::size_t>(i)];
    const auto user = out.users.find(*row.author);
    row.weight = weight[i].value_or(user == out.users.end() ? 0 : people::vote_weight_of(user->second->score));
  }
  return out;
}
load_handler handler(asked<reputation::list_activity_votes> it) { return reads<list_of_many, reputation::storage>(it); }

std::vector<reputation::vote_stats> read(connection& on, const reputation::get_vote_stats& query,
                                         steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  std::vector<reputation::vote_stats> out;
  const auto counted = read_vote_counts_here(on, query.of, deadline);
  for (std::size_t i = 0; i < query.of.size(); ++i)
    out.push_back({query.of[i], counted.at(i).up, counted.at(i).down, counted.at(i).weight_up,
                   counted.at(i).weight_down, std::nullopt});
  const auto found = on.run(weights_sql, with_activities(query.of), deadline);
  const places place{found};
  const column<bool> upvote{found, "upvote"};
  const column<std::int32_t> score{found, "score"};
  const column<std::int64_t> votes{found, "votes"};
  for (int i = 0; i < found.count(); ++i) {
    auto& to = out.at(place[i]);
    (upvote[i] ? to.weighted_upvotes : to.weighted_downvotes) += votes[i] * people::vote_weight_of(score[i]);
  }
  if (query.viewer) {
    std::set<reputation::ballot_key> ballots;
    for (const auto& each : query.of)
      ballots.emplace(each, *query.viewer);
    const auto viewer = on.run(score_of_sql, with(*query.viewer), deadline);
    const auto weight = viewer.empty() ? 0 : people::vote_weight_of(viewer.first<std::int32_t>("score"));
    for (const auto& own : read_votes_here(on, ballots, deadline))
      for (auto& each : out)
        if (each.on == own.on && !own.archived) {
          each.own = own;
          each.own_weight = weight;
        }
    add_own_slash_votes(out, on, *query.viewer, deadline);
  }
  return out;
}
load_handler handler(asked<reputation::get_vote_stats> it) { return reads<list_of_many, reputation::storage>(it); }

reply_list read(connection& on, const reputation::list_replies& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reply_list out;
  out.slice = query.slice;
  out.total = read_tallies_here(on, {query.on}, deadline).front().replies;
  const auto ids = on.run(query.ascending ? oldest_replies_sql : newest_replies_sql,
                          with(query.on.kind, query.on.id, query.slice.limit, query.slice.offset), deadline)
                     .all<reply_id>("id");
  add_replies(out, on, ids, deadline);
  return out;
}
load_handler handler(asked<reputation::list_replies> it) { return reads<list_a_page, reputation::storage>(it); }

reply_list read(connection& on, const reputation::get_replies& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reply_list out;
  add_replies(out, on, query.which, deadline);
  out.total = static_cast<std::int64_t>(out.rows.size());
  return out;
}
load_handler handler(asked<reputation::get_replies> it) { return reads<list_a_page, reputation::storage>(it); }

std::vector<reputation::reply_count> read(connection& on, const reputation::get_reply_counts& query,
                                          steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  std::vector<reputation::reply_count> out;
  const auto counted = read_tallies_here(on, query.of, deadline);
  for (std::size_t i = 0; i < query.of.size(); ++i)
    out.push_back({query.of[i], counted.at(i).replies, false});
  if (query.viewer) {
    auto asked = with_activities(query.of);
    const auto found = on.run(own_replies_sql, asked.int4(query.viewer->value), deadline);
    const places place{found};
    const column<bool> replied{found, "replied"};
    for (int i = 0; i < found.count(); ++i)
      out.at(place[i]).viewer_replied = replied[i];
  }
  return out;
}
load_handler handler(asked<reputation::get_reply_counts> it) { return reads<list_a_page, reputation::storage>(it); }

} // namespace credence::persistence
