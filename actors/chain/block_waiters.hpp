#pragma once

#include "actors/chain/follow_types.hpp"
#include "actors/kernel/ask.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace credence::chain {

/// A question has waited for its block as long as it may.
struct timeout_over {
  std::uint64_t question = 0;
};

/// Questions that wait until a block is stored, or until there is one. Bounded by the gate in front.
class block_waiters {
public:
  std::size_t count() const noexcept { return waiting_.size(); }
  /// Its number. `found` is the answer when its timeout is over; its receipt names the block, where there is one.
  std::uint64_t add(const ask<find_transaction>& question, transaction_found found) {
    waiting_.push_back({++last_, question, std::move(found)});
    return last_;
  }
  /// Its time has passed: answers it, if it still waits. One that is looked for longer is returned, and waits no
  /// longer.
  std::optional<ask<find_transaction>> timeout_over(std::uint64_t number, steady_time now) {
    const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const waiter& each) { return each.number == number; });
    if (found == waiting_.end())
      return std::nullopt;
    auto over = std::move(*found);
    waiting_.erase(found);
    if (over.question->until && now < *over.question->until)
      return std::move(over.question);
    over.question.answer(std::move(over.found));
    return std::nullopt;
  }
  /// Those without a block, and those whose blocks are no later than the tip; they wait no longer.
  std::vector<ask<find_transaction>> take_up_to(block_number tip) {
    std::vector<ask<find_transaction>> out;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (!at->found.receipt || at->found.receipt->block <= tip) {
        out.push_back(at->question);
        at = waiting_.erase(at);
      } else
        ++at;
    return out;
  }

private:
  struct waiter {
    std::uint64_t number = 0;
    ask<find_transaction> question;
    transaction_found found;
  };
  std::list<waiter> waiting_;
  std::uint64_t last_ = 0;
};

} // namespace credence::chain
