#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/kernel/figure.hpp"
#include "actors/people/people_index.hpp"
#include "actors/project/project_types.hpp"

#include <boost/container/deque.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::project {

/// Maps a voter to the row of its newest vote: open addressing, eight bytes a
/// slot, because a project may have a million voters.
class voter_table {
public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// Row of the voter's newest vote, or `none`.
  std::uint32_t find(profile_id who) const noexcept {
    if (slots_.empty())
      return none;
    const auto& slot = slots_[place_of(who)];
    return slot.voter == 0 ? none : slot.row;
  }

  /// Sets the voter's newest row. `none` keeps the voter known without a vote.
  void set(profile_id who, std::uint32_t row) {
    if ((used_ + 1) * 3 > slots_.size() * 2)
      grow();
    auto& slot = slots_[place_of(who)];
    used_ += slot.voter == 0;
    slot = {who.value, row};
  }

  /// Voters that are known, with or without a vote.
  std::size_t size() const noexcept { return used_; }

  template <class F>
  void for_each(F&& f) const {
    for (const auto& slot : slots_)
      if (slot.voter != 0 && slot.row != none)
        f(profile_id{slot.voter}, slot.row);
  }

private:
  struct slot_type {
    std::int32_t voter = 0;
    std::uint32_t row = none;
  };

  std::size_t place_of(profile_id who) const noexcept {
    const auto mask = slots_.size() - 1;
    auto at = (std::hash<profile_id>{}(who) >> 32) & mask;
    while (slots_[at].voter != 0 && slots_[at].voter != who.value)
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<slot_type> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old)
      if (slot.voter != 0)
        slots_[place_of(profile_id{slot.voter})] = slot;
  }

  std::vector<slot_type> slots_; // a power of two
  std::size_t used_ = 0;
};

struct ranked_voter {
  std::int32_t score = 0;
  std::int32_t voter = 0;
  /// The better one first; equal scores by voter id.
  friend bool operator<(const ranked_voter& a, const ranked_voter& b) noexcept {
    return a.score != b.score ? a.score > b.score : a.voter < b.voter;
  }
};

/// The best voters of a scope by score, as many as the first pages need.
class ranking {
public:
  static constexpr std::size_t depth = 512;

  /// Takes the voter in when it is among the best. Offer each voter once.
  void offer(ranked_voter fresh) {
    if (best_.size() == depth) {
      if (!(fresh < best_.back()))
        return;
      best_.pop_back();
    }
    best_.insert(std::upper_bound(best_.begin(), best_.end(), fresh), fresh);
  }

  /// Best first.
  const std::vector<ranked_voter>& best() const noexcept { return best_; }

private:
  std::vector<ranked_voter> best_;
};

/// A read that may look at every vote: a bounded number at a time, so that votes and other reads of the
/// project need not wait for it. Votes may be taken in between; one that is committed after the read
/// began is not seen. One after the other: a read that has begun is finished before the next begins.
template <class Answer>
class long_read {
public:
  virtual ~long_read() = default;
  /// Goes on for about so many votes. True when the answer is there.
  virtual bool work(std::size_t votes) = 0;
  Answer answer{};
};
template <class Answer>
using long_read_ptr = std::shared_ptr<long_read<Answer>>;

/// The voting rules of one listing and its votes: all of them, or those that deciding needs until
/// `take_history` brings the older ones. Sees no actor, clock or database: `decide` answers without
/// changing anything; `apply` takes a decided vote in as *pending*; `commit` makes the oldest
/// pending votes visible to reads. Reads never see a pending vote.
class project_state {
public:
  /// `stored` must exist. Scores are looked up in `people`, which outlives this.
  /// A stored vote older than the one before it counts as cast with that one.
  project_state(project_id id, stored_project stored, const people::people_index& people);

  bool archived() const noexcept { return archived_; }

  // -- older votes --------------------------------------------------------------

