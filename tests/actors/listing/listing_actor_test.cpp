#include "actors/listing/listing_actor.hpp"
#include "actors/project/figures.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::listing {
namespace {

class ListingActorTest : public testing::Test, protected test::deterministic_world {
protected:
  void vote(int voter, int project, project::sentiment side = project::sentiment::bullish) {
    const auto pending = cast(voter, project, side);
    while (!holds_alternative<project::vote_cast>(storage->written.front().change))
      storage->written.pop_front();
    resolve(write_result::stored);
    ASSERT_TRUE(yes(pending));
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
  open();
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
  open();
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
  open();
  const auto pending = put(others.listings, get_listings{});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->total, 2);
  EXPECT_TRUE(yes(pending)->archived_projects.empty()) << "only with showArchived";
}

TEST_F(ListingActorTest, FindsAListingByUsernameWhateverTheCase) {
  open();
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
  open();
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
    resolve(write_result::stored);
    ASSERT_TRUE(yes(pending));
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
  open();
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
  open();
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  test::test_now += project::figures::shown_for;
  ASSERT_TRUE(yes(put(others.listings, get_listings{})));
  for (const int project : {1, 2, 3})
    EXPECT_EQ(projects.figures().read(project)->made, test::test_now) << "project " << project;
}

/// The vote was stored, but its project was lost before it heard of that.
TEST_F(ListingActorTest, AProjectThatIsLostShowsWhatIsStored) {
  open();
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
  open();
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

} // namespace
} // namespace credence::listing
