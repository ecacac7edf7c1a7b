#include "actors/score/influence.hpp"
#include "persistence/sql/score_sql.hpp"
#include "persistence/tidying.hpp"
#include "tests/large.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <regex>
#include <string>

// Scores of many users after a long time. Rows are made by the database; what a statement reads and writes is counted
// by it as well, so the figures are the same on every machine.
namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

steady_time soon() { return deadline_in(120s); }

const int people = test::large(20'000);
constexpr int piece_most = 100; // of a piece

/// People, of whom the seventh is the author of as many reviews and votes, and has invited everybody else.
struct LargeScores : testing::Test, test::one_database {
  LargeScores() : one_database(test::fresh_database(people)) {
    run("ALTER TABLE users DISABLE TRIGGER USER; UPDATE users SET score = 1200 + id % 3 * 200; ALTER TABLE users "
        "ENABLE TRIGGER USER");
    run("SET session_replication_role = replica;"
        "UPDATE profiles SET invited_by = 7 WHERE id > 7;"
        "INSERT INTO subjects (key, generation, user_id) SELECT int4send(id), 0, id FROM profiles;"
        "INSERT INTO score_inputs (user_id, starting) SELECT id, score FROM users WHERE id <= :people;"
        "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
        "created_at, updated_at, seq) SELECT n, CASE WHEN n <= :people THEN 7 ELSE 1 + n % :people END, int4send(1 + n "
        "* 7 % :people), 0, n % 3, 'x', '', now(), now(), n FROM generate_series(1, :twice) n;"
        "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at)"
        " SELECT 'review', :people + n, 7, n, n % 2 = 0, now(), now() FROM generate_series(1, :people) n;"
        "INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
        "deposited, balance, comment, metadata, vouched_at, seq) SELECT 'api', n, n, int4send(1 + n * 3 % :people), "
        "0, 'eth', 70, 70, 70, '', '', now() - interval '200 days', 50000 + n FROM generate_series(1, :people) n "
        "WHERE n <> 1 + n * 3 % :people;"
        "INSERT INTO vouch_parts (contract, number, day, amount, counts_for)"
        " SELECT contract, number, (SELECT max(day) FROM score_epochs) - 178 - number % 3, 70, 1 + number * 3 % "
        ":people FROM vouches");
    run("INSERT INTO score_reviews SELECT * FROM counted_reviews; INSERT INTO score_votes SELECT * FROM counted_votes;"
        "INSERT INTO score_vouches SELECT * FROM counted_vouches;"
        "INSERT INTO score_pairs SELECT author_user, user_id, count(*) FROM score_vouches GROUP BY 1, 2;"
        "UPDATE score_inputs SET as_of = (SELECT max(day) FROM score_epochs);"
        "SELECT recount_sums(ARRAY(SELECT user_id FROM score_inputs));"
        "SELECT mark_influences(ARRAY(SELECT id FROM users));"
        "INSERT INTO score_dirty (user_id, cause) SELECT user_id, 'all of them' FROM score_inputs;"
        "SET session_replication_role = origin");
  }

  /// `:people` and `:twice` as many.
  static std::string filled(std::string sql) {
    sql = std::regex_replace(sql, std::regex{":people"}, std::to_string(people));
    return std::regex_replace(sql, std::regex{":twice"}, std::to_string(2 * people));
  }
  void run(const std::string& sql) { on.exec(filled(sql), soon()); }
  std::int64_t number(const std::string& sql) {
    return on.exec_params(filled("SELECT (" + sql + ")::int8").c_str(), soon()).value<std::int64_t>();
  }
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }
  /// Rows that this connection has read and written so far. Outside a transaction the server forgets them as it sends
  /// them to its statistics.
  std::int64_t touched(const transaction& /*open*/, const std::string& tables = "true") {
    return number(
      "SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del),"
      " 0) FROM pg_stat_xact_user_tables WHERE "
      + tables);
  }
  /// Rows of these tables that what is done touches.
  std::int64_t rows_of(const std::function<void()>& done, const std::string& tables = "true") {
    transaction one{on, soon()};
    const auto before = touched(one, tables);
    done();
    const auto after = touched(one, tables);
    one.commit(soon());
    return after - before;
  }
  std::int64_t rows_of(const std::string& sql) {
    return rows_of([&] { run(sql); });
  }
  std::string differences() {
    transaction snapshot{on, soon(), begin_snapshot};
    const auto found = check_scores(on, soon());
    snapshot.commit(soon());
    return found.examples.empty() ? "" : found.examples.front();
  }

  std::int64_t count_the_rest();

  static constexpr std::int64_t at_once = 30 * piece_most; // rows that a change touches by itself
};

