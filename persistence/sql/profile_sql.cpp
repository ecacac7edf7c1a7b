#include "persistence/sql/profile_sql.hpp"

#include <cstdlib>

namespace credence::persistence {

namespace {

// One statement, so one snapshot: `as_of` and the votes belong together. Each profile costs a
// descent of two indexes and the rows of its period, whatever the plan around it: a plan is kept
// for the session, and a join that was right for few rows would be kept for all. A vote is its
// project's id, negative when it is bearish.
constexpr auto profiles_sql =
  "SELECT k.place, (SELECT p.archived FROM profiles p WHERE p.id = k.id) AS archived,"
  " (SELECT array_agg(CASE WHEN v.bullish THEN v.project_id ELSE -v.project_id END) FROM votes v"
  "  WHERE v.voter_id = k.id AND v.period_id = k.period) AS votes,"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0) AS as_of"
  " FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY k(id, period, place)";

constexpr auto profile_counts_sql =
  "SELECT k.place, c.bullish, c.votes - c.bullish AS bearish FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY k(id, "
  "period, place),"
  " LATERAL (SELECT count(*) AS votes, count(*) FILTER (WHERE v.bullish) AS bullish FROM votes v"
  "  WHERE v.voter_id = k.id AND v.period_id = k.period) c";

} // namespace

/// Whether each profile is there and live, what it has cast in the period asked about, and the
/// last global number that was committed when they were read; in the order asked, of one snapshot.
std::vector<profile::stored_profile> read(connection& on, std::span<const profile::load_profile> which,
                                          steady_time deadline) {
  const auto found = on.run(
    profiles_sql, with(array_of(which, &profile::load_profile::profile), array_of(which, &profile::load_profile::in)),
    deadline);
  const places place{found};
  const column<std::optional<bool>> archived{found, "archived"}; // null: there is no such profile
  const column<std::optional<std::vector<std::int32_t>>> votes{found, "votes"};
  const column<global_seq> as_of{found, "as_of"};
  std::vector<profile::stored_profile> out(which.size());
  for (int i = 0; i < found.count(); ++i) {
    const auto at = place[i];
    auto& profile = out.at(at);
    profile.as_of = as_of[i];
    const auto is_archived = archived[i];
    profile.exists = is_archived.has_value();
    profile.archived = is_archived.value_or(false);
    if (const auto cast = votes[i])
      for (const auto vote : *cast)
        profile.votes.push_back({project_id{std::abs(vote)}, which[at].in,
                                 vote > 0 ? profile::sentiment::bullish : profile::sentiment::bearish});
  }
  return out;
}
load_handler handler(asked<profile::load_profile> it) { return reads<load_in_groups, profile::storage>(it); }

/// What voters have cast in a period, in the order asked.
profile::counted_votes read(connection& on, const profile::count_votes& query, steady_time deadline) {
  using voter = profile::count_votes::voter;
  using of = profile::vote_count;
  const auto found =
    on.run(profile_counts_sql, with(array_of(query.voters, &voter::who), array_of(query.voters, &voter::in)), deadline);
  const auto counts = records_in(found, CREDENCE_FIELDS(of, bullish, bearish));
  const places place{found};
  profile::counted_votes out{std::vector<of>(query.voters.size())};
  for (int i = 0; i < found.count(); ++i)
    out.counts.at(place[i]) = counts[i];
  return out;
}
// is a group itself
load_handler handler(asked<profile::count_votes> it) { return reads<load_by_key, profile::storage>(it); }

} // namespace credence::persistence
