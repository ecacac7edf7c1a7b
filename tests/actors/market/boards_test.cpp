#include "tests/actors/market/read_board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

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

} // namespace
} // namespace credence::market
