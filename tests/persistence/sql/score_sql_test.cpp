#include "persistence/sql/score_sql.hpp"

#include "actors/score/score_state.hpp"
#include "tests/large.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr int people = 8;
const score::day first_day = std::chrono::floor<std::chrono::days>(system_now());

/// Records that come and go at random, written past the service. Profiles and users have the same ids; user n starts at
/// 1000 + n.
class history : public test::one_database {
public:
  explicit history(unsigned seed) : one_database(test::fresh_database(people)), dice_(seed) {
    run("INSERT INTO subjects (key, generation, user_id) SELECT int4send(id), 0, id FROM profiles");
  }

  void run(const std::string& sql) { on.exec(sql, soon()); }
  int below(int bound) { return static_cast<int>(dice_() % static_cast<unsigned>(bound)); }
  int somebody() { return 1 + below(people); }

  /// Scores from which on opinions weigh and followers give influence.
  void raise_everybody(bool indeed) {
    if (indeed)
      run("UPDATE users SET score = 1200 + 150 * id WHERE id <= 8; UPDATE epoch_scores SET score = 1200 + 150 * "
          "user_id WHERE user_id <= 8");
  }

  /// Anything that moves sums.
  void happen() {
    switch (below(9)) {
      case 0: return review();
      case 1: return vouch();
      case 2: return vote();
      case 3: return run("UPDATE reviews SET archived = NOT archived WHERE id = " + any_of(reviews_));
      case 4: return move_vouch();
      case 5: return run("UPDATE profiles SET archived = NOT archived WHERE id = " + text(somebody()));
      case 6:
        return run("UPDATE subjects SET user_id = " + text(somebody()) + " WHERE key = int4send(" + text(somebody())
                   + ")");
      case 7:
        return run("UPDATE profiles SET invited_by = nullif(" + text(somebody())
                   + ", id) WHERE id = " + text(somebody()));
      default:
        return run("UPDATE vouches SET unhealthy = true, unhealthy_at = now() WHERE archived AND number = "
                   + any_of(vouches_));
    }
  }

  void begin_epoch(int day) { run("SELECT begin_epoch(" + date(day) + ", now())"); }
  void turn_page(int most) {
    run("SELECT turn_epoch_page(day, step, " + text(most) + ", now()) FROM score_epochs WHERE finished_at IS NULL");
  }
  bool in_epoch() { return how_many("score_epochs WHERE finished_at IS NULL") > 0; }

  /// Each change counts `most` of its records itself, and leaves the others to pieces.
  void count_at_once(int most) {
    run("CREATE OR REPLACE FUNCTION recounted_at_once() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT " + text(most)
        + "'");
  }
  bool recount_a_piece(int most) {
    return on.exec_params(("SELECT recount_due(" + text(most) + ")").c_str(), soon()).value<bool>();
  }

  /// Works off what was left to be counted, and the marks, as the actor does.
  void work_out() {
    while (recount_a_piece(2))
      ;
    for (;;) {
      const auto work = read(score::load_work{3});
      if (work.users.empty())
        return;
      for (const auto& each : work.users) {
        const auto breakdown = breakdown_of(each.inputs, *work.epoch);
        std::vector<std::int32_t> points;
        for (const auto& element : breakdown.elements)
          points.push_back(element.points);
        write_now(
          on,
          score::score_changed{each.user, breakdown.score, points, *work.epoch, each.cause, system_now(), each.mark}, 0,
          soon());
      }
    }
  }

  /// When what was left to be counted is.
  std::vector<std::string> differences() {
    while (recount_a_piece(1))
      ;
    transaction snapshot{on, soon(), begin_snapshot};
    auto found = check_scores(on, soon(), 3).examples;
    for (const auto& each : promises_of("score"))
      for (const auto wrong = on.exec_params(each.sql.c_str(), soon()); const auto& text : texts_of(wrong))
        found.push_back(text);
    snapshot.commit(soon());
    return found;
  }

  int today = 0; // after `first_day`

private:
  static std::string text(int number) { return std::to_string(number); }
  static std::string date(int day) {
    return "date '1970-01-01' + " + text(static_cast<int>(first_day.time_since_epoch().count()) + day);
  }
  std::string any_of(int count) { return text(1 + below(std::max(count, 1))); }
  static std::vector<std::string> texts_of(const rows& found) {
    std::vector<std::string> out;
    if (!found.empty())
      out.push_back(std::to_string(found.count()) + " promises are broken");
    return out;
  }

