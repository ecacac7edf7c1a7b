#include "actors/project/project_state.hpp"

#include "actors/people/people_index.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace credence::project {

project_state::project_state(project_id id, stored_project stored, const people::people_index& people)
  : id_(id), archived_(stored.archived), unsettled_(stored.unsettled.has_value()), since_(stored.unsettled),
    people_(&people), base_(stored.base), from_(stored.from), last_at_(stored.last_at),
    reasons_(std::move(stored.reasons)) {
  assert(stored.exists);
  for (std::size_t i = 0; i < reasons_.size(); ++i)
    reason_ids_.emplace(reasons_[i], static_cast<std::int32_t>(i));
  for (auto vote : stored.votes) {
    vote.at = rows_.empty() && whole() ? vote.at : std::max(vote.at, newest_at());
    push(vote);
  }
  commit(static_cast<std::uint32_t>(rows_.size()));
}

// -- older votes --------------------------------------------------------------------

bool project_state::holds(const scope& in, const period::calendar& periods) const {
  if (in.kind == scope_kind::current_period)
    return holds(periods.current().id);
  const auto* named = in.kind == scope_kind::period ? periods.find(in.named) : nullptr;
  return named ? holds(named->id) : in.kind == scope_kind::period || whole(); // of no such period there is no vote
}

void project_state::take_history(stored_history older) {
  assert(static_cast<entity_seq>(older.votes.size()) == base_);
  stored_project first;
  first.exists = true;
  first.archived = archived_;
  first.unsettled = since_;
  first.votes = std::move(older.votes);
  first.reasons = std::move(older.reasons);
  project_state all{id_, std::move(first), *people_};
  for (auto each = runs_.begin(); each != runs_.end(); ++each) {
    const auto end = std::next(each) == runs_.end() ? static_cast<std::uint32_t>(rows_.size()) : std::next(each)->first;
    for (auto at = each->first; at < end; ++at) {
      const auto& r = rows_[at];
      const auto reason = r.reason() < 0 ? -1 : all.intern(reasons_[static_cast<std::size_t>(r.reason())]);
      all.push({profile_id{r.voter}, each->in, r.side(), reason, std::max(r.at, all.newest_at()), r.weight()});
    }
  }
  all.unsettled_ = unsettled_;
  all.commit(committed_);
  *this = std::move(all);
}

// -- writing ------------------------------------------------------------------------

outcome<vote_cast> project_state::decide(const cast_vote& command, period_id current, timestamp now) const {
  assert(command.project == id_);
  if (archived_)
    return refusal{refusal_code::project_archived,
                   "project " + std::to_string(id_.value) + " is archived and takes no votes"};
  if (unsettled_)
    return not_yet_settled("project " + std::to_string(id_.value), since_);
  if (current < (runs_.empty() ? from_ : runs_.back().in))
    return refusal{refusal_code::period_closed, "the voting period has just closed; vote again"};
  const auto newest = newest_.find(command.voter);
  if (newest != none && runs_.back().in == current && newest >= runs_.back().first)
    return refusal{refusal_code::already_voted, "profile " + std::to_string(command.voter.value)
                                                  + " has already voted on project " + std::to_string(id_.value)
                                                  + " in this voting period"};
  if (people_->status_of(command.voter) == people::people_index::status::archived) // since the front looked
    return people::not_live(command.voter);
  const auto at = rows_.empty() && whole() ? now : std::max(now, newest_at());
  return vote_cast{id_,
                   command.voter,
                   base_ + static_cast<entity_seq>(rows_.size() + 1),
                   current,
                   command.side,
                   command.reason,
                   at,
                   people::vote_weight_of(people_->score_of(command.voter))};
}

void project_state::apply(const vote_cast& change) {
  assert(change.project == id_);
  assert(change.number == base_ + static_cast<entity_seq>(rows_.size() + 1));
  push({change.voter, change.in, change.side, change.reason ? intern(*change.reason) : -1, change.at, change.weight});
}

