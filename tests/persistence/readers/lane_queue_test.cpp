#include "persistence/readers/lane_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

class LaneQueue : public ::testing::Test {
protected:
  LaneQueue() { line.start({100, 10, 1s, 4s}, std::vector<reader_entity>(1), &waits); }

  std::shared_ptr<reading> put(const query_policy& how, milliseconds ago = 0ms, const asker& whose = {}) {
    auto out = std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on, whose);
    out->asked_at = steady_clock::now() - ago;
    line.push(out);
    return out;
  }
  std::vector<std::shared_ptr<reading>> put_many(int count, const query_policy& how, const asker& whose) {
    std::vector<std::shared_ptr<reading>> out;
    for (int i = 0; i < count; ++i)
      out.push_back(put(how, 0ms, whose));
    return out;
  }
  /// How many of the next `count` reads are of each of those.
  std::map<asker, int> next_of(int count) {
    std::map<asker, int> out;
    for (int i = 0; i < count; ++i)
      if (const auto next = line.next())
        ++out[next->whose()];
    return out;
  }
  static asker profile(std::uint64_t who) { return {asker_rank::known, who}; }
  static asker address(std::uint64_t who) { return {asker_rank::anonymous, who}; }

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

TEST_F(LaneQueue, AskersAreServedInTurnHoweverManyQuestionsOneHas) {
  const auto flood = put_many(50, list_a_page, address(1));
  const auto other = put(list_a_page, 0ms, address(2));
  const auto third = put(list_of_many, 0ms, address(3));
  EXPECT_EQ(line.next(), flood[0]);
  EXPECT_EQ(line.next(), third) << "what is short and what has much to read go in turn";
  EXPECT_EQ(line.next(), other);
  EXPECT_EQ(line.next(), flood[1]);
  EXPECT_EQ(line.next(), flood[2]);
}

TEST_F(LaneQueue, WhoHasAskedForMuchWaitsAmongTheirOwnBehindWhatIsShort) {
  const auto much = put(list_of_many, 0ms, profile(1));
  const auto page = put(list_a_page, 0ms, profile(1));
  EXPECT_EQ(line.next(), page);
  EXPECT_EQ(line.next(), much);
}

TEST_F(LaneQueue, AnonymousAskersComeLastButGetAnEighth) {
  put_many(40, list_a_page, address(1));
  put_many(40, list_a_page, profile(1));
  put_many(40, list_a_page, {});
  const auto first = line.next();
  EXPECT_EQ(first->whose(), asker{});
  auto served = next_of(31);
  EXPECT_EQ(served[asker{}] + 1, 16);
  EXPECT_EQ(served[profile(1)], 12);
  EXPECT_EQ(served[address(1)], 4);
}

TEST_F(LaneQueue, WhatOneRankLeavesGoesToTheOthersAndIsNotMadeUpFor) {
  put_many(30, list_a_page, address(1));
  EXPECT_EQ(next_of(20)[address(1)], 20) << "nobody else asks";
  put_many(30, list_a_page, profile(1));
  EXPECT_EQ(line.next()->whose(), profile(1)) << "who has just come goes first";
  auto served = next_of(16);
  EXPECT_EQ(served[profile(1)], 12);
  EXPECT_EQ(served[address(1)], 4);
}

TEST(LaneQueueOfTwo, PagesOfTheKnownTakeNothingFromTheirShareOfWhatHasMuchToRead) {
  ops::gauge waits;
  lane_queue line;
  line.start({1000, 1000, 1s, 4s}, std::vector<reader_entity>(2), &waits);
  std::deque<load_handler> kinds;
  const auto put = [&](const query_policy& how, const asker& whose) {
    line.push(std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on, whose));
  };
  const asker known{asker_rank::known, 1};
  const asker anonymous{asker_rank::anonymous, 1};
  std::map<asker, int> served;
  for (int i = 0; i < 24;
       ++i) { // one of the two connections may have much to read, and each time the other one reads eight pages
    put(list_of_many, anonymous), put(list_of_many, known);
    for (int page = 0; page < 9; ++page)
      put(list_a_page, {asker_rank::known, 2});
    auto next = line.next();
    if (next->how().weighs == weight::few) { // goes on the connection that was free last, which is free again
      line.hand_out(std::move(next));
      line.done(1);
      next = line.next();
    }
    ASSERT_EQ(next->how().weighs, weight::many);
    ++served[next->whose()];
    line.hand_out(std::move(next));
    for (int page = 0; page < 8; ++page) {
      next = line.next();
      ASSERT_EQ(next->how().weighs, weight::few) << "the other connection is for what is short";
      line.hand_out(std::move(next));
      line.done(0);
    }
    line.done(1);
  }
  EXPECT_EQ(served[known], 18) << "three of four";
  EXPECT_EQ(served[anonymous], 6);
}

TEST_F(LaneQueue, OnlyWhoseOwnPlacesAreFullIsRefused) {
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(line.enter(address(1)));
  EXPECT_EQ(line.enter(address(1)), failure::too_many);
  EXPECT_FALSE(line.enter(address(2)));
  EXPECT_FALSE(line.enter({asker_rank::known, 1})) << "the same number, another rank";
  line.leave(address(1), 1);
  EXPECT_FALSE(line.enter(address(1)));
  EXPECT_EQ(line.enter(address(1)), failure::too_many);
}

TEST_F(LaneQueue, AnonymousAskersLeaveHalfOfThePlacesToThoseWhoAreKnown) {
  for (std::uint64_t who = 0; who < 50; ++who)
    EXPECT_FALSE(line.enter(address(who)));
  EXPECT_EQ(line.enter(address(99)), failure::overloaded);
  for (std::uint64_t who = 0; who < 50; ++who)
    EXPECT_FALSE(line.enter(profile(who)));
  EXPECT_EQ(line.enter(profile(99)), failure::overloaded);
  EXPECT_EQ(line.enter({}), failure::overloaded);
  EXPECT_EQ(waits.value(), 100);
}

TEST(LaneQueueOfThree, LeavesAConnectionToWhatIsShortWhateverElseWaits) {
  lane_queue line;
  ops::gauge waits;
  line.start({100, 10, 1s, 4s}, std::vector<reader_entity>(3), &waits);
  std::deque<load_handler> kinds;
  const auto put = [&](const query_policy& how) {
    line.push(std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on,
                                        asker{asker_rank::anonymous, 1}));
  };
  for (int i = 0; i < 3; ++i)
    put(list_of_many);
  line.hand_out(line.next());
  line.hand_out(line.next());
  EXPECT_EQ(line.next(), nullptr) << "the third would have the last connection";
  put(list_a_page);
  EXPECT_NE(line.next(), nullptr);
}

} // namespace
} // namespace credence::persistence
