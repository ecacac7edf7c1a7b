#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/integrity/acts.hpp"
#include "actors/kernel/load.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What an analysis of integrity tells.
namespace credence::integrity {

/// What makes a group of profiles look as if one hand led them.
enum class sign : std::uint8_t {
  same_seconds, // they vote for the same causes within the same seconds, again and again
  fresh_alike,  // soon after they joined they voted for the same causes within the same hours
  reciprocal,   // they speak well of each other, in more than one way
  burst,        // within a minute a cause got the votes of many who had just joined
};
inline constexpr std::size_t signs_known = 4;
inline constexpr const char* sign_names[signs_known] = {"SAME_SECONDS", "FRESH_ALIKE", "RECIPROCAL", "BURST"};

/// How much a sign says: chance brings it about once in ten to the power of `decades`.
struct sign_seen {
  sign what = sign::same_seconds;
  double decades = 0;
  std::int32_t pairs = 0; // of members that show it; for a burst its votes of members
};

/// Members voted for one cause within seconds of each other.
struct moment {
  std::uint32_t cause = 0;
  std::uint32_t first = 0; // second
  std::uint32_t last = 0;
  std::vector<profile_id> who;
};

/// Profiles that look as if one hand led them, and why.
struct found_group {
  std::vector<joined> members;                  // in order of their ids
  std::vector<sign_seen> signs;                 // the strongest first
  double decades = 0;                           // of all signs
  std::vector<moment> moments;                  // the ones with most members first
  std::int32_t moments_all = 0;                 // how many there are, also those left out
  std::array<std::int32_t, tie_kinds> mutual{}; // pairs of members that speak well of each other, by kind
};

/// The groups, the most unlikely one first.
struct findings {
  std::vector<found_group> groups;
  std::int64_t votes = 0; // looked at
  std::int64_t ties = 0;
  std::int64_t people = 0;
};

/// Hears how far an analysis is, from 0 to 1; false ends it.
using watch = std::function<bool(double)>;

/// The bounds of an analysis.
struct bounds {
  std::int64_t near_pairs_max =
    60'000'000; // pairs of votes that are close to each other: beyond, each vote has fewer neighbours
  std::size_t kept_pairs_max = 4'000'000; // of these, what is kept of pairs of profiles that met more than once
  std::size_t groups_max = 100;
  std::size_t groups_looked_at_max = 1'000; // of which the strongest are told
  std::size_t members_max = 500;            // of a group that are told
  std::size_t moments_max = 24;             // of a group that are told
};

/// Questions about integrity, and what is read to answer them.

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
  std::optional<timestamp> found_began_at; // when that one began
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

inline constexpr std::chrono::days looked_back{90};
/// Rows of a piece.
inline constexpr std::int32_t votes_at_once = 20'000;
inline constexpr std::int32_t ties_at_once = 5'000;
inline constexpr std::int32_t people_at_once = 50'000;

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

/// What is read for an analysis of integrity.

/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<load_extent, extent>, load<load_votes_cast, votes_read>, load<load_ties, ties_read>,
                      load<load_joined, joined_read>>;
};
} // namespace credence::integrity
