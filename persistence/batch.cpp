#include "persistence/batch.hpp"

#include <algorithm>
#include <iterator>

namespace credence::persistence {

namespace {

using period::period_advanced;
using project::project_tallied;
using project::vote_cast;

template <class... Fs>
struct one_each : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
one_each(Fs...) -> one_each<Fs...>;

} // namespace

std::size_t wire_size(const change& what) noexcept {
  return std::visit(one_each{[](const vote_cast& vote) { return 72 + (vote.reason ? vote.reason->size() : 0); },
                             [](const project_tallied& tally) { return 16 + 48 * tally.days.size(); },
                             [](const period_advanced&) { return std::size_t{128}; }},
                    what);
}

const char* name_of(const change& what) noexcept {
  return std::visit(one_each{[](const vote_cast&) { return "vote_cast"; },
                             [](const project_tallied&) { return "project_tallied"; },
                             [](const period_advanced&) { return "period_advanced"; }},
                    what);
}

bool takes_number(const change& what) noexcept { return !std::holds_alternative<project_tallied>(what); }

// -- the batch ---------------------------------------------------------------------------

std::size_t batch::accepted() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(entries.begin(), entries.end(), [](const entry& each) { return !each.refused; }));
}

std::size_t batch::numbered() const noexcept {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](const entry& each) {
    return !each.refused && takes_number(each.request.what);
  }));
}

batch batch::split() {
  auto stay = accepted() / 2;
  auto at = entries.begin();
  for (; at != entries.end() && stay > 0; ++at)
    stay -= at->refused ? 0 : 1;
  batch later;
  later.oldest = oldest + static_cast<std::uint64_t>(at - entries.begin());
  later.entries.assign(std::make_move_iterator(at), std::make_move_iterator(entries.end()));
  entries.erase(at, entries.end());
  return later;
}

// -- statements --------------------------------------------------------------------------

void batch_encoder::prepare(connection& on, steady_time deadline) {
  on.prepare(fence_sql::name, fence_sql::sql, deadline);
  on.prepare(vote_columns::name, vote_columns::sql, deadline);
  on.prepare(tally_columns::days_name, tally_columns::days_sql, deadline);
  on.prepare(tally_columns::rollups_name, tally_columns::rollups_sql, deadline);
  on.prepare(period_advance_sql::close_name, period_advance_sql::close_sql, deadline);
  on.prepare(period_advance_sql::open_name, period_advance_sql::open_sql, deadline);
}

std::span<const pipelined> batch_encoder::encode(const batch& from, const claim& mine) {
  votes_.clear();
  tallies_.clear();
  statements_.clear();
  fence_sql::fill(fence_, mine, from.identity);
  statements_.push_back({fence_sql::name, &fence_});
  auto seq = from.identity.first_seq;
  const auto add = one_each{[&](const vote_cast& vote) { votes_.add(vote, seq++); },
                            [&](const project_tallied& tally) { tallies_.add(tally); },
                            [&](const period_advanced& advance) {
                              close_ = period_advance_sql::close_with(advance);
                              open_ = period_advance_sql::open_with(advance, seq++);
                              statements_.push_back({period_advance_sql::close_name, &close_});
                              statements_.push_back({period_advance_sql::open_name, &open_});
                            }};
  for (const auto& each : from.entries)
    if (!each.refused)
      std::visit(add, each.request.what);
  if (votes_.size() > 0)
    statements_.push_back({vote_columns::name, &votes_.finish()});
  if (tallies_.has_days())
    statements_.push_back({tally_columns::days_name, &tallies_.finish_days()});
  if (!tallies_.empty())
    statements_.push_back({tally_columns::rollups_name, &tallies_.finish_rollups()});
  return statements_;
}

// -- outcomes ----------------------------------------------------------------------------

void announcer::count(const write_request& one, write_result result, global_seq as_of) {
  const auto [known, fresh] = last_group_.try_emplace(one.stream.incarnation, groups_.size());
  if (!fresh) {
    auto& last = groups_[known->second].outcome;
    if (last.stream == one.stream && last.result == result) {
      ++last.count;
      return;
    }
    known->second = groups_.size();
  }
  groups_.push_back({&one.from, {one.stream, result, 1, as_of}});
}

void announcer::send() {
  for (const auto& each : groups_)
    tell_(*each.to, each.outcome);
  groups_.clear();
  last_group_.clear();
}

std::size_t announcer::tell(const batch& of, write_result result, global_seq as_of) {
  for (const auto& each : of.entries)
    count(each.request, each.refused.value_or(result), each.refused ? 0 : as_of);
  send();
  return of.entries.size();
}

void announcer::tell_in_doubt(const batch& of) {
  for (const auto& each : of.entries)
    if (!each.refused)
      count(each.request, write_result::in_doubt, 0);
  send();
}

void announcer::tell(const write_request& one, write_result result) {
  tell_(one.from, {one.stream, result, 1, 0});
}

} // namespace credence::persistence
