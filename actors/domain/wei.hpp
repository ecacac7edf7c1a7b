#pragma once

#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace credence {

/// A number in 64-bit pieces, the least first.
using limbs256 = std::array<std::uint64_t, 4>;
class wei_change;

namespace detail {
__extension__ using uint128 = unsigned __int128;
[[noreturn]] void throw_overflow(); // std::overflow_error
[[noreturn]] void throw_negative(); // std::range_error
} // namespace detail

/// Whole numbers from 0 to 2^256 - 1, as the Ethereum machine knows them. An operation or conversion whose result does
/// not fit throws instead of wrapping around: std::range_error for one below zero, std::overflow_error for one that is
/// too large and for a division by zero. Only what is declared noexcept cannot throw.
class uint256 {
public:
  constexpr uint256() noexcept = default;
  constexpr explicit uint256(const limbs256& limbs) noexcept : limbs_(limbs) {}
  template <std::integral T>
  constexpr uint256(T number) noexcept(std::unsigned_integral<T>)
    : limbs_{static_cast<std::uint64_t>(number)} { // NOLINT: as built-in numbers do
    if constexpr (std::signed_integral<T>)
      if (number < 0)
        detail::throw_negative();
  }
  explicit uint256(const wei_change& number);

  constexpr const limbs256& limbs() const noexcept { return limbs_; }

  template <std::integral T>
  constexpr explicit operator T() const {
    if constexpr (std::same_as<T, bool>)
      return *this != uint256{};
    else {
      if ((limbs_[1] | limbs_[2] | limbs_[3]) != 0
          || limbs_[0] > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
        detail::throw_overflow();
      return static_cast<T>(limbs_[0]);
    }
  }
  /// Close to it: its first 64 binary digits, rounded to a double.
  explicit operator double() const noexcept;

  friend constexpr bool operator==(const uint256&, const uint256&) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(const uint256& a, const uint256& b) noexcept {
    for (std::size_t i = 4; i-- > 1;)
      if (a.limbs_[i] != b.limbs_[i])
        return a.limbs_[i] <=> b.limbs_[i];
    return a.limbs_[0] <=> b.limbs_[0];
  }

  constexpr uint256& operator+=(const uint256& b) {
    auto sum = *this;
    bool carry = false;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool over = __builtin_add_overflow(sum.limbs_[i], b.limbs_[i], &sum.limbs_[i]);
      carry = over | __builtin_add_overflow(sum.limbs_[i], std::uint64_t{carry}, &sum.limbs_[i]);
    }
    if (carry)
      detail::throw_overflow();
    return *this = sum;
  }
  constexpr uint256& operator-=(const uint256& b) {
    auto rest = *this;
    bool borrow = false;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool under = __builtin_sub_overflow(rest.limbs_[i], b.limbs_[i], &rest.limbs_[i]);
      borrow = under | __builtin_sub_overflow(rest.limbs_[i], std::uint64_t{borrow}, &rest.limbs_[i]);
    }
    if (borrow)
      detail::throw_negative();
    return *this = rest;
  }
  constexpr uint256& operator*=(const uint256& b) {
    limbs256 out{};
    for (std::size_t i = 0; i < 4; ++i) {
      if (limbs_[i] == 0)
        continue;
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < 4 - i; ++j) {
        const auto part = detail::uint128{limbs_[i]} * b.limbs_[j] + out[i + j] + carry;
        out[i + j] = static_cast<std::uint64_t>(part);
        carry = static_cast<std::uint64_t>(part >> 64);
      }
      for (std::size_t j = 4 - i; j < 4; ++j)
        carry |= b.limbs_[j];
      if (carry != 0)
        detail::throw_overflow();
    }
    limbs_ = out;
    return *this;
  }
  uint256& operator/=(const uint256& b);
  uint256& operator%=(const uint256& b);
  /// By `bits` below 256; throws when a binary digit would be lost.
  uint256& operator<<=(unsigned bits);
  uint256& operator>>=(unsigned bits) noexcept;
  constexpr uint256& operator++() { return *this += uint256{1U}; }
  constexpr uint256& operator--() { return *this -= uint256{1U}; }

  friend constexpr uint256 operator+(uint256 a, const uint256& b) { return a += b; }
  friend constexpr uint256 operator-(uint256 a, const uint256& b) { return a -= b; }
  friend constexpr uint256 operator*(uint256 a, const uint256& b) { return a *= b; }
  friend uint256 operator/(uint256 a, const uint256& b) { return a /= b; }
  friend uint256 operator%(uint256 a, const uint256& b) { return a %= b; }
  friend uint256 operator<<(uint256 a, unsigned bits) { return a <<= bits; }
  friend uint256 operator>>(uint256 a, unsigned bits) noexcept { return a >>= bits; }

private:
  limbs256 limbs_{};
};

