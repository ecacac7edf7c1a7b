#include "actors/market/lmsr.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

namespace {

constexpr std::int32_t bps_of_all = 10'000;

/// e^(votes / liquidity); nothing outside the safe range.
std::optional<fixed> exponential(std::int64_t votes, std::int64_t liquidity) {
  if (votes < 0 || votes > votes_per_liquidity_max * liquidity)
    return std::nullopt;
  return exp({uint256{votes} * fixed_unit / liquidity});
}

/// x * y with 18 decimals less.
wei rounded_down(const uint256& x, const wei& y) { return x * y / fixed_unit; }
wei rounded_up(const uint256& x, const wei& y) { return (x * y + (fixed_unit - 1)) / fixed_unit; }

/// How many votes the funds would buy without any rounding, to about twelve digits.
double estimate(const lmsr_point& from, vote_side side, const wei& funds, const fees& taken) {
  const auto other = side == vote_side::trust ? vote_side::distrust : vote_side::trust;
  const auto liquidity = static_cast<double>(from.on().liquidity);
  const auto spent = static_cast<double>(funds) / static_cast<double>(from.on().base_price) / liquidity
                     / (1 + static_cast<double>(taken.entry_bps + taken.donation_bps) / bps_of_all);
  const auto ahead = static_cast<double>(from.votes(other) - from.votes(side)) / liquidity;
  // ln(1 + (e^spent - 1) / odds), in logarithms because the odds may be e^-133 and e^spent too large.
  const auto gain = spent + std::log(-std::expm1(-spent)) + std::log1p(std::exp(ahead));
  return liquidity * (gain < 40 ? std::log1p(std::exp(gain)) : gain);
}

} // namespace

lmsr_point::lmsr_point(const curve& on, vote_counts votes, const fixed& trust_exp, const fixed& distrust_exp)
  : on_(on), votes_(votes), trust_exp_(trust_exp), distrust_exp_(distrust_exp),
    cost_units_(ln({trust_exp.raw + distrust_exp.raw})->raw * on.liquidity) {} // the sum is 2 at least

std::optional<lmsr_point> lmsr_point::at(const curve& on, vote_counts votes) {
  if (on.liquidity < 1 || on.liquidity > liquidity_max || on.base_price == 0 || on.base_price > base_price_max)
    return std::nullopt;
  const auto trust_exp = exponential(votes.trust, on.liquidity);
  const auto distrust_exp = exponential(votes.distrust, on.liquidity);
  if (!trust_exp || !distrust_exp)
    return std::nullopt;
  return lmsr_point{on, votes, *trust_exp, *distrust_exp};
}

std::optional<lmsr_point> lmsr_point::moved(vote_side side, std::int64_t votes) const {
  auto now = votes_;
  auto& moving = side == vote_side::trust ? now.trust : now.distrust;
  if (__builtin_add_overflow(moving, votes, &moving))
    return std::nullopt;
  const auto exp = exponential(moving, on_.liquidity);
  if (!exp)
    return std::nullopt;
  return side == vote_side::trust ? lmsr_point{on_, now, *exp, distrust_exp_} : lmsr_point{on_, now, trust_exp_, *exp};
}

wei lmsr_point::trust_price() const {
  return rounded_down(div(trust_exp_, {trust_exp_.raw + distrust_exp_.raw})->raw, on_.base_price);
}

wei lmsr_point::distrust_price() const {
  return rounded_up(div(distrust_exp_, {trust_exp_.raw + distrust_exp_.raw})->raw, on_.base_price);
}

wei cost_between(const lmsr_point& a, const lmsr_point& b, vote_side side) {
  const auto& [less, more] = std::minmax(a.cost_units(), b.cost_units());
  const uint256 units = more - less;
  return side == vote_side::trust ? rounded_down(units, a.on().base_price) : rounded_up(units, a.on().base_price);
}

wei purchase_cost(const lmsr_point& from, const lmsr_point& to, vote_side side) {
  return std::max(cost_between(from, to, side), wei{1});
}

wei fee(const wei& amount, std::int32_t bps) { return amount * bps / bps_of_all; }

wei with_entry_fees(const wei& cost, const fees& taken) {
  return cost + fee(cost, taken.entry_bps) + fee(cost, taken.donation_bps);
}

wei after_exit_fee(const wei& cost, const fees& taken) { return cost - fee(cost, taken.exit_bps); }

std::int64_t affordable(const lmsr_point& from, vote_side side, const wei& funds, const fees& taken,
                        std::int64_t most) {
  const auto room = votes_per_liquidity_max * from.on().liquidity - from.votes(side);
  std::int64_t enough = 0;                                             // the funds buy so many,
  std::int64_t too_many = std::clamp<std::int64_t>(most, 0, room) + 1; // but not so many
  const auto narrow_down = [&](std::int64_t votes) {
    const auto after = from.moved(side, votes);
    const bool fits = after && with_entry_fees(purchase_cost(from, *after, side), taken) <= funds;
    (fits ? enough : too_many) = votes;
  };
  const auto guess =
    static_cast<std::int64_t>(std::min(estimate(from, side, funds, taken), static_cast<double>(too_many)));
  const auto off = 2 + guess / 1'000'000;
  for (const auto near : {guess, guess + 1, guess - 1, guess + off, guess - off})
    if (enough < near && near < too_many)
      narrow_down(near);
  while (too_many - enough > 1)
    narrow_down(enough + (too_many - enough) / 2);
  return enough;
}

} // namespace credence::market
