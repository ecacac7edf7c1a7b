#pragma once

#include "actors/kernel/asker.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace credence {

/// What waits in an actor that does one after the other. Each asker has a line of their own, of which the length is
/// bounded, and askers have their turn one after the other: who asks for much waits, and nobody else. The line of the
/// service itself has no bound.
template <class Item>
class turns {
public:
  /// As many as one asker has places for lists at the readers.
  static constexpr std::size_t waiting_each = 64;

  /// False where its asker has too many waiting.
  bool add(const asker& whose, Item fresh) {
    auto& own = lines_[whose];
    if (whose.rank != asker_rank::service && own.size() >= waiting_each)
      return false;
    if (own.empty())
      next_.push_back(whose);
    own.push_back(std::move(fresh));
    return true;
  }
  bool empty() const noexcept { return next_.empty(); }
  /// Takes one out, of which there are some, of who has waited longest for their turn.
  Item take() {
    const auto whose = next_.front();
    next_.pop_front();
    const auto line = lines_.find(whose);
    auto out = std::move(line->second.front());
    line->second.pop_front();
    if (line->second.empty())
      lines_.erase(line);
    else
      next_.push_back(whose);
    return out;
  }

private:
  std::map<asker, std::deque<Item>> lines_; // none is empty
  std::deque<asker> next_;                  // their askers, whose turn is next first
};

} // namespace credence
