#include "actors/kernel/fair_mutex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace credence {
namespace {

class TurnstileTest : public testing::Test {
protected:
  void wait(int who) {
    gate->wait([this, who](fair_mutex::guard_ptr pass) {
      in.push_back(who);
      passes.push_back(std::move(pass));
    });
  }

  std::shared_ptr<fair_mutex> gate = std::make_shared<fair_mutex>();
  std::vector<int> in;
  std::vector<fair_mutex::guard_ptr> passes;
};

TEST_F(TurnstileTest, LetsOneInAtATimeInTheirOrder) {
  for (int who = 1; who <= 3; ++who)
    wait(who);
  EXPECT_EQ(in, (std::vector{1}));
  for (std::size_t gone = 0; gone < 3; ++gone)
    passes[gone].reset();
  EXPECT_EQ(in, (std::vector{1, 2, 3}));
  wait(4);
  EXPECT_EQ(in.back(), 4) << "nobody is inside any more";
}

TEST_F(TurnstileTest, WhoComesAgainWaitsBehindTheOthers) {
  wait(1);
  wait(2);
  wait(1); // with the first pass still in hand, as a read does that has another piece
  passes[0].reset();
  EXPECT_EQ(in, (std::vector{1, 2}));
  passes[1].reset();
  EXPECT_EQ(in, (std::vector{1, 2, 1}));
}

TEST_F(TurnstileTest, APassThatIsLostLetsTheNextOneIn) {
  wait(1);
  gate->wait([](const fair_mutex::guard_ptr&) {}); // an actor that is gone: nobody takes the pass
  wait(3);
  passes.front().reset();
  EXPECT_EQ(in, (std::vector{1, 3}));
}

TEST_F(TurnstileTest, AHundredThousandWhoAreGoneTakeNoRoomOnTheStack) {
  wait(1);
  for (int gone = 0; gone < 100'000; ++gone)
    gate->wait([](const fair_mutex::guard_ptr&) {});
  wait(2);
  passes.front().reset();
  EXPECT_EQ(in, (std::vector{1, 2}));
  passes[1].reset();
  wait(3);
  EXPECT_EQ(in, (std::vector{1, 2, 3}));
}

TEST_F(TurnstileTest, ThreadsAreLetInOneAtATimeToo) {
  std::atomic<int> inside{0}, most{0}, turns{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n)
        gate->wait([&](const fair_mutex::guard_ptr&) {
          most = std::max(most.load(), ++inside);
          ++turns;
          --inside;
        });
    });
  for (auto& each : threads)
    each.join();
  EXPECT_EQ(turns, 8000);
  EXPECT_EQ(most, 1);
}

} // namespace
} // namespace credence
