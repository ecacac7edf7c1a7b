#pragma once

#include "actors/chain/chain_types.hpp"

#include <algorithm>
#include <chrono>

/// How long the follower waits, and how often it tries.
namespace credence::chain {

inline constexpr std::chrono::seconds write_timeout{10};
inline constexpr std::chrono::milliseconds reload_after{250};
/// How long to wait after so many writes in a row that came to nothing: they may have held up those of others.
inline std::chrono::milliseconds after_losses(int losses) { return reload_after * (1 << std::min(losses - 1, 4)); }
inline constexpr std::chrono::seconds settle_timeout{60};
inline constexpr std::chrono::milliseconds left_for_the_answer{300};
/// A block that many blocks ahead is not hurried to.
inline constexpr block_number hurry_blocks_max = 1000;
/// Nodes are given so long to tell whether one of them withheld a log.
inline constexpr std::chrono::seconds gap_timeout{60};
/// Who remembers people is given so long to look again.
inline constexpr std::chrono::seconds telling_timeout{2};

} // namespace credence::chain
