#pragma once

#include "actors/domain/words.hpp"

#include <cstdint>

namespace credence::slash {

/// What became of a slash.
enum class verdict : std::uint8_t { cancelled, slashed, defended, inconclusive };
CREDENCE_WORDS(verdict, verdict_names, "CANCELLED", "SLASHED", "DEFENDED", "INCONCLUSIVE");

} // namespace credence::slash
