#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/ledger.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

struct Verify : testing::Test {
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server.port()); }

  /// Changes rows past the triggers that forbid it, as a fault of the disk would.
  void damage(const std::string& sql) { server.database().sql("SET session_replication_role = replica; " + sql); }

  /// `credence verify` must name this promise, and no other, as broken.
  void expect_broken(const std::string& promise, const std::string& example) {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 7) << found.out << found.err;
    EXPECT_TRUE(has(found.out, "BROKEN  " + promise + ":", example));
  }

  service server;
};

TEST_F(Verify, FindsNothingWhileManyVote) {
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  ledger book{server};
  std::atomic<bool> stop{false};
  finished meanwhile;
  std::thread auditor{[&] {
    await("acknowledged votes", [&] { return book.acknowledged() >= 20; });
    meanwhile = server.command({"verify", "--server", url()});
  }};
  book.vote(server.voters(), {1, 2, 3, 4, 5, 6}, 4, stop);
  auditor.join();
  EXPECT_EQ(meanwhile.code, 0) << meanwhile.out << meanwhile.err;
  const auto metrics = server.data_dir() / "verify.prom";
  const auto after = server.command({"verify", "--server", url(), "--json", "--metrics", metrics.string()});
  EXPECT_EQ(after.code, 0) << after.out << after.err;
  EXPECT_TRUE(has(after.out, R"("good":true)", R"("name":"live_balances")"));
  EXPECT_TRUE(has(text_of_file(metrics), "credence_verify_differences{promise=\"tallies\"} 0\n"));
}

TEST_F(Verify, NamesEveryKindOfDamage) {
  damage("UPDATE project_tallies SET bullish = bullish + 1 WHERE project_id = 1 AND period_id = 1");
  expect_broken("tallies", "project 1 in period 1");
  damage("UPDATE project_tallies SET bullish = bullish - 1 WHERE project_id = 1 AND period_id = 1");
  EXPECT_TRUE(sound(server));
  damage("UPDATE xp_accounts SET balance = balance + 1 WHERE id = 3");
  expect_broken("xp", "account 3 has");
  damage("UPDATE xp_accounts SET balance = balance - 1 WHERE id = 3");
  damage("UPDATE xp_accounts SET tips_sent = tips_sent + 1 WHERE id = 3");
  expect_broken("xp", "account 3 has sent 1 tips");
  damage("UPDATE xp_accounts SET tips_sent = tips_sent - 1 WHERE id = 3");
  damage("UPDATE shard_owners SET last_seq = last_seq - 1");
  expect_broken("batches", "the last batch ends with number");
  damage("UPDATE shard_owners SET last_seq = last_seq + 1");
  damage("UPDATE votes SET period_id = 5 WHERE project_id = 2 AND number = 1");
  expect_broken("votes_belong", "vote 1 of project 2");
  damage("UPDATE votes SET period_id = 1 WHERE project_id = 2 AND number = 1");
  damage("UPDATE votes SET cast_at = cast_at + interval '3 years' WHERE project_id = 2 AND number = 1");
  expect_broken("vote_order", "vote 2 of project 2");
  damage("UPDATE votes SET cast_at = cast_at - interval '3 years' WHERE project_id = 2 AND number = 1");
  damage("UPDATE slash_votes SET for_slash = NOT for_slash WHERE slash_id = 1");
  expect_broken("slashes", "slash 1 is SLASHED with");
  damage("UPDATE slash_votes SET for_slash = NOT for_slash WHERE slash_id = 1");
  damage("UPDATE slash_ballots SET weight = 7 - weight WHERE slash_id = 1");
  expect_broken("slashes", "on slash 1 that counts is");
  damage("UPDATE slash_ballots SET weight = 7 - weight WHERE slash_id = 1");
  damage("UPDATE slash_tallies SET for_it = for_it + 1 WHERE slash_id = 1");
  expect_broken("slashes", "slash 1 is said to have");
  damage("UPDATE slash_tallies SET for_it = for_it - 1 WHERE slash_id = 1");
  damage(
    "UPDATE project_period_tallies SET bullish_weight = bullish_weight + 1 WHERE project_id = 1 AND period_id = 1");
  expect_broken("tallies", "the votes of project 1 in period 1 weigh");
  damage(
    "UPDATE project_period_tallies SET bullish_weight = bullish_weight - 1 WHERE project_id = 1 AND period_id = 1");
  damage("INSERT INTO wei_accounts (profile_id, balance) VALUES (3, 5)");
  expect_broken("wei", "profile of 3 has 5 wei");
  damage("DELETE FROM wei_accounts");
  damage("INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
         "updated_at, trust_price,"
         " distrust_price, trust) VALUES (3, 'NORMAL', 1500, 100, 0, 0, 1, now(), now(), 50, 50, 7)");
  expect_broken("markets", "market 3 says 0 trades, 7 and 1 votes");
  damage("UPDATE markets SET trust = 1, frozen = true");
  expect_broken("market_freezes", "market 3 is frozen; its last freeze says otherwise");
  damage("DELETE FROM markets");
  EXPECT_TRUE(sound(server));
  damage("DELETE FROM votes WHERE project_id = 3 AND number = 2");
  expect_broken("vote_numbers", "project 3 has");
  expect_broken("global_numbers", "comes after");
}

TEST_F(Verify, ComparesWithWhatTheServerTells) {
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().get("/api/v2/projects/1/voters?scope=global").status, 200) << "its votes are in memory now";
  // Behind the server's back: a vote that the database has and the server does not know.
  damage("INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
         " SELECT (SELECT max(last_seq) FROM batches) + 1, now(), 1, 9999, max(number) + 1,"
         " (SELECT id FROM voting_periods WHERE closed_at IS NULL), true FROM votes WHERE project_id = 1");
  const auto found = server.command({"verify", "--server", url()});
  EXPECT_EQ(found.code, 7);
  EXPECT_TRUE(has(found.out, "BROKEN  live_projects:", "1: stored are"));
  EXPECT_TRUE(ended(server.command({"verify", "--server", "http://127.0.0.1:1"}), 1, "there is no server"));
}

} // namespace
} // namespace credence::test
