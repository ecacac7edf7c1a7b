#include "tests/system/chain_history.hpp"

#include "tests/persistence/postgres_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

/// Random histories of a chain, with kills and reorganisations. Sizes and seed: docs/testing.md.
namespace credence::test {
namespace {

using namespace std::chrono_literals;

int number_from_environment(const char* name, int otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::atoi(given) : otherwise;
}

class ChainHistory : public followed_records {
protected:
  static constexpr int reorganised_blocks_max = 20;
  static constexpr auto long_timeout = 600s;

  ChainHistory() { node.mine(reorganised_blocks_max); }

  /// A block with 1 to 12 events; how many they are.
  int emit_block() {
    first_profiles.push_back(random.next_profile());
    const auto events = random.next(static_cast<std::size_t>(1 + random.below(12)));
    emit_together(events);
    return static_cast<int>(events.size());
  }
  /// Who joined in the last blocks joins once more, as transactions of lost blocks do on a real chain.
  std::vector<chain::event> joined_again(int blocks) {
    const auto kept = static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::ssize(first_profiles) - blocks, 0));
    const auto from = kept < first_profiles.size() ? first_profiles[kept] : random.next_profile();
    first_profiles.resize(kept);
    first_profiles.push_back(from);
    return random.again_from(from);
  }
  void reorganise_at_random() {
    const auto blocks = 1 + random.below(reorganised_blocks_max);
    auto instead = random.below(4) == 0 ? std::vector<chain::event>{}
                                        : joined_again(blocks); // else later events are of people who are gone
    if (random.below(2) == 0)
      for (auto& each : random.next(static_cast<std::size_t>(random.below(6))))
        instead.push_back(std::move(each));
    reorganise(blocks, instead);
  }
  void sleep_a_little(int most_ms) { std::this_thread::sleep_for(std::chrono::milliseconds{random.below(most_ms)}); }
  void kill_server() {
    own.kill_hard();
    if (random.below(2) == 0)
      emit_block();
    start();
  }
  void strike() {
    switch (random.below(6)) {
      case 0:
        node.stop();
        sleep_a_little(400);
        return node.go_on();
      case 1: node.restart(); return node.mine(reorganised_blocks_max); // it takes no blocks back from before its start
      case 2:
        own.database().kill_hard();
        sleep_a_little(300);
        return own.database().start();
      case 3: return reorganise_at_random();
      default: return kill_server();
    }
  }
  /// Ids and sums: nothing is lost, doubled or miscounted.
  void expect_all_is_there_once() {
    expect_stored_is_the_chain();
    EXPECT_EQ(number("SELECT count(*) FROM chain_events") + number("SELECT count(*) FROM chain_orphans"),
              number("SELECT last_event FROM chain_follow"))
      << "every id is of one event";
    EXPECT_EQ(number("SELECT count(*) FROM (SELECT id FROM chain_events UNION SELECT id FROM chain_orphans) x"),
              number("SELECT last_event FROM chain_follow"));
    EXPECT_EQ(number("SELECT sum(reviews_negative + reviews_neutral + reviews_positive) FROM users"),
              number("SELECT count(*) FROM reviews WHERE NOT archived"));
    EXPECT_EQ(number("SELECT sum(up + down) FROM activity_tallies"),
              number("SELECT count(*) FROM activity_votes WHERE NOT archived"));
    expect_whole();
    verify();
  }

  const int seed = number_from_environment("CHAIN_SEED", 20261123);
  chain_history random{static_cast<std::uint64_t>(seed)};
  std::vector<int>
    first_profiles; // by blocks with events: who joined in that block, or later, has this number or a higher one
};

TEST_F(ChainHistory, IsThereOnceThroughKillsOfServerNodeAndDatabase) {
  SCOPED_TRACE("CHAIN_SEED=" + std::to_string(seed));
  const auto events = number_from_environment("CHAIN_EVENTS", 500);
  const auto strikes = number_from_environment("CHAIN_STRIKES", 10);
  start();
  for (int sent = 0, struck = 0; sent < events;) {
    sent += emit_block();
    if (struck >= strikes * static_cast<std::int64_t>(sent) / events)
      continue;
    ++struck;
    sleep_a_little(100);
    strike();
  }
  if (!own.running())
    start();
  ASSERT_TRUE(stands_at_head(long_timeout));
  expect_all_is_there_once();
  EXPECT_GT(number("SELECT count(*) FROM chain_events WHERE status = 'applied'"),
            number("SELECT count(*) FROM chain_events") / 2);
}

TEST_F(ChainHistory, IsWhatTheChainHasAfterEveryReorganisation) {
  SCOPED_TRACE("CHAIN_SEED=" + std::to_string(seed));
  const auto reorganisations = number_from_environment("CHAIN_REORGANISATIONS", 20);
  start();
  for (int done = 0; done < reorganisations && !HasFailure(); ++done) {
    SCOPED_TRACE("reorganisation " + std::to_string(done));
    for (int blocks = 1 + random.below(3); blocks > 0; --blocks)
      emit_block();
    if (random.below(2) == 0) {
      ASSERT_TRUE(stands_at_head());
    }
    reorganise_at_random();
    if (random.below(4) == 0) { // another one while the first is being undone
      sleep_a_little(150);
      reorganise_at_random();
    }
    if (random.below(8) == 0) {
      sleep_a_little(150);
      kill_server();
    }
    ASSERT_TRUE(stands_at_head());
    expect_whole();
  }
  EXPECT_GT(number("SELECT reorganisations FROM chain_follow"), reorganisations / 2);
  expect_all_is_there_once();
}

} // namespace
} // namespace credence::test
