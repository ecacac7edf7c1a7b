#include "actors/market/lmsr.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <random>
#include <vector>

namespace credence::market {

static void PrintTo(const fixed& x, std::ostream* out) { *out << decimal(x.raw); }
namespace {

using enum vote_side;

const wei hundredth_ether = wei{fixed_unit} / 100;

lmsr_point point(std::int64_t liquidity, std::int64_t trust, std::int64_t distrust,
                 const wei& base_price = hundredth_ether) {
  const auto out = lmsr_point::at({liquidity, base_price}, {trust, distrust});
  if (!out)
    throw std::out_of_range("outside the safe range");
  return *out;
}

/// Random states and trades; every size as likely as any other.
class generator {
public:
  explicit generator(std::uint64_t seed) : bits_(seed) {}

  std::int64_t size(std::int64_t most) {
    return static_cast<std::int64_t>(std::exp(real(0, std::log(static_cast<double>(most) + 1))));
  }
  vote_side side() { return bits_() % 2 ? trust : distrust; }
  wei price() { // below a million ether
    const auto number = std::exp(real(0, std::log(1e24)));
    return (wei{static_cast<std::uint64_t>(std::ldexp(number, -32))} << 32)
           + static_cast<std::uint64_t>(std::fmod(number, std::ldexp(1.0, 32)));
  }
  std::uint64_t below(std::uint64_t end) { return bits_() % end; }
  lmsr_point state() {
    const curve on{size(liquidity_max), price() + 1};
    const auto most = votes_per_liquidity_max * on.liquidity;
    return *lmsr_point::at(on, {std::min(size(most), most), std::min(size(most), most)});
  }

private:
  double real(double first, double end) { return std::uniform_real_distribution<>{first, end}(bits_); }
  std::mt19937_64 bits_;
};

TEST(Lmsr, PricesAreThoseOfLiveMarketsToTheLastDigit) {
  const auto normal = point(1500, 1001, 1);
  EXPECT_EQ(decimal(normal.trust_price()), "6607563687658171");
  EXPECT_EQ(decimal(normal.distrust_price()), "3392436312341829");
  const auto insulated = point(5000, 1071, 23);
  EXPECT_EQ(decimal(insulated.trust_price()), "5522090019531452");
  EXPECT_EQ(decimal(insulated.distrust_price()), "4477909980468548");
}

TEST(Lmsr, AMarketStartsAtEvenOdds) {
  const auto start = *lmsr_point::at({1500, hundredth_ether}, {});
  EXPECT_EQ(start.trust_price(), hundredth_ether / 2);
  EXPECT_EQ(start.distrust_price(), hundredth_ether / 2);
}

TEST(Lmsr, BothPricesAreTheBasePriceOrLessByWhatOddsLoseThroughEighteenDigits) {
  generator random{1};
  int less = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto state = random.state();
    const auto& base_price = state.on().base_price;
    const wei missing = base_price - (state.trust_price() + state.distrust_price()); // throws below 0
    if (missing == 0)
      continue;
    ++less;
    EXPECT_TRUE(missing == base_price / fixed_unit || missing == base_price / fixed_unit + 1)
      << missing << " of " << base_price;
  }
  EXPECT_GT(less, 0) << "otherwise the bound is not put to the test";
}

TEST(Lmsr, VotesNeverLowerTheirPriceNorTheCost) {
  generator random{2};
  for (int i = 0; i < 5'000; ++i) {
    const auto before = random.state();
    const auto side = random.side();
    const auto after = before.moved(side, random.size(1000));
    if (!after)
      continue;
    EXPECT_GE(after->cost_units(), before.cost_units());
    const auto price = side == trust ? &lmsr_point::trust_price : &lmsr_point::distrust_price;
    const auto other = side == trust ? &lmsr_point::distrust_price : &lmsr_point::trust_price;
    EXPECT_GE((*after.*price)(), (before.*price)());
    EXPECT_LE((*after.*other)(), (before.*other)());
  }
}

TEST(Lmsr, VotesBoughtAndSoldAgainCostNothing) {
  generator random{3};
  for (int i = 0; i < 5'000; ++i) {
    const auto before = random.state();
    const auto side = random.side();
    const auto votes = random.size(2 * before.on().liquidity);
    const auto bought = before.moved(side, votes);
    if (!bought)
      continue;
    const auto sold = test::there(bought->moved(side, -votes));
    EXPECT_EQ(sold->votes(), before.votes());
    EXPECT_EQ(sold->cost_units(), before.cost_units());
    EXPECT_EQ(cost_between(before, *bought, side), cost_between(*bought, *sold, side));
    EXPECT_EQ(sold->trust_price(), before.trust_price());
  }
}

TEST(Lmsr, TwoHalvesCostWhatTheWholeDoesButForOneWei) {
  generator random{4};
  for (int i = 0; i < 5'000; ++i) {
    const auto before = random.state();
    const auto side = random.side();
    const auto votes = random.size(2 * before.on().liquidity);
    const auto after = before.moved(side, votes);
    if (!after)
      continue;
    const auto middle = *before.moved(side, votes / 2);
    const auto whole = cost_between(before, *after, side);
    const wei halves = cost_between(before, middle, side) + cost_between(middle, *after, side);
    const wei rounding = side == trust ? whole - halves : halves - whole; // throws below 0
    EXPECT_LE(rounding, 1);
  }
}

TEST(Lmsr, NoCostIsRoundedWhereLiquidityTimesBasePriceIsWholeEther) {
  for (const std::int64_t liquidity : {200, 1500, 5000}) {
    const auto start = *lmsr_point::at({liquidity, hundredth_ether}, {});
    for (const auto side : {trust, distrust}) {
      auto now = start;
      wei paid = 0;
      for (int i = 0; i < 500; ++i) {
        const auto after = *now.moved(side, 1);
        paid += cost_between(now, after, side);
        now = after;
      }
      EXPECT_EQ(paid, cost_between(now, start, side)) << liquidity;
    }
  }
}

TEST(Lmsr, VotesOfASideWithHardlyAnyOddsAreWorthNothingAndCostAWei) {
  const auto trusted = point(1500, 60 * 1500, 1), distrusted = point(1500, 1, 60 * 1500);
  EXPECT_EQ(cost_between(distrusted, *distrusted.moved(trust, 1000), trust), 0);
  EXPECT_EQ(cost_between(trusted, *trusted.moved(distrust, 1000), distrust), 0) << "0 is not rounded up";
  EXPECT_EQ(purchase_cost(distrusted, *distrusted.moved(trust, 1000), trust), 1);
  EXPECT_EQ(affordable(distrusted, trust, 0, {100, 100, 100}, 1000), 0) << "nobody has votes for nothing";
  EXPECT_EQ(affordable(distrusted, trust, 10, {100, 100, 100}, 1000), 1000);
}

TEST(Lmsr, AStateReachedByAnyWayIsTheSame) {
  generator random{5};
  for (int i = 0; i < 2'000; ++i) {
    const auto from = random.state();
    const auto goal = random.size(from.on().liquidity), other = random.size(from.on().liquidity);
    const auto one = lmsr_point::at(from.on(), {goal, other});
    const auto two = from.moved(trust, goal - from.votes(trust))->moved(distrust, other - from.votes(distrust));
    EXPECT_EQ(one->cost_units(), two->cost_units());
    EXPECT_EQ(one->trust_price(), two->trust_price());
    EXPECT_EQ(one->distrust_price(), two->distrust_price());
  }
}

TEST(Lmsr, EverybodyCanBePaidOutInAnyOrder) {
  generator random{6};
  for (int market = 0; market < 200; ++market) {
    const auto start = *lmsr_point::at({std::array<std::int64_t, 4>{100, 1500, 5000, 1'000'000}[random.below(4)],
                                        market % 2 ? hundredth_ether : wei{fixed_unit} * 1'000'000},
                                       {});
    auto now = start;
    wei_change reserve = 0;
    int trades = 0;
    const auto trade = [&](vote_side side, std::int64_t votes) {
      const auto after = test::there(now.moved(side, votes));
      const wei_change cost{cost_between(now, *after, side)};
      reserve += votes > 0 ? cost : wei_change{-cost};
      now = *after;
      ++trades;
      // What the market holds is what its votes cost, but for one wei a trade.
      const wei_change owed{cost_between(start, now, trust)};
      ASSERT_LE(abs(wei_change{reserve - owed}), trades + 1) << "after " << trades << " trades";
    };
    std::vector<std::pair<vote_side, std::int64_t>> lots;
    for (int i = 0; i < 250; ++i) {
      if (!lots.empty() && random.below(3) == 0) { // somebody sells what was bought at another time
        std::swap(lots[random.below(lots.size())], lots.back());
        trade(lots.back().first, -lots.back().second);
        lots.pop_back();
      } else {
        lots.emplace_back(random.side(), random.size(start.on().liquidity));
        trade(lots.back().first, lots.back().second);
      }
    }
    while (!lots.empty()) {
      std::swap(lots[random.below(lots.size())], lots.back());
      trade(lots.back().first, -lots.back().second);
      lots.pop_back();
    }
    EXPECT_EQ(now.votes(), start.votes());
    EXPECT_LE(abs(reserve), trades);
  }
}

TEST(Lmsr, NothingIsBeyondTheSafeRange) {
  for (const std::int64_t liquidity : {std::int64_t{1}, std::int64_t{1500}, liquidity_max}) {
    const auto most = votes_per_liquidity_max * liquidity;
    const curve on{liquidity, base_price_max};
    for (const auto votes : {vote_counts{most, most}, vote_counts{most, 0}, vote_counts{0, most}, vote_counts{0, 0}}) {
      const auto edge = test::there(lmsr_point::at(on, votes));
      EXPECT_LE(edge->trust_price() + edge->distrust_price(), base_price_max);
      for (const auto side : {trust, distrust}) {
        EXPECT_FALSE(edge->moved(side, edge->votes(side) == most ? 1 : most + 1));
        EXPECT_FALSE(edge->moved(side, -edge->votes(side) - 1));
        EXPECT_FALSE(edge->moved(side, std::numeric_limits<std::int64_t>::max()));
        EXPECT_FALSE(edge->moved(side, std::numeric_limits<std::int64_t>::min()));
      }
    }
    EXPECT_FALSE(lmsr_point::at(on, {most + 1, 1}));
    EXPECT_FALSE(lmsr_point::at(on, {1, most + 1}));
    EXPECT_FALSE(lmsr_point::at(on, {-1, 1}));
    EXPECT_FALSE(lmsr_point::at(on, {1, std::numeric_limits<std::int64_t>::min()}));
  }
  EXPECT_FALSE(lmsr_point::at({0, hundredth_ether}, {}));
  EXPECT_FALSE(lmsr_point::at({-1500, hundredth_ether}, {}));
  EXPECT_FALSE(lmsr_point::at({liquidity_max + 1, hundredth_ether}, {}));
  EXPECT_FALSE(lmsr_point::at({std::numeric_limits<std::int64_t>::max(), hundredth_ether}, {}));
  EXPECT_FALSE(lmsr_point::at({1500, 0}, {}));
  EXPECT_FALSE(lmsr_point::at({1500, base_price_max + 1}, {}));
}

TEST(Fees, AreCutOffEach) {
  EXPECT_EQ(fee(9'999, 1), 0);
  EXPECT_EQ(fee(10'000, 1), 1);
  EXPECT_EQ(with_entry_fees(10'050, {100, 100, 100}), 10'250) << "100 each, not 201 together";
  EXPECT_EQ(after_exit_fee(10'050, {100, 100, 100}), 9'950);
  EXPECT_EQ(with_entry_fees(10'050, {}), 10'050);
  EXPECT_EQ(after_exit_fee(0, {500, 500, 500}), 0);
}

TEST(Affordable, IsTheLastVoteThatTheFundsPayFor) {
  generator random{7};
  int bounded = 0, paid = 0;
  for (int i = 0; i < 3'000; ++i) {
    const auto from = random.state();
    const auto side = random.side();
    const auto room = votes_per_liquidity_max * from.on().liquidity - from.votes(side);
    const auto most = random.below(4) == 0 ? random.size(room + 1) : std::numeric_limits<std::int64_t>::max();
    const fees taken{static_cast<std::int32_t>(random.below(501)), static_cast<std::int32_t>(random.below(501)), 100};
    const wei funds = from.on().base_price * random.size(3 * from.on().liquidity) / (1 + random.below(3));
    const auto votes = affordable(from, side, funds, taken, most);
    const auto price = [&](std::int64_t n) {
      return n == 0 ? wei{0} : with_entry_fees(purchase_cost(from, *from.moved(side, n), side), taken);
    };
    ASSERT_GE(votes, 0);
    ASSERT_LE(votes, std::min(most, room));
    EXPECT_LE(price(votes), funds);
    ++(votes == std::min(most, room) ? bounded : paid);
    if (votes < std::min(most, room)) {
      EXPECT_GT(price(votes + 1), funds) << votes;
    }
  }
  EXPECT_GT(bounded, 100);
  EXPECT_GT(paid, 1000);
}

TEST(Affordable, OfAnEvenMarket) {
  const auto even = point(1500, 1, 1);
  const fees live{100, 100, 100};
  const wei one = with_entry_fees(cost_between(even, *even.moved(trust, 1), trust), live);
  EXPECT_EQ(affordable(even, trust, one, live, 100), 1);
  EXPECT_EQ(affordable(even, trust, one - 1, live, 100), 0);
  EXPECT_EQ(affordable(even, trust, 0, live, 100), 0);
  EXPECT_EQ(affordable(even, distrust, 0, live, 100), 0);
  EXPECT_EQ(affordable(even, trust, one, live, 0), 0);
  EXPECT_EQ(affordable(even, trust, one, live, -5), 0);
  EXPECT_EQ(affordable(even, trust, std::numeric_limits<wei>::max(), live, 100), 100);
  EXPECT_EQ(affordable(even, trust, std::numeric_limits<wei>::max(), live, std::numeric_limits<std::int64_t>::max()),
            votes_per_liquidity_max * 1500 - 1);
  const auto full = point(1500, votes_per_liquidity_max * 1500, 1);
  EXPECT_EQ(affordable(full, trust, std::numeric_limits<wei>::max(), live, 100), 0);
}

fixed of(const char* raw) { return {*parse_wei(raw)}; }
constexpr auto unit = fixed_unit;
const auto largest = std::numeric_limits<uint256>::max();

// What the reference gives for many more arguments: reference_test.cpp. These need no node.
TEST(FixedPoint, PowersAreThoseOfTheContractLibrary) {
  EXPECT_EQ(exp2({0}), fixed{unit});
  EXPECT_EQ(exp2({10 * unit}), fixed{uint256{1024} * unit});
  EXPECT_EQ(exp2({unit / 2}), fixed{1'414213562373095048});
  EXPECT_EQ(exp({0}), fixed{unit});
  EXPECT_EQ(exp({unit}), fixed{2'718281828459045234}) << "the last digit of e is 5: the contract is one below it";
}

TEST(FixedPoint, LogarithmsAreThoseOfTheContractLibrary) {
  EXPECT_EQ(log2({unit}), fixed{0});
  EXPECT_EQ(log2({8 * unit}), fixed{3 * unit});
  EXPECT_EQ(ln({unit}), fixed{0});
  EXPECT_EQ(ln({2'718281828459045235}), fixed{999999999999999990});
}

TEST(FixedPoint, TakesAllThatTheContractLibraryTakesAndNothingElse) {
  EXPECT_TRUE(exp2(of("191999999999999999999")));
  EXPECT_FALSE(exp2(of("192000000000000000000")));
  EXPECT_FALSE(exp2({largest}));
  EXPECT_TRUE(exp(of("133084258667509499440")));
  EXPECT_FALSE(exp(of("133084258667509499441")));
  EXPECT_FALSE(exp({largest}));
  for (const auto logarithm : {log2, ln}) {
    EXPECT_FALSE(logarithm({0}));
    EXPECT_FALSE(logarithm({unit - 1}));
    EXPECT_TRUE(logarithm({unit}));
    EXPECT_TRUE(logarithm({largest}));
  }
}

TEST(FixedPoint, ProductsAndQuotientsAreCutOffAndNeverWrapAround) {
  EXPECT_EQ(mul({2 * unit}, {3 * unit}), fixed{6 * unit});
  EXPECT_EQ(mul({unit - 1}, {unit - 1}), fixed{unit - 2});
  EXPECT_EQ(mul({largest}, {unit}), fixed{largest});
  EXPECT_FALSE(mul({largest}, {unit + 1}));
  EXPECT_EQ(div({2 * unit}, {3 * unit}), fixed{666666666666666666});
  EXPECT_EQ(div({largest}, {largest}), fixed{unit});
  EXPECT_EQ(div({largest}, {unit}), fixed{largest});
  EXPECT_FALSE(div({largest}, {unit - 1}));
  EXPECT_FALSE(div({unit}, {0}));
}

} // namespace
} // namespace credence::market
