#pragma once

#include "actors/integrity/acts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace credence::integrity {

/// Gathers acts piece by piece, within bounds. Beyond the bound of votes their older half is dropped, and later
/// votes of that age are left out; of ties the first ones are kept.
class gathered_acts {
public:
  explicit gathered_acts(std::uint32_t since, std::size_t votes_max = 8'000'000, std::size_t ties_max = 4'000'000)
    : since_(since), votes_max_(votes_max), ties_max_(ties_max) {}

  void add(const std::vector<vote_seen>& votes) {
    for (const auto& each : votes)
      if (each.second >= since_)
        acts_.votes.push_back(each);
    if (acts_.votes.size() > votes_max_)
      drop_older_half();
  }
  void add(const std::vector<tie_seen>& ties) {
    const auto room = ties_max_ - std::min(ties_max_, acts_.ties.size());
    acts_.ties.insert(acts_.ties.end(), ties.begin(),
                      ties.begin() + static_cast<std::ptrdiff_t>(std::min(room, ties.size())));
  }
  void add(const std::vector<joined>& people) { acts_.people.insert(acts_.people.end(), people.begin(), people.end()); }

  /// The second from which on votes are looked at.
  std::uint32_t since() const noexcept { return since_; }
  acts take() { return std::exchange(acts_, {}); }

private:
  void drop_older_half() {
    auto& votes = acts_.votes;
    const auto middle = votes.begin() + static_cast<std::ptrdiff_t>(votes.size() / 2);
    std::nth_element(votes.begin(), middle, votes.end(),
                     [](const vote_seen& a, const vote_seen& b) { return a.second < b.second; });
    since_ = middle->second + 1;
    std::erase_if(votes, [this](const vote_seen& each) { return each.second < since_; });
  }

  std::uint32_t since_;
  std::size_t votes_max_;
  std::size_t ties_max_;
  acts acts_;
};

} // namespace credence::integrity
