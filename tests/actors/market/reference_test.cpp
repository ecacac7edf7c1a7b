#include "actors/market/lmsr.hpp"
#include "tests/build_paths.hpp"
#include "tests/process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

namespace credence::market {
namespace {

constexpr int trades = 100'000;

using words = std::vector<std::string>;

uint256 number(const std::string& word) {
  const auto out = parse_wei(word);
  if (!out)
    throw std::runtime_error("not a number below 2^256: '" + word + "'");
  return *out;
}
std::int64_t votes(const std::string& word) { return static_cast<std::int64_t>(number(word)); }
words shown(const std::optional<fixed>& result) { return {result ? decimal(result->raw) : "-"}; }

/// One function of the contract: how many arguments it takes, and what ours gives for them.
struct counterpart {
  std::size_t arguments;
  words (*ours)(const words& arguments);
};

words trade(const words& in) {
  const auto side = in[4] == "1" ? vote_side::trust : vote_side::distrust;
  const auto before = lmsr_point::at({votes(in[0]), number(in[1])}, {votes(in[2]), votes(in[3])});
  const auto after = before ? before->moved(side, votes(in[5]) - before->votes(side)) : std::nullopt;
  if (!after)
    return {"-"};
  return {decimal(before->trust_price()), decimal(before->distrust_price()), decimal(before->cost_units()),
          decimal(after->cost_units()), decimal(cost_between(*before, *after, side))};
}

const std::map<std::string, counterpart> counterparts{
  {"exp2", {1, [](const words& in) { return shown(exp2({number(in[0])})); }}},
  {"exp", {1, [](const words& in) { return shown(exp({number(in[0])})); }}},
  {"log2", {1, [](const words& in) { return shown(log2({number(in[0])})); }}},
  {"ln", {1, [](const words& in) { return shown(ln({number(in[0])})); }}},
  {"mul", {2, [](const words& in) { return shown(mul({number(in[0])}, {number(in[1])})); }}},
  {"div", {2, [](const words& in) { return shown(div({number(in[0])}, {number(in[1])})); }}},
  {"trade", {6, trade}},
};

TEST(MarketReference, EveryDigitIsThatOfAContract) {
  ASSERT_EQ(test::run_program({"node", "--version"}).code, 0) << "node is not installed; ops/test does that";
  const char* const given = std::getenv("MARKET_SEED");
  const auto seed = given ? given : std::to_string(std::random_device{}());
  const auto ran =
    test::run_program({"node", test::built::source + "/tests/market/vectors.mjs", seed, std::to_string(trades)});
  ASSERT_EQ(ran.code, 0) << ran.err << "\nIn tests/market: npm ci --ignore-scripts";
  std::istringstream lines{ran.out};
  std::string line;
  std::map<std::string, std::pair<int, int>> seen; // with results, and refused
  int wrong = 0;
  while (wrong < 5 && std::getline(lines, line)) {
    std::istringstream in{line};
    std::string name;
    in >> name;
    words arguments, expected;
    for (std::string word; in >> word;)
      (arguments.size() < counterparts.at(name).arguments ? arguments : expected).push_back(word);
    const auto ours = counterparts.at(name).ours(arguments);
    ++(ours == words{"-"} ? seen[name].second : seen[name].first);
    wrong += ours != expected;
    EXPECT_EQ(ours, expected) << line << "\nAgain by MARKET_SEED=" << seed;
  }
  for (const auto& [name, each] : counterparts) {
    EXPECT_GE(seen[name].first, name == "trade" ? trades / 2 : 1000) << name;
    EXPECT_GT(seen[name].second, 0) << name;
  }
}

} // namespace
} // namespace credence::market