  void review() {
    run("INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
        "created_at, updated_at, seq) VALUES ("
        + text(++reviews_) + ", " + text(somebody()) + ", int4send(" + text(somebody()) + "), 0, " + text(below(3))
        + ", 'x', '', now(), now(), " + text(++seq_) + ")");
  }
  void vouch() {
    const auto author = text(somebody()), subject = text(somebody());
    const auto* token = below(4) == 0 ? "whuf" : "eth";
    if (how_many("vouches WHERE NOT archived AND author_profile = " + author + " AND subject_key = int4send(" + subject
                 + ") AND token = '" + token + "'")
        > 0)
      return;
    run("INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
        "deposited, balance, comment, metadata, vouched_at, seq) VALUES ('api', "
        + text(++vouches_) + ", " + author + ", int4send(" + subject + "), 0, '" + token
        + "', 70, 70, 70, '', '', now() - interval '500 days', " + text(++seq_) + ")");
    put_parts(vouches_);
  }
  /// 70 wei, put in on one day or two.
  void put_parts(int number) {
    const auto start = static_cast<int>(first_day.time_since_epoch().count()) + today;
    run("SELECT put_vouch_parts('api', " + text(number) + ", ARRAY[" + text(start - 170 - below(20)) + ", "
        + text(start - below(3)) + "], ARRAY[" + (below(2) ? "30, 40" : "69, 1") + "])");
  }
  void move_vouch() {
    const auto which = 1 + below(std::max(vouches_, 1));
    if (how_many("vouches WHERE NOT archived AND number = " + text(which)) == 0)
      return;
    if (below(2))
      return put_parts(which);
    run("UPDATE vouches SET archived = true, balance = 0, withdrawn = 70, unvouched_at = now() WHERE number = "
        + text(which) + "; SELECT put_vouch_parts('api', " + text(which) + ", '{}', '{}')");
  }
  void vote() {
    const auto kind = below(2) == 0 ? "review" : "vouch";
    const auto target = any_of(below(2) == 0 ? reviews_ : vouches_), voter = text(somebody());
    const std::string up = below(2) == 0 ? "true" : "false";
    const auto key = std::string{" WHERE kind = '"} + kind + "' AND target_id = " + target + " AND voter = " + voter;
    if (how_many("activity_votes" + key) > 0)
      return run("UPDATE activity_votes SET upvote = " + up + ", archived = " + (below(3) == 0 ? "true" : "false")
                 + key);
    if (number(std::string{"SELECT count(*) FROM "}
               + (kind == std::string{"review"} ? "reviews WHERE id = " : "vouches WHERE number = ") + target)
        == 0)
      return;
    run("INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at) VALUES ('"
        + std::string{kind} + "', " + target + ", " + voter + ", " + text(++votes_) + ", " + up + ", now(), now())");
  }

  std::mt19937 dice_;
  int reviews_ = 0, vouches_ = 0, votes_ = 0, seq_ = 0;
};

using none = std::vector<std::string>;

TEST(ScoreSql, SumsMovedByFactsAreThoseFromNothing) {
  for (int seed = 1; seed <= test::large(20); ++seed) {
    history of{static_cast<unsigned>(seed)};
    of.raise_everybody(seed % 2 == 0);
    if (seed % 3 != 0)
      of.count_at_once(1);
    for (int step = 0; step < 60; ++step) {
      of.recount_a_piece(1);
      of.happen();
      if (step % 20 == 19) { // a day, or some, whose pages facts come between
        of.work_out();
        of.today += step == 39 ? 12 : 1;
        of.begin_epoch(of.today);
        while (of.in_epoch()) {
          of.turn_page(2);
          if (of.below(8) == 0) {
            ASSERT_EQ(of.differences(), none{})
              << "seed " << seed << ", step " << step << ", between two pieces of an epoch";
          }
          of.happen();
        }
      }
      if (step % 10 == 9) {
        ASSERT_EQ(of.differences(), none{}) << "seed " << seed << ", step " << step;
      }
    }
    of.work_out();
    ASSERT_EQ(of.differences(), none{}) << "seed " << seed;
    EXPECT_GT(of.how_many("score_history"), 5);
    EXPECT_EQ(of.how_many("influences") > 0, seed % 2 == 0);
    EXPECT_EQ(of.how_many("score_history h WHERE h.score <> (SELECT i.starting + sum(p) FROM score_inputs i, "
                          "unnest(h.points) p WHERE i.user_id = h.user_id GROUP BY i.starting)"),
              0)
      << "the start and the points of the elements are the score";
  }
}

