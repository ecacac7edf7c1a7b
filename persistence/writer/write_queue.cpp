#include "persistence/writer/write_queue.hpp"

namespace credence::persistence {

bool write_queue::holds(std::uint64_t position) const noexcept {
  if (!formed_.empty() && formed_.front().oldest() <= position)
    return true;
  return !hand_.empty() && hand_.front().position <= position;
}

batch* write_queue::next() {
  if (formed_.empty() && !hand_.empty())
    form();
  return formed_.empty() ? nullptr : &formed_.front();
}

batch write_queue::pop() {
  auto out = std::move(formed_.front());
  formed_.pop_front();
  return out;
}

void write_queue::put_first_one_by_one(batch batch) {
  for (auto each = batch.entries.rbegin(); each != batch.entries.rend(); ++each) {
    formed_.emplace_front();
    formed_.front().entries.push_back(std::move(*each));
  }
}

void write_queue::reuse(std::vector<batch::entry> memory) {
  spare_ = std::move(memory);
  spare_.clear();
}

/// Of the oldest changes of the hand. What begins an era goes alone, so that changes before and after it never share
/// a batch.
void write_queue::form() {
  batch fresh;
  fresh.entries = std::exchange(spare_, {});
  std::size_t bytes = 0;
  while (!hand_.empty() && fresh.entries.size() < changes_max_) {
    auto& next = hand_.front();
    const bool alone = era_begun_by(next.request.change).has_value();
    bytes += wire_size(next.request.change);
    if (!fresh.entries.empty() && (alone || bytes > bytes_max_))
      break;
    fresh.entries.push_back(std::move(next));
    hand_.pop_front();
    if (alone)
      break;
  }
  formed_.push_back(std::move(fresh));
}

} // namespace credence::persistence