TEST_F(LargeScores, NoPieceOfAnEpochTouchesMoreRowsThanItsBoundAllows) {
  ASSERT_EQ(differences(), "");
  run("SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs");
  std::int64_t pieces = 0, largest = 0;
  bool half_way = false;
  while (how_many("score_epochs WHERE finished_at IS NULL") > 0) {
    const auto rows = rows_of("SELECT turn_epoch_page(day, step, " + std::to_string(piece_most)
                              + ", now()) FROM score_epochs WHERE finished_at IS NULL");
    largest = std::max(largest, rows);
    if (++pieces == people / 130) {
      half_way = how_many("epoch_scores WHERE before IS NOT NULL") > 0;
      EXPECT_EQ(differences(), "") << "in the middle of an author";
    }
  }
  EXPECT_TRUE(half_way);
  EXPECT_LT(largest, 30 * piece_most);
  EXPECT_GT(pieces, 3 * people / piece_most) << "reviews, votes and invitations of one author alone";
  EXPECT_EQ(how_many("users u LEFT JOIN epoch_scores e ON e.user_id = u.id WHERE u.score <> coalesce(e.score, 1200)"),
            0);
  EXPECT_EQ(how_many("score_inputs WHERE young_wei > 0 AND as_of < (SELECT max(day) FROM score_epochs)"), 0);
  EXPECT_EQ(how_many("influence_due"), 0);
  EXPECT_GT(how_many("influences"), people / 20);
  EXPECT_EQ(differences(), "");
}

/// What a change leaves to be counted, in pieces none of which touches more than its bound allows. Returns how many
/// there were.
std::int64_t LargeScores::count_the_rest() {
  std::int64_t pieces = 0, largest = 0;
  for (; how_many("recounts_due") > 0; ++pieces)
    largest = std::max(largest, rows_of("SELECT recount_due(" + std::to_string(piece_most) + ")"));
  EXPECT_LT(largest, 50 * piece_most);
  return pieces;
}

TEST_F(LargeScores, WhoArchivesAProfileOfManyRecordsHoldsUpNobody) {
  ASSERT_EQ(differences(), "");
  for (const auto* archived : {"true", "false"}) {
    EXPECT_LT(rows_of(std::string{"UPDATE profiles SET archived = "} + archived + " WHERE id = 7"), at_once);
    EXPECT_GT(count_the_rest(), 3 * people / 2 / piece_most) << "as many reviews as people, and as many votes";
    EXPECT_EQ(differences(), "");
    EXPECT_EQ(how_many("score_reviews WHERE author_user = 7 AND weight > 0") > 0, std::string{archived} == "false");
  }
}

TEST_F(LargeScores, ASubjectOfManyRecordsThatMovesHoldsUpNobody) {
  run("SET session_replication_role = replica; UPDATE reviews SET subject_key = int4send(5);"
      "UPDATE vouches SET subject_key = int4send(5) WHERE number <> 5 AND number % 2 = 0; SET session_replication_role "
      "= origin; ANALYZE");
  recompute_scores(on, soon());
  ASSERT_EQ(differences(), "");
  EXPECT_LT(rows_of("UPDATE subjects SET user_id = 9 WHERE key = int4send(5)"), at_once);
  EXPECT_GT(count_the_rest(), 2 * people / piece_most) << "twice as many reviews as people, and half as many vouches";
  EXPECT_EQ(differences(), "");
  EXPECT_EQ(how_many("score_reviews WHERE user_id = 5"), 0);
  EXPECT_GT(how_many("score_pairs WHERE user_id = 9"), 9 * people / 20);
}

