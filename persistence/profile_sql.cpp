#include "persistence/profile_sql.hpp"

namespace credence::persistence {

namespace {

// One statement, so one snapshot: `as_of`, the votes and the balance belong together.
constexpr auto profile_sql =
  "SELECT p.archived,"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0),"
  " v.project_id, v.period_id, v.bullish, coalesce((SELECT balance FROM xp_accounts WHERE id = p.id), 0)"
  " FROM profiles p LEFT JOIN votes v ON v.voter_id = p.id WHERE p.id = $1::int4";

} // namespace

profile::stored_profile read_profile(connection& on, profile_id which, steady_time deadline) {
  profile::stored_profile out;
  const auto found = on.run(profile_sql, parameters{}.int4(which.value), deadline);
  if (found.empty())
    return out;
  out.exists = true;
  out.archived = found.boolean(0, 0);
  out.as_of = found.int8(0, 1);
  out.xp = found.int8(0, 5);
  if (found.null(0, 2))
    return out;
  out.votes.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.votes.push_back({project_id{found.int4(i, 2)}, period_id{found.int4(i, 3)},
                         found.boolean(i, 4) ? profile::sentiment::bullish : profile::sentiment::bearish});
  return out;
}

} // namespace credence::persistence
