#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/people_index.hpp"
#include "actors/project/project_types.hpp"
#include "actors/project/voter_table.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::project {

/// The voting rules of one listing and all its votes. Sees no actor, clock or
/// database: `decide` answers without changing anything; `apply` takes a decided
/// vote in as *pending*; `commit` makes the oldest pending votes visible to reads.
/// Reads never see a pending vote.
class project_state {
public:
  /// `stored` must exist. Scores are looked up in `people`, which outlives this.
  project_state(project_id id, stored_project stored, const people::people_index& people);

  bool archived() const noexcept { return archived_; }

  // -- writing ------------------------------------------------------------------

  /// A profile votes at most once per period; an archived project takes no vote.
  /// The moment of a vote never goes back behind the vote before it.
  outcome<vote_cast> decide(const cast_vote& asked, period_id current, timestamp now) const;
  /// Takes in what `decide` returned, as pending.
  void apply(const vote_cast& change);
  /// The oldest `count` pending votes are committed.
  void commit(std::uint32_t count);
  /// Takes all pending votes back.
  void drop_pending();

  std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(rows_.size()) - committed_; }
  /// Number of the last committed vote.
  entity_seq through() const noexcept { return static_cast<entity_seq>(committed_); }
  /// The vote number `n` (1-based), committed or pending.
  profile::own_vote vote(entity_seq n) const;

  /// Days of the committed votes above number `after`, with absolute figures.
  std::vector<day_tally> days_since(entity_seq after) const;

  // -- reading ------------------------------------------------------------------

  voters_page voters(const get_voters& asked, const period::calendar& periods, timestamp now) const;
  std::vector<profile_totals> bulk_totals(const get_bulk_totals& asked, const period::calendar& periods,
                                          timestamp now) const;
  /// Refuses a bucket that needs more than 2,000 points and names one that fits.
  outcome<std::vector<chart_point>> chart(const get_chart& asked, const period::calendar& periods,
                                          timestamp now) const;
  project_summary summary(const get_summary& asked, const period::calendar& periods, timestamp now) const;

private:
  static constexpr std::uint32_t none = voter_table::none;

  struct row {
    timestamp at;
    std::int32_t voter;
    std::uint32_t previous;    // the same voter's row before this one
    std::int32_t reason_side;  // reason index << 1 | bearish; reason -1 is none
    std::int32_t period;
    sentiment side() const noexcept { return reason_side & 1 ? sentiment::bearish : sentiment::bullish; }
    std::int32_t reason() const noexcept { return reason_side >> 1; }
  };

  /// Committed rows that a scope selects: an index range, and a time range when
  /// the scope is one of dates.
  struct selection {
    std::uint32_t first = 0;
    std::uint32_t last = 0; // one past
    bool by_time = false;
    timestamp from{};
    timestamp to{};
    bool holds(const row& r, std::uint32_t at) const noexcept {
      return at >= first && at < last && (!by_time || (r.at >= from && r.at <= to));
    }
  };
  struct side_counts {
    std::int64_t bullish = 0;
    std::int64_t bearish = 0;
  };
  struct run { // rows of one period lie together
    std::int32_t period;
    std::uint32_t first;
  };

  selection select(const scope& in, const period::calendar& periods, timestamp now) const;
  selection rows_of(period_id in) const;
  std::int32_t intern(const std::string& reason);
  void push(profile_id voter, period_id in, sentiment side, std::int32_t reason, timestamp at);
  void count_committed(std::uint32_t at);
  /// Last row of `voter` inside the selection, or none.
  std::uint32_t newest_in(profile_id voter, const selection& in) const;
  side_counts counts_of(std::uint32_t newest, const selection& in) const;
  template <class Entry>
  void fill(Entry& entry, std::uint32_t newest, const selection& in) const;
  std::vector<std::uint32_t> newest_rows(const selection& in) const;
  votes_block block(const selection& in, std::int32_t top) const;

  project_id id_;
  bool archived_;
  const people::people_index* people_;
  std::vector<row> rows_; // in order of their number; pending ones behind `committed_`
  std::uint32_t committed_ = 0;
  bool in_time_order_ = true;
  voter_table newest_;
  std::vector<run> runs_;
  std::vector<std::string> reasons_;
  std::unordered_map<std::string, std::int32_t> reason_ids_;
  std::vector<day_tally> days_; // committed, in order of first vote
};

/// The smallest bucket that shows `from`..`to` in at most `most` points.
bucket bucket_for(timestamp from, timestamp to, std::size_t most);

} // namespace credence::project
