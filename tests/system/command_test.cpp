#include "auth/token_key.hpp"
#include "tests/each_of.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/service.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

#include <sys/stat.h>

#include <fstream>
#include <future>
#include <regex>
#include <set>
#include <sstream>

namespace credence::test {
namespace {

namespace fs = std::filesystem;

finished credence(std::vector<std::string> words, const environment& extra = {}) {
  words.insert(words.begin(), test::built::executable);
  return run_program(words, extra);
}

std::string one_line_of(const std::vector<std::string>& words) {
  const auto out = run_program(words).out;
  return out.substr(0, out.find('\n'));
}

struct CommandTest : testing::Test {
  const scratch_directory scratch{"command"};
  const fs::path home = scratch.path();
};

TEST_F(CommandTest, HelpHasExamplesAndExitCodes) {
  EXPECT_TRUE(ended(credence({"--help"}), 0, "Exit codes"));
  EXPECT_TRUE(has(credence({"serve", "--help"}).out, "Example"));
  EXPECT_EQ(credence({"fly"}).code, 2);
  EXPECT_EQ(credence({}).code, 2);
}

TEST_F(CommandTest, ConfigCheckTellsEveryMistakeAtOnceWithTheNearestName) {
  const auto file = home / "credence.toml";
  std::ofstream{file} << "[http]\nprot = 80\nport = 99999\n[log]\nlevel = \"loud\"\n";
  const auto checked = credence({"config", "check", "--config", file.string()}, {{"CREDENCE_HTTP_ADRESS", "::1"}});
  EXPECT_EQ(checked.code, 2);
  for (const auto* part : {"http.prot", "did you mean http.port?", "99999", "0 to 65535", "loud", "debug",
                           "CREDENCE_HTTP_ADDRESS", "file:2"})
    EXPECT_TRUE(has(checked.err, part)) << part << " is missing in:\n";
}

TEST_F(CommandTest, TheExampleOfSettingsIsGoodAndSoIsEachLineOfIt) {
  const auto file = home / "credence.toml";
  const auto example = credence({"config", "example"});
  ASSERT_EQ(example.code, 0) << example.err;
  std::ofstream{file} << example.out;
  EXPECT_EQ(credence({"config", "check", "--config", file.string()}).code, 0);
  std::string all;
  std::istringstream lines{example.out};
  for (std::string line; std::getline(lines, line); all += line + "\n")
    if (line.starts_with("# ") && line.find(" = ") != std::string::npos)
      line.erase(0, 2);
  std::ofstream{file} << all;
  const auto checked = credence({"config", "check", "--config", file.string()});
  EXPECT_EQ(checked.code, 0) << checked.err << all;
  const auto shown = credence({"config", "show", "--config", file.string()}).out;
  EXPECT_TRUE(has(shown, "http.public_url = https://reputation.example.org    # file:"));
}

struct Setup : testing::Test {
  std::string url_of(const std::string& user, const std::string& database) const {
    return "host=" + cluster.directory().string() + " user=" + user + " dbname=" + database;
  }
  finished run(std::vector<std::string> words, const std::string& database = "credence") const {
    words.insert(words.end(),
                 {"--data-dir", (scratch.path() / "data").string(), "--database-url", url_of("credence", database)});
    if (words.front() == "setup")
      words.insert(words.end(),
                   {"--superuser-url", url_of("postgres", "postgres"), "--user", one_line_of({"id", "-un"})});
    return credence(words);
  }

