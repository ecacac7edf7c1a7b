#pragma once

#include "actors/people/lookup_types.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// What follows from a person's figures.
namespace credence::people {

/// Score of every wallet and account that nothing is known about.
inline constexpr std::int32_t neutral_score = 1200;

enum class score_level : std::uint8_t {
  untrusted,
  questionable,
  neutral,
  known,
  established,
  reputable,
  exemplary,
  distinguished,
  revered,
  renowned,
};
inline constexpr std::array<std::string_view, 10> level_names{
  "untrusted", "questionable", "neutral",       "known",   "established",
  "reputable", "exemplary",    "distinguished", "revered", "renowned"};

/// The level of a score: untrusted below 800, questionable below 1200, then one level
/// every 200 points, renowned from 2600 on.
score_level level_of(std::int32_t score) noexcept;

/// What a vote on a slash or a listing weighs by its voter's score: nothing below the level known,
/// then 1 to 7, as the level.
std::int32_t vote_weight_of(std::int32_t score) noexcept;

/// Who may verify that others are human has more points than this.
inline constexpr std::int32_t verifier_score_above = 1600;

enum class verifier_status : std::uint8_t { verifier, unqualified, blocked };
struct verifier_standing {
  bool human_verified = false;
  bool meets_score = false;
  verifier_status status = verifier_status::unqualified;
};
/// A verifier owns a validator NFT, is verified as human and has the score; the right
/// can be taken away.
verifier_standing verifier_standing_of(const user& who, bool blocked) noexcept;

} // namespace credence::people
