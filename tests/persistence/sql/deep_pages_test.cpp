#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr int trades = 5000;
constexpr int tips = 3000;
const auto deadline = [] { return deadline_in(60s); };

/// Profiles 1 to 9. Of market 1 every trade but one in a hundred is of distrust, by the profiles 2 to 6 in turn;
/// profile 1 tips the others. All of it came in batches of different sizes, with other movements between.
const std::string& filled() {
  static const auto url = [] {
    const auto made = test::fresh_database(9, 1);
    auto on = test::look_into(made);
    on.exec(
      "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) SELECT 10 + n, '2026-01-01', n, 'DEPOSIT', "
      "1000000 FROM generate_series(1, 6) n;"
      "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (5, '2026-01-01', 1, 'CREATION', 100);"
      "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
      "updated_at, trust_price, distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 5, '2026-01-01', "
      "'2026-01-01', 5, 5);"
      "INSERT INTO addresses (address, user_id, kind, added_at) SELECT decode(lpad(to_hex(n), 40, '0'), 'hex'), n, "
      "'primary', now() FROM generate_series(1, 9) n;"
      "INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now(), 100000, 0, 1, 'CLAIM'), "
      "(now(), 1000, 0, 9, 'CLAIM'); "
      "ANALYZE",
      deadline());
    std::mt19937 draw{7}; // NOLINT: the same every time
    const auto in_batches = [&](int count, const std::string& insert, const std::string& select) {
      for (int from = 1; from <= count;) {
        const auto to = std::min(count, from + std::uniform_int_distribution{0, 300}(draw));
        on.exec(insert + " SELECT " + select + " FROM generate_series(" + std::to_string(from) + ", "
                  + std::to_string(to) + ") n",
                deadline());
        from = to + 1;
      }
    };
    in_batches(trades, "INSERT INTO market_trades",
               "1, timestamptz '2026-01-02' + n / 7 * interval '1 second', n, 10000 + n, 2 + n % 5, true, n % 100 = 0, "
               "1, 3, 1, 1, 0, 1 + n / 100, 1 + n - n / 100, 6, 4, 5 * n, 5 * n");
    in_batches(
      tips, "INSERT INTO xp_movements (from_account, to_account, amount, kind, at, seq)",
      "CASE WHEN n % 3 = 0 THEN 9 ELSE 1 END, CASE WHEN n % 3 = 0 THEN 0 ELSE 2 + n % 2 END, 1,"
      " CASE WHEN n % 3 = 0 THEN 'VOTE_COST' ELSE 'XP_TIP_SENT' END, now(), CASE WHEN n % 3 > 0 THEN 20000 + n END");
    return made;
  }();
  return url;
}

struct DeepPages : testing::Test, test::one_database {
  DeepPages() : one_database(filled()) {
    on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", soon());
  }

  /// Rows of a table that were read while `run` ran.
  template <class F>
  std::int64_t rows_read(const std::string& table, F run) {
    return test::rows_read_by(on, filled(), "'" + table + "'", run).all;
  }
  template <class Values>
  static std::vector<std::int64_t> ids(const Values& values) {
    std::vector<std::int64_t> out;
    for (const auto& each : values)
      out.push_back(each.id);
    return out;
  }
};

const std::vector<page> pages{{50, 0},  {50, 1},     {1, 255},   {1, 256},   {50, 257}, {1000, 500},
                              {7, 511}, {100, 2048}, {50, 4700}, {10, 4949}, {50, 4990}};

TEST_F(DeepPages, OfAMarketAreThoseOfAWalk) {
  for (const auto& slice : pages)
    for (const auto side : {std::optional<market::vote_side>{}, std::optional{market::vote_side::trust},
                            std::optional{market::vote_side::distrust}}) {
      const std::string filter = !side ? "" : *side == market::vote_side::trust ? " AND trusts" : " AND NOT trusts";
      const auto found = read(market::get_market_trades{market_id{1}, side, slice});
      EXPECT_EQ(ids(found.values),
                numbers("SELECT seq FROM market_trades WHERE market_id = 1" + filter + " ORDER BY number DESC LIMIT "
                        + std::to_string(slice.limit) + " OFFSET " + std::to_string(slice.offset)))
        << slice.offset << filter;
      EXPECT_EQ(found.total, !side ? trades : *side == market::vote_side::trust ? trades / 100 : trades - trades / 100);
    }
  EXPECT_EQ(read(market::get_market_trades{market_id{2}, {}, {}}).total, -1) << "there is no such market";
}

