#pragma once

#include "actors/domain/wei.hpp"

#include <compare>
#include <cstdint>
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

/// The logarithmic market scoring rule (Hanson) as a market's contract counts it, to the last wei.
///
/// With t and d votes, liquidity b and base price P, all in 18 decimals and every step cut off there:
///
///     cost in votes    C(t, d) = b * ln(e^(t/b) + e^(d/b))
///     odds             e^(t/b) / (e^(t/b) + e^(d/b)), and the same of d
///     prices           of trust: odds * P, rounded down; of distrust: odds * P, rounded up
///     cost of a trade  |C(after) - C(before)| * P: of trust rounded down, of distrust rounded up,
///                      whether votes are bought or sold
///     fees             cost * basis points / 10000 each, rounded down; on top of what is bought,
///                      out of what is sold
///
/// So much follows, and is tested:
/// - Both prices together are P, or P less P / 10^18 (rounded up or down) where both odds were cut off: with
///   a base price up to one ether at most 1 wei less.
/// - C never falls when votes are added. Before rounding, costs do not depend on the way taken; a trade
///   is rounded by less than one wei. Whoever buys and sells the same votes in one trade each gets
///   exactly the cost back; by k more trades on the way at most k wei change hands through rounding.
/// - Where b * P is a multiple of 10^18 (whole ether), as with usual markets, no cost is rounded at all.
/// - C may not move within 18 decimals where a side's odds are small enough. Such votes bring nothing when
///   they are sold, but whoever buys them pays a wei.

enum class vote_side : std::uint8_t { trust, distrust };

inline constexpr std::int64_t liquidity_max = 1'000'000'000;
inline constexpr wei base_price_max = wei{1'000'000} * fixed_unit; // a million ether
/// Votes a side, as multiples of the liquidity: what the exponential function takes.
inline constexpr std::int64_t votes_per_liquidity_max = 133;

struct curve {
  std::int64_t liquidity = 0; // b, in votes: the more, the less a vote moves the price
  wei base_price;             // P: both prices together

  friend bool operator==(const curve&, const curve&) = default;
};

/// A market starts with one vote a side, which nobody owns.
struct vote_counts {
  std::int64_t trust = 1;
  std::int64_t distrust = 1;

  friend bool operator==(const vote_counts&, const vote_counts&) = default;
};

/// A state of a market, with all that follows from its votes.
class lmsr_point {
public:
  /// Nothing outside the safe range: liquidity 1 to 10^9, base price 1 wei to 10^24 wei, and votes of
  /// each side from 0 to 133 times the liquidity.
  static std::optional<lmsr_point> at(const curve& on, vote_counts votes);
  /// The state after `votes` more on one side (fewer, when negative); nothing outside the safe range.
  /// Cheaper than `at`, as the other side's exponential stays.
  std::optional<lmsr_point> moved(vote_side side, std::int64_t votes) const;

  const curve& on() const noexcept { return on_; }
  const vote_counts& votes() const noexcept { return votes_; }
  std::int64_t votes(vote_side side) const noexcept {
    return side == vote_side::trust ? votes_.trust : votes_.distrust;
  }

  wei trust_price() const;
  wei distrust_price() const;
  /// C in votes, times 10^18: an exact whole number, below 2^98.
  const uint256& cost_units() const noexcept { return cost_units_; }

private:
  lmsr_point(const curve& on, vote_counts votes, const fixed& trust_exp, const fixed& distrust_exp);

  curve on_;
  vote_counts votes_;
  fixed trust_exp_;
  fixed distrust_exp_;
  uint256 cost_units_;
};

/// What votes of `side` cost between two states of one curve, in either direction and before fees.
wei cost_between(const lmsr_point& a, const lmsr_point& b, vote_side side);

/// What a buyer pays for them before fees: at least a wei, as nobody gets votes for nothing.
wei purchase_cost(const lmsr_point& from, const lmsr_point& to, vote_side side);

/// In basis points, 0 to 10000: of what is bought for the protocol and for the market's owner, of
/// what is sold for the protocol.
struct fees {
  std::int32_t entry_bps = 0;
  std::int32_t donation_bps = 0;
  std::int32_t exit_bps = 0;

  friend bool operator==(const fees&, const fees&) = default;
};

/// amount * bps / 10000, rounded down.
wei fee(const wei& amount, std::int32_t bps);
/// What a buyer pays for votes of that cost.
wei with_entry_fees(const wei& cost, const fees& taken);
/// What a seller gets for votes of that cost.
wei after_exit_fee(const wei& cost, const fees& taken);

/// How many votes of `side` can be bought for `funds`, fees included: `most` at most and as many as
/// the safe range has room for. 0 when not even one.
std::int64_t affordable(const lmsr_point& from, vote_side side, const wei& funds, const fees& taken, std::int64_t most);

} // namespace credence::market
