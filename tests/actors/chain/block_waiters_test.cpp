#include "actors/chain/follow_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace credence::chain {
namespace {

using namespace std::chrono_literals;

const steady_time start = steady_time{} + 1h;

/// Keeps the last answer.
class listener final : public answer_sink {
public:
  void deliver(envelope_base* answered) noexcept override {
    const auto& came = static_cast<const envelope<find_transaction>&>(*answered);
    if (const auto* found = std::get_if<transaction_found>(&came.result))
      state = found->state;
    answered->deref();
  }
  std::optional<transaction_state> state;
};

class BlockWaiters : public testing::Test {
protected:
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

} // namespace
} // namespace credence::chain
