#pragma once

#include "tests/actors/reputation/record_examples.hpp"

#include <gtest/gtest.h>

namespace credence::reputation {

/// Decides requests over rows in memory, one after the other.
struct RecordRules : testing::Test {
  /// Decides, and changes the rows where the answer is yes.
  template <class Q>
  auto decided_on(const Q& question, timestamp now = noon) {
    auto out = decide(rows, question, how, now);
    if (out && out->change)
      rows.apply(*out->change);
    return out;
  }
  template <class Q>
  std::optional<refusal_code> refused(const Q& question, timestamp now = noon) {
    const auto out = decide(rows, question, how, now);
    return out ? std::nullopt : std::optional{out.why().code};
  }

  settings::people how;
  stored_records stored = four_profiles();
  record_rows rows{stored};
};

} // namespace credence::reputation
