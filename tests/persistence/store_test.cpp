#include "tests/persistence/store_fixture.hpp"

#include <gtest/gtest.h>

#include <future>

#include <map>
#include <thread>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::number_from;

TEST_F(Store, CommitsWhatItIsSentAndThenSettles) {
  open();
  ASSERT_TRUE(wait_writable());
  for (int voter = 1; voter <= 20; ++voter)
    cast(1, voter, voter);
  ASSERT_TRUE(settle_writes());
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 20);
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
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM votes"), 20);
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

class StoreUnderLoad : public Store {
protected:
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
  EXPECT_EQ(static_cast<std::uint64_t>(number_from(url, "SELECT count(*) FROM votes")),
            heard.count(write_result::stored));
  EXPECT_EQ(number_from(url, "SELECT max(seq) - min(seq) + 1 - count(*) FROM votes"), 0);
  EXPECT_EQ(number_from(url, "SELECT count(*) FROM (SELECT project_id FROM votes GROUP BY project_id"
                             " HAVING max(number) <> count(*)) holes"),
            0);
}

} // namespace
} // namespace credence::persistence
