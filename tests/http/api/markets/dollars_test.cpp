#include "http/api/markets/market_json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::http {
namespace {

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
