#include "actors/kernel/entity_insides.hpp"

#include "actors/funds/funds_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <caf/scheduled_actor.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace credence {
namespace {

using namespace std::chrono_literals;
using phase = entity_view::phase;

constexpr wei ether = wei_per_ether;

/// What operators see of the inside of actors.
struct EntityInsides : testing::Test, protected test::deterministic_world {
  EntityInsides() {
    with->trading = {{{{{200, ether / 100}, ether}, {{1500, ether / 100}, ether}, {{5000, ether / 100}, ether}}},
                     {100, 100, 100}};
    storage->funds[profile_id{1}] = {ether * 10, 0};
    const market::market_opened opened{profile_id{3}, market::tier::normal, with->trading.tiers[1].how, ether,
                                       test::test_now};
    storage->markets[market_id{3}].book = market::fresh_book(opened);
    storage->markets[market_id{3}].window.before = {test::test_now, 0, ether / 200, 0};
    storage->xp[profile_id{1}].balance = 100;
  }

  template <class Router>
  ask<inspect_entity> inspect(const Router& router, std::int32_t id) {
    return put(insides_handle{router.who()}, inspect_entity{id});
  }
  /// The figure of that name; nothing where it is not told, or is no `T`.
  template <class T>
  static std::optional<T> told(const ask<inspect_entity>& of, std::string_view name) {
    if (const auto* found = yes(of); found && found->inside)
      for (const auto& each : found->inside->figures)
        if (const auto* value = std::get_if<T>(&each.value); each.name == name && value)
          return *value;
    return std::nullopt;
  }
  static std::optional<std::int64_t> count(const ask<inspect_entity>& of, std::string_view name) {
    return told<std::int64_t>(of, name);
  }
  /// `2 xp_tipped under_way, 1 xp_tipped committed`.
  static std::string changes(const ask<inspect_entity>& of) {
    std::string out;
    if (const auto* found = yes(of); found && found->inside)
      for (const auto& each : found->inside->changes)
        out += (out.empty() ? "" : ", ") + std::to_string(each.number) + " " + std::string{each.fact} + " "
               + std::string{change_fate_names[static_cast<std::size_t>(each.fate)]};
    return out;
  }
};

TEST_F(EntityInsides, AProjectTellsItsVotesAndWhatBecameOfThem) {
  cast(1, 1);
  auto seen = inspect(others.projects, 1);
  EXPECT_EQ(count(seen, "bullish"), 0) << "it is not committed";
  EXPECT_EQ(count(seen, "pendingVotes"), 1);
  EXPECT_EQ(told<bool>(seen, "archived"), false);
  EXPECT_EQ(count(seen, "period"), 2);
  EXPECT_EQ(changes(seen), "1 vote_cast under_way");
  resolve(write_result::stored);
  seen = inspect(others.projects, 1);
  EXPECT_EQ(count(seen, "bullish"), 1);
  EXPECT_EQ(count(seen, "bullishInPeriod"), 1);
  EXPECT_EQ(count(seen, "votersInMemory"), 1);
  EXPECT_EQ(count(seen, "pendingVotes"), 0);
  EXPECT_EQ(changes(seen), "1 vote_cast committed");
  cast(2, 1);
  resolve(write_result::not_written);
  EXPECT_EQ(changes(inspect(others.projects, 1)), "2 vote_cast given_up, 1 vote_cast committed");
}

TEST_F(EntityInsides, AVoteThatTheDatabaseRefusesIsToldApart) {
  cast(1, 1);
  cast(2, 1);
  const auto request = storage->written.front();
  storage->written.clear();
  send(request.from, write_outcome{request.stream, write_result::failed, 1, 0, 0});
  run();
  EXPECT_EQ(changes(inspect(others.projects, 1)), "3 vote_cast under_way, 2 vote_cast given_up, 1 vote_cast refused")
    << "the second is decided again";
}

TEST_F(EntityInsides, AProfileTellsItsPointsOnceTheyAreRead) {
  put(others.profiles, profile::get_balance{profile_id{1}, project_id{1}, {}});
  auto seen = inspect(others.profiles, 1);
  EXPECT_EQ(told<std::string>(seen, "level"), "questionable") << "by its score, 1100";
  EXPECT_EQ(count(seen, "bullishCast"), 0);
  EXPECT_TRUE(told<std::monostate>(seen, "xp")) << "nobody has asked for them";
  EXPECT_EQ(changes(seen), "");
  put(others.profiles, profile::send_tip{profile_id{1}, profile_id{2}, 40, std::nullopt, std::nullopt});
  seen = inspect(others.profiles, 1);
  EXPECT_EQ(count(seen, "xp"), 100);
  EXPECT_EQ(count(seen, "xpAvailable"), 60);
  EXPECT_EQ(changes(seen), "1 xp_tipped under_way");
  resolve(write_result::stored);
  seen = inspect(others.profiles, 1);
  EXPECT_EQ(count(seen, "xp"), 60);
  EXPECT_EQ(changes(seen), "1 xp_tipped committed");
}

TEST_F(EntityInsides, FundsAndMarketTellOfATrade) {
  open();
  market::place_trade command{};
  command.order = {market_id{3}, market::direction::buy, market::vote_side::trust, 5, std::nullopt};
  command.trader = profile_id{1};
  const auto bought = put(others.funds, std::move(command));
  EXPECT_EQ(told<std::string>(inspect(others.funds, 1), "balance"), decimal(wei{ether * 10}));
  EXPECT_EQ(told<std::string>(inspect(others.funds, 1), "available"), "0")
    << "the market has not said yet how much it takes";
  EXPECT_EQ(count(inspect(others.markets, 3), "pendingTrades"), 1);
  EXPECT_EQ(count(inspect(others.markets, 3), "trustVotes"), 1);
  ASSERT_TRUE(yes(after(write_result::stored, bought)));
  EXPECT_EQ(told<std::string>(inspect(others.funds, 1), "available"),
            decimal(wei{ether * 10 - yes(bought)->done.funds}));
  const auto market = inspect(others.markets, 3);
  EXPECT_EQ(count(market, "trustVotes"), 6);
  EXPECT_EQ(count(market, "sequence"), 1);
  EXPECT_EQ(changes(market), "1 traded committed");
}

TEST_F(EntityInsides, NothingIsLoadedToBeLookedAt) {
  open();
  for (int looks = 0; looks < 2; ++looks) {
    const auto seen = inspect(others.profiles, 7);
    ASSERT_TRUE(yes(seen));
    EXPECT_EQ(yes(seen)->seen.now, phase::absent);
    EXPECT_FALSE(yes(seen)->inside);
  }
  EXPECT_EQ(storage->profile_loads, 0);
}

TEST_F(EntityInsides, LookingIsNoUse) {
  put(others.profiles, profile::get_balance{profile_id{1}, {}, {}});
  const auto first = inspect(others.profiles, 1);
  const auto second = inspect(others.profiles, 1);
  ASSERT_TRUE(yes(first) && yes(second));
  EXPECT_EQ(yes(second)->seen.messages, yes(first)->seen.messages);
  EXPECT_EQ(yes(second)->seen.waiting, 0);
}

TEST_F(EntityInsides, ABusyActorIsWaitedForNoLongerThanHalfASecond) {
  put(others.profiles, profile::get_balance{profile_id{1}, {}, {}});
  ask<inspect_entity> question{inspect_entity{1}, sink, steady_clock::now() + 100s};
  send(insides_handle{others.profiles.who()}, question);
  sched.run(1); // the router; the profile has no turn
  EXPECT_TRUE(open_still(question));
  sched.advance_time(insides_timeout);
  const auto router = std::find_if(sched.jobs.begin(), sched.jobs.end(), [](caf::resumable* job) {
    const auto* who = dynamic_cast<caf::scheduled_actor*>(job);
    return who && std::string_view{who->name()} == "profiles";
  });
  ASSERT_NE(router, sched.jobs.end());
  std::swap(sched.jobs.front(), *router); // the profile is busy for longer: the router comes first
  sched.run(1);
  run();
  ASSERT_TRUE(yes(question));
  EXPECT_EQ(yes(question)->seen.now, phase::live);
  EXPECT_FALSE(yes(question)->inside);
}

} // namespace
} // namespace credence
