#include "actors/project/project_state.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace credence::project {

using namespace std::chrono_literals;

project_state::project_state(project_id id, stored_project stored, const people::people_index& people)
  : id_(id), archived_(stored.archived), people_(&people), reasons_(std::move(stored.reasons)) {
  assert(stored.exists);
  for (std::size_t i = 0; i < reasons_.size(); ++i)
    reason_ids_.emplace(reasons_[i], static_cast<std::int32_t>(i));
  rows_.reserve(stored.votes.size());
  for (const auto& vote : stored.votes)
    push(vote.voter, vote.in, vote.side, vote.reason, vote.at);
  commit(static_cast<std::uint32_t>(rows_.size()));
}

// -- writing ------------------------------------------------------------------------

outcome<vote_cast> project_state::decide(const cast_vote& asked, period_id current, timestamp now) const {
  assert(asked.project == id_);
  if (archived_)
    return refusal{refusal_code::project_archived,
                   "project " + std::to_string(id_.value) + " is archived and takes no votes"};
  if (!rows_.empty() && current.value < rows_.back().period)
    return refusal{refusal_code::period_closed, "the voting period has just closed; vote again"};
  const auto newest = newest_.find(asked.voter);
  if (newest != none && rows_[newest].period == current.value)
    return refusal{refusal_code::already_voted, "profile " + std::to_string(asked.voter.value)
                                                  + " has already voted on project "
                                                  + std::to_string(id_.value) + " in this voting period"};
  const auto at = rows_.empty() ? now : std::max(now, rows_.back().at);
  return vote_cast{id_, asked.voter, static_cast<entity_seq>(rows_.size() + 1), current, asked.side,
                   asked.reason, at};
}

void project_state::apply(const vote_cast& change) {
  assert(change.project == id_);
  assert(change.number == static_cast<entity_seq>(rows_.size() + 1));
  push(change.voter, change.in, change.side, change.reason ? intern(*change.reason) : -1, change.at);
}

void project_state::commit(std::uint32_t count) {
  assert(count <= pending());
  for (std::uint32_t i = 0; i < count; ++i)
    count_committed(committed_++);
}

void project_state::drop_pending() {
  while (rows_.size() > committed_) {
    const auto& last = rows_.back();
    newest_.set(profile_id{last.voter}, last.previous);
    rows_.pop_back();
    if (runs_.back().first == rows_.size())
      runs_.pop_back();
  }
}

void project_state::push(profile_id voter, period_id in, sentiment side, std::int32_t reason, timestamp at) {
  const auto here = static_cast<std::uint32_t>(rows_.size());
  if (runs_.empty() || runs_.back().period != in.value) {
    assert(runs_.empty() || runs_.back().period < in.value);
    runs_.push_back({in.value, here});
  }
  in_time_order_ = in_time_order_ && (rows_.empty() || rows_.back().at <= at);
  rows_.push_back(
    {at, voter.value, newest_.find(voter), reason * 2 + (side == sentiment::bearish ? 1 : 0), in.value});
  newest_.set(voter, here);
}

std::int32_t project_state::intern(const std::string& reason) {
  const auto [found, fresh] = reason_ids_.try_emplace(reason, static_cast<std::int32_t>(reasons_.size()));
  if (fresh)
    reasons_.push_back(reason);
  return found->second;
}

void project_state::count_committed(std::uint32_t at) {
  const auto& r = rows_[at];
  const auto day = std::chrono::floor<std::chrono::days>(r.at);
  // The newest day is nearly always the last one.
  auto found = std::find_if(days_.rbegin(), days_.rend(), [&](const day_tally& tally) {
    return tally.day == day && tally.in.value == r.period;
  });
  auto& tally = found != days_.rend() ? *found : days_.emplace_back(day_tally{period_id{r.period}, day, 0, 0});
  ++(r.side() == sentiment::bullish ? tally.bullish : tally.bearish);
}

profile::own_vote project_state::vote(entity_seq n) const {
  const auto& r = rows_.at(static_cast<std::size_t>(n) - 1);
  return {id_, period_id{r.period}, r.side()};
}

