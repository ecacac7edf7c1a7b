#pragma once

#include <cstdint>

/// Bounds of slashes for XP; those of all slashes are in limits.hpp.
namespace credence::limits {

/// XP that the author and the subject of a slash each put aside at most.
inline constexpr std::int64_t slash_xp_amount_max = 1'000'000;

} // namespace credence::limits
