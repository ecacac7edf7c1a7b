#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Voting periods: named (year, number), one open at a time, all others closed for good.
namespace credence::period {

struct voting_period {
  period_id id;
  std::int32_t year = 0;
  std::int32_t number = 0;
  timestamp starts_at{};
  /// Planned end: the `allocationResetDate` until it is closed. The real one is `closed_at`.
  timestamp ends_at{};
  std::optional<timestamp> closed_at{};
  // Who could vote, and on what, when it was opened.
  std::int64_t live_profiles = 0;
  std::int64_t active_projects = 0;
};

/// How the client names a period: both parts, or one, or none for the current one.
struct period_name {
  std::optional<std::int64_t> year;
  std::optional<std::int64_t> number;
};

/// All periods ever, oldest first; the last one is open. Immutable once published.
struct calendar {
  std::vector<voting_period> periods;

  const voting_period& current() const { return periods.back(); }
  /// The period meant by `name`, or null when there is none. A missing year
  /// means the current year, a missing number that year's newest period.
  const voting_period* find(const period_name& name) const;
  const voting_period* find(period_id id) const;
};

/// Why nothing was found by that name, for the one who asked.
std::string no_such(const period_name& name);

// -- questions ----------------------------------------------------------------

/// What an advance gave out (spec: reallocate).
struct allocation {
  voting_period opened;
  std::int64_t allocations_created = 0;
  std::int64_t total_votes_allocated = 0;
  std::int64_t users_affected = 0;
};
/// What the opening of a period gave out.
inline allocation allocation_of(const voting_period& opened) {
  return {opened, opened.live_profiles, opened.live_profiles * opened.active_projects, opened.live_profiles};
}

/// Close the current period and open the next one. Who may ask is the front's business.
struct advance_period {
  using answer_type = allocation;
  bool dry_run = false; // only says what would be done now
};

// -- changes ------------------------------------------------------------------

/// Closes `closes` (0 for the very first period) and opens `opened`.
struct period_advanced {
  period_id closes;
  voting_period opened;
};

// -- loading ------------------------------------------------------------------

struct load_periods {};
struct stored_periods {
  std::vector<voting_period> periods; // oldest first; empty in a new database
};

/// How many may vote on how many listings.
struct load_electorate {};
struct electorate {
  std::int64_t live_profiles = 0;
  std::int64_t active_projects = 0;
};

/// What an advance closes and opens, or would.
struct advanced {
  voting_period closes;
  allocation opens;
};

/// Closes the open period, if that is this one, and opens the next. Refused with `sequence_mismatch` where another one
/// is open by now.
struct advance_from {
  using answer_type = advanced;
  period_id open;
  bool dry_run = false; // only says what would be done now
};

} // namespace credence::period

/// What the calendar writes and reads.
namespace credence {

CREDENCE_PART(period::voting_period, id, year, number, starts_at, ends_at, closed_at, live_profiles, active_projects);

template <>
struct fact<period::period_advanced> : numbered<period::period_advanced> {
  static std::string effect(const of& advance) { return std::to_string(advance.opened.id.value); }
  static std::int64_t begins_era(const of& advance) { return advance.opened.id.value; }
  static constexpr auto fields = within(&of::opened, part<period::voting_period>::fields);
};

namespace period {
/// What is written and what is asked.
struct storage {
  using facts = types<period_advanced>;
  using loads = types<load<load_periods, stored_periods>, load<load_electorate, electorate>>;
};
} // namespace period

} // namespace credence
