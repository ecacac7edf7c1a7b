#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "persistence/sql/score_sql.hpp"

namespace credence::commands {

namespace {

persistence::verified find_differences(const command_line& line, persistence::connection& on, steady_time until) {
  auto told = progress_of(line, "score recompute --check");
  const persistence::read_snapshot snapshot{on, until};
  return persistence::check_scores(on, until, persistence::checked_together, told);
}

int check(const command_line& line, persistence::connection& on, steady_time until) {
  const auto found = find_differences(line, on, until);
  if (line.json) {
    print_object([&](auto& to) {
      to.field("good", found.differences == 0);
      to.field("differences", found.differences);
      to.array("examples", found.examples, [&](const auto& each) { to.value(each); });
    });
  } else {
    for (const auto& each : found.examples)
      std::cout << each << "\n";
    std::cout << counted(found.differences, "difference\n", "differences\n");
  }
  return found.differences == 0 ? ok : differs;
}

persistence::recomputed recompute(const command_line& line, persistence::connection& on, steady_time until) {
  auto told = progress_of(line, "score recompute");
  return persistence::recompute_scores(on, until, persistence::recounted_together, told);
}

} // namespace

int score_recompute(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "score");
  const auto until = persistence::deadline_in(timeout);
  if (line.check_only)
    return check(line, on, until);
  const auto done = recompute(line, on, until);
  if (line.json)
    std::cout << R"({"sumsCorrected":)" << done.sums << R"(,"scoresMarked":)" << done.marked << "}\n";
  else
    std::cout << "the sums of " << done.sums
              << " users were other ones and are written anew; the server works out the scores of " << done.marked
              << " users, or will when it runs\n";
  return ok;
}

} // namespace credence::commands
