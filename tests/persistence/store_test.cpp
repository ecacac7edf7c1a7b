#include "persistence/replication.hpp"
#include "persistence/sql/idempotency_sql.hpp"
#include "persistence/tidying.hpp"
#include "persistence/vitals.hpp"
#include "tests/persistence/store_fixture.hpp"
#include "tests/waiting.hpp"

#include <future>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::how_many;
using test::number_from;

TEST_F(Store, CommitsWhatItIsSentAndThenSettles) {
  open();
  ASSERT_TRUE(wait_writable());
  for (int voter = 1; voter <= 20; ++voter)
    cast(1, voter, voter);
  ASSERT_TRUE(settle_writes());
  EXPECT_EQ(how_many(url, "votes"), 20);
  EXPECT_TRUE(heard.wait([](auto& by, auto) { return by[write_result::stored] == 20; }));
}

TEST_F(Store, WritesWhatItHoldsBeforeItStops) {
  open();
  ASSERT_TRUE(wait_writable());
  for (int voter = 1; voter <= 20; ++voter)
    cast(2, voter, voter);
  std::promise<void> gone;
  when_gone(open().writer, [&](bool, const std::string&) { gone.set_value(); });
  tell_to_end(open().writer);
  gone.get_future().wait();
  EXPECT_EQ(how_many(url, "votes"), 20);
}

TEST_F(Store, FailsWritesAtOnceWhileTheDatabaseIsAway) {
  open();
  ASSERT_TRUE(wait_writable());
  test::shared_postgres().stop();
  ASSERT_TRUE(wait_writable(false));
  cast(1, 1, 1);
  EXPECT_TRUE(heard.wait([](auto& by, auto) { return by[write_result::not_written] == 1; }));
  EXPECT_TRUE(settle_writes());
  EXPECT_FALSE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
  test::shared_postgres();
  ASSERT_TRUE(wait_writable());
  life = 2;
  cast(1, 1, 1);
  EXPECT_TRUE(heard.wait([](auto& by, auto) { return by[write_result::stored] == 1; }));
  // The reader's old connection is dead, which costs it one retry and the asker nothing.
  EXPECT_TRUE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
}

TEST_F(Store, RefusesToOpenWithoutDurableSettings) {
  for (const std::string setting : {"fsync", "full_page_writes", "synchronous_commit"}) {
    test::shared_postgres().sql("ALTER SYSTEM SET " + setting + " = off", "postgres");
    test::shared_postgres().stop();
    test::shared_postgres();
    try {
      open_store(system, how, status, persistence::claim{});
      ADD_FAILURE() << "opened with " << setting << " off";
    } catch (const unfit_database& why) {
      EXPECT_NE(std::string{why.what()}.find(setting), std::string::npos) << why.what();
    }
    test::shared_postgres().sql("ALTER SYSTEM RESET " + setting, "postgres");
  }
  test::shared_postgres().stop();
  test::shared_postgres();
  open();
  EXPECT_TRUE(wait_writable());
}

TEST_F(Store, RefusesToOpenWhereACommitDoesNotWaitForTheStandbysThatAreNamed) {
  const auto refused = [this](const std::string& level) {
    connection on{secret{url + " options='-c synchronous_commit=" + level + "'"}, session{}, in_time};
    return unfit(on, deadline_in(in_time)).value_or("");
  };
  EXPECT_EQ(refused("local"), "") << "no standby is named";
  const test::waiting_for_a_standby named;
  for (const std::string level : {"local", "remote_write"})
    EXPECT_TRUE(refused(level).starts_with("synchronous_commit is " + level + " ")) << refused(level);
  for (const std::string level : {"on", "remote_apply"})
    EXPECT_EQ(refused(level), "");
}

TEST_F(Store, RefusesToOpenOnADatabaseWithoutItsSchema) {
  how.database_url = secret{test::shared_postgres().url("nothing_in_it")};
  EXPECT_THROW(open_store(system, how, status, persistence::claim{}), unfit_database);
}

TEST_F(Store, SaysThatThereIsNoDatabase) {
  how.database_url = secret{"host=/nonexistent dbname=none"};
  EXPECT_THROW(open_store(system, how, status, persistence::claim{}), database_error);
}

// -- the database dies under load ---------------------------------------------------------

struct StoreUnderLoad : Store {
  StoreUnderLoad() : Store(4000, 20) {}

