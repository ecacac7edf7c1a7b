#pragma once

#include "persistence/writer/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace credence::persistence {

/// Changes until they are written, in order: batches that are formed already, and the hand, which holds what has come
/// since.
class write_queue {
public:
  /// So many changes, and about so many bytes, go into a batch at most.
  write_queue(std::size_t changes_max, std::size_t bytes_max) : changes_max_(changes_max), bytes_max_(bytes_max) {}

  void take(batch::entry fresh) { hand_.push_back(std::move(fresh)); }
  bool empty() const noexcept { return formed_.empty() && hand_.empty(); }
  /// Whether a change up to this position is still held.
  bool holds(std::uint64_t position) const noexcept;
  /// The batch to be written next, formed now where there is none; null when nothing is held.
  batch* next();
  /// Takes that batch out.
  batch pop();
  /// To be written before everything else.
  void put_first(batch batch) { formed_.push_front(std::move(batch)); }
  /// The same with each change in a batch of its own.
  void put_first_one_by_one(batch batch);
  /// Takes the memory of a batch that is done with.
  void reuse(std::vector<batch::entry> memory);

  /// Calls `visit` with the changes of each batch, and with those of the hand.
  template <class Visit>
  void for_each_list(Visit&& visit) const {
    for (const auto& each : formed_)
      visit(each.entries);
    visit(hand_);
  }
  /// Removes the changes for which `gone`, which is asked once for each in order, says so.
  template <class Gone>
  void remove_if(Gone&& gone) {
    for (auto& each : formed_)
      remove_from(each.entries, gone);
    std::erase_if(formed_, [](const batch& each) { return each.entries.empty(); });
    remove_from(hand_, gone);
  }

private:
  void form();
  template <class Entries, class Gone>
  static void remove_from(Entries& entries, Gone& gone) {
    auto kept = entries.begin();
    for (auto& each : entries)
      if (!gone(each)) {
        if (&*kept != &each)
          *kept = std::move(each);
        ++kept;
      }
    entries.erase(kept, entries.end());
  }

  std::size_t changes_max_;
  std::size_t bytes_max_;
  std::deque<batch> formed_;
  std::deque<batch::entry> hand_;
  std::vector<batch::entry> spare_;
};

} // namespace credence::persistence
