#include "actors/kernel/pace.hpp"
#include "persistence/sql/score_sql.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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

struct recounted_piece {
  std::string place, stage; // of the next one
  recomputed so_far;
  std::chrono::nanoseconds took{}; // while no batch could be under way
};

/// Counts the piece at `place`; nothing where that takes too long, and nothing is done then. Throws also where somebody
/// cancels it, which PostgreSQL says by the same code (57014) as it does that the time is over.
std::optional<recounted_piece> recount(connection& on, steady_time deadline, const std::string& place,
                                       std::size_t records) {
  transaction piece{on, deadline};
  on.exec("SELECT FROM shard_owners ORDER BY shard FOR UPDATE", deadline);
  const auto began = steady_clock::now();
  const bool bounded = records > step_size::least;
  if (bounded)
    on.exec(("SET LOCAL statement_timeout = " + std::to_string(recount_piece_max.count())).c_str(), deadline);
  const auto sent = steady_clock::now();
  try {
    const auto next = on.exec_params(
      "SELECT n::text AS place, n->>'stage' AS stage, (n->>'sums')::int8 AS sums, (n->>'marked')::int8 AS marked"
      " FROM recount_scores($1::text::jsonb, $2::int4) n",
      parameters{}.text(place).int4(static_cast<std::int32_t>(records)), deadline);
    piece.commit(deadline);
    return recounted_piece{next.first<std::string>("place"),
                           next.first<std::string>("stage"),
                           {next.first<std::int64_t>("sums"), next.first<std::int64_t>("marked")},
                           steady_clock::now() - began};
  } catch (const database_error& why) {
    if (bounded && why.sqlstate() == "57014" && steady_clock::now() - sent >= recount_piece_max)
      return std::nullopt;
    throw;
  }
}

/// A batch that waits comes before the next piece.
void let_batches_pass(std::chrono::nanoseconds behind) {
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(behind, rest_max));
}

} // namespace

recomputed recompute_scores(connection& on, steady_time deadline, std::int32_t most, ops::progress& told) {
  recount_progress progress{on, deadline, told};
  step_size size{static_cast<std::size_t>(most)};
  recounted_piece last{"{}", "pairs", {}};
  while (last.stage != "done") {
    progress.enter(last.stage);
    const auto records = size.max();
    std::chrono::nanoseconds took = recount_piece_max;
    if (auto next = recount(on, deadline, last.place, records)) {
      progress.moved_by(static_cast<std::int64_t>(records));
      took = next->took;
      last = *std::move(next);
    }
    size.took(took);
    let_batches_pass(took);
  }
  return last.so_far;
}

} // namespace credence::persistence
