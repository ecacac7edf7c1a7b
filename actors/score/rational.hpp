#pragma once

#include "actors/domain/wei.hpp"

#include <compare>
#include <cstdint>
#include <string>

namespace credence::score {

/// A fraction of whole numbers, kept exactly and in lowest terms, so that equal numbers compare equal. Numerator and
/// denominator stay below 2^240: there is room to multiply them by any number of points within 256 bits. What would
/// leave that range throws std::overflow_error.
class rational {
public:
  rational() = default;
  /// A whole number.
  explicit rational(std::int64_t whole) : numerator_(whole) {}
  /// Throws std::domain_error when the denominator is 0.
  rational(const wei_change& numerator, const uint256& denominator);

  const wei_change& numerator() const noexcept { return numerator_; }
  const uint256& denominator() const noexcept { return denominator_; }

  /// Without the digits behind the point: 94.5 becomes 94, and -94.5 becomes -94.
  /// Throws std::overflow_error when that does not fit into 64 bits.
  std::int64_t truncated() const;

  friend bool operator==(const rational&, const rational&) = default;
  friend std::strong_ordering operator<=>(const rational& number, std::int64_t whole);

private:
  wei_change numerator_ = 0;
  uint256 denominator_ = 1;
};

/// Decimal digits, after a minus when the number is below zero: all of them when no more than `digits_max` follow the
/// point, else the first `digits_max`, cut off towards zero. No zeros at the end, and never "-0".
/// 94.5 is "94.5"; 720/7 with 12 digits is "102.857142857142".
std::string decimal_text(const rational& number, int digits_max);

} // namespace credence::score
