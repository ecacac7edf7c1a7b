#pragma once

#include "actors/domain/ids.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace credence::project {

struct ranked_voter {
  std::int32_t score = 0;
  std::int32_t voter = 0;
  /// The better one first; equal scores by voter id.
  friend bool operator<(const ranked_voter& a, const ranked_voter& b) noexcept {
    return a.score != b.score ? a.score > b.score : a.voter < b.voter;
  }
};

/// The best voters of a scope by score, as many as the first pages need.
class ranking {
public:
  static constexpr std::size_t depth = 512;

  /// Takes the voter in when it is among the best. Offer each voter once.
  void offer(ranked_voter fresh) {
    if (best_.size() == depth) {
      if (!(fresh < best_.back()))
        return;
      best_.pop_back();
    }
    best_.insert(std::upper_bound(best_.begin(), best_.end(), fresh), fresh);
  }

  /// Best first.
  const std::vector<ranked_voter>& best() const noexcept { return best_; }

private:
  std::vector<ranked_voter> best_;
};

} // namespace credence::project
