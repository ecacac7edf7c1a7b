#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

/// Money and markets as the database itself guards them, whoever writes.
namespace credence::persistence {
namespace {

/// Profile 1 has a market, 2 has 1,000 wei and bought votes for 12 of them; 3 has nothing.
const std::string& some_database() {
  static const std::string url = [] {
    auto made = test::fresh_database(5, 1);
    test::run_sql(
      made,
      "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (2, '2026-01-01', 1, 'DEPOSIT', 150),"
      " (3, '2026-01-01', 2, 'DEPOSIT', 1000), (4, '2026-01-01', 1, 'CREATION', 100);"
      "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
      "updated_at,"
      " trust_price, distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 4, '2026-01-01', '2026-01-01', 5, 5);"
      "INSERT INTO market_trades VALUES (1, '2026-01-02', 1, 5, 2, true, true, 5, 10, 1, 1, 0, 6, 1, 6, 4, 12, 12)");
    return made;
  }();
  return url;
}

std::string transfer(const std::string& who, const std::string& kind, const std::string& amount,
                     const std::string& seq = "9") {
  return "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (" + seq + ", now(), " + who + ", '"
         + kind + "', " + amount + ")";
}
/// Of 100 wei, paid by transfer 9.
std::string market(const std::string& owner, const std::string& more = "trust_price, distrust_price",
                   const std::string& values = "5, 5", const std::string& cost = "100") {
  return "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
         "updated_at, "
         + more + ") VALUES (" + owner + ", 'NORMAL', 1500, 10, " + cost + ", " + cost + ", 9, now(), now(), " + values
         + ")";
}
std::string trade(const std::string& values) { return "INSERT INTO market_trades VALUES (" + values + ")"; }
std::string freeze(const std::string& market, const std::string& frozen, const std::string& seq = "9") {
  return "INSERT INTO market_freezes (seq, market_id, frozen, at) VALUES (" + seq + ", " + market + ", " + frozen
         + ", now())";
}

struct money_case {
  const char* name;
  std::string sqlstate; // empty: it is taken
  std::string sql;
};
void PrintTo(const money_case& which, std::ostream* out) { *out << which.sql; }

const std::string check = "23514";
const std::string foreign = "23503";
const std::string unique = "23505";
const std::string changed = check; // by a trigger

class MoneySchema : public ::testing::TestWithParam<money_case> {};

TEST_P(MoneySchema, TakesFactsThatAddUpAlone) {
  EXPECT_EQ(test::refusal_of(some_database(), GetParam().sql), GetParam().sqlstate) << GetParam().sql;
}

std::string name_of(const ::testing::TestParamInfo<money_case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
  Rows, MoneySchema,
  ::testing::Values(
    money_case{"TakesAWithdrawalOfEverything", "", transfer("2", "WITHDRAWAL", "988")},
    money_case{"AWithdrawalOfMoreThanThereIs", check, transfer("2", "WITHDRAWAL", "989")},
    money_case{"AWithdrawalOfWhoHasNothing", check, transfer("3", "WITHDRAWAL", "1")},
    money_case{"ADepositBelowZero", check, transfer("2", "DEPOSIT", "-1")},
    money_case{"ADepositOfNobody", foreign, transfer("77", "DEPOSIT", "1")},
    money_case{"ATransferOfAnotherKind", check, transfer("2", "GIFT", "1")},
    money_case{"ATransferWithTheNumberOfAnother", unique, transfer("2", "DEPOSIT", "1", "3")},
    money_case{"ATransferThatIsChanged", changed, "UPDATE wei_transfers SET amount = 1"},
    money_case{"ATransferThatIsTakenAway", changed, "DELETE FROM wei_transfers"},
    money_case{"ABalanceThatIsSet", changed, "UPDATE wei_accounts SET balance = balance + 1"},
    money_case{"AnAccountThatBeginsWithMoney", changed, "INSERT INTO wei_accounts VALUES (4, 1)"},
    money_case{"AnAccountThatIsTakenAway", changed, "DELETE FROM wei_accounts"},

    money_case{"TakesAMarketThatIsPaidFor", "", transfer("2", "CREATION", "100") + ";" + market("2")},
    money_case{"AMarketThatNobodyPaidFor", foreign, market("2")},
    money_case{"AMarketThatIsPaidForByAnother", check, transfer("2", "CREATION", "100") + ";" + market("3")},
    money_case{"AMarketThatIsPaidForInPart", check, transfer("2", "CREATION", "99") + ";" + market("2")},
    money_case{"AMarketOnAMarketOwner", unique, transfer("2", "CREATION", "100") + ";" + market("1")},
    money_case{"AMarketThatBeginsWithVotes", check,
               transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price, trust", "5, 5, 2")},
    money_case{"AMarketThatBeginsWithAPool", check,
               transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price, pool", "5, 5, 1")},
    money_case{"APriceAboveTheBasePrice", check,
               transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price", "11, 0")},
    money_case{"AMarketThatIsChanged", changed, "UPDATE markets SET pool = pool + 1"},
    money_case{"AMarketThatIsTakenAway", changed, "DELETE FROM markets"},

    money_case{"TakesAFreeze", "", freeze("1", "true")},
    money_case{"TakesATradeOnAMarketThatGoesOn", "",
               freeze("1", "true") + ";" + freeze("1", "false", "10") + ";"
                 + trade("1, '2026-01-03', 2, 11, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
    money_case{"ATradeOnAFrozenMarket", check,
               freeze("1", "true") + ";"
                 + trade("1, '2026-01-03', 2, 10, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
    money_case{"AFreezeOfNoMarket", foreign, freeze("3", "true")},
    money_case{"AFreezeThatIsChanged", changed, freeze("1", "true") + "; UPDATE market_freezes SET frozen = false"},
    money_case{"AFreezeThatIsTakenAway", changed, freeze("1", "true") + "; DELETE FROM market_freezes"},
    money_case{"AMarketThatIsFrozenWithoutAFreeze", changed, "UPDATE markets SET frozen = true"},
    money_case{"AMarketThatBeginsFrozen", changed,
               transfer("2", "CREATION", "100") + ";"
                 + market("2", "trust_price, distrust_price, frozen", "5, 5, true")},

    money_case{"TakesTheNextPurchase", "",
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
    money_case{"TakesASaleThatDrawsOnWhatIsLocked", "",
               trade("1, '2026-01-03', 2, 9, 2, false, true, 5, 11, 1, 0, 1, 1, 1, 5, 5, 22, 12")},
    money_case{"TakesTwoTradesAtOnce", "",
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36),"
                     " (1, '2026-01-03', 3, 10, 2, false, false, 1, 5, 1, 0, 0, 6, 3, 6, 4, 40, 36")},
    money_case{"ATradeOutOfNumber", check,
               trade("1, '2026-01-03', 3, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
    money_case{"ATradeBeforeTheLastOne", check,
               trade("1, '2026-01-01', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
    money_case{"ATradeTwice", unique,
               trade("1, '2026-01-02', 1, 9, 2, true, true, 5, 10, 1, 1, 0, 6, 1, 6, 4, 12, 12")},
    money_case{"ATradeOnNoMarket", check,
               trade("3, '2026-01-03', 1, 9, 2, true, false, 3, 20, 2, 2, 0, 1, 4, 6, 4, 24, 24")},
    money_case{"VotesThatDoNotFollow", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 5, 6, 4, 36, 36")},
    money_case{"AVolumeThatDoesNotFollow", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 35, 36")},
    money_case{"APurchaseBeyondTheBalance", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 988, 1, 0, 0, 6, 4, 6, 4, 1001, 1001")},
    money_case{"SumsOfPurchasesThatDoNotFollow", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 35")},
    money_case{"AFreePurchase", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 0, 0, 0, 0, 6, 4, 6, 4, 12, 12")},
    money_case{"AFreePurchaseOfWhoNeverHadMoney", check,
               trade("1, '2026-01-03', 2, 9, 3, true, false, 3, 0, 0, 0, 0, 6, 4, 6, 4, 12, 12")},
    money_case{"APurchaseOfWhoNeverHadMoney", foreign,
               trade("1, '2026-01-03', 2, 9, 3, true, false, 3, 1, 0, 0, 0, 6, 4, 6, 4, 13, 13")},
    money_case{"ASaleOfWhatAnotherHas", check,
               transfer("3", "DEPOSIT", "5") + ";"
                 + trade("1, '2026-01-03', 2, 10, 3, false, true, 5, 9, 1, 0, 0, 1, 1, 5, 5, 20, 12")},
    money_case{"ASaleOfTheOtherSide", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36),"
                     " (1, '2026-01-03', 3, 10, 2, false, false, 4, 5, 1, 0, 0, 6, 0, 6, 4, 40, 36")},
    money_case{"APositionThatIsSet", changed, "UPDATE market_positions SET trust = 100"},
    money_case{"APositionFromNowhere", changed, "INSERT INTO market_positions VALUES (1, 4, 5, 0)"},
    money_case{"APositionThatIsTakenAway", changed, "DELETE FROM market_positions"},
    money_case{"APurchaseOfNoVotes", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 0, 20, 2, 2, 0, 6, 1, 6, 4, 36, 36")},
    money_case{"ASaleBelowOneVote", check,
               trade("1, '2026-01-03', 2, 9, 2, false, true, 6, 10, 1, 0, 0, 0, 1, 5, 5, 21, 12")},
    money_case{"ASaleOfMoreThanThePool", check,
               trade("1, '2026-01-03', 2, 9, 2, false, true, 5, 11, 1, 0, 0, 1, 1, 5, 5, 22, 12")},
    money_case{"ASaleThatDrawsMoreThanIsLocked", check,
               trade("1, '2026-01-03', 2, 9, 2, false, true, 5, 111, 1, 0, 101, 1, 1, 5, 5, 122, 12")},
    money_case{"ASaleWithADonation", check,
               trade("1, '2026-01-03', 2, 9, 2, false, true, 5, 9, 1, 1, 0, 1, 1, 5, 5, 20, 12")},
    money_case{"AnExitFeeAboveTheProceeds", check,
               trade("1, '2026-01-03', 2, 9, 2, false, true, 5, 1, 2, 0, 0, 1, 1, 5, 5, 11, 12")},
    money_case{"APurchaseThatDrawsOnWhatIsLocked", check,
               trade("1, '2026-01-03', 2, 9, 2, true, false, 3, 20, 2, 2, 1, 6, 4, 6, 4, 36, 36")},
    money_case{"ATradeThatIsChanged", changed, "UPDATE market_trades SET cost = 1"},
    money_case{"ATradeThatIsTakenAway", changed, "DELETE FROM market_trades"}),
  name_of);

TEST(WeiLedger, EveryWeiIsSomewhere) {
  const auto sum = [](const std::string& sql) { return test::number_from(some_database(), sql); };
  EXPECT_EQ(sum("SELECT balance FROM wei_accounts WHERE profile_id = 1"), 51) << "150 less 100, and a donation";
  EXPECT_EQ(sum("SELECT balance FROM wei_accounts WHERE profile_id = 2"), 988);
  EXPECT_EQ(sum("SELECT pool FROM markets"), 10);
  EXPECT_EQ(sum("SELECT protocol_fees FROM markets"), 1);
  EXPECT_EQ(sum("SELECT sum(CASE WHEN from_kind = 'outside' THEN amount WHEN to_kind = 'outside' THEN -amount ELSE 0 "
                "END) FROM wei_movements"),
            1150);
  EXPECT_EQ(
    sum("SELECT sum(balance) FROM wei_accounts") + sum("SELECT sum(pool + locked + protocol_fees) FROM markets"), 1150);
}

/// What a trade touches is looked up, from the first one on: a plan made while a table was known
/// to be empty must not read all of it for every trade of the session when it has grown.
TEST(WeiLedger, TradesDoNotReadThePositionsOfOthers) {
  constexpr int traders = 1500;
  const auto url = test::fresh_database(traders, 1);
  test::run_sql(
    url, "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) SELECT 10 + n, '2026-01-01', n, 'DEPOSIT', "
         "1000 FROM generate_series(1, 1500) n;"
         "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (5, '2026-01-01', 1, 'CREATION', 100);"
         "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
         "updated_at, trust_price,"
         " distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 5, '2026-01-01', '2026-01-01', 5, 5); ANALYZE");
  auto on = test::look_into(url);
  const auto deadline = deadline_in(std::chrono::seconds{60});
  for (int from = 1; from <= traders; from += 50)
    on.exec("INSERT INTO market_trades SELECT 1, '2026-01-02', n, 10000 + n, n, true, true, 1, 3, 1, 1, 0, 1 + n, 1, "
            "6, 4, 5 * n, 5 * n FROM "
            "generate_series("
              + std::to_string(from) + ", " + std::to_string(from + 49) + ") n",
            deadline);
  on.exec("SELECT pg_stat_force_next_flush()", deadline);
  on.exec("SELECT 1", deadline);
  EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM market_positions WHERE trust = 1"), traders);
  EXPECT_LT(
    test::number_from(url, "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'market_positions'"),
    5 * traders);
}

} // namespace
} // namespace credence::persistence