  /// Whether every vote is here.
  bool whole() const noexcept { return base_ == 0; }
  /// So many of the first votes are not here.
  entity_seq base() const noexcept { return base_; }
  /// Whether every vote of the period is here.
  bool holds(period_id in) const noexcept { return whole() || in >= from_; }
  /// Whether every vote is here that a read of this scope looks at.
  bool holds(const scope& in, const period::calendar& periods) const;
  /// Takes in the votes 1..`base()`. What is committed, and what is pending, stays so. No long read
  /// may be under way.
  void take_history(stored_history older);

  // -- writing ------------------------------------------------------------------

  /// A profile votes at most once per period; an archived project takes no vote, nor one that is not settled.
  /// The moment of a vote never goes back behind the vote before it.
  outcome<vote_cast> decide(const cast_vote& command, period_id current, timestamp now) const;
  /// Takes in what `decide` returned, as pending.
  void apply(const vote_cast& change);
  /// An archived project takes no votes, nor does one whose block is not settled.
  void set_status(bool archived, bool unsettled) noexcept {
    archived_ = archived;
    unsettled_ = unsettled;
  }
  /// The oldest `count` pending votes are committed.
  void commit(std::uint32_t count);
  /// Takes all pending votes back.
  void take_back();

  std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(rows_.size()) - committed_; }
  /// Whether the voter's newest vote is pending: what is decided on it may yet be taken back.
  bool pending(profile_id voter) const noexcept {
    const auto newest = newest_.find(voter);
    return newest != none && newest >= committed_;
  }
  /// Number of the last committed vote.
  entity_seq through() const noexcept { return base_ + static_cast<entity_seq>(committed_); }
  /// The vote number `n` (1-based, above `base()`), committed or pending.
  profile::own_vote vote(entity_seq n) const;

  /// Days and periods of the committed votes above number `after`, with absolute figures. Of the
  /// votes up to `base()` nothing is told: their tallies are stored.
  std::vector<day_tally> days_since(entity_seq after) const;
  std::vector<period_tally> periods_since(entity_seq after) const;

  // -- reading ------------------------------------------------------------------

  // These outlive none of the state, and each is finished before the next one begins. They see
  // the votes that are here: see `holds`.
  long_read_ptr<voters_page> voters(const get_voters& query, const period::calendar& periods, timestamp now) const;
  std::vector<profile_totals> bulk_totals(const get_bulk_totals& query, const period::calendar& periods,
                                          timestamp now) const;
  /// Refuses a bucket that needs more than 2,000 points and names one that fits. The running totals of
  /// a range of dates begin with what came before it.
  outcome<long_read_ptr<std::vector<chart_point>>> chart(const get_chart& query, const period::calendar& periods,
                                                         timestamp now) const;
  long_read_ptr<project_summary> summary(const get_summary& query, const period::calendar& periods,
                                         timestamp now) const;
  /// The same for a period and all time, if it takes no more than looking at the votes since it was last asked for;
  /// else nothing. The best voters may be ranked by scores as old as `figures::shown_for`. No other read may be under
  /// way.
  std::optional<project_summary> summary_at_once(period_id in, std::int32_t top_voters, timestamp now) const;

  /// What is here, for operators; `open` is the period that votes are taken in.
  std::vector<figure> in_memory(std::optional<period_id> open) const;

