#include "tests/actors/project/project_state_fixture.hpp"

#include <algorithm>

namespace credence::project {
namespace {

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

} // namespace
} // namespace credence::project
