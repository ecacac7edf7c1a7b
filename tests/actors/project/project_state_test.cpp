#include "tests/actors/project/project_state_fixture.hpp"

#include <algorithm>

namespace credence::project {
namespace {

TEST_F(ProjectStateTest, CountsOneVotePerProfileAndPeriod) {
  auto state = fresh();
  EXPECT_TRUE(vote(state, 1, 1, at_day(2026, 1, 5)));
  EXPECT_FALSE(vote(state, 1, 1, at_day(2026, 1, 6)));
  EXPECT_TRUE(vote(state, 1, 2, at_day(2026, 2, 6), sentiment::bearish));
  const auto page = whole(state.voters(everyone(), periods, now));
  ASSERT_EQ(page.entries.size(), 1u);
  EXPECT_EQ(page.entries[0].bullish, 1);
  EXPECT_EQ(page.entries[0].bearish, 1);
  EXPECT_EQ(page.totals.voters, 1);
  EXPECT_EQ(page.totals.bullish_voters, 1);
  EXPECT_EQ(page.totals.bearish_voters, 1);
  EXPECT_EQ(page.entries[0].first_vote_at, at_day(2026, 1, 5));
  EXPECT_EQ(page.entries[0].last_vote_at, at_day(2026, 2, 6));
}

TEST_F(ProjectStateTest, DoesNotShowPendingVotesAndTakesThemBackWhole) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 5));
  for (int voter : {1, 2}) {
    const auto change = state.decide({project_id{7}, profile_id{voter}, sentiment::bearish, "why"}, period_id{2}, now);
    ASSERT_TRUE(change);
    state.apply(*change);
  }
  EXPECT_EQ(whole(state.voters(everyone(), periods, now)).totals.bearish_votes, 0);
  EXPECT_EQ(whole(state.voters(everyone(scope_kind::current_period), periods, now)).totals.voters, 0);
  state.take_back();
  EXPECT_EQ(state.pending(), 0u);
  EXPECT_TRUE(vote(state, 1, 2, now));
  EXPECT_EQ(whole(state.voters(everyone(), periods, now)).totals.bullish_votes, 2);
}

TEST_F(ProjectStateTest, OrdersByScoreOrLastVoteBothWays) {
  auto state = fresh();
  vote(state, 3, 2, at_day(2026, 2, 2));
  vote(state, 1, 2, at_day(2026, 2, 3));
  vote(state, 2, 2, at_day(2026, 2, 4), sentiment::bearish);
  const auto order = [&](voter_order by, bool descending, std::optional<sentiment> side = {}) {
    auto query = everyone();
    query.order = by;
    query.descending = descending;
    query.side = side;
    std::vector<int> out;
    for (const auto& entry : whole(state.voters(query, periods, now)).entries)
      out.push_back(entry.voter.value);
    return out;
  };
  EXPECT_EQ(order(voter_order::score, true), (std::vector{1, 2, 3}));
  EXPECT_EQ(order(voter_order::score, false), (std::vector{3, 2, 1}));
  EXPECT_EQ(order(voter_order::updated_at, true), (std::vector{2, 1, 3}));
  EXPECT_EQ(order(voter_order::updated_at, false), (std::vector{3, 1, 2}));
  EXPECT_EQ(order(voter_order::score, true, sentiment::bullish), (std::vector{1, 3}));
}

TEST_F(ProjectStateTest, GroupsReasonsAndKeepsVotesWithoutOneUnderNull) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 2), sentiment::bullish, "team ships");
  vote(state, 1, 2, at_day(2026, 2, 2), sentiment::bullish, "team ships");
  vote(state, 2, 2, at_day(2026, 2, 2));
  const auto totals = state.bulk_totals(
    {project_id{7}, {scope_kind::global, {}, {}, {}}, {profile_id{1}, profile_id{2}, profile_id{3}}}, periods, now);
  ASSERT_EQ(totals.size(), 3u);
  ASSERT_EQ(totals[0].bullish_reasons.size(), 1u);
  EXPECT_EQ(totals[0].bullish_reasons[0].reason, "team ships");
  EXPECT_EQ(totals[0].bullish_reasons[0].votes, 2);
  EXPECT_EQ(totals[1].bullish_reasons[0].reason, std::nullopt);
  EXPECT_EQ(totals[2].bullish, 0);
  EXPECT_TRUE(totals[2].bullish_reasons.empty());
}

