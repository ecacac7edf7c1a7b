#pragma once

#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace credence::persistence {

/// One promise about what is stored, and where it is broken.
struct verified {
  std::string name;    // `vote_numbers`
  std::string promise; // in words, for the report
  std::int64_t differences = 0;
  std::vector<std::string> examples; // the first few, one line each
};

/// Works everything out anew from the rows of votes, periods and movements, in one snapshot,
/// and compares it with what is stored beside them. Reads every vote; changes nothing. `told` hears how far it is.
std::vector<verified> verify_stored(connection& on, steady_time deadline, ops::progress& told = ops::untold());

/// Votes of one side and the other.
struct side_totals {
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
};
/// All votes ever cast on each project.
std::map<std::int32_t, side_totals> count_by_project(connection& on, steady_time deadline);
/// The votes in the open period of at most `most` profiles, spread evenly over those that are live.
std::map<std::int32_t, side_totals> count_by_profile(connection& on, std::int32_t most, steady_time deadline);

} // namespace credence::persistence
