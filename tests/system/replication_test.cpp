// What is told of PostgreSQL's standbys.
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
  EXPECT_TRUE(tells(R"("needed":1,"there":1,"hidden":false,"standbys":[{"name":"east","state":"streaming","syncState":"quorum","lagBytes":)"));
  const auto seen = metrics();
  for (const auto* line :
       {"\ncredence_database_standbys 1\n", "\ncredence_database_quorum_needed 1\n", "\ncredence_database_quorum_named 2\n",
        "\ncredence_database_quorum_there 1\n", "\ncredence_database_timeline 1\n", "\ncredence_database_standby_lag_bytes{standby=\"east\"} "})
    EXPECT_NE(seen.find(line), std::string::npos) << line;
  EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  east->stop();
  EXPECT_TRUE(tells(R"("needed":1,"there":0)"));
  EXPECT_NE(metrics().find("\ncredence_database_quorum_there 0\n"), std::string::npos);
  east->start();
  EXPECT_TRUE(tells(R"("needed":1,"there":1)"));
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(await("a vote on a quorum",
                    [&] { return server.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(2)).status != 503; }));
}

} // namespace
} // namespace credence::test
