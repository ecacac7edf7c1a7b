// Who voted: pages of voters, totals of some of them, and what a listing shows of the votes.
#include "actors/domain/page.hpp"
#include "actors/project/figures.hpp"
#include "actors/project/project_state.hpp"
#include "actors/project/tallies.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace credence::project {

using namespace std::chrono_literals;

namespace {

/// Scores change behind a ranking: where any has, it is made anew this often, or as seldom as keeps that
/// below one percent of the time.
constexpr std::chrono::microseconds ranking_kept_for = figures::ranked_anew_after;
constexpr std::chrono::microseconds ranking_kept_for_each_voter = 20us;
constexpr std::size_t rankings_max = 3;
/// Votes that are looked at between two commits, at most; if there are more, published figures are withdrawn.
constexpr std::size_t project_voters_votes_at_once = 4096;

std::int64_t matching(const voter_totals& totals, const std::optional<sentiment>& side) {
  if (!side)
    return totals.voters;
  return *side == sentiment::bullish ? totals.bullish_voters : totals.bearish_voters;
}

} // namespace

template <class Entry>
void project_state::fill(Entry& entry, std::uint32_t newest, const selection& in) const {
  const auto add = [&](std::vector<reason_count>& to, std::int32_t reason) {
    const auto text = reason < 0 ? std::optional<std::string>{} : reasons_[static_cast<std::size_t>(reason)];
    const auto found = std::find_if(to.begin(), to.end(), [&](const reason_count& r) { return r.reason == text; });
    if (found != to.end())
      ++found->votes;
    else
      to.push_back({text, 1});
  };
  for (auto at = newest; at != none && in.holds(at); at = rows_[at].previous) {
    const auto& r = rows_[at];
    const bool bullish = r.side() == sentiment::bullish;
    ++(bullish ? entry.bullish : entry.bearish);
    add(bullish ? entry.bullish_reasons : entry.bearish_reasons, r.reason());
    if constexpr (requires { entry.first_vote_at; })
      entry.first_vote_at = r.at;
  }
  const auto by_votes = [](const reason_count& a, const reason_count& b) { return a.votes > b.votes; };
  std::stable_sort(entry.bullish_reasons.begin(), entry.bullish_reasons.end(), by_votes);
  std::stable_sort(entry.bearish_reasons.begin(), entry.bearish_reasons.end(), by_votes);
}

/// Brings the ranking of a selection, which must have totals, up to date: with the votes since, or
/// anew when scores may have changed behind it.
class project_state::ranking_read {
public:
  ranking_read(const project_state& of, const selection& in, timestamp now,
               std::chrono::microseconds kept_for = ranking_kept_for)
    : of_(of), in_(in), now_(now), kept_for_(kept_for) {}

  /// Whether there is one that counts: only the votes since are looked at.
  bool brief() const { return counts(find(of_.rankings_)); }
  bool work(std::size_t& votes) {
    if (!begun_)
      begin();
    for (; at_ < in_.last && votes > 0; ++at_, --votes)
      anew_ ? offer_voter(at_) : offer_vote(at_);
    if (at_ < in_.last)
      return false;
    auto& all = of_.rankings_;
    if (anew_)
      install(all);
    else
      find(all)->through = in_.last;
    return true;
  }

private:
  using kept_rankings = std::vector<kept_ranking>;

  kept_rankings::iterator find(kept_rankings& in) const {
    return std::find_if(in.begin(), in.end(), [&](const kept_ranking& each) { return each.in == in_.in; });
  }
  bool counts(kept_rankings::iterator kept) const {
    if (kept == of_.rankings_.end())
      return false;
    const auto keep_for = std::max(kept_for_, in_.totals->voters * ranking_kept_for_each_voter);
    return kept->scores == of_.people_->scores() || (now_ >= kept->made && now_ - kept->made < keep_for);
  }