TEST(ScoreSql, TheStartAndThePointsOfEveryElementAreTheScoreThatEveryUserShows) {
  for (unsigned seed = 51; seed <= 53; ++seed) {
    history of{seed};
    for (int step = 0; step < 40; ++step)
      of.happen();
    of.work_out();
    of.begin_epoch(++of.today);
    while (of.in_epoch())
      of.turn_page(3);
    for (int step = 0; step < 10; ++step)
      of.happen();
    of.work_out();
    for (int user = 1; user <= people; ++user) {
      const auto stored = of.read(score::load_score{user_id{user}});
      const auto breakdown = breakdown_of(stored.inputs, stored.on);
      const auto points = points_of(breakdown);
      EXPECT_EQ(std::accumulate(points.begin(), points.end(), breakdown.starting), breakdown.score)
        << "user " << user << ", seed " << seed;
      EXPECT_EQ(of.number("SELECT score FROM users WHERE id = " + std::to_string(user)), breakdown.score)
        << "user " << user << ", seed " << seed;
    }
  }
}

TEST(ScoreSql, AnEpochIsTheSameInPagesOfAnySize) {
  std::vector<std::int64_t> sums;
  for (const int page : {1, 3, 500}) {
    history of{17};
    for (int step = 0; step < 50; ++step)
      of.happen();
    of.work_out();
    of.begin_epoch(1);
    for (int step = 0; of.in_epoch(); ++step) {
      of.run("BEGIN"); // a server that ends before the commit
      of.turn_page(page);
      of.run("ROLLBACK");
      of.turn_page(page);
      of.run("SELECT turn_epoch_page(max(day), " + std::to_string(step)
             + ", 500, now()) FROM score_epochs"); // sent again
    }
    of.work_out();
    EXPECT_EQ(of.differences(), none{});
    sums.push_back(of.number(
      "SELECT sum(hashtext(i::text || u.score))::bigint FROM score_inputs i JOIN users u ON u.id = i.user_id"));
  }
  EXPECT_EQ(sums, std::vector<std::int64_t>(3, sums.front()));
}

TEST(ScoreSql, FindsWhatWasTamperedWithAndCountsItAnew) {
  history of{23};
  for (int step = 0; step < 50; ++step)
    of.happen();
  of.work_out();
  ASSERT_EQ(of.differences(), none{});
  const auto someone = " WHERE user_id = (SELECT user_id FROM score_inputs ORDER BY positive DESC, user_id LIMIT 1)";
  for (const std::string harm : {"UPDATE score_inputs SET positive_scores = positive_scores + 1",
                                 "UPDATE score_inputs SET votes_up = votes_up + 3", "UPDATE users SET score = 7"}) {
    of.run(
      harm
      + (harm.find("users") == std::string::npos ? someone : " WHERE id = (SELECT min(user_id) FROM score_inputs)"));
    EXPECT_NE(of.differences(), none{}) << harm;
    recompute_scores(of.on, of.soon());
    of.work_out();
    EXPECT_EQ(of.differences(), none{}) << harm;
  }
  EXPECT_GT(of.how_many("score_reviews"), 0);
  of.run(
    "DELETE FROM score_reviews; UPDATE vouch_parts SET counts_for = 1; UPDATE score_pairs SET vouches = vouches + 1");
  EXPECT_NE(of.differences(), none{});
  recompute_scores(of.on, of.soon(), 2);
  of.work_out();
  EXPECT_EQ(of.differences(), none{});
}

TEST(ScoreSql, AnArchivedProfileThatIsRestoredMeanwhileCountsAsBefore) {
  history of{37};
  of.raise_everybody(true);
  of.count_at_once(1);
  for (int step = 0; step < 60; ++step)
    of.happen();
  of.run("UPDATE profiles SET archived = false");
  ASSERT_EQ(of.differences(), none{});
  const auto sums = [&] {
    return of.number("SELECT sum(hashtext(i::text))::bigint FROM score_inputs i")
           + of.number("SELECT sum(hashtext(v::text))::bigint FROM score_votes v");
  };
  const auto before = sums();
  of.run("UPDATE profiles SET archived = true WHERE id <= 4");
  EXPECT_GT(of.how_many("recounts_due"), 0);
  of.recount_a_piece(1);
  of.recount_a_piece(1);
  of.run("UPDATE profiles SET archived = false WHERE id <= 4");
  EXPECT_EQ(of.differences(), none{});
  EXPECT_EQ(sums(), before);
}

