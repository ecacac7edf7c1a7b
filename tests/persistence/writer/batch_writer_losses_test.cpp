#include "tests/persistence/writer/batch_writer_fixture.hpp"

#include "tests/persistence/postgres/cutting_proxy.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::number_from;
using test::run_sql;

constexpr auto in_time = 60s;

TEST_F(BatchWriter, FindsABatchThatWasCommittedUnheard) {
  test::cutting_proxy proxy{test::shared_postgres().directory().string()};
  how.database_url = secret{proxy.through(url)};
  ASSERT_TRUE(connect());
  proxy.cut_next(test::cutting_proxy::moment::after);
  send(1, vote(1, 1));
  send(1, vote(1, 2));
  ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(count(1, write_result::in_doubt), 2u);
  EXPECT_EQ(count(1, write_result::stored), 0u);
  ASSERT_TRUE(work_off());
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(count(1, write_result::stored), 2u);
  EXPECT_EQ(outcomes.back().as_of, 3);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 2);
  EXPECT_TRUE(status.writable);
  send(1, vote(1, 3));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(number_from(url, "SELECT max(seq) FROM votes"), 4);
}

TEST_F(BatchWriter, IsInDoubtAboutWhatIsOnThePrimaryAloneUntilItHasLookedItUp) {
  ASSERT_TRUE(connect());
  {
    const test::waiting_for_a_standby nobody_replicates;
    send(1, vote(1, 1));
    std::jthread canceller{[](const std::stop_token& over) { test::cancel_waits_for_a_standby(over); }};
    ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
    EXPECT_EQ(count(1, write_result::in_doubt), 1u);
    EXPECT_EQ(count(1, write_result::stored), 0u);
  }
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 1);
}

/// Ends the writer's session as soon as it waits for a lock.
std::thread end_the_writer_once_it_waits(const std::string& url) {
  return std::thread{[url] {
    auto on = test::look_into(url);
    for (;;) {
      const auto ended = on.exec_params("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                                        " application_name = 'credence-writer' AND wait_event_type = 'Lock'"
                                        " AND datname = current_database()",
                                        deadline_in(in_time));
      if (!ended.empty())
        return;
      std::this_thread::sleep_for(1ms);
    }
  }};
}

TEST_F(BatchWriter, WritesABatchAgainThatWasLostBeforeItsCommit) {
  ASSERT_TRUE(connect());
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE votes IN EXCLUSIVE MODE", deadline_in(in_time));
  send(1, vote(1, 1));
  send(2, vote(2, 1));
  auto killer = end_the_writer_once_it_waits(url);
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  killer.join();
  EXPECT_EQ(count(1, write_result::in_doubt), 1u);
  // A stream in doubt queues, anyone else is refused at once.
  send(1, vote(1, 2));
  send(3, vote(3, 1));
  EXPECT_EQ(count(3, write_result::not_written), 1u);
  EXPECT_EQ(count(1, write_result::not_written), 0u);
  EXPECT_FALSE(writer().settled(writer().taken()));
  blocker.exec("ROLLBACK", deadline_in(in_time));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 2u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 3);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes WHERE project_id = 3"), 0);
}

TEST_F(BatchWriter, FailsADoubtfulBatchThatIsAbsentAndPastItsDeadline) {
  ASSERT_TRUE(connect());
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE votes IN EXCLUSIVE MODE", deadline_in(in_time));
  const auto deadline = steady_clock::now() + 2s;
  send(1, vote(1, 1), deadline);
  auto killer = end_the_writer_once_it_waits(url);
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  killer.join();
  std::this_thread::sleep_until(deadline); // which is what has to pass
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 1u);
  blocker.exec("ROLLBACK", deadline_in(in_time));
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 0);
}

TEST_F(BatchWriter, GivesUpOnAFrozenServerAndRecoversWhenItGoesOn) {
  how.statement_timeout = 1s; // which the first connection and its statements are well within
  how.connect_timeout = 1s;
  ASSERT_TRUE(connect());
  test::shared_postgres().pause();
  send(1, vote(1, 1));
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(count(1, write_result::in_doubt), 1u);
  // Several attempts to come back, none of which hangs.
  const auto until = steady_clock::now() + 3s;
  EXPECT_TRUE(work_until([&] { return steady_clock::now() > until; }));
  EXPECT_FALSE(writer().connected());
  test::shared_postgres().resume();
  how.statement_timeout = 60s;
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 1);
}

TEST_F(BatchWriter, NoticesADeadServerWhileIdle) {
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.writable);
  test::shared_postgres().sql("CHECKPOINT", "postgres"); // what earlier tests wrote need not be recovered
  test::shared_postgres().kill_hard();
  EXPECT_TRUE(work_until([&] { return !status.writable; }));
  test::shared_postgres(); // starts it again
  EXPECT_TRUE(work_until([&] { return status.writable.load(); }));
}

TEST_F(BatchWriter, IsFencedByANewerEpochAndTakesOverAfreshForItsBatch) {
  ASSERT_TRUE(connect());
  run_sql(url, "UPDATE shard_owners SET epoch = epoch + 1");
  send(1, vote(1, 1));
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  // Refused, so certainly not stored: nobody is in doubt.
  EXPECT_EQ(count(1, write_result::in_doubt), 0u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 0);
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 1);
}