void project_state::commit(std::uint32_t count) {
  assert(count <= pending());
  for (std::uint32_t i = 0; i < count; ++i)
    count_committed(committed_++);
}

void project_state::take_back() {
  while (rows_.size() > committed_) {
    const auto& last = rows_.back();
    newest_.set(profile_id{last.voter}, last.previous);
    rows_.pop_back();
    if (runs_.back().first == rows_.size())
      runs_.pop_back();
  }
}

void project_state::push(const stored_vote& vote) {
  const auto here = static_cast<std::uint32_t>(rows_.size());
  assert(rows_.empty() || rows_.back().at <= vote.at);
  assert(vote.weight >= 0 && vote.weight <= 7);
  if (runs_.empty() || runs_.back().in != vote.in) {
    assert(runs_.empty() || runs_.back().in < vote.in);
    runs_.push_back({vote.in, here});
  }
  const bool bearish = vote.side == sentiment::bearish;
  row fresh{vote.at, vote.voter.value, newest_.find(vote.voter), vote.reason * 16 + vote.weight * 2 + bearish, 0, 0};
  if (fresh.previous != none) {
    fresh.bullish_upto = rows_[fresh.previous].bullish_upto;
    fresh.bearish_upto = rows_[fresh.previous].bearish_upto;
  }
  ++(bearish ? fresh.bearish_upto : fresh.bullish_upto);
  rows_.push_back(fresh);
  newest_.set(vote.voter, here);
}

std::int32_t project_state::intern(const std::string& reason) {
  const auto [found, fresh] = reason_ids_.try_emplace(reason, static_cast<std::int32_t>(reasons_.size()));
  if (fresh)
    reasons_.push_back(reason);
  return found->second;
}

void project_state::count_committed(std::uint32_t at) {
  const auto& r = rows_[at];
  const bool bullish = r.side() == sentiment::bullish;
  const auto count = [bullish](voter_totals& in, bool first, bool first_of_side) {
    in.voters += first;
    (bullish ? in.bullish_voters : in.bearish_voters) += first_of_side;
    ++(bullish ? in.bullish_votes : in.bearish_votes);
  };
  auto& period = runs_[static_cast<std::size_t>(run_of(at) - runs_.cbegin())];
  count(period.totals, true, true); // a voter votes once in a period
  count(totals_, r.bullish_upto + r.bearish_upto == 1, r.upto(r.side()) == 1);

  const auto day = std::chrono::floor<std::chrono::days>(r.at);
  // The newest day is nearly always the last one.
  auto found = std::find_if(days_.rbegin(), days_.rend(),
                            [&](const day_tally& tally) { return tally.day == day && tally.in == period.in; });
  auto& tally = found != days_.rend() ? *found : days_.emplace_back(day_tally{period.in, day, 0, 0});
  ++(bullish ? tally.bullish : tally.bearish);
  const auto weight = bullish ? vote_weights{r.weight(), 0} : vote_weights{0, r.weight()};
  for (auto* sum : {&tally.weight, &period.weight, &weight_})
    *sum += weight;
}

std::deque<project_state::run>::const_iterator project_state::run_of(std::uint32_t at) const {
  return std::prev(std::upper_bound(runs_.begin(), runs_.end(), at,
                                    [](std::uint32_t wanted, const run& r) { return wanted < r.first; }));
}

profile::own_vote project_state::vote(entity_seq n) const {
  const auto at = row_after(n - 1);
  return {id_, run_of(at)->in, rows_.at(at).side()};
}