  void begin() {
    begun_ = true;
    const auto kept = find(of_.rankings_);
    anew_ = !counts(kept);
    fresh_ = kept_ranking{in_.in, now_, of_.people_->scores(), in_.last, {}, {}, {}};
    at_ = anew_ ? in_.first : std::max(kept->through, in_.first);
    // One that is as good as new counts as new: after the next change of a score its time begins now. Otherwise all
    // projects that were left in order for long would have to be ranked at the same moment.
    if (!anew_ && kept->scores == fresh_.scores)
      kept->made = std::max(kept->made, now_);
  }

  void offer(kept_ranking& to, const row& r, bool any, bool bullish, bool bearish) const {
    const ranked_voter who{of_.people_->score_of(profile_id{r.voter}), r.voter};
    if (any)
      to.any.offer(who);
    if (bullish)
      to.bullish.offer(who);
    if (bearish)
      to.bearish.offer(who);
  }
  /// Each voter once, at its newest vote.
  void offer_voter(std::uint32_t at) {
    if (of_.newest(at, in_))
      offer(fresh_, of_.rows_[at], true, of_.count_of(sentiment::bullish, at, in_) > 0,
            of_.count_of(sentiment::bearish, at, in_) > 0);
  }
  /// Those with an earlier vote were offered before: they have a place already, or none.
  void offer_vote(std::uint32_t at) {
    const auto& r = of_.rows_[at];
    const bool all_time = in_.totals == &of_.totals_;
    const bool first = !all_time || r.bullish_upto + r.bearish_upto == 1;
    const bool first_of_side = !all_time || r.upto(r.side()) == 1;
    const bool bullish = r.side() == sentiment::bullish;
    offer(*find(of_.rankings_), r, first, first_of_side && bullish, first_of_side && !bullish);
  }

  void install(kept_rankings& all) {
    auto place = find(all);
    if (place == all.end() && all.size() < rankings_max)
      place = all.emplace(all.end());
    else if (place == all.end())
      place = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.made < b.made; });
    *place = std::move(fresh_);
  }

  const project_state& of_;
  selection in_;
  timestamp now_;
  std::chrono::microseconds kept_for_;
  bool begun_ = false;
  bool anew_ = false;
  kept_ranking fresh_;
  std::uint32_t at_ = 0;
};

/// A page from the ranking, by walking the rows in their order, or by putting all voters in order.
class project_state::voters_read final : public long_read<voters_page> {
public:
  voters_read(const project_state& of, const get_voters& query, const selection& in, timestamp now)
    : of_(of), asked_(query), in_(in), ranking_(of, in, now),
      order_(static_cast<std::size_t>(query.slice.offset),
             static_cast<std::size_t>(std::int64_t{query.slice.offset} + query.slice.limit), by_key{}) {
    if (in.totals)
      answer.totals = *in.totals;
    const bool one_period = in.totals && in.totals != &of.totals_;
    const auto end = std::int64_t{query.slice.offset} + query.slice.limit;
    if (in.totals && query.order == voter_order::updated_at && (query.descending || one_period))
      way_ = way::walk;
    else if (in.totals && query.order == voter_order::score && query.descending
             && end <= static_cast<std::int64_t>(ranking::depth))
      way_ = way::rank;
    skip_ = static_cast<std::uint32_t>(query.slice.offset);
    if (way_ == way::walk && one_period && !query.side) { // every row counts
      at_ = static_cast<std::uint32_t>(std::min<std::int64_t>(skip_, in.last - in.first));
      skip_ = 0;
    }
  }

