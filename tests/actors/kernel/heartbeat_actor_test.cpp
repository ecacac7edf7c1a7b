#include "actors/kernel/heartbeat_actor.hpp"

#include "actors/kernel/actor.hpp"
#include "tests/waiting.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace credence {
namespace {

using namespace std::chrono_literals;

/// Threads that actors share, of which some may be kept.
class Canaries : public testing::Test {
protected:
  static constexpr std::size_t threads = 3;

  Canaries() {
    config_.set("scheduler.policy", caf::atom("sharing"));
    config_.set("scheduler.max-threads", threads);
    sys = std::make_unique<caf::actor_system>(config_);
    birds = std::make_unique<heartbeat_probes>(*sys, threads);
  }
  ~Canaries() override {
    keep = false;
    birds.reset();
  }

  /// Until `holds`, with a roll call now and then.
  template <class F>
  bool soon(F holds) {
    return test::comes_true([&, i = 0]() mutable {
      if (holds())
        return true;
      ++i % 5 == 0 ? birds->probe_all(100ms) : birds->call();
      std::this_thread::sleep_for(10ms);
      return false;
    });
  }
  std::size_t heard_on() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < threads; ++i)
      count += birds->heard(i) > 0;
    return count;
  }

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> sys;
  std::unique_ptr<heartbeat_probes> birds;
  std::atomic<bool> keep{true};
};

TEST_F(Canaries, AreHeardOnEveryThread) {
  EXPECT_TRUE(soon([&] { return heard_on() == threads; }));
}

TEST_F(Canaries, AreNotHeardOnAThreadThatStandsStill) {
  ASSERT_TRUE(soon([&] { return heard_on() == threads; }));
  std::atomic<bool> kept{false};
  const auto stuck = spawn_functions<actor_handle<int>>(*sys, [&](int) {
    kept = true;
    while (keep)
      std::this_thread::sleep_for(1ms); // it is the one that stands still
  });
  send(stuck, 1);
  ASSERT_TRUE(test::await("a thread that stands still", [&] { return kept.load(); }));
  std::array<std::uint64_t, threads> before{};
  for (std::size_t i = 0; i < threads; ++i)
    before[i] = birds->heard(i);
  const auto silent = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < threads; ++i)
      count += birds->heard(i) == before[i];
    return count;
  };
  EXPECT_TRUE(soon([&] { return silent() == 1; })) << "the others are heard";
  for (int i = 0; i < 20; ++i) {
    birds->probe_all(20ms);
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_EQ(silent(), 1u);
  keep = false;
  tell_to_end(stuck);
  EXPECT_TRUE(soon([&] { return silent() == 0; }));
}

} // namespace
} // namespace credence
