#include "actors/kernel/inline_executor.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

namespace credence {
namespace {

using listener = actor_handle<int>;

/// Notes the thread that it runs on; passes what is above 0 on to itself or to `next`, one less.
class passing : public actor {
public:
  static inline const char* name = "passing";
  using takes = listener::takes;

  void start(std::atomic<int>* heard, std::vector<std::thread::id>* on, listener next) {
    heard_ = heard;
    on_ = on;
    next_ = next ? std::move(next) : listener{this_actor()};
  }
  void on(int left) {
    on_->push_back(std::this_thread::get_id());
    heard_->fetch_add(1);
    if (left > 0)
      post(next_, left - 1);
  }

private:
  std::atomic<int>* heard_ = nullptr;
  std::vector<std::thread::id>* on_ = nullptr;
  listener next_;
};

class OwnTurns : public ::testing::Test {
protected:
  listener spawn_passing(std::atomic<int>& heard, std::vector<std::thread::id>& on, const listener& next = {}) {
    return all_.emplace_back(spawn<passing>(system_, &heard, &on, next));
  }
  ~OwnTurns() override {
    for (const auto& each : all_)
      tell_to_end(each);
    all_.clear();
  }
  static bool await(const std::atomic<int>& heard, int wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (heard.load() < wanted && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    return heard.load() >= wanted;
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  std::vector<listener> all_;
};

TEST_F(OwnTurns, ActorsRunOnTheThreadThatAsksUntilNobodyHasAnythingToDo) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on, on_next;
  std::vector<std::thread::id> on_last;
  const auto last = spawn_passing(heard, on_last);
  const auto next = spawn_passing(heard, on_next, last);
  const auto first = spawn_passing(heard, on, next);
  int woken = 0;
  inline_executor here{system_, [&woken] { ++woken; }};
  {
    const inline_executor::scope scope{&here};
    post(first, 2); // spawned elsewhere: they may have to begin there
  }
  here.run(10);
  ASSERT_TRUE(await(heard, 3));
  std::this_thread::sleep_for(std::chrono::milliseconds{20}); // both wait for a message
  heard = 0;
  on.clear();
  on_next.clear();
  on_last.clear();
  {
    const inline_executor::scope scope{&here};
    post(first, 2);
  }
  EXPECT_EQ(here.waiting(), 1u);
  EXPECT_EQ(heard, 0) << "not before its turn";
  here.run(10);
  EXPECT_EQ(heard, 3);
  EXPECT_EQ(here.waiting(), 0u);
  EXPECT_EQ(on, std::vector{std::this_thread::get_id()});
  EXPECT_EQ(on_next, std::vector{std::this_thread::get_id()});
  EXPECT_EQ(on_last, std::vector{std::this_thread::get_id()});
  EXPECT_GE(woken, 1) << "for the first of them, not for what follows in its run";
  EXPECT_LE(woken, 2);
}

TEST_F(OwnTurns, WhatIsLeftGoesToTheSharedThreads) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on;
  const auto busy = spawn_passing(heard, on);
  inline_executor here{system_};
  {
    const inline_executor::scope scope{&here};
    post(busy, 1000);
  }
  here.run(1);
  EXPECT_TRUE(await(heard, 1001));
  heard = 0;
  {
    inline_executor ending{system_};
    const inline_executor::scope scope{&ending};
    post(busy, 0);
  }
  EXPECT_TRUE(await(heard, 1)) << "nobody is forgotten with the thread";
}

TEST_F(OwnTurns, WithoutOneMessagesGoTheUsualWay) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on;
  post(spawn_passing(heard, on), 1);
  EXPECT_TRUE(await(heard, 2));
}

} // namespace
} // namespace credence
