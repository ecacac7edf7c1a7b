#include "actors/score/score_state.hpp"
#include "ops/demo/parts.hpp"
#include "persistence/sql/score_sql.hpp"

#include <numeric>

namespace credence::persistence {

void load_demo_scores(connection& on, timestamp now, steady_time deadline) {
  const auto today =
    on.exec_params("SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL", deadline).value<score::day>();
  const auto found = on.exec_params(
    "SELECT f.*, d.mark FROM score_dirty d JOIN full_score_inputs f USING (user_id) ORDER BY user_id", deadline);
  auto all = score_inputs_in(found);
  const column<user_id> user{found, "user_id"};
  const column<std::int64_t> mark{found, "mark"};
  std::vector<score::score_changed> changes;
  binary_array users{sql_type::int4}, starting{sql_type::int4};
  for (int i = 0; i < found.count(); ++i) {
    auto& inputs = all[static_cast<std::size_t>(i)];
    const auto points = score::points_of(score::breakdown_of(inputs, today));
    const auto sum = std::accumulate(points.begin(), points.begin() + static_cast<int>(score::element::limits), 0);
    inputs.starting = std::clamp(inputs.starting - sum, 0, 2800);
    const auto breakdown = score::breakdown_of(inputs, today);
    changes.push_back({user[i], breakdown.score, score::points_of(breakdown), today, "demo", now, mark[i]});
    users.int4(user[i].value);
    starting.int4(inputs.starting);
  }
  on.exec_params(
    "UPDATE score_inputs i SET starting = k.starting FROM unnest($1::int4[], $2::int4[]) k(user_id, starting)"
    " WHERE i.user_id = k.user_id",
    parameters{}.array(users).array(starting), deadline);
  write_now(on, std::span<const score::score_changed>{changes}, 0, deadline);
  on.exec("SELECT work_out_influence()", deadline);
}

} // namespace credence::persistence