private:
  static constexpr std::uint32_t none = voter_table::none;

  struct row {
    timestamp at;
    std::int32_t voter;
    std::uint32_t previous;     // the same voter's row before this one
    std::int32_t packed;        // reason index << 4 | weight << 1 | bearish; reason -1 is none
    std::uint16_t bullish_upto; // the same voter's votes up to this one, of either side
    std::uint16_t bearish_upto;
    sentiment side() const noexcept { return packed & 1 ? sentiment::bearish : sentiment::bullish; }
    std::int32_t weight() const noexcept { return packed >> 1 & 7; }
    std::int32_t reason() const noexcept { return packed >> 4; }
    std::int64_t upto(sentiment of) const noexcept { return of == sentiment::bullish ? bullish_upto : bearish_upto; }
  };
  /// Grows without moving what is there: a vector of a million rows would stand still for it.
  using row_store =
    boost::container::deque<row, void, boost::container::deque_options_t<boost::container::block_size<256u>>>;

  struct run { // rows of one period lie together
    period_id in;
    std::uint32_t first;
    voter_totals totals{}; // committed
    vote_weights weight{}; // likewise
  };
  /// Committed rows that a scope selects; rows are in order of time.
  struct selection {
    std::uint32_t first = 0;
    std::uint32_t last = 0;               // one past
    const voter_totals* totals = nullptr; // known when it is all of a period, or of all time
    period_id in{};                       // that period; 0 for all time
    bool holds(std::uint32_t at) const noexcept { return at >= first && at < last; }
  };
  struct kept_ranking {
    period_id in; // 0 for all time
    timestamp made;
    std::uint64_t scores = 0;  // that it was made by, see people_index
    std::uint32_t through = 0; // rows below this one are in
    ranking any;
    ranking bullish;
    ranking bearish;
  };

  selection select(const scope& in, const period::calendar& periods, timestamp now) const;
  selection all_rows() const noexcept { return {0, committed_, &totals_, {}}; }
  selection rows_of(period_id in) const;
  /// Row of the first vote above number `after`.
  std::uint32_t row_after(entity_seq after) const noexcept {
    return static_cast<std::uint32_t>(std::max(after - base_, 0));
  }
  /// When the newest vote was cast, pending or not.
  timestamp newest_at() const noexcept { return rows_.empty() ? last_at_ : rows_.back().at; }
  /// The run that row `at` belongs to.
  std::deque<run>::const_iterator run_of(std::uint32_t at) const;
  std::int32_t intern(const std::string& reason);
  void push(const stored_vote& vote);
  void count_committed(std::uint32_t at);
  /// Last row of `voter` inside the selection, or none.
  std::uint32_t newest_in(profile_id voter, const selection& in) const;
  /// Whether the row is its voter's newest in the selection.
  bool newest(std::uint32_t at, const selection& in) const;
  /// The voter's votes of one side in the selection; `newest` is its last row there.
  std::int64_t count_of(sentiment side, std::uint32_t newest, const selection& in) const;
  template <class Entry>
  void fill(Entry& entry, std::uint32_t newest, const selection& in) const;

  class ranking_read;
  class voters_read;
  class chart_read;
  class summary_read;
  /// The best voters of the selection, which a `ranking_read` has brought up to date.
  const kept_ranking& ranking_of(const selection& in) const;
  votes_block block(const selection& in, std::int32_t top) const;

  project_id id_;
  bool archived_;
  bool unsettled_;
  unsettled_block since_; // where it was not settled when it was loaded
  const people::people_index* people_;
  entity_seq base_;   // number of the vote before the first row
  period_id from_;    // the first period whose votes are all here
  timestamp last_at_; // of vote number `base_`
  row_store rows_;    // in order of their number; pending ones behind `committed_`
  std::uint32_t committed_ = 0;
  voter_totals totals_; // of all time
  voter_table newest_;
  std::deque<run> runs_; // they stay where they are: reads point to their totals
  std::vector<std::string> reasons_;
  std::unordered_map<std::string, std::int32_t, keyed_hash> reason_ids_;
  std::vector<day_tally> days_;                // committed, in order of days
  vote_weights weight_;                        // of all time, committed
  mutable std::vector<kept_ranking> rankings_; // what reads have worked out, at most `rankings_max`
};

/// The smallest bucket that shows `from`..`to` in at most `most` points.
bucket bucket_for(timestamp from, timestamp to, std::size_t most);

} // namespace credence::project
