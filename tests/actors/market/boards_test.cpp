#include "actors/market/market_finder.hpp"
#include "config/limits.hpp"
#include "tests/actors/market/read_board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace credence::market {
namespace {

TEST(XpBoard, KeepsTheOrder) {
  xp_board board;
  board.put(profile_id{1}, 10, 1);
  board.take(profile_id{2}, 30, 2);
  board.put(profile_id{3}, 10, 1);
  board.take(profile_id{2}, 5, 3);
  board.put(profile_id{2}, 30, 2); // was read before that
  board.take(profile_id{4}, 0, 5);
  board.put(profile_id{4}, 50, 4);
  const auto top = board.top(2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].who, profile_id{1});
  EXPECT_EQ(top[1].who, profile_id{3});
  board.take(profile_id{1}, 0, 6);
  EXPECT_EQ(board.top(9).size(), 2u);
}

TEST(XpBoard, SaysHowManyAreAhead) {
  xp_board board;
  for (const auto& [who, xp] : {std::pair{1, 10}, {2, 30}, {3, 10}})
    board.take(profile_id{who}, xp, 1);
  EXPECT_EQ(board.rank_of(profile_id{2}).ahead, 0);
  EXPECT_EQ(board.rank_of(profile_id{1}).ahead, 1);
  EXPECT_EQ(board.rank_of(profile_id{3}).ahead, 2) << "as much, and a higher id";
  EXPECT_EQ(board.rank_of(profile_id{4}).ahead, 3) << "has none";
  board.take(profile_id{3}, 40, 2);
  EXPECT_EQ(board.rank_of(profile_id{3}).ahead, 0);
  EXPECT_EQ(board.rank_of(profile_id{1}).ahead, 2);
}

/// Five markets on which twenty profiles trade at random, and what the store would answer about them.
class random_markets {
public:
  explicit random_markets(std::mt19937_64& random) : random_(random) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  void trade() {
    const auto market = static_cast<std::int32_t>(1 + below(5));
    const auto who = static_cast<std::int32_t>(2 + below(20));
    auto& has = shares_.try_emplace({market, who}, vote_counts{0, 0}).first->second;
    auto& held = below(2) ? has.trust : has.distrust;
    traded trade;
    trade.market = market_id{market};
    trade.trader = profile_id{who};
    trade.side = &held == &has.trust ? vote_side::trust : vote_side::distrust;
    const bool sells = held > 0 && below(2);
    trade.way = sells ? direction::sell : direction::buy;
    trade.votes = sells ? held : static_cast<std::int64_t>(1 + below(5));
    trade.cost = below(1000);
    held += sells ? -trade.votes : trade.votes;
    (sells ? traders_[who].second : traders_[who].first) += trade.funds();
    trade.trust_price_after = below(10);
    trade.distrust_price_after = 10 - trade.trust_price_after;
    prices_[market] = {trade.trust_price_after, trade.distrust_price_after};
    trades.push_back(trade);
  }

  /// The part asked for, as it is now.
  stored_boards answer(const load_boards& question) const {
    stored_boards part;
    part.as_of = static_cast<global_seq>(trades.size());
    const auto room = [&](const auto& rows) { return rows.size() < static_cast<std::size_t>(question.most); };
    if (question.part == board_part::prices)
      for (const auto& [market, price] : prices_)
        if (market > question.after_market.value && room(part.prices))
          part.prices.push_back({market_id{market}, price.first, price.second});
    if (question.part == board_part::shares)
      for (const auto& [key, votes] : shares_)
        if (key > std::pair{question.after_market.value, question.after_who.value} && room(part.shares))
          part.shares.push_back({market_id{key.first}, profile_id{key.second}, votes.trust, votes.distrust});
    if (question.part == board_part::traders)
      for (const auto& [who, sums] : traders_)
        if (who > question.after_who.value && room(part.traders))
          part.traders.push_back({profile_id{who}, sums.first, sums.second});
    return part;
  }

