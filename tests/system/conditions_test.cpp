#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>

#include <algorithm>

// What operators are told when something is wrong: on the overview, in the log, in metrics and by commands.
namespace credence::test {
namespace {

const std::string api = "/admin/api/v1";

struct Conditions : testing::Test {
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
  EXPECT_EQ(code(refused), "503 WRITES_PAUSED");
  EXPECT_TRUE(has(json_text(refused.body, "/message"), "the disk is being changed")) << refused.body;
  const auto rest = std::stoi(refused.headers.at("retry-after"));
  EXPECT_GT(rest, 30);
  EXPECT_LE(rest, 120);
  EXPECT_EQ(server.client().get("/api/v2/projects/1/voters").status, 200) << "reads go on";
  const auto told = condition("CredenceWritesPaused");
  EXPECT_TRUE(has(told, "the disk is being changed", "until 20"));
  EXPECT_TRUE(has(told, R"("fires":false)")) << "its alert waits for a while:";
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
  EXPECT_TRUE(has(store, R"("writable":false)", R"("trouble":{)", R"("intake":{"open":true)"));
  server.database().start();
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(goes("CredenceCannotWrite"));
  EXPECT_TRUE(comes_true([&] { return (store = get("/store")).find(R"("trouble":null)") != std::string::npos; }))
    << store;
}

TEST_F(Conditions, AChangeThatTheDatabaseRefusesHasACodeOfItsOwnAndOthersGoOn) {
  server.database().sql(
    "CREATE FUNCTION refuse_vote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = "
    "'23514', MESSAGE = 'refused'; END $$; CREATE TRIGGER refuse_vote BEFORE INSERT ON votes FOR EACH ROW WHEN "
    "(NEW.voter_id = "
    + std::to_string(server.voters()[2]) + ") EXECUTE FUNCTION refuse_vote()");
  const auto refused = vote(2);
  EXPECT_EQ(code(refused), "409 CHANGE_NOT_WRITTEN");
  EXPECT_FALSE(refused.headers.contains("retry-after")) << "the same would be refused again";
  EXPECT_EQ(vote(3).status, 200);
  server.database().sql("DROP TRIGGER refuse_vote ON votes; DROP FUNCTION refuse_vote()");
  EXPECT_EQ(vote(2).status, 200) << "nothing of it was done";
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
  EXPECT_TRUE(has(condition("CredenceCannotWrite"), "make room"));
  server.database().sql("DROP TRIGGER full_disk ON shard_owners; DROP FUNCTION full_disk()");
  EXPECT_TRUE(goes("CredenceCannotWrite"));
}

TEST_F(Conditions, ARunThatWasCutOffIsToldByTheNextOneAndOnlyThen) {
  EXPECT_TRUE(measures("credence_last_run_cut_off 0"));
  server.kill_hard();
  server.start(flags);
  EXPECT_TRUE(server.logs(R"("event":"last_run_cut_off")"));
  EXPECT_TRUE(comes("CredenceLastRunCutOff"));
  EXPECT_TRUE(has(condition("CredenceLastRunCutOff"), "It had begun at 20"));
  EXPECT_TRUE(measures("credence_last_run_cut_off 1"));
  EXPECT_EQ(server.terminate(), 0);
  server.start(flags);
  EXPECT_TRUE(measures("credence_last_run_cut_off 0"));
}

TEST_F(Conditions, TheLinkToTheConsoleHasThePortOfTheServerThatRuns) {
  EXPECT_TRUE(has(server.command({"console-link"}).out, ":" + std::to_string(server.admin_port()) + "/#link="));
  server.terminate();
  EXPECT_TRUE(ended(server.command({"console-link", "--admin-port", "0"}), 1, "no server with a console runs"));
  EXPECT_TRUE(has(server.command({"console-link", "--admin-port", "9999"}).out, ":9999/#link="));
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
    ok(console().send("POST", api + "/people/2/credit", with_json(by_bearer(made.substr(0, made.find('\n')))),
                      R"({"amountWei":"1000000000000000000","confirm":"2"})"));
  ASSERT_EQ(server.client().post("/api/v2/markets", R"({"configType":"NORMAL"})", server.token(2)).status, 200);
  const auto actor = json_text(get("/markets/2"), "/actor");
  EXPECT_EQ(actor, "market:2");
  ok(console().get(api + "/actors/" + actor, server.token(5)));
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
  EXPECT_TRUE(has(ended.err, "3D000", "no_such_one"));
  EXPECT_FALSE(has(ended.err, "\"ready\""));
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
  EXPECT_TRUE(ended(run_program({test::built::executable, "migrate", "up", "--database-url", as_somebody}), 4,
                    "the role somebody may not change the schema; run `credence migrate up` as " + owner));
}

// What is told of PostgreSQL's standbys, and `credence check-database`.

/// A service with a PostgreSQL of its own, whose settings nobody else has.
struct Replication : testing::Test {
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
  EXPECT_FALSE(has(metrics(), "credence_database_quorum")) << "there is none";
  auto east = private_postgres::standby_of(server.database(), "east");
  set("synchronous_standby_names", "ANY 1 (east, west)");
  EXPECT_TRUE(tells(
    R"("needed":1,"there":1,"hidden":false,"standbys":[{"name":"east","state":"streaming","syncState":"quorum","lagBytes":)"));
  const auto seen = metrics();
  for (const auto* line :
       {"\ncredence_database_standbys 1\n", "\ncredence_database_quorum_needed 1\n",
        "\ncredence_database_quorum_named 2\n", "\ncredence_database_quorum_there 1\n",
        "\ncredence_database_timeline 1\n", "\ncredence_database_standby_lag_bytes{standby=\"east\"} "})
    EXPECT_TRUE(has(seen, line)) << line;
  EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  east->stop();
  EXPECT_TRUE(tells(R"("needed":1,"there":0)"));
  EXPECT_TRUE(has(metrics(), "\ncredence_database_quorum_there 0\n"));
  east->start();
  EXPECT_TRUE(tells(R"("needed":1,"there":1)"));
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(await("a vote on a quorum", [&] {
    return server.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(2)).status != 503;
  }));
}

TEST_F(Replication, AStandbyThatIsNamedAtTheStartIsWaitedFor) {
  const auto east = private_postgres::standby_of(server.database(), "east");
  server.reach_database_by(east->url());
  server.launch();
  EXPECT_TRUE(server.logs("the server is in recovery (a standby)"));
  EXPECT_EQ(server.client().get("/readyz").status, 503);
  east->sql("SELECT pg_promote()", "postgres");
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_EQ(server.client()
              .post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(server.voters()[0]))
              .status,
            200);
  EXPECT_EQ(server.terminate(), 0);
}

struct CheckDatabase : Replication {
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
    EXPECT_TRUE(has(found.out, "WRONG  " + line)) << line << " is missing in:\n" << found.err;
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
    EXPECT_TRUE(has(found.out, part)) << part << " is missing in:\n";
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
  EXPECT_TRUE(has(two.out, "WRONG  primary: 2 hosts take writes"));
  const auto none = check(east->directory().string());
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none.out, "WRONG  primary: no host takes writes", "WRONG  durability: the server is in recovery"));
  const auto name = east->directory().string();
  const auto hosts = both();
  east.reset();
  const auto away = check(hosts);
  EXPECT_EQ(away.code, 1);
  EXPECT_TRUE(has(away.out, "WRONG  host " + name + ": ", "ok     commit: "));
}

} // namespace
} // namespace credence::test
