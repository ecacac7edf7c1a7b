#include "persistence/sql/score_sql.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace credence::persistence {

namespace {

/// The stages of `recount_scores`, each with its name for who waits, and the rows that it goes through.
constexpr auto stages_sql =
  "WITH n AS MATERIALIZED (SELECT (SELECT count(*) FROM score_inputs) AS people, (SELECT count(*) FROM users) AS users,"
  "  (SELECT count(*) FROM reviews) AS reviews, (SELECT count(*) FROM vouches) AS vouches,"
  "  (SELECT count(*) FROM activity_votes) AS votes)"
  " SELECT stage, part, rows FROM n, LATERAL (VALUES ('pairs', 'who vouches for whom', people), ('sums', 'sums', "
  "people),"
  "  ('reviews', 'reviews', reviews), ('vouches', 'vouches', vouches), ('votes', 'votes on records', votes),"
  "  ('marks', 'marks of scores', people), ('noting', 'marks of influence', users), ('influence', 'influence', users),"
  "  ('percentiles', 'percentiles', users)) s (stage, part, rows)";

/// Tells how far a recount is, whose stages come one after the other in pieces.
class recount_progress {
public:
  recount_progress(connection& on, steady_time deadline, ops::progress& told) : told_(told) {
    const auto found = on.exec_params(stages_sql, deadline);
    const column<std::string> stage{found, "stage"}, part{found, "part"};
    const column<std::int64_t> count{found, "rows"};
    for (int i = 0; i < found.count(); ++i) {
      stages_[stage[i]] = {part[i], count[i]};
      told_.expect(static_cast<double>(count[i]));
    }
  }

  void enter(const std::string& stage) {
    if (stage == stage_)
      return;
    stage_ = stage;
    done_ = 0;
    const auto known = stages_.find(stage);
    rows_ = known == stages_.end() ? 0 : known->second.rows;
    told_.begin(known == stages_.end() ? stage : known->second.part, static_cast<double>(rows_), rows_);
  }

  void moved_by(std::int64_t rows) { told_.at(done_ = std::min(done_ + rows, rows_)); }

private:
  struct counted {
    std::string part;
    std::int64_t rows = 0;
  };

  ops::progress& told_;
  std::map<std::string, counted> stages_;
  std::string stage_;
  std::int64_t rows_ = 0;
  std::int64_t done_ = 0;
};

} // namespace

recomputed recompute_scores(connection& on, steady_time deadline, std::int32_t together, ops::progress& told) {
  recount_progress progress{on, deadline, told};
  recomputed out;
  for (std::string place = "{}", stage = "pairs"; stage != "done";) {
    progress.enter(stage);
    transaction piece{on, deadline};
    on.exec("SELECT FROM shard_owners ORDER BY shard FOR UPDATE",
            deadline); // no batch is under way while sums are written
    const auto next = on.exec_params(
      "SELECT n::text AS place, n->>'stage' AS stage, (n->>'sums')::int8 AS sums, (n->>'marked')::int8 AS marked"
      " FROM recount_scores($1::text::jsonb, $2::int4) n",
      parameters{}.text(place).int4(together), deadline);
    place = next.first<std::string>("place");
    stage = next.first<std::string>("stage");
    out = {next.first<std::int64_t>("sums"), next.first<std::int64_t>("marked")};
    piece.commit(deadline);
    progress.moved_by(together);
  }
  return out;
}

} // namespace credence::persistence