TEST_F(LargeScores, WhoArchivesARecordOfManyVotesHoldsUpNobody) {
  run("SET session_replication_role = replica; UPDATE activity_votes SET target_id = :twice - 1, voter = number WHERE "
      "number <> 7;"
      "UPDATE subjects SET reviews_negative = 1, reviews_neutral = 1, reviews_positive = 1;"
      "UPDATE users SET reviews_negative = 1, reviews_neutral = 1, reviews_positive = 1;"
      "SET session_replication_role = origin; ANALYZE");
  recompute_scores(on, soon());
  ASSERT_EQ(differences(), "");
  EXPECT_LT(rows_of("UPDATE reviews SET archived = true WHERE id = :twice - 1"), at_once);
  EXPECT_GT(count_the_rest(), 9 * people / 10 / piece_most);
  EXPECT_EQ(differences(), "");
  EXPECT_EQ(how_many("score_votes WHERE target_id = :twice - 1"), 0);
}

TEST_F(LargeScores, WhoVouchesForManyHoldsUpNobody) {
  run("SET session_replication_role = replica; DELETE FROM vouches WHERE number = 7; UPDATE vouches SET author_profile "
      "= 7, subject_key = int4send(number);"
      "SET session_replication_role = origin; ANALYZE");
  recompute_scores(on, soon());
  run("DELETE FROM influence_due");
  EXPECT_LT(rows_of("UPDATE profiles SET archived = true WHERE id = 7"), at_once);
  count_the_rest();
  EXPECT_GT(how_many("influence_due"), 19 * people / 20);
  run("DELETE FROM influence_due; UPDATE profiles SET archived = false WHERE id = 7");
  count_the_rest();
  EXPECT_GT(how_many("influence_due"), 19 * people / 20);
}

/// The cut of a slash for money, of whom nearly everybody was vouched for.
TEST_F(LargeScores, ASlashThatTakesOfManyVouchesHoldsUpNobody) {
  run(
    "SET session_replication_role = replica; DELETE FROM vouches WHERE number = 7; UPDATE vouches SET author_profile = "
    "7, subject_key = int4send(number);"
    "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, type, amount, duration_s, comment, "
    "metadata, created_at, closed_at, outcome, slash_weight, defend_weight, seq, closed_seq) SELECT 1, 8, "
    "decode(lpad('7', 40, '0'), 'hex'), 7, 'FINANCIAL', 1000, 86400, 'x', '', today, today + interval '1 day', "
    "'SLASHED', 1, 0, 200000, 200001 FROM (SELECT date_trunc('second', now()) - interval '1 day' AS today) d;"
    "DELETE FROM vouches WHERE number > :people / 10 AND number <> :people / 5; UPDATE vouches SET vouched_at = now() "
    "+ interval '1 hour' WHERE number = :people / 5;"
    "DELETE FROM vouch_parts WHERE number > :people / 10; UPDATE subjects SET eth_wei = 1000000, eth_ever_wei = "
    "1000000;"
    "INSERT INTO user_vouches (user_id, token, given_wei, received_wei, lifetime_given_wei, lifetime_received_wei)"
    " SELECT id, 'eth', 1000000, 1000000, 1000000, 1000000 FROM users; SET session_replication_role = origin; ANALYZE");
  recompute_scores(on, soon());
  EXPECT_LT(rows_of("SELECT recount('cuts by', '1 7', 'api slash 1')"), at_once);
  EXPECT_GT(count_the_rest(), people / 10 / 6) << "a tenth as many vouches as people";
  EXPECT_EQ(how_many("slash_cuts"), how_many("vouches WHERE author_profile = 7 AND number <= :people / 10"));
  EXPECT_EQ(how_many("vouches WHERE slashed = 7 AND balance = 63"), how_many("slash_cuts"));
  EXPECT_EQ(number("SELECT slashed FROM vouches WHERE number = :people / 5"), 0) << "made after the end";
  EXPECT_EQ(differences(), "");
}