TEST_F(BatchWriter, StandsDownWhenAnotherProcessHasTakenOver) {
  ASSERT_TRUE(connect());
  int stood_down = 0;
  status.when_superseded = [&stood_down] { ++stood_down; };
  store_status newer_status;
  batch_writer newer{how, newer_status, [](const write_listener&, const write_outcome&) {},
                     postgres_sessions(how, "credence-writer")};
  const auto until = steady_clock::now() + in_time;
  while (!newer.connected() && steady_clock::now() < until)
    newer.work();
  ASSERT_TRUE(newer_status.writable);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 1u);
  EXPECT_TRUE(status.superseded);
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(stood_down, 1);
  send(2, vote(2, 1));
  EXPECT_EQ(count(2, write_result::not_written), 1u);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 0);
  EXPECT_FALSE(newer_status.superseded);
}

TEST_F(BatchWriter, FindsItsLastBatchAlsoWhenAnotherProcessHasWrittenSince) {
  test::cutting_proxy proxy{test::shared_postgres().directory().string()};
  how.database_url = secret{proxy.through(url)};
  ASSERT_TRUE(connect());
  proxy.cut_next(test::cutting_proxy::moment::after);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
  ASSERT_EQ(count(1, write_result::in_doubt), 1u);
  how.database_url = secret{url};
  store_status newer_status;
  std::uint32_t stored = 0;
  batch_writer newer{how, newer_status,
                     [&](const write_listener&, const write_outcome& outcome) {
                       stored += outcome.result == write_result::stored ? outcome.count : 0;
                     },
                     postgres_sessions(how, "credence-writer")};
  const auto until = steady_clock::now() + in_time;
  while (!newer.connected() && steady_clock::now() < until)
    newer.work();
  newer.take({{2, 0}, vote(2, 1), write_listener{}, until});
  while (stored == 0 && steady_clock::now() < until)
    newer.work();
  ASSERT_EQ(stored, 1u);
  ASSERT_TRUE(work_until([&] { return status.superseded.load(); }));
  EXPECT_EQ(count(1, write_result::stored), 1u) << "it is there, whoever has come since";
}

TEST_F(BatchWriter, NoticesWithoutAWriteThatAnotherProcessHasTakenOver) {
  ASSERT_TRUE(connect());
  run_sql(url, "UPDATE shard_owners SET owner = 'somebody else', epoch = epoch + 1");
  EXPECT_TRUE(work_until([&] { return status.superseded.load(); }));
  EXPECT_FALSE(status.writable);
}

TEST_F(BatchWriter, KnowsThatItOwnsItsDataWhileItIsIdleAndWhileItWrites) {
  EXPECT_FALSE(status.may_read());
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.may_read());
  const auto first = status.owned_at_ns.load();
  ASSERT_TRUE(work_until([&] { return status.owned_at_ns > first; })) << "it asks by itself";
  const auto idle = status.owned_at_ns.load();
  const auto before = boot_now().count();
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_GT(status.owned_at_ns, idle) << "a batch tells as well";
  EXPECT_GE(status.owned_at_ns, before);
}

TEST_F(BatchWriter, GoesOnKnowingWhileBatchesAreRefused) {
  ASSERT_TRUE(connect());
  auto holder = test::look_into(url);
  transaction held{holder, steady_clock::now() + in_time};
  holder.exec("LOCK TABLE votes", steady_clock::now() + in_time);
  send(1, vote(1, 1));
  const auto until = steady_clock::now() + 4s; // longer than the lease, shorter than the server lets a transaction idle
  bool always = true;
  work_until([&] {
    always = always && status.may_read();
    return steady_clock::now() > until;
  });
  EXPECT_TRUE(always);
}

/// What the wall clock is ahead, for a clock source without state.
std::chrono::seconds jumped{0};
std::chrono::microseconds followed{0};

TEST_F(BatchWriter, TakesNoWritesWhileTheClocksDiffer) {
  jumped = 0s;
  followed = {};
  clocks = {[] { return wall_now() + jumped; }, [](std::chrono::microseconds ahead) { followed = ahead; }};
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.writable);
  const auto good = followed;
  EXPECT_NE(good.count(), 0);
  jumped = 3 * 366 * 24h;
  EXPECT_TRUE(work_until([&] { return !status.writable; }));
  EXPECT_EQ(status.clock, clock_verdict::differs);
  EXPECT_TRUE(status.may_read());
  EXPECT_LT(followed, good + 1h) << "nobody follows it";
  jumped = 0s;
  EXPECT_TRUE(work_until([&] { return status.writable.load(); }));
  EXPECT_EQ(status.clock, clock_verdict::good);
}

TEST_F(BatchWriter, StandsDownWhenItsVotesAreGoneFromTheDatabase) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  // As after a restore from a backup made before that vote.
  run_sql(url, "UPDATE shard_owners SET sequence = sequence - 1, last_seq = last_seq - 1");
  send(1, vote(1, 2));
  ASSERT_TRUE(work_off());
  EXPECT_TRUE(status.superseded);
  EXPECT_EQ(count(1, write_result::not_written), 1u);
}

TEST_F(BatchWriter, DoesNotWriteToASchemaOfAnotherBuild) {
  run_sql(url, "INSERT INTO schema_migrations (version, name, checksum) SELECT version + 1, 'of the future', checksum"
               " FROM schema_migrations ORDER BY version DESC LIMIT 1");
  const auto until = steady_clock::now() + 300ms;
  EXPECT_TRUE(work_until([&] { return steady_clock::now() > until; }));
  EXPECT_FALSE(status.owned);
  EXPECT_FALSE(writer().connected());
}

} // namespace
} // namespace credence::persistence
