#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace credence::slash {

/// What became of a slash.
enum class verdict : std::uint8_t { cancelled, slashed, defended, inconclusive };
inline constexpr std::array<std::string_view, 4> verdict_names{"CANCELLED", "SLASHED", "DEFENDED", "INCONCLUSIVE"};

} // namespace credence::slash
