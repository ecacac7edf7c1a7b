#include "persistence/writer/batch.hpp"

#include <algorithm>
#include <iterator>

namespace credence::persistence {

// -- the batch ---------------------------------------------------------------------------

std::size_t batch::accepted() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(entries.begin(), entries.end(), [](const entry& each) { return !each.refused; }));
}

std::size_t batch::numbered() const noexcept {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](const entry& each) {
    return !each.refused && takes_number(each.request.change);
  }));
}

batch batch::split() {
  auto stay = accepted() / 2;
  auto at = entries.begin();
  for (; at != entries.end() && stay > 0; ++at)
    stay -= at->refused ? 0 : 1;
  batch later;
  later.entries.assign(std::make_move_iterator(at), std::make_move_iterator(entries.end()));
  entries.erase(at, entries.end());
  return later;
}

// -- outcomes ----------------------------------------------------------------------------

void announcer::count(const write_request& one, write_result result, global_seq as_of, global_seq number) {
  const auto [known, fresh] = last_group_.try_emplace(one.stream.incarnation, groups_.size());
  if (!fresh) {
    auto& last = groups_[known->second].outcome;
    if (last.stream == one.stream && last.result == result && last.number == 0 && number == 0) {
      ++last.count;
      return;
    }
    known->second = groups_.size();
  }
  groups_.push_back({&one.from, {one.stream, result, 1, as_of, number}});
}

void announcer::send() {
  for (const auto& each : groups_)
    tell_(*each.to, each.outcome);
  groups_.clear();
  last_group_.clear();
}

std::size_t announcer::tell(const batch& of, write_result result, global_seq as_of) {
  auto seq = of.identity.first_seq;
  for (const auto& each : of.entries) {
    const auto& one = each.request;
    const auto fate = each.refused.value_or(result);
    const bool named = fate == write_result::stored && named_by_number(one.change);
    count(one, fate, each.refused ? 0 : as_of, named ? seq : 0);
    seq += !each.refused && takes_number(one.change) ? 1 : 0;
  }
  send();
  return of.entries.size();
}

void announcer::tell(const write_request& one, write_result result) { tell_(one.from, {one.stream, result, 1, 0, 0}); }

} // namespace credence::persistence