  /// Casts votes in the background, as entities do: with numbers that go on from what
  /// is stored, a new life after each failure, and never more than a few under way.
  void load(const std::stop_token& ended) {
    std::map<int, int> next_voter;
    while (!stop && !ended.stop_requested()) {
      for (int project = 1; project <= 20 && !stop; ++project) {
        if (!status.writable || heard.finals() + 500 < sent) {
          std::this_thread::sleep_for(1ms);
          continue;
        }
        const auto given_up = heard.count(write_result::failed) + heard.count(write_result::not_written);
        if (given_up != failures) {
          start_anew();
          failures = given_up;
        }
        if (next_voter[project] == 4000)
          continue;
        cast(project, ++next_voter[project], ++numbers[project], steady_clock::now() + 2s);
        ++sent;
      }
    }
  }
  void start_anew() {
    settle_writes();
    ++life;
    auto on = test::look_into(url);
    for (int project = 1; project <= 20; ++project)
      numbers[project] = on.exec_params("SELECT coalesce(max(number), 0) FROM votes WHERE project_id = $1::int4",
                                        parameters{}.int4(project), deadline_in(in_time))
                           .value<std::int32_t>();
  }
  bool wait_stored(std::uint64_t more) {
    const auto target = heard.count(write_result::stored) + more;
    return heard.wait([target](auto& by, auto) { return by[write_result::stored] >= target; });
  }

  std::atomic<bool> stop{false};
  std::uint64_t sent = 0;
  std::uint64_t failures = 0;
  std::map<int, int> numbers;
};

TEST_F(StoreUnderLoad, LosesNothingAndDoublesNothingWhenTheDatabaseIsKilled) {
  open();
  ASSERT_TRUE(wait_writable());
  test::shared_postgres().sql("CHECKPOINT", "postgres"); // what earlier tests wrote need not be recovered
  std::jthread loader{[this](const std::stop_token& ended) {
    while (!stop && !ended.stop_requested()) {
      try {
        load(ended);
      } catch (const database_error&) {
        // The database is away; the next life starts when it is back.
        wait_writable();
      }
    }
  }};
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(wait_stored(500));
    test::shared_postgres().kill_hard();
    EXPECT_TRUE(wait_writable(false));
    test::shared_postgres();
    EXPECT_TRUE(wait_writable());
  }
  EXPECT_TRUE(wait_stored(500));
  stop = true;
  loader.join();
  ASSERT_TRUE(settle_writes());
  ASSERT_TRUE(heard.wait([this](auto&, auto finals) { return finals == sent; }));
  // Every vote is distinct, so as many rows as were acknowledged means the very same.
  RecordProperty("in_doubt", std::to_string(heard.count(write_result::in_doubt)));
  EXPECT_EQ(static_cast<std::uint64_t>(how_many(url, "votes")), heard.count(write_result::stored));
  EXPECT_EQ(number_from(url, "SELECT max(seq) - min(seq) + 1 - count(*) FROM votes"), 0);
  EXPECT_EQ(how_many(url, "(SELECT project_id FROM votes GROUP BY project_id"
                          " HAVING max(number) <> count(*)) holes"),
            0);
}

