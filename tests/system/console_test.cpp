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

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A link to sign in by as an admin; each is good once.
std::string new_link(const service& of) {
  const auto printed = of.command({"console-link"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  return first_line(printed.out);
}

/// Ring 1, as a run has stored it. One of its members may have API keys.
constexpr auto stored_ring =
  "UPDATE profiles SET api_access = id = 12 WHERE id IN (12, 13);"
  "INSERT INTO rings (change, first_found, last_found, runs, members, seen, decades, sign_decades, sign_pairs, mutual,"
  " moments, first_at, last_at) VALUES ('new', now(), now(), 1, '{12,13}', '{12,13}', 30, '{30,0,0,0}', '{1,0,0,0}',"
  " '{1,0,0}', 4, now(), now());"
  "INSERT INTO ring_runs (started_at, ended_at, votes, people, found, fresh, grown, gone)"
  " VALUES (now(), now(), 100, 60, 1, 1, 0, 0)";

/// The console in a real browser against the real server; tests/console/console.mjs says what is looked at. It asks for
/// restarts of the server by a file.
TEST(ConsoleInABrowser, ShowsActsAndComesBackAfterARestart) {
  const std::vector<std::string> flags{"--admin", std::to_string(admin), "--auth-viewers", std::to_string(viewer)};
  service server;
  server.database().sql(stored_ring);
  server.start(flags);
  const scratch_directory files{"console"};
  const environment around{
    {"CREDENCE_CONSOLE_URL", "http://127.0.0.1:" + std::to_string(server.admin_port())},
    {"CREDENCE_CONSOLE_LINKS", new_link(server) + " " + new_link(server)},
    {"CREDENCE_WALL_LINK", first_line(server.command({"console-link", "--role", "wall"}).out)},
    {"CREDENCE_VIEWER_KEY", std::string{persistence::demo_words::wallets[viewer - 1].key}},
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
      if (what == "kill")
        server.kill_hard();
      if (what == "restart") {
        EXPECT_EQ(server.terminate(), 0);
      }
      if (what != "kill")
        server.start(flags);
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