  const scratch_directory scratch{"setup"};
  private_postgres cluster;
};

TEST_F(Setup, MakesWhatIsMissingAfterSayingSo) {
  const auto asked = run({"setup"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_TRUE(has(asked.err, "--yes"));
  EXPECT_TRUE(has(asked.out, "to be made  the database credence\n"));
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'credence%'", "postgres"), "0")
    << "it has only told";
  const auto told = run({"setup", "--dry-run"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(told.out, asked.out) << "without the question";
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'credence%'", "postgres"), "0");
  EXPECT_EQ(run({"setup", "--yes"}, "another").code, 2) << "that is not what it makes";
  for (const auto* elsewhere : {"host=db.example.org", "host=/run/postgresql,10.0.0.7"}) {
    const auto refused =
      credence({"setup", "--yes", "--database-url", elsewhere + std::string{" user=credence dbname=credence"}});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(has(refused.err, "another machine")) << "it would make them on this one";
  }
  EXPECT_TRUE(ended(run({"setup", "--yes"}), 0));
  EXPECT_TRUE(ended(run({"doctor", "--port", "0", "--operator-port", "0", "--admin-port", "0"}), 0));
  EXPECT_EQ(cluster.sql("SELECT tableowner FROM pg_tables WHERE tablename = 'votes'"), "credence_owner");
  EXPECT_EQ(cluster.sql("SELECT pg_encoding_to_char(encoding) || ' ' || datcollate || ' ' || datctype FROM pg_database"
                        " WHERE datname = 'credence'"),
            "UTF8 C.UTF-8 C.UTF-8")
    << "whatever the locale of the cluster";
  const auto again = run({"setup"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(has(again.out, "to be made"));
  EXPECT_TRUE(has(again.out, "left out    the first admin: --first-admin ADDRESS"));
}

struct FirstAdmin : Setup {
  FirstAdmin() { EXPECT_EQ(run({"setup", "--yes"}).code, 0); }

  void write(const std::string& text) const {
    std::ofstream{file} << text;
    fs::permissions(file, fs::perms{0640});
  }
  finished name(const std::string& address, std::vector<std::string> more = {"--yes"}) const {
    more.insert(more.begin(), {"setup", "--config", file.string(), "--first-admin", address});
    return run(std::move(more));
  }

  const fs::path file = scratch.path() / "credence.toml";
  const std::string wallet = "0x1111111111111111111111111111111111111111";
  const std::string example = credence({"config", "example"}).out;
};

TEST_F(FirstAdmin, IsMadeAfterSayingSoAndNamedInTheSettings) {
  write(example);
  const auto planned = name(wallet, {"--dry-run"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_TRUE(has(planned.out, "to be made  the profile of the first admin: 1, of " + wallet + "\n",
                  "to be made  auth.admins = [1] in " + file.string() + "\n"));
  EXPECT_EQ(text_of_file(file), example);
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM profiles"), "0");

  EXPECT_TRUE(ended(name(wallet), 0));
  EXPECT_EQ(text_of_file(file), std::regex_replace(example, std::regex{"\n# admins = .*\n"}, "\nadmins = [1]\n"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms{0640});
  EXPECT_EQ(cluster.sql("SELECT p.id || ' ' || encode(a.address, 'hex') FROM profiles p JOIN addresses a"
                        " ON a.user_id = p.user_id"),
            "1 " + wallet.substr(2));
  EXPECT_EQ(cluster.sql("SELECT act || ' ' || after FROM audit_log"), "profile_created address " + wallet);
  EXPECT_TRUE(has(run({"token", "1", "--json", "--config", file.string()}).out, R"("admin":true)"));
  const auto fit =
    run({"doctor", "--config", file.string(), "--port", "0", "--operator-port", "0", "--admin-port", "0"});
  EXPECT_TRUE(has(fit.out, "ok     admins: 1 profile\n"));

  const auto repeated = name(wallet, {});
  EXPECT_EQ(repeated.code, 0) << repeated.err;
  EXPECT_FALSE(has(repeated.out, "to be made"));
  const auto second = name("0x2222222222222222222222222222222222222222");
  EXPECT_EQ(second.code, 2);
  EXPECT_TRUE(has(second.err, "there are profiles")) << "others are made by that admin";
}

TEST_F(FirstAdmin, IsRefusedWhereItWouldBeSomebodyElse) {
  write(example);
  EXPECT_EQ(run({"setup", "--yes", "--first-admin", wallet}).code, 2) << "in which file would it be named?";
  EXPECT_EQ(name("0x11").code, 2);
  EXPECT_EQ(name("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed").code, 2) << "a slip of the pen: its checksum is wrong";
  EXPECT_TRUE(ended(name(wallet, {"--yes", "--admin", "7"}), 2, "auth.admins names other profiles than 1"));
  EXPECT_EQ(text_of_file(file), example);
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM profiles"), "0");
}

TEST_F(FirstAdmin, IsLeftOutWhereSomebodyIsOnceThatIsAskedFor) {
  write(example);
  EXPECT_EQ(run({"setup", "--yes", "--only-if-empty"}).code, 2) << "there is nothing to leave out";
  EXPECT_EQ(name("0x11", {"--yes", "--only-if-empty"}).code, 2);
  const auto made = name(wallet, {"--yes", "--only-if-empty"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(has(made.out, "made        the profile of the first admin: 1, of " + wallet + "\n"));
  for (const auto& [address, settings] : {std::pair{std::string{"0x2222222222222222222222222222222222222222"},
                                                    text_of_file(file)}, // as one that has left
                                          {wallet, "[auth]\nadmins = [7]\n"},
                                          {wallet, example}}) {
    write(settings);
    EXPECT_TRUE(ended(name(address, {"--only-if-empty"}), 0, "left out    the first admin: there are profiles"));
    EXPECT_EQ(text_of_file(file), settings) << "nobody becomes an admin anew";
  }
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM profiles"), "1");
  EXPECT_EQ(name("0x11", {"--yes", "--only-if-empty"}).code, 2) << "a slip is told all the same";
}

TEST_F(FirstAdmin, IsOneWhereTwoAreMadeAtOnce) {
  write(example);
  auto gate = std::async(std::launch::async, [&] { // until both have seen that nobody is there
    cluster.sql("BEGIN; SELECT FROM shard_owners ORDER BY shard FOR UPDATE;"
                " DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();"
                " EXIT WHEN (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'credence-setup'"
                " AND wait_event_type = 'Lock') = 2; END LOOP; END $$; COMMIT");
  });
  ASSERT_TRUE(comes_true(
    [&] { return cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"; }));
  auto other = std::async(std::launch::async, [&] { return name("0x2222222222222222222222222222222222222222"); });
  const finished both[] = {name(wallet), other.get()};
  gate.get();
  const auto& refused = both[both[0].code == 0 ? 1 : 0];
  EXPECT_EQ(both[0].code + both[1].code, 1) << both[0].err << both[1].err;
  EXPECT_TRUE(has(refused.err, "the first admin cannot be made: somebody has a profile by now"));
  EXPECT_EQ(cluster.sql("SELECT string_agg(id::text, ',') FROM profiles"), "1");
  EXPECT_TRUE(has(text_of_file(file), "\nadmins = [1]\n"));
}

TEST_F(FirstAdmin, IsRefusedAnIdThatWasNotToldBefore) {
  write(example);
  cluster.sql("INSERT INTO placeholders (mock_id) VALUES (5)");
  const auto refused = name(wallet);
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.out, "to be made  the profile of the first admin: 1, of " + wallet + "\n"));
  EXPECT_TRUE(has(refused.err, "the first admin cannot be made: its profile would be 6"));
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM profiles"), "0");
  EXPECT_EQ(text_of_file(file), example);
}

TEST_F(FirstAdmin, LeavesAFileAloneThatItCannotChangeAndGoesOnFromThere) {
  const std::string inlined = "auth = { operators = [2] }\n";
  write(inlined);
  EXPECT_TRUE(ended(name(wallet), 1, "put admins = [1] into its section [auth]"));
  EXPECT_EQ(text_of_file(file), inlined);
  EXPECT_FALSE(fs::exists(file.string() + ".new"));
  fs::create_directory(file.string() + ".new"); // so that nothing can be written, by root either
  write("[auth]\n");
  const auto unwritable = name(wallet);
  EXPECT_EQ(unwritable.code, 1);
  EXPECT_TRUE(
    has(unwritable.err, "cannot write " + file.string() + ".new", "put admins = [1] into its section [auth]"));
  EXPECT_EQ(text_of_file(file), "[auth]\n");
  fs::remove(file.string() + ".new");
  write("[auth]\nviewers = [3]\n");
  EXPECT_TRUE(ended(name(wallet), 0, "is there    the profile of the first admin: 1, of " + wallet + "\n"));
  EXPECT_EQ(text_of_file(file), "[auth]\nadmins = [1]\nviewers = [3]\n");
}

TEST(Doctor, TellsWhatIsNotFitToServe) {
  service one;
  one.database().sql(
    "CREATE ROLE modest LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO modest; CREATE ROLE poor LOGIN");
  const auto as = [&](const std::string& role) {
    auto url = one.database().url();
    url.replace(url.find("user=postgres"), 13, "user=" + role);
    return credence({"doctor", "--data-dir", one.data_dir().string(), "--database-url", url, "--port",
                     std::to_string(one.port()), "--operator-port", "0", "--admin-port", "0"});
  };
  fs::permissions(one.data_dir(), fs::perms::owner_all);
  const auto good = as("modest");
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  for (const auto* part :
       {"ok     version: credence ",
        "ok     settings: ", "ok     signing keys: ", "ok     database: connected to PostgreSQL 15.",
        "ok     durability: ", "ok     role: modest ", "ok     schema: the last migration is 0", "ok     clock: "})
    EXPECT_TRUE(has(good.out, part)) << part << " is missing in:\n";
  const auto wrong = [&](const std::string& role, const std::string& line) {
    const auto found = as(role);
    EXPECT_EQ(found.code, 1);
    EXPECT_TRUE(has(found.out, "WRONG  " + line)) << line << " is missing in:\n";
  };
  wrong("postgres", "role: postgres may change tables");
  wrong("poor", "role: poor may not read ");
  wrong("nobody", "database: ");
  one.database().sql("CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
  EXPECT_TRUE(has(
    credence({"doctor", "--data-dir", one.data_dir().string(), "--database-url", one.database().url() + " dbname=bytes",
              "--port", std::to_string(one.port()), "--operator-port", "0", "--admin-port", "0"})
      .out,
    "WRONG  database: connected to PostgreSQL 15."));
  one.database().sql("CREATE ROLE partly LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO partly;"
                     " REVOKE SELECT ON profiles FROM partly");
  one.database().sql("CREATE DATABASE bare TEMPLATE template0 ENCODING 'UTF8'");
  const auto without_people = [&](const std::string& more) { // hidden, or not there
    const auto out = credence({"doctor", "--database-url", one.database().url() + more, "--admin", "1", "--data-dir",
                               one.data_dir().string(), "--port", "0", "--operator-port", "0", "--admin-port", "0"})
                       .out;
    EXPECT_TRUE(has(out, "ok     database: connected to PostgreSQL 15."));
    EXPECT_FALSE(has(out, "WRONG  database: ")) << out;
    return out;
  };
  EXPECT_TRUE(has(without_people(" user=partly"), "WRONG  role: partly may not read 1 tables"));
  EXPECT_TRUE(has(without_people(" dbname=bare"), "WRONG  schema: the last migration is none"));
  const auto with_admins = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"doctor", "--data-dir", one.data_dir().string(), "--database-url", one.database().url(),
                               "--admin", "1", "--admin", "4711"});
    return credence(more).out;
  };
  EXPECT_TRUE(has(with_admins({}), "ok     admins: auth.admins names 4711, an id that nobody has; "));
  EXPECT_TRUE(has(with_admins({"--people-open-registration", "true"}),
                  "WRONG  admins: auth.admins names 4711, an id that nobody has: "))
    << "it is that of whoever joins next";
  one.database().sql("UPDATE schema_migrations SET checksum = 'of another text' WHERE version = 3");
  wrong("modest", "schema: the last migration is ");
  one.database().sql("DELETE FROM schema_migrations WHERE version >= 3");
  wrong("modest", "schema: the last migration is 0002_");
  fs::permissions(one.data_dir(), fs::perms::others_read, fs::perm_options::add);
  wrong("modest", "data directory: others may look into ");
}

TEST(Health, IsThatOfTheListenerThatTheSettingsName) {
  service one;
  const auto asked = [&](const std::string& address) {
    return credence({"health", "--http-address", address, "--port", std::to_string(one.port())});
  };
  EXPECT_TRUE(ended(asked("127.0.0.1"), 1, "http://127.0.0.1:" + std::to_string(one.port())));
  one.start();
  for (const auto* address : {"127.0.0.1", "0.0.0.0"}) {
    const auto ready = asked(address);
    EXPECT_EQ(ready.code, 0) << ready.err;
    EXPECT_EQ(ready.out, "{\"ok\":true}\n");
  }
  one.database().stop();
  EXPECT_TRUE(comes_true([&] { return asked("127.0.0.1").code == 1; })) << "it answers, and is not ready";
  EXPECT_TRUE(has(asked("127.0.0.1").out, R"("ok":false)"));
  EXPECT_EQ(credence({"health", "--port", "0"}).code, 2);
}

TEST_F(CommandTest, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
  const auto file = home / "credence.toml";
  std::ofstream{file} << "[http]\nport = 1001\naddress = \"127.0.0.2\"\n[auth]\nadmins = [3, 4]\n";
  const auto shown =
    credence({"config", "show", "--json", "--config", file.string(), "--operator-port", "1003"},
             {{"CREDENCE_HTTP_PORT", "1002"}, {"CREDENCE_STORE_DATABASE_URL", "postgresql://u:hunter2@h/d"}});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const auto* part : each_of(R"({"name":"http.port","value":"1002","origin":"environment"})",
                                  R"({"name":"http.address","value":"127.0.0.2","origin":"file:3"})",
                                  R"({"name":"http.operator_port","value":"1003","origin":"flag"})",
                                  R"({"name":"auth.admins","value":"3,4","origin":"file:5"})",
                                  R"({"name":"store.database_url","value":"***","origin":"environment"})"))
    EXPECT_TRUE(has(shown.out, part)) << part << " is missing in:\n";
  EXPECT_FALSE(has(shown.out, "hunter2"));
}

TEST_F(CommandTest, ChecksDeprecationsAgainstTheRoutes) {
  EXPECT_TRUE(ended(
    credence({"config", "check", "--database-url", "x", "--http-deprecations", "GET /api/v2/healthchek 2026-10-01"}), 2,
    "did you mean GET /api/v2/healthcheck?"));
  EXPECT_TRUE(ended(
    credence({"config", "check", "--database-url", "x", "--http-deprecations", "GET /api/v2/healthcheck 2026-10-01",
              "--http-trusted-proxies", "127.0.0.1,10.0.0.0/8", "--admin", "1"}),
    0));
}

TEST_F(CommandTest, MintsTokensWithAKeyThatOnlyTheOwnerMayRead) {
  const auto elsewhere = credence({"token", "7", "--data-dir", home.string()});
  EXPECT_EQ(elsewhere.code, 2) << "no server has its key here, so none would take the token";
  EXPECT_FALSE(fs::exists(home / "token.key"));
  auth::read_signing_keys({}, {}, home.string());
  const auto minted = credence({"token", "7", "--data-dir", home.string()});
  EXPECT_EQ(minted.code, 0) << minted.err;
  EXPECT_EQ(std::count(minted.out.begin(), minted.out.end(), '.'), 2);
  struct stat about {};
  ASSERT_EQ(::stat((home / "token.key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  fs::permissions(home / "token.key", fs::perms{0644});
  EXPECT_TRUE(ended(credence({"token", "7", "--data-dir", home.string()}), 1, "chmod 600"));
  EXPECT_EQ(credence({"token", "0", "--data-dir", home.string()}).code, 2);
}

TEST_F(CommandTest, NamesTheNearestWordForOneThatItDoesNotKnow) {
  for (const auto& [words, near] : std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{"servv"}, "'servv' is not a subcommand; did you mean serve?"},
         {{"migrate", "stauts"}, "'stauts' is not a subcommand; did you mean status?"},
         {{"serve", "--prot", "1"}, "--prot is not an option here; did you mean --port?"},
         {{"token", "7", "--lifetme=3"}, "--lifetme is not an option here; did you mean --lifetime?"}}) {
    EXPECT_TRUE(ended(credence(words), 2, near));
  }
}

TEST_F(CommandTest, SaysWhenThereIsNoDatabase) {
  EXPECT_EQ(credence({"migrate", "status"}).code, 2);
  const auto away = credence({"migrate", "status", "--database-url", "host=" + home.string() + " password=hunter2"});
  EXPECT_EQ(away.code, 3);
  EXPECT_FALSE(has(away.err, "hunter2"));
}

TEST_F(CommandTest, RefusesToServeOnASchemaThatDoesNotFitAndOnAPortThatIsTaken) {
  private_postgres database;
  const auto serve = texts("serve", "--data-dir", home.string(), "--database-url", database.url(), "--port", "0",
                           "--operator-port", "0", "--admin-port", "0");
  EXPECT_TRUE(ended(credence(serve), 4, "credence migrate up"));
  ASSERT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0);
  EXPECT_EQ(credence({"migrate", "status", "--database-url", database.url()}).code, 0);
  service other;
  other.start();
  auto taken = serve;
  taken[6] = std::to_string(other.port());
  EXPECT_TRUE(ended(credence(taken), 5, std::to_string(other.port())));
}

TEST_F(CommandTest, RefusesADatabaseThatDoesNotKeepItsPromises) {
  private_postgres database;
  ASSERT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0);
  database.sql("ALTER SYSTEM SET synchronous_commit = off");
  database.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(await("the setting", [&] { return database.sql("SHOW synchronous_commit") == "off"; }));
  EXPECT_TRUE(ended(credence({"serve", "--data-dir", home.string(), "--database-url", database.url(), "--port", "0",
                              "--operator-port", "0", "--admin-port", "0"}),
                    4, "synchronous_commit"));
}

/// What `--help` of one command lists.
struct helped {
  std::string path; // `migrate up`
  std::string text;
  std::vector<std::string> options;
  std::vector<std::string> subcommands;
};

/// Of a command and all below it.
void read_help(const std::vector<std::string>& path, std::vector<helped>& to) {
  auto words = path;
  words.emplace_back("--help");
  helped out;
  out.text = credence(words).out;
  std::istringstream help{out.text};
  for (const auto& word : path)
    out.path += (out.path.empty() ? "" : " ") + word;
  std::string group;
  const std::regex option{"--?[a-z][a-z-]*"};
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with(" "))
      group = line;
    else if (line.starts_with("  -")) {
      const auto names = line.substr(2, line.find(' ', 2) - 2);
      for (std::sregex_iterator at{names.begin(), names.end(), option}, end; at != end; ++at)
        out.options.push_back(at->str());
    } else if (group == "Subcommands:" && line.size() > 2 && line[2] != ' ')
      out.subcommands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  to.push_back(out);
  for (const auto& each : out.subcommands) {
    auto below = path;
    below.push_back(each);
    read_help(below, to);
  }
}

/// What can be exported: a heading each.
std::set<std::string> all_entities() {
  std::istringstream told{credence({"export", "--describe"}).out};
  std::set<std::string> out;
  for (std::string line; std::getline(told, line);)
    if (line.starts_with("### "))
      out.insert(line.substr(4));
  return out;
}

const std::vector<helped>& all_help() {
  static const auto all = [] {
    std::vector<helped> out;
    read_help({}, out);
    return out;
  }();
  return all;
}

TEST_F(CommandTest, HelpNamesTheOptionsOfEveryCommandBeforeTheSettings) {
  const auto plain =
    std::find_if(all_help().begin(), all_help().end(), [](const auto& each) { return each.path == "health"; });
  ASSERT_NE(plain, all_help().end());
  const std::set<std::string> settings{plain->options.begin(), plain->options.end()};
  std::size_t own = 0;
  for (const auto& command : all_help())
    if (const auto begin = command.text.find("\nSettings:\n"); begin != std::string::npos)
      for (const auto& option : command.options)
        if (!settings.contains(option)) {
          EXPECT_LT(command.text.find("\n  " + option), begin) << "credence " << command.path << " " << option;
          ++own;
        }
  EXPECT_GT(own, 20u);
}

/// What is wrong with the words behind `credence`; empty when there is such a command with such options.
std::string mistake_in(const std::string& call) {
  const auto has_word = [](const std::vector<std::string>& all, const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  std::istringstream words{call};
  std::string path;
  bool named = false;
  for (std::string word; words >> word;) {
    const auto& command =
      *std::find_if(all_help().begin(), all_help().end(), [&](const auto& each) { return each.path == path; });
    if (word.starts_with("--")) {
      const auto option = word.substr(0, word.find_first_of("=.,:"));
      if (!has_word(command.options, option))
        return "there is no " + option;
    } else if (!named && has_word(command.subcommands, word)) {
      path += (path.empty() ? "" : " ") + word;
    } else if (!named && !command.subcommands.empty()) {
      return "there is no command " + word;
    } else {
      named = true;
    }
  }
  return {};
}

TEST_F(CommandTest, PagesAndUnitsNameCommandsAndOptionsThatThereAre) {
  EXPECT_EQ(mistake_in("migrate down"), "there is no command down");
  EXPECT_EQ(mistake_in("token 7 --root"), "there is no --root");
  EXPECT_EQ(mistake_in("token 7 --admin --json"), "");
  const fs::path root{test::built::source};
  std::vector<fs::path> files{root / "README.md", root / "SECURITY.md"};
  for (const auto* folder : {"docs", "ops/backup", "ops/container", "ops/ha", "ops/prometheus", "ops/systemd"})
    for (const auto& each : fs::recursive_directory_iterator{root / folder})
      if (each.is_regular_file() && each.path().extension() != ".png")
        files.push_back(each.path());
  // In a span or a line of code, in a unit, in a container.
  const std::regex call{"(?:`credence|^ *credence(?:[.]new)?|as_service|bin/credence|credence credence)"
                        " +([a-z][^`|;&()<>#\"]*)"};
  std::size_t looked = 0;
  for (const auto& file : files) {
    std::istringstream lines{text_of_file(file)};
    for (std::string line; std::getline(lines, line);)
      for (std::sregex_iterator at{line.begin(), line.end(), call}, end; at != end; ++at, ++looked)
        EXPECT_EQ(mistake_in((*at)[1]), "") << file << ": " << line;
  }
  EXPECT_GT(looked, 100u);
}

struct CommandPages : testing::Test {
  /// What that command prints, in a file.
  std::string page(const std::vector<std::string>& words) {
    const auto printed = credence(words);
    EXPECT_EQ(printed.code, 0) << printed.err;
    const auto file = home / words.back();
    std::ofstream{file} << printed.out;
    return file;
  }

  const scratch_directory scratch{"pages"};
  const fs::path home = scratch.path();
};

std::string bash_reads(const std::string& script) {
  return ". " + script + R"(
complete_words() { COMP_WORDS=(credence "$@") COMP_CWORD=$# COMPREPLY=(); _credence; echo "${COMPREPLY[*]}"; }
)";
}

TEST_F(CommandPages, BashCompletesEveryCommandAndOptionOfTheHelp) {
  const auto script = page({"completion", "bash"});
  ASSERT_GT(all_help().size(), 25u) << "the help lists its commands";
  auto lines = bash_reads(script);
  for (const auto& command : all_help())
    lines += "complete_words " + command.path + " ''\n";
  const auto completed = run_program({"bash", "--norc", "-c", lines});
  ASSERT_EQ(completed.err, "");
  std::istringstream answers{completed.out};
  for (const auto& command : all_help()) {
    std::string answer;
    ASSERT_TRUE(std::getline(answers, answer));
    std::istringstream words{answer};
    const std::set<std::string> offered{std::istream_iterator<std::string>{words}, {}};
    std::set<std::string> wanted{command.options.begin(), command.options.end()};
    wanted.insert(command.subcommands.begin(), command.subcommands.end());
    if (command.path == "completion")
      wanted.insert({"bash", "zsh", "fish"});
    if (command.path == "export")
      wanted.merge(all_entities());
    EXPECT_EQ(offered, wanted) << "credence " << command.path;
  }
}

TEST_F(CommandPages, BashCompletesWordsAndValuesWhereTheyStand) {
  const auto script = page({"completion", "bash"});
  for (const auto& [words, completed] :
       std::vector<std::pair<std::string, std::string>>{{"mi", "migrate"},
                                                        {"migrate s", "status"},
                                                        {"migrate up --operator-p", "--operator-port"},
                                                        {"serve --log-level ''", "debug info warn error off"},
                                                        {"serve --log-level = d", "debug"},
                                                        {"serve --http-rate-limits = ''", "true false"},
                                                        {"serve --port ''", ""},
                                                        {"serve --config migrate --log-r", "--log-requests"},
                                                        {"token 7 --admin --lif", "--lifetime"},
                                                        {"completion z", "zsh"}})
    EXPECT_EQ(run_program({"bash", "--norc", "-c", bash_reads(script) + "complete_words " + words}).out,
              completed + "\n")
      << words;
}

TEST_F(CommandPages, FishCompletesAndZshTakesItsScript) {
  const auto fish = page({"completion", "fish"});
  const auto script = "source " + fish
                      + "; complete -C 'credence migrate '; complete -C 'credence serve --log-level d';"
                        " complete -C 'credence token 7 --lif'; complete -C 'credence completion f'";
  const auto completed = run_program({"fish", "--no-config", "-c", script});
  EXPECT_EQ(completed.err, "");
  for (const auto* part : {"status\tlist migrations", "up\tapply", "debug\t", "--lifetime\t", "fish\t"})
    EXPECT_TRUE(has(completed.out, part)) << part << " is missing in:\n";
  EXPECT_FALSE(has(completed.out, "--port"));
  const auto zsh = page({"completion", "zsh"});
  const auto taken = run_program(
    {"zsh", "-f", "-c", "autoload -U compinit; compinit -u -D; source " + zsh + "; echo ${_comps[credence]}"});
  EXPECT_EQ(taken.err, "");
  EXPECT_EQ(taken.out, "_credence\n");
  for (const auto& file : {fish, zsh}) {
    std::ifstream in{file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    for (const auto& command : all_help())
      for (const auto& option : command.options)
        EXPECT_TRUE(has(text, file == zsh ? option : option.substr(option.find_first_not_of('-'))))
          << option << " in " << file;
  }
}

TEST_F(CommandPages, TheManualHasEveryCommandAndOptionOfTheHelpAndNoMistake) {
  const auto source = page({"man"});
  EXPECT_EQ(run_program({"groff", "-ww", "-man", "-Tutf8", source}).err, "");
  // Wide enough that nothing is broken, and without what makes letters bold.
  const auto manual = run_program({"groff", "-man", "-Tutf8", "-rLL=1000n", "-P-c", "-P-b", "-P-u", source}).out;
  std::set<std::string> words;
  std::istringstream in{std::regex_replace(manual, std::regex{"[,\\]]"}, " ")};
  for (std::string word; in >> word;)
    words.insert(word);
  for (const auto& command : all_help()) {
    EXPECT_TRUE(has(manual, "credence " + command.path)) << command.path;
    for (const auto& option : command.options)
      EXPECT_TRUE(words.contains(option)) << "credence " << command.path << " " << option;
  }
  for (const auto* part :
       {"eyJhbGci…", "another process has taken the database over", "in [1 - 31536000]", "debug|info|warn|error|off"})
    EXPECT_TRUE(has(manual, part)) << part;
}

// -- long work ------------------------------------------------------------------------

struct LongWork : testing::Test {
  LongWork() { EXPECT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0); }
  /// What is seen on a terminal of that kind; what the command says on standard output goes to the file `out`.
  std::string seen(const std::string& term, const std::string& words) {
    const auto command = words + " --data-dir " + home.string() + " --database-url \"" + database.url() + "\" > "
                         + (home / "out").string();
    const auto done = run_program({"script", "-qec", command, "/dev/null"}, {{"TERM", term}});
    EXPECT_EQ(done.code, 0) << done.out;
    return done.out;
  }
  std::string output() const {
    std::ifstream in{home / "out"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  private_postgres database;
  const scratch_directory scratch{"long-work"};
  const fs::path home = scratch.path();
};

TEST_F(LongWork, IsToldOnATerminalAndNowhereElseUnlessItTakesLong) {
  const auto filling = seen("xterm", built::demo + " --profiles 60 --projects 5 --votes 200");
  for (const auto* part : {"\r\x1b[Kdemo: users, ", "demo: votes, ", "demo: tidying up, ", " of 200, "})
    EXPECT_TRUE(has(filling, part)) << part << " is missing in:\n";
  EXPECT_TRUE(filling.ends_with("\r\x1b[K")) << filling;
  EXPECT_TRUE(output().starts_with("loaded 60 profiles")) << output();
  for (const auto& [words, part] :
       std::vector<std::pair<std::string, std::string>>{{"verify", "verify: scores, by the ids of users"},
                                                        {"score recompute", "score recompute: who vouches for whom"},
                                                        {"score recompute --check", "score recompute --check: scores"},
                                                        {"chain replay --check", "chain replay: "},
                                                        {"rings", "rings: reading"}}) {
    const auto line = seen("xterm", built::executable + " " + words);
    EXPECT_TRUE(has(line, part));
    EXPECT_TRUE(line.ends_with("\r\x1b[K")) << line;
    EXPECT_FALSE(has(output(), "\r")) << "standard output stays what it is";
    EXPECT_EQ(seen("xterm", built::executable + " " + words + " --quiet"), "");
    EXPECT_EQ(seen("dumb", built::executable + " " + words), "");
    const auto elsewhere =
      run_program({"sh", "-c", built::executable + " " + words + " --database-url \"" + database.url() + "\""});
    EXPECT_EQ(elsewhere.err, "") << "a line comes after ten seconds";
  }
}

/// Where strangers could reach the API: every address of the machine.
const std::vector<std::string> everywhere{"--http-address", "0.0.0.0"};

TEST(DemoGuard, ADatabaseWithTheDemosWalletsIsServedOnThisMachineAlone) {
  service server;
  auto words = everywhere;
  words.insert(words.begin(), {"serve", "--port", "0", "--operator-port", "0", "--admin-port", "0"});
  const auto refused = server.command(words);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "0.0.0.0", "http.public_demo"));
  auto meant = everywhere;
  meant.insert(meant.end(), {"--http-public-demo", "true"});
  server.start(meant);
  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
}

TEST(DemoGuard, WithoutThoseWalletsItIsServedEverywhere) {
  service server;
  // The ten published wallets leave; made-up ones of the demo may stay.
  server.database().sql("DELETE FROM addresses WHERE user_id IN (SELECT user_id FROM profiles WHERE id <= 10)");
  server.start(everywhere);
  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
}

TEST(DemoGuard, TokensOfTheDemoAreToldOnlyOfTheDemo) {
  service server;
  server.database().sql("DELETE FROM addresses WHERE user_id IN (SELECT user_id FROM profiles WHERE id <= 10)");
  std::filesystem::remove(server.data_dir() / "demo.json");
  EXPECT_TRUE(ended(server.command({}, built::demo), 0, "no demo data"));
  EXPECT_FALSE(std::filesystem::exists(server.data_dir() / "demo.json"));
}

} // namespace
} // namespace credence::test
