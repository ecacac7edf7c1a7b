// Votes pour in while everything that can fail does; afterwards the books must balance.
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/sanitized.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"
#include "tests/waiting.hpp"

#include <cstdlib>
#include <random>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr bool memory_tells = !sanitized;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

struct Soak : testing::Test {
  static constexpr service::size demo{400, 12, 2000};
  static inline const std::vector<int> projects{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

  Soak() : on(demo), book(on.server) {
    for (int i = 2; i <= 60; ++i)
      voters.push_back(i);
    on.start();
  }

  void advance() {
    await("a new period", [&] {
      return on.server.client().post("/api/v2/projects/votes/reallocate", "", on.server.token(1)).status == 200;
    });
  }

  /// Reads what there is to read until it is told to stop; the slowest answer, in seconds. Counts what is read while
  /// nothing is wrong, and of that the answers that say something is.
  double read(const std::atomic<bool>& stop) {
    double slowest = 0;
    auto client = on.server.client();
    client.get("/livez"); // a server that was started again closed the connection from before
    while (!stop)
      for (const auto* path : {"/api/v2/projects/1/chart", "/api/v2/projects/2/voters?scope=global",
                               "/api/v2/projects/votes/balance", "/api/v2/internal/listings", "/livez"}) {
        const auto before = steady_clock::now();
        const auto calm_before = calm.load();
        const auto answer = client.get(path, on.server.token(2));
        if (calm_before && calm.load()) {
          ++calm_reads;
          EXPECT_LT(answer.status, 500) << path << " while nothing is wrong: " << answer.body;
        }
        slowest = std::max(slowest, seconds_since(before));
        std::this_thread::sleep_for(5ms);
      }
    return slowest;
  }

  /// One fault while many vote and read: afterwards it is ready by itself, nothing is lost or
  /// doubled, and nothing took longer than promised.
  void strike(const fault& fault) {
    advance();
    const auto enough = book.acknowledged() + 60;
    const auto first = book.attempts().size();
    std::atomic<bool> stop{false};
    std::thread crowd{[&] { book.vote(voters, projects, 8, stop); }};
    auto& worst = seen[fault.name];
    std::thread reader{[&] { worst.answer = std::max(worst.answer, read(stop)); }};
    calm = true;
    await("acknowledged votes", [&] { return book.acknowledged() >= enough; });
    calm = false;
    const auto struck = steady_clock::now();
    fault.strike(on);
    wait_for_database(on.server);
    const auto over = steady_clock::now();
    worst.writes = std::max(worst.writes, seconds_until_writes(on.server));
    EXPECT_TRUE(on.server.becomes_ready()) << "after " << fault.name;
    worst.ready = std::max(worst.ready, seconds_since(over));
    const auto well_again = steady_clock::now();
    calm = true;
    std::this_thread::sleep_for(300ms);
    calm = false;
    stop = true;
    crowd.join();
    reader.join();
    EXPECT_TRUE(on.server.running()) << "after " << fault.name;
    for (auto i = first; i < book.attempts().size(); ++i) {
      const auto& vote = book.attempts()[i];
      // 503 says that something is wrong, so something must be: a fault, or its end.
      if (vote.sent_at + vote.took < struck || vote.sent_at > well_again) {
        EXPECT_TRUE(vote.status != 0 && vote.status < 500)
          << vote.status << " to a vote while nothing is wrong, " << fault.name;
      }
      worst.answer = std::max(worst.answer, std::chrono::duration<double>(vote.took).count());
    }
    memory_above_start = std::max(memory_above_start, on.server.resident() - on.resident_at_start);
    book.resolve_unknown();
    ++worst.times;
    EXPECT_LE(worst.writes, bars::writes_after_database * bars::slack()) << "votes after " << fault.name;
    EXPECT_LE(worst.ready, bars::writes_after_database * bars::slack()) << "ready after " << fault.name;
    EXPECT_LE(worst.answer, bars::any_answer_with_slack()) << "answers during " << fault.name;
  }

  void audit(const std::string& when) {
    on.set_clock(0); // tokens of the audit are made by the true time
    EXPECT_EQ(book.count(attempt::unknown), 0u) << when;
    EXPECT_GT(calm_reads.load(), 0) << when;
    EXPECT_EQ(book.violations(projects), std::vector<std::string>{}) << when;
    EXPECT_TRUE(sound(on.server, true)) << when;
    EXPECT_LE(on.slowest_start, bars::ready_after_kill * bars::slack()) << when;
    if (memory_tells) {
      EXPECT_LE(memory_above_start, bars::memory_above_start) << when;
    }
  }

  void tell() const {
    measured all;
    for (const auto& [name, each] : seen) {
      std::printf("  %3d x %s: votes after %.2f s, ready after %.2f s, slowest answer %.2f s\n", each.times,
                  name.c_str(), each.writes, each.ready, each.answer);
      all.writes = std::max(all.writes, each.writes);
      all.answer = std::max(all.answer, each.answer);
    }
    const auto against = [](const char* text, double seen_most, double promised, double asserted) {
      std::printf("  %-32s %6.2f s, promised %.0f s, asserted %.1f s\n", text, seen_most, promised, asserted);
    };
    std::printf("the worst of all:\n");
    against("ready after its start", on.slowest_start, bars::ready_after_kill, bars::ready_after_kill * bars::slack());
    against("votes after PostgreSQL is back", all.writes, bars::writes_after_database,
            bars::writes_after_database * bars::slack());
    against("answer, whatever fails", all.answer, bars::any_answer, bars::any_answer_with_slack());
    std::printf("  memory above its start           %6.1f MiB, promised %.0f MiB%s\n",
                static_cast<double>(memory_above_start) / (1 << 20),
                static_cast<double>(bars::memory_above_start) / (1 << 20), memory_tells ? "" : ", not asserted");
  }

  /// The worst of one kind of fault; times are in seconds.
  struct measured {
    int times = 0;
    double writes = 0; // from the moment PostgreSQL takes connections until a vote is stored
    double ready = 0;  // from then until it says so
    double answer = 0; // to anybody
  };

  fragile_service on;
  ledger book;
  std::vector<int> voters;
  std::map<std::string, measured> seen;
  std::atomic<bool> calm{false}; // no fault is on, and none is being recovered from
  std::atomic<int> calm_reads{0};
  std::int64_t memory_above_start = 0; // the most
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
  tell();
}

} // namespace
} // namespace credence::test
