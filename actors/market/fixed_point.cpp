#include "actors/market/fixed_point.hpp"

#include <bit>

namespace credence::market {

namespace {

__extension__ using uint128 = unsigned __int128;

constexpr uint128 exp2_argument_end = uint128{192} * fixed_unit;
constexpr uint128 exp_argument_max = uint128{133} * fixed_unit + 84'258'667'509'499'440;
constexpr std::uint64_t log2_e = 1'442'695'040'888'963'407; // with 18 decimals

constexpr std::uint64_t low(uint128 number) { return static_cast<std::uint64_t>(number); }
constexpr std::uint64_t high(uint128 number) { return static_cast<std::uint64_t>(number >> 64); }

uint256 wide(uint128 number) { return uint256{limbs256{low(number), high(number)}}; }

/// For numbers that have two limbs at most.
uint128 narrow(const uint256& number) { return uint128{number.limbs()[1]} << 64 | number.limbs()[0]; }

/// x * y / divisor, with all the digits in between; nothing from 2^256 on.
std::optional<fixed> scaled(const uint256& x, const uint256& y, const uint256& divisor) {
  const auto out = multiply_divide(x, y, divisor);
  return out ? std::optional{fixed{*out}} : std::nullopt;
}

/// Fractions f of 2^(1/2), 2^(1/4), … 2^(2^-64) = 1 + f / 2^64, rounded to the nearest. Each root is
/// taken of the one before with 128 binary digits, so that errors do not add up.
consteval std::array<std::uint64_t, 64> roots_of_two() {
  std::array<std::uint64_t, 64> out{};
  auto fraction = ~uint128{0}; // of 2 = 1 + fraction / 2^128
  for (auto& rounded : out) {
    // The largest root with (1 + root)^2 <= 1 + fraction, which is root + root^2 / 2 <= fraction / 2.
    uint128 root = 0;
    for (auto bit = uint128{1} << 126; bit > 0; bit >>= 1) {
      const auto tried = root | bit;
      const uint128 a = high(tried), b = low(tried);
      const auto square = a * a + high(2 * (a * b) + high(b * b)); // its upper half
      if (tried + square / 2 <= fraction / 2)
        root = tried;
    }
    rounded = high(root + (uint128{1} << 63));
    fraction = root;
  }
  return out;
}

constexpr auto roots = roots_of_two();

/// 2^(whole + fraction / 2^64), with 18 decimals. A product of roots of two, one for each binary
/// digit of the fraction, the largest first: its order decides what is cut off.
uint256 power_of_two(std::uint64_t whole, std::uint64_t fraction) {
  std::uint64_t r0 = 0, r1 = 0, r2 = std::uint64_t{1} << 63; // 2^191, and below 2^192 to the end
  while (fraction != 0) {
    const auto place = std::countl_zero(fraction);
    fraction &= ~(std::uint64_t{1} << 63 >> place);
    const auto root = roots[static_cast<std::size_t>(place)];
    const auto p0 = uint128{r0} * root;
    const auto p1 = uint128{r1} * root + high(p0);
    const auto p2 = uint128{r2} * root + high(p1);
    const auto s0 = uint128{r0} + low(p1);
    const auto s1 = uint128{r1} + low(p2) + high(s0);
    r0 = low(s0);
    r1 = low(s1);
    r2 += high(p2) + high(s1);
  }
  return uint256{limbs256{r0, r1, r2}} * fixed_unit >> (191 - whole);
}

/// x^2, both with 18 decimals, for x below 2. An estimate, put right by what is left over: with the
/// processor's division of 128 bits logarithms take twice as long. The estimate is one short at most, as
/// what is dropped on its way comes to 0.3 by the shift and to 0.5 by the inverse.
std::uint64_t square(std::uint64_t x) {
  constexpr auto inverse = low((uint128{1} << 122) / fixed_unit);
  const auto product = uint128{x} * x;
  const auto estimate = high(uint128{low(product >> 58)} * inverse);
  return estimate + (low(product) - estimate * fixed_unit >= fixed_unit);
}

} // namespace

std::optional<fixed> mul(const fixed& x, const fixed& y) { return scaled(x.raw, y.raw, fixed_unit); }

std::optional<fixed> div(const fixed& x, const fixed& y) {
  return y.raw == 0 ? std::nullopt : scaled(x.raw, fixed_unit, y.raw);
}

std::optional<fixed> exp2(const fixed& x) {
  if (x.raw >= wide(exp2_argument_end))
    return std::nullopt;
  const auto raw = narrow(x.raw);
  return fixed{power_of_two(low(raw / fixed_unit), low((raw % fixed_unit << 64) / fixed_unit))};
}

std::optional<fixed> exp(const fixed& x) {
  if (x.raw > wide(exp_argument_max))
    return std::nullopt;
  return exp2({wide(narrow(x.raw) * log2_e / fixed_unit)}); // the product is just below 2^128
}

std::optional<fixed> log2(const fixed& x) {
  if (x.raw < fixed_unit)
    return std::nullopt;
  const auto whole = bit_width(x.raw / fixed_unit) - 1;
  const auto result = uint128{whole} * fixed_unit;
  auto y = low(narrow(x.raw >> whole)); // from 1 to below 2
  if (y == fixed_unit)
    return fixed{wide(result)};
  std::uint64_t fraction = 0;
  for (auto digit = fixed_unit / 2; digit > 0; digit /= 2) { // its worth; halved in whole numbers
    y = square(y);
    const bool set = y >= 2 * fixed_unit;
    fraction += set ? digit : 0;
    y >>= set;
  }
  return fixed{wide(result + fraction)};
}

std::optional<fixed> ln(const fixed& x) {
  const auto binary = log2(x);
  if (!binary)
    return std::nullopt;
  return fixed{wide(narrow(binary->raw) * fixed_unit / log2_e)}; // at most 196.3: below 2^128
}

} // namespace credence::market
