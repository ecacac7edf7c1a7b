#include "actors/score/influence.hpp"
#include "persistence/sql/score_sql.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

steady_time soon() { return deadline_in(60s); }

/// Eight people whose scores are 1200 and 100 for each of their numbers. Users without a profile are there as well.
class InfluenceSql : public testing::Test {
protected:
  InfluenceSql() : url(test::fresh_database(8)), on(test::look_into(url)) {
    run("UPDATE users SET score = 1200 + 100 * id WHERE id <= 8; UPDATE users SET score = 1200, status = 'INACTIVE' "
        "WHERE id > 8;"
        "DELETE FROM epoch_scores; INSERT INTO epoch_scores SELECT id, score, (SELECT max(day) FROM score_epochs) FROM "
        "users WHERE score <> 1200;"
        "INSERT INTO subjects (key, generation, user_id) SELECT int4send(id), 0, id FROM profiles");
  }

  void run(const std::string& sql) { on.exec(sql, soon()); }
  std::int64_t number(const std::string& sql) { return test::number_from(url, sql); }
  std::int64_t reach(int user) {
    return number("SELECT coalesce((SELECT reach FROM influences WHERE user_id = " + std::to_string(user) + "), 0)");
  }
  /// In thousandths, and in tenths of a percent.
  std::int64_t factor(int user) {
    return number("SELECT influence_factor * 1000 FROM users WHERE id = " + std::to_string(user));
  }
  std::int64_t percentile(int user) {
    return number("SELECT influence_percentile * 10 FROM users WHERE id = " + std::to_string(user));
  }
  std::int64_t due() { return number("SELECT count(*) FROM influence_due"); }

  void review(int author, int subject, int how = 2) {
    const auto number = std::to_string(++last_);
    run("INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
        "created_at, updated_at, seq) SELECT "
        + number + ", " + std::to_string(author) + ", int4send(" + std::to_string(subject) + "), 0, "
        + std::to_string(how) + ", 'x', '', now(), now(), " + number);
  }
  void vouch(int author, int subject) {
    const auto number = std::to_string(++vouches_);
    run("INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
        "deposited, balance, comment, metadata,"
        " vouched_at, seq) VALUES ('api', "
        + number + ", " + std::to_string(author) + ", int4send(" + std::to_string(subject)
        + "), 0, 'eth', 7, 7, 7, '', '', now(), 1000 + " + number + "); SELECT put_vouch_parts('api', " + number
        + ", '{20000}', '{7}')");
  }
  void epoch(int most = 250) {
    run("SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs");
    while (number("SELECT count(*) FROM score_epochs WHERE finished_at IS NULL") > 0)
      run("SELECT turn_epoch_page(day, step, " + std::to_string(most)
          + ", now()) FROM score_epochs WHERE finished_at IS NULL");
  }
  /// A recount, in pieces of one, until its place is as said.
  void begin_recount(const std::string& until) {
    run("CREATE TABLE recount AS SELECT '{}'::jsonb AS place");
    go_on(until);
  }
  void go_on(const std::string& until) {
    while (number("SELECT count(*) FROM recount WHERE " + until) == 0)
      run("UPDATE recount SET place = recount_scores(place, 1)");
  }
  std::string differences() {
    transaction snapshot{on, soon(), begin_snapshot};
    const auto found = check_scores(on, soon());
    snapshot.commit(soon());
    return found.examples.empty() ? "" : found.examples.front();
  }

  const std::string url;
  connection on;
  int last_ = 0, vouches_ = 0;
};

