#pragma once

#include "actors/domain/ids.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// What an analysis of integrity looks at, in as few bytes as will do: there may be millions of votes.
namespace credence::integrity {

inline constexpr std::uint32_t hour_s = 3600;

/// A vote. What it was for, its *cause*, is a project and a side.
struct vote_seen {
  std::int32_t voter = 0;
  std::uint32_t cause = 0;
  std::uint32_t second = 0; // since 1970

  static constexpr std::uint32_t cause_of(project_id project, bool bullish) noexcept {
    return static_cast<std::uint32_t>(project.value) * 2 + (bullish ? 1 : 0);
  }
};
constexpr project_id project_of(std::uint32_t cause) noexcept { return {static_cast<std::int32_t>(cause / 2)}; }
constexpr bool is_bullish(std::uint32_t cause) noexcept { return cause % 2 == 1; }

/// How one profile speaks well of another.
enum class tie_kind : std::uint8_t { review, vouch, upvote };
inline constexpr std::size_t tie_kinds = 3;
inline constexpr const char* tie_kind_names[tie_kinds] = {"REVIEW", "VOUCH", "UPVOTE"};

/// A positive review, an active vouch, or an upvote of a review that the other one wrote.
struct tie_seen {
  std::int32_t from = 0;
  std::int32_t to = 0;
  tie_kind kind = tie_kind::review;
  std::uint32_t second = 0;
};

/// When a profile joined.
struct joined {
  std::int32_t profile = 0;
  std::uint32_t second = 0;
};

/// All of it. `people` are in order of their ids.
struct acts {
  std::vector<vote_seen> votes;
  std::vector<tie_seen> ties;
  std::vector<joined> people;
};

/// Two profiles as one number, the smaller id first.
constexpr std::uint64_t pair_of(std::int32_t a, std::int32_t b) noexcept {
  const auto low = static_cast<std::uint32_t>(a < b ? a : b);
  const auto high = static_cast<std::uint32_t>(a < b ? b : a);
  return std::uint64_t{low} << 32 | high;
}
constexpr std::pair<std::int32_t, std::int32_t> both_of(std::uint64_t pair) noexcept {
  return {static_cast<std::int32_t>(pair >> 32), static_cast<std::int32_t>(pair & 0xffffffffu)};
}

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
