#include "http/api/markets/markets.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace credence::http {
namespace {

market::market_view one(int id, int volume, int trust_price, int score, int price_change = 0, int cap_change = 0) {
  market::market_view out;
  out.id = market_id{id};
  out.how = {1500, 100};
  out.volume_total = volume;
  out.trust_price = trust_price;
  out.distrust_price = 100 - trust_price;
  out.whose.score = score;
  out.price_change_24h = price_change;
  out.cap_change_percent_24h = cap_change;
  return out;
}

std::vector<int> ranked(std::vector<market::market_view> views, market_order by, bool ascending = false) {
  rank_markets(views, by, ascending);
  std::vector<int> out;
  for (const auto& each : views)
    out.push_back(each.id.value);
  return out;
}

TEST(MarketRanks, GoByTheFigureAndLeaveEqualOnesAsTheyAre) {
  const std::vector<market::market_view> all{one(1, 5, 50, 1200), one(2, 9, 20, 1200), one(3, 5, 80, 2700)};
  using those = std::vector<int>;
  EXPECT_EQ(ranked(all, market_order::volume_total), (those{2, 1, 3}));
  EXPECT_EQ(ranked(all, market_order::volume_total, true), (those{1, 3, 2}));
  EXPECT_EQ(ranked(all, market_order::trust_ratio), (those{3, 1, 2}));
  EXPECT_EQ(ranked(all, market_order::distrust_ratio), (those{2, 1, 3}));
  EXPECT_EQ(ranked(all, market_order::score), (those{3, 1, 2}));
  EXPECT_EQ(ranked(all, market_order::score_differential), (those{2, 3, 1}))
    << "0.43 less 0.2, 0.96 less 0.8, 0.43 less 0.5";
}

TEST(MarketRanks, ThoseThatStandOutAreTheOnlyOnesFeatured) {
  std::map<std::string_view, int> found;
  for (const auto& each :
       featured_of({one(1, 5, 50, 1200, 7), one(2, 9, 60, 1200, -30, 12), one(3, 1, 55, 1300, 9, 3)}).markets)
    found.emplace(each.type, each.market.id.value);
  EXPECT_EQ(found,
            (std::map<std::string_view, int>{{"top-volume", 2}, {"pumping", 3}, {"rugging", 2}, {"uprising", 2}}))
    << "no score is ahead of its price";
  EXPECT_TRUE(featured_of({}).markets.empty());
  EXPECT_EQ(featured_of({one(1, 0, 20, 1400)}).markets.size(), 1u) << "undervalued";
}

std::string told(const dollars& by, const std::optional<wei_change>& amount) {
  std::string out;
  json_writer to{out};
  to.begin_object();
  by.field(to, "usd", amount);
  to.end_object();
  return out.substr(7, out.size() - 8);
}

wei_change ether(std::int64_t whole) { return wei_change{whole} * wei_change{1'000'000'000'000'000'000}; }

TEST(Dollars, AreExactAndCutOffAfterSixDigits) {
  const dollars by{"3210.5"};
  EXPECT_EQ(told(by, ether(1)), "3210.5");
  EXPECT_EQ(told(by, ether(-2)), "-6421");
  EXPECT_EQ(told(by, wei_change{5'609'454'503'247'162}), "18.009153") << "18.009153682675…";
  EXPECT_EQ(told(by, wei_change{-109'454'503'247'162}), "-0.351403") << "towards zero";
  EXPECT_EQ(told(by, wei_change{311'478'000}), "0.000001");
  EXPECT_EQ(told(by, wei_change{311'477'000}), "0") << "less than a millionth";
  EXPECT_EQ(told(by, wei_change{0}), "0");
  EXPECT_EQ(told(by, ether(9'000'000'000'000'000'001)), "28894500000000000003210.5") << "no double in between";
  EXPECT_EQ(by.price(), "3210.5");
}

TEST(Dollars, AreNotToldWithoutAPriceOrAnAmount) {
  EXPECT_EQ(told(dollars{""}, ether(1)), "null");
  EXPECT_EQ(told(dollars{"1"}, std::nullopt), "null");
  EXPECT_EQ(dollars{""}.price(), std::nullopt);
}

} // namespace
} // namespace credence::http
