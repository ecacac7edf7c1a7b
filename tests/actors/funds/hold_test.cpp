#include "actors/funds/hold.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace credence::funds {
namespace {

struct Hold : testing::Test {
  using fate = hold::fate;
  std::optional<fate> told; // the funds actor
  hold_ptr money = std::make_shared<hold>(wei{5}, 1, [this](const hold& over) { told = over.now(); });
};

TEST_F(Hold, TellsTheWalletWhatBecameOfIt) {
  auto copy = money;
  money.reset();
  EXPECT_FALSE(told) << "somebody still has it";
  copy.reset();
  EXPECT_EQ(told, fate::unused);
}

TEST_F(Hold, ThatWasTakenIsUnknownUntilItIsSettledOrNot) {
  ASSERT_TRUE(money->take());
  money->revoke();
  EXPECT_EQ(money->now(), fate::unknown) << "what was sent cannot be called back";
  money.reset();
  EXPECT_EQ(told, fate::unknown);
}

TEST_F(Hold, ThatIsSettledSaysNothing) {
  ASSERT_TRUE(money->take());
  money->become(fate::settled);
  money.reset();
  EXPECT_FALSE(told);
}

/// The funds actor was lost: the next one spends the same money.
TEST_F(Hold, ThatWasRevokedCannotBeTaken) {
  money->revoke();
  EXPECT_FALSE(money->take());
}

} // namespace
} // namespace credence::funds
