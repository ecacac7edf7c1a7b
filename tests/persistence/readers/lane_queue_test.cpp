#include "persistence/readers/lane_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

class LaneQueue : public ::testing::Test {
protected:
  LaneQueue() { line.start({100, 1s, 4s}, std::vector<reader_entity>(1), &waits); }

  std::shared_ptr<reading> put(const manner& how, milliseconds ago = 0ms) {
    auto out = std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}));
    out->asked_at = steady_clock::now() - ago;
    line.push(out);
    return out;
  }

  std::deque<load_handler> kinds;
  ops::gauge waits;
  lane_queue line;
};

TEST_F(LaneQueue, WhatHasWaitedTooLongIsGivenBackAlsoWhereOthersGoBeforeIt) {
  const auto late = put(list_of_many, 5s);
  const auto many = put(list_of_many, 2s); // which has more time
  const auto page = put(list_a_page);
  EXPECT_EQ(line.next_late(), late);
  EXPECT_EQ(line.next_late(), nullptr);
  EXPECT_EQ(line.next(), page);
  EXPECT_EQ(line.next(), many);
}

TEST_F(LaneQueue, APageHasLessTimeThanWhatIsReadWhole) {
  const auto page = put(list_a_page, 2s);
  put(list_of_many, 2s);
  EXPECT_EQ(line.next_late(), page);
  EXPECT_EQ(line.next_late(), nullptr);
}

} // namespace
} // namespace credence::persistence