std::vector<day_tally> project_state::days_since(entity_seq after) const {
  if (after <= 0)
    return days_;
  std::vector<day_tally> out;
  const auto same = [](const day_tally& tally, const row& r, std::chrono::sys_days day) {
    return tally.in.value == r.period && tally.day == day;
  };
  // Votes come day by day, so nearly every row falls into the tally found last.
  for (auto at = static_cast<std::uint32_t>(after); at < committed_; ++at) {
    const auto& r = rows_[at];
    const auto day = std::chrono::floor<std::chrono::days>(r.at);
    const auto is_it = [&](const day_tally& tally) { return same(tally, r, day); };
    if (std::any_of(out.rbegin(), out.rend(), is_it))
      continue;
    const auto found = std::find_if(days_.rbegin(), days_.rend(), is_it);
    assert(found != days_.rend());
    out.push_back(*found);
  }
  return out;
}

// -- selecting ------------------------------------------------------------------------

project_state::selection project_state::rows_of(period_id in) const {
  const auto found = std::lower_bound(runs_.begin(), runs_.end(), in.value,
                                      [](const run& r, std::int32_t wanted) { return r.period < wanted; });
  if (found == runs_.end() || found->period != in.value)
    return {};
  const auto next = std::next(found);
  const auto end = next == runs_.end() ? static_cast<std::uint32_t>(rows_.size()) : next->first;
  return {std::min(found->first, committed_), std::min(end, committed_)};
}

project_state::selection project_state::select(const scope& in, const period::calendar& periods,
                                               timestamp now) const {
  switch (in.kind) {
    case scope_kind::global:
      return {0, committed_};
    case scope_kind::global_dates: {
      const auto to = std::min(in.to, now);
      selection all{0, committed_, true, in.from, to};
      if (in_time_order_) { // narrow the range, so that a short one costs little
        const auto begin = rows_.begin();
        const auto end = begin + committed_;
        all.first = static_cast<std::uint32_t>(
          std::lower_bound(begin, end, in.from, [](const row& r, timestamp t) { return r.at < t; }) - begin);
        all.last = static_cast<std::uint32_t>(
          std::upper_bound(begin, end, to, [](timestamp t, const row& r) { return t < r.at; }) - begin);
      }
      return all;
    }
    case scope_kind::current_period:
      return rows_of(periods.current().id);
    case scope_kind::period: {
      const auto* named = periods.find(in.named);
      return named ? rows_of(named->id) : selection{};
    }
  }
  return {};
}

std::uint32_t project_state::newest_in(profile_id voter, const selection& in) const {
  auto at = newest_.find(voter);
  while (at != none && !in.holds(rows_[at], at))
    at = rows_[at].previous;
  return at;
}

std::vector<std::uint32_t> project_state::newest_rows(const selection& in) const {
  std::vector<std::uint32_t> out;
  out.reserve(in.last - std::min(in.first, in.last));
  if (in.first == 0 && in.last == committed_ && !in.by_time) {
    newest_.for_each([&](profile_id voter, std::uint32_t at) {
      if (at >= committed_)
        at = newest_in(voter, in);
      if (at != none)
        out.push_back(at);
    });
    return out;
  }
  // A row counts when no later row of its voter is selected: walk back from the newest.
  for (auto at = in.first; at < in.last; ++at)
    if (in.holds(rows_[at], at) && newest_in(profile_id{rows_[at].voter}, in) == at)
      out.push_back(at);
  return out;
}

project_state::side_counts project_state::counts_of(std::uint32_t newest, const selection& in) const {
  side_counts counts;
  for (auto at = newest; at != none; at = rows_[at].previous)
    if (in.holds(rows_[at], at))
      ++(rows_[at].side() == sentiment::bullish ? counts.bullish : counts.bearish);
  return counts;
}

// -- reading ------------------------------------------------------------------------