TEST_F(LargeScores, WhoIsMergedWithManyPenaltiesHoldsUpNobody) {
  run("SET session_replication_role = replica;"
      "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, type, amount, duration_s, comment, "
      "metadata, created_at, closed_at, outcome, slash_weight, defend_weight, seq, closed_seq)"
      " SELECT n, 5, decode(lpad('8', 40, '0'), 'hex'), 8, 'SCORE', 3, 60, 'x', '', '2020-01-01', '2020-01-01 00:01', "
      "'SLASHED', 1, 0, 500000 + 2 * n, 500001 + 2 * n FROM generate_series(1, :people) n;"
      "INSERT INTO slash_penalties SELECT n, 8, 'subject', 3 FROM generate_series(1, :people) n;"
      "INSERT INTO slash_penalties VALUES (1, 9, 'vouch', 1), (2, 9, 'vouch', 4);"
      "SET session_replication_role = origin; ANALYZE");
  const auto cost = [&](int user) {
    return number("SELECT coalesce(sum(p), 0) FROM full_score_inputs f, unnest(f.penalties) p WHERE f.user_id = "
                  + std::to_string(user));
  };
  EXPECT_EQ(cost(9), 5);
  EXPECT_LT(rows_of("UPDATE users SET status = 'MERGED', merged_into = 9 WHERE id = 8"), at_once);
  EXPECT_EQ(cost(9), 3 * people + 1) << "of two of the same slash the larger one";
  EXPECT_EQ(cost(8), 0);
  EXPECT_LT(rows_of("UPDATE users SET status = 'ACTIVE', merged_into = NULL WHERE id = 8"), at_once);
  EXPECT_EQ(cost(9), 5);
  EXPECT_EQ(cost(8), 3 * people);
  EXPECT_EQ(how_many("score_dirty WHERE user_id IN (8, 9)"), 2);
}

/// Of everybody, for one person.
TEST_F(LargeScores, ABondForSomebodyWithManyVerifiersHoldsUpNobody) {
  run("SET session_replication_role = replica;"
      "INSERT INTO bonds (id, author_profile, subject_profile, subject_key, subject_generation, bond_type, amount, "
      "amount_type, statement, comment, expires_at, created_by, created_at, updated_at, seq)"
      " SELECT n, n, 7, int4send(7), 0, 'HUMAN', '5', 'XP', '', '', now() + interval '1 day', 1, now(), now(), 500000 "
      "+ n FROM generate_series(8, :people) n; SET session_replication_role = origin; ANALYZE");
  EXPECT_LT(rows_of("SELECT count_bonds_of(7)"), at_once);
  EXPECT_EQ(how_many("users WHERE id = 7 AND human_verification = 'VERIFIED'"), 1);
  EXPECT_LT(rows_of("SELECT bonded_by_three(7)"), at_once);
  EXPECT_EQ(number("SELECT bonded_by_three(7)::int"), 1);
  run(
    "SET session_replication_role = replica; UPDATE bonds SET created_at = now() + id * interval '1 hour', expires_at "
    "= now() + (id + 1) * interval '1 hour', updated_at = now() + interval '1 year' * id, lapsed = true; SET "
    "session_replication_role = origin");
  EXPECT_EQ(number("SELECT coalesce(bonded_by_three(7)::int, -1)"), -1) << "not among those that are looked at";
  run("SET session_replication_role = replica; UPDATE bonded_people SET reached = true; SET session_replication_role = "
      "origin; DELETE FROM bonds WHERE id = 8");
  EXPECT_EQ(how_many("bonded_people WHERE user_id = 7 AND reached"), 1) << "it stays as it is";
}

