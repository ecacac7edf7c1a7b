#include "persistence/sql/profile_sql.hpp"

#include <cstdlib>

namespace credence::persistence {

namespace {

// One statement, so one snapshot: `as_of` and the votes belong together. Each profile costs a
// descent of two indexes and the rows of its period, whatever the plan around it: a plan is kept
// for the session, and a join that was right for few rows would be kept for all. A vote is its
// project's id, negative when it is bearish.
constexpr auto profiles_sql =
  "SELECT k.n, (SELECT p.archived FROM profiles p WHERE p.id = k.id),"
  " (SELECT array_agg(CASE WHEN v.bullish THEN v.project_id ELSE -v.project_id END) FROM votes v"
  "  WHERE v.voter_id = k.id AND v.period_id = k.period),"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0)"
  " FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY k(id, period, n)";

constexpr auto counts_sql =
  "SELECT k.n, c.bullish, c.votes - c.bullish FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY k(id, period, n),"
  " LATERAL (SELECT count(*) AS votes, count(*) FILTER (WHERE v.bullish) AS bullish FROM votes v"
  "  WHERE v.voter_id = k.id AND v.period_id = k.period) c";

std::size_t place_from(const rows& found, int row) { return static_cast<std::size_t>(found.int8(row, 0) - 1); }

} // namespace

std::vector<profile::stored_profile> read_profiles(connection& on, std::span<const profile::load_profile> which, steady_time deadline) {
  binary_array ids{sql_type::int4};
  binary_array periods{sql_type::int4};
  for (const auto& each : which) {
    ids.int4(each.profile.value);
    periods.int4(each.in.value);
  }
  const auto found = on.run(profiles_sql, parameters{}.array(ids).array(periods), deadline);
  std::vector<profile::stored_profile> out(which.size());
  for (int i = 0; i < found.count(); ++i) {
    const auto place = place_from(found, i);
    auto& profile = out.at(place);
    profile.as_of = found.int8(i, 3);
    profile.exists = !found.null(i, 1);
    profile.archived = profile.exists && found.boolean(i, 1);
    if (found.null(i, 2))
      continue;
    for (const auto vote : found.int4s(i, 2))
      profile.votes.push_back({project_id{std::abs(vote)}, which[place].in, vote > 0 ? profile::sentiment::bullish : profile::sentiment::bearish});
  }
  return out;
}

profile::counted_votes read_counts(connection& on, const profile::count_votes& asked, steady_time deadline) {
  binary_array ids{sql_type::int4};
  binary_array periods{sql_type::int4};
  for (const auto& each : asked.voters) {
    ids.int4(each.who.value);
    periods.int4(each.in.value);
  }
  const auto found = on.run(counts_sql, parameters{}.array(ids).array(periods), deadline);
  profile::counted_votes out{std::vector<profile::vote_count>(asked.voters.size())};
  for (int i = 0; i < found.count(); ++i)
    out.counts.at(place_from(found, i)) = {found.int8(i, 1), found.int8(i, 2)};
  return out;
}

} // namespace credence::persistence
