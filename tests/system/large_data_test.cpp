// What there is after years: rows are made by the database, as many as no test could cast. Nothing
// may cost what is stored, only what is asked; the rows that were read say so, whatever the machine. The names tell of
// the full form (tests/large.hpp).
#include "tests/large.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Seconds.
constexpr double ready_with_much = 5;
constexpr double slash_closed = 1;

struct LargeData : testing::Test {
  std::int64_t number(const std::string& sql) { return std::stoll(on.database().sql(sql)); }
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }
  /// Runs statements without triggers and foreign keys.
  void fill(const std::string& sql) { on.database().sql("SET session_replication_role = replica; " + sql); }
  /// Rows of a table that anybody has read so far. The database tells with a delay of seconds.
  std::int64_t rows_read(const std::string& table) {
    return number(
      "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '" + table
      + "'");
  }
  /// The same once nobody has more to tell: a backend tells ten seconds after its last statement at the latest.
  std::int64_t rows_read_by_now(const std::string& table) {
    auto last = rows_read(table);
    auto since = steady_clock::now();
    EXPECT_TRUE(comes_true([&] {
      if (const auto now_read = rows_read(table); std::exchange(last, now_read) != now_read)
        since = steady_clock::now();
      return steady_clock::now() - since > 12s;
    }))
      << table << " is read without an end";
    return last;
  }
  service on{{60, 8, 200}};
};

/// Listings with votes on every day of the last 1,000.
TEST_F(LargeData, ABoardOfFiveMillionProjectDaysReadsTheLastMonthsOnce) {
  const auto listings = large(5000);
  const auto all = std::to_string(listings);
  const auto one = std::to_string(listings - 100);
  fill("INSERT INTO users (id, display_name, username, avatar_url, status)"
       " SELECT 100000 + i, 'large', 'large' || i, 'https://a.example', 'ACTIVE' FROM generate_series(9, "
       + all
       + ") i;"
         "INSERT INTO projects (id, user_id, userkey, created_at, updated_at)"
         " SELECT i, 100000 + i, 'service:x.com:' || 100000 + i, '2020-01-01', '2020-01-01' FROM generate_series(9, "
       + all
       + ") i;"
         "INSERT INTO listing_marks SELECT i FROM generate_series(9, "
       + all + ") i");
  fill(
    "ALTER TABLE project_tallies DROP CONSTRAINT project_tallies_pkey;"
    "INSERT INTO project_tallies (project_id, period_id, day, bullish, bearish, bullish_weight, bearish_weight)"
    " SELECT p, d.period, d.day, 3, 2, 6, 2 FROM generate_series(9, "
    + all
    + ") p,"
      "  (SELECT day::date AS day, coalesce((SELECT max(id) FROM voting_periods WHERE starts_at <= day), 1) AS period"
      "   FROM generate_series(current_date - 1000, current_date, interval '1 day') day) d ORDER BY 1, 2, 3;"
      "ALTER TABLE project_tallies ADD PRIMARY KEY (project_id, period_id, day);"
      "INSERT INTO project_period_tallies SELECT project_id, period_id, sum(bullish_weight), sum(bearish_weight)"
      " FROM project_tallies WHERE project_id > 8 GROUP BY 1, 2");
  EXPECT_GT(how_many("project_tallies"), 1000 * (listings - 10));
  const auto of_board = how_many("project_tallies WHERE day >= current_date - 91");
  const auto of_period =
    how_many("project_tallies WHERE project_id = " + one + " AND period_id = (SELECT max(id) FROM voting_periods)");
  on.database().sql("VACUUM (ANALYZE) project_tallies, project_period_tallies, projects, users, listing_marks");
  on.database().sql("SELECT pg_stat_reset()");

  EXPECT_LT(seconds_to_start(on, {}), ready_with_much * bars::slack());
  const auto page = ok(on.client().get("/api/v2/internal/listings?limit=3&topMoversDays=90"));
  EXPECT_EQ(json_number(page.body, "/total"), listings);
  // PostgreSQL tells what was read a while later, piece by piece: the board, then the open period of the 48 projects of
  // the first page.
  ASSERT_TRUE(comes_true([&] { return rows_read("project_tallies") >= of_board + 40 * of_period; }))
    << rows_read("project_tallies");
  const auto at_start = rows_read_by_now("project_tallies");
  EXPECT_LT(at_start, of_board + 64 * of_period + listings / 2)
    << "91 days of all listings and the open period of a page's, and nothing before";

  // Somebody edits a listing: it is read again, and it alone.
  on.database().sql("UPDATE projects SET description = 'edited just now' WHERE id = " + one);
  EXPECT_TRUE(comes_true([&] {
    return on.client().get("/api/v2/internal/listings/large" + one).body.find("edited just now") != std::string::npos;
  }));
  ASSERT_TRUE(comes_true([&] { return rows_read("project_tallies") > at_start; }));
  EXPECT_LT(rows_read_by_now("project_tallies") - at_start, 200);
}

/// Profiles have changed their minds a hundred times each, as they could before there was a bound.
TEST_F(LargeData, ASlashWithFiveMillionVotesLoadsAndClosesByItsBallots) {
  const auto voters = large(50'000);
  const auto voter = std::to_string(voters);
  const auto votes = std::to_string(100 * voters);
  on.start({"--admin", "1"});
  const auto admin = by_bearer(on.token(1));
  const auto opened = ok(on.client().send(
    "POST", "/api/v2/slashes", with_json(admin),
    R"({"authorProfileId":2,"subject":"profileId:30","slashType":"SCORE","comment":"because","amount":100})"));
  const auto id = std::to_string(json_number(opened.body, "/id"));
  on.kill_hard();
  fill("INSERT INTO slash_votes (seq, cast_at, slash_id, number, voter_id, weight, for_slash)"
       " SELECT 1000000000 + i, created_at, id, i, 1000 + i % "
       + voter + ", 1, i % (2 * " + voter + ") < " + voter
       + " FROM slashes,"
         "  generate_series(1, "
       + votes + ") i WHERE id = " + id);
  fill("SELECT count_slash_votes(" + id + ", 1, " + votes + ")");
  on.database().sql("VACUUM (ANALYZE) slash_votes, slash_ballots, slash_tallies");
  on.database().sql("SELECT pg_stat_reset()");

  EXPECT_LT(seconds_to_start(on, {"--admin", "1"}), ready_with_much * bars::slack());
  const auto vote = ok(on.client().send("POST", "/api/v2/slashes/" + id + "/votes", with_json(by_bearer(on.token(3))),
                                        R"({"vote":"slash"})"));
  const auto before = steady_clock::now();
  const auto closed = ok(on.client().send("POST", "/api/v2/slashes/" + id + "/cancel", with_json(admin), "{}"));
  EXPECT_LT(seconds_since(before), slash_closed * bars::slack());
  EXPECT_EQ(json_number(closed.body, "/votes/slash") + json_number(closed.body, "/votes/defend"), voters + 6);
  ASSERT_TRUE(comes_true([&] { return rows_read("slash_ballots") > 0; }));
  EXPECT_LT(rows_read("slash_ballots"), voters + voters / 5);
  EXPECT_LT(rows_read("slash_votes"), 100) << "what was stored is not read";
}

} // namespace
} // namespace credence::test