TEST(ScoreSql, APieceThatFailsWaitsAndHoldsUpNoOther) {
  history of{41};
  of.count_at_once(1);
  for (int step = 0; step < 60; ++step)
    of.happen();
  of.differences();
  of.run("INSERT INTO recounts_due (what, whose, place, cause) VALUES ('reviews by', 'nobody', -1, 'x'); UPDATE "
         "profiles SET archived = NOT archived");
  ASSERT_GT(of.how_many("recounts_due"), 1);
  while (of.recount_a_piece(5))
    ;
  EXPECT_EQ(of.how_many("recounts_due"), 1);
  EXPECT_EQ(of.how_many("recounts_due WHERE error IS NOT NULL AND not_before > now()"), 1);
  of.run("DELETE FROM recounts_due");
  EXPECT_EQ(of.differences(), none{});
}

TEST(ScoreSql, APieceThatTakesTooLongGoesOnInSmallerOnes) {
  history of{43};
  of.raise_everybody(true);
  for (int step = 0; step < 60; ++step)
    of.happen();
  of.run("UPDATE profiles SET archived = false");
  const auto author = std::to_string(
    of.number("SELECT author_user FROM score_reviews WHERE weight > 0 GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"));
  of.run("SET session_replication_role = replica; UPDATE profiles SET archived = true WHERE id = " + author
         + "; SET session_replication_role = origin; INSERT INTO recounts_due (what, whose, place, cause) VALUES "
           "('reviews by', '"
         + author
         + "', -1, 'x'),"
           " ('votes by', '"
         + author
         + "', -1, 'x');"
           "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN "
           "NULL; END';"
           "CREATE TRIGGER sleep_long AFTER UPDATE ON score_reviews FOR EACH STATEMENT EXECUTE FUNCTION sleep_long(); "
           "SET statement_timeout = 3000");
  EXPECT_TRUE(of.recount_a_piece(8)) << "written down, not rolled back";
  of.run("SET statement_timeout = 0; DROP TRIGGER sleep_long ON score_reviews");
  EXPECT_EQ(
    of.number("SELECT most FROM recounts_due WHERE what = 'reviews by' AND error IS NOT NULL AND not_before > now()"),
    4);
  EXPECT_NE(of.differences(), none{}) << "it shows";
  of.run("UPDATE recounts_due SET not_before = now()");
  EXPECT_EQ(of.differences(), none{});
}

TEST(ScoreSql, TellsWhoseScoresChangedSinceAMoment) {
  history of{29};
  const auto change = [&](int user, timestamp at) {
    write_now(of.on,
              score::score_changed{user_id{user}, 1100 + ++of.today, {of.today}, first_day, "api review 1", at, 0}, 0,
              of.soon());
  };
  const timestamp start = first_day + 12h;
  for (int user = 1; user <= people; ++user)
    change(user, start + user * 1s);
  change(1, start + 20s); // the last change counts
  change(6, start + 1s);  // the clock was set back: the one told stays
  const auto told = [&](timestamp after, page slice) { return of.read(score::get_updates{after, slice}); };
  const auto first = told(start + 4s, {3, 0});
  EXPECT_EQ(first.total, 5) << "5 to 8, and 1";
  ASSERT_EQ(first.users.size(), 3u);
  EXPECT_EQ(first.users.front().user, user_id{5});
  EXPECT_EQ(first.users.front().at, start + 5s);
  const auto rest = told(first.users.back().at, {50, 0});
  ASSERT_EQ(rest.users.size(), 2u) << "from where the page before ended";
  EXPECT_EQ(rest.users.back().user, user_id{1});
  EXPECT_EQ(told(start, {3, score::updates_depth_max}).users.size(), 0u);
  const auto until = of.read(score::get_updates{start + 4s, {50, 0}, start + 6s});
  EXPECT_EQ(until.total, 2) << "5, and 6, whose change came at that moment";
  ASSERT_EQ(until.users.size(), 2u);
  EXPECT_EQ(until.users.back().user, user_id{6});
}

