#pragma once

#include "actors/kernel/port.hpp"
#include "actors/project/project_state.hpp"
#include "actors/project/project_storage.hpp"

#include <chrono>
#include <optional>

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
