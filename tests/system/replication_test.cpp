// What is told of PostgreSQL's standbys, and `credence check-database`.
#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/process.hpp"
#include "tests/system/http_client.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace credence::test {
namespace {

/// A service with a PostgreSQL of its own, whose settings nobody else has.
class Replication : public testing::Test {
protected:
  Replication() : server(service::size{}, {{"PGTZ", "UTC"}}) {}

  void set(const std::string& setting, const std::string& value) {
    server.database().sql("ALTER SYSTEM SET " + setting + " = '" + value + "'", "postgres");
    server.database().sql("SELECT pg_reload_conf()", "postgres");
  }
  std::string told() const { return http_client{server.operator_port()}.get("/readyz?verbose").body; }
  bool tells(const std::string& part) {
    return await(part.c_str(), [&] { return told().find(part) != std::string::npos; });
  }
  std::string metrics() const { return http_client{server.operator_port()}.get("/metrics").body; }

  service server;
};

TEST_F(Replication, IsToldWithTheStandbysThatAreThere) {
  server.start({"--admin", "1"});
  EXPECT_TRUE(tells(R"("needed":0,"there":0,"hidden":false,"standbys":[]})"));
  EXPECT_EQ(metrics().find("credence_database_quorum"), std::string::npos) << "there is none";
  auto east = private_postgres::standby_of(server.database(), "east");
  set("synchronous_standby_names", "ANY 1 (east, west)");
  EXPECT_TRUE(tells(
    R"("needed":1,"there":1,"hidden":false,"standbys":[{"name":"east","state":"streaming","syncState":"quorum","lagBytes":)"));
  const auto seen = metrics();
  for (const auto* line :
       {"\ncredence_database_standbys 1\n", "\ncredence_database_quorum_needed 1\n",
        "\ncredence_database_quorum_named 2\n", "\ncredence_database_quorum_there 1\n",
        "\ncredence_database_timeline 1\n", "\ncredence_database_standby_lag_bytes{standby=\"east\"} "})
    EXPECT_NE(seen.find(line), std::string::npos) << line;
  EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  east->stop();
  EXPECT_TRUE(tells(R"("needed":1,"there":0)"));
  EXPECT_NE(metrics().find("\ncredence_database_quorum_there 0\n"), std::string::npos);
  east->start();
  EXPECT_TRUE(tells(R"("needed":1,"there":1)"));
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(await("a vote on a quorum", [&] {
    return server.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(2)).status != 503;
  }));
}

class CheckDatabase : public Replication {
protected:
  CheckDatabase() {
    server.database().sql("CREATE ROLE modest LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO modest; GRANT "
                          "pg_read_all_stats TO modest");
    east = private_postgres::standby_of(server.database(), "east");
    await("a standby that streams", [&] {
      return server.database().sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "1";
    });
  }

  std::string both() { return server.database().directory().string() + "," + east->directory().string(); }
  finished check(const std::string& hosts) const {
    return run_program(
      {test::built::executable, "check-database", "--database-url", "host=" + hosts + " user=modest dbname=credence"});
  }
  void expect_wrong(const std::string& line) {
    const auto found = check(both());
    EXPECT_EQ(found.code, 1);
    EXPECT_NE(found.out.find("WRONG  " + line), std::string::npos) << line << " is missing in:\n"
                                                                   << found.out << found.err;
  }

  std::unique_ptr<private_postgres> east;
};

TEST_F(CheckDatabase, FindsAClusterRightAndSaysWhatItIs) {
  set("synchronous_standby_names", "east");
  await("a standby that counts",
        [&] { return server.database().sql("SELECT sync_state FROM pg_stat_replication") == "sync"; });
  const auto found = check(both());
  EXPECT_EQ(found.code, 0) << found.err;
  for (const auto& part :
       {"ok     host " + server.database().directory().string() + ": primary, PostgreSQL 15",
        "ok     host " + east->directory().string() + ": standby, ", std::string{"ok     primary: "},
        std::string{"ok     durability: "}, std::string{"ok     replication: a commit waits for 1 "},
        std::string{"ok     role: modest "}, std::string{"ok     schema: "}, std::string{"ok     clock: "},
        std::string{"ok     epochs: "}, std::string{"ok     owner: "}, std::string{"ok     commit: takes "},
        std::string{"ok     warnings: "}, std::string{"ok     timeouts: "}, std::string{"ok     sessions: "},
        std::string{"ok     advisory locks: "}, std::string{"ok     notifications: "}})
    EXPECT_NE(found.out.find(part), std::string::npos) << part << " is missing in:\n" << found.out;
}

TEST_F(CheckDatabase, NamesWhatIsWrong) {
  auto& primary = server.database();
  primary.sql("ALTER ROLE modest SET client_min_messages = 'error'");
  expect_wrong("warnings: ");
  primary.sql("ALTER ROLE modest RESET client_min_messages");
  primary.sql("ALTER TABLE shard_owners DISABLE TRIGGER check_owner");
  expect_wrong("epochs: ");
  primary.sql("ALTER TABLE shard_owners ENABLE TRIGGER check_owner");
  set("synchronous_standby_names", "east");
  primary.sql("REVOKE pg_read_all_stats FROM modest");
  expect_wrong("replication: 1 standby is connected, but its role may not see ");
  primary.sql("GRANT pg_read_all_stats TO modest");
  primary.sql("ALTER ROLE modest SET synchronous_commit = 'local'");
  expect_wrong("durability: ");
  primary.sql("ALTER ROLE modest RESET synchronous_commit");
  set("synchronous_standby_names", "nobody");
  expect_wrong(
    "replication: a commit waits for 1 of the standbys that synchronous_standby_names names, and 0 of these stream");
  expect_wrong("commit: it is not through within five seconds");
}

TEST_F(CheckDatabase, LooksAtEachHost) {
  private_postgres other; // of its own, and takes writes
  other.url("credence");
  other.sql("CREATE ROLE modest LOGIN");
  const auto two = check(server.database().directory().string() + "," + other.directory().string());
  EXPECT_EQ(two.code, 1);
  EXPECT_NE(two.out.find("WRONG  primary: 2 hosts take writes"), std::string::npos) << two.out;
  const auto none = check(east->directory().string());
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.out.find("WRONG  primary: no host takes writes"), std::string::npos) << none.out;
  EXPECT_NE(none.out.find("WRONG  durability: the server is in recovery"), std::string::npos) << none.out;
  const auto name = east->directory().string();
  const auto hosts = both();
  east.reset();
  const auto away = check(hosts);
  EXPECT_EQ(away.code, 1);
  EXPECT_NE(away.out.find("WRONG  host " + name + ": "), std::string::npos) << away.out;
  EXPECT_NE(away.out.find("ok     commit: "), std::string::npos) << away.out;
}

} // namespace
} // namespace credence::test
