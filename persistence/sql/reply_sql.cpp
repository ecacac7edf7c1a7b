#include "persistence/sql/reply_sql.hpp"

#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

const statement insert_reply{
  "insert_reply",
  "INSERT INTO replies (id, author_profile, target_kind, target_id, parent_id, content, metadata, created_at,"
  " updated_at, seq) VALUES ($1::int4, $2::int4, $3::text, $4::int4, $5::int4, $6::text, $7::text,"
  " $8::timestamptz, $8::timestamptz, $9::int8)"};
const statement edit_reply{
  "edit_reply",
  "UPDATE replies SET content = $2::text, metadata = $3::text, edits = $4::int4, updated_at = $5::timestamptz"
  " WHERE id = $1::int4"};
const statement put_vote{
  "put_activity_vote",
  "INSERT INTO activity_votes AS v (kind, target_id, voter, number, upvote, archived, created_at, updated_at)"
  " VALUES ($1::text, $2::int4, $3::int4, $4::int4, $5::boolean, $6::boolean, $7::timestamptz, $8::timestamptz)"};
const statement change_vote{
  "change_activity_vote",
  "UPDATE activity_votes SET upvote = $4::boolean, archived = $5::boolean, updated_at = $6::timestamptz"
  " WHERE kind = $1::text AND target_id = $2::int4 AND voter = $3::int4"};

constexpr auto replies_sql =
  "SELECT id, author_profile, target_kind, target_id, parent_id, content, metadata, created_at, updated_at, edits, "
  "pinned"
  " FROM replies WHERE id = ANY($1::int4[]) AND author_profile IS NOT NULL AND target_id IS NOT NULL";

// One descent of an index each; null where there is no such record.
constexpr auto activities_sql =
  "SELECT k.kind, k.id, CASE k.kind WHEN 'review' THEN (SELECT r.archived FROM reviews r WHERE r.id = k.id)"
  " WHEN 'vouch' THEN (SELECT false FROM vouches v WHERE v.contract IN ('api', 'vouch') AND v.number = k.id)"
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
  "  WHEN 'bond' THEN (SELECT b.since_block FROM bonds b WHERE b.id = k.id)"
  "  WHEN 'broker' THEN (SELECT p.block FROM broker_posts p WHERE p.id = k.id)"
  "  WHEN 'slash' THEN (SELECT s.since_block FROM slashes s WHERE s.id = k.id)"
  "  WHEN 'reputationMarket' THEN (SELECT c.since_block FROM chain_markets c WHERE c.contract = 'reputationMarket' AND "
  "c.id = k.id)"
  "  WHEN 'attestation' THEN (SELECT a.since_block FROM attestations a WHERE a.id = k.id)"
  "  WHEN 'project' THEN (SELECT p.since_block FROM projects p WHERE p.id = k.id)"
  "  WHEN 'discussion' THEN (SELECT r.since_block FROM replies r WHERE r.id = k.id) END AS since) n) AS unsettled"
  " FROM unnest($1::text[], $2::int4[]) k(kind, id)";

constexpr auto reply_votes_sql =
  "SELECT v.kind, v.target_id, v.voter, v.number, v.upvote, v.archived, v.created_at, v.updated_at"
  " FROM unnest($1::text[], $2::int4[], $3::int4[]) k(kind, id, voter)"
  " JOIN activity_votes v ON v.kind = k.kind AND v.target_id = k.id AND v.voter = k.voter";

std::string_view kind_of(const reputation::activity& activity) { return reputation::name_of(activity.kind); }

} // namespace

statements_used sql_of<reputation::reply_created>::used() { return {&insert_reply}; }
void sql_of<reputation::reply_created>::add(const reputation::reply_created& fresh, global_seq seq,
                                            batch_statements& to) {
  const auto& record = fresh.record;
  parameters with;
  with.int4(record.id.value).int4(record.author.value).text(kind_of(record.on)).int4(record.on.id);
  put_if_any(with, record.parent).text(record.content).text(record.metadata).time(record.created_at).int8(seq);
  to.put(insert_reply, std::move(with));
}

statements_used sql_of<reputation::reply_edited>::used() { return {&edit_reply}; }
void sql_of<reputation::reply_edited>::add(const reputation::reply_edited& change, global_seq, batch_statements& to) {
  to.put(
    edit_reply,
    parameters{}.int4(change.id.value).text(change.content).text(change.metadata).int4(change.edits).time(change.at));
}