TEST(ScoreSql, AMarkThatComesWhileAScoreIsWorkedOutStays) {
  history of{31};
  of.run("INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
         "created_at, updated_at, seq) VALUES (1, 2, int4send(3), 0, 2, 'x', '', now(), now(), 1)");
  const auto work = of.read(score::load_work{10});
  ASSERT_EQ(work.users.size(), 1u);
  EXPECT_EQ(work.users.front().cause, "api review 1");
  of.run("UPDATE reviews SET archived = true");
  write_now(of.on,
            score::score_changed{
              user_id{3}, 1203, {0, 0, 3}, *work.epoch, "api review 1", system_now(), work.users.front().mark},
            0, of.soon());
  const auto again = of.read(score::load_work{10});
  ASSERT_EQ(again.users.size(), 1u) << "of the archiving, which that score does not show";
  EXPECT_EQ(again.waiting, 1);
  of.run("INSERT INTO recounts_due (what, whose, place, cause) VALUES ('reviews by', '2', 0, 'profile 2')");
  const auto before_users = of.read(score::load_work{10, true, false});
  EXPECT_TRUE(before_users.recount_due);
  EXPECT_TRUE(before_users.users.empty()) << "a recount goes first, and may mark them once more";
  EXPECT_FALSE(before_users.oldest) << "not asked for";
  EXPECT_EQ(of.read(score::load_work{10}).recounts, 1);
  of.run("DELETE FROM recounts_due");
  EXPECT_EQ(again.users.front().inputs.of(score::sentiment::positive).count, 0);
  of.work_out();
  EXPECT_EQ(of.number("SELECT score FROM users WHERE id = 3"), 1003) << "where the user started";
  const auto told = of.read(score::get_history{user_id{3}, timestamp{}});
  ASSERT_EQ(told.entries.size(), 2u);
  EXPECT_EQ(told.entries.front().score, 1203);
  EXPECT_EQ(told.entries.back().cause, "api review 1");
}

TEST(ScoreSql, AUserThatCameWithAScoreStartsThere) {
  history of{37};
  of.run(
    "INSERT INTO users (id, display_name, avatar_url, status, score) VALUES (100, 'Given', 'data:,', 'INACTIVE', 1700);"
    "INSERT INTO subjects (key, generation, user_id) VALUES (int4send(100), 0, 100)");
  EXPECT_EQ(of.how_many("score_inputs WHERE user_id = 100"), 0);
  EXPECT_EQ(of.read(score::load_score{user_id{100}}).inputs.starting, 1700);
  of.run("INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
         "created_at, updated_at, seq) VALUES (1, 2, int4send(100), 0, 2, 'x', '', now(), now(), 1)");
  of.work_out();
  EXPECT_EQ(of.number("SELECT score FROM users WHERE id = 100"), 1702) << "270 * (1200/2100) / (1200/2100 + 54) is 2.8";
  EXPECT_EQ(of.number("SELECT score FROM epoch_scores WHERE user_id = 100"), 1700);
  EXPECT_EQ(of.read(score::load_score{user_id{4711}}).inputs.starting, 1200) << "nobody";
}

TEST(ScoreSql, ASlashThatClosesCostsItsLoserAndWhoStoodByThem) {
  history of{41};
  of.run("INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
         "created_at, updated_at, seq) VALUES (1, 2, int4send(3), 0, 2, 'x', '', now(), now(), 1);"
         "INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
         "deposited, balance, comment, metadata, vouched_at, seq) VALUES ('api', 1, 4, int4send(3), 0, 'eth', 7, 7, 7, "
         "'', '', now(), 2); SELECT put_vouch_parts('api', 1, '{20000}', '{7}')");
  of.run("INSERT INTO slashes (id, author_id, subject_address, subject_user_id, subject_profile_id, type, amount, "
         "duration_s, comment, metadata, created_at, seq) VALUES (1, 5, decode(repeat('aa', 20), 'hex'), 3, 3, "
         "'SCORE', 105, 60, 'x', '', now() - interval '1 hour', 3)");
  of.run("INSERT INTO slash_votes (seq, cast_at, slash_id, number, voter_id, weight, for_slash) VALUES (4, now() - "
         "interval '3570 seconds', 1, 1, 6, 7, true)");
  of.run("UPDATE slashes SET closed_at = created_at + interval '60 seconds', outcome = 'SLASHED', slash_weight = 7, "
         "defend_weight = 0, closed_seq = 5");
  EXPECT_EQ(of.number("SELECT points FROM slash_penalties WHERE user_id = 3 AND reason = 'subject'"), 105);
  EXPECT_EQ(of.number("SELECT points FROM slash_penalties WHERE user_id = 4 AND reason = 'vouch'"), 21);
  EXPECT_EQ(of.number("SELECT points FROM slash_penalties WHERE user_id = 2 AND reason = 'review'"), 10);
  EXPECT_EQ(of.number("SELECT sum(p.points) FROM slashes s, "
                      "penalties_of(jsonb_populate_record(s, '{\"amount\":2147483647}')) p"),
            3 * 2800)
    << "of an absurd amount it is the whole score";
  of.work_out();
  EXPECT_EQ(of.number("SELECT score FROM users WHERE id = 4"), 1004 - 21) << "from where the user started";
  EXPECT_EQ(of.differences(), none{});
}

} // namespace
} // namespace credence::persistence