TEST_F(ProjectStateTest, ChartRefusesTooManyPointsAndNamesABucketThatFits) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 2));
  get_chart query{project_id{7}, {scope_kind::global, {}, {}, {}}, bucket::minute_1};
  const auto refused = chart_of(state, query);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.why().detail.find("'1 hour'"), std::string::npos) << refused.why().detail;
  query.width = bucket::hour_1;
  const auto points = chart_of(state, query);
  ASSERT_TRUE(points);
  EXPECT_LE(points->size(), 2000u);
  EXPECT_EQ(points->front().bucket_start, at_day(2026, 1, 2));
  EXPECT_EQ(points->back().total_bullish, 1);
}

TEST_F(ProjectStateTest, ChartOfAnEmptyProjectIsEmpty) {
  const auto state = fresh();
  EXPECT_TRUE(chart_of(state, {project_id{7}, {scope_kind::global, {}, {}, {}}, {}})->empty());
}

TEST_F(ProjectStateTest, RunningTotalsOfDatesBeginWithWhatCameBefore) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 2));
  vote(state, 2, 1, at_day(2026, 1, 3), sentiment::bearish);
  vote(state, 1, 2, at_day(2026, 2, 2));
  vote(state, 2, 2, at_day(2026, 2, 5));
  get_chart query{project_id{7}, {scope_kind::global_dates, at_day(2026, 2, 4), at_day(2026, 2, 6), {}}, bucket::day_1};
  const auto points = chart_of(state, query);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->front().total_bullish, 2) << "of both periods";
  EXPECT_EQ(points->front().total_bearish, 1);
  EXPECT_EQ(points->front().bullish, 0);
  EXPECT_EQ((*points)[1].total_bullish, 3);
  EXPECT_EQ((*points)[1].bullish, 1);
  query.in.from = query.in.to = at_day(2026, 2, 10);
  EXPECT_EQ(chart_of(state, query)->back().total_bullish, 3) << "also where nobody voted";
  query.in = {scope_kind::current_period, {}, {}, {}};
  EXPECT_EQ(chart_of(state, query)->back().total_bullish, 2) << "a period is its own beginning";
}

TEST_F(ProjectStateTest, BucketsStartOnMondaysAndFirstsOfTheMonth) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 8, 5)); // a Thursday
  get_chart query{project_id{7}, {scope_kind::global, {}, {}, {}}, bucket::week_1};
  EXPECT_EQ(chart_of(state, query)->front().bucket_start, at_day(2026, 1, 5));
  query.width = bucket::month_1;
  const auto months = chart_of(state, query);
  ASSERT_EQ(months->size(), 2u);
  EXPECT_EQ((*months)[0].bucket_start, at_day(2026, 1, 1));
  EXPECT_EQ((*months)[1].bucket_start, at_day(2026, 2, 1));
}

TEST_F(ProjectStateTest, TellsOnlyTheDaysThatChanged) {
  auto state = fresh();
  vote(state, 1, 1, at_day(2026, 1, 5));
  vote(state, 2, 1, at_day(2026, 1, 6));
  vote(state, 1, 2, at_day(2026, 2, 6), sentiment::bearish);
  EXPECT_EQ(state.days_since(0).size(), 3u);
  const auto changed = state.days_since(1);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].day, std::chrono::sys_days{std::chrono::year{2026} / 1 / 6});
  EXPECT_EQ(changed[1].bearish, 1);
  EXPECT_TRUE(state.days_since(3).empty());
  const auto periods_changed = state.periods_since(1);
  ASSERT_EQ(periods_changed.size(), 2u);
  EXPECT_EQ(periods_changed[0].weight, (vote_weights{14, 0})) << "all of the period";
  EXPECT_EQ(periods_changed[1].weight, (vote_weights{0, 7}));
  EXPECT_EQ(state.periods_since(2).size(), 1u);
  EXPECT_TRUE(state.periods_since(3).empty());
}

TEST_F(ProjectStateTest, AClockSetBackDoesNotReorderVotes) {
  auto state = fresh();
  vote(state, 1, 2, at_day(2026, 2, 10, 12));
  const auto later =
    state.decide({project_id{7}, profile_id{2}, sentiment::bullish, {}}, period_id{2}, at_day(2026, 2, 10, 11));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->at, at_day(2026, 2, 10, 12));
}

