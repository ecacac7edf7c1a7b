#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/settled.hpp"
#include "actors/domain/time.hpp"
#include "actors/period/period_types.hpp"
#include "actors/profile/vote_parts.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Listings and the votes on them. A project owns every vote cast on it.
namespace credence::project {

using profile::sentiment;

// -- scope: which votes count ---------------------------------------------------

enum class scope_kind : std::uint8_t { global, global_dates, current_period, period };

/// Which of a project's votes a read is about (spec: scope rules).
struct scope {
  scope_kind kind = scope_kind::current_period;
  timestamp from{};            // global_dates: inclusive
  timestamp to{};              // global_dates: inclusive, capped to now by the project
  period::period_name named{}; // period: both parts set
};

// -- questions ----------------------------------------------------------------

/// A cast, committed: what the voter is told.
struct vote_receipt {
  sentiment side{};
  /// Absent when the voter's balance could not be read after the commit.
  std::optional<profile::vote_balance> new_balance;
};

struct cast_vote {
  static constexpr bool brief = true;
  using answer_type = vote_receipt;
  project_id project;
  profile_id voter;
  sentiment side{};
  std::optional<std::string> reason; // 1..50 characters, checked by the front
  bool dry_run = false;              // only decided: nothing is cast, and the receipt has no balance
};

/// A reason with the number of votes that gave it; null groups votes without one.
struct reason_count {
  std::optional<std::string> reason;
  std::int64_t votes = 0;
};

struct voter_entry {
  profile_id voter;
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  timestamp first_vote_at{};
  timestamp last_vote_at{};
  std::vector<reason_count> bullish_reasons;
  std::vector<reason_count> bearish_reasons;
};

struct voter_totals {
  std::int64_t voters = 0;
  std::int64_t bullish_voters = 0;
  std::int64_t bearish_voters = 0;
  std::int64_t bullish_votes = 0;
  std::int64_t bearish_votes = 0;
};

struct voters_page {
  std::vector<voter_entry> entries;
  std::int64_t total = 0; // voters that match, over all pages
  voter_totals totals;
};

enum class voter_order : std::uint8_t { score, updated_at };

struct get_voters {
  using answer_type = voters_page;
  project_id project;
  scope in;
  voter_order order = voter_order::score;
  bool descending = true;
  std::optional<sentiment> side; // only voters with a vote of this side
  page slice;
};

struct profile_totals {
  profile_id voter;
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  std::vector<reason_count> bullish_reasons;
  std::vector<reason_count> bearish_reasons;
};

struct get_bulk_totals {
  using answer_type = std::vector<profile_totals>; // in the order asked, each id once
  project_id project;
  scope in;
  std::vector<profile_id> voters;
};

/// Widths of chart buckets, smallest first. `week` starts on Monday, `month` on the 1st, UTC.
enum class bucket : std::uint8_t {
  minute_1,
  minutes_5,
  minutes_15,
  minutes_30,
  hour_1,
  hours_2,
  hours_6,
  hours_12,
  day_1,
  week_1,
  month_1,
};
inline constexpr std::array<const char*, 11> bucket_names{"1 minute", "5 minutes", "15 minutes", "30 minutes",
                                                          "1 hour",   "2 hours",   "6 hours",    "12 hours",
                                                          "1 day",    "1 week",    "1 month"};

struct chart_point {
  timestamp bucket_start{};
  std::int64_t total_bullish = 0; // running total up to the end of the bucket
  std::int64_t total_bearish = 0;
  std::int64_t bullish = 0; // inside the bucket
  std::int64_t bearish = 0;
  std::int64_t unique_voters = 0; // inside the bucket
};

struct get_chart {
  using answer_type = std::vector<chart_point>; // ascending; every bucket of the range
  project_id project;
  scope in;
  std::optional<bucket> width; // absent: the smallest that fits comfortably
};

/// Both sides of one block of `votes` in a listing.
struct side_summary {
  std::vector<profile_id> top_voters; // by score, best first
  std::int64_t total = 0;
  std::int64_t unique_voters = 0;
};
struct votes_block {
  side_summary bullish;
  side_summary bearish;
  std::int64_t total = 0;
  std::int64_t unique_voters = 0;
  std::vector<profile_id> top_voters; // both sides together
};

/// Bullish share of the weight of a project's votes at the end of one UTC day, in percent.
struct spark_point {
  std::chrono::sys_days day{};
  double bullish_percent = 0;
};

struct project_summary {
  project_id project;
  votes_block in_period;
  votes_block lifetime;
  std::vector<spark_point> sparkline;                  // when asked for
  std::vector<std::pair<std::int32_t, double>> deltas; // days -> percentage points
};

/// What a listing page shows of one project's votes.
struct get_summary {
  using answer_type = project_summary;
  project_id project;
  period_id in; // 0: the current one
  std::int32_t top_voters = 3;
  std::int32_t sparkline_days = 0; // 0: none
  std::vector<std::int32_t> delta_days;
  bool of_period_only = false; // what is of all time, or over time, stays empty
};

// -- changes ------------------------------------------------------------------

/// One vote, as committed. `number` is the project's own gapless count.
struct vote_cast {
  project_id project;
  profile_id voter;
  entity_seq number = 0;
  period_id in;
  sentiment side{};
  std::optional<std::string> reason;
  timestamp at{};
  std::int32_t weight = 0; // by the voter's score at that moment
};

/// What votes weigh together. By weight the board ranks; counts are shown.
struct vote_weights {
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  std::int64_t lead() const noexcept { return bullish - bearish; }
  std::int64_t all() const noexcept { return bullish + bearish; }
  vote_weights& operator+=(const vote_weights& other) noexcept {
    bullish += other.bullish;
    bearish += other.bearish;
    return *this;
  }
  friend bool operator==(const vote_weights&, const vote_weights&) = default;
};

/// Votes of one UTC day in one period; derived, rebuilt from votes when lost.
struct day_tally {
  period_id in;
  std::chrono::sys_days day{};
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  vote_weights weight = {};
};
/// The same of a whole period.
struct period_tally {
  period_id in;
  vote_weights weight;
};

/// Written behind the commits: the days and periods that changed and the last vote they include.
struct project_tallied {
  project_id project;
  entity_seq through = 0;
  std::vector<day_tally> days; // absolute figures, not increments
  std::vector<period_tally> periods;
};

// -- loading ------------------------------------------------------------------

/// Asks for what deciding votes needs: the votes of periods that are over and tallied stay where they are.
struct load_project {
  project_id project;
};
/// Asks for the votes 1..`through`, which a `stored_project` left out.
struct load_history {
  project_id project;
  entity_seq through = 0;
};

struct stored_vote {
  profile_id voter;
  period_id in;
  sentiment side{};
  std::int32_t reason = -1; // index into `reasons`, -1 for none
  timestamp at{};
  std::int32_t weight = 0;
};

struct stored_project {
  bool exists = false;
  bool archived = false;
  unsettled_block unsettled = {}; // it takes no votes until that block is settled
  entity_seq tallied_through = 0; // last vote that the stored tallies include
  entity_seq base = 0;            // so many votes are left out: those of all periods before `from`, and tallied
  period_id from;                 // of this period and later ones there is every vote; 0 when none is left out
  timestamp last_at{};            // moment of vote number `base`
  std::vector<stored_vote> votes; // in order of their number, base+1..n
  std::vector<std::string> reasons;
};

struct stored_history {
  std::vector<stored_vote> votes; // in order of their number, 1..`through`
  std::vector<std::string> reasons;
};

} // namespace credence::project
