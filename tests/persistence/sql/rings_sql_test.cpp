#include "ops/metrics.hpp"
#include "persistence/console/rings.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace credence::persistence {
namespace {

using namespace integrity;
using std::chrono::days;

const timestamp first_night{std::chrono::seconds{1'790'000'000}};

found_group group_with(std::vector<std::int32_t> who) {
  found_group out;
  for (const auto each : who)
    out.members.push_back({each, 1'700'000'000});
  out.signs = {{sign::same_seconds, 12.2, 5}};
  out.decades = 12.2;
  return out;
}

std::vector<std::vector<std::int32_t>> as_many_as_are_told() {
  std::vector<std::vector<std::int32_t>> out;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(bounds{}.groups_max); ++i)
    out.push_back({100 + 3 * i, 101 + 3 * i, 102 + 3 * i});
  return out;
}

struct RingsSql : testing::Test, test::one_database {
  RingsSql() : one_database(test::fresh_database(20, 3)) {}

  std::optional<ring_run> run(timestamp at, std::vector<std::vector<std::int32_t>> groups) {
    auto found = std::make_shared<findings>();
    found->votes = 100;
    found->people = 20;
    for (const auto& each : groups)
      found->groups.push_back(group_with(each));
    return store_rings(on, {std::move(found), at, at, at, nullptr}, soon());
  }
  outcome<ring> mark(std::int32_t which, std::int32_t runs, ring_mark as, const std::string& remark = {}) {
    return mark_ring(on, {which, runs, as, remark, "profile 3", first_night, nullptr}, soon());
  }
};

TEST_F(RingsSql, ARunIsComparedWithTheOneBefore) {
  const auto first = test::there(run(first_night, {{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT_EQ(first->found, 2);
  EXPECT_EQ(first->fresh, 2);
  EXPECT_EQ(first->gone, 0);
  const auto second = test::there(run(first_night + days{1}, {{1, 2, 3, 4, 9}, {11, 12, 13, 14}}));
  EXPECT_EQ(second->fresh, 1);
  EXPECT_EQ(second->grown, 1);
  EXPECT_EQ(second->gone, 1);
  const auto third = run(first_night + days{2}, {{1, 2, 3, 4, 9}});
  EXPECT_EQ(third->gone, 1) << "those of the second run alone";
  const auto all = test::exactly(3, read_rings(on, soon()));
  EXPECT_EQ(all[0].change, ring_change::same);
  EXPECT_EQ(all[0].members, (std::vector<std::int32_t>{1, 2, 3, 4, 9}));
  EXPECT_EQ(all[0].first_found, first_night);
  EXPECT_EQ(all[0].last_found, first_night + days{2});
  EXPECT_EQ(all[0].runs, 3);
  EXPECT_EQ(all[0].sign_pairs, (std::vector<std::int32_t>{5, 0, 0, 0}));
  EXPECT_EQ(all[1].change, ring_change::gone);
  EXPECT_EQ(all[2].change, ring_change::gone);
  const auto runs = test::exactly(2, read_ring_runs(on, 2, soon()));
  EXPECT_EQ(runs.front().ended_at, first_night + days{2});
}

TEST_F(RingsSql, AnOlderRunIsNotStored) {
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  EXPECT_FALSE(run(first_night, {{5, 6, 7, 8}})) << "nor the same one twice";
  EXPECT_FALSE(run(first_night - days{1}, {}));
  EXPECT_EQ(read_rings(on, soon()).size(), 1u);
}

TEST_F(RingsSql, ARunIsStoredWithItsRowOfTheAuditOrNotAtAll) {
  const auto noted = "SELECT count(*) FROM audit_log WHERE act = 'rings_stored' AND after = '2 found'";
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT_EQ(test::number_from(url, noted), 1);
  EXPECT_FALSE(run(first_night, {{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT_EQ(test::number_from(url, noted), 1) << "nothing was stored";
  test::run_sql(url, "ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (act <> 'rings_stored') NOT VALID");
  EXPECT_THROW(run(first_night + days{1}, {{9, 10, 11, 12}}), database_error);
  EXPECT_EQ(read_rings(on, soon()).size(), 2u);
  EXPECT_EQ(read_ring_runs(on, 5, soon()).size(), 1u);
}

TEST_F(RingsSql, AMarkStaysUntilTheRingGrows) {
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  const auto id = read_rings(on, soon()).front().id;
  const auto marked = test::there(mark(id, 1, ring_mark::honest, "a team"));
  EXPECT_EQ(marked->marked_by, "profile 3");
  run(first_night + days{1}, {{1, 2, 3, 4}});
  EXPECT_EQ(read_rings(on, soon()).front().mark, ring_mark::honest);
  EXPECT_EQ(read_rings(on, soon()).front().remark, "a team");
  run(first_night + days{2}, {{1, 2, 3, 4, 5}});
  EXPECT_EQ(read_rings(on, soon()).front().mark, ring_mark::open);
  EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM audit_log WHERE act = 'ring_marked' AND before = 'open'"
                                   " AND after = 'honest: a team'"),
            1);
  EXPECT_EQ(mark(id + 1, 1, ring_mark::honest).why().code, refusal_code::not_found);
}

TEST_F(RingsSql, WhatHasBeenFoundAgainIsNotTheRingThatWasLookedAt) {
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  const auto id = read_rings(on, soon()).front().id;
  ASSERT_TRUE(run(first_night + days{1}, {{1, 2, 3, 4, 5}}));
  const auto late = mark(id, 1, ring_mark::acted_on);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.why().code, refusal_code::sequence_mismatch);
  EXPECT_EQ(late.why().detail, "runs is 1, but ring " + std::to_string(id) + " has been found by 2");
  EXPECT_EQ(read_rings(on, soon()).front().mark, ring_mark::open);
  EXPECT_EQ(read_ring(on, {id, 1}, soon()).why().code, refusal_code::sequence_mismatch);
  EXPECT_EQ(read_ring(on, {id, 2}, soon())->members.size(), 5u);
  EXPECT_TRUE(mark(id, 2, ring_mark::acted_on));
}

TEST_F(RingsSql, ARunThatTellsAsManyAsItMayTakesNothingForGone) {
  auto many = as_many_as_are_told();
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  const auto full = test::there(run(first_night + days{1}, many));
  EXPECT_EQ(full->found, 100);
  EXPECT_EQ(full->gone, 0);
  EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM rings WHERE change = 'new'"), 101);
  EXPECT_EQ(test::number_from(url, "SELECT runs FROM rings WHERE members[1] = 1"), 1) << "this run has not found it";
  many.pop_back();
  const auto rest = test::there(run(first_night + days{2}, many));
  EXPECT_EQ(rest->gone, 2) << "what it does not tell is not there";
}

TEST_F(RingsSql, WhatNoFullRunTellsAnyMoreIsForgottenToo) {
  const auto many = as_many_as_are_told();
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  ASSERT_TRUE(run(first_night + days{90}, many));
  EXPECT_EQ(read_rings(on, soon()).size(), 101u);
  ASSERT_TRUE(run(first_night + days{91}, many));
  EXPECT_EQ(read_rings(on, soon()).size(), 100u);
}

TEST_F(RingsSql, WhatIsLongGoneIsForgotten) {
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}, {5, 6, 7, 8}}));
  ASSERT_TRUE(run(first_night + days{90}, {{5, 6, 7, 8}}));
  EXPECT_EQ(read_rings(on, soon()).size(), 2u);
  ASSERT_TRUE(run(first_night + days{91}, {{5, 6, 7, 8}}));
  EXPECT_EQ(read_rings(on, soon()).size(), 1u);
}

TEST_F(RingsSql, NoMoreThanTheBoundsAreKept) {
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  test::run_sql(url, "INSERT INTO rings (change, first_found, last_found, runs, members, seen, decades, sign_decades,"
                     " sign_pairs, mutual, moments, first_at, last_at) SELECT 'gone', last_found - n * interval '1 "
                     "minute', last_found - n * interval '1 minute', 1, ARRAY[100 + n], ARRAY[100 + n], decades,"
                     " sign_decades, sign_pairs, mutual, 0, first_at, last_at FROM rings, generate_series(1, 1200) n;"
                     "INSERT INTO ring_runs (started_at, ended_at, votes, people, found, fresh, grown, gone)"
                     " SELECT ended_at, ended_at, 0, 0, 0, 0, 0, 0 FROM ring_runs, generate_series(1, 150)");
  ASSERT_TRUE(run(first_night + days{1}, {{1, 2, 3, 4}}));
  EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM rings"), static_cast<std::int64_t>(rings_kept_max));
  EXPECT_EQ(test::number_from(url, "SELECT max(members[1]) FROM rings"), 1099) << "those gone for longest went";
  EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM ring_runs"), ring_runs_kept_max);
}

TEST_F(RingsSql, AReviewTellsWhatMembersDidTogetherAndForEachOther) {
  test::run_sql(url, "SET session_replication_role = replica;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT p * 10 + n, timestamptz '2026-01-01' + n * interval '1 minute', p, n, n, 1, n <> 4"
                     "  FROM unnest(ARRAY[1, 3]) p, generate_series(1, 5) n WHERE p = 1 OR n = 5;"
                     "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), 0,"
                     " n FROM generate_series(1, 20) n;"
                     "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment,"
                     " metadata, archived, created_at, updated_at, seq)"
                     " SELECT n, 1, decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, 2, 'so', '', n = 3, t, t, 100 + n"
                     "  FROM generate_series(1, 6) n, LATERAL (SELECT timestamptz '2026-01-02' AS t) x;"
                     "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at,"
                     " archived) SELECT 'review', 2, n, n, n <> 3, t, t, false"
                     "  FROM generate_series(2, 5) n, LATERAL (SELECT timestamptz '2026-01-04' AS t) x;");
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  const auto id = read_rings(on, soon()).front().id;
  const auto found = test::there(review_ring(on, {id}, soon()));
  ASSERT_EQ(found->votes.size(), 1u) << "4 voted alone, and 5 is none of them";
  EXPECT_EQ(found->votes.front().project, project_id{1});
  EXPECT_TRUE(found->votes.front().bullish);
  EXPECT_EQ(found->votes.front().voters, (std::vector<std::int32_t>{1, 2, 3}));
  std::vector<std::tuple<tie_kind, std::int32_t, std::int32_t>> ties;
  for (const auto& each : found->ties)
    ties.emplace_back(each.kind, each.giver.value, each.receiver.value);
  EXPECT_EQ(ties,
            (std::vector<std::tuple<tie_kind, std::int32_t, std::int32_t>>{
              {tie_kind::upvote, 2, 1}, {tie_kind::upvote, 4, 1}, {tie_kind::review, 1, 2}, {tie_kind::review, 1, 4}}));
  EXPECT_FALSE(review_ring(on, {id + 1}, soon()));
}

TEST_F(RingsSql, BeforeTheFirstRunThereIsNoMomentOfOne) {
  const auto& told = ops::the_metrics().database;
  tell_rings(on, soon());
  EXPECT_EQ(told.rings_run_s.value(), 0);
  EXPECT_EQ(told.rings_open.value(), 0);
  ASSERT_TRUE(run(first_night, {{1, 2, 3, 4}}));
  tell_rings(on, soon());
  EXPECT_EQ(told.rings_run_s.value(), first_night.time_since_epoch() / std::chrono::seconds{1});
  EXPECT_EQ(told.rings_open.value(), 1);
}

TEST_F(RingsSql, NothingIsFoundWhereNobodyActed) {
  std::vector<double> told;
  const auto found = find_rings(
    on, first_night,
    [&](double share) {
      told.push_back(share);
      return true;
    },
    soon());
  EXPECT_TRUE(found.groups.empty());
  EXPECT_EQ(found.people, 20);
  ASSERT_FALSE(told.empty());
  EXPECT_LE(told.back(), 1);
}

} // namespace
} // namespace credence::persistence
