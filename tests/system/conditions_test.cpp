#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <vector>

// What operators are told when something is wrong: on the overview, in the log, in metrics and by commands.

namespace credence::test {
namespace {

const std::string api = "/admin/api/v1";

class Conditions : public testing::Test {
protected:
  static service& shared() {
    static service one;
    static const bool started = [] {
      one.start(flags);
      return true;
    }();
    static_cast<void>(started);
    return one;
  }

  http_client console() const { return http_client{server.admin_port()}; }
  std::string get(const std::string& path) const { return console().get(api + path, server.token(5)).body; }
  http_response put(const std::string& path, const std::string& body) const {
    return console().send("PUT", api + path, with_json(by_bearer(server.token(3))), body);
  }
  /// Of the voter with that place in the list.
  http_response vote(std::size_t by = 0) const {
    return server.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})",
                                server.token(server.voters()[by]));
  }
  std::string metrics() const { return http_client{server.operator_port()}.get("/metrics").body; }
  bool measures(const std::string& line) const { return metrics().find("\n" + line + "\n") != std::string::npos; }

  /// The condition of that name as the overview tells it; empty where it does not.
  std::string condition(const std::string& name) const {
    const auto body = get("/overview");
    simdjson::dom::parser parser;
    for (const auto each : parser.parse(body)["firing"].get_array())
      if (std::string_view{each["name"]} == name)
        return simdjson::to_string(each);
    return {};
  }
  bool comes(const std::string& name) const {
    return comes_true([&] { return !condition(name).empty(); });
  }
  bool goes(const std::string& name) const {
    return comes_true([&] { return condition(name).empty(); });
  }

  static inline const std::vector<std::string> flags{"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"};
  service& server = shared();
};

TEST_F(Conditions, APauseOfWritesIsToldToClientsAndOperators) {
  EXPECT_TRUE(condition("CredenceWritesPaused").empty());
  EXPECT_TRUE(measures("credence_writes_paused 0"));
  ASSERT_EQ(put("/store/intake", R"({"open":false,"reason":"the disk is being changed","minutes":2})").status, 200);
  const auto refused = vote();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(json_text(refused.body, "/code"), "WRITES_PAUSED");
  EXPECT_NE(json_text(refused.body, "/message").find("the disk is being changed"), std::string::npos) << refused.body;
  const auto rest = std::stoi(refused.headers.at("retry-after"));
  EXPECT_GT(rest, 30);
  EXPECT_LE(rest, 120);
  EXPECT_EQ(server.client().get("/api/v2/projects/1/voters").status, 200) << "reads go on";
  const auto told = condition("CredenceWritesPaused");
  EXPECT_NE(told.find("the disk is being changed"), std::string::npos) << told;
  EXPECT_NE(told.find("until 20"), std::string::npos) << told;
  EXPECT_NE(told.find(R"("fires":false)"), std::string::npos) << "its alert waits for a while: " << told;
  EXPECT_TRUE(measures("credence_writes_paused 1"));
  ASSERT_EQ(put("/store/intake", R"({"open":true})").status, 200);
  EXPECT_TRUE(condition("CredenceWritesPaused").empty()) << "at once";
  EXPECT_NE(vote().status, 503);
}

TEST_F(Conditions, ADatabaseThatIsAwayIsToldWithItsWordsAndTheStoreIsShownNevertheless) {
  server.database().stop();
  ASSERT_TRUE(comes("CredenceCannotWrite"));
  EXPECT_TRUE(
    comes_true([&] { return condition("CredenceCannotWrite").find("The writer's last error") != std::string::npos; }))
    << condition("CredenceCannotWrite");
  std::string store;
  EXPECT_TRUE(comes_true([&] { return (store = get("/store")).find(R"("tables":null)") != std::string::npos; }))
    << store;
  EXPECT_NE(store.find(R"("writable":false)"), std::string::npos) << store;
  EXPECT_NE(store.find(R"("trouble":{)"), std::string::npos) << store;
  EXPECT_NE(store.find(R"("intake":{"open":true)"), std::string::npos) << store;
  server.database().start();
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(goes("CredenceCannotWrite"));
  EXPECT_TRUE(comes_true([&] { return (store = get("/store")).find(R"("trouble":null)") != std::string::npos; }))
    << store;
}

TEST_F(Conditions, AFullDiskIsToldAsWhatItIs) {
  server.database().sql(
    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100',"
    " MESSAGE = 'could not extend file: No space left on device'; END $$;"
    " CREATE TRIGGER full_disk BEFORE UPDATE ON shard_owners FOR EACH ROW WHEN (NEW.sequence <> OLD.sequence) EXECUTE "
    "FUNCTION full_disk()");
  EXPECT_EQ(vote(1).status, 503);
  EXPECT_TRUE(comes_true(
    [&] { return condition("CredenceCannotWrite").find("53100 could not extend file") != std::string::npos; }))
    << condition("CredenceCannotWrite");
  EXPECT_NE(condition("CredenceCannotWrite").find("make room"), std::string::npos);
  server.database().sql("DROP TRIGGER full_disk ON shard_owners; DROP FUNCTION full_disk()");
  EXPECT_TRUE(goes("CredenceCannotWrite"));
}

