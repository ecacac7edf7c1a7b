#pragma once

#include <cstdint>

/// Bounds of what is shown of posts of the broker, whose texts no contract bounds.
namespace credence::limits {

/// Characters of a text of a post, where one post is read, and where several are.
inline constexpr std::int32_t broker_text_max = 65536;
inline constexpr std::int32_t broker_text_listed_max = 4096;

} // namespace credence::limits