TEST_F(InfluenceSql, IsOfTheFollowersAtTheEpoch) {
  review(2, 3);
  review(2, 3);
  vouch(2, 3);
  vouch(4, 3);
  review(5, 3, 0);
  review(6, 3, 1);
  review(8, 7);
  EXPECT_EQ(factor(3), 0) << "until the next epoch";
  EXPECT_EQ(due(), 2);
  epoch(); // nobody works scores out: they stay as they are
  EXPECT_EQ(reach(3), 200 + 400);
  EXPECT_EQ(factor(3), 916) << "ln(1 + 600 / 400)";
  EXPECT_EQ(reach(7), 800);
  EXPECT_EQ(percentile(7), 1000);
  EXPECT_EQ(percentile(3), 875) << "seven of eight people have no larger reach";
  EXPECT_EQ(percentile(2), 0);
  EXPECT_EQ(due(), 0);
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, FollowsWhateverMovesIt) {
  review(2, 3);
  vouch(4, 3);
  epoch();
  ASSERT_EQ(reach(3), 600);
  run("UPDATE reviews SET archived = true");
  epoch();
  EXPECT_EQ(reach(3), 400);
  run("UPDATE profiles SET archived = true WHERE id = 4");
  epoch();
  EXPECT_EQ(reach(3), 0);
  EXPECT_EQ(factor(3), 0);
  EXPECT_EQ(percentile(3), 0);
  run("UPDATE profiles SET archived = false WHERE id = 4");
  epoch();
  EXPECT_EQ(reach(3), 400);
  run("UPDATE users SET score = 1500 WHERE id = 4");
  epoch();
  EXPECT_EQ(reach(3), 300) << "by another epoch score of somebody who only vouches";
  run("UPDATE subjects SET user_id = 5 WHERE key = int4send(3)");
  epoch();
  EXPECT_EQ(reach(3), 0);
  EXPECT_EQ(reach(5), 300) << "whose subject it is now";
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, IsTheSameInPiecesOfAnySize) {
  for (int author = 1; author <= 8; ++author)
    for (int subject = 1; subject <= 8; ++subject)
      if (author != subject && (author * subject) % 3 != 1)
        author % 2 ? review(author, subject) : vouch(author, subject);
  epoch();
  const auto all =
    number("SELECT sum(hashtext(id || ' ' || influence_factor || ' ' || influence_percentile)) FROM users");
  ASSERT_EQ(differences(), "");
  for (const int most : {1, 3}) {
    run("SELECT mark_influences(ARRAY(SELECT id FROM users)); UPDATE users SET influence_factor = 0, "
        "influence_percentile = 0");
    epoch(most);
    EXPECT_EQ(number("SELECT sum(hashtext(id || ' ' || influence_factor || ' ' || influence_percentile)) FROM users"),
              all)
      << most;
  }
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, WhoIsNotedWhileAnEpochVisitsThemStaysDue) {
  review(2, 3);
  run("SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs");
  while (number("SELECT count(*) FROM score_epochs WHERE place ? 'user' AND stage = 50") == 0)
    run("SELECT turn_epoch_page(day, step, 1, now()) FROM score_epochs WHERE finished_at IS NULL");
  review(1, 3); // the visit may be past this follower
  while (number("SELECT count(*) FROM score_epochs WHERE finished_at IS NULL") > 0)
    run("SELECT turn_epoch_page(day, step, 1, now()) FROM score_epochs WHERE finished_at IS NULL");
  EXPECT_EQ(due(), 1);
  EXPECT_EQ(differences(), "");
  epoch();
  EXPECT_EQ(reach(3), 100 + 200);
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, WhoIsNotedWhileARecountVisitsThemStaysDue) {
  review(4, 3);
  epoch();
  begin_recount("place->'at'->>'user' = '3' AND place->'at'->>'follower' = '4'");
  vouch(2, 3); // the visit is past this follower
  go_on("place->>'stage' = 'done'");
  EXPECT_EQ(due(), 1);
  EXPECT_EQ(differences(), "");
  epoch();
  EXPECT_EQ(reach(3), 200 + 400);
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, ARecountDoesNotUndoWhatAnEpochFoundMeanwhile) {
  review(4, 3);
  epoch();
  begin_recount("place->'at'->>'user' = '3' AND place->'at'->>'follower' = '4'");
  vouch(2, 3);
  epoch();
  ASSERT_EQ(reach(3), 200 + 400);
  go_on("place->>'stage' = 'done'");
  EXPECT_EQ(reach(3), 200 + 400);
  EXPECT_EQ(differences(), "");
}

TEST_F(InfluenceSql, PercentilesMayBeBehindWhereARecountStopped) {
  review(2, 3);
  review(4, 5);
  epoch();
  review(8, 3);
  begin_recount("place->>'stage' = 'percentiles'");
  ASSERT_EQ(reach(3), 200 + 800);
  ASSERT_EQ(percentile(3), 875) << "less than that of user 5, whose reach is smaller";
  EXPECT_EQ(differences(), "");
  run("UPDATE recount SET place = recount_scores(place, 1)"); // begins to count people
  EXPECT_EQ(differences(), "");
  go_on("place->>'stage' = 'done'");
  EXPECT_EQ(percentile(3), 1000);
  EXPECT_EQ(differences(), "");
  run("UPDATE users SET influence_percentile = 99.9 WHERE id = 5; UPDATE users SET influence_percentile = 50 WHERE id "
      "= 3");
  EXPECT_NE(differences(), "") << "they are not behind any more";
}

TEST_F(InfluenceSql, WhatAHandHasWrittenIsFoundAndWorkedOutAnew) {
  review(2, 3);
  review(4, 5);
  epoch();
  for (const std::string harm :
       {"UPDATE users SET influence_factor = 9 WHERE id = 3",
        "UPDATE influences SET reach = reach + 5 WHERE user_id = 3", "DELETE FROM influences WHERE user_id = 5",
        "UPDATE users SET influence_percentile = 99.9 WHERE id = 3",
        "UPDATE users SET influence_factor = 9 WHERE id = 10"}) {
    ASSERT_EQ(differences(), "");
    run(harm
        + (harm.find("99.9") != std::string::npos ? "; UPDATE users SET influence_percentile = 50 WHERE id = 5" : ""));
    EXPECT_NE(differences(), "") << harm;
    recompute_scores(on, soon(), 2);
  }
  EXPECT_EQ(differences(), "");
  EXPECT_EQ(percentile(5), 1000);
}

TEST_F(InfluenceSql, EverybodyIsMarkedForAnotherModelOfVouchesOnce) {
  vouch(2, 3);
  review(4, 5);
  run("DELETE FROM score_dirty");
  const auto turn = [&](const char* model) { run(std::string{"SELECT turn_vouch_model('"} + model + "', 1)"); };
  turn("standard");
  EXPECT_EQ(number("SELECT count(*) FROM score_dirty"), 0) << "it is that model already";
  turn("hardened");
  auto state = read(on, score::load_work{10}, soon());
  EXPECT_EQ(state.model, score::vouch_model::hardened);
  EXPECT_TRUE(state.model_in_progress);
  ASSERT_EQ(state.users.size(), 1u) << "in pieces";
  EXPECT_EQ(state.users.front().cause, "vouch model hardened");
  turn("hardened");
  turn("hardened");
  state = read(on, score::load_work{10}, soon());
  EXPECT_FALSE(state.model_in_progress);
  EXPECT_EQ(state.users.size(), 2u);
  run("DELETE FROM score_dirty");
  turn("hardened");
  EXPECT_EQ(number("SELECT count(*) FROM score_dirty"), 0);
  turn("standard");
  EXPECT_EQ(number("SELECT count(*) FROM score_dirty"), 1) << "and back";
}

} // namespace
} // namespace credence::persistence
