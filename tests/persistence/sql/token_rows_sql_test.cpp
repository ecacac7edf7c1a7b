#include "tests/persistence/sql/chain_rows_fixture.hpp"

#include <limits>

namespace credence::persistence {
namespace {

using whuffie_events::transfer;

const address nobody{};

/// What people hold, by the transfers of a token.
class TokenRows : public ChainRows {
protected:
  TokenRows() { apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}); }

  bool holds(int profile, const std::string& wei) {
    return count("SELECT count(*) FROM users u JOIN profiles p ON p.user_id = u.id WHERE p.id = "
                 + std::to_string(profile) + " AND u.holdings_wei IS NOT DISTINCT FROM " + wei)
           == 1;
  }
  static event claim(int profile, const address& which, address_claim_kind kind) {
    return profile_events::address_claim{{profile}, which, kind};
  }
};

TEST_F(TokenRows, PeopleHoldWhatTheirAddressesHold) {
  const auto other = samples::address_of(3);
  apply({transfer{nobody, alice, 100}, transfer{nobody, other, 7}});
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "NULL")) << "nothing is known of them";
  expect_whole();
  apply({claim(1, other, address_claim_kind::claimed)});
  EXPECT_TRUE(holds(1001, "107")) << "with what the address had";
  apply({transfer{other, bob, 5}, claim(1, other, address_claim_kind::unclaimed)});
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "5"));
  expect_whole();
  undo(2);
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "NULL"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(holds(1001, "NULL"));
  EXPECT_EQ(count("SELECT count(*) FROM token_balances"), 0);
  expect_whole();
}

TEST_F(TokenRows, PlansLookUpByIndexesWhateverTheTablesHad) {
  EXPECT_EQ(
    count(
      "SELECT count(*) FROM pg_proc WHERE proname IN ('sum_holdings', 'move_holdings', 'move_holdings_of_addresses')"
      " AND proconfig @> '{plan_cache_mode=force_generic_plan,enable_seqscan=off}'"),
    3);
}

TEST_F(TokenRows, TheGreatestAmountIsStoredAndShown) {
  const auto most = std::numeric_limits<uint256>::max();
  const auto other = samples::address_of(3);
  apply({claim(1, other, address_claim_kind::claimed), transfer{nobody, alice, most}, transfer{nobody, other, most}});
  EXPECT_EQ(count("SELECT count(*) FROM token_balances WHERE balance = 2::numeric ^ 256 - 1 AND missing = 0"), 2);
  EXPECT_TRUE(holds(1001, "2::numeric ^ 256 - 1")) << "an amount beyond that is none that a client could read";
  apply({transfer{bob, alice, 1}});
  EXPECT_EQ(last.events.front().reason, "refused:balance_at_most_2^256");
  expect_whole();
}

TEST_F(TokenRows, RewardsAreStoredAndTakenBack) {
  apply({rewards_events::credited{samples::address_of(8), alice, 40, 40}});
  apply({rewards_events::debited{samples::address_of(8), alice, 15, 25}, rewards_events::reward_claimed{alice, 15}});
  EXPECT_EQ(count("SELECT balance::int8 FROM reward_balances"), 25);
  EXPECT_EQ(count("SELECT count(*) FROM chain_events WHERE status = 'applied' AND contract = 'rewards'"), 3);
  expect_whole();
  undo(1);
  EXPECT_EQ(count("SELECT balance::int8 FROM reward_balances"), 40);
  expect_whole();
}

TEST_F(TokenRows, ReplayTellsOfWhatWasTamperedWith) {
  apply({transfer{nobody, alice, 100}, rewards_events::credited{samples::address_of(8), alice, 40, 40}});
  test::run_sql(url, "UPDATE token_balances SET balance = 5");
  test::run_sql(url, "DELETE FROM reward_balances");
  const auto found = replay_chain(on, how, soon());
  EXPECT_EQ(found.differences, 3);
  ASSERT_FALSE(found.examples.empty());
  EXPECT_EQ(found.examples.front(), "balance of " + lower_text(alice) + " is stored otherwise");
}

} // namespace
} // namespace credence::persistence
