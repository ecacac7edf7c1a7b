#include "persistence/tidying.hpp"

#include "persistence/sql/idempotency_sql.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::number_from;
using test::run_sql;

bool contains(const std::vector<std::int16_t>& slots, std::int16_t which) {
  return std::find(slots.begin(), slots.end(), which) != slots.end();
}

TEST(RecordSlots, HoldARecordForADayAndAreEmptiedBeforeTheyAreUsedAgain) {
  const timestamp at{1767225600s + 3h + 59min};
  bool emptied = false;
  for (auto later = 0min; later < 60h; later += 1min) {
    const auto now = at + later;
    const bool forgotten = contains(forgotten_slots(now), record_slot(at));
    if (later <= 24h) {
      EXPECT_FALSE(forgotten) << later.count() << " minutes later";
    }
    emptied = emptied || forgotten;
    if (record_slot(now) == record_slot(at) && later > 4h) {
      EXPECT_TRUE(emptied);
      EXPECT_FALSE(forgotten) << "it is in use again";
      return;
    }
  }
  FAIL() << "no table is used again";
}

class Tidying : public ::testing::Test {
protected:
  Tidying() : url(test::fresh_database()), how(test::store_settings(url)) { status.owned = true; }
  void round() { tidying{how, status}.round(); }
  timestamp database_now() {
    auto on = test::look_into(url);
    return on.exec_params("SELECT clock_timestamp()", deadline_in(60s)).value<timestamp>();
  }

  const std::string url;
  settings::store how;
  store_status status;
};

TEST_F(Tidying, EmptiesTablesOfRecordsThatAreForgottenAndNoOthers) {
  run_sql(url, "INSERT INTO idempotency_records (slot, answered, at, id, fingerprint, effect)"
               " SELECT i % 8, false, now(), sha256(i::text::bytea), sha256('b'), '' FROM generate_series(0, 799) i");
  const auto forgotten = forgotten_slots(database_now());
  round();
  for (std::int16_t slot = 0; slot < record_slots; ++slot)
    EXPECT_EQ(number_from(url, "SELECT count(*) FROM idempotency_records WHERE slot = " + std::to_string(slot)),
              contains(forgotten, slot) ? 0 : 100);
}

/// Emptying takes no look at the rows: however many there are, the database reads none of them.
TEST_F(Tidying, CostsTheSameHoweverManyRecordsThereAre) {
  run_sql(url, "INSERT INTO idempotency_records (slot, answered, at, id, fingerprint, effect)"
               " SELECT 3, false, now(), sha256(i::text::bytea), sha256('b'), '' FROM generate_series(1, 100000) i");
  auto on = test::look_into(url);
  const auto explained = [&](const std::string& sql) {
    const auto plan =
      on.exec_params(("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT YAML) " + sql).c_str(), deadline_in(60s));
    const auto text = plan.value<std::string>();
    std::int64_t pages = 0;
    for (const std::string_view kind : {"Shared Hit Blocks: ", "Shared Read Blocks: "})
      pages += std::stoll(text.substr(text.find(kind) + kind.size()));
    return pages;
  };
  on.exec("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan", deadline_in(60s));
  EXPECT_LT(explained("SELECT * FROM idempotency_records WHERE id = sha256('77') AND at > now() - interval '1 day'"),
            60)
    << "a look-up goes down the index of each table";
  EXPECT_LT(explained("SELECT forget_records(3)"), 2000) << "emptying them looks up names, not rows";
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM idempotency_records"), 0);
}

TEST_F(Tidying, DoesNotWaitForWhoReads) {
  run_sql(url,
          "INSERT INTO idempotency_records (slot, answered, at, id, fingerprint, effect)"
          " SELECT i, false, now(), sha256('a'), sha256('b'), '' FROM generate_series(0, 7) i;"
          "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 1, now() - interval '2 days',"
          " now() - interval '2 days')");
  auto reader = test::look_into(url);
  reader.exec("BEGIN; SELECT count(*) FROM idempotency_records", deadline_in(60s));
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM used_nonces"), 0) << "the rest is done";
  reader.exec("ROLLBACK", deadline_in(60s));
  const auto forgotten = forgotten_slots(database_now());
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM idempotency_records"),
            record_slots - static_cast<std::int64_t>(forgotten.size()));
}

TEST_F(Tidying, RemovesNoncesAndSessionsADayAfterTheirEnd) {
  run_sql(url,
          "INSERT INTO used_nonces SELECT decode(repeat('01', 20), 'hex'), 'nonce-' || lpad(i::text, 4, '0'), 1, now() "
          "- interval '9 days',"
          "  now() - interval '20 hours' - interval '8 hours' * (i % 2) FROM generate_series(1, 3000) i;"
          "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at)"
          " SELECT gen_random_uuid(), 1, sha256(i::text::bytea), now() - interval '9 days', now() - interval '9 days',"
          "  now() - interval '20 hours' - interval '8 hours' * (i % 2) FROM generate_series(1, 3000) i");
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM used_nonces"), 1500);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM sessions"), 1500);
}

TEST_F(Tidying, LeavesOfTheHistoryOfScoresTheLastRowOfEachDayAfterThirtyDays) {
  run_sql(url, "INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT 1 + n % 2, now(), "
               "current_date - 60 + n / 100, 1200, '{}',"
               " 'x' FROM generate_series(0, 5999) n");
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM score_history WHERE day < current_date - 30"), 60)
    << "30 days, of two users";
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM score_history WHERE day >= current_date - 30"), 3000);
  EXPECT_EQ(
    number_from(url,
                "SELECT count(*) FROM score_history h WHERE day < current_date - 30 AND number % 100 NOT IN (0, 99)"),
    0)
    << "the last";
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM score_history"), 3060);
}

TEST_F(Tidying, IsForWhoOwnsTheDatabase) {
  run_sql(url,
          "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 1, now() - interval '2 days',"
          " now() - interval '2 days')");
  status.owned = false;
  round();
  status.owned = true;
  status.superseded = true;
  round();
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM used_nonces"), 1);
}

} // namespace
} // namespace credence::persistence