  /// Losses and traders, the greatest profit first, worked out at once from all trades.
  std::vector<std::pair<wei_change, std::int32_t>> board() const {
    std::vector<std::pair<wei_change, std::int32_t>> out;
    for (const auto& [who, sums] : traders_) {
      wei_change profit = wei_change{sums.second} - wei_change{sums.first};
      for (const auto& [key, votes] : shares_)
        if (key.second == who) {
          const auto& price = prices_.at(key.first);
          profit += wei_change{wei{price.first * votes.trust + price.second * votes.distrust}};
        }
      out.emplace_back(-profit, who);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  std::vector<traded> trades;

private:
  std::mt19937_64& random_;
  std::map<std::int32_t, std::pair<wei, wei>> prices_{{1, {5, 5}}, {2, {5, 5}}, {3, {5, 5}}, {4, {5, 5}}, {5, {5, 5}}};
  std::map<std::pair<std::int32_t, std::int32_t>, vote_counts> shares_;
  std::map<std::int32_t, std::pair<wei, wei>> traders_; // bought, sold
};

/// A board that reads such markets in small parts while they are traded on, and is told of trades late.
class board_among_trades {
public:
  explicit board_among_trades(std::mt19937_64& random) : markets_(random) {}

  /// Reads everything; then twenty trades more happen, and it is told of all that it was not.
  void read() {
    while (const auto question = board_.next())
      read_part(*question);
    for (int i = 0; i < 20; ++i)
      markets_.trade();
    while (told_ < markets_.trades.size())
      tell();
  }

  void expect_right(int round) {
    board_.begin();
    while (!board_.work(2)) {
    }
    const auto expected = markets_.board();
    ASSERT_EQ(board_.top().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(board_.top()[i].who.value, expected[i].second) << round;
      EXPECT_EQ(board_.top()[i].amount, -expected[i].first);
    }
  }

  void trade_and_tell() {
    markets_.trade();
    tell();
  }

private:
  void read_part(load_boards question) {
    reading_ = true;
    question.most = 3;
    for (auto before = markets_.below(3); before > 0; --before)
      markets_.trade();
    const auto part = markets_.answer(question);
    for (auto meanwhile = markets_.below(4); meanwhile > 0; --meanwhile)
      trade_and_tell();
    board_.add(question, part);
    reading_ = false;
    tell();
  }

  void tell() {
    if (told_ < markets_.trades.size()) {
      board_.take(markets_.trades[told_], static_cast<global_seq>(told_ + 1), reading_);
      ++told_;
    }
  }

  random_markets markets_;
  profit_board board_;
  std::size_t told_ = 0;
  bool reading_ = false;
};

/// Read in small parts while trades happen and are told late, the board is what is worked out at once from all trades.
TEST(ProfitBoard, IsReadInPartsWhileTradesHappen) {
  std::mt19937_64 random{7}; // NOLINT: the same every time
  for (int round = 0; round < 30; ++round) {
    board_among_trades board{random};
    board.read();
    for (int again = 0; again < 2; ++again) {
      board.expect_right(round);
      if (testing::Test::HasFatalFailure())
        return;
      board.trade_and_tell();
    }
  }
}

/// A trade costs those who look at the board the positions of its market, not all there are.
TEST(ProfitBoard, WorksOutOnlyWhatWasTraded) {
  profit_board board;
  constexpr std::int32_t markets = 20, holders = 50;
  while (const auto question = board.next()) {
    stored_boards part;
    for (std::int32_t market = 1; market <= markets; ++market) {
      if (question->part == board_part::prices)
        part.prices.push_back({market_id{market}, 5, 5});
      for (std::int32_t who = 1; question->part == board_part::shares && who <= holders; ++who)
        part.shares.push_back({market_id{market}, profile_id{who}, 1, 0});
    }
    board.add(*question, part);
  }
  board.begin();
  ASSERT_FALSE(board.work(100)) << "no more at once";
  EXPECT_EQ(board.worked(), 100u);
  while (!board.work(100)) {
  }
  EXPECT_GE(board.worked(), static_cast<std::size_t>(markets * holders));
  traded trade;
  trade.market = market_id{3};
  trade.trader = profile_id{1};
  trade.votes = 1;
  board.take(trade, 1, false);
  board.begin();
  while (!board.work(100)) {
  }
  EXPECT_LE(board.worked(), static_cast<std::size_t>(holders + 1 + holders)) << "of one market, and all traders once";
}

/// When the market was made: the one with the higher id later.
timestamp made(int id) { return timestamp{std::chrono::hours{1000 + id}}; }
named_market one(int id, std::vector<std::string> names, std::string about = {}, int volume = 0) {
  return {market_id{id}, made(id), wei{volume}, std::move(names), std::move(about)};
}

struct MarketFinder : testing::Test {
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
