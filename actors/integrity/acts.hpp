#pragma once

#include "actors/domain/ids.hpp"

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

} // namespace credence::integrity