  bool work(std::size_t votes) override {
    if (!(way_ == way::rank ? ranked(votes) : way_ == way::walk ? walked(votes) : sorted(votes)))
      return false;
    answer.total = matching(answer.totals, asked_.side);
    answer.entries.reserve(shown_.size());
    for (const auto newest : shown_) {
      auto& entry = answer.entries.emplace_back();
      entry.voter = profile_id{of_.rows_[newest].voter};
      entry.last_vote_at = of_.rows_[newest].at;
      of_.fill(entry, newest, in_);
    }
    return true;
  }

private:
  enum class way : std::uint8_t { rank, walk, sort };
  struct ranked_row {
    std::int64_t key = 0;
    std::int32_t voter = 0; // 0 when ordered by time: no two rows are equal
    std::uint32_t newest = 0;
  };
  struct by_key {
    bool operator()(const ranked_row& a, const ranked_row& b) const {
      return std::pair{a.key, a.voter} < std::pair{b.key, b.voter};
    }
  };

  bool ranked(std::size_t votes) {
    if (!ranking_.work(votes))
      return false;
    const auto& kept = of_.ranking_of(in_);
    const auto& best = (!asked_.side                         ? kept.any
                        : *asked_.side == sentiment::bullish ? kept.bullish
                                                             : kept.bearish)
                         .best();
    const auto first = std::min(best.size(), static_cast<std::size_t>(asked_.slice.offset));
    const auto last = std::min(best.size(), first + static_cast<std::size_t>(asked_.slice.limit));
    for (auto i = first; i < last; ++i)
      shown_.push_back(of_.newest_in(profile_id{best[i].voter}, in_));
    return true;
  }

  bool walked(std::size_t votes) {
    const bool all_time = in_.totals == &of_.totals_;
    const auto limit = static_cast<std::size_t>(asked_.slice.limit);
    for (; at_ < in_.last - in_.first && shown_.size() < limit; ++at_, --votes) {
      if (votes == 0)
        return false;
      const auto at = asked_.descending ? in_.last - 1 - at_ : in_.first + at_;
      const auto& r = of_.rows_[at];
      if (!of_.newest(at, in_))
        continue;
      if (asked_.side && (all_time ? r.upto(*asked_.side) == 0 : r.side() != *asked_.side))
        continue;
      if (skip_ > 0)
        --skip_;
      else
        shown_.push_back(at);
    }
    return true;
  }

  bool sorted(std::size_t votes) {
    for (; at_ < in_.last - in_.first; ++at_, --votes) {
      if (votes == 0)
        return false;
      if (const auto at = in_.first + at_; of_.newest(at, in_))
        count(at);
    }
    if (!order_.work(votes))
      return false;
    for (const auto& each : order_.take())
      shown_.push_back(each.newest);
    return true;
  }
  void count(std::uint32_t at) {
    const auto bullish = of_.count_of(sentiment::bullish, at, in_);
    const auto bearish = of_.count_of(sentiment::bearish, at, in_);
    if (auto& totals = answer.totals; !in_.totals) {
      ++totals.voters;
      totals.bullish_voters += bullish > 0;
      totals.bearish_voters += bearish > 0;
      totals.bullish_votes += bullish;
      totals.bearish_votes += bearish;
    }
    if (asked_.side && (*asked_.side == sentiment::bullish ? bullish : bearish) == 0)
      return;
    const bool by_score = asked_.order == voter_order::score;
    const auto voter = of_.rows_[at].voter;
    const auto key = by_score ? std::int64_t{of_.people_->score_of(profile_id{voter})} : std::int64_t{at};
    order_.add({asked_.descending ? -key : key, by_score ? voter : 0, at});
  }

  const project_state& of_;
  get_voters asked_;
  selection in_;
  way way_ = way::sort;
  ranking_read ranking_;
  sliced_order<ranked_row, by_key> order_;
  std::uint32_t at_ = 0; // rows looked at
  std::uint32_t skip_ = 0;
  std::vector<std::uint32_t> shown_; // rows of the page
};

long_read_ptr<voters_page> project_state::voters(const get_voters& query, const period::calendar& periods,
                                                 timestamp now) const {
  return std::make_shared<voters_read>(*this, query, select(query.in, periods, now), now);
}

