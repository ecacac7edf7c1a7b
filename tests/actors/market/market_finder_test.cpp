#include "actors/market/market_finder.hpp"
#include "config/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace credence::market {
namespace {

/// When the market was made: the one with the higher id later.
timestamp made(int id) { return timestamp{std::chrono::hours{1000 + id}}; }
named_market one(int id, std::vector<std::string> names, std::string about = {}, int volume = 0) {
  return {market_id{id}, made(id), wei{volume}, std::move(names), std::move(about)};
}

class MarketFinder : public testing::Test {
protected:
  std::vector<int> find(std::string_view text, page slice = {50, 0}) { return ids(look(text, slice)); }
  market_finder::found look(std::string_view text, page slice) {
    finder.look_for(text, slice);
    while (!finder.work(3)) {
    }
    return finder.take();
  }
  std::vector<int> newest(page slice = {50, 0}) { return ids(finder.newest(slice)); }
  static std::vector<int> ids(const market_finder::found& found) {
    std::vector<int> out;
    for (const auto each : found.markets)
      out.push_back(each.value);
    return out;
  }
  using those = std::vector<int>;

  market_finder finder;
};

TEST_F(MarketFinder, RanksTheVeryNameFirstThenBeginningsThenPartsThenOtherText) {
  finder.put(one(1, {"about_it", "Someone"}, "likes ann and others", 900));
  finder.put(one(2, {"joanna", "Jo"}, "", 10));
  finder.put(one(3, {"anna", "Anna B"}, "", 10));
  finder.put(one(4, {"other", "Ann"}, "", 10));
  finder.put(one(5, {"hannah", "H"}, "", 20));
  finder.put(one(6, {"x", "Y", "ann"}, "", 20));
  EXPECT_EQ(find("ANN"), (those{6, 4, 3, 5, 2, 1})) << "each by volume";
  EXPECT_EQ(find("ann", {2, 1}), (those{4, 3}));
  EXPECT_EQ(look("ann", {2, 1}).total, 6);
  EXPECT_EQ(find("ann", {10, 6}), those{});
  EXPECT_EQ(find("anni"), those{});
  EXPECT_EQ(find("Anna B"), those{3});
}

TEST_F(MarketFinder, ListsTheBusiestFirstAsVolumesGrow) {
  for (const int id : {1, 2, 3})
    finder.put(one(id, {"ann"}, {}, id == 2 ? 50 : 10));
  const auto busiest = [&](page slice) { return ids(finder.busiest(slice)); };
  EXPECT_EQ(busiest({50, 0}), (those{2, 1, 3})) << "equal ones in the order of their ids";
  finder.set_volume(market_id{3}, 70);
  finder.set_volume(market_id{3}, 60); // older than that
  finder.set_volume(market_id{4}, 65); // not known yet
  finder.put(one(1, {"bob"}, {}, 55));
  EXPECT_EQ(busiest({50, 0}), (those{3, 1, 2}));
  finder.put(one(4, {"dora"}));
  EXPECT_EQ(busiest({2, 1}), (those{4, 1}));
  EXPECT_EQ(finder.busiest({2, 1}).total, 4);
  EXPECT_EQ(ids(finder.busiest({50, 0}, true)), (those{2, 1, 4, 3})) << "or the other way round, all of them";
  EXPECT_EQ(ids(finder.newest({2, 1}, true)), (those{2, 3}));
}

TEST_F(MarketFinder, LeavesOutWhatWasMadeBefore) {
  for (const int id : {1, 2, 3, 4})
    finder.put(one(id, {"ann"}, "likes tea"));
  EXPECT_EQ(ids(finder.newest({50, 0}, false, made(3))), (those{4, 3}));
  EXPECT_EQ(ids(finder.newest({50, 0}, true, made(2))), (those{2, 3, 4}));
  EXPECT_EQ(ids(finder.newest({1, 1}, true, made(2))), those{3});
  EXPECT_EQ(finder.newest({1, 1}, true, made(2)).total, 3);
  EXPECT_EQ(finder.newest({50, 0}, false, made(5)).total, 0);
  for (const auto* text : {"ann", "tea"}) {
    finder.look_for(text, {50, 0}, made(3));
    while (!finder.work(3)) {
    }
    EXPECT_EQ(ids(finder.take()), (those{3, 4})) << text;
  }
}

TEST_F(MarketFinder, EqualOnesAreInTheOrderOfTheirIds) {
  for (const int id : {3, 1, 2})
    finder.put(one(id, {"ann"}));
  EXPECT_EQ(find("ann"), (those{1, 2, 3}));
}

TEST_F(MarketFinder, ShortTextIsABeginning) {
  finder.put(one(1, {"bo", "Bob"}));
  finder.put(one(2, {"rob", "Rob Bo"}));
  finder.put(one(3, {"it", "She"}, "Both"));
  finder.put(one(4, {"é", "日本"}));
  EXPECT_EQ(find("bo"), (those{1, 3}));
  EXPECT_EQ(find("r"), those{2});
  EXPECT_EQ(find("É"), those{4});
  EXPECT_EQ(find("日"), those{4});
  EXPECT_EQ(find("本"), those{4}) << "one character, but three bytes";
}

TEST_F(MarketFinder, TextThatNobodyCanSeeFindsNothing) {
  finder.put(one(1, {"ann"}));
  EXPECT_EQ(find("\u200b\u200b"), those{});
  EXPECT_EQ(find(""), those{});
}

TEST_F(MarketFinder, NamesDoNotRunIntoEachOther) {
  finder.put(one(1, {"ann", "bee"}));
  for (const auto* text : {"annbee", "ann\nbee", "ann bee", "\nann", "nn\n"})
    EXPECT_EQ(find(text), those{}) << text;
}

TEST_F(MarketFinder, WhoIsRenamedIsFoundByTheNewNameAlone) {
  finder.put(one(1, {"ann"}, "red"));
  finder.put(one(2, {"ann"}, "", 5));
  finder.put(one(1, {"bob"}, "blue"));
  EXPECT_EQ(find("ann"), those{2});
  EXPECT_EQ(find("red"), those{});
  EXPECT_EQ(find("bob"), those{1});
  EXPECT_EQ(find("blue"), those{1});
  EXPECT_EQ(newest(), (those{2, 1}));
}

TEST_F(MarketFinder, VolumesOnlyGrow) {
  finder.put(one(1, {"ann"}, "", 5));
  finder.put(one(2, {"ann"}, "", 6));
  finder.set_volume(market_id{1}, wei{7});
  finder.put(one(1, {"anna"}, "", 6)); // read before that
  finder.set_volume(market_id{1}, wei{4});
  finder.set_volume(market_id{9}, wei{4});
  finder.put(one(2, {"anna"}, "", 6));
  EXPECT_EQ(find("anna"), (those{1, 2}));
  finder.set_volume(market_id{3}, wei{9}); // its name is still being read
  finder.put(one(3, {"anna"}, "", 1));
  EXPECT_EQ(find("anna"), (those{3, 1, 2}));
}

TEST_F(MarketFinder, KeepsNoneOfTheTextsBefore) {
  for (int id = 1; id <= 100; ++id)
    finder.put(one(id, {"ann" + std::to_string(id)}, "", 1));
  for (int step = 0; step < 1000; ++step) {
    finder.put(one(1, {"bob"}, std::to_string(step)));
    finder.set_volume(market_id{1 + step % 100}, wei{2 + step});
    ASSERT_EQ(look("ann", {1, 0}).total, 99) << step;
    ASSERT_EQ(look("bob", {1, 0}).total, 1) << step;
  }
  EXPECT_EQ(find("ann", {2, 0}), (those{100, 99})) << "also volumes that came meanwhile";
  EXPECT_EQ(newest({1, 99}), those{1});
}

TEST_F(MarketFinder, EverythingIsPagedThrough) {
  constexpr int many = 12'000;
  for (int id = 1; id <= many; ++id)
    finder.put(one(id, {"common"}, "rare"));
  EXPECT_EQ(look("common", {1, 0}).total, many);
  EXPECT_EQ(look("rare", {1, 0}).total, many) << "also by other text than names";
  EXPECT_EQ(find("common", {2, many - 2}), (those{many - 1, many})) << "the last page";
  EXPECT_EQ(find("rare", {5, many - 2}), (those{many - 1, many}));
  EXPECT_EQ(find("common", {2, limits::id_max}), those{});
  finder.put(one(many + 1, {"rarest"}));
  EXPECT_EQ(find("rare", {1, 0}), those{many + 1});
}

TEST_F(MarketFinder, IsAFewStepsAtATime) {
  for (int id = 1; id <= 100; ++id)
    finder.put(one(id, {"ann" + std::to_string(id)}, "a b"));
  finder.look_for("nn5", {50, 0});
  EXPECT_TRUE(finder.work(50)) << "few have what is rarest in it";
  EXPECT_EQ(ids(finder.take()).size(), 11u);
  finder.look_for("ann", {50, 0});
  EXPECT_FALSE(finder.work(50));
  while (!finder.work(50)) {
  }
  EXPECT_EQ(finder.take().total, 100);
  finder.look_for("b", {50, 0});
  EXPECT_TRUE(finder.work(5)) << "nobody begins with it, so nobody is looked at";
  EXPECT_EQ(finder.take().total, 0);
}

TEST_F(MarketFinder, NewestComeInTheOrderTheyWereOpened) {
  for (const int id : {5, 2, 9})
    finder.put({market_id{id}, made(100 - id), {}, {"x"}, {}});
  EXPECT_EQ(newest(), (those{2, 5, 9}));
  EXPECT_EQ(newest({1, 1}), those{5});
  EXPECT_EQ(newest({5, 3}), those{});
  EXPECT_EQ(finder.newest({1, 7}).total, 3);
}

/// Against looking through everything, with names of few letters, renamed again and again.
TEST_F(MarketFinder, FindsWhatIsThere) {
  std::mt19937 draw{7}; // NOLINT: the same every time
  const auto word = [&](int most) {
    std::string out;
    for (auto left = std::uniform_int_distribution{1, most}(draw); left > 0; --left)
      out += static_cast<char>('a' + std::uniform_int_distribution{0, 2}(draw));
    return out;
  };
  std::map<int, named_market> all;
  for (int step = 0; step < 3000; ++step) {
    const int id = std::uniform_int_distribution{1, 300}(draw);
    auto next = one(id, {word(6), word(9)}, word(20), std::uniform_int_distribution{0, 9}(draw));
    if (const auto old = all.find(id); old != all.end())
      next.volume = std::max(next.volume, old->second.volume);
    all[id] = next;
    finder.put(next);
    if (step % 10)
      continue;
    const auto text = word(5);
    std::vector<std::tuple<int, int, int>> expected;
    for (const auto& [owner, value] : all) {
      int tier = 4;
      for (const auto& name : value.names)
        tier = std::min(tier, name == text                                              ? 0
                              : name.starts_with(text)                                  ? 1
                              : text.size() > 2 && name.find(text) != std::string::npos ? 2
                                                                                        : 4);
      if (tier == 4 && (text.size() > 2 ? value.about.find(text) != std::string::npos : value.about.starts_with(text)))
        tier = 3;
      if (tier < 4)
        expected.emplace_back(tier, -static_cast<int>(value.volume), owner);
    }
    std::sort(expected.begin(), expected.end());
    those owners;
    for (const auto& each : expected)
      owners.push_back(std::get<2>(each));
    ASSERT_EQ(find(text, {1000, 0}), owners) << text << " after " << step;
  }
}

} // namespace
} // namespace credence::market