TEST_F(ProjectStateTest, NamesASummaryOfBestVotersAndShares) {
  auto state = fresh();
  for (int voter = 1; voter <= 5; ++voter)
    vote(state, voter, 2, at_day(2026, 2, 10), voter == 5 ? sentiment::bearish : sentiment::bullish);
  vote(state, 9, 2, at_day(2026, 2, 20), sentiment::bearish);
  const auto summary = whole(state.summary({project_id{7}, {}, 3, 2, {1}}, periods, now));
  EXPECT_EQ(summary.in_period.bullish.total, 4);
  EXPECT_EQ(summary.in_period.bearish.unique_voters, 2);
  EXPECT_EQ(summary.in_period.bullish.top_voters, (std::vector{profile_id{1}, profile_id{2}, profile_id{3}}));
  ASSERT_EQ(summary.sparkline.size(), 2u);
  EXPECT_DOUBLE_EQ(summary.sparkline[0].bullish_percent, 82.35) << "28 of 34, by weight";
  ASSERT_EQ(summary.deltas.size(), 1u);
  EXPECT_DOUBLE_EQ(summary.deltas[0].second, -10.56) << "28 of 39 now";
}

/// What a project publishes after each commit is what it would answer.
TEST_F(ProjectStateTest, ASummaryAtOnceIsTheWholeOne) {
  auto state = fresh();
  EXPECT_FALSE(state.summary_at_once(period_id{2}, 3, now)) << "no ranking is kept yet";
  std::mt19937 random{7};
  std::vector<int> voters;
  entity_seq found = 0;
  for (int number = 0; number < 80; ++number) {
    const auto side = random() % 2 ? sentiment::bullish : sentiment::bearish;
    const auto voter = static_cast<int>(1 + random() % 50);
    if (!vote(state, voter, number < 30 ? 1 : 2, number < 30 ? at_day(2026, 1, 2) : at_day(2026, 2, 2), side))
      continue;
    voters.push_back(voter);
    const auto at_once = state.summary_at_once(period_id{2}, 3, now);
    auto other = fresh(); // which has kept no ranking
    for (entity_seq n = 1; n <= state.through(); ++n) {
      const auto cast = state.vote(n);
      ASSERT_TRUE(vote(other, voters[static_cast<std::size_t>(n) - 1], cast.in.value,
                       at_day(2026, cast.in == period_id{1} ? 1u : 2u, 2), cast.side));
    }
    const auto all = whole(other.summary({project_id{7}, period_id{2}, 3, 0, {}}, periods, now));
    found += at_once.has_value();
    EXPECT_EQ(at_once ? shown(*at_once) : shown(all), shown(all)) << "after " << state.through() << " votes";
    whole(state.summary({project_id{7}, period_id{2}, 3, 0, {}}, periods, now));
  }
  EXPECT_EQ(found, state.through() - 2) << "all but the first of each period, which has no ranking yet";
  EXPECT_TRUE(state.summary_at_once(period_id{2}, 3, now + 1h)) << "no score has changed";
  people.publish({profile_id{1}, 5, true});
  EXPECT_TRUE(state.summary_at_once(period_id{2}, 3, now + 1h + 10s))
    << "pages go on showing the best voters while new ones are ranked";
  EXPECT_FALSE(state.summary_at_once(period_id{2}, 3, now + 2h)) << "scores have changed since";
}

/// Nobody waits for all votes of a project to be looked at, and what is cast in between is not half in an answer.
TEST_F(ProjectStateTest, ALongReadGoesOnBetweenVotes) {
  auto state = fresh();
  for (int voter = 1; voter <= 50; ++voter)
    vote(state, voter, 1, at_day(2026, 1, 2), voter % 2 ? sentiment::bullish : sentiment::bearish);
  auto query = everyone();
  query.descending = false;
  const auto sorted = state.voters(query, periods, now);
  query.descending = true;
  const auto first = state.voters(query, periods, now);
  EXPECT_FALSE(sorted->work(20));
  for (int voter = 1; voter <= 30; ++voter)
    vote(state, voter, 2, at_day(2026, 2, 2));
  int pieces = 1;
  for (; !sorted->work(20); ++pieces) {
    const auto change =
      state.decide({project_id{7}, profile_id{40}, sentiment::bullish, {}}, period_id{2}, at_day(2026, 2, 3));
    state.apply(*change);
    state.take_back();
  }
  EXPECT_GE(pieces, 4) << "fifty to look at, and as many to put in order";
  EXPECT_EQ(sorted->answer.totals.voters, 50);
  EXPECT_EQ(sorted->answer.totals.bullish_votes, 25) << "those of when it began";
  ASSERT_EQ(sorted->answer.entries.size(), 50u);
  EXPECT_EQ(sorted->answer.entries.front().voter, profile_id{50});
  const auto chart = *state.chart({project_id{7}, {scope_kind::global, {}, {}, {}}, bucket::day_1}, periods, now);
  EXPECT_FALSE(chart->work(79));
  EXPECT_TRUE(chart->work(1));
  while (!first->work(20)) {
  }
  EXPECT_EQ(first->answer.entries.front().voter, profile_id{1});
  const auto summary = state.summary({project_id{7}, {}, 3, 0, {}}, periods, now);
  EXPECT_FALSE(summary->work(30));
  EXPECT_EQ(whole(summary).lifetime.unique_voters, 50);
}