TEST_F(LargeScores, RenamingACategoryWritesNoListing) {
  run("INSERT INTO categories (id, name, slug) VALUES (901, 'DeFi', 'defi-901')");
  run("SET session_replication_role = replica; INSERT INTO project_categories SELECT n, 901 FROM generate_series(1, "
      ":people) n; INSERT INTO listing_marks SELECT n FROM generate_series(1, :people) n ON CONFLICT DO NOTHING; SET "
      "session_replication_role = origin; ANALYZE");
  EXPECT_LT(rows_of("UPDATE categories SET name = 'De-Fi' WHERE id = 901"), 100);
}

TEST_F(LargeScores, SomebodyWithManyFollowersIsVisitedInPieces) {
  run("UPDATE score_reviews SET user_id = 3, how = 2; DELETE FROM influence_due WHERE user_id <> 3;"
      "SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs; UPDATE score_epochs SET stage = 50 WHERE finished_at "
      "IS NULL");
  std::int64_t pieces = 0, largest = 0;
  while (how_many("score_epochs WHERE stage = 50 AND finished_at IS NULL") > 0) {
    largest = std::max(largest, rows_of("SELECT turn_epoch_page(day, step, " + std::to_string(piece_most)
                                        + ", now()) FROM score_epochs WHERE finished_at IS NULL"));
    ++pieces;
  }
  EXPECT_GT(pieces, people / 2 / piece_most) << "nearly everybody is an author";
  EXPECT_LT(largest, 10 * piece_most);
  EXPECT_EQ(number("SELECT reach FROM influences WHERE user_id = 3"),
            number("SELECT sum(greatest(standing - 1200, 0)) FROM standings WHERE user_id IN (SELECT author_user FROM "
                   "score_reviews)"));
}

TEST_F(LargeScores, OnlyThoseWhoseAgeChangesAreLookedAt) {
  run("UPDATE users SET score = 1200; DELETE FROM epoch_scores; DELETE FROM vouch_parts; DELETE FROM score_dirty;"
      "INSERT INTO addresses (address, user_id, kind, added_at)"
      " SELECT decode(lpad(to_hex(id), 40, '0'), 'hex'), id, 'primary', (SELECT max(day) FROM score_epochs) - interval "
      "'1000 days' + CASE id WHEN 11 THEN interval '271 days' WHEN 12 THEN interval '911 days' WHEN 13 THEN interval "
      "'909 days' ELSE '0' END FROM users WHERE id <= :people;"
      "INSERT INTO attestations (id, hash, user_id, service, account, created_at) SELECT id, sha256(id::text::bytea), "
      "id, 'x.com', CASE id WHEN 14 THEN (((extract(epoch FROM (SELECT max(day) FROM score_epochs) - interval '364 "
      "days') * 1000)::bigint - 1288834974657) << 22) ELSE 1000000000000 + id END::text, now() FROM users WHERE id <= "
      ":people;"
      "DELETE FROM score_dirty; ANALYZE");
  run("SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs; UPDATE score_epochs SET stage = 30 WHERE finished_at "
      "IS NULL");
  std::int64_t rows = 0;
  while (how_many("score_epochs WHERE finished_at IS NULL AND stage < 50") > 0)
    rows += rows_of("SELECT turn_epoch_page(day, step, 100, now()) FROM score_epochs WHERE finished_at IS NULL");
  EXPECT_EQ(how_many("score_dirty"), 3);
  EXPECT_EQ(how_many("score_dirty WHERE user_id IN (11, 12, 14)"), 3) << "730, 90 and 365 days old since today";
  EXPECT_LT(rows, 300);
}

