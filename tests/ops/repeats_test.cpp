#include "ops/client_counts.hpp"
#include "ops/log_ring.hpp"
#include "ops/progress.hpp"
#include "ops/repeats.hpp"
#include "tests/there.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <stdexcept>

namespace credence::ops {
namespace {

using namespace std::chrono_literals;

TEST(Repeats, LetsTheFirstThroughAndCountsTheOthers) {
  repeats of;
  const repeats::time begin{1h};
  EXPECT_TRUE(of.lets_through("away", "1", begin));
  EXPECT_TRUE(of.lets_through("slow", "1", begin));
  for (int i = 2; i <= 20; ++i)
    EXPECT_FALSE(of.lets_through("away", std::to_string(i), begin + i * 100ms));
  EXPECT_TRUE(of.due(begin + 9s).empty());
  const auto due = test::exactly(1, of.due(begin + 10s));
  EXPECT_EQ(due[0].text, "20");
  EXPECT_EQ(due[0].held, 19);
}

TEST(Repeats, TellMoreAndMoreSeldom) {
  repeats of;
  repeats::time now{1h};
  of.lets_through("away", "", now);
  int told = 0;
  for (const auto end = now + 1h; now < end; now += 500ms) {
    of.lets_through("away", "", now);
    told += static_cast<int>(of.due(now).size());
  }
  EXPECT_LT(told, 20) << "twice a second for an hour";
  EXPECT_GT(told, 10);
}

TEST(Repeats, ForgetWhatDoesNotComeAgain) {
  repeats of;
  repeats::time now{1h};
  EXPECT_TRUE(of.lets_through("away", "", now));
  EXPECT_TRUE(of.due(now + 11s).empty());
  EXPECT_TRUE(of.lets_through("away", "", now + 12s));
}

TEST(Repeats, TellAllAtTheEnd) {
  repeats of;
  const repeats::time now{1h};
  of.lets_through("once", "", now);
  for (int i = 0; i < 3; ++i)
    of.lets_through("away", std::to_string(i), now);
  const auto all = test::exactly(1, of.all());
  EXPECT_EQ(all[0].text, "2");
  EXPECT_EQ(all[0].held, 2);
  EXPECT_TRUE(of.all().empty());
}

TEST(Repeats, AreBounded) {
  repeats of;
  const repeats::time now{1h};
  for (std::size_t i = 0; i < 2 * repeats::keys_max; ++i)
    EXPECT_TRUE(of.lets_through(std::to_string(i), "", now));
  EXPECT_TRUE(of.lets_through(std::to_string(2 * repeats::keys_max - 1), "", now))
    << "what is not remembered is let through";
}

std::vector<kept_line> kept(const std::string& event) { return log_lines({.event = event, .limit = 500}).lines; }

TEST(Log, KeepsOneOfManyFailuresThatDifferInTheirIdsAlone) {
  for (int i = 0; i < 30; ++i)
    log(level::warn, "repeats_test_failed", {{"request_id", std::to_string(i)}, {"status", 503}, {"ms", 0.5 * i}});
  log(level::warn, "repeats_test_failed", {{"request_id", "x"}, {"status", 500}, {"ms", 1.5}});
  ASSERT_EQ(kept("repeats_test_failed").size(), 2u);
  EXPECT_NE(kept("repeats_test_failed")[1].fields.find("500"), std::string::npos);
}

TEST(Log, TellsAtTheEndWhatIsStillHeldBack) {
  for (int i = 0; i < 3; ++i)
    log(level::warn, "repeats_test_ended", {{"part", "same"}});
  ASSERT_EQ(kept("repeats_test_ended").size(), 1u);
  log_all_repeats();
  ASSERT_EQ(kept("repeats_test_ended").size(), 2u);
  EXPECT_EQ(kept("repeats_test_ended")[1].fields, R"({"part":"same","repeated":2})");
  log_all_repeats();
  EXPECT_EQ(kept("repeats_test_ended").size(), 2u) << "once";
}

TEST(Log, KeepsOfALongLineThatRepeatsWhatFits) {
  const std::string text(100'000, 'x');
  for (const auto* end : {"a", "a", "b"})
    log(level::warn, "repeats_test_long", {{"part", "same"}, {"error", text + end}});
  ASSERT_EQ(kept("repeats_test_long").size(), 2u) << "they are told apart by their ends";
  log_all_repeats();
  ASSERT_EQ(kept("repeats_test_long").size(), 3u);
  EXPECT_EQ(kept("repeats_test_long")[2].fields, R"({"part":"same","repeated":1})");
}

TEST(Log, KeepsWhatIsNoWarning) {
  for (int i = 0; i < 5; ++i)
    log(level::info, "repeats_test_told", {{"part", "same"}});
  EXPECT_EQ(kept("repeats_test_told").size(), 5u);
}

std::map<std::string, std::int64_t> all(const client_counts& of) {
  std::map<std::string, std::int64_t> out;
  of.each([&](const std::string& name, std::int64_t count) { out[name] = count; });
  return out;
}

TEST(ClientCounts, CountsByTheNameBeforeTheVersion) {
  client_counts counts;
  for (const auto* client : {"web", "bot@1.0.0", "bot@1.1.0", "", "@2"})
    counts.add(client);
  EXPECT_EQ(all(counts), (std::map<std::string, std::int64_t>{{"web", 1}, {"bot", 2}, {"none", 2}}));
}

TEST(ClientCounts, HasABound) {
  client_counts counts;
  for (int i = 0; i < 1000; ++i)
    counts.add("client" + std::to_string(i));
  counts.add("client0");
  const auto seen = all(counts);
  EXPECT_EQ(seen.size(), client_counts::clients_max + 1);
  EXPECT_EQ(seen.at("client0"), 2);
  EXPECT_EQ(seen.at("other"), 1000 - static_cast<std::int64_t>(client_counts::clients_max));
}

TEST(ClientCounts, LosesNothingWhenThreadsNameTheSameClients) {
  client_counts counts;
  test::at_once(4, [&counts] {
    for (int n = 0; n < 6000; ++n)
      counts.add("client" + std::to_string(n % 15));
  });
  const auto seen = all(counts);
  EXPECT_EQ(seen.size(), 15u);
  for (const auto& [name, count] : seen)
    EXPECT_EQ(count, 1600) << name;
}

TEST(ClientCounts, TellWhatRequestsOfAClientCameTo) {
  const auto now = [] {
    std::vector<std::int64_t> out;
    the_traffic_by_client().each([&](std::string_view name, const client_traffic& of) {
      if (name == "counted")
        out = {of.requests.value(), of.client_errors.value(), of.rate_limited.value(), of.server_errors.value(),
               of.deprecated.value()};
    });
    return out;
  };
  for (const unsigned status : {200u, 404u, 429u, 503u})
    count_request("counted@2.1", status, status == 200);
  EXPECT_EQ(now(), (std::vector<std::int64_t>{4, 2, 1, 1, 1}));
}

TEST(ClientCounts, HaveEachNameOnceWhateverClientsCallThemselves) {
  per_client<counter, 4> counts;
  for (const auto* each : {"none@1", "other", "", "web"})
    counts.of(each).add();
  std::map<std::string, std::int64_t> seen;
  counts.each(
    [&](std::string_view name, const counter& of) { EXPECT_TRUE(seen.emplace(name, of.value()).second) << name; });
  EXPECT_EQ(seen, (std::map<std::string, std::int64_t>{{"none", 2}, {"other", 1}, {"web", 1}}));
}

/// What is written into a pipe.
class listener {
public:
  listener() {
    if (::pipe(ends_) != 0)
      throw std::runtime_error("pipe");
  }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener() { ::close(ends_[0]); }

  int end() const { return ends_[1]; }
  /// Waits until this was written; all that was written so far.
  std::string heard_until(const std::string& words) {
    while (heard_.find(words) == std::string::npos && more()) {
    }
    return heard_;
  }
  /// Nobody writes any more.
  std::string heard_to_the_end() {
    ::close(ends_[1]);
    while (more()) {
    }
    return heard_;
  }

private:
  bool more() {
    char chunk[4096];
    const auto count = ::read(ends_[0], chunk, sizeof chunk);
    if (count > 0)
      heard_.append(chunk, static_cast<std::size_t>(count));
    return count > 0;
  }

  int ends_[2];
  std::string heard_;
};

TEST(Progress, SaysWhatIsDoneHowFarItIsAndHowLongItWillTake) {
  const progress_state how{"votes", 3'120'000, 5'000'000, 0.627, 100s, 70s};
  EXPECT_EQ(progress_text("demo", how, 100), "demo: votes, 3,120,000 of 5,000,000, 62 %, about 1 min 10 s left");
  EXPECT_EQ(progress_text("demo", how, 20), "demo: votes, 3,120,0") << "a line that is wrapped cannot be rewritten";
  const progress_state uncounted{"tallies", 0, 0, 0.9, 3725s, std::nullopt};
  EXPECT_EQ(progress_text("demo", uncounted, 100), "demo: tallies, 90 %, 1 h 2 min so far");
}

TEST(Progress, IsWrittenAsLinesWhereNothingCanBeRewritten) {
  listener file;
  {
    progress told{"work", {file.end(), false, 1ms}};
    told.expect(4);
    told.begin("first", 1, 10);
    told.at(5);
    file.heard_until("work: first, 5 of 10, 12 %, ");
    told.begin("second", 3, 2);
    file.heard_until("work: second, 0 of 2, 25 %, ");
  }
  const auto heard = file.heard_to_the_end();
  EXPECT_EQ(heard.find_first_of("\r\x1b"), std::string::npos) << heard;
  EXPECT_EQ(heard.back(), '\n');
}

TEST(Progress, RewritesOneLineOfATerminalAndWipesItInTheEnd) {
  listener terminal;
  {
    progress told{"work", {terminal.end(), true, 1h}};
    told.begin("first", 1, 10);
    told.begin("second", 1);
  }
  const auto heard = terminal.heard_to_the_end();
  EXPECT_EQ(heard, "\r\x1b[Kwork: first, 0 of 10, 0 %, 0 s so far\r\x1b[Kwork: second, 50 %, 0 s so far\r\x1b[K");
}

TEST(Progress, MayBeLongerThanWasExpected) {
  listener file;
  progress told{"work", {file.end(), true, 1h}};
  told.expect(1);
  told.begin("first", 1);
  told.begin("unexpected", 3);
  EXPECT_NE(file.heard_until("unexpected").find("25 %"), std::string::npos);
  progress& nobody = untold();
  nobody.begin("unheard", 1, 2);
  nobody.at(1);
}

TEST(ProgressDeathTest, EndsTheLineWhenItIsInterrupted) {
  const auto work = [] {
    ::signal(SIGINT, SIG_DFL); // shells have their background commands ignore it
    progress told{"work", {2, true, 1h}};
    told.begin("first", 1);
    ::raise(SIGINT);
  };
  EXPECT_EXIT(work(), testing::KilledBySignal(SIGINT), "work: first, 0 %, 0 s so far\n$");
}

} // namespace
} // namespace credence::ops
