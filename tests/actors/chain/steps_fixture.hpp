#pragma once

#include "actors/chain/chain_steps.hpp"
#include "tests/actors/chain/fake_chain.hpp"

#include <gtest/gtest.h>

namespace credence::chain::test {

inline constexpr timestamp now{std::chrono::seconds{1'700'100'000}};

/// Follows a fake chain as the follower does, without storage: changes are applied at once.
struct ChainSteps : testing::Test {
  ChainSteps() {
    how.chain = 31337;
    how.start_block = 1;
    how.confirmations = 0;
    how.contracts = {{profile_contract, contract_kind::profile}, {review_contract, contract_kind::review}};
  }

  step next(block_number wanted = 0) {
    return at ? next_step(node, width, left, how, *at, {wanted, size.max()}, now) : first_step(node, how);
  }
  /// The step has events of a block that is not in whole.
  bool apply_part(const step& step) {
    const auto* on = std::get_if<blocks_applied>(&step.change);
    if (!on || on->tip.number != at->tip.number || on->events.empty() || !on->blocks.empty())
      return false;
    for (const auto& each : on->events) {
      EXPECT_EQ(each.id, ++last_id);
      events.push_back(each);
    }
    at = position_after(*at, *on);
    return at->within.has_value();
  }
  /// False when there was nothing to do.
  bool apply(const step& step) {
    if (const auto* begun = std::get_if<chain_begun>(&step.change))
      at = position_after(*begun);
    else if (const auto* on = std::get_if<blocks_applied>(&step.change)) {
      EXPECT_EQ(on->before, at->tip.hash);
      EXPECT_TRUE(on->tip.number > at->tip.number || !on->events.empty() || on->authority > at->authority)
        << "a step without a block settles others";
      EXPECT_GE(on->authority, at->authority) << "it never moves back";
      EXPECT_LE(on->authority, on->tip.number) << "no rights rest on what is not stored";
      for (const auto& each : on->events) {
        EXPECT_EQ(each.id, ++last_id) << "ids have no gap";
        events.push_back(each);
      }
      at = position_after(*at, *on);
    } else if (const auto* back = std::get_if<blocks_undone>(&step.change)) {
      EXPECT_EQ(back->before, at->tip.hash);
      std::erase_if(events, [&](const stored_event& each) { return each.block > back->tip.number; });
      at = position_after(*at, *back);
      ++undone;
    } else
      return false;
    return true;
  }
  void run() {
    for (int steps = 0;; ++steps) {
      const auto found = next();
      if (!apply(found) && !found.backfill) // with it a narrower range is due
        return;
      ASSERT_LT(steps, 10'000) << "it never comes to rest";
    }
  }
  std::vector<digest32> stored() const {
    std::vector<digest32> out;
    for (const auto& each : events)
      out.push_back(each.tx_hash);
    return out;
  }

  fake_chain node;
  follow_settings how;
  range_width width{10'000};
  logs_left left;
  step_size size{step_events_max, step_events_max};
  std::optional<follow_position> at;
  std::vector<stored_event> events;
  std::int64_t last_id = 0;
  int undone = 0;
};

} // namespace credence::chain::test
