#pragma once

#include "actors/kernel/port.hpp"
#include "actors/project/project_state.hpp"
#include "actors/project/project_storage.hpp"
#include "actors/project/project_types.hpp"

#include <chrono>
#include <optional>
#include <span>

/// Shares of the bullish votes, by weight, over time. `all` is what all votes weigh; `days`, in
/// order of days, go back as far as is asked about, and may begin anywhere before.
namespace credence::project {

/// What votes cast before `end` weigh.
vote_weights weight_before(std::chrono::sys_days end, vote_weights all, std::span<const day_tally> days);

/// Bullish share, in percent; 50 while nothing weighs anything.
double bullish_share(const vote_weights& of);

/// Change of the bullish share, in percentage points with two decimals, over the
/// `window` days that end with `today`.
double share_change(const vote_weights& all, std::span<const day_tally> days, std::chrono::sys_days today,
                    std::int32_t window);

/// The share at the end of each of the last `window` days, oldest first.
std::vector<spark_point> sparkline(const vote_weights& all, std::span<const day_tally> days,
                                   std::chrono::sys_days today, std::int32_t window);

} // namespace credence::project

namespace credence {
struct context;
}

namespace credence::project {

/// How often a project that is voted on reports to the board.
inline constexpr std::chrono::milliseconds report_every{200};

/// What others have been told of a project's votes: the board, so that rankings follow, and the store, so that a start
/// reads tallies instead of all votes. A plain object in the project's actor.
class tally_reports {
public:
  /// `saved_through`: the last vote that the stored tallies have.
  void start(project_id id, const context& with, port<storage> stored, entity_seq saved_through);

  /// Tells the board of what is new.
  void tell_board(const project_state& rules);
  /// The same, unless it heard a moment ago: of the first commit at once, of a stream of them five times a second.
  void tell_board_soon(const project_state& rules);
  /// Tells the board, and every so often the store.
  void report(const project_state& rules, actor& me);
  /// Stores tallies of what is new, behind the commits; its outcome comes to `me`.
  void save(const project_state& rules, actor& me);
  /// False when the outcome is of something else.
  bool on_outcome(const write_outcome& outcome);
  /// Whether the store lacks votes of these.
  bool behind(const project_state& rules) const noexcept { return saved_through_ < rules.through(); }

private:
  project_id id_;
  const context* with_ = nullptr;
  port<storage> storage_;
  entity_seq told_through_ = 0; // the board
  entity_seq saved_through_ = 0;
  std::optional<entity_seq> saving_; // tallies up to this vote are under way
  steady_time next_tell_{};
  int reports_ = 0;
  write_stream stream_;
};

} // namespace credence::project