/// Totals, voters, bulk totals and chart of every scope must agree, whatever the votes.
/// A read may wait behind others, while a period begins or a vote is taken back.
TEST_F(ProjectStateTest, AReadThatWaitsIsOfThePeriodsThatThereWere) {
  auto state = fresh();
  ASSERT_TRUE(vote(state, 1, 1, at_day(2026, 1, 5)));
  ASSERT_TRUE(vote(state, 2, 1, at_day(2026, 1, 6)));
  auto named = everyone(scope_kind::period);
  named.in.named = {2026, 1};
  const auto of_first = state.voters(named, periods, now);
  const auto change =
    state.decide({project_id{7}, profile_id{3}, sentiment::bullish, std::nullopt}, period_id{2}, at_day(2026, 2, 2));
  ASSERT_TRUE(change);
  state.apply(*change);
  const auto of_second = state.voters(everyone(scope_kind::current_period), periods, now);
  EXPECT_EQ(whole(of_first).totals.voters, 2);
  state.take_back();
  EXPECT_EQ(whole(of_second).totals.voters, 0);
}

TEST_F(ProjectStateTest, AllReadsOfAScopeAgree) {
  std::mt19937 dice{20260220};
  auto state = fresh();
  auto at = at_day(2026, 1, 1);
  for (int i = 0; i < 400; ++i) {
    at += std::chrono::minutes{dice() % 200};
    const int period = at < at_day(2026, 2, 1) ? 1 : 2;
    vote(state, 1 + static_cast<int>(dice() % 50), period, at, dice() % 3 ? sentiment::bullish : sentiment::bearish,
         dice() % 2 ? std::optional<std::string>{"r" + std::to_string(dice() % 5)} : std::nullopt);
  }
  std::vector<profile_id> all;
  for (int i = 1; i <= 50; ++i)
    all.push_back(profile_id{i});
  const std::vector<scope> scopes{{scope_kind::global, {}, {}, {}},
                                  {scope_kind::current_period, {}, {}, {}},
                                  {scope_kind::period, {}, {}, {2026, 1}},
                                  {scope_kind::global_dates, at_day(2026, 1, 10), at_day(2026, 2, 5), {}}};
  for (const auto& in : scopes) {
    auto query = everyone();
    query.in = in;
    const auto page = whole(state.voters(query, periods, now));
    std::int64_t bullish = 0;
    std::int64_t bearish = 0;
    std::set<int> seen;
    for (const auto& entry : page.entries) {
      bullish += entry.bullish;
      bearish += entry.bearish;
      EXPECT_TRUE(seen.insert(entry.voter.value).second) << "a voter appears twice";
    }
    EXPECT_EQ(page.totals.bullish_votes, bullish);
    EXPECT_EQ(page.totals.bearish_votes, bearish);
    EXPECT_EQ(page.totals.voters, page.total);
    std::int64_t bulk_bullish = 0;
    std::int64_t reasons = 0;
    for (const auto& each : state.bulk_totals({project_id{7}, in, all}, periods, now)) {
      bulk_bullish += each.bullish;
      for (const auto& reason : each.bullish_reasons)
        reasons += reason.votes;
    }
    EXPECT_EQ(bulk_bullish, bullish);
    EXPECT_EQ(reasons, bullish);
    for (const auto width : {std::optional<bucket>{}, std::optional{bucket::week_1}}) {
      const auto points = chart_of(state, {project_id{7}, in, width});
      ASSERT_TRUE(points);
      std::int64_t charted = 0;
      for (const auto& point : *points)
        charted += point.bullish;
      EXPECT_EQ(charted, bullish);
      if (in.kind != scope_kind::global_dates) {
        EXPECT_EQ(points->back().total_bearish, bearish);
      }
    }
  }
}

} // namespace
} // namespace credence::project