/// How many binary digits it has: 0 for 0, and one more than the place of the highest one.
constexpr unsigned bit_width(const uint256& number) noexcept {
  for (std::size_t i = 4; i-- > 0;)
    if (const auto limb = number.limbs()[i]; limb != 0)
      return static_cast<unsigned>(i) * 64 + static_cast<unsigned>(std::bit_width(limb));
  return 0;
}

/// The greatest common divisor; the other number where one is 0.
uint256 gcd(const uint256& a, const uint256& b);

/// a * b / divisor, cut off, with all the digits in between; nothing from 2^256 on. Throws std::overflow_error for a
/// divisor of 0.
std::optional<uint256> multiply_divide(const uint256& a, const uint256& b, const uint256& divisor);

/// An amount of ether, in its smallest unit: 10^18 wei are one ether.
using wei = uint256;

inline constexpr wei wei_per_ether{1'000'000'000'000'000'000U};
/// The most that one transfer or vouch may move: 10^18 ether.
inline constexpr wei transfer_wei_max = wei_per_ether * wei_per_ether;

/// By how much an amount changes: from -(2^256 - 1) to 2^256 - 1. What does not fit throws std::overflow_error.
class wei_change {
public:
  constexpr wei_change() noexcept = default;
  constexpr wei_change(const uint256& size) noexcept : size_(size) {} // NOLINT: every amount is one
  template <std::integral T>
  constexpr wei_change(T number) noexcept // NOLINT: as built-in numbers do
    : negative_(std::cmp_less(number, 0)) {
    const auto bits = static_cast<std::uint64_t>(number);
    size_ = negative_ ? std::uint64_t{0} - bits : bits;
  }

  /// -1, 0 or 1.
  constexpr int sign() const noexcept { return negative_ ? -1 : size_ != uint256{} ? 1 : 0; }
  friend constexpr const uint256& abs(const wei_change& of) noexcept { return of.size_; }

  explicit operator std::int64_t() const;

  friend constexpr bool operator==(const wei_change&, const wei_change&) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(const wei_change& a, const wei_change& b) noexcept {
    if (a.negative_ != b.negative_)
      return b.negative_ <=> a.negative_;
    return a.negative_ ? b.size_ <=> a.size_ : a.size_ <=> b.size_;
  }

  constexpr wei_change operator-() const noexcept { return {size_, !negative_}; }
  friend constexpr wei_change operator+(const wei_change& a, const wei_change& b) {
    if (a.negative_ == b.negative_)
      return {a.size_ + b.size_, a.negative_};
    return a.size_ < b.size_ ? wei_change{b.size_ - a.size_, b.negative_} : wei_change{a.size_ - b.size_, a.negative_};
  }
  friend constexpr wei_change operator-(const wei_change& a, const wei_change& b) { return a + -b; }
  friend constexpr wei_change operator*(const wei_change& a, const wei_change& b) {
    return {a.size_ * b.size_, a.negative_ != b.negative_};
  }
  /// Cut off towards zero.
  friend wei_change operator/(const wei_change& a, const wei_change& b) {
    return {a.size_ / b.size_, a.negative_ != b.negative_};
  }
  /// With the sign of `a`.
  friend wei_change operator%(const wei_change& a, const wei_change& b) { return {a.size_ % b.size_, a.negative_}; }
  friend wei_change operator<<(const wei_change& a, unsigned bits) { return {a.size_ << bits, a.negative_}; }
  wei_change& operator+=(const wei_change& b) { return *this = *this + b; }
  wei_change& operator-=(const wei_change& b) { return *this = *this - b; }
  wei_change& operator*=(const wei_change& b) { return *this = *this * b; }
  wei_change& operator/=(const wei_change& b) { return *this = *this / b; }

private:
  constexpr wei_change(const uint256& size, bool negative) noexcept
    : size_(size), negative_(negative && size != uint256{}) {}

  uint256 size_;
  bool negative_ = false; // never with a size of 0
};

/// Decimal digits, after a minus when it is below zero.
std::string decimal(const wei& amount);
std::string decimal(const wei_change& change);
std::ostream& operator<<(std::ostream& to, const uint256& number);
std::ostream& operator<<(std::ostream& to, const wei_change& number);

/// Reads decimal digits only, without a sign or a zero in front; nothing when they are not that, or
/// from 2^256 on.
std::optional<wei> parse_wei(std::string_view text);
/// The same, or with one `n` behind, as JavaScript writes a BigInt.
std::optional<wei> parse_bigint(std::string_view text);

} // namespace credence

template <>
class std::numeric_limits<credence::uint256> {
public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool is_signed = false;
  static constexpr int digits = 256;
  static constexpr credence::uint256 min() noexcept { return {}; }
  static constexpr credence::uint256 max() noexcept {
    constexpr auto ones = std::numeric_limits<std::uint64_t>::max();
    return credence::uint256{credence::limbs256{ones, ones, ones, ones}};
  }
};
