#include "persistence/sql/reputation_sql.hpp"

/// Replies, and votes on activities.
namespace credence::persistence {

namespace {

using reputation::activity;
using reputation::activity_vote;
using reputation::reply_record;

const statement insert_reply{"insert_reply", insert_one<reputation::reply_created>("replies")};
const statement edit_reply{"edit_reply", update_one<reputation::reply_edited>("replies")};
const statement put_vote{"put_activity_vote", insert_one<activity_vote>("activity_votes")};
const statement change_vote{
  "change_activity_vote",
  "UPDATE activity_votes SET upvote = $4::boolean, archived = $5::boolean, updated_at = $6::timestamptz"
  " WHERE kind = $1::text AND target_id = $2::int4 AND voter = $3::int4"};

std::string known_kinds() {
  std::string out;
  for (const auto each : reputation::activity_kind_names)
    out.append(out.empty() ? "'" : ", '").append(each).append("'");
  return out;
}

// Events tell of replies on any contract, also on one whose records nobody can name here.
const auto replies_sql = "SELECT " + column_list(part<reply_record>::fields)
                         + " FROM replies WHERE id = ANY($1::int4[]) AND author_profile IS NOT NULL"
                           " AND target_id IS NOT NULL AND target_kind IN ("
                         + known_kinds() + ")";

// One descent of an index each; null where there is no such record.
constexpr auto activities_sql =
  "SELECT k.kind, k.id, CASE k.kind WHEN 'review' THEN (SELECT r.archived FROM reviews r WHERE r.id = k.id)"
  " WHEN 'vouch' THEN (SELECT false FROM vouches v WHERE v.contract IN ('api', 'vouch') AND v.number = k.id)"
  " WHEN 'vouchV2' THEN (SELECT false FROM vouches v WHERE v.contract = 'vouchV2' AND v.number = k.id)"
  " WHEN 'bond' THEN (SELECT b.archived FROM bonds b WHERE b.id = k.id)"
  " WHEN 'broker' THEN (SELECT false FROM broker_posts p WHERE p.id = k.id)"
  " WHEN 'slash' THEN (SELECT false FROM slashes s WHERE s.id = k.id)"
  " WHEN 'attestation' THEN (SELECT a.archived FROM attestations a WHERE a.id = k.id AND a.profile_id IS NOT NULL)"
  " WHEN 'project' THEN (SELECT p.status = 'ARCHIVED' FROM projects p WHERE p.id = k.id)"
  " WHEN 'reputationMarket' THEN (SELECT false FROM markets m WHERE m.profile_id = k.id"
  "  UNION SELECT false FROM chain_markets c WHERE c.contract = 'reputationMarket' AND c.id = k.id)"
  " WHEN 'discussion' THEN (SELECT false FROM replies r WHERE r.id = k.id) END AS archived,"
  " (SELECT CASE WHEN n.since > f.authority THEN n.since END FROM chain_follow f CROSS JOIN LATERAL (SELECT CASE k.kind"
  "  WHEN 'review' THEN (SELECT r.since_block FROM reviews r WHERE r.id = k.id)"
  "  WHEN 'vouch' THEN (SELECT max(v.since_block) FROM vouches v WHERE v.contract IN ('api', 'vouch') AND v.number = "
  "k.id)"
  "  WHEN 'vouchV2' THEN (SELECT v.since_block FROM vouches v WHERE v.contract = 'vouchV2' AND v.number = k.id)"
  "  WHEN 'bond' THEN (SELECT b.since_block FROM bonds b WHERE b.id = k.id)"
  "  WHEN 'broker' THEN (SELECT p.block FROM broker_posts p WHERE p.id = k.id)"
  "  WHEN 'slash' THEN (SELECT s.since_block FROM slashes s WHERE s.id = k.id)"
  "  WHEN 'reputationMarket' THEN (SELECT c.since_block FROM chain_markets c WHERE c.contract = 'reputationMarket' AND "
  "c.id = k.id)"
  "  WHEN 'attestation' THEN (SELECT a.since_block FROM attestations a WHERE a.id = k.id)"
  "  WHEN 'project' THEN (SELECT p.since_block FROM projects p WHERE p.id = k.id)"
  "  WHEN 'discussion' THEN (SELECT r.since_block FROM replies r WHERE r.id = k.id) END AS since) n) AS unsettled"
  " FROM unnest($1::text[], $2::int4[]) k(kind, id)";

const auto reply_votes_sql = "SELECT " + column_list(part<activity_vote>::fields, "v.")
                             + " FROM unnest($1::text[], $2::int4[], $3::int4[]) k(kind, id, voter)"
                               " JOIN activity_votes v ON v.kind = k.kind AND v.target_id = k.id AND v.voter = k.voter";

} // namespace

fact_sql_ptr sql_of(kind<reputation::reply_created> it) { return written_in_turn(it, insert_reply); }
number_column numbers_of(kind<reputation::reply_created>) { return {"replies"}; }
fact_sql_ptr sql_of(kind<reputation::reply_edited> it) { return written_in_turn(it, edit_reply); }
fact_sql_ptr sql_of(kind<reputation::activity_voted> it) {
  return written_by(it, {&put_vote, &change_vote}, [](const auto& done, global_seq, batch_statements& to) {
    const auto& vote = done.vote;
    if (done.first)
      to.put(put_vote, columns_of(vote));
    else
      to.put(change_vote, with(vote.on.kind, vote.on.id, vote.voter, vote.upvote, vote.archived, vote.updated_at));
  });
}

std::vector<reply_record> read_replies_here(connection& on, const std::set<reply_id>& which, steady_time deadline) {
  return all_with(on, replies_sql.c_str(), which, part<reply_record>::fields, deadline);
}

std::vector<reputation::activity_row> read_activities_here(connection& on, const std::set<activity>& which,
                                                           steady_time deadline) {
  std::vector<reputation::activity_row> out;
  if (which.empty())
    return out;
  const auto found =
    on.run(activities_sql, with(array_of(which, &activity::kind), array_of(which, &activity::id)), deadline);
  const column<reputation::activity_kind> kind{found, "kind"};
  const column<std::int32_t> id{found, "id"};
  const column<std::optional<bool>> archived{found, "archived"};
  const column<std::optional<std::int64_t>> unsettled{found, "unsettled"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto is_archived = archived[i])
      out.push_back({{kind[i], id[i]}, *is_archived, unsettled[i]});
  return out;
}

std::vector<activity_vote> read_votes_here(connection& on, const std::set<reputation::ballot_key>& which,
                                           steady_time deadline) {
  if (which.empty())
    return {};
  return all_of(on.run(reply_votes_sql.c_str(),
                       with(array_of(which, [](const auto& ballot) { return ballot.first.kind; }),
                            array_of(which, [](const auto& ballot) { return ballot.first.id; }),
                            array_of(which, [](const auto& ballot) { return ballot.second; })),
                       deadline),
                part<activity_vote>::fields);
}

std::optional<reputation::reply_record> read(connection& on, const reputation::get_reply& query, steady_time deadline) {
  return first_in(read_replies_here(on, {query.id}, deadline));
}
load_handler handler(asked<reputation::get_reply> it) { return reads<load_by_key, reputation::storage>(it); }

std::optional<reputation::activity_vote> read(connection& on, const reputation::get_vote& query, steady_time deadline) {
  return first_in(read_votes_here(on, {{query.on, query.voter}}, deadline));
}
load_handler handler(asked<reputation::get_vote> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
