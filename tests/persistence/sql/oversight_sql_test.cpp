#include "persistence/sql/oversight_sql.hpp"

#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace credence::persistence {
namespace {

using namespace oversight;

steady_time deadline() { return deadline_in(std::chrono::seconds{60}); }
const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::hours{12};

const std::string& filled() {
  static const auto url = [] {
    const auto made = test::fresh_database(20, 3);
    test::run_sql(
      made,
      "SET session_replication_role = replica;"
      "UPDATE profiles SET api_access = id = 4;"
      "UPDATE users SET display_name = 'Green Harbor', username = 'harbor' WHERE id = (SELECT user_id FROM projects "
      "WHERE id = 2);"
      "INSERT INTO project_tallies (project_id, period_id, day, bullish, bearish) VALUES (2, 1, '2026-01-01', 3, 1), "
      "(3, 1, '2026-01-01', 9, 0);"
      "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, revoked_at, scopes)"
      " SELECT lpad(n::text, 32, '0')::uuid, 1 + n % 2, decode(repeat('ab', 20), 'hex'), 'key ' || n, "
      "decode(lpad(to_hex(n), 64, '0'), 'hex'),"
      "  timestamptz '2026-02-01' + n / 2 * interval '1 hour', timestamptz '2026-02-20' + n * interval '2 day',"
      "  CASE n WHEN 9 THEN timestamptz '2026-02-10' END, CASE n WHEN 8 THEN ARRAY['read', 'vote'] END FROM "
      "generate_series(1, 9) n;");
    return made;
  }();
  return url;
}

class OversightSql : public testing::Test {
protected:
  std::vector<std::string> names_of(list_all_keys query) {
    std::vector<std::string> out;
    for (;;) {
      const auto found = read(on, query, deadline());
      for (const auto& each : found.keys)
        out.push_back(each.name);
      if (!found.next)
        return out;
      query.after = found.next;
    }
  }

  connection on = test::look_into(filled());
};

TEST_F(OversightSql, ListsKeysThatHoldNewestFirstPageByPage) {
  // Those up to key 4 have expired by then, the ninth is revoked.
  EXPECT_EQ(names_of({std::nullopt, std::nullopt, noon, 2}),
            (std::vector<std::string>{"key 8", "key 7", "key 6", "key 5"}));
  EXPECT_EQ(names_of({profile_id{2}, std::nullopt, noon, 50}), (std::vector<std::string>{"key 7", "key 5"}));
  const auto newest = read(on, list_all_keys{std::nullopt, std::nullopt, noon, 1}, deadline()).keys.front();
  EXPECT_TRUE(newest.bounds.scopes && newest.bounds.scopes->has(scope::vote));
}

TEST_F(OversightSql, KnowsWhoMayHaveKeys) {
  EXPECT_TRUE(read(on, get_profile_totals{profile_id{4}}, deadline()).api_access);
  EXPECT_FALSE(read(on, get_profile_totals{profile_id{5}}, deadline()).api_access);
  EXPECT_FALSE(read(on, get_profile_totals{profile_id{500}}, deadline()).exists);
}

TEST_F(OversightSql, FindsProjectsByNameAndIdThoseWithMostVotesFirst) {
  const auto all = read(on, find_projects{"", 2}, deadline());
  EXPECT_EQ(all.total, 3);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].id, project_id{3});
  EXPECT_EQ(all.rows[0].bullish, 9);
  const auto named = read(on, find_projects{"HARBOR", 10}, deadline());
  ASSERT_EQ(named.rows.size(), 1u);
  EXPECT_EQ(named.rows[0].id, project_id{2});
  EXPECT_EQ(named.rows[0].bearish, 1);
  EXPECT_EQ(read(on, find_projects{"1", 10}, deadline()).rows.front().id, project_id{1});
  EXPECT_TRUE(read(on, find_projects{"nobody's", 10}, deadline()).rows.empty());
}

TEST_F(OversightSql, CountsEventsAndTellsWhyTheyFailed) {
  test::run_sql(filled(),
                "SET session_replication_role = replica;"
                "INSERT INTO chain_events (id, chain_id, block_number, block_hash, block_at, tx_hash, block_index, "
                "log_index, contract, address, topics,"
                "  data, event_name, status, reason, created_at, updated_at)"
                " SELECT n, 31337, n, decode(repeat('00', 32), 'hex'), t, decode(repeat('00', 32), 'hex'), 0, 0, CASE "
                "WHEN n < 4 THEN 'review' ELSE 'vouch' END,"
                "  decode(repeat('00', 20), 'hex'), '', '', 'Made', CASE WHEN n < 3 THEN 'applied' ELSE 'failed' END,"
                "  CASE WHEN n = 3 THEN 'no author' WHEN n > 3 THEN 'no subject' END, t, t"
                "  FROM generate_series(1, 6) n, LATERAL (SELECT timestamptz '2026-01-01' AS t) x");
  const auto counted = read(on, count_events{31337}, deadline());
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_EQ(counted[0].contract, "vouch");
  EXPECT_EQ(counted[0].failed, 3);
  EXPECT_EQ(counted[1].applied, 2);
  const auto failed = read(on, list_failed_events{31337}, deadline());
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].reason, "no subject");
  EXPECT_EQ(failed[0].events, 3);
  EXPECT_EQ(failed[0].last_id, 6);
  EXPECT_TRUE(read(on, list_failed_events{1}, deadline()).empty());
}

} // namespace
} // namespace credence::persistence
