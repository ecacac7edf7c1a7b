#include "tests/system/faults.hpp"

#include "tests/persistence/postgres_fixture.hpp"
#include "tests/waiting.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace credence::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

void wait(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

/// Cuts the connection at the next batch; voters bring one, or an advance does.
void cut(fragile_service& on, cutting_proxy::moment when) {
  const auto before = on.proxy.cuts();
  on.proxy.cut_next(when);
  if (!comes_true([&] { return on.proxy.cuts() > before; }, 3s)) // where everybody has voted already
    on.proxy.cut_none();
}

/// Kills the backend of the writer, so that the postmaster restarts them all.
void kill_a_backend(fragile_service& on) {
  const auto pid =
    on.server.database().sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'credence-writer' LIMIT 1");
  if (!pid.empty())
    ::kill(std::stoi(pid), SIGKILL);
}

void advance_twice(fragile_service& on) {
  const auto advance = [&on] { on.server.client().post("/api/v2/projects/votes/reallocate", "", on.server.token(1)); };
  std::thread other{advance};
  advance();
  other.join();
}

} // namespace

double bars::slack() {
  const auto* given = std::getenv("BARS_SLACK");
  return given ? std::max(std::atof(given), 1.0) : 20.0;
}

double bars::any_answer_with_slack() { return std::min(any_answer * slack(), 55.0); }

double seconds_since(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

double seconds_to_start(service& on, const std::vector<std::string>& flags) {
  const auto began = steady_clock::now();
  on.start(flags);
  return seconds_since(began);
}

void wait_for_database(service& on) {
  const auto answers = [&] {
    try {
      on.database().sql("SELECT 1");
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  if (!comes_true(answers))
    throw std::runtime_error("PostgreSQL never came back");
}

double seconds_until_writes(service& on) {
  const auto began = steady_clock::now();
  auto client = on.client();
  await("a vote that is stored", [&] {
    const auto answer = client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", on.token(1));
    // A try whose fate was unknown may have been stored.
    return answer.status == 200 || answer.body.find("ALREADY_VOTED") != std::string::npos;
  });
  return seconds_since(began);
}

fragile_service::fragile_service(service::size demo)
  : server(demo, disk.in_front()), proxy(server.database().directory().string()),
    clock_file((server.data_dir() / "clock").string()) {
  set_clock(0);
  // A sanitizer's runtime would not start behind another library.
  const auto* sanitizer = std::getenv("ASAN_OPTIONS");
  server.run_with({{"LD_PRELOAD", test::built::shifted_clock},
                   {"SHIFTED_CLOCK", clock_file},
                   {"ASAN_OPTIONS", std::string{sanitizer ? sanitizer : ""} + ":verify_asan_link_order=0"}});
  server.reach_database_by(proxy.through(server.database().url()));
  server.keep_production_times();
}

fragile_service::~fragile_service() { server.kill_hard(); }

void fragile_service::start() {
  slowest_start =
    std::max(slowest_start, seconds_to_start(server, {"--admin", "1", "--actors-period-advance", "manual"}));
  resident_at_start = server.resident();
}

void fragile_service::set_clock(int seconds) const {
  const auto fresh = clock_file + ".new";
  std::ofstream{fresh} << seconds << "\n";
  std::filesystem::rename(fresh, clock_file);
}

const std::vector<fault>& all_faults() {
  static const std::vector<fault> list{
    {"the server is killed",
     [](fragile_service& on) {
       on.server.kill_hard();
       on.start();
     }},
    {"the server is stopped under load",
     [](fragile_service& on) {
       on.server.terminate();
       on.start();
     }},
    {"PostgreSQL is killed",
     [](fragile_service& on) {
       on.server.database().kill_hard();
       on.server.database().start();
     }},
    {"PostgreSQL is shut down at once",
     [](fragile_service& on) {
       on.server.database().stop("immediate");
       on.server.database().start();
     }},
    {"the writer's backend is killed", kill_a_backend},
    {"the writer's session is ended",
     [](fragile_service& on) {
       on.server.database().sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN "
                                "('credence-writer', 'credence-chain-writer')");
     }},
    {"a connection is cut before the batch", [](fragile_service& on) { cut(on, cutting_proxy::moment::before); }},
    {"a connection is cut within the batch", [](fragile_service& on) { cut(on, cutting_proxy::moment::middle); }},
    {"a connection is cut after the commit", [](fragile_service& on) { cut(on, cutting_proxy::moment::after); }},
    {"the disk is slow",
     [](fragile_service& on) {
       on.disk.order("slow 400");
       wait(1500ms);
       on.disk.mend();
     }},
    {"a flush fails",
     [](fragile_service& on) {
       on.disk.order("broken");
       wait(300ms);
       on.disk.mend();
       wait(200ms);
     }},
    {"the disk is full",
     [](fragile_service& on) {
       on.disk.order("full");
       wait(1000ms);
       on.disk.mend();
     }},
    {"PostgreSQL stands still",
     [](fragile_service& on) {
       on.server.database().pause();
       wait(3000ms);
       on.server.database().resume();
     }},
    {"the wall clock jumps forward",
     [](fragile_service& on) {
       on.set_clock(3600);
       wait(1500ms);
       on.set_clock(0);
     }},
    {"the wall clock jumps back",
     [](fragile_service& on) {
       on.set_clock(-3600);
       wait(1500ms);
       on.set_clock(0);
     }},
    {"two advances of the period at once", advance_twice},
  };
  return list;
}

} // namespace credence::test
