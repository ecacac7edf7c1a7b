#include "actors/project/project_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace credence::project {

using namespace std::chrono_literals;
using test::at_day;

struct ProjectStateTest : testing::Test {
  ProjectStateTest() {
    for (int i = 1; i <= 50; ++i)
      people.publish({profile_id{i}, static_cast<std::int16_t>(2800 - 50 * i), true});
    periods.periods = {{period_id{1}, 2026, 1, at_day(2026, 1, 1), at_day(2026, 2, 1), at_day(2026, 2, 1)},
                       {period_id{2}, 2026, 2, at_day(2026, 2, 1), at_day(2026, 3, 1), std::nullopt}};
  }

  project_state fresh() { return project_state{project_id{7}, stored(), people}; }
  static stored_project stored() {
    stored_project empty;
    empty.exists = true;
    return empty;
  }

  /// Casts and commits; false when refused.
  bool vote(project_state& to, int voter, int period, timestamp at, sentiment side = sentiment::bullish,
            std::optional<std::string> reason = std::nullopt) {
    const auto change = to.decide({project_id{7}, profile_id{voter}, side, std::move(reason)}, period_id{period}, at);
    if (!change)
      return false;
    to.apply(*change);
    to.commit(1);
    return true;
  }

  /// The figures of a summary, in one line.
  static std::string shown(const project_summary& of) {
    std::ostringstream out;
    for (const auto* block : {&of.in_period, &of.lifetime}) {
      out << block->total << '/' << block->unique_voters;
      for (const auto* side : {&block->bullish, &block->bearish}) {
        out << ' ' << side->total << '/' << side->unique_voters << ':';
        for (const auto who : side->top_voters)
          out << ' ' << who.value;
      }
      out << ';';
      for (const auto who : block->top_voters)
        out << ' ' << who.value;
      out << " | ";
    }
    return out.str();
  }

  /// All of a read that may be done piece by piece.
  template <class Answer>
  static Answer whole(const long_read_ptr<Answer>& read) {
    while (!read->work(7)) {
    }
    return std::move(read->answer);
  }
  outcome<std::vector<chart_point>> chart_of(const project_state& of, const get_chart& query) {
    const auto read = of.chart(query, periods, now);
    return read ? outcome<std::vector<chart_point>>{whole(*read)} : outcome<std::vector<chart_point>>{read.why()};
  }

  get_voters everyone(scope_kind kind = scope_kind::global) const {
    get_voters all;
    all.project = project_id{7};
    all.in.kind = kind;
    all.slice = {100, 0};
    return all;
  }

  people::people_index people;
  period::calendar periods;
  const timestamp now = at_day(2026, 2, 20, 12);
};

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
  const auto totals = test::exactly(
    3,
    state.bulk_totals({project_id{7}, {scope_kind::global, {}, {}, {}}, {profile_id{1}, profile_id{2}, profile_id{3}}},
                      periods, now));
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
  const auto points = test::there(chart_of(state, query));
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
  const auto points = test::there(chart_of(state, query));
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
  const auto changed = test::exactly(2, state.days_since(1));
  EXPECT_EQ(changed[0].day, std::chrono::sys_days{std::chrono::year{2026} / 1 / 6});
  EXPECT_EQ(changed[1].bearish, 1);
  EXPECT_TRUE(state.days_since(3).empty());
  const auto periods_changed = test::exactly(2, state.periods_since(1));
  EXPECT_EQ(periods_changed[0].weight, (vote_weights{14, 0})) << "all of the period";
  EXPECT_EQ(periods_changed[1].weight, (vote_weights{0, 7}));
  EXPECT_EQ(state.periods_since(2).size(), 1u);
  EXPECT_TRUE(state.periods_since(3).empty());
}