TEST_F(Conditions, ARunThatWasCutOffIsToldByTheNextOneAndOnlyThen) {
  EXPECT_TRUE(measures("credence_last_run_cut_off 0"));
  server.kill_hard();
  server.start(flags);
  EXPECT_TRUE(server.logs(R"("event":"last_run_cut_off")"));
  EXPECT_TRUE(comes("CredenceLastRunCutOff"));
  EXPECT_NE(condition("CredenceLastRunCutOff").find("It had begun at 20"), std::string::npos)
    << condition("CredenceLastRunCutOff");
  EXPECT_TRUE(measures("credence_last_run_cut_off 1"));
  EXPECT_EQ(server.terminate(), 0);
  server.start(flags);
  EXPECT_TRUE(measures("credence_last_run_cut_off 0"));
}

TEST_F(Conditions, TheLinkToTheConsoleHasThePortOfTheServerThatRuns) {
  const auto link = server.command({"console-link"});
  EXPECT_NE(link.out.find(":" + std::to_string(server.admin_port()) + "/#link="), std::string::npos)
    << link.out << link.err;
  server.terminate();
  const auto nobody = server.command({"console-link", "--admin-port", "0"});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_NE(nobody.err.find("no server with a console runs"), std::string::npos) << nobody.err;
  EXPECT_NE(server.command({"console-link", "--admin-port", "9999"}).out.find(":9999/#link="), std::string::npos);
  server.start(flags);
}

TEST_F(Conditions, MarketsHaveActorsAlsoWhereAChainIsFollowedWithoutThem) {
  server.terminate();
  auto with_chain = flags;
  with_chain.insert(with_chain.end(),
                    {"--chain-endpoints", "http://127.0.0.1:1", "--chain-id", "31337", "--chain-start-block", "1",
                     "--chain-contracts", "profile=0x00000000000000000000000000000000000000a1"});
  server.start(with_chain);
  const auto made = server.command({"token", "1", "--admin"}).out;
  const auto credited =
    console().send("POST", api + "/people/2/credit", with_json(by_bearer(made.substr(0, made.find('\n')))),
                   R"({"amountWei":"1000000000000000000","confirm":"2"})");
  ASSERT_EQ(credited.status, 200) << credited.body;
  ASSERT_EQ(server.client().post("/api/v2/markets", R"({"configType":"NORMAL"})", server.token(2)).status, 200);
  const auto actor = json_text(get("/markets/2"), "/actor");
  EXPECT_EQ(actor, "market:2");
  const auto shown = console().get(api + "/actors/" + actor, server.token(5));
  EXPECT_EQ(shown.status, 200) << shown.body;
  server.terminate();
  server.start(flags);
}

TEST_F(Conditions, RatesSayWhatTheyCountAsTheirSettingsDo) {
  EXPECT_EQ(json_text(get("/clients/budgets"), "/values/0/counts"), "reads of one caller");
}

/// What PostgreSQL says no to does not pass by itself: the start ends, with what is wrong, and never calls itself
/// ready.
TEST_F(Conditions, AStartOnAWrongDatabaseSaysSoAndEnds) {
  const scratch_directory home{"wrong-database"};
  auto url = server.database().url();
  const auto name = url.find("dbname=credence");
  ASSERT_NE(name, std::string::npos) << url;
  url.replace(name, 15, "dbname=no_such_one");
  const auto ended = run_program({test::built::executable, "serve", "--data-dir", home.path().string(),
                                  "--database-url", url, "--port", "0", "--operator-port", "0", "--admin-port", "0"});
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_NE(ended.err.find("3D000"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("no_such_one"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("\"ready\""), std::string::npos) << ended.err;
}

TEST_F(Conditions, AStartWithoutADatabaseSaysThatItIsNotReadyAndWhenItIs) {
  server.terminate();
  server.database().stop();
  server.launch(flags);
  EXPECT_TRUE(server.logs(R"("event":"not_ready","checks":"store)"));
  EXPECT_EQ(server.client().get("/readyz").status, 503);
  EXPECT_TRUE(measures(R"(credence_http_requests_total{method="-",route="unmatched",status="5xx"} 0)"))
    << "a probe is no failure: " << metrics();
  server.database().start();
  EXPECT_TRUE(server.becomes_ready());
  const auto log = server.log();
  EXPECT_TRUE(
    comes_true([&] { return server.log().rfind(R"("event":"ready")") > server.log().rfind(R"("event":"not_ready")"); }))
    << log;
}

TEST(MigrationCommand, NamesTheRoleThatMayMigrate) {
  private_postgres database;
  const auto url = database.url("empty_one");
  database.sql("CREATE ROLE somebody LOGIN", "postgres");
  const auto user = url.find("user=");
  ASSERT_NE(user, std::string::npos) << url;
  auto as_somebody = url;
  const auto end = std::min(as_somebody.find(' ', user), as_somebody.size());
  const auto owner = as_somebody.substr(user + 5, end - user - 5);
  as_somebody.replace(user, end - user, "user=somebody");
  const auto refused = run_program({test::built::executable, "migrate", "up", "--database-url", as_somebody});
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_NE(refused.err.find("the role somebody may not change the schema; run `credence migrate up` as " + owner),
            std::string::npos)
    << refused.err;
}

} // namespace
} // namespace credence::test