statements_used sql_of<reputation::activity_voted>::used() { return {&put_vote, &change_vote}; }
void sql_of<reputation::activity_voted>::add(const reputation::activity_voted& vote, global_seq, batch_statements& to) {
  const auto& record = vote.vote;
  parameters with;
  with.text(kind_of(record.on)).int4(record.on.id).int4(record.voter.value);
  if (vote.first)
    to.put(put_vote, with.int4(record.number)
                       .boolean(record.upvote)
                       .boolean(record.archived)
                       .time(record.created_at)
                       .time(record.updated_at));
  else
    to.put(change_vote, with.boolean(record.upvote).boolean(record.archived).time(record.updated_at));
}

std::vector<reputation::reply_record> read_replies_here(connection& on, const std::set<reply_id>& which,
                                                        steady_time deadline) {
  std::vector<reputation::reply_record> out;
  if (which.empty())
    return out;
  auto ids = ids_of(which);
  const auto found = on.run(replies_sql, parameters{}.array(ids), deadline);
  const column<reply_id> id{found, "id"};
  const column<profile_id> author{found, "author_profile"};
  const column<reputation::activity_kind> kind{found, "target_kind"};
  const column<std::int32_t> target{found, "target_id"};
  const column<std::optional<reply_id>> parent{found, "parent_id"};
  const column<std::string> content{found, "content"};
  const column<std::string> metadata{found, "metadata"};
  const column<timestamp> created_at{found, "created_at"};
  const column<timestamp> updated_at{found, "updated_at"};
  const column<std::int32_t> edits{found, "edits"};
  const column<bool> pinned{found, "pinned"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({id[i],
                   author[i],
                   {kind[i], target[i]},
                   parent[i],
                   content[i],
                   metadata[i],
                   created_at[i],
                   updated_at[i],
                   edits[i],
                   pinned[i]});
  return out;
}

std::vector<reputation::activity_row> read_activities_here(connection& on, const std::set<reputation::activity>& which,
                                                           steady_time deadline) {
  std::vector<reputation::activity_row> out;
  if (which.empty())
    return out;
  binary_array kinds{sql_type::text}, ids{sql_type::int4};
  for (const auto& each : which) {
    kinds.text(kind_of(each));
    ids.int4(each.id);
  }
  const auto found = on.run(activities_sql, parameters{}.array(kinds).array(ids), deadline);
  const column<reputation::activity_kind> kind{found, "kind"};
  const column<std::int32_t> id{found, "id"};
  const column<std::optional<bool>> archived{found, "archived"};
  const column<std::optional<std::int64_t>> unsettled{found, "unsettled"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto is_archived = archived[i])
      out.push_back({{kind[i], id[i]}, *is_archived, unsettled[i]});
  return out;
}

std::vector<reputation::activity_vote> read_votes_here(connection& on, const std::set<reputation::ballot_key>& which,
                                                       steady_time deadline) {
  std::vector<reputation::activity_vote> out;
  if (which.empty())
    return out;
  binary_array kinds{sql_type::text}, ids{sql_type::int4}, voters{sql_type::int4};
  for (const auto& [on_what, voter] : which) {
    kinds.text(kind_of(on_what));
    ids.int4(on_what.id);
    voters.int4(voter.value);
  }
  const auto found = on.run(reply_votes_sql, parameters{}.array(kinds).array(ids).array(voters), deadline);
  const column<reputation::activity_kind> kind{found, "kind"};
  const column<std::int32_t> target{found, "target_id"};
  const column<profile_id> voter{found, "voter"};
  const column<std::int32_t> number{found, "number"};
  const column<bool> upvote{found, "upvote"};
  const column<bool> archived{found, "archived"};
  const column<timestamp> created_at{found, "created_at"};
  const column<timestamp> updated_at{found, "updated_at"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({{kind[i], target[i]}, voter[i], number[i], upvote[i], archived[i], created_at[i], updated_at[i]});
  return out;
}

reputation::found_reply read(connection& on, const reputation::load_reply& query, steady_time deadline) {
  auto found = read_replies_here(on, {query.id}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

reputation::found_vote read(connection& on, const reputation::load_vote& query, steady_time deadline) {
  auto found = read_votes_here(on, {{query.on, query.voter}}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

} // namespace credence::persistence
