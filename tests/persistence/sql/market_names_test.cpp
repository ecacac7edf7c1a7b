#include "actors/market/market_actor.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using those = std::vector<int>;

/// Profiles 1 to 6, of which 1 to 4 have a market.
struct MarketNames : testing::Test, test::one_database {
  MarketNames() : one_database(test::fresh_database(6, 1)) {
    sql("INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) SELECT 10 + n, '2026-01-01', n, 'DEPOSIT', 100 "
        "FROM generate_series(1, 6) n;"
        "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) SELECT 20 + n, '2026-01-01', n, 'CREATION', 100 "
        "FROM generate_series(1, 4) n");
    for (int id = 1; id <= 4; ++id)
      open_market(id);
  }
  void open_market(int id) {
    const auto number = std::to_string(id);
    sql("INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
        "updated_at, trust_price, distrust_price) VALUES ("
        + number + ", 'NORMAL', 1500, 10, 100, 100, 20 + " + number + ", '2026-01-01', '2026-01-01', 5, 5)");
  }
  market::stored_names read(const std::string& since, int after = 0, int most = 100) {
    return one_database::read(market::load_names{since, market_id{after}, most});
  }
  static those ids(const market::stored_names& of) {
    those out;
    for (const auto& each : of.markets)
      out.push_back(each.market.value);
    return out;
  }
  /// Those that changed since this was asked last.
  those changed() {
    const auto found = read(seen);
    seen = found.as_of;
    return ids(found);
  }

  std::string seen;
};

std::string account(int id, int user, const std::string& service, const std::string& name) {
  return "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, username, created_at) VALUES ("
         + std::to_string(id) + ", sha256('" + std::to_string(id) + "'), " + std::to_string(user) + ", "
         + std::to_string(user) + ", '" + service + "', '" + std::to_string(id) + "', '" + name + "', now());";
}

TEST_F(MarketNames, AreThoseOfTheOwnerAndOfTheAccountsOnX) {
  sql("UPDATE users SET description = repeat('é', 2000) WHERE id = 2;" + account(1, 2, "x.com", "Two")
      + account(2, 2, "x.com", "Zwei") + account(3, 2, "github", "Deux") + account(4, 2, "x.com", "Due")
      + "UPDATE attestations SET archived = true WHERE id = 4;"
      + "INSERT INTO market_trades VALUES (2, '2026-01-02', 1, 30, 5, true, true, 5, 10, 1, 1, 0, 6, 1, 6, 4, 12, 12)");
  const auto all = read("");
  EXPECT_EQ(ids(all), (those{1, 2, 3, 4}));
  const auto& two = all.markets.at(1);
  EXPECT_EQ(two.names, (std::vector<std::string>{"user2", "User 2", "Two", "Zwei"}));
  EXPECT_EQ(two.about.size(), 2000u) << "1,000 characters";
  EXPECT_EQ(iso_text(two.created_at), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(two.volume, wei{12});
  EXPECT_EQ(all.markets.at(0).about, "");
}

TEST_F(MarketNames, ComeInParts) {
  EXPECT_EQ(ids(read("", 0, 3)), (those{1, 2, 3}));
  EXPECT_EQ(ids(read("", 3, 3)), those{4});
  EXPECT_EQ(ids(read("", 4, 3)), those{});
  const auto before = read("").as_of;
  sql("UPDATE users SET display_name = 'X'");
  EXPECT_EQ(ids(read(before, 0, 3)), (those{1, 2, 3}));
  EXPECT_EQ(ids(read(before, 3, 3)), those{4});
}

TEST_F(MarketNames, ThatDidNotChangeAreNotReadAgain) {
  EXPECT_EQ(changed(), (those{1, 2, 3, 4}));
  EXPECT_EQ(changed(), those{});
  sql("UPDATE users SET score = 7, influence_factor = 9; UPDATE users SET display_name = display_name; UPDATE profiles "
      "SET api_access = false;"
      "UPDATE users SET display_name = 'No market' WHERE id = 5;"
      + account(1, 3, "github", "three") + account(2, 5, "x.com", "five"));
  EXPECT_EQ(changed(), those{});
}

TEST_F(MarketNames, ThatChangedAreReadOnce) {
  changed();
  const auto after = [&](const std::string& statements) {
    sql(statements);
    const auto found = changed();
    EXPECT_EQ(changed(), those{}) << statements;
    return found;
  };
  EXPECT_EQ(after("UPDATE users SET username = 'somebody' WHERE id = 1"), those{1});
  EXPECT_EQ(after("UPDATE users SET username = NULL WHERE id = 1"), those{1});
  EXPECT_EQ(after("UPDATE users SET description = 'about' WHERE id IN (2, 3, 5)"), (those{2, 3}));
  EXPECT_EQ(after("UPDATE users SET display_name = 'Four', score = 1 WHERE id = 4"), those{4});
  EXPECT_EQ(after(account(1, 3, "x.com", "three")), those{3});
  EXPECT_EQ(after("UPDATE attestations SET archived = true WHERE id = 1"), those{3});
  EXPECT_EQ(after("UPDATE attestations SET user_id = 2, profile_id = 2 WHERE id = 1"), (those{2, 3}));
  EXPECT_EQ(after("DELETE FROM attestations WHERE id = 1"), those{2});
  sql("INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (25, '2026-01-01', 5, 'CREATION', 100)");
  open_market(5);
  EXPECT_EQ(changed(), those{5});
}

TEST_F(MarketNames, OfAllAreReadAgainWhenAllAccountsAreTakenAway) {
  changed();
  sql("TRUNCATE attestations");
  EXPECT_EQ(changed(), (those{1, 2, 3, 4}));
}

TEST_F(MarketNames, OfATransactionThatEndsLaterAreReadThen) {
  changed();
  auto slow = test::look_into(url);
  slow.exec("BEGIN; UPDATE users SET display_name = 'Slow' WHERE id = 1", deadline_in(60s));
  sql("UPDATE users SET display_name = 'Quick' WHERE id = 2");
  EXPECT_EQ(changed(), those{2});
  sql("UPDATE users SET display_name = 'Quick' WHERE id = 3");
  EXPECT_EQ(changed(), those{3}) << "and not 2 again";
  slow.exec("COMMIT", deadline_in(60s));
  EXPECT_EQ(changed(), those{1});
  EXPECT_EQ(changed(), those{});
}

TEST_F(MarketNames, RestoredFromAServerThatCountedFurtherAreReadOnce) {
  sql("UPDATE market_names SET changed = '4000000000'");
  EXPECT_EQ(changed(), (those{1, 2, 3, 4}));
  EXPECT_EQ(changed(), those{});
  sql("UPDATE users SET display_name = 'Known' WHERE id = 2");
  EXPECT_EQ(changed(), those{2});
}

} // namespace
} // namespace credence::persistence