TEST(Vitals, TellAnyRoleOfConnectionsOldTransactionsAndDeadRows) {
  const auto url = test::fresh_database();
  auto asking = test::look_into(url);
  asking.exec("CREATE ROLE modest; SET ROLE modest", deadline_in(60s));
  const auto now = [&] { return read_vitals(asking, deadline_in(60s)); };
  const auto before = now();
  EXPECT_GE(before.connections, 1);
  EXPECT_GT(before.connections_max, before.connections);
  EXPECT_GT(before.xid_age, 0);
  EXPECT_LT(before.xid_age, 1'000'000'000);
  EXPECT_LT(before.vacuum_due, 1);
  EXPECT_FALSE(before.archive_fails);

  auto reader = test::look_into(url); // which keeps dead rows from being removed
  reader.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM profiles", deadline_in(60s));
  EXPECT_GT(now().connections, before.connections);
  test::run_sql(url, "CREATE TABLE grown AS SELECT n FROM generate_series(1, 100000) n");
  test::run_sql(url, "DELETE FROM grown; SELECT pg_stat_force_next_flush()");
  EXPECT_TRUE(test::comes_true([&] { return now().vacuum_due > 1; })) << now().vacuum_due;

  EXPECT_EQ(now().transaction_age_s, 0) << "another role's is hidden";
  asking.exec("RESET ROLE; GRANT pg_read_all_stats TO modest; SET ROLE modest", deadline_in(60s));
  EXPECT_TRUE(test::comes_true([&] { return now().transaction_age_s >= 1; }));
  reader.exec("ROLLBACK", deadline_in(60s));
  EXPECT_TRUE(test::comes_true([&] { return now().transaction_age_s == 0; }));
  asking.exec("RESET ROLE; DROP OWNED BY modest; DROP ROLE modest", deadline_in(60s));
}

TEST(Vitals, TellWhileTheLogCannotBeArchived) {
  test::private_postgres cluster;
  const auto url = cluster.url();
  cluster.sql("ALTER SYSTEM SET archive_mode = on");
  cluster.sql("ALTER SYSTEM SET archive_command = 'false'");
  cluster.stop();
  cluster.start();
  auto asking = test::look_into(url);
  const auto fails = [&] { return read_vitals(asking, deadline_in(60s)).archive_fails; };
  cluster.sql("CREATE TABLE archived (n int); SELECT pg_switch_wal()");
  EXPECT_TRUE(test::comes_true(fails));
  cluster.sql("ALTER SYSTEM SET archive_command = 'true'");
  cluster.sql("SELECT pg_reload_conf()");
  cluster.sql("DROP TABLE archived; SELECT pg_switch_wal()"); // wakes who archives
  EXPECT_TRUE(test::comes_true([&] { return !fails(); }));
}

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

struct Tidying : ::testing::Test {
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
    EXPECT_EQ(how_many(url, "idempotency_records WHERE slot = " + std::to_string(slot)),
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
  EXPECT_EQ(how_many(url, "idempotency_records"), 0);
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
  EXPECT_EQ(how_many(url, "used_nonces"), 0) << "the rest is done";
  reader.exec("ROLLBACK", deadline_in(60s));
  const auto forgotten = forgotten_slots(database_now());
  round();
  EXPECT_EQ(how_many(url, "idempotency_records"), record_slots - static_cast<std::int64_t>(forgotten.size()));
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
  EXPECT_EQ(how_many(url, "used_nonces"), 1500);
  EXPECT_EQ(how_many(url, "sessions"), 1500);
}

TEST_F(Tidying, LeavesOfTheHistoryOfScoresTheLastRowOfEachDayAfterThirtyDays) {
  run_sql(url, "INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT 1 + n % 2, now(), "
               "current_date - 60 + n / 100, 1200, '{}', 'x' FROM generate_series(0, 5999) n");
  round();
  EXPECT_EQ(how_many(url, "score_history WHERE day < current_date - 30"), 60) << "30 days, of two users";
  EXPECT_EQ(how_many(url, "score_history WHERE day >= current_date - 30"), 3000);
  EXPECT_EQ(how_many(url, "score_history h WHERE day < current_date - 30 AND number % 100 NOT IN (0, 99)"), 0)
    << "the last";
  round();
  EXPECT_EQ(how_many(url, "score_history"), 3060);
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
  EXPECT_EQ(how_many(url, "used_nonces"), 1);
}

TEST(StandbyRule, ReadsTheFormsOfPostgreSQL) {
  const struct {
    const char* setting;
    int needed, named;
  } rows[]{
    {"", 0, 0},
    {"  ", 0, 0},
    {"east", 1, 1},
    {"east, west", 1, 2},
    {"*", 1, 2},
    {"2 (a, b, c)", 2, 3},
    {"FIRST 2 (a,b,c)", 2, 3},
    {"any 1 (a, \"b, c\")", 1, 2},
    {"ANY 2 (*)", 2, 3},
    {"\"any\"", 1, 1},
    {"anybody", 1, 1},
  };
  for (const auto& row : rows) {
    const auto read = standby_rule::read(row.setting);
    EXPECT_EQ(read.needed, row.needed) << row.setting;
    EXPECT_EQ(read.named, row.named) << row.setting;
  }
}

TEST(LookAtReplication, TellsOfAServerThatNobodyFollows) {
  auto on = test::look_into(test::shared_postgres().url("replication_tests"));
  const auto seen = look_at_replication(on, deadline_in(std::chrono::seconds{60}));
  EXPECT_FALSE(seen.in_recovery);
  EXPECT_EQ(seen.timeline, 1);
  EXPECT_FALSE(seen.hidden);
  EXPECT_EQ(seen.needed, 0);
  EXPECT_TRUE(seen.standbys.empty());
}

} // namespace
} // namespace credence::persistence
