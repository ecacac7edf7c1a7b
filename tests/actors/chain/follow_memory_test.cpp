#include "actors/chain/chain_audit_actor.hpp"
#include "actors/chain/follow_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace credence::chain {
namespace {

using profiles = std::set<profile_id>;

TEST(TouchedProfiles, AreThoseOfTheStepsThatGo) {
  recently_touched<profile_id> memory;
  memory.applied(10, 5, {{1}});
  memory.applied(11, 5, {{2}, {3}});
  memory.applied(15, 5, {{4}});
  EXPECT_EQ(memory.taken_back(10), (profiles{{2}, {3}, {4}}));
  EXPECT_EQ(memory.taken_back(10), profiles{}) << "once";
  EXPECT_EQ(memory.taken_back(5), (profiles{{1}}));
}

TEST(TouchedProfiles, AreForgottenOnceTheyAreFinal) {
  recently_touched<profile_id> memory;
  memory.applied(10, 5, {{1}});
  memory.applied(11, 10, {{2}});
  EXPECT_EQ(memory.taken_back(0), (profiles{{2}}));
  memory.applied(20, 0, {{3}});
  memory.applied(20 + undo_blocks_max, 0, {});
  EXPECT_EQ(memory.taken_back(0), profiles{}) << "so many are never taken back";
}

refused_event refused(int log) { return {{}, log, "refused:a_constraint"}; }

TEST(RefusalSearch, TriesUntilATrialFindsNothing) {
  refusal_search search;
  EXPECT_FALSE(search.trying());
  ASSERT_TRUE(search.refused());
  search.found({});
  EXPECT_TRUE(search.trying());
  blocks_applied step;
  step.before[0] = std::byte{7};
  search.keep(step);
  search.trial_ended();
  search.found({refused(1)});
  EXPECT_TRUE(search.trying()) << "there may be others";
  EXPECT_TRUE(search.step_behind(step.before)) << "without asking the node";
  EXPECT_FALSE(search.step_behind(digest32{})) << "following stands elsewhere";
  search.trial_ended();
  search.found({refused(1), refused(2)});
  EXPECT_TRUE(search.trying());
  search.trial_ended();
  search.found({refused(1), refused(2)});
  EXPECT_FALSE(search.trying());
  EXPECT_EQ(search.known().size(), 2u);
  search.over();
  EXPECT_TRUE(search.known().empty());
  EXPECT_FALSE(search.step_behind(step.before));
}

TEST(RefusalSearch, EndsWhereTheStepIsRefusedAndNothingInItIsWrong) {
  refusal_search search;
  for (int times = 1; times < refusal_search::fruitless_max; ++times) {
    ASSERT_TRUE(search.refused());
    search.found({});
    search.trial_ended();
    search.found({});
    EXPECT_FALSE(search.trying()) << "the step itself comes next";
  }
  EXPECT_FALSE(search.refused());
}

TEST(RefusalSearch, LooksForTheEventThatTakesTooLongHoweverOften) {
  refusal_search search;
  for (int times = 0; times < 2 * refusal_search::fruitless_max; ++times) {
    search.too_long();
    search.found({});
    EXPECT_TRUE(search.trying());
    search.trial_ended();
    search.found({});
    EXPECT_FALSE(search.trying());
  }
  EXPECT_TRUE(search.refused()) << "time alone never stops following";
}

using namespace std::chrono_literals;

const steady_time start = steady_time{} + 1h;

/// Keeps the last answer.
struct listener final : answer_sink {
  void deliver(envelope_base* answered) noexcept override {
    const auto& came = static_cast<const envelope<find_transaction>&>(*answered);
    if (const auto* found = came.answer())
      state = found->state;
    answered->deref();
  }
  std::optional<transaction_state> state;
};

struct BlockWaiters : testing::Test {
  ask<find_transaction> question(std::optional<steady_time> until) {
    return ask<find_transaction>{new envelope<find_transaction>{{{}, 5s, false, until}, client, start + 1min}};
  }
  static transaction_found pending() {
    transaction_found out;
    out.state = transaction_state::pending;
    return out;
  }
  static transaction_found in_block(block_number number) {
    transaction_found out;
    out.state = transaction_state::processing;
    out.receipt.emplace();
    out.receipt->block = number;
    return out;
  }