TEST_F(DeepPages, OfATraderAreThoseOfAWalk) {
  address who;
  who.bytes[19] = std::byte{2};
  for (const auto& slice : pages)
    for (const auto side : {std::optional<market::vote_side>{}, std::optional{market::vote_side::trust},
                            std::optional{market::vote_side::distrust}}) {
      const std::string filter = !side ? "" : *side == market::vote_side::trust ? " AND trusts" : " AND NOT trusts";
      const auto found = read(market::get_activity{who, side, slice});
      EXPECT_EQ(ids(found.values),
                numbers("SELECT seq FROM market_trades WHERE trader_id = 2" + filter + " ORDER BY seq DESC LIMIT "
                        + std::to_string(slice.limit) + " OFFSET " + std::to_string(slice.offset)))
        << slice.offset << filter;
    }
}

TEST_F(DeepPages, OfTipsAreThoseOfAWalk) {
  for (const auto& slice : pages)
    for (const auto side : {profile::tip_side::sent, profile::tip_side::received}) {
      const bool sent = side == profile::tip_side::sent;
      const page here{std::min(slice.limit, 100), slice.offset};
      const auto found = read(profile::get_tips{profile_id{sent ? 1 : 3}, side, here});
      const std::string of = sent ? "from_account = 1" : "to_account = 3";
      EXPECT_EQ(ids(found.values),
                numbers("SELECT seq FROM xp_movements WHERE kind = 'XP_TIP_SENT' AND " + of + " ORDER BY id DESC LIMIT "
                        + std::to_string(here.limit) + " OFFSET " + std::to_string(here.offset)))
        << slice.offset;
      EXPECT_EQ(found.total, numbers("SELECT count(*) FROM xp_movements WHERE kind = 'XP_TIP_SENT' AND " + of).front());
    }
}

/// Whatever the depth, and though nearly all trades are of the other side.
TEST_F(DeepPages, CostWhatTheyCarry) {
  constexpr auto at_most = 50 + 256 + 2; // of the other side, one is looked at
  for (const auto side : {std::optional<market::vote_side>{}, std::optional{market::vote_side::trust},
                          std::optional{market::vote_side::distrust}})
    for (const int offset : {0, 40, 1000, 2500, 4600, 4950})
      EXPECT_LE(rows_read("market_trades",
                          [&] {
                            read(market::get_market_trades{market_id{1}, side, {50, offset}});
                          }),
                at_most)
        << offset;
  address who;
  who.bytes[19] = std::byte{2};
  for (const int offset : {0, 300, 700, 950})
    EXPECT_LE(rows_read("market_trades",
                        [&] {
                          read(market::get_activity{who, {}, {50, offset}});
                        }),
              at_most)
      << offset;
  for (const int offset : {0, 300, 1500, 1950})
    EXPECT_LE(rows_read("xp_movements",
                        [&] {
                          read(profile::get_tips{profile_id{1}, profile::tip_side::sent, {50, offset}});
                        }),
              at_most)
      << offset;
  for (const int offset : {0, 2500, 4950})
    EXPECT_LE(rows_read("market_trades",
                        [&] {
                          read(market::get_prices{market_id{1}, {50, offset}});
                        }),
              at_most)
      << offset;
}

TEST_F(DeepPages, PastTheEndNothingIsRead) {
  EXPECT_EQ(rows_read("market_trades",
                      [&] {
                        EXPECT_TRUE(read(market::get_market_trades{market_id{1}, {}, {50, trades}}).values.empty());
                        EXPECT_TRUE(read(market::get_market_trades{
                                           market_id{1}, market::vote_side::trust, {50, limits::offset_max}})
                                      .values.empty());
                        EXPECT_TRUE(read(market::get_prices{market_id{1}, {50, trades + 1}}).values.empty());
                      }),
            0);
  EXPECT_EQ(
    rows_read("xp_movements",
              [&] {
                EXPECT_TRUE(read(profile::get_tips{profile_id{1}, profile::tip_side::sent, {50, 2000}}).values.empty());
                EXPECT_EQ(read(profile::get_tip_figures{profile_id{1}}).sent_count, 2000)
                  << "counted as they were made";
              }),
    0);
}

TEST_F(DeepPages, OfPricesGoBackToTheBeginning) {
  std::vector<timestamp> all;
  for (int offset = 0; offset <= trades; offset += 700) {
    const auto found = read(market::get_prices{market_id{1}, {700, offset}});
    EXPECT_EQ(found.total, trades + 1);
    std::vector<timestamp> here;
    for (const auto& each : found.values)
      here.push_back(each.at);
    EXPECT_TRUE(std::is_sorted(here.begin(), here.end()));
    all.insert(all.begin(), here.begin(), here.end());
  }
  ASSERT_EQ(all.size(), trades + 1u) << "every trade, and the beginning";
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.front(), read(market::get_prices{market_id{1}, {1, trades}}).values.front().at);
}

