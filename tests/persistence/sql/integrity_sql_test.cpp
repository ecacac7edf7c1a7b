#include "persistence/sql/integrity_sql.hpp"

#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace credence::persistence {
namespace {

using namespace integrity;

steady_time deadline() { return deadline_in(std::chrono::seconds{60}); }

/// Without triggers: what is read is the matter here. Five votes on project 1 and five on 3, a minute apart; reviews,
/// vouches and upvotes, some of which are no ties.
const std::string& filled() {
  static const auto url = [] {
    const auto made = test::fresh_database(20, 3);
    test::run_sql(
      made, "SET session_replication_role = replica;"
            "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
            " SELECT p * 10 + n, timestamptz '2026-01-01' + n * interval '1 minute', p, n, n, 1, n % 2 = 0"
            "  FROM unnest(ARRAY[1, 3]) p, generate_series(1, 5) n;"
            "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, n FROM "
            "generate_series(1, 20) n;"
            "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, "
            "archived, created_at, updated_at, seq)"
            " SELECT n, 1, decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, CASE n WHEN 3 THEN 0 ELSE 2 END, 'so', '', n = "
            "4, t, t, 100 + n"
            "  FROM generate_series(1, 6) n, LATERAL (SELECT timestamptz '2026-01-02' AS t) x;"
            "INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
            "deposited, balance, comment,"
            "  metadata, vouched_at, seq) SELECT 'api', n, 2, decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, 'eth', 5, 5, "
            "5, '', '',"
            "  timestamptz '2026-01-03', 200 + n FROM generate_series(1, 3) n;"
            "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at, archived)"
            " SELECT CASE n WHEN 4 THEN 'reply' ELSE 'review' END, n, 7, n, n <> 2, t, t, n = 3"
            "  FROM generate_series(0, 5) n, LATERAL (SELECT timestamptz '2026-01-04' AS t) x;");
    return made;
  }();
  return url;
}

class IntegritySql : public testing::Test {
protected:
  connection on = test::look_into(filled());
};

TEST_F(IntegritySql, ReadsVotesPieceByPieceInOrderOfProjectAndNumber) {
  load_votes_cast query;
  query.most = 4;
  std::vector<vote_seen> all;
  std::vector<std::int32_t> sizes;
  for (;;) {
    const auto piece = read(on, query, deadline());
    sizes.push_back(piece.read);
    all.insert(all.end(), piece.votes.begin(), piece.votes.end());
    if (piece.read < query.most)
      break;
    query.after = piece.last;
    query.after_number = piece.last_number;
  }
  EXPECT_EQ(sizes, (std::vector<std::int32_t>{4, 4, 2}));
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(all[5].voter, 1);
  EXPECT_EQ(all[5].cause, vote_seen::cause_of({3}, false));
  EXPECT_EQ(all[9].second, 1767225600u + 300);
}

TEST_F(IntegritySql, PassesOldVotesOverAndSaysHowManyItRead) {
  load_votes_cast query;
  query.most = 100;
  query.since = timestamp{std::chrono::seconds{1767225600 + 200}};
  const auto piece = read(on, query, deadline());
  EXPECT_EQ(piece.read, 10);
  EXPECT_EQ(piece.votes.size(), 4u);
}

TEST_F(IntegritySql, ReadsWhoSpeaksWellOfWhom) {
  const auto ties = [&](tie_kind kind) {
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    load_ties query{kind, {}, 2};
    for (;;) {
      const auto piece = read(on, query, deadline());
      for (const auto& each : piece.ties)
        out.emplace_back(each.from, each.to);
      if (piece.read < query.most)
        return out;
      query.after = piece.last;
    }
  };
  using pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
  EXPECT_EQ(ties(tie_kind::review), (pairs{{1, 2}, {1, 5}, {1, 6}}))
    << "not of oneself, not the negative one, not the archived one";
  EXPECT_EQ(ties(tie_kind::vouch), (pairs{{2, 1}, {2, 3}}));
  EXPECT_EQ(ties(tie_kind::upvote), (pairs{{7, 1}, {7, 1}}))
    << "of reviews 1 and 5; not down, not withdrawn, not of a reply";
}

TEST_F(IntegritySql, ReadsWhenPeopleJoinedAndHowMuchThereIs) {
  EXPECT_EQ(read(on, load_joined{{}, 15}, deadline()).people.size(), 15u);
  EXPECT_EQ(read(on, load_joined{profile_id{15}, 15}, deadline()).people.size(), 5u);
  test::run_sql(filled(),
                "ANALYZE profiles, reviews, vouches, activity_votes"); // as the database does by itself in time
  const auto all = read(on, load_extent{}, deadline());
  EXPECT_EQ(all.votes, 10);
  EXPECT_EQ(all.people, 20);
  EXPECT_EQ(all.ties, 6 + 3 + 6);
}

} // namespace
} // namespace credence::persistence