  listener client; // outlives the questions
  block_waiters waiting;
};

TEST_F(BlockWaiters, LookAgainForWhatNoBlockHasUntilItsTimeIsOver) {
  const auto number = waiting.add(question(start + 5s), pending());
  const auto again = waiting.timeout_over(number, start + 1s);
  ASSERT_TRUE(again) << "it is looked for once more";
  EXPECT_EQ(waiting.count(), 0u);
  EXPECT_FALSE(client.state) << "and nobody has been told anything";
  const auto last = waiting.add(*again, pending());
  EXPECT_FALSE(waiting.timeout_over(last, start + 5s));
  EXPECT_EQ(client.state, transaction_state::pending);
}

TEST_F(BlockWaiters, AnswerOnceTheirPatienceIsOver) {
  const auto number = waiting.add(question(std::nullopt), in_block(7));
  EXPECT_FALSE(waiting.timeout_over(number, start));
  EXPECT_EQ(client.state, transaction_state::processing);
  EXPECT_FALSE(waiting.timeout_over(number, start)) << "it waits no longer";
}

TEST_F(BlockWaiters, GoOnWithTheBlockThatTheyWaitForAndWithEveryOneThatMayHoldThem) {
  waiting.add(question(start + 5s), pending());
  waiting.add(question(std::nullopt), in_block(7));
  waiting.add(question(std::nullopt), in_block(8));
  EXPECT_EQ(waiting.take_up_to(7).size(), 2u);
  EXPECT_EQ(waiting.count(), 1u);
}

using way = gap_repair::way;

struct GapRepair : testing::Test {
  GapRepair() {
    for (block_number number = 90; number <= 100; ++number)
      at.blocks.push_back({number, {}, {}, {}});
    at.tip = at.blocks.back();
  }
  gap_repair repair(block_number block, std::int32_t log = 3) { return repair_of(at, {log_mark{block, {}, log}, {0}}); }
  follow_position at;
};

TEST_F(GapRepair, TheStepIsTakenAgainOrBlocksAreTakenBack) {
  EXPECT_EQ(repair(101).how, way::take_again);
  EXPECT_EQ(repair(97).how, way::take_back);
  EXPECT_EQ(repair(97).back.number, 96u);
  EXPECT_EQ(repair(90).how, way::go_on) << "it is final";
  EXPECT_EQ(repair_of(at, {}).how, way::go_on);
  EXPECT_EQ(repair_of(at, {log_mark{97, {}, 3}, {}}).how, way::go_on) << "nobody is proven to have withheld it";
}

TEST_F(GapRepair, WhatIsStoredOfABlockStays) {
  at.within = log_place{7, {}, 5};
  EXPECT_EQ(repair(101, 5).how, way::go_on);
  EXPECT_EQ(repair(101, 6).how, way::take_again);
  EXPECT_EQ(repair(97).how, way::go_on);
}

TEST_F(GapRepair, IsLookedForUpToTheNewestEventOfTheStep) {
  blocks_applied step;
  step.tip = at.tip; // a part of block 101
  stored_event entry;
  entry.block = 101;
  entry.log_index = 9;
  step.events = {entry};
  const auto question = gap_question(at, step);
  EXPECT_EQ(question.blocks, (block_range{91, 101}));
  ASSERT_EQ(question.fresh.size(), 1u);
  EXPECT_EQ(question.fresh[0].log_index, 9);
}

follow_position tip(int number) {
  follow_position out;
  out.tip.hash[0] = static_cast<std::byte>(number);
  return out;
}
step_taken found_at(int head) {
  step_taken out;
  out.wrong = head; // to tell it from others
  return out;
}

TEST(StepAhead, IsKeptUntilItsTipIsStored) {
  step_ahead ahead;
  const auto number = ahead.asked(tip(1));
  auto found = found_at(5);
  EXPECT_FALSE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(2)));
  const auto taken = ahead.take(tip(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->wrong, 5);
  EXPECT_FALSE(ahead.take(tip(1))) << "once";
}

TEST(StepAhead, IsGivenToWhoeverWaitsForIt) {
  step_ahead ahead;
  EXPECT_FALSE(ahead.wait_for(tip(1)));
  const auto number = ahead.asked(tip(1));
  EXPECT_FALSE(ahead.wait_for(tip(2)));
  EXPECT_TRUE(ahead.wait_for(tip(1)));
  auto found = found_at(5);
  EXPECT_TRUE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(1)));
  EXPECT_FALSE(ahead.wait_for(tip(1)));
}

TEST(StepAhead, IsForgottenWhereItIsOfNoUse) {
  step_ahead ahead;
  const auto number = ahead.asked(tip(1));
  ahead.drop();
  EXPECT_FALSE(ahead.wait_for(tip(1)));
  auto found = found_at(5);
  EXPECT_FALSE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(1)));
  const auto next = ahead.asked(tip(1));
  EXPECT_FALSE(ahead.came(number, found)) << "of the one before";
  EXPECT_FALSE(ahead.take(tip(1)));
  EXPECT_FALSE(ahead.came(next, found));
  EXPECT_TRUE(ahead.take(tip(1)));
}

} // namespace
} // namespace credence::chain
