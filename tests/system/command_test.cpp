#include "auth/token_key.hpp"
#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
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

class CommandTest : public testing::Test {
protected:
  const scratch_directory scratch{"command"};
  const fs::path home = scratch.path();
};

TEST_F(CommandTest, HelpHasExamplesAndExitCodes) {
  const auto help = credence({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Exit codes"), std::string::npos);
  EXPECT_NE(credence({"serve", "--help"}).out.find("Example"), std::string::npos);
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
    EXPECT_NE(checked.err.find(part), std::string::npos) << part << " is missing in:\n" << checked.err;
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
  EXPECT_NE(shown.find("http.public_url = https://reputation.example.org    # file:"), std::string::npos) << shown;
}

TEST(Setup, MakesWhatIsMissingAfterSayingSo) {
  const scratch_directory scratch{"setup"};
  private_postgres cluster;
  const auto data = (scratch.path() / "data").string();
  const auto url_of = [&](const std::string& user, const std::string& database) {
    return "host=" + cluster.directory().string() + " user=" + user + " dbname=" + database;
  };
  const auto run = [&](std::vector<std::string> words, const std::string& database = "credence") {
    words.insert(words.end(), {"--data-dir", data, "--database-url", url_of("credence", database)});
    if (words.front() == "setup")
      words.insert(words.end(),
                   {"--superuser-url", url_of("postgres", "postgres"), "--user", one_line_of({"id", "-un"})});
    return credence(words);
  };
  const auto asked = run({"setup"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_NE(asked.err.find("--yes"), std::string::npos) << asked.err;
  EXPECT_NE(asked.out.find("to be made  the database credence\n"), std::string::npos) << asked.out;
  EXPECT_EQ(cluster.sql("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'credence%'", "postgres"), "0")
    << "it has only told";
  EXPECT_EQ(run({"setup", "--yes"}, "another").code, 2) << "that is not what it makes";
  const auto made = run({"setup", "--yes"});
  EXPECT_EQ(made.code, 0) << made.out << made.err;
  const auto fit = run({"doctor", "--port", "0", "--operator-port", "0", "--admin-port", "0"});
  EXPECT_EQ(fit.code, 0) << fit.out << fit.err;
  EXPECT_EQ(cluster.sql("SELECT tableowner FROM pg_tables WHERE tablename = 'votes'"), "credence_owner");
  const auto again = run({"setup"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out.find("to be made"), std::string::npos) << again.out;
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
  for (const auto* part : {"ok     settings: ", "ok     signing keys: ", "ok     durability: ", "ok     role: modest ",
                           "ok     schema: ", "ok     clock: "})
    EXPECT_NE(good.out.find(part), std::string::npos) << part << " is missing in:\n" << good.out;
  const auto wrong = [&](const std::string& role, const std::string& line) {
    const auto found = as(role);
    EXPECT_EQ(found.code, 1);
    EXPECT_NE(found.out.find("WRONG  " + line), std::string::npos) << line << " is missing in:\n" << found.out;
  };
  wrong("postgres", "role: postgres may change tables");
  wrong("poor", "role: poor may not read ");
  wrong("nobody", "database: ");
  fs::permissions(one.data_dir(), fs::perms::others_read, fs::perm_options::add);
  wrong("modest", "data directory: others may look into ");
}

TEST(Health, IsThatOfTheListenerThatTheSettingsName) {
  service one;
  const auto asked = [&](const std::string& address) {
    return credence({"health", "--http-address", address, "--port", std::to_string(one.port())});
  };
  const auto away = asked("127.0.0.1");
  EXPECT_EQ(away.code, 1);
  EXPECT_NE(away.err.find("http://127.0.0.1:" + std::to_string(one.port())), std::string::npos) << away.err;
  one.start();
  for (const auto* address : {"127.0.0.1", "0.0.0.0"}) {
    const auto ready = asked(address);
    EXPECT_EQ(ready.code, 0) << ready.err;
    EXPECT_EQ(ready.out, "{\"ok\":true}\n");
  }
  one.database().stop();
  EXPECT_TRUE(comes_true([&] { return asked("127.0.0.1").code == 1; })) << "it answers, and is not ready";
  EXPECT_NE(asked("127.0.0.1").out.find(R"("ok":false)"), std::string::npos);
  EXPECT_EQ(credence({"health", "--port", "0"}).code, 2);
}

TEST_F(CommandTest, HelpNamesTheOptionsOfACommandBeforeTheSettings) {
  for (const auto& [command, own] : std::vector<std::pair<std::string, std::string>>{
         {"console-link", "--role"}, {"verify", "--server"}, {"setup", "--superuser-url"}}) {
    const auto help = credence({command, "--help"}).out;
    EXPECT_LT(help.find("  " + own + " "), help.find("\nSettings:\n")) << help.substr(0, 2000);
    EXPECT_NE(help.find("\nSettings:\n"), help.npos);
  }
}

TEST_F(CommandTest, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
  const auto file = home / "credence.toml";
  std::ofstream{file} << "[http]\nport = 1001\naddress = \"127.0.0.2\"\n[auth]\nadmins = [3, 4]\n";
  const auto shown =
    credence({"config", "show", "--json", "--config", file.string(), "--operator-port", "1003"},
             {{"CREDENCE_HTTP_PORT", "1002"}, {"CREDENCE_STORE_DATABASE_URL", "postgresql://u:hunter2@h/d"}});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const auto* part : {R"({"name":"http.port","value":"1002","origin":"environment"})",
                           R"({"name":"http.address","value":"127.0.0.2","origin":"file:3"})",
                           R"({"name":"http.operator_port","value":"1003","origin":"flag"})",
                           R"({"name":"auth.admins","value":"3,4","origin":"file:5"})",
                           R"({"name":"store.database_url","value":"***","origin":"environment"})"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << " is missing in:\n" << shown.out;
  EXPECT_EQ(shown.out.find("hunter2"), std::string::npos);
}

TEST_F(CommandTest, ChecksDeprecationsAgainstTheRoutes) {
  const auto refused =
    credence({"config", "check", "--database-url", "x", "--http-deprecations", "GET /api/v2/healthchek 2026-10-01"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("did you mean GET /api/v2/healthcheck?"), std::string::npos) << refused.err;
  const auto good =
    credence({"config", "check", "--database-url", "x", "--http-deprecations", "GET /api/v2/healthcheck 2026-10-01",
              "--http-trusted-proxies", "127.0.0.1,10.0.0.0/8", "--admin", "1"});
  EXPECT_EQ(good.code, 0) << good.err;
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
  const auto refused = credence({"token", "7", "--data-dir", home.string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("chmod 600"), std::string::npos) << refused.err;
  EXPECT_EQ(credence({"token", "0", "--data-dir", home.string()}).code, 2);
}

TEST_F(CommandTest, NamesTheNearestWordForOneThatItDoesNotKnow) {
  for (const auto& [words, near] : std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{"servv"}, "'servv' is not a subcommand; did you mean serve?"},
         {{"migrate", "stauts"}, "'stauts' is not a subcommand; did you mean status?"},
         {{"serve", "--prot", "1"}, "--prot is not an option here; did you mean --port?"},
         {{"token", "7", "--lifetme=3"}, "--lifetme is not an option here; did you mean --lifetime?"}}) {
    const auto refused = credence(words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find(near), std::string::npos) << refused.err;
  }
}

TEST_F(CommandTest, SaysWhenThereIsNoDatabase) {
  EXPECT_EQ(credence({"migrate", "status"}).code, 2);
  const auto away = credence({"migrate", "status", "--database-url", "host=" + home.string() + " password=hunter2"});
  EXPECT_EQ(away.code, 3);
  EXPECT_EQ(away.err.find("hunter2"), std::string::npos) << away.err;
}

TEST_F(CommandTest, RefusesToServeOnASchemaThatDoesNotFitAndOnAPortThatIsTaken) {
  private_postgres database;
  const std::vector<std::string> serve{"serve",
                                       "--data-dir",
                                       home.string(),
                                       "--database-url",
                                       database.url(),
                                       "--port",
                                       "0",
                                       "--operator-port",
                                       "0",
                                       "--admin-port",
                                       "0"};
  const auto unfit = credence(serve);
  EXPECT_EQ(unfit.code, 4);
  EXPECT_NE(unfit.err.find("credence migrate up"), std::string::npos) << unfit.err;
  ASSERT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0);
  EXPECT_EQ(credence({"migrate", "status", "--database-url", database.url()}).code, 0);
  service other;
  other.start();
  auto taken = serve;
  taken[6] = std::to_string(other.port());
  const auto refused = credence(taken);
  EXPECT_EQ(refused.code, 5);
  EXPECT_NE(refused.err.find(std::to_string(other.port())), std::string::npos) << refused.err;
}

TEST_F(CommandTest, RefusesADatabaseThatDoesNotKeepItsPromises) {
  private_postgres database;
  ASSERT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0);
  database.sql("ALTER SYSTEM SET synchronous_commit = off");
  database.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(await("the setting", [&] { return database.sql("SHOW synchronous_commit") == "off"; }));
  const auto refused = credence({"serve", "--data-dir", home.string(), "--database-url", database.url(), "--port", "0",
                                 "--operator-port", "0", "--admin-port", "0"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("synchronous_commit"), std::string::npos) << refused.err;
}

} // namespace
} // namespace credence::test
