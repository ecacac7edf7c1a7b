#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/fact.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

/// What operators see of the changes that an actor has sent to the store lately.
namespace credence {

/// What has become of a change, as its actor knows it.
enum class change_fate : std::uint8_t {
  under_way, // sent; the outcome has not come
  committed, // in the database
  refused,   // by the database
  given_up,  // not written, or written without its actor's knowledge: the actor decides again or is loaded again
};
inline constexpr std::array<std::string_view, 4> change_fate_names{"under_way", "committed", "refused", "given_up"};

struct recent_change {
  std::string_view fact;    // its name, such as `vote_cast`
  std::uint64_t number = 0; // among the changes of the actor's present incarnation, from 1
  timestamp at{};           // when it was sent
  change_fate fate{};
};

/// The name of a change's kind, which lives as long as the program.
template <class Change>
constexpr std::string_view kind_name(const Change& change) noexcept {
  if constexpr (requires { fact<Change>::name; })
    return fact<Change>::name;
  else
    return name_of(change);
}

/// The last changes of an actor, in a ring whose memory comes with the first of them: most actors only read. Changes
/// get their outcomes in the order in which they were sent.
class recent_changes {
public:
  static constexpr std::size_t kept_max = 16;

  /// `fact` must live as long as the program.
  void sent(std::string_view fact, timestamp at) {
    if (!ring_)
      ring_ = std::make_unique<ring>();
    (*ring_)[sent_++ % kept_max] = {fact, at, change_fate::under_way};
  }
  /// The oldest `count` of those under way have their outcome.
  void settled(std::uint64_t count, change_fate fate) noexcept {
    const auto end = settled_ + std::min(count, sent_ - settled_);
    for (auto i = std::max(settled_, first_kept()); i < end; ++i)
      (*ring_)[i % kept_max].fate = fate;
    settled_ = end;
  }
  void settled_all(change_fate fate) noexcept { settled(sent_ - settled_, fate); }

  /// The newest first.
  std::vector<recent_change> list() const {
    std::vector<recent_change> out;
    for (auto i = sent_; i > first_kept(); --i) {
      const auto& kept = (*ring_)[(i - 1) % kept_max];
      out.push_back({kept.fact, i, kept.at, kept.fate});
    }
    return out;
  }

private:
  struct slot {
    std::string_view fact;
    timestamp at{};
    change_fate fate{};
  };
  using ring = std::array<slot, kept_max>;

  std::uint64_t first_kept() const noexcept { return sent_ - std::min<std::uint64_t>(sent_, kept_max); }

  std::unique_ptr<ring> ring_;
  std::uint64_t sent_ = 0;
  std::uint64_t settled_ = 0; // of those sent
};

} // namespace credence
