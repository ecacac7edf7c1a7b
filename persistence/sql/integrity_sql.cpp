#include "persistence/sql/integrity_sql.hpp"

#include "persistence/readers/query_policy.hpp"

#include <algorithm>
#include <array>

namespace credence::persistence {

namespace {

/// A piece of an analysis: only one is read at a time, and after everything that somebody looks at.
constexpr query_policy piece_of_analysis{lane::lists, weight::most};

// Each project's votes are numbered, so the last number of each is how many there are. The rest is as the planner last
// saw it, as it only tells how far an analysis is.
constexpr auto extent_sql =
  "SELECT (SELECT coalesce(sum(n), 0)::int8 FROM (SELECT (SELECT number FROM votes v WHERE v.project_id = p.id"
  "   ORDER BY number DESC LIMIT 1)::int8 AS n FROM projects p) of_each) AS votes,"
  " (SELECT greatest(reltuples, 0)::int8 FROM pg_class WHERE oid = 'profiles'::regclass) AS people,"
  " (SELECT sum(greatest(reltuples, 0))::int8 FROM pg_class"
  "   WHERE oid IN ('reviews'::regclass, 'vouches'::regclass, 'activity_votes'::regclass)) AS ties";

constexpr auto integrity_votes_sql =
  "SELECT project_id, number, voter_id, bullish, cast_at FROM votes"
  " WHERE (project_id, number) > ($1::int4, $2::int4) ORDER BY project_id, number LIMIT $3::int4";

// A piece is taken by key first; whom each row is about is looked up for the rows of the piece alone.
constexpr auto integrity_reviews_sql =
  "SELECT '' AS contract, r.id AS number, r.author_profile AS giver, p.id AS receiver, r.created_at AS at,"
  " r.score = 2 AND NOT r.archived AS counts"
  " FROM (SELECT * FROM reviews WHERE $1::text = '' AND id > $2::int4 ORDER BY id LIMIT $3::int4) r"
  " LEFT JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation"
  " LEFT JOIN profiles p ON p.user_id = s.user_id ORDER BY r.id";
constexpr auto integrity_vouches_sql =
  "SELECT v.contract, v.number, v.author_profile AS giver, p.id AS receiver, v.vouched_at AS at, NOT v.archived AS "
  "counts"
  " FROM (SELECT * FROM vouches WHERE (contract, number) > ($1::text, $2::int4) ORDER BY contract, number LIMIT "
  "$3::int4) v"
  " LEFT JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
  " LEFT JOIN profiles p ON p.user_id = s.user_id ORDER BY v.contract, v.number";
constexpr auto upvotes_sql =
  "SELECT '' AS contract, a.number, a.voter AS giver, r.author_profile AS receiver, a.created_at AS at, a.upvote AND "
  "NOT a.archived AS counts"
  " FROM (SELECT * FROM activity_votes WHERE $1::text = '' AND number > $2::int4 ORDER BY number LIMIT $3::int4) a"
  " LEFT JOIN reviews r ON a.kind = 'review' AND r.id = a.target_id ORDER BY a.number";
constexpr std::array<const char*, integrity::tie_kinds> ties_sql{integrity_reviews_sql, integrity_vouches_sql,
                                                                 upvotes_sql};

constexpr auto joined_sql = "SELECT id, created_at FROM profiles WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";

std::uint32_t second_of(timestamp at) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(unix_seconds(at), 0));
}

} // namespace

integrity::extent read(connection& on, const integrity::load_extent&, steady_time deadline) {
  return first_of(on.run(extent_sql, deadline), CREDENCE_FIELDS(integrity::extent, votes, people, ties)).value();
}
load_handler handler(asked<integrity::load_extent> it) { return reads<piece_of_analysis, integrity::storage>(it); }

integrity::votes_read read(connection& on, const integrity::load_votes_cast& query, steady_time deadline) {
  const auto found = on.run(integrity_votes_sql, with(query.after, query.after_number, query.most), deadline);
  const column<project_id> project{found, "project_id"};
  const column<entity_seq> number{found, "number"};
  const column<std::int32_t> voter{found, "voter_id"};
  const column<bool> bullish{found, "bullish"};
  const column<timestamp> cast_at{found, "cast_at"};
  integrity::votes_read out;
  out.read = found.count();
  out.votes.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    if (const auto at = cast_at[i]; at >= query.since)
      out.votes.push_back({voter[i], integrity::vote_seen::cause_of(project[i], bullish[i]), second_of(at)});
  if (const auto last = found.count() - 1; last >= 0) {
    out.last = project[last];
    out.last_number = number[last];
  }
  return out;
}
load_handler handler(asked<integrity::load_votes_cast> it) { return reads<piece_of_analysis, integrity::storage>(it); }

integrity::ties_read read(connection& on, const integrity::load_ties& query, steady_time deadline) {
  const auto found = on.run(ties_sql[static_cast<std::size_t>(query.kind)],
                            with(query.after.contract, query.after.number, query.most), deadline);
  const column<std::string> contract{found, "contract"};
  const column<std::int32_t> number{found, "number"};
  const column<std::optional<std::int32_t>> giver{found, "giver"};
  const column<std::optional<std::int32_t>> receiver{found, "receiver"};
  const column<timestamp> at{found, "at"};
  const column<bool> counts{found, "counts"};
  integrity::ties_read out;
  out.read = found.count();
  for (int i = 0; i < found.count(); ++i) {
    const auto from = giver[i];
    const auto to = receiver[i];
    if (counts[i] && from && to && *from != *to)
      out.ties.push_back({*from, *to, query.kind, second_of(at[i])});
  }
  if (const auto last = found.count() - 1; last >= 0)
    out.last = {contract[last], number[last]};
  return out;
}
load_handler handler(asked<integrity::load_ties> it) { return reads<piece_of_analysis, integrity::storage>(it); }

integrity::joined_read read(connection& on, const integrity::load_joined& query, steady_time deadline) {
  const auto found = on.run(joined_sql, with(query.after, query.most), deadline);
  const column<std::int32_t> id{found, "id"};
  const column<timestamp> created_at{found, "created_at"};
  integrity::joined_read out;
  out.people.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.people.push_back({id[i], second_of(created_at[i])});
  return out;
}
load_handler handler(asked<integrity::load_joined> it) { return reads<piece_of_analysis, integrity::storage>(it); }

} // namespace credence::persistence
