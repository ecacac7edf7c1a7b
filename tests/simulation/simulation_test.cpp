#include "tests/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace credence::test {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

/// SIMULATION_SEEDS runs more, SIMULATION_FIRST others.
TEST(Simulation, EverySeedKeepsEveryPromise) {
  const auto first = number_from_environment("SIMULATION_FIRST", 1);
  const auto seeds = number_from_environment("SIMULATION_SEEDS", 2000);
  simulation_report all;
  for (auto seed = first; seed < first + seeds; ++seed) {
    simulation_plan plan;
    plan.seed = seed;
    const auto report = simulate(plan);
    all.acknowledged += report.acknowledged;
    all.refused += report.refused;
    all.unknown += report.unknown;
    all.crashes += report.crashes;
    if (!report.violations.empty()) {
      const auto shortest = shortest_failure(plan);
      FAIL() << describe(shortest, simulate(shortest));
    }
  }
  // A run in which nothing happens proves nothing.
  EXPECT_GT(all.acknowledged, static_cast<int>(5 * seeds));
  EXPECT_GT(all.unknown, static_cast<int>(seeds));
  EXPECT_GT(all.refused, static_cast<int>(seeds));
  EXPECT_GT(all.crashes, static_cast<int>(seeds));
  std::printf("%llu seeds: %d votes acknowledged, %d refused, %d unknown, %d actors crashed\n",
              static_cast<unsigned long long>(seeds), all.acknowledged, all.refused, all.unknown, all.crashes);
}

TEST(Simulation, ASeedIsTheWholeStory) {
  simulation_plan plan;
  plan.seed = 17;
  EXPECT_EQ(simulate(plan).trace, simulate(plan).trace);
}

/// Seeds until one finds the mistake.
simulation_report found_by(planted mistake) {
  simulation_plan plan;
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

} // namespace
} // namespace credence::test
