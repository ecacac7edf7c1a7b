#include "actors/listing/board_state.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/project/figures.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credence::listing {
namespace {

struct ListingActorTest : testing::Test, protected test::deterministic_world {
  void vote(int voter, int project, project::sentiment side = project::sentiment::bullish) {
    const auto pending = cast(voter, project, side);
    while (!holds_alternative<project::vote_cast>(storage->written.front().change))
      storage->written.pop_front();
    ASSERT_TRUE(yes(after(write_result::stored, pending)));
    advance(std::chrono::seconds{1});
  }

  static project::project_summary row_of(const listings_page& page, int project) {
    for (const auto& each : page.projects)
      if (each.core->id == project_id{project})
        return *each.votes;
    ADD_FAILURE() << "project " << project << " is not on the page";
    return {};
  }
};

TEST_F(ListingActorTest, RanksByVotesOfThePeriodAndShowsThem) {
  vote(8, 2);
  vote(9, 2);
  vote(8, 3, project::sentiment::bearish);
  const auto pending = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(pending));
  const auto& page = *yes(pending);
  EXPECT_EQ(page.total, 3);
  ASSERT_EQ(page.projects.size(), 3u);
  EXPECT_EQ(page.projects[0].core->id, project_id{2});
  EXPECT_EQ(page.projects[0].votes->in_period.bullish.total, 2);
  EXPECT_EQ(page.projects[1].core->id, project_id{1});
  EXPECT_EQ(page.projects[2].votes->in_period.bearish.unique_voters, 1);
  ASSERT_EQ(page.top_movers.size(), 2u);
  EXPECT_DOUBLE_EQ(page.top_movers[1].percentage_point_change, -50.0);
}

TEST_F(ListingActorTest, PagesThatWaitForTheirTurnAreAllAnswered) {
  vote(8, 2);
  std::vector<ask<get_listings>> questions;
  for (int i = 0; i < 300; ++i) { // more than are gathered at a time
    questions.emplace_back(get_listings{}, sink, steady_clock::now() + std::chrono::seconds{100});
    send(others.listings.to(), questions.back());
  }
  run();
  for (const auto& each : questions) {
    ASSERT_TRUE(yes(each));
    EXPECT_EQ(yes(each)->projects.front().core->id, project_id{2});
  }
}

TEST_F(ListingActorTest, KeepsArchivedProjectsApart) {
  storage->projects[project_id{1}].archived = true;
  const auto pending = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->total, 2);
  EXPECT_TRUE(yes(pending)->archived_projects.empty()) << "only with showArchived";
}

TEST_F(ListingActorTest, FindsAListingByUsernameWhateverTheCase) {
  const auto pending = put(others.listings, get_listing{"PROJECT2", {}, 3});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->core->id, project_id{2});
  EXPECT_EQ(no(put(others.listings, get_listing{"nobody", {}, 3})), refusal_code::not_found);
}

TEST_F(ListingActorTest, ShowsOneProjectByItsIdAndAPageOfAStatus) {
  storage->projects[project_id{1}].archived = true;
  open();
  get_listing one;
  one.project = project_id{1};
  const auto pending = put(others.listings, one);
  ASSERT_TRUE(yes(pending));
  EXPECT_TRUE(yes(pending)->core->archived) << "also one that is archived";
  one.project = project_id{99};
  EXPECT_EQ(no(put(others.listings, one)), refusal_code::project_not_found);
  const auto page = put(others.listings, get_projects{false, {1, 1}});
  ASSERT_TRUE(yes(page));
  EXPECT_EQ(yes(page)->total, 2);
  ASSERT_EQ(yes(page)->projects.size(), 1u);
  EXPECT_EQ(yes(page)->projects[0].core->id, project_id{3});
  const auto archived = put(others.listings, get_projects{true, {}});
  EXPECT_EQ(yes(archived)->total, 0) << "only those that are shown";
}

/// Whoever is told of a change may ask for it, and vote, at once.
TEST_F(ListingActorTest, LooksAgainBeforeItAnswersWhoeverToldOfAChange) {
  using status = project_index::status;
  open();
  ASSERT_EQ(projects.status_of(project_id{2}), status::active);
  auto& stored = storage->listings.listings[1];
  auto core = std::make_shared<listing_core>(*stored.core);
  core->archived = true;
  core->description = "gone";
  stored.core = core;
  EXPECT_TRUE(yes(put(others.listings, invalidate{{project_id{2}}})));
  EXPECT_EQ(projects.status_of(project_id{2}), status::archived);
  EXPECT_EQ(no(cast(8, 2)), refusal_code::project_archived);
  get_listing one;
  one.project = project_id{2};
  EXPECT_EQ(yes(put(others.listings, one))->core->description, "gone");
}

TEST_F(ListingActorTest, AProjectTakesVotesOnceItsBlockIsSettled) {
  const project_id id{2};
  storage->projects[id].unsettled = 900;
  open();
  EXPECT_EQ(projects.status_of(id), listing::project_index::status::unsettled);
  EXPECT_EQ(no(cast(8, id.value)), refusal_code::not_yet_settled);
  storage->projects[id].unsettled.reset();
  storage->listings.listings[1].unsettled.reset();
  send(others.listings.to(), invalidate{{}, 900});
  run();
  EXPECT_EQ(projects.status_of(id), listing::project_index::status::active);
  vote(8, id.value);
  EXPECT_TRUE(yes(put(others.listings, invalidate{{}, 1000}))) << "nobody waits, so it is told at once";
}

