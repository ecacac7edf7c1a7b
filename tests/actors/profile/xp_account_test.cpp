#include "actors/profile/xp_account.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace credence::profile {
namespace {

constexpr auto live = people::people_index::status::live;

send_tip of(std::int64_t amount, int from = 1, int to = 2) {
  return {profile_id{from}, profile_id{to}, amount, std::nullopt, std::nullopt};
}

TEST(XpAccount, RefusesWhatCannotBeTipped) {
  const xp_account account{{100, 7}};
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const struct {
    send_tip command;
    refusal_code why;
  } rows[] = {
    {of(0), refusal_code::invalid_amount},           {of(-1), refusal_code::invalid_amount},
    {of(-most), refusal_code::invalid_amount},       {of(1, 1, 1), refusal_code::cannot_tip_self},
    {of(most, 1, 1), refusal_code::cannot_tip_self}, {of(101), refusal_code::insufficient_xp},
    {of(most), refusal_code::insufficient_xp},
  };
  for (const auto& row : rows) {
    const auto decision = account.decide(row.command, live, {});
    ASSERT_FALSE(decision) << row.command.amount;
    EXPECT_EQ(decision.why().code, row.why) << row.command.amount;
  }
  EXPECT_TRUE(account.decide(of(100), live, {}));
  for (const auto& each : {of(1), of(1, 1, 1), of(101)}) { // whatever else is wrong
    const auto nobody = account.decide(each, people::people_index::status::archived, {});
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.why().code, refusal_code::receiver_not_found);
  }
}

TEST(XpAccount, DecidesWhatWasAsked) {
  const xp_account account{{100, 7}};
  auto question = of(5, 3, 4);
  question.message = "thanks";
  question.source = tip_source{tip_source_kind::slash, 9};
  const timestamp now{std::chrono::seconds{1000}};
  const auto decision = test::there(account.decide(question, live, now));
  EXPECT_EQ(decision->sender, profile_id{3});
  EXPECT_EQ(decision->receiver, profile_id{4});
  EXPECT_EQ(decision->amount, 5);
  EXPECT_EQ(decision->message, "thanks");
  EXPECT_EQ(decision->source->id, 9);
  EXPECT_EQ(decision->at, now);
}

TEST(XpAccount, GrantsWithinBoundsOnly) {
  const xp_account account{{100, 7}};
  const timestamp now{std::chrono::seconds{1000}};
  for (const std::int64_t amount :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'001}, std::numeric_limits<std::int64_t>::max()}) {
    const auto decision = account.decide(grant_xp{profile_id{3}, amount, "why"}, now);
    ASSERT_FALSE(decision) << amount;
    EXPECT_EQ(decision.why().code, refusal_code::invalid_amount) << amount;
  }
  const auto decision = test::there(account.decide(grant_xp{profile_id{3}, 1'000'000, "why"}, now));
  EXPECT_EQ(decision->profile, profile_id{3});
  EXPECT_EQ(decision->amount, 1'000'000);
  EXPECT_EQ(decision->reason, "why");
  EXPECT_EQ(decision->balance_before, 100);
  EXPECT_EQ(decision->at, now);
  EXPECT_EQ(account.balance(), 100) << "it counts when it is committed";
}

TEST(XpAccount, AGrantTellsTheBalanceAfterWhatIsUnderWay) {
  xp_account account{{0, 7}};
  const auto before = [&](std::int64_t amount) {
    const auto decision = account.decide(grant_xp{profile_id{3}, amount, "why"}, {});
    account.arrive(amount);
    return decision ? decision->balance_before : -1;
  };
  EXPECT_EQ(before(100), 0);
  EXPECT_EQ(before(50), 100) << "decided before the first one is committed";
  EXPECT_EQ(account.balance(), 0);
  EXPECT_EQ(account.available(), 0) << "it can be spent when it is committed";
  account.arrived(100, 8);
  EXPECT_EQ(account.balance(), 100);
  account.leave(30);
  EXPECT_EQ(before(7), 120);
  account.left(30, 9);
  account.take_back();
  EXPECT_EQ(account.balance(), 70);
  EXPECT_EQ(before(1), 70) << "what was taken back does not arrive";
}