TEST_F(LargeScores, WhoseScoresChangedIsReadDownAnIndex) {
  run("INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT 1 + n % :people, now() - n * interval "
      "'1 second', current_date, 1200, '{}', 'x' FROM generate_series(1, 100000) n;"
      "INSERT INTO score_latest SELECT user_id, max(at) FROM score_history GROUP BY user_id; ANALYZE score_latest, "
      "score_history");
  const auto read_so_far = [&] { // by every statement that has ended
    run("SELECT pg_stat_force_next_flush()");
    return number("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables");
  };
  const auto before = read_so_far();
  const auto found = read_now(on, score::get_updates{system_now() - 30min, {10, 20}}, soon());
  EXPECT_EQ(found.users.size(), 10u);
  EXPECT_GT(found.total, 1500);
  const auto rows = read_so_far() - before;
  EXPECT_GT(rows, 1500);
  EXPECT_LT(rows, 4000) << "1,800 were changed in half an hour, and 98,000 before";
  EXPECT_EQ(read_now(on, score::get_updates{timestamp{}, {10, 0}}, soon()).total,
            std::min(people, score::updates_depth_max))
    << "counted so far";
}

TEST_F(LargeScores, HistoryIsThinnedOutOnceInPieces) {
  run("INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT 1 + n % 500, now(), current_date - 20 "
      "- n / 1000 % 40, 1200, '{}', 'x' FROM generate_series(0, 79999) n");
  const auto kept = how_many("score_history WHERE day >= current_date - 30");
  const auto last_ones = how_many("(SELECT DISTINCT day, user_id FROM score_history WHERE day < current_date - 30) d");
  const auto newest = number("SELECT sum(last) FROM (SELECT max(number) AS last FROM score_history WHERE day < "
                             "current_date - 30 GROUP BY day, user_id) d");
  std::int64_t most_rows = 0, visited = 0;
  for (std::int64_t rows = 1; rows > 0; visited += rows) {
    most_rows =
      std::max(most_rows, rows_of([&] {
                 rows =
                   on.exec_params("SELECT thin_score_history(current_date - 30, 700)", soon()).value<std::int32_t>();
               }));
  }
  EXPECT_LT(most_rows, 3 * 701);
  EXPECT_EQ(visited, 80'000 - kept) << "each row once";
  EXPECT_EQ(how_many("score_history WHERE day >= current_date - 30"), kept) << "30 days stay whole";
  EXPECT_EQ(how_many("score_history WHERE day < current_date - 30"), last_ones);
  EXPECT_EQ(number("SELECT sum(number) FROM score_history WHERE day < current_date - 30"), newest)
    << "the last one of each day";
}

TEST_F(LargeScores, ARecountGoesInPiecesAsWell) {
  run("UPDATE score_inputs SET positive_scores = positive_scores + 5, votes_up = 0 WHERE user_id % 100 = 0; DELETE "
      "FROM score_votes WHERE voter = 7");
  std::int64_t largest = 0, pieces = 0;
  for (std::string place = "{}"; place.find("\"done\"") == std::string::npos; ++pieces) {
    largest = std::max(largest, rows_of([&] {
                         place = on.exec_params("SELECT recount_scores($1::text::jsonb, 100)::text",
                                                parameters{}.text(place), soon())
                                   .value<std::string>();
                       }));
  }
  EXPECT_GT(pieces, people / 20);
  EXPECT_LT(largest, 40 * piece_most);
  EXPECT_EQ(differences(), "");
}

TEST_F(LargeScores, AVoteOnAReviewWithManyVotesTouchesItsOwnRowsOnly) {
  run("SET session_replication_role = replica; INSERT INTO activity_votes (kind, target_id, voter, number, upvote, "
      "created_at, updated_at)"
      " SELECT 'review', :twice - 1, id, 100000 + id, true, now(), now() FROM profiles WHERE id <> 7 AND id > 100;"
      "SET session_replication_role = origin; ANALYZE");
  for (int voter = 20; voter < 30; ++voter)
    EXPECT_LT(rows_of("INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at) "
                      "VALUES ('review', :twice - 1, "
                      + std::to_string(voter) + ", " + std::to_string(100'000 + people - 19 + voter)
                      + ", false, now(), now())"),
              200);
}

TEST_F(LargeScores, AVoteOnAProjectPaysNothingForTheScore) {
  const auto vote = [&] {
    run("INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish, reason, weight)"
        " SELECT n, '2026-01-02', 1 + n % 5, n, n / 5 + 1, 1, true, 'x', 1 FROM generate_series(1, 100) n");
  };
  EXPECT_EQ(rows_of(vote, "relname LIKE 'score%' OR relname IN ('epoch_scores', 'activity_votes', 'vouch_parts')"), 0);
}

/// Eight people whose scores are 1200 and 100 for each of their numbers. Users without a profile are there as well.
struct InfluenceSql : testing::Test, test::one_database {
  InfluenceSql() : one_database(test::fresh_database(8)) {
    run("UPDATE users SET score = 1200 + 100 * id WHERE id <= 8; UPDATE users SET score = 1200, status = 'INACTIVE' "
        "WHERE id > 8;"
        "DELETE FROM epoch_scores; INSERT INTO epoch_scores SELECT id, score, (SELECT max(day) FROM score_epochs) FROM "
        "users WHERE score <> 1200;"
        "INSERT INTO subjects (key, generation, user_id) SELECT int4send(id), 0, id FROM profiles");
  }

  void run(const std::string& sql) { on.exec(sql, soon()); }
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
  std::int64_t due() { return how_many("influence_due"); }

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
        "deposited, balance, comment, metadata, vouched_at, seq) VALUES ('api', "
        + number + ", " + std::to_string(author) + ", int4send(" + std::to_string(subject)
        + "), 0, 'eth', 7, 7, 7, '', '', now(), 1000 + " + number + "); SELECT put_vouch_parts('api', " + number
        + ", '{20000}', '{7}')");
  }
  void epoch(int most = 250) {
    run("SELECT begin_epoch(max(day) + 1, now()) FROM score_epochs");
    while (how_many("score_epochs WHERE finished_at IS NULL") > 0)
      run("SELECT turn_epoch_page(day, step, " + std::to_string(most)
          + ", now()) FROM score_epochs WHERE finished_at IS NULL");
  }
  /// A recount, in pieces of one, until its place is as said.
  void begin_recount(const std::string& until) {
    run("CREATE TABLE recount AS SELECT '{}'::jsonb AS place");
    go_on(until);
  }
  void go_on(const std::string& until) {
    while (how_many("recount WHERE " + until) == 0)
      run("UPDATE recount SET place = recount_scores(place, 1)");
  }
  std::string differences() {
    transaction snapshot{on, soon(), begin_snapshot};
    const auto found = check_scores(on, soon());
    snapshot.commit(soon());
    return found.examples.empty() ? "" : found.examples.front();
  }

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
  while (how_many("score_epochs WHERE place ? 'user' AND stage = 50") == 0)
    run("SELECT turn_epoch_page(day, step, 1, now()) FROM score_epochs WHERE finished_at IS NULL");
  review(1, 3); // the visit may be past this follower
  while (how_many("score_epochs WHERE finished_at IS NULL") > 0)
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

/// Each user takes 20 ms.
TEST(RecountedScores, NoPieceHoldsUpTheWritersForLongerThanAQuarterOfASecond) {
  const auto url = test::fresh_database(60);
  auto on = test::look_into(url);
  on.exec("INSERT INTO score_inputs (user_id, starting) SELECT id, score FROM users ON CONFLICT DO NOTHING;"
          "DELETE FROM score_dirty; CREATE TABLE pieces (users bigint);"
          "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
          " 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END';"
          "CREATE FUNCTION note_piece() RETURNS trigger LANGUAGE plpgsql AS"
          " 'BEGIN INSERT INTO pieces SELECT count(*) FROM fresh; RETURN NULL; END';"
          "CREATE TRIGGER slowly BEFORE INSERT ON score_dirty FOR EACH ROW EXECUTE FUNCTION slowly();"
          "CREATE TRIGGER note_piece AFTER INSERT ON score_dirty REFERENCING NEW TABLE AS fresh"
          " FOR EACH STATEMENT EXECUTE FUNCTION note_piece()",
          soon());
  const auto everybody = test::how_many(url, "score_inputs");
  EXPECT_EQ(recompute_scores(on, soon()).marked, everybody);
  EXPECT_EQ(test::number_from(url, "SELECT sum(users) FROM pieces"), everybody);
  EXPECT_LE(test::number_from(url, "SELECT max(users) FROM pieces"), 12);
}

/// A piece waits until it is cancelled, before its own time is over.
TEST(RecountedScores, WhoCancelsThemIsObeyed) {
  const auto url = test::fresh_database(60);
  auto on = test::look_into(url), other = test::look_into(url);
  on.exec("INSERT INTO score_inputs (user_id, starting) SELECT id, score FROM users ON CONFLICT DO NOTHING;"
          "DELETE FROM score_dirty;"
          "CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS"
          " 'BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END';"
          "CREATE TRIGGER wait_here BEFORE INSERT ON score_dirty FOR EACH ROW EXECUTE FUNCTION wait_here()",
          soon());
  other.exec("SELECT pg_advisory_lock(77)", soon());
  auto why = std::async(std::launch::async, [&] {
    try {
      recompute_scores(on, soon());
    } catch (const database_error& failed) {
      return failed.sqlstate();
    }
    return std::string{"it went on"};
  });
  int cancelled = 0;
  for (const auto until = soon(); why.wait_for(1ms) != std::future_status::ready && steady_clock::now() < until;)
    cancelled += static_cast<int>(
      other
        .exec_params("SELECT count(*) FILTER (WHERE pg_cancel_backend(pid)) AS n FROM pg_stat_activity WHERE datname ="
                     " current_database() AND wait_event = 'advisory' AND clock_timestamp() - query_start < '100 ms'",
                     soon())
        .value<std::int64_t>());
  other.exec("SELECT pg_advisory_unlock(77)", soon());
  ASSERT_EQ(why.wait_for(60s), std::future_status::ready);
  EXPECT_EQ(why.get(), "57014");
  EXPECT_LE(cancelled, 3) << "not once for each size of a piece";
}

TEST_F(InfluenceSql, EverybodyIsMarkedForAnotherModelOfVouchesOnce) {
  vouch(2, 3);
  review(4, 5);
  run("DELETE FROM score_dirty");
  const auto turn = [&](const char* model) { run(std::string{"SELECT turn_vouch_model('"} + model + "', 1)"); };
  turn("standard");
  EXPECT_EQ(how_many("score_dirty"), 0) << "it is that model already";
  turn("hardened");
  auto state = read_now(on, score::load_work{10}, soon());
  EXPECT_EQ(state.model, score::vouch_model::hardened);
  EXPECT_TRUE(state.model_in_progress);
  ASSERT_EQ(state.users.size(), 1u) << "in pieces";
  EXPECT_EQ(state.users.front().cause, "vouch model hardened");
  turn("hardened");
  turn("hardened");
  state = read_now(on, score::load_work{10}, soon());
  EXPECT_FALSE(state.model_in_progress);
  EXPECT_EQ(state.users.size(), 2u);
  run("DELETE FROM score_dirty");
  turn("hardened");
  EXPECT_EQ(how_many("score_dirty"), 0);
  turn("standard");
  EXPECT_EQ(how_many("score_dirty"), 1) << "and back";
}

} // namespace
} // namespace credence::persistence
