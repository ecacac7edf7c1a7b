#include "tests/simulation/simulation.hpp"

#include "actors/domain/hash.hpp"
#include "ops/metrics.hpp"
#include "tests/large.hpp"

#include <gtest/gtest.h>

namespace credence::test {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

/// The order of what is in a table decides on the order of messages, so it must repeat, too.
class fixed_hashes : public ::testing::Environment {
  void SetUp() override { set_hash_key({1, 2}); }
};
[[maybe_unused]] const auto* const fixed = ::testing::AddGlobalTestEnvironment(new fixed_hashes);

/// SIMULATION_SEEDS runs more, SIMULATION_FIRST others.
TEST(Simulation, EverySeedKeepsEveryPromise) {
  const auto first = number_from_environment("SIMULATION_FIRST", 1);
  const auto seeds = number_from_environment("SIMULATION_SEEDS", large(4000));
  simulation_report all;
  const auto cold_before = ops::the_metrics().votes.cold.value();
  for (auto seed = first; seed < first + seeds; ++seed) {
    simulation_plan plan;
    plan.seed = seed;
    plan.advances = seed % 4 != 0; // a period that opens by itself shows where nobody opens any
    const auto report = simulate(plan);
    all.acknowledged += report.acknowledged;
    all.tipped += report.tipped;
    all.traded += report.traded;
    all.refused += report.refused;
    all.unknown += report.unknown;
    all.crashes += report.crashes;
    all.repeated += report.repeated;
    all.credentials += report.credentials;
    all.restarts += report.restarts;
    all.takeovers += report.takeovers;
    all.slash_votes += report.slash_votes;
    all.closed += report.closed;
    all.clock_steps += report.clock_steps;
    all.turned_away += report.turned_away;
    all.strays += report.strays;
    if (!report.violations.empty()) {
      const auto shortest = shortest_failure(plan);
      FAIL() << describe(shortest, simulate(shortest));
    }
  }
  if (seeds >= 100) { // a run in which nothing happens proves nothing
    const auto many = static_cast<int>(seeds);
    EXPECT_GT(all.acknowledged, 5 * many);
    EXPECT_GT(all.traded, 5 * many);
    EXPECT_GT(all.slash_votes, 3 * many);
    EXPECT_GT(all.closed, many / 2);
    EXPECT_GT(all.clock_steps, many / 4);
    EXPECT_GT(all.turned_away, many);
    EXPECT_GT(ops::the_metrics().votes.cold.value() - cold_before, many);
    EXPECT_GT(all.unknown, many);
    EXPECT_GT(all.refused, many);
    EXPECT_GT(all.crashes, many);
    EXPECT_GT(all.repeated, many);
    EXPECT_GT(all.credentials, many);
    EXPECT_GT(all.restarts, many / 10);
    EXPECT_GT(all.takeovers, many / 10);
    EXPECT_GT(all.strays.committed, many / 8);
    EXPECT_GT(all.strays.fenced, many / 20);
    EXPECT_GT(all.strays.awaited, many / 8);
  }
  std::printf("%llu seeds: %d votes acknowledged, %d refused, %d unknown; %d tips and %d trades acknowledged; %d "
              "actors crashed, %d processes killed, %d taken over\n"
              "%d votes on slashes stored, %d slashes closed; the clock was stepped %d times, and %d changes were "
              "turned away meanwhile\n",
              static_cast<unsigned long long>(seeds), all.acknowledged, all.refused, all.unknown, all.tipped,
              all.traded, all.crashes, all.restarts, all.takeovers, all.slash_votes, all.closed, all.clock_steps,
              all.turned_away);
  std::printf("transactions of lost connections: %d committed, %d rolled back, %d too late; takeovers waited for %d, "
              "and for %d in vain\n",
              all.strays.committed, all.strays.rolled_back, all.strays.fenced, all.strays.awaited,
              all.strays.in_the_way);
}

TEST(Simulation, ASeedIsTheWholeStory) {
  simulation_plan plan;
  plan.seed = 17;
  EXPECT_EQ(simulate(plan).trace, simulate(plan).trace);
}

/// Seeds until one finds the mistake.
simulation_report found_by(planted mistake, simulation_plan plan = {}) {
  plan.mistake = mistake;
  for (plan.seed = 1; plan.seed <= 200; ++plan.seed)
    if (auto report = simulate(plan); !report.violations.empty())
      return report;
  return {};
}

TEST(Simulation, FindsAnAnswerBeforeTheCommit) {
  EXPECT_FALSE(found_by(planted::answers_before_the_commit).violations.empty());
}

TEST(Simulation, FindsALostUnknownOutcome) {
  EXPECT_FALSE(found_by(planted::takes_the_unknown_for_stored).violations.empty());
}

TEST(Simulation, FindsAWrongCountOfAVotersVotes) {
  EXPECT_FALSE(found_by(planted::miscounts_votes).violations.empty());
}

TEST(Simulation, FindsATakeoverThatDoesNotWait) {
  EXPECT_FALSE(found_by(planted::takes_over_without_waiting).violations.empty());
}

/// Whether some seed finds the mistake in these words.
bool finds(planted mistake, const char* words, simulation_plan plan = {}) {
  plan.mistake = mistake;
  for (plan.seed = 1; plan.seed <= 200; ++plan.seed)
    for (const auto& each : simulate(plan).violations)
      if (each.find(words) != std::string::npos)
        return true;
  return false;
}

TEST(Simulation, FindsASlashVoteThatCountsOnBothSides) {
  EXPECT_TRUE(finds(planted::counts_a_changed_slash_vote_twice, ", and its tally says "));
  EXPECT_TRUE(finds(planted::counts_a_changed_slash_vote_twice, ", and its votes weigh "))
    << "also as the slash closes";
}

TEST(Simulation, FindsABallotThatIsForgotten) {
  EXPECT_TRUE(finds(planted::forgets_a_ballot, ", which was not known"));
}

TEST(Simulation, FindsAStampOfAClockThatJumped) {
  EXPECT_TRUE(finds(planted::stamps_by_the_wall_clock, " was stamped with "));
}

TEST(Simulation, FindsAPeriodThatAJumpOpened) {
  simulation_plan plan; // without what shows first that the time is wrong, or keeps periods from opening
  plan.advances = plan.credentials = plan.slashes = plan.trading = plan.repeats = plan.outages = plan.restarts =
    plan.takeovers = false;
  plan.faults = {};
  EXPECT_TRUE(finds(planted::stamps_by_the_wall_clock, "a period was opened that nobody asked for", plan));
}

/// With reviews, vouches, replies and votes on these instead of trades and credentials.
simulation_plan records_plan(std::uint64_t seed) {
  simulation_plan plan;
  plan.seed = seed;
  plan.records = true;
  plan.trading = plan.credentials = plan.slashes = plan.archiving = false;
  return plan;
}

TEST(Simulation, RecordsAreKeptOnceAndScoresFollowFromThem) {
  const auto first = number_from_environment("SIMULATION_FIRST", 1);
  const auto seeds = number_from_environment("SIMULATION_SEEDS", 300);
  simulation_report all;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto plan = records_plan(seed);
    const auto report = simulate(plan);
    all.records += report.records;
    all.scores += report.scores;
    all.restarts += report.restarts;
    all.crashes += report.crashes;
    if (!report.violations.empty()) {
      const auto shortest = shortest_failure(plan);
      FAIL() << describe(shortest, simulate(shortest));
    }
  }
  if (seeds >= 100) {
    const auto many = static_cast<int>(seeds);
    EXPECT_GT(all.records, 20 * many);
    EXPECT_GT(all.scores, 4 * many);
    EXPECT_GT(all.crashes, many);
    EXPECT_GT(all.restarts, many / 10);
  }
  std::printf("%llu seeds: %d changes of records acknowledged, %d scores worked out\n",
              static_cast<unsigned long long>(seeds), all.records, all.scores);
}

