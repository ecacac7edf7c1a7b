#include "persistence/postgres/column.hpp"
#include "persistence/verify/score_differences.hpp"

namespace credence::persistence {

namespace {

/// Nobody while percentiles are behind: an epoch, or a recount, has yet to work them out.
constexpr auto influence_ranks_sql =
  "SELECT user_id, percentile, reach, lower_percentile, lower_reach FROM (SELECT i.user_id, i.reach, "
  "u.influence_percentile AS percentile,"
  " lag(i.reach) OVER w AS lower_reach, lag(u.influence_percentile) OVER w AS lower_percentile"
  " FROM influences i JOIN users u ON u.id = i.user_id WINDOW w AS (ORDER BY i.reach, i.user_id)) each"
  " WHERE (percentile < lower_percentile OR (reach = lower_reach AND percentile <> lower_percentile))"
  " AND (SELECT through >= moved FROM influence_percentiles)";

} // namespace

void compare_percentiles(difference_list& to, connection& on, steady_time deadline) {
  const auto wrong = on.exec_params(influence_ranks_sql, deadline);
  const column<user_id> user{wrong, "user_id"};
  const column<double> percentile{wrong, "percentile"}, lower{wrong, "lower_percentile"};
  const column<std::int64_t> reach{wrong, "reach"}, lower_reach{wrong, "lower_reach"};
  for (int i = 0; i < wrong.count(); ++i)
    to.add("user " + std::to_string(user[i].value) + " has a percentile of " + std::to_string(percentile[i])
           + " for a reach of " + std::to_string(reach[i]) + ", and somebody with a reach of "
           + std::to_string(lower_reach[i]) + " has " + std::to_string(lower[i]));
}

} // namespace credence::persistence
