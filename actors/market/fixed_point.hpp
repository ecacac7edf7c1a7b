#pragma once

#include "actors/domain/wei.hpp"

#include <compare>
#include <optional>

namespace credence::market {

/// 1, with 18 decimals.
inline constexpr std::uint64_t fixed_unit = 1'000'000'000'000'000'000;

/// A number from 0 to 2^256 / 10^18 with 18 decimals: `raw` / 10^18. Arithmetic on it gives, to the
/// last digit, what type UD60x18 of the contract library PRBMath 4 gives, for that is what a market's
/// contract counts with; where that one reverts, nothing is returned. Results are cut off, not rounded.
struct fixed {
  uint256 raw;

  friend bool operator==(const fixed&, const fixed&) = default;
  friend std::strong_ordering operator<=>(const fixed& a, const fixed& b) { return a.raw <=> b.raw; }
};

/// x * y; nothing when that is 2^256 / 10^18 or more.
std::optional<fixed> mul(const fixed& x, const fixed& y);
/// x / y; nothing when y is 0 or that is 2^256 / 10^18 or more.
std::optional<fixed> div(const fixed& x, const fixed& y);
/// 2^x; nothing from 192 on.
std::optional<fixed> exp2(const fixed& x);
/// e^x; nothing above 133.084258667509499440.
std::optional<fixed> exp(const fixed& x);
/// Logarithm to the base 2; nothing below 1.
std::optional<fixed> log2(const fixed& x);
/// Natural logarithm; nothing below 1.
std::optional<fixed> ln(const fixed& x);

} // namespace credence::market