TEST_F(DeepPages, ADayAgoIsFoundAmongTradesOfBothSides) {
  const auto at = numbers("SELECT extract(epoch FROM at)::int8 FROM market_trades WHERE number = 2099").front();
  const auto window = read(market::load_window{market_id{1}, timestamp{std::chrono::seconds{at}}});
  const auto expected =
    numbers("SELECT max(number) FROM market_trades WHERE at <= (SELECT at FROM market_trades WHERE number = 2099)")
      .front();
  EXPECT_EQ(window.before.volume_after, wei{5 * expected});
  EXPECT_EQ(window.before.bought_after, wei{5 * expected});
  ASSERT_EQ(window.within.size(), market::day_window::kept_max);
  for (std::size_t i = 0; i < window.within.size(); ++i)
    ASSERT_EQ(window.within[i].volume_after, wei{5 * (expected + 1 + static_cast<std::int64_t>(i))});
}

TEST_F(DeepPages, AMarketAtManyMomentsIsWhatTheLastTradeBeforeEachMadeOfIt) {
  const auto at = [&](int number) {
    return timestamp{std::chrono::seconds{
      numbers("SELECT extract(epoch FROM at)::int8 FROM market_trades WHERE number = " + std::to_string(number))
        .front()}};
  };
  const timestamp made = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};
  const auto found = test::exactly(
    4, read(market::get_moments{market_id{1},
                                {made - std::chrono::seconds{1}, made, at(2099), at(2099) + std::chrono::hours{24}}}));
  EXPECT_FALSE(found[0]) << "before it was made";
  EXPECT_EQ(found[1]->trust_price, wei{5}) << "before anything was traded";
  EXPECT_EQ(found[1]->market_cap, 0);
  EXPECT_EQ(found[2]->trust_price, wei{6});
  EXPECT_EQ(found[2]->distrust_price, wei{4});
  const auto last =
    numbers("SELECT max(number) FROM market_trades WHERE at <= (SELECT at FROM market_trades WHERE number = 2099)")
      .front();
  EXPECT_EQ(found[2]->market_cap, 5 * last);
  EXPECT_EQ(found[3]->market_cap, 5 * trades);
  EXPECT_TRUE(read(market::get_moments{market_id{2}, {made}}).empty()) << "there is no such market";
}

/// A market of 200,000 holders: each part costs what it carries, and the first one is all that comes with the market.
TEST(ManyHolders, AreReadInParts) {
  constexpr int holders = 200'000;
  test::one_database of{test::fresh_database(1, 1)};
  of.sql(
    "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (4, '2026-01-01', 1, 'DEPOSIT', 100), (5, "
    "'2026-01-01', 1, 'CREATION', 100);"
    "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at, "
    "trust_price, distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 5, '2026-01-01', '2026-01-01', 5, 5);"
    "ALTER TABLE market_positions DISABLE TRIGGER ALL;"
    "INSERT INTO market_positions SELECT 1, 1 + n, n % 3, (n + 1) % 3 FROM generate_series(1, 200000) n;"
    "ALTER TABLE market_positions ENABLE TRIGGER ALL; ANALYZE");
  of.on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", deadline());
  const auto first = of.read(market::load_market{market_id{1}, {}});
  EXPECT_EQ(first.positions.size(), static_cast<std::size_t>(market::positions_at_once));
  market::holder_list all;
  int parts = 0;
  for (; !all.complete(); ++parts) {
    const auto part = of.read(market::load_positions{market_id{1}, all.after(), market::positions_at_once});
    ASSERT_LE(part.positions.size(), static_cast<std::size_t>(market::positions_at_once));
    all.add(part, part.positions.size() < static_cast<std::size_t>(market::positions_at_once));
  }
  EXPECT_EQ(parts, holders / market::positions_at_once + 1);
  EXPECT_EQ(all.page_of({10, 0}).total, 266'667);
  EXPECT_EQ(all.page_of({10, 0}).values.front().votes, 2);
  of.on.exec("SELECT pg_stat_force_next_flush()", deadline());
  of.on.exec("SELECT 1", deadline());
  EXPECT_LE(of.number("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'market_positions'"),
            holders + 2 * market::positions_at_once)
    << "each once";
}

} // namespace
} // namespace credence::persistence
