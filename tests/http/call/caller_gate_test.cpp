#include "http/call/caller_gate.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace credence::http {
namespace {

constexpr asker one{asker_rank::known, 1};
constexpr asker other{asker_rank::known, 2};

TEST(CallerGate, NobodyTakesMoreThanTheirShareOfThePlaces) {
  const auto gate = std::make_shared<caller_gate>(5, 2);
  std::vector<caller_place> held;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(held.emplace_back(gate, one));
  EXPECT_FALSE(caller_place(gate, one));
  EXPECT_TRUE(held.emplace_back(gate, other)) << "somebody else has places left";
  held.front() = {};
  EXPECT_TRUE(held.emplace_back(gate, one)) << "a place that was given back is taken again";
  EXPECT_FALSE(caller_place(gate, one));
}

TEST(CallerGate, HasSoManyPlacesForAll) {
  const auto gate = std::make_shared<caller_gate>(3, 2);
  const caller_place first{gate, one}, second{gate, one};
  std::optional<caller_place> third{std::in_place, gate, other};
  EXPECT_TRUE(*third);
  EXPECT_FALSE(caller_place(gate, other)) << "all are taken";
  third.reset();
  EXPECT_TRUE(caller_place(gate, other));
}

} // namespace
} // namespace credence::http
