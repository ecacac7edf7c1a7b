#include "tests/actors/project/project_state_fixture.hpp"

#include <algorithm>

namespace credence::project {
namespace {

/// A project whose votes are kept as the store keeps them, so that it can be loaded short of the older ones.
class ShortProject : public ProjectStateTest {
protected:
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
  const auto back = decide(few, voter, 2, all.votes.back().at - 5h);
  ASSERT_TRUE(back);
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
