#include "ops/metrics.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/store.hpp"
#include "persistence/writer/takeover.hpp"
#include "tests/answer_from.hpp"
#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;
constexpr auto lock_profiles = "BEGIN; LOCK TABLE profiles IN ACCESS EXCLUSIVE MODE";

/// The read connections of a store, asked directly.
class Readers : public ::testing::Test {
protected:
  Readers() { how.load_timeout = 60s; }
  ~Readers() override {
    if (opened) {
      tell_to_end(opened->writer);
      tell_to_end(opened->reader);
    }
  }

  reader_handle& open() {
    if (!opened) {
      opened.emplace(open_store(system, how, status, persistence::claim{}));
      const auto until = steady_clock::now() + in_time;
      while (!status.owned && steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    }
    return opened->reader;
  }
  /// Questions all of which are asked before one is answered; an answer is empty when it failed.
  template <class Answer, class Q>
  std::vector<std::optional<Answer>> ask(
    const std::vector<Q>& questions, const std::function<void()>& then = [] {}) {
    std::vector<any_load> loads;
    for (const auto& each : questions)
      loads.push_back({each});
    std::vector<std::optional<Answer>> out;
    for (auto& each : test::answers_from(open(), loads, then))
      out.push_back(each ? std::optional{std::any_cast<Answer&&>(std::move(*each))} : std::nullopt);
    return out;
  }
  static std::vector<profile::load_profile> profiles(int first, int count) {
    std::vector<profile::load_profile> out;
    for (int i = 0; i < count; ++i)
      out.push_back({profile_id{first + i}, period_id{1}});
    return out;
  }
  /// Waits until a statement of that lane waits for a lock.
  void wait_for_a_blocked(const std::string& lane) {
    ASSERT_TRUE(test::await("a statement that waits for a lock", [&] { return blocked(lane) > 0; }));
  }
  std::int64_t blocked(const std::string& lane) {
    return test::number_from(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                  " AND application_name = 'credence-"
                                    + lane + "' AND wait_event_type = 'Lock'");
  }
  static std::int64_t statements() { return ops::the_metrics().store.load_statements.value(); }
  static void end(connection& blocker) { blocker.exec("ROLLBACK", deadline_in(in_time)); }

  std::string url = test::fresh_database(2000, 5);
  settings::store how = test::store_settings(url);
  store_status status;
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::optional<store> opened;
};

TEST_F(Readers, LoadsThatWaitForOneBecomeFewStatements) {
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  const auto before = statements();
  const auto found = ask<profile::stored_profile>(profiles(1, 1000), [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  for (const auto& each : found) {
    ASSERT_TRUE(each);
    EXPECT_TRUE(each->exists);
  }
  EXPECT_LE(statements() - before, 4);
}

TEST_F(Readers, ABurstOfLoadsWaitsInLine) {
  const auto found = ask<profile::stored_profile>(profiles(1, 20000));
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const auto& each) { return each.has_value(); }), 20000);
  EXPECT_TRUE(found[1999]->exists);
  EXPECT_FALSE(found[2000]->exists);
}

TEST_F(Readers, EachOfAGroupIsAnsweredByItself) {
  test::run_sql(url,
                "UPDATE profiles SET archived = true WHERE id = 4;"
                "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                " VALUES (2, now(), 1, 3, 1, 1, true), (3, now(), 2, 3, 1, 1, false), (4, now(), 1, 5, 2, 1, false)");
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  auto question = profiles(3, 3);
  question.push_back({profile_id{99999}, period_id{1}});
  question.push_back({profile_id{3}, period_id{9}});
  const auto found = ask<profile::stored_profile>(question, [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  ASSERT_EQ(found[0]->votes.size(), 2u);
  EXPECT_EQ(std::count_if(found[0]->votes.begin(), found[0]->votes.end(),
                          [](const auto& vote) {
                            return vote.side == profile::sentiment::bearish && vote.project == project_id{2};
                          }),
            1);
  EXPECT_TRUE(found[1]->archived);
  EXPECT_TRUE(found[1]->votes.empty());
  EXPECT_EQ(found[2]->votes.at(0).side, profile::sentiment::bearish);
  EXPECT_FALSE(found[3]->exists);
  EXPECT_TRUE(found[4]->exists);
  EXPECT_TRUE(found[4]->votes.empty());
}

TEST_F(Readers, OneOfAGroupThatCannotBeReadFailsAlone) {
  test::run_sql(
    url,
    "ALTER TABLE wei_accounts RENAME TO wei_accounts_kept;"
    "CREATE VIEW wei_accounts AS SELECT id AS profile_id, (1000 + 100 / (id - 7))::numeric AS balance FROM profiles");
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  std::vector<funds::load_funds> queries;
  for (int i = 1; i <= 20; ++i)
    queries.push_back({profile_id{i}});
  const auto found = ask<funds::stored_funds>(queries, [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].has_value(), i + 1 != 7) << i + 1;
}

TEST_F(Readers, ListsThatTakeForeverDelayNoLoad) {
  how.readers = 1;
  how.list_readers = 1;
  open();
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE project_links IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
  ask<listing::stored_listings>(std::vector<listing::load_listings>(5), [&] {
    wait_for_a_blocked("lists");
    EXPECT_TRUE(ask<profile::stored_profile>(profiles(1, 1))[0]);
    EXPECT_TRUE(ask<profile::stored_xp>(std::vector<profile::load_xp>{{profile_id{1}}})[0]);
    end(blocker);
  });
}

TEST_F(Readers, AStatementThatTakesTooLongIsStoppedAtTheServer) {
  how.readers = 1;
  how.load_timeout = 3s;
  open();
  ASSERT_TRUE(ask<profile::stored_profile>(profiles(1, 1))[0]);
  const auto who =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'credence-loads'";
  const auto before = test::number_from(url, who);
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  EXPECT_FALSE(ask<profile::stored_profile>(profiles(1, 1))[0]);
  EXPECT_EQ(blocked("loads"), 0);
  end(blocker);
  EXPECT_EQ(test::number_from(url, who), before) << "and the connection goes on";
}

TEST_F(Readers, AProfileCostsOnlyTheVotesOfThePeriodAskedAbout) {
  test::run_sql(url, "SET session_replication_role = replica;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT n, now(), n, 3, 1, 1 + n % 500, true FROM generate_series(1, 100000) n;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT 100000 + n, now(), n, 3, 2, 501, n % 2 = 0 FROM generate_series(1, 5) n; ANALYZE votes");
  auto on = test::look_into(url);
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; BEGIN", deadline_in(in_time));
  const std::vector<profile::load_profile> queries{{profile_id{3}, period_id{501}}};
  EXPECT_EQ(read(on, std::span<const profile::load_profile>{queries}, deadline_in(in_time))[0].votes.size(), 5u);
  const auto counted = read(on, profile::count_votes{{{profile_id{3}, period_id{501}}}}, deadline_in(in_time));
  EXPECT_EQ(counted.counts[0].bullish, 2);
  EXPECT_EQ(counted.counts[0].bearish, 3);
  const auto rows =
    on.exec_params("SELECT (seq_tup_read + idx_tup_fetch)::int8 FROM pg_stat_xact_user_tables WHERE relname = 'votes'",
                   deadline_in(in_time));
  EXPECT_LE(rows.value<std::int64_t>(), 10);
  on.exec("ROLLBACK", deadline_in(in_time));
}

} // namespace
} // namespace credence::persistence