template <class Entry>
void project_state::fill(Entry& entry, std::uint32_t newest, const selection& in) const {
  const auto add = [&](std::vector<reason_count>& to, std::int32_t reason) {
    const auto text = reason < 0 ? std::optional<std::string>{} : reasons_[static_cast<std::size_t>(reason)];
    const auto found =
      std::find_if(to.begin(), to.end(), [&](const reason_count& r) { return r.reason == text; });
    if (found != to.end())
      ++found->votes;
    else
      to.push_back({text, 1});
  };
  for (auto at = newest; at != none; at = rows_[at].previous) {
    const auto& r = rows_[at];
    if (!in.holds(r, at))
      continue;
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

voters_page project_state::voters(const get_voters& asked, const period::calendar& periods,
                                  timestamp now) const {
  struct ranked {
    std::int64_t key;
    std::uint32_t newest;
    std::int32_t voter;
  };
  const auto in = select(asked.in, periods, now);
  voters_page page;
  std::vector<ranked> matching;
  const auto newest = newest_rows(in);
  matching.reserve(newest.size());
  for (const auto at : newest) {
    const auto counts = counts_of(at, in);
    ++page.totals.voters;
    page.totals.bullish_voters += counts.bullish > 0;
    page.totals.bearish_voters += counts.bearish > 0;
    page.totals.bullish_votes += counts.bullish;
    page.totals.bearish_votes += counts.bearish;
    if (asked.side && (*asked.side == sentiment::bullish ? counts.bullish : counts.bearish) == 0)
      continue;
    const profile_id voter{rows_[at].voter};
    const auto key = asked.order == voter_order::score
                       ? static_cast<std::int64_t>(people_->score_of(voter))
                       : static_cast<std::int64_t>(rows_[at].at.time_since_epoch().count());
    matching.push_back({asked.descending ? -key : key, at, voter.value});
  }
  page.total = static_cast<std::int64_t>(matching.size());
  const auto first = std::min(matching.size(), static_cast<std::size_t>(asked.slice.offset));
  const auto last = std::min(matching.size(), first + static_cast<std::size_t>(asked.slice.limit));
  // Only the page wanted is put in order, not a million voters.
  std::partial_sort(matching.begin(), matching.begin() + static_cast<std::ptrdiff_t>(last), matching.end(),
                    [](const ranked& a, const ranked& b) {
                      return std::pair{a.key, a.voter} < std::pair{b.key, b.voter};
                    });
  page.entries.reserve(last - first);
  for (auto i = first; i < last; ++i) {
    auto& entry = page.entries.emplace_back();
    entry.voter = profile_id{matching[i].voter};
    entry.last_vote_at = rows_[matching[i].newest].at;
    fill(entry, matching[i].newest, in);
  }
  return page;
}

std::vector<profile_totals> project_state::bulk_totals(const get_bulk_totals& asked,
                                                       const period::calendar& periods, timestamp now) const {
  const auto in = select(asked.in, periods, now);
  std::vector<profile_totals> out;
  out.reserve(asked.voters.size());
  for (const auto voter : asked.voters) {
    auto& totals = out.emplace_back();
    totals.voter = voter;
    fill(totals, newest_in(voter, in), in);
  }
  return out;
}

// -- the votes block of listings --------------------------------------------------------

votes_block project_state::block(const selection& in, std::int32_t top) const {
  struct candidate {
    std::int32_t score;
    std::int32_t voter;
    bool operator<(const candidate& other) const { // best first
      return score != other.score ? score > other.score : voter < other.voter;
    }
  };
  // Heaps of the best `top` seen; the worst of them is in front.
  const auto keep = [top](std::vector<candidate>& best, candidate fresh) {
    if (best.size() < static_cast<std::size_t>(top)) {
      best.push_back(fresh);
      std::push_heap(best.begin(), best.end());
    } else if (top > 0 && fresh < best.front()) {
      std::pop_heap(best.begin(), best.end());
      best.back() = fresh;
      std::push_heap(best.begin(), best.end());
    }
  };
  std::vector<candidate> bullish;
  std::vector<candidate> bearish;
  std::vector<candidate> both;
  votes_block out;
  for (const auto at : newest_rows(in)) {
    const auto counts = counts_of(at, in);
    const candidate fresh{people_->score_of(profile_id{rows_[at].voter}), rows_[at].voter};
    out.bullish.total += counts.bullish;
    out.bearish.total += counts.bearish;
    ++out.unique_voters;
    keep(both, fresh);
    if (counts.bullish > 0) {
      ++out.bullish.unique_voters;
      keep(bullish, fresh);
    }
    if (counts.bearish > 0) {
      ++out.bearish.unique_voters;
      keep(bearish, fresh);
    }
  }
  out.total = out.bullish.total + out.bearish.total;
  const auto emit = [](std::vector<candidate>& from, std::vector<profile_id>& to) {
    std::sort(from.begin(), from.end());
    for (const auto& each : from)
      to.push_back(profile_id{each.voter});
  };
  emit(bullish, out.bullish.top_voters);
  emit(bearish, out.bearish.top_voters);
  emit(both, out.top_voters);
  return out;
}

} // namespace credence::project
