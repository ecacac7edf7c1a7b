#pragma once

#include "actors/score/score_facts.hpp"
#include "actors/score/score_work.hpp"
#include "ops/progress.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/verify/verify.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Scores: statements and row mapping. Sums follow from records by triggers (migration score).
namespace credence::persistence {

/// What scores are worked out from, of rows of the view `full_score_inputs`.
std::vector<score::score_inputs> score_inputs_in(const rows& found);

/// Users that `check_scores` looks at together.
inline constexpr std::int32_t checked_together = 500;
/// How long one user takes, beside what PostgreSQL's planner calls the cost of a statement.
inline constexpr double checked_user_weight = 40;
/// The largest id of a user, 0 without any.
std::int32_t last_user(connection& on, steady_time deadline);

/// Works the sums and scores of everybody out from the records and the epoch scores, and compares. One promise,
/// `scores`, for the report. Within the snapshot that is open on this connection. Holds what `together` users wrote and
/// received, and no more. `told` hears how far it is.
verified check_scores(connection& on, steady_time deadline, std::int32_t together = checked_together,
                      ops::progress& told = ops::untold());

/// Records, or users, that `recompute_scores` counts together at most.
inline constexpr std::int32_t recounted_together = 1000;
/// How long a piece of `recompute_scores` may hold up the writers; but for what a single record, or user, takes.
inline constexpr std::chrono::milliseconds recount_piece_max{250};

/// What `recompute_scores` found.
struct recomputed {
  std::int64_t sums = 0;   // users whose sums were wrong
  std::int64_t marked = 0; // users whose score is worked out anew by the server
};
/// Writes the sums of everybody anew from the records, and marks everybody. In pieces of `most` records or users at
/// most, each a transaction of its own that holds up the writers for `recount_piece_max` at most, and rests behind
/// each; other changes may come in between. If it is cut off, run it again from the start. `told` hears how far it is.
recomputed recompute_scores(connection& on, steady_time deadline, std::int32_t most = recounted_together,
                            ops::progress& told = ops::untold());

} // namespace credence::persistence