TEST_F(ProjectStateTest, AClockSetBackDoesNotReorderVotes) {
  auto state = fresh();
  vote(state, 1, 2, at_day(2026, 2, 10, 12));
  const auto later = test::there(
    state.decide({project_id{7}, profile_id{2}, sentiment::bullish, {}}, period_id{2}, at_day(2026, 2, 10, 11)));
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
  const auto change = test::there(
    state.decide({project_id{7}, profile_id{3}, sentiment::bullish, std::nullopt}, period_id{2}, at_day(2026, 2, 2)));
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
      const auto points = test::there(chart_of(state, {project_id{7}, in, width}));
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

/// What a voters page must be, worked out from nothing but the votes.
struct cast_by_hand {
  int voter;
  int period;
  sentiment side;
};
std::vector<int> voters_by_hand(const std::vector<cast_by_hand>& votes, const get_voters& query,
                                const people::people_index& people) {
  std::map<int, std::size_t> last;
  std::set<int> with_side;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (query.in.kind == scope_kind::current_period && votes[i].period != 2)
      continue;
    last[votes[i].voter] = i;
    if (!query.side || votes[i].side == *query.side)
      with_side.insert(votes[i].voter);
  }
  std::vector<int> order{with_side.begin(), with_side.end()};
  const auto key = [&](int voter) {
    const auto of = query.order == voter_order::score ? static_cast<std::int64_t>(people.score_of(profile_id{voter}))
                                                      : static_cast<std::int64_t>(last[voter]);
    return query.descending ? -of : of;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

/// Pages come from kept rankings, from a walk over the votes or from sorting everybody; votes are
/// cast in between, some of them pending, and no way may tell another story than the votes.
TEST_F(ProjectStateTest, EveryPageOfVotersIsTheOneThatTheVotesMake) {
  std::mt19937 dice{20261121};
  constexpr int voters = 1500; // more than a ranking keeps
  for (int i = 1; i <= voters; ++i)
    people.publish({profile_id{i}, static_cast<std::int16_t>(dice() % 900), true});
  auto state = fresh();
  std::vector<cast_by_hand> votes;
  const auto check = [&](timestamp when) {
    for (const auto kind : {scope_kind::global, scope_kind::current_period})
      for (const auto order : {voter_order::score, voter_order::updated_at})
        for (const auto descending : {true, false})
          for (const auto& side :
               {std::optional<sentiment>{}, std::optional{sentiment::bullish}, std::optional{sentiment::bearish}}) {
            auto query = everyone(kind);
            query.order = order;
            query.descending = descending;
            query.side = side;
            const auto expected = voters_by_hand(votes, query, people);
            for (const auto offset : {0, 40, 470, 1300}) {
              query.slice = {60, offset};
              const auto page = whole(state.voters(query, periods, when));
              std::vector<int> came;
              for (const auto& entry : page.entries)
                came.push_back(entry.voter.value);
              const auto first = std::min(expected.size(), static_cast<std::size_t>(offset));
              const auto last = std::min(expected.size(), first + 60);
              ASSERT_EQ(came, std::vector(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                          expected.begin() + static_cast<std::ptrdiff_t>(last)));
              ASSERT_EQ(page.total, static_cast<std::int64_t>(expected.size()));
            }
          }
  };
  auto at = at_day(2026, 1, 1);
  for (int i = 0; i < 3000; ++i) {
    at += i % 1000 == 0 ? 10s : std::chrono::milliseconds{dice() % 2}; // many at the same moment
    const int period = i < 1300 ? 1 : 2;
    const int voter = 1 + static_cast<int>(dice() % voters);
    const auto side = dice() % 4 ? sentiment::bullish : sentiment::bearish;
    const auto change = state.decide({project_id{7}, profile_id{voter}, side, {}}, period_id{period}, at);
    if (!change)
      continue;
    state.apply(*change);
    votes.push_back({voter, period, side});
    if (i % 5 == 4) { // reads see nothing of what waits, and nothing of what is taken back
      if (dice() % 4 == 0) {
        votes.resize(votes.size() - state.pending());
        state.take_back();
      }
      state.commit(state.pending());
    }
    if (i % 400 == 399) {
      const auto waiting = std::vector(votes.end() - state.pending(), votes.end());
      votes.resize(votes.size() - waiting.size());
      ASSERT_NO_FATAL_FAILURE(check(at)) << "after " << i;
      votes.insert(votes.end(), waiting.begin(), waiting.end());
    }
  }
  state.commit(state.pending());
  people.publish({profile_id{1}, 2000, true});
  ASSERT_NO_FATAL_FAILURE(check(at + 1h)) << "a changed score is seen after a while";
  for (int voter = 1; voter <= voters; voter += 7)
    if (const auto change =
          state.decide({project_id{7}, profile_id{voter}, sentiment::bearish, {}}, period_id{2}, at + 1h)) {
      state.apply(*change);
      votes.push_back({voter, 2, sentiment::bearish});
    }
  state.commit(state.pending());
  ASSERT_NO_FATAL_FAILURE(check(at + 240h)) << "no score has changed since: what was ranked is still in order";
}

TEST_F(ProjectStateTest, RanksItsVotersAnewOnceAScoreHasChanged) {
  auto state = fresh();
  for (int voter = 1; voter <= 40; ++voter)
    ASSERT_TRUE(vote(state, voter, 2, now - 1h));
  const get_summary page{project_id{7}, period_id{2}, 3, 0, {}};
  const auto ranks_nobody = [&](timestamp when) { return state.summary(page, periods, when)->work(1); };
  EXPECT_FALSE(ranks_nobody(now));
  const auto before = shown(whole(state.summary(page, periods, now)));
  EXPECT_TRUE(ranks_nobody(now + 240h)) << "as long as scores are what they were";
  people.publish({profile_id{50}, 777, true}); // of somebody who has not voted here
  EXPECT_TRUE(ranks_nobody(now + 240h + 4s)) << "not yet, however long it was in order";
  EXPECT_FALSE(ranks_nobody(now + 240h + 6s));
  EXPECT_EQ(shown(whole(state.summary(page, periods, now + 240h + 6s))), before);
  people.publish({profile_id{40}, 2800, true});
  EXPECT_NE(shown(whole(state.summary(page, periods, now + 480h))), before);
  people.publish({profile_id{40}, 2800, false});
  EXPECT_TRUE(ranks_nobody(now + 960h)) << "archived, with the same score";
}

/// A project whose votes are kept as the store keeps them, so that it can be loaded short of the older ones.
struct ShortProject : ProjectStateTest {
  /// Votes of January, at random, and where `open` says so of February, when not everybody votes.
  void cast_some(bool open = true) {
    auto at = at_day(2026, 1, 1);
    while (at < now - 6h) {
      at += std::chrono::minutes{dice() % 300};
      const int period = at < at_day(2026, 2, 1) ? 1 : 2;
      if (period == 1 || open)
        cast(1 + static_cast<int>(dice() % (period == 1 ? 50 : 30)), period, at); // who has voted already is refused
    }
  }
  void cast(int voter, int period, timestamp at) {
    const auto change = decide(state, voter, period, at);
    if (!change)
      return;
    state.apply(*change);
    state.commit(1);
    std::int32_t reason = -1;
    if (change->reason) {
      reason = static_cast<std::int32_t>(all.reasons.size());
      all.reasons.push_back(*change->reason);
    }
    all.votes.push_back({change->voter, change->in, change->side, reason, change->at, change->weight});
  }
  outcome<vote_cast> decide(const project_state& of, int voter, int period, timestamp at) {
    return of.decide({project_id{7}, profile_id{voter}, voter % 3 ? sentiment::bullish : sentiment::bearish,
                      voter % 4 ? std::optional{"r" + std::to_string((voter + period) % 7)} : std::nullopt},
                     period_id{period}, at);
  }
  /// As it is loaded when so many votes are tallied.
  project_state loaded(std::size_t tallied) {
    auto stored = all;
    stored.tallied_through = static_cast<entity_seq>(tallied);
    return project_state{project_id{7}, test::loaded_short(std::move(stored), periods.current().id), people};
  }
  stored_history older(const project_state& than) const {
    return {{all.votes.begin(), all.votes.begin() + than.base()}, all.reasons};
  }

  /// All that reads of this scope come to.
  std::string told(const project_state& of, const scope& in) {
    std::ostringstream out;
    const auto reasons = [&](const std::vector<reason_count>& counts) {
      for (const auto& each : counts)
        out << each.reason.value_or("-") << 'x' << each.votes << ' ';
    };
    for (const auto order : {voter_order::score, voter_order::updated_at})
      for (const auto descending : {true, false})
        for (const auto& side : {std::optional<sentiment>{}, std::optional{sentiment::bearish}}) {
          auto query = everyone();
          query.in = in;
          query.order = order;
          query.descending = descending;
          query.side = side;
          const auto page = whole(of.voters(query, periods, now));
          for (const auto& each : page.entries) {
            out << each.voter.value << ':' << each.bullish << '+' << each.bearish << " from "
                << each.first_vote_at.time_since_epoch().count() << " to "
                << each.last_vote_at.time_since_epoch().count() << ' ';
            reasons(each.bullish_reasons);
            reasons(each.bearish_reasons);
          }
          out << "of " << page.total << ' ' << page.totals.voters << ' ' << page.totals.bullish_voters << ' '
              << page.totals.bearish_voters << ' ' << page.totals.bullish_votes << ' ' << page.totals.bearish_votes
              << '\n';
        }
    std::vector<profile_id> everybody;
    for (int i = 1; i <= 50; ++i)
      everybody.push_back(profile_id{i});
    for (const auto& each : of.bulk_totals({project_id{7}, in, everybody}, periods, now)) {
      out << each.bullish << '+' << each.bearish << ' ';
      reasons(each.bullish_reasons);
    }
    const auto chart = chart_of(of, {project_id{7}, in, bucket::day_1});
    for (const auto& each : *chart)
      out << each.bucket_start.time_since_epoch().count() << ':' << each.total_bullish << '+' << each.total_bearish
          << ' ' << each.unique_voters << ' ';
    return out.str();
  }
  std::string told_of_all(const project_state& of) {
    std::ostringstream out;
    for (const auto& in : {scope{scope_kind::global, {}, {}, {}}, scope{scope_kind::current_period, {}, {}, {}},
                           scope{scope_kind::period, {}, {}, {2026, 1}},
                           scope{scope_kind::global_dates, at_day(2026, 1, 10), at_day(2026, 2, 5), {}}})
      out << told(of, in) << '\n';
    const auto summary = whole(of.summary({project_id{7}, {}, 5, 40, {1, 7, 30}}, periods, now));
    for (const auto* block : {&summary.in_period, &summary.lifetime}) {
      out << block->total << ' ' << block->unique_voters << ' ' << block->bullish.unique_voters << ' '
          << block->bearish.total << ' ';
      for (const auto who : block->top_voters)
        out << who.value << ' ';
    }
    for (const auto& each : summary.sparkline)
      out << each.bullish_percent << ' ';
    for (const auto& [days, change] : summary.deltas)
      out << days << ':' << change << ' ';
    return out.str() + tallies(of, 0);
  }
  static std::string tallies(const project_state& of, entity_seq after) {
    std::ostringstream out;
    for (const auto& each : of.days_since(after))
      out << each.in.value << '/' << each.day.time_since_epoch().count() << ' ' << each.bullish << '+' << each.bearish
          << '=' << each.weight.lead() << ' ';
    for (const auto& each : of.periods_since(after))
      out << each.in.value << ' ' << each.weight.bullish << '-' << each.weight.bearish << ' ';
    return out.str();
  }

  std::mt19937 dice{20260221};
  project_state state = fresh(); // with every vote
  stored_project all = stored();
};

TEST_F(ShortProject, DecidesAndCountsAsOneWithEveryVote) {
  cast_some();
  auto few = loaded(all.votes.size());
  ASSERT_FALSE(few.whole());
  EXPECT_EQ(few.through(), state.through());
  for (int voter = 1; voter <= 50; ++voter) {
    const auto one = decide(few, voter, 2, now);
    const auto other = decide(state, voter, 2, now);
    ASSERT_EQ(static_cast<bool>(one), static_cast<bool>(other)) << voter;
    if (!one) {
      EXPECT_EQ(one.why().code, other.why().code);
      continue;
    }
    EXPECT_EQ(one->number, other->number);
    EXPECT_EQ(one->at, other->at);
    few.apply(*one);
    state.apply(*other);
    EXPECT_EQ(few.vote(one->number).in, period_id{2});
    few.commit(1);
    state.commit(1);
  }
  const scope current{};
  ASSERT_TRUE(few.holds(current, periods));
  EXPECT_EQ(told(few, current), told(state, current));
  EXPECT_EQ(told(few, {scope_kind::period, {}, {}, {2026, 2}}), told(state, {scope_kind::period, {}, {}, {2026, 2}}));
  for (auto after = few.base(); after <= few.through(); after += 7)
    EXPECT_EQ(tallies(few, after), tallies(state, after)) << "above " << after;
  EXPECT_EQ(tallies(few, 0), tallies(few, few.base())) << "nothing of the votes that are not here";
}

TEST_F(ShortProject, KnowsWhichReadsNeedOlderVotes) {
  cast_some();
  const auto few = loaded(all.votes.size());
  EXPECT_FALSE(few.holds({scope_kind::global, {}, {}, {}}, periods));
  EXPECT_FALSE(few.holds({scope_kind::global_dates, now, now, {}}, periods));
  EXPECT_FALSE(few.holds({scope_kind::period, {}, {}, {2026, 1}}, periods));
  EXPECT_TRUE(few.holds({scope_kind::period, {}, {}, {2026, 9}}, periods)) << "of no such period there is any";
  const auto lagging = loaded(5);
  EXPECT_TRUE(lagging.whole()) << "the first period is not tallied";
  EXPECT_TRUE(lagging.holds({scope_kind::global, {}, {}, {}}, periods));
  periods.periods.pop_back();
  EXPECT_FALSE(few.holds(scope{}, periods)) << "where the calendar does not know of the newest period yet";
}

TEST_F(ShortProject, GoesOnWhereAllVotesAreOfPeriodsThatAreOver) {
  cast_some(false);
  auto few = loaded(all.votes.size());
  ASSERT_EQ(few.base(), static_cast<entity_seq>(all.votes.size()));
  const auto voter = all.votes.back().voter.value;
  const auto late = decide(few, voter, 1, now);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.why().code, refusal_code::period_closed) << "where the calendar does not know of it yet";
  const auto back = test::there(decide(few, voter, 2, all.votes.back().at - 5h));
  EXPECT_EQ(back->number, few.base() + 1);
  EXPECT_EQ(back->at, all.votes.back().at) << "a moment never goes back";
  few.apply(*back);
  few.take_back();
  EXPECT_TRUE(tallies(few, 0).empty());
  few.take_history(older(few));
  EXPECT_EQ(told_of_all(few), told_of_all(state));
}

TEST_F(ShortProject, TakesNoVotesUntilItsBlockIsSettled) {
  stored_project young;
  young.exists = true;
  young.unsettled = 77;
  project_state fresh{project_id{7}, young, people};
  const auto no = decide(fresh, 1, 2, now);
  ASSERT_FALSE(no);
  EXPECT_EQ(no.why().code, refusal_code::not_yet_settled);
  EXPECT_NE(no.why().detail.find("block 77 "), std::string::npos) << no.why().detail;
  fresh.set_status(false, false);
  EXPECT_TRUE(decide(fresh, 1, 2, now));
}

TEST_F(ShortProject, IsTheSameAsOneWithEveryVoteOnceTheOlderOnesAreIn) {
  cast_some();
  auto few = loaded(all.votes.size());
  few.set_status(true, false);
  few.take_history(older(few));
  EXPECT_TRUE(few.archived());
  few.set_status(false, false);
  EXPECT_EQ(told_of_all(few), told_of_all(state));

  auto busy = loaded(all.votes.size());
  for (int voter = 1; voter <= 50; ++voter) // some have voted and are refused
    if (const auto vote = decide(busy, voter, 2, now)) {
      busy.apply(*vote);
      state.apply(*vote);
    }
  ASSERT_GT(busy.pending(), 4u);
  for (auto* each : {&busy, &state})
    each->commit(3);
  busy.take_history(older(busy));
  EXPECT_EQ(busy.pending(), state.pending());
  EXPECT_EQ(busy.through(), state.through());
  EXPECT_EQ(told_of_all(busy), told_of_all(state)) << "nothing of what is pending";
  for (int voter = 1; voter <= 50; ++voter)
    EXPECT_EQ(busy.pending(profile_id{voter}), state.pending(profile_id{voter}));
  for (auto* each : {&busy, &state}) {
    each->commit(1);
    each->take_back();
  }
  EXPECT_EQ(told_of_all(busy), told_of_all(state));
  for (int voter = 1; voter <= 50; ++voter)
    EXPECT_EQ(static_cast<bool>(decide(busy, voter, 2, now)), static_cast<bool>(decide(state, voter, 2, now)));
}

} // namespace
} // namespace credence::project