TEST_F(ListingActorTest, ProjectsWhoseTalliesLagReportThemselvesAtStart) {
  auto& stored = storage->projects[project_id{3}];
  stored.votes.push_back({profile_id{1}, period_id{2}, project::sentiment::bullish, -1, test::test_now, 3});
  advance(std::chrono::seconds{1});
  const auto pending = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->projects[0].core->id, project_id{3});
}

/// A page is put together from what projects publish; whoever voted sees the vote on the next page.
TEST_F(ListingActorTest, APageShowsEveryVoteThatWasAcknowledged) {
  open();
  for (int voter = 1; voter <= 9; ++voter) {
    ASSERT_TRUE(yes(put(others.listings, get_listings{})));
    ASSERT_TRUE(projects.figures().read(2)) << "project 2 needs not be asked for the next page";
    const auto pending = cast(voter, 2, voter % 3 == 0 ? project::sentiment::bearish : project::sentiment::bullish);
    const auto meanwhile = put(others.listings, get_listings{});
    ASSERT_TRUE(yes(meanwhile)) << "a page waits for no vote";
    EXPECT_EQ(row_of(*yes(meanwhile), 2).lifetime.total, voter - 1) << "what is not stored is not shown";
    while (!holds_alternative<project::vote_cast>(storage->written.front().change))
      storage->written.pop_front();
    ASSERT_TRUE(yes(after(write_result::stored, pending)));
    const auto after = put(others.listings, get_listings{});
    ASSERT_TRUE(yes(after));
    const auto votes = row_of(*yes(after), 2);
    EXPECT_EQ(votes.lifetime.total, voter);
    EXPECT_EQ(votes.in_period.unique_voters, voter);
    EXPECT_EQ(votes.in_period.bearish.total, voter / 3);
    const auto by_project = put(others.projects, project::get_summary{project_id{2}, {}, 3, 0, {}});
    EXPECT_EQ(votes.in_period.bullish.top_voters, yes(by_project)->in_period.bullish.top_voters);
  }
}

/// A hundred projects that rank their voters anew at once hold up the votes of all.
TEST_F(ListingActorTest, FiguresThatAreDueAreShownAndRenewedOneAfterTheOther) {
  vote(8, 2);
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  test::test_now += std::chrono::seconds{6};
  const auto renewed = [&] {
    int count = 0;
    for (const int project : {1, 2, 3})
      count += projects.figures().read(project)->made == test::test_now;
    return count;
  };
  const auto page = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(page));
  EXPECT_EQ(row_of(*yes(page), 2).lifetime.total, 1);
  EXPECT_EQ(renewed(), 1) << "the others wait until votes have had their time";
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  EXPECT_EQ(renewed(), 1) << "whoever asks meanwhile hurries nothing";
  for (int turn = 2; turn <= 3; ++turn) {
    advance(std::chrono::milliseconds{20});
    EXPECT_EQ(renewed(), turn);
  }
}

TEST_F(ListingActorTest, FiguresThatNobodyRenewedForLongAreAskedFor) {
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  test::test_now += project::figures::shown_for;
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  for (const int project : {1, 2, 3})
    EXPECT_EQ(projects.figures().read(project)->made, test::test_now) << "project " << project;
}

/// The vote was stored, but its project was lost before it heard of that.
TEST_F(ListingActorTest, AProjectThatIsLostShowsWhatIsStored) {
  vote(8, 2);
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  const auto pending = cast(9, 2);
  const auto request = storage->written.back();
  ASSERT_TRUE(holds_alternative<project::vote_cast>(request.change));
  kill_sender(request);
  run();
  EXPECT_FALSE(projects.figures().read(2)) << "what it published went with it";
  auto& stored = storage->projects[project_id{2}];
  stored.votes = {{profile_id{8}, period_id{2}, project::sentiment::bullish, -1, test::test_now, 3},
                  {profile_id{9}, period_id{2}, project::sentiment::bullish, -1, test::test_now, 3}};
  advance(std::chrono::seconds{2});
  const auto after = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(after));
  EXPECT_EQ(row_of(*yes(after), 2).lifetime.total, 2);
}

/// Profiles 1 to 3 have less than 1400 points: their votes are counted, and move nothing.
TEST_F(ListingActorTest, VotesWithoutWeightMoveNothing) {
  vote(4, 1);
  for (int stranger = 1; stranger <= 3; ++stranger) {
    vote(stranger, 2);
    vote(stranger, 1, project::sentiment::bearish);
  }
  get_listings question;
  question.delta_days = {1};
  const auto pending = put(others.listings, question);
  ASSERT_TRUE(yes(pending));
  const auto& page = *yes(pending);
  EXPECT_EQ(page.projects[0].core->id, project_id{1});
  EXPECT_EQ(page.projects[0].votes->in_period.bearish.total, 3) << "counts are counts";
  EXPECT_EQ(page.projects[1].votes->in_period.bullish.total, 3);
  EXPECT_DOUBLE_EQ(page.projects[0].votes->deltas[0].second, 50.0);
  EXPECT_DOUBLE_EQ(page.projects[1].votes->deltas[0].second, 0.0);
  ASSERT_EQ(page.top_movers.size(), 1u);
  EXPECT_EQ(page.top_movers[0].core->id, project_id{1});
  EXPECT_DOUBLE_EQ(page.top_movers[0].percentage_point_change, 50.0);
}

constexpr std::chrono::sys_days today = std::chrono::year{2026} / 3 / 10;
constexpr period_id now{7};

struct BoardState : testing::Test {
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