TEST(XpAccount, WhatIsOnItsWayOutIsGoneAndWhatIsOnItsWayInIsNotThere) {
  xp_account account{{100, 7}};
  account.leave(60);
  EXPECT_EQ(account.available(), 40);
  EXPECT_EQ(account.balance(), 100) << "what is committed";
  EXPECT_FALSE(account.decide(of(41), live, {}));
  account.leave(40);
  EXPECT_EQ(account.available(), 0);
  account.left(60, 8);
  EXPECT_EQ(account.balance(), 40);
  EXPECT_EQ(account.available(), 0);
  account.left(40, 8); // of the same batch
  EXPECT_EQ(account.balance(), 0);
  account.came(5, 9);
  EXPECT_EQ(account.available(), 5);
}

TEST(XpAccount, WhatIsTakenBackCanBeSpentAgain) {
  xp_account account{{100, 7}};
  account.leave(60);
  account.leave(40);
  account.take_back();
  EXPECT_EQ(account.available(), 100);
  EXPECT_EQ(account.balance(), 100);
}

TEST(XpAccount, WhatTheStoredBalanceHoldsIsNotCountedAgain) {
  xp_account account{{100, 7}};
  account.came(10, 6);
  account.came(10, 7);
  EXPECT_EQ(account.balance(), 100);
  account.came(10, 8);
  EXPECT_EQ(account.balance(), 110);
  account.came(10, 8); // another one of that batch
  EXPECT_EQ(account.balance(), 120);
}

TEST(XpAccount, OutcomesMayComeLate) {
  xp_account account{{100, 7}};
  account.came(1, 12);
  account.came(2, 9); // was under way for longer
  account.leave(50);
  account.left(50, 10);
  EXPECT_EQ(account.balance(), 53);
  account.refresh({53, 12});
  account.came(2, 11); // is in what was read
  EXPECT_EQ(account.balance(), 53);
  account.came(4, 13);
  EXPECT_EQ(account.balance(), 57);
}

TEST(XpAccount, TakesOverWhatOthersHaveGiven) {
  xp_account account{{100, 7}};
  account.refresh({150, 7});
  EXPECT_EQ(account.available(), 150) << "other programs take no numbers";
  account.refresh({120, 9});
  EXPECT_EQ(account.available(), 120);
}

TEST(XpAccount, AnOlderBalanceIsNotTakenOver) {
  xp_account account{{100, 7}};
  account.leave(60);
  account.left(60, 8);
  account.refresh({100, 7}); // was read before that was committed
  EXPECT_EQ(account.balance(), 40);
  EXPECT_FALSE(account.decide(of(41), live, {})) << "overdrawn";
  account.came(30, 9);
  account.refresh({40, 8});
  EXPECT_EQ(account.balance(), 70);
  account.refresh({70, 9});
  EXPECT_EQ(account.balance(), 70);
}

TEST(XpAccount, WhatIsLeavingLeavesOnceAlsoWhenTheBalanceIsReadMeanwhile) {
  xp_account account{{100, 7}};
  account.leave(60);
  account.refresh({40, 8}); // it is in there already, and its outcome is still to come
  EXPECT_EQ(account.available(), 40);
  EXPECT_TRUE(account.decide(of(40), live, {}));
  account.left(60, 8);
  EXPECT_EQ(account.available(), 40);
  EXPECT_EQ(account.balance(), 40);

  account.leave(10);
  account.refresh({140, 9}); // with 110 from elsewhere and without these 10
  EXPECT_GE(account.available(), 130);
  account.left(10, 9);
  EXPECT_EQ(account.available(), 140);
}

} // namespace
} // namespace credence::profile
