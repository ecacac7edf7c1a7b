#include "actors/listing/board_state.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credence::listing {
namespace {

constexpr std::chrono::sys_days today = std::chrono::year{2026} / 3 / 10;
constexpr period_id now{7};

class BoardState : public testing::Test {
protected:
  static stored_listing listed(int number, bool archived = false) {
    auto core = std::make_shared<listing_core>();
    core->id = project_id{number};
    core->userkey = "service:x.com:" + std::to_string(number);
    core->archived = archived;
    core->show_archived = archived;
    auto user = std::make_shared<people::user>();
    user->id = user_id{100 + number};
    user->username = "Name" + std::to_string(number);
    core->user = std::move(user);
    return {std::move(core), {}, 0, 0, {}, {}};
  }
  void report(int number, entity_seq through, project::vote_weights weight, std::chrono::sys_days day = today,
              period_id in = now) {
    board.report({project_id{number}, through, {{in, day, 0, 0, weight}}, {{in, weight}}});
  }
  static std::vector<int> ids(const std::vector<core_ptr>& cores) {
    std::vector<int> out;
    for (const auto& each : cores)
      out.push_back(each->id.value);
    return out;
  }
  std::vector<int> order(get_listings query = {}) { return ids(board.rank(query, now, today).active); }

  board_state board;
};

using list = std::vector<int>;

TEST_F(BoardState, WhatIsStoredIsAddedToAReportThatCameBeforeIt) {
  report(2, 10, {2, 0});
  auto stored = listed(2);
  stored.tallied_through = 8; // the report has two votes more, and nothing of the period before
  stored.days = {{period_id{6}, today - std::chrono::days{30}, 0, 0, {4, 4}}, {now, today, 0, 0, {1, 0}}};
  stored.periods = {{period_id{6}, {4, 4}}, {now, {1, 0}}};
  board.take(listed(1));
  board.take(stored);
  const auto before = board.rank({}, period_id{6}, today);
  EXPECT_EQ(ids(before.active), (list{2, 1})) << "in the period before";
  ASSERT_EQ(before.movers.size(), 1u);
  EXPECT_DOUBLE_EQ(before.movers[0].percentage_point_change, 10.0) << "from four of eight to six of ten";
  stored.last_vote = 10;
  EXPECT_FALSE(board.behind(stored));
}

TEST_F(BoardState, RanksByLeadThenByWeightThenById) {
  for (int i = 1; i <= 5; ++i)
    board.take(listed(i));
  EXPECT_EQ(order(), (list{1, 2, 3, 4, 5}));
  report(4, 1, {5, 2});
  report(3, 1, {3, 0});
  report(1, 1, {0, 1});
  EXPECT_EQ(order(), (list{4, 3, 2, 5, 1}));
  report(3, 2, {4, 0});
  EXPECT_EQ(order(), (list{3, 4, 2, 5, 1}));
  report(3, 1, {9, 9});
  EXPECT_EQ(order(), (list{3, 4, 2, 5, 1})) << "what is older changes nothing";
  get_listings second;
  second.slice = {2, 1};
  EXPECT_EQ(order(second), (list{4, 2}));
  EXPECT_EQ(board.rank(second, now, today).total, 5);
  EXPECT_EQ(ids(board.rank({}, period_id{6}, today).active), (list{1, 2, 3, 4, 5})) << "another period";
}

TEST_F(BoardState, KeepsItsOrdersWhateverChanges) {
  std::mt19937 dice{7};
  std::map<int, stored_listing> stored;
  std::map<int, project::vote_weights> weights;
  for (int i = 1; i <= 40; ++i)
    board.take(stored[i] = listed(i));
  for (int round = 1; round <= 500; ++round) {
    const int which = 1 + static_cast<int>(dice() % 40);
    if (dice() % 5 == 0)
      board.take(stored[which] = listed(which, dice() % 3 == 0));
    else
      report(which, round, weights[which] = {static_cast<int>(dice() % 50), static_cast<int>(dice() % 50)});
    if (round % 10)
      continue;
    board_state afresh;
    for (const auto& [id, each] : stored)
      afresh.take(each);
    for (const auto& [id, weight] : weights)
      afresh.report({project_id{id}, 1, {{now, today, 0, 0, weight}}, {{now, weight}}});
    get_listings query;
    query.slice = {100, 0};
    const auto kept = board.rank(query, now, today);
    const auto wanted = afresh.rank(query, now, today);
    EXPECT_EQ(ids(kept.active), ids(wanted.active)) << round;
    EXPECT_EQ(ids(kept.archived), ids(wanted.archived)) << round;
    ASSERT_EQ(kept.movers.size(), wanted.movers.size()) << round;
    for (std::size_t i = 0; i < kept.movers.size(); ++i)
      EXPECT_EQ(kept.movers[i].core->id, wanted.movers[i].core->id) << round;
  }
}

TEST_F(BoardState, APageDoesNotLookAtAllListings) {
  for (int i = 1; i <= 1000; ++i)
    board.take(listed(i));
  order();
  const auto before = board.looked_at();
  for (int i = 1; i <= 100; ++i) {
    report(i, i, {i, 0});
    EXPECT_EQ(order().front(), i);
  }
  EXPECT_EQ(board.looked_at(), before);
  order();
  board.rank({}, now, today + std::chrono::days{1});
  EXPECT_GT(board.looked_at(), before) << "another day is another window";
}

TEST_F(BoardState, MoversLookBackAsFarAsAskedFor) {
  auto old = listed(1);
  old.tallied_through = 10;
  old.last_vote = 11;
  old.days = {{now, today - std::chrono::days{3}, 0, 0, {0, 10}}};
  old.periods = {{period_id{1}, {30, 0}}, {now, {0, 10}}};
  board.take(old);
  EXPECT_TRUE(board.behind(old)) << "a vote is not tallied";
  get_listings query;
  EXPECT_TRUE(board.rank(query, now, today).movers.empty()) << "nothing happened today";
  query.top_movers_days = 5;
  ASSERT_EQ(board.rank(query, now, today).movers.size(), 1u);
  EXPECT_DOUBLE_EQ(board.rank(query, now, today).movers[0].percentage_point_change, -25.0);
  board.report({project_id{1}, 11, {{now, today, 0, 0, {0, 20}}}, {{now, {0, 30}}}});
  EXPECT_FALSE(board.behind(old));
  EXPECT_DOUBLE_EQ(board.rank({}, now, today).movers[0].percentage_point_change, -25.0) << "75 % before, 50 % now";
}

TEST_F(BoardState, WhatIsReportedBeforeItIsReadCounts) {
  report(2, 4, {3, 0});
  EXPECT_EQ(order(), list{});
  board.take(listed(1));
  board.take(listed(2));
  EXPECT_EQ(order(), (list{2, 1}));
}

TEST_F(BoardState, FindsListingsOfSomebody) {
  board.take(listed(1));
  board.take(listed(2));
  get_listings query;
  query.owner = listing_owner{"profileId:9", user_id{102}};
  EXPECT_EQ(order(query), list{2}) << "by whom the key leads to";
  EXPECT_TRUE(board.rank(query, now, today).of_somebody);
  query.owner = listing_owner{"service:x.com:1", {}};
  EXPECT_EQ(order(query), list{1}) << "by the listing's own key";
  query.owner = listing_owner{"profileId:9", user_id{9}};
  EXPECT_EQ(order(query), (list{1, 2})) << "somebody without a listing looks at all";
  EXPECT_FALSE(board.rank(query, now, today).of_somebody);
  query.owner = listing_owner{"profileId:9", {}};
  EXPECT_EQ(order(query), list{}) << "nobody";
  EXPECT_EQ(board.find("NAME2")->id, project_id{2});
}

TEST_F(BoardState, OneThatWasTakenBackIsNotFound) {
  auto taken_back = listed(1, true);
  auto core = std::make_shared<listing_core>(*taken_back.core);
  core->show_archived = false;
  core->user = nullptr;
  taken_back.core = std::move(core);
  board.take(listed(1));
  board.take(listed(2));
  board.take(taken_back);
  EXPECT_EQ(board.find(project_id{1}), nullptr);
  EXPECT_EQ(board.find("name1"), nullptr);
  EXPECT_EQ(order(), list{2});
  EXPECT_EQ(board.select(true, {10, 0}, now).total, 0);
  get_listings query;
  query.owner = listing_owner{"service:x.com:1", user_id{101}};
  EXPECT_FALSE(board.rank(query, now, today).of_somebody) << "whoever it was of has none";
  board.take(taken_back);
  board.take(listed(1));
  EXPECT_EQ(board.find("name1")->id, project_id{1}) << "an event brought it again";
  EXPECT_EQ(order(), (list{1, 2}));
}

} // namespace
} // namespace credence::listing
