#include "ops/demo/words.hpp"
#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/service.hpp"
#include "tests/text_of_file.hpp"

#include <fstream>
#include <thread>

namespace credence::test {
namespace {

namespace fs = std::filesystem;

constexpr int admin = 1;
constexpr int voter = 2;
constexpr int viewer = 3;
constexpr int project = 2;

const std::string folder = test::built::source + "/tests/console/";

/// The key of a demo profile's wallet.
std::string key_of(int profile) {
  return std::string{persistence::demo_words::wallets[static_cast<std::size_t>(profile - 1)].key};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A link to sign in by as an admin; each is good once.
std::string new_link(const service& of) {
  const auto printed = of.command({"console-link"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  return first_line(printed.out);
}

/// Rings 1 and 2, as a run has stored them. One member of the first may have API keys; the voter is in the second.
constexpr auto stored_rings =
  "UPDATE profiles SET api_access = id = 12 WHERE id IN (12, 13);"
  "INSERT INTO rings (change, first_found, last_found, runs, members, seen, decades, sign_decades, sign_pairs, mutual,"
  " moments, first_at, last_at) SELECT 'new', now(), now(), 1, who, who, 30, '{30,0,0,0}', '{1,0,0,0}', '{1,0,0}', 4,"
  " now(), now() FROM (VALUES (1, '{12,13}'::int[]), (2, '{2,14}')) ring (place, who) ORDER BY place;"
  "INSERT INTO ring_runs (started_at, ended_at, votes, people, found, fresh, grown, gone)"
  " VALUES (now(), now(), 100, 60, 2, 2, 0, 0)";

using flag_list = std::vector<std::string>;

/// A chain whose only node never answers.
const flag_list silent_chain{"--chain-endpoints",   "http://127.0.0.1:1",
                             "--chain-id",          "31337",
                             "--chain-start-block", "1",
                             "--chain-contracts",   "profile=0x00000000000000000000000000000000000000a1"};

/// Does to the server, or to its database, what the browser asks for.
void carry_out(const std::string& what, service& server, flag_list flags) {
  if (what == "stop the database")
    return server.database().stop();
  if (what == "start the database") {
    server.database().start();
    EXPECT_TRUE(server.becomes_ready());
    return;
  }
  if (what == "kill")
    return server.kill_hard();
  if (what == "restart" || what == "follow") {
    EXPECT_EQ(server.terminate(), 0);
  }
  if (what == "follow")
    flags.insert(flags.end(), silent_chain.begin(), silent_chain.end());
  server.start(flags);
}

/// The console in a real browser against the real server; tests/console/console.mjs says what is looked at. It asks for
/// restarts of the server by a file.
TEST(ConsoleInABrowser, ShowsActsAndComesBackAfterARestart) {
  const flag_list flags{"--admin", std::to_string(admin), "--auth-viewers", std::to_string(viewer)};
  service server;
  server.database().sql(stored_rings);
  server.start(flags);
  const scratch_directory files{"console"};
  const environment around{
    {"CREDENCE_CONSOLE_URL", "http://127.0.0.1:" + std::to_string(server.admin_port())},
    {"CREDENCE_CONSOLE_LINKS", new_link(server) + " " + new_link(server)},
    {"CREDENCE_WALL_LINK", first_line(server.command({"console-link", "--role", "wall"}).out)},
    {"CREDENCE_VIEWER_KEY", key_of(viewer)},
    {"CREDENCE_ADMIN_KEY", key_of(admin)},
    {"CREDENCE_VOTER_KEY", key_of(voter)},
    {"CREDENCE_URL", "http://127.0.0.1:" + std::to_string(server.port())},
    {"CREDENCE_VOTER_TOKEN", server.token(voter)},
    {"CREDENCE_ADMIN_TOKEN", first_line(server.command({"token", std::to_string(admin), "--admin"}).out)},
    {"CREDENCE_PROJECT", std::to_string(project)},
    {"CREDENCE_RESTARTS", files.path().string()}};
  const auto log = files.path() / "log";
  child_process browser{{"node", folder + "console.mjs"}, log.string(), around};
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes{45}; // its steps end by themselves
  while (browser.running() && std::chrono::steady_clock::now() < until) {
    if (fs::exists(files.path() / "ask")) {
      const auto what = first_line(text_of_file(files.path() / "ask"));
      fs::remove(files.path() / "ask");
      carry_out(what, server, flags);
      std::ofstream{files.path() / "done"};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  EXPECT_EQ(browser.wait(0), 0) << text_of_file(log) << "\nIn tests/console: npm ci --ignore-scripts";
}

/// What the executable serves is what the sources make; a bundle that was forgotten fails here.
TEST(Console, TheBundleIsWhatItsSourcesMake) {
  const auto built = run_program({"node", folder + "fresh.mjs"});
  EXPECT_EQ(built.code, 0) << built.err << "\nIn http/console: npm ci --ignore-scripts";
  EXPECT_EQ(built.out, "console: the bundle is fresh\n");
}

} // namespace
} // namespace credence::test
