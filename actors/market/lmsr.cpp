#include "actors/market/lmsr.hpp"

#include <algorithm>
#include <cmath>

namespace credence::market {

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