std::vector<day_tally> project_state::days_since(entity_seq after) const {
  if (after <= base_)
    return days_;
  std::vector<day_tally> out;
  // Votes come day by day, so nearly every row falls into the tally found last.
  for (auto at = row_after(after); at < committed_; ++at) {
    const auto in = run_of(at)->in;
    const auto day = std::chrono::floor<std::chrono::days>(rows_[at].at);
    const auto is_it = [&](const day_tally& tally) { return tally.in == in && tally.day == day; };
    if (std::any_of(out.rbegin(), out.rend(), is_it))
      continue;
    const auto found = std::find_if(days_.rbegin(), days_.rend(), is_it);
    assert(found != days_.rend());
    out.push_back(*found);
  }
  return out;
}

std::vector<period_tally> project_state::periods_since(entity_seq after) const {
  std::vector<period_tally> out;
  if (const auto first = row_after(after); first < committed_)
    for (auto each = run_of(first); each != runs_.end() && each->first < committed_; ++each)
      out.push_back({each->in, each->weight});
  return out;
}

std::vector<figure> project_state::in_memory(std::optional<period_id> open) const {
  std::vector<figure> out{{"archived", archived_},
                          {"unsettled", unsettled_},
                          {"bullish", totals_.bullish_votes},
                          {"bearish", totals_.bearish_votes},
                          {"voters", totals_.voters},
                          {"votes", through()},
                          {"votesInMemory", committed_},
                          {"votersInMemory", newest_.size()},
                          {"pendingVotes", pending()}};
  if (open) {
    const auto* of_period = rows_of(*open).totals;
    const auto known = holds(*open);
    out.emplace_back("period", open->value);
    out.push_back(known ? figure{"bullishInPeriod", of_period ? of_period->bullish_votes : 0}
                        : figure{"bullishInPeriod"});
    out.push_back(known ? figure{"bearishInPeriod", of_period ? of_period->bearish_votes : 0}
                        : figure{"bearishInPeriod"});
  }
  return out;
}

// -- selecting ------------------------------------------------------------------------

project_state::selection project_state::rows_of(period_id in) const {
  const auto found =
    std::lower_bound(runs_.begin(), runs_.end(), in, [](const run& r, period_id wanted) { return r.in < wanted; });
  if (found == runs_.end() || found->in != in || found->first >= committed_) // pending ones may be taken back
    return {};
  const auto next = std::next(found);
  const auto end = next == runs_.end() ? static_cast<std::uint32_t>(rows_.size()) : next->first;
  return {std::min(found->first, committed_), std::min(end, committed_), &found->totals, in};
}

project_state::selection project_state::select(const scope& in, const period::calendar& periods, timestamp now) const {
  switch (in.kind) {
    case scope_kind::global: return all_rows();
    case scope_kind::global_dates: {
      const auto begin = rows_.begin();
      const auto end = begin + committed_;
      const auto first = std::lower_bound(begin, end, in.from, [](const row& r, timestamp t) { return r.at < t; });
      const auto last =
        std::upper_bound(begin, end, std::min(in.to, now), [](timestamp t, const row& r) { return t < r.at; });
      return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(std::max(first, last) - begin)};
    }
    case scope_kind::current_period: return rows_of(periods.current().id);
    case scope_kind::period: {
      const auto* named = periods.find(in.named);
      return named ? rows_of(named->id) : selection{};
    }
  }
  return {};
}

std::uint32_t project_state::newest_in(profile_id voter, const selection& in) const {
  auto at = newest_.find(voter);
  while (at != none && !in.holds(at))
    at = at < in.first ? none : rows_[at].previous;
  return at;
}

bool project_state::newest(std::uint32_t at, const selection& in) const {
  const bool one_period = in.totals && in.totals != &totals_; // where a voter votes once
  return one_period || newest_in(profile_id{rows_[at].voter}, in) == at;
}

std::int64_t project_state::count_of(sentiment side, std::uint32_t newest, const selection& in) const {
  const auto& last = rows_[newest];
  if (in.first == 0)
    return last.upto(side);
  auto before = last.previous;
  while (before != none && before >= in.first)
    before = rows_[before].previous;
  return last.upto(side) - (before == none ? 0 : rows_[before].upto(side));
}

} // namespace credence::project
