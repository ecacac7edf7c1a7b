// Votes pour in while everything that can fail does; afterwards the books must balance.
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

double seconds_since(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

class Soak : public testing::Test {
protected:
  static constexpr service::size demo{400, 12, 2000};
  static inline const std::vector<int> projects{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

  Soak() : on(demo), book(on.server) {
    for (int i = 2; i <= 60; ++i)
      voters.push_back(i);
    on.start();
    resident_at_start = on.server.resident();
  }

  void advance() {
    for (int tries = 0; tries < 200; ++tries) {
      if (on.server.client().post("/api/v2/projects/votes/reallocate", "", on.server.token(1)).status == 200)
        return;
      std::this_thread::sleep_for(50ms);
    }
    ADD_FAILURE() << "no period could be opened";
  }

  /// One fault while many vote: afterwards it is ready by itself, and nothing is lost or doubled.
  void strike(const fault& what) {
    advance();
    const auto enough = book.acknowledged() + 60;
    std::atomic<bool> stop{false};
    std::thread crowd{[&] { book.vote(voters, projects, 8, stop); }};
    while (book.acknowledged() < enough)
      std::this_thread::yield();
    what.strike(on);
    const auto over = steady_clock::now();
    EXPECT_TRUE(on.server.becomes_ready(10000)) << "after " << what.name;
    auto& slowest = ready_after[what.name];
    slowest = std::max(slowest, seconds_since(over));
    std::this_thread::sleep_for(100ms);
    stop = true;
    crowd.join();
    EXPECT_TRUE(on.server.running()) << "after " << what.name;
    book.resolve_unknown();
    ++struck[what.name];
  }

  void audit(const std::string& when) {
    on.set_clock(0); // tokens of the audit are made by the true time
    EXPECT_EQ(book.count(attempt::unknown), 0u) << when;
    EXPECT_EQ(book.violations(projects), std::vector<std::string>{}) << when;
    const auto verified =
      on.server.command({"verify", "--server", "http://127.0.0.1:" + std::to_string(on.server.port())});
    EXPECT_EQ(verified.code, 0) << when << "\n" << verified.out << verified.err;
    EXPECT_LE(on.server.resident(), resident_at_start + (64 << 20)) << when;
  }

  fragile_service on;
  ledger book;
  std::vector<int> voters;
  std::int64_t resident_at_start = 0;
  std::map<std::string, double> ready_after; // seconds, the slowest
  std::map<std::string, int> struck;
};

/// SOAK_SECONDS goes on with faults drawn by SOAK_SEED for that long; ops/soak sets both.
TEST_F(Soak, NothingIsLostOrDoubledWhateverFails) {
  for (const auto& each : all_faults()) {
    strike(each);
    if (HasFailure())
      break;
  }
  audit("after every fault once");
  std::mt19937_64 dice{number_from_environment("SOAK_SEED", 1)};
  const auto until = steady_clock::now() + std::chrono::seconds{number_from_environment("SOAK_SECONDS", 0)};
  for (int round = 1; steady_clock::now() < until && !HasFailure(); ++round) {
    strike(all_faults()[dice() % all_faults().size()]);
    if (round % 20 == 0)
      audit("after " + std::to_string(round) + " faults");
  }
  audit("at the end");
  std::printf("%zu votes acknowledged, %zu refused\n", book.count(attempt::acknowledged), book.count(attempt::refused));
  for (const auto& [name, times] : struck)
    std::printf("  %3d x %s: ready within %.2f s\n", times, name.c_str(), ready_after[name]);
}

} // namespace
} // namespace credence::test