TEST(Simulation, FindsAMarkThatIsForgotten) {
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 100 && !found; ++seed) {
    auto plan = records_plan(seed);
    plan.mistake = planted::forgets_a_mark;
    const auto report = simulate(plan);
    found = std::any_of(report.violations.begin(), report.violations.end(), [](const std::string& each) {
      return each.find("is not what its records come to") != std::string::npos;
    });
  }
  EXPECT_TRUE(found);
}

TEST(Simulation, FindsAClockThatIsNotComparedWithTheDatabase) {
  EXPECT_TRUE(finds(planted::believes_any_clock, " was stamped with "));
}

TEST(Simulation, FindsAWriteWhileTheClockIsWrong) {
  EXPECT_TRUE(finds(planted::writes_by_any_clock, "was taken by a process whose clock was wrong"));
}

TEST(Simulation, FindsAVoterWhoIsNotToldThatAProjectWasLost) {
  simulation_plan plan;
  plan.trading = false;
  plan.restarts = plan.takeovers = false;
  EXPECT_FALSE(found_by(planted::tells_nobody_of_a_loss, plan).violations.empty());
}

TEST(Simulation, FindsAReceiverWhoIsNotToldThatASenderWasLost) {
  simulation_plan plan;
  plan.voting = plan.trading = false;
  plan.restarts = plan.takeovers = false;
  EXPECT_FALSE(found_by(planted::tells_nobody_of_a_loss, plan).violations.empty());
}

} // namespace
} // namespace credence::test