std::vector<profile_totals> project_state::bulk_totals(const get_bulk_totals& query, const period::calendar& periods,
                                                       timestamp now) const {
  const auto in = select(query.in, periods, now);
  std::vector<profile_totals> out;
  out.reserve(query.voters.size());
  for (const auto voter : query.voters) {
    auto& totals = out.emplace_back();
    totals.voter = voter;
    fill(totals, newest_in(voter, in), in);
  }
  return out;
}

// -- summaries --------------------------------------------------------------------------

const project_state::kept_ranking& project_state::ranking_of(const selection& in) const {
  const auto kept =
    std::find_if(rankings_.begin(), rankings_.end(), [&](const kept_ranking& each) { return each.in == in.in; });
  assert(kept != rankings_.end());
  return *kept;
}

votes_block project_state::block(const selection& in, std::int32_t top) const {
  votes_block out;
  if (!in.totals) // no vote in that period
    return out;
  const auto& totals = *in.totals;
  const auto& kept = ranking_of(in);
  const auto first_of = [top](const ranking& from) {
    std::vector<profile_id> voters(std::min(from.best().size(), static_cast<std::size_t>(top)));
    for (std::size_t i = 0; i < voters.size(); ++i)
      voters[i] = profile_id{from.best()[i].voter};
    return voters;
  };
  out.bullish = {first_of(kept.bullish), totals.bullish_votes, totals.bullish_voters};
  out.bearish = {first_of(kept.bearish), totals.bearish_votes, totals.bearish_voters};
  out.total = totals.bullish_votes + totals.bearish_votes;
  out.unique_voters = totals.voters;
  out.top_voters = first_of(kept.any);
  return out;
}

/// Both rankings are brought up to date first; sums are those of when they are.
class project_state::summary_read final : public long_read<project_summary> {
public:
  summary_read(const project_state& of, const get_summary& query, const selection& in_period, timestamp now,
               std::chrono::microseconds kept_for = ranking_kept_for)
    : of_(of), asked_(query), in_period_(in_period), all_(of.all_rows()), now_(now),
      period_ranking_(of, in_period, now, kept_for), all_ranking_(of, all_, now, kept_for),
      period_done_(!in_period.totals) {}

  /// Whether only the votes since the last such read are looked at.
  bool brief() const { return (period_done_ || period_ranking_.brief()) && all_ranking_.brief(); }
  bool work(std::size_t votes) override {
    if (!period_done_ && !period_ranking_.work(votes))
      return false;
    if (!std::exchange(period_done_, true))
      answer.in_period = of_.block(in_period_, asked_.top_voters);
    answer.project = of_.id_;
    if (asked_.of_period_only)
      return true;
    if (!all_ranking_.work(votes))
      return false;
    const auto today = std::chrono::floor<std::chrono::days>(now_);
    answer.lifetime = of_.block(all_, asked_.top_voters);
    if (asked_.sparkline_days > 0)
      answer.sparkline = sparkline(of_.weight_, of_.days_, today, asked_.sparkline_days);
    for (const auto days : asked_.delta_days)
      answer.deltas.emplace_back(days, share_change(of_.weight_, of_.days_, today, days));
    return true;
  }

private:
  const project_state& of_;
  get_summary asked_;
  selection in_period_;
  selection all_;
  timestamp now_;
  ranking_read period_ranking_;
  ranking_read all_ranking_;
  bool period_done_;
};

long_read_ptr<project_summary> project_state::summary(const get_summary& query, const period::calendar& periods,
                                                      timestamp now) const {
  return std::make_shared<summary_read>(*this, query, rows_of(query.in ? query.in : periods.current().id), now);
}

std::optional<project_summary> project_state::summary_at_once(period_id in, std::int32_t top_voters,
                                                              timestamp now) const {
  summary_read read{*this, get_summary{id_, in, top_voters, 0, {}}, rows_of(in), now, figures::shown_for};
  if (!read.brief() || !read.work(project_voters_votes_at_once))
    return std::nullopt;
  return std::move(read.answer);
}

} // namespace credence::project
