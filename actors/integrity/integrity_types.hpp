#pragma once

#include "actors/integrity/findings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Questions about integrity, and what is read to answer them.
namespace credence::integrity {

enum class analysis_state : std::uint8_t { none, running, done, failed, stopped };
inline constexpr const char* analysis_state_names[] = {"none", "running", "done", "failed", "stopped"};

/// How the analysis goes, or went.
struct analysis {
  analysis_state state = analysis_state::none;
  std::optional<timestamp> started_at;
  std::optional<timestamp> ended_at;
  double share = 0;  // of the work that is done, 0 to 1
  std::string error; // of one that failed
  /// Findings of the newest analysis that was completed; null if none was.
  std::shared_ptr<const findings> found;
  std::optional<timestamp> found_at;
};

/// How it goes.
struct get_analysis {
  using answer_type = analysis;
  static constexpr bool brief = true;
};
/// Begins one; where one runs already nothing happens.
struct start_analysis {
  using answer_type = analysis;
  static constexpr bool brief = true;
};
/// Ends the one that runs, if any.
struct stop_analysis {
  using answer_type = analysis;
  static constexpr bool brief = true;
};

// -- what is read -----------------------------------------------------------------------

/// About how much there is to read.
struct load_extent {};
struct extent {
  std::int64_t votes = 0;
  std::int64_t people = 0;
  std::int64_t ties = 0;
};

/// The next votes behind `after`, in order of project and number; those cast before `since` are passed over.
struct load_votes_cast {
  project_id after;
  entity_seq after_number = 0;
  timestamp since;
  std::int32_t most = 0;
};
struct votes_read {
  std::vector<vote_seen> votes;
  project_id last;
  entity_seq last_number = 0;
  std::int32_t read = 0; // also those passed over; fewer than asked for at the end
};

/// Where a kind of ties goes on. Vouches have a contract beside their number.
struct tie_place {
  std::string contract;
  std::int32_t number = -1;
};
/// The next positive reviews, active vouches, or upvotes of reviews, behind `after`.
struct load_ties {
  tie_kind kind = tie_kind::review;
  tie_place after;
  std::int32_t most = 0;
};
struct ties_read {
  std::vector<tie_seen> ties;
  tie_place last;
  std::int32_t read = 0; // rows, also those that are no such tie
};

/// The next profiles in order of their ids.
struct load_joined {
  profile_id after;
  std::int32_t most = 0;
};
struct joined_read {
  std::vector<joined> people;
};

} // namespace credence::integrity
