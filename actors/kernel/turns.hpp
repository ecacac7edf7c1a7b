#pragma once

#include "actors/kernel/asker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>

namespace credence {

/// So many lists may wait for one asker at the readers, and so many questions at an actor that does one after the
/// other.
inline constexpr std::size_t lists_waiting_each = 64;

/// What waits to be done one after the other, of `Kinds` kinds that are taken separately. Each asker has a line of
/// their own, and askers of one rank have their turn one after the other. Ranks share by weight while all of them wait:
/// known askers have three turns for each one of anonymous askers, the service and the console four each; what a rank
/// leaves goes to the others, and is not made up for later.
template <class Item, std::size_t Kinds = 1>
class turns {
public:
  void push(const asker& whose, Item fresh, std::size_t kind = 0) {
    auto& to = of(whose);
    if (to.waiting[kind] == 0) // what it did not take while nothing of it waited is gone
      to.served[kind] = std::max(to.served[kind], served_last_[kind]);
    auto [line, is_new] = to.lines.try_emplace(whose.who);
    if (is_new)
      to.next.push_back(whose.who);
    line->second[kind].push_back(std::move(fresh));
    ++to.waiting[kind];
  }
  /// The same of the first kind, unless `lists_waiting_each` wait for the asker: false then. The service has no bound.
  bool add(const asker& whose, Item fresh) {
    const auto& lines = of(whose).lines;
    const auto own = lines.find(whose.who);
    if (whose.rank != asker_rank::service && own != lines.end() && own->second[0].size() >= lists_waiting_each)
      return false;
    push(whose, std::move(fresh));
    return true;
  }
  bool empty(std::size_t kind = 0) const noexcept {
    return std::all_of(ranks_.begin(), ranks_.end(), [kind](const rank& each) { return each.waiting[kind] == 0; });
  }
  /// Removes the next item of the asker whose turn is oldest, of the rank that has had least of its share; must not be
  /// empty.
  Item take(std::size_t kind = 0) {
    rank* from = nullptr;
    for (auto& each : ranks_)
      if (each.waiting[kind] != 0 && (!from || each.served[kind] < from->served[kind]))
        from = &each;
    served_last_[kind] = from->served[kind];
    from->served[kind] += steps[static_cast<std::size_t>(from - ranks_.data())];
    const auto turn =
      std::find_if(from->next.begin(), from->next.end(), [&](auto who) { return !from->lines.at(who)[kind].empty(); });
    const auto who = *turn;
    auto& line = from->lines.at(who)[kind];
    auto out = std::move(line.front());
    line.pop_front();
    --from->waiting[kind];
    from->next.erase(turn);
    if (!from->forget_if_empty(who))
      from->next.push_back(who);
    return out;
  }
  /// Removes that one.
  void remove(const asker& whose, const Item& which, std::size_t kind = 0) {
    auto& from = of(whose);
    auto& line = from.lines.at(whose.who)[kind];
    line.erase(std::find(line.begin(), line.end(), which)); // mostly the first
    --from.waiting[kind];
    if (from.forget_if_empty(whose.who))
      std::erase(from.next, whose.who);
  }
  void clear() { ranks_ = {}; }

private:
  /// What askers of one rank wait for, and how much of their share they have had.
  struct rank {
    std::unordered_map<std::uint64_t, std::array<std::deque<Item>, Kinds>> lines; // of askers for whom something waits
    std::list<std::uint64_t> next;             // the same askers, whose turn is next first
    std::array<std::size_t, Kinds> waiting{};  // in all lines
    std::array<std::uint64_t, Kinds> served{}; // grows by `steps` with each turn: whose is least goes first

    bool forget_if_empty(std::uint64_t who) {
      const auto found = lines.find(who);
      if (std::any_of(found->second.begin(), found->second.end(), [](const auto& each) { return !each.empty(); }))
        return false;
      lines.erase(found);
      return true;
    }
  };
  /// The other way round than the shares: 4, 4, 3 and 1.
  static constexpr std::array<std::uint64_t, asker_ranks> steps{3, 3, 4, 12};

  rank& of(const asker& whose) { return ranks_[static_cast<std::size_t>(whose.rank)]; }

  std::array<rank, asker_ranks> ranks_;
  std::array<std::uint64_t, Kinds> served_last_{}; // `served` of the rank whose turn it was last
};

} // namespace credence
