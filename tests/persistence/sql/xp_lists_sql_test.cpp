#include "config/limits.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace credence::persistence {
namespace {

using namespace profile;

/// 100,000 movements of 50 profiles over half a year, an hour between two of a profile: tips, grants and costs in turn.
const std::string& filled() {
  static const auto url = test::filled_database(
    50, 1,
    "INSERT INTO xp_seasons (id, name, starts_on) VALUES (2, 'Season 2', '2026-03-04');"
    "INSERT INTO xp_movements (at, amount, from_account, to_account, kind) SELECT '2026-01-01', 1000000, 0, n, 'CLAIM' "
    "FROM generate_series(1, 50) n;"
    "INSERT INTO xp_movements (at, amount, from_account, to_account, kind, seq)"
    " SELECT timestamptz '2026-01-01Z' + n / 50 * interval '1 hour', 1 + n % 9,"
    "  CASE n % 4 WHEN 1 THEN 0 ELSE 1 + n % 50 END, CASE n % 4 WHEN 0 THEN -1 WHEN 1 THEN 1 + n % 50 ELSE 1 + (n + 1) "
    "% 50 END, CASE n % 4 WHEN 0 THEN 'VOTE_COST' WHEN 1 THEN 'CONTRIBUTION' ELSE 'XP_TIP_SENT' END, CASE WHEN n % 4 "
    "> 1 THEN n END FROM generate_series(1, 100000) n; ANALYZE");
  return url;
}

struct XpLists : testing::Test, test::one_database {
  XpLists() : one_database(filled()) { on.exec("SET plan_cache_mode = force_generic_plan", soon()); }

  /// Rows of the ledger that were read one after the other, by no index, while `run` ran.
  template <class F>
  std::int64_t rows_walked(F run) {
    return test::rows_read_by(on, filled(), "'xp_movements', 'xp_days'", run).walked;
  }
};

TEST_F(XpLists, WeeksOfASeasonAreWhatTheLedgerSaysWithoutTips) {
  const auto found = read(get_season_points{profile_id{7}, 1});
  ASSERT_TRUE(found.season);
  EXPECT_EQ(found.season->name, "Season 1");
  ASSERT_TRUE(found.season->ends) << "when the next one starts";
  const std::string of_week =
    "SELECT coalesce(sum(CASE WHEN to_account = 7 THEN amount ELSE -amount END), 0)::int8 FROM xp_movements"
    " WHERE kind <> 'XP_TIP_SENT' AND 7 IN (from_account, to_account) AND at >= timestamptz '2026-01-05Z'"
    " AND at < timestamptz '2026-03-04Z' AND floor(extract(epoch FROM at - timestamptz '2026-01-05Z') / 604800) = ";
  ASSERT_EQ(found.weeks.size(), 9u) << "58 days";
  for (const auto& each : found.weeks)
    EXPECT_EQ(each.points, number(of_week + std::to_string(each.week - 1))) << each.week;
  EXPECT_FALSE(read(get_season_points{profile_id{7}, 2}).season->ends);
  EXPECT_TRUE(read(get_season_points{std::nullopt, 2}).weeks.empty());
  EXPECT_FALSE(read(get_season_points{profile_id{7}, 3}).season);
}

TEST_F(XpLists, PagesOfTheLedgerAreThoseOfAWalk) {
  for (const auto& slice : {page{50, 0}, page{100, 950}, page{7, 12}}) {
    const auto found = read(list_ledger{profile_id{7}, slice});
    EXPECT_EQ(found.total, limits::ledger_depth_max) << "of 3,001";
    ASSERT_EQ(found.values.size(),
              static_cast<std::size_t>(std::min(slice.limit, limits::ledger_depth_max - slice.offset)));
    for (std::size_t i = 0; i < found.values.size(); ++i)
      ASSERT_EQ(
        found.values[i].id,
        number("SELECT id FROM xp_movements WHERE 7 IN (from_account, to_account) ORDER BY id DESC LIMIT 1 OFFSET "
               + std::to_string(slice.offset + static_cast<int>(i))));
  }
  const auto newest = read(list_ledger{profile_id{7}, {4, 0}}).values;
  for (const auto& each : newest) {
    const auto row = " FROM xp_movements WHERE id = " + std::to_string(each.id);
    EXPECT_EQ(each.points, number("SELECT CASE WHEN to_account = 7 THEN amount ELSE -amount END" + row));
    EXPECT_EQ(each.type == "XP_TIP_RECEIVED",
              number("SELECT (to_account = 7 AND kind = 'XP_TIP_SENT')::int::int8" + row) == 1)
      << each.type;
    EXPECT_EQ(each.season, 2);
    EXPECT_EQ(each.week, number("SELECT ((at AT TIME ZONE 'UTC')::date - date '2026-03-04')::int8 / 7 + 1" + row));
  }
}

TEST_F(XpLists, AreReadByIndexesAlone) {
  read(get_season_points{profile_id{7}, 1}); // prepared before it is counted
  read(list_ledger{profile_id{7}, {50, 0}});
  EXPECT_EQ(rows_walked([&] {
              read(get_season_points{profile_id{8}, 1});
              read(list_ledger{profile_id{8}, {50, 900}});
            }),
            0);
}

TEST_F(XpLists, NobodyWritesSumsOfDaysButTheLedger) {
  EXPECT_FALSE(test::refusal_of(filled(), "UPDATE xp_days SET points = points + 1").empty());
  EXPECT_FALSE(test::refusal_of(filled(), "DELETE FROM xp_days").empty());
}

} // namespace
} // namespace credence::persistence
