#include "config/limits.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace reputation;

/// Profile 1 has written 5,000 reviews, of which the newest has 60,000 votes and 30,000 replies, and has received
/// 20,000. Written without triggers, which would take minutes.
const std::string& filled() {
  static const auto url = test::filled_database(
    20, 1,
    "SET session_replication_role = replica;"
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 40, '0'), 'hex'), 0, n FROM "
    "generate_series(1, 20) n;"
    "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, created_at, "
    "updated_at, seq) SELECT n, CASE WHEN n <= 5000 THEN 1 ELSE 2 + n % 2 END, decode(lpad(to_hex(CASE WHEN n <= 5000 "
    "THEN 5 ELSE 1 END), 40, '0'), 'hex'), 0, 2, 'so', '', t, t, n FROM generate_series(1, 25000) n, LATERAL (SELECT "
    "timestamptz '2026-01-01Z' + n * interval '1 second' AS t) x;"
    "INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)"
    " SELECT 'review', id, created_at, author_profile, subject_key, subject_generation, archived FROM reviews;"
    "INSERT INTO replies (id, author_profile, target_kind, target_id, content, metadata, created_at, updated_at, seq)"
    " SELECT n, 1 + n % 3, 'review', 5000, 'so', '', t, t, 100000 + n"
    " FROM generate_series(1, 30000) n, LATERAL (SELECT timestamptz '2026-01-02Z' + n * interval '1 second' AS t) x;"
    "INSERT INTO users (id, display_name, avatar_url, status, score) SELECT n, 'Voter', 'data:,', 'ACTIVE', 1400"
    " FROM generate_series(21, 60000) n ON CONFLICT DO NOTHING;"
    "INSERT INTO profiles (id, user_id, created_at, updated_at) SELECT n, n, now(), now() FROM generate_series(21, "
    "60000) n ON CONFLICT DO NOTHING;"
    "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at, archived)"
    " SELECT 'review', 5000, n, n, n % 4 > 0, t, t, n % 20 = 7"
    " FROM generate_series(1, 60000) n, LATERAL (SELECT timestamptz '2026-01-03Z' + n * interval '1 second' AS t) x;"
    "INSERT INTO activity_tallies (kind, target_id, replies) VALUES ('review', 5000, 30000);"
    "INSERT INTO attestations (id, hash, profile_id, user_id, service, account, username, archived, created_at) SELECT "
    "n, sha256(n::text::bytea), n % 20 + 1, n % 20 + 1, 'farcaster', n::text, 'Name' || n / 2, n % 2 = 1 AND n < 10, "
    "now() FROM generate_series(1, 50000) n;"
    "ANALYZE");
  return url;
}

struct Notices : testing::Test, test::one_database {
  Notices() : one_database(filled()) { on.exec("SET plan_cache_mode = force_generic_plan", soon()); }

  /// Rows of tables of records that were read one after the other, by no index, while `run` ran.
  template <class F>
  std::int64_t rows_walked(F run) {
    return test::rows_read_by(
             on, filled(), "'activities', 'reviews', 'activity_votes', 'replies', 'profiles', 'users', 'attestations'",
             run)
      .walked;
  }
};

TEST_F(Notices, AreTheNewestOfAllKindsAndNothingOfOnesOwn) {
  const auto found = read(list_notices{profile_id{1}, {400, 0}});
  EXPECT_EQ(found.total, limits::notifications_max);
  EXPECT_EQ(found.unread, limits::notifications_max) << "nothing is read yet";
  ASSERT_EQ(found.rows.size(), 400u);
  EXPECT_TRUE(
    std::is_sorted(found.rows.begin(), found.rows.end(), [](const auto& a, const auto& b) { return a.at > b.at; }));
  for (const auto& each : found.rows)
    EXPECT_NE(each.by, user_id{1});
  const auto of = [&](notice_kind kind) {
    return std::count_if(found.rows.begin(), found.rows.end(), [=](const auto& each) { return each.kind == kind; });
  };
  EXPECT_EQ(of(notice_kind::vote), 200) << "100 each way, none of them withdrawn";
  EXPECT_EQ(of(notice_kind::reply), 100) << "of those by others";
  EXPECT_EQ(of(notice_kind::review), 100);
  const auto& vote = found.rows.front();
  EXPECT_EQ(vote.record, (activity{activity_kind::review, 5000}));
  EXPECT_EQ(vote.upvote, test::number_from(filled(), "SELECT upvote::int::int8 FROM activity_votes WHERE voter = "
                                                       + std::to_string(vote.by->value))
                           == 1);
  EXPECT_TRUE(found.users.contains(*vote.by));
}

TEST_F(Notices, AreReadUpToAMarkThatNeverGoesBack) {
  test::one_database of{test::fresh_database(3, 1)};
  const auto mark = [&](const std::string& to) {
    of.sql("INSERT INTO notification_marks AS m (profile_id, read_to) VALUES (1, '" + to
           + "') ON CONFLICT (profile_id) DO UPDATE SET read_to = greatest(m.read_to, excluded.read_to)");
  };
  mark("2026-02-02Z");
  mark("2026-01-02Z");
  const auto found = of.read(list_notices{profile_id{1}, {10, 0}});
  EXPECT_EQ(found.read_to, timestamp{std::chrono::sys_days{std::chrono::year{2026} / 2 / 2}});
  EXPECT_EQ(found.total, 0);
}

/// By when a chain's events brought them, not by the time of their blocks; unless they were old by then.
TEST_F(Notices, OfAChainAreUnreadFromWhenTheyCameIn) {
  test::one_database of{test::fresh_database(3, 1)};
  of.sql(
    "INSERT INTO chain_follow (chain_id, contracts, start_block, tip_number, tip_hash, tip_parent, tip_at, moved_at) "
    "SELECT 1, 'x', 1, 9, h, h, now(), '2026-02-10Z' FROM (SELECT decode(repeat('01', 32), 'hex') AS h) x;"
    "INSERT INTO subjects (key, generation, user_id) VALUES (decode(repeat('01', 20), 'hex'), 0, 1);"
    "INSERT INTO reviews (id, author_profile, author_address, subject_key, subject_generation, score, comment, "
    "metadata, created_at, updated_at, source, event_id, block) SELECT n, 2, decode(repeat('02', 20), 'hex'), "
    "decode(repeat('01', 20), 'hex'), 0, 2, '', '', t, t, 'chain', n, n FROM (VALUES (1, timestamptz '2026-02-02Z'), "
    "(2, '2026-02-09T23:00Z')) x (n, t);"
    "INSERT INTO notification_marks VALUES (1, '2026-02-01Z')");
  const auto unread = [&](const std::string& marked) {
    of.sql("UPDATE notification_marks SET read_to = '" + marked + "'");
    const auto found = of.read(list_notices{profile_id{1}, {10, 0}});
    EXPECT_EQ(found.total, 2);
    EXPECT_EQ(found.unread,
              std::count_if(found.rows.begin(), found.rows.end(), [](const notice& each) { return each.unread; }));
    return found.unread;
  };
  EXPECT_EQ(unread("2026-02-01Z"), 1) << "one was eight days old";
  EXPECT_EQ(unread("2026-02-09T23:30Z"), 1) << "it had not come in yet";
  EXPECT_EQ(unread("2026-02-10T00:00:01Z"), 0);
}

TEST_F(Notices, AndOtherReadsOfRecordsGoByIndexesAlone) {
  const auto all = [&](std::int32_t who) {
    read(list_notices{profile_id{who}, {50, 0}});
    read(get_reply_counts{{{activity_kind::review, 5000}, {activity_kind::vouch, 1}}, profile_id{who}});
    read(find_farcaster_names{{"name77", "NAME5000", "nobody"}});
  };
  all(2); // prepared before it is counted
  EXPECT_EQ(rows_walked([&] { all(1); }), 0);
}

TEST_F(Notices, RepliesAreCountedAndOnesOwnNoticed) {
  const auto found =
    test::exactly(2, read(get_reply_counts{{{activity_kind::vouch, 1}, {activity_kind::review, 5000}}, profile_id{1}}));
  EXPECT_EQ(found[0].count, 0);
  EXPECT_FALSE(found[0].viewer_replied);
  EXPECT_EQ(found[1].count, 30'000);
  EXPECT_TRUE(found[1].viewer_replied);
  EXPECT_FALSE(read(get_reply_counts{{{activity_kind::review, 5000}}, profile_id{9}}).front().viewer_replied);
}

TEST_F(Notices, ANameAtFarcasterIsTheLatestLiveOneWhateverItsCase) {
  const auto found = read(find_farcaster_names{{"name2", "NAME77", "nobody", "name 3"}});
  ASSERT_EQ(found.found.size(), 4u);
  EXPECT_EQ(found.found[0], user_id{5}) << "accounts 4 and 5 have it, and 5 is archived";
  EXPECT_EQ(found.found[1], user_id{155 % 20 + 1});
  EXPECT_FALSE(found.found[2]);
  EXPECT_FALSE(found.found[3]);
  EXPECT_TRUE(found.users.contains(user_id{5}));
}

using namespace oversight;
const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::hours{12};

const std::string& filled_for_operators() {
  static const auto url = test::filled_database(
    20, 3,
    "SET session_replication_role = replica;"
    "UPDATE profiles SET api_access = id = 4;"
    "UPDATE users SET display_name = 'Green Harbor', username = 'harbor' WHERE id = (SELECT user_id FROM projects "
    "WHERE id = 2);"
    "INSERT INTO project_tallies (project_id, period_id, day, bullish, bearish) VALUES (2, 1, '2026-01-01', 3, 1), "
    "(3, 1, '2026-01-01', 9, 0);"
    "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, revoked_at, scopes)"
    " SELECT lpad(n::text, 32, '0')::uuid, 1 + n % 2, decode(repeat('ab', 20), 'hex'), 'key ' || n, "
    "decode(lpad(to_hex(n), 64, '0'), 'hex'),"
    "  timestamptz '2026-02-01' + n / 2 * interval '1 hour', timestamptz '2026-02-20' + n * interval '2 day',"
    "  CASE n WHEN 9 THEN timestamptz '2026-02-10' END, CASE n WHEN 8 THEN ARRAY['read', 'vote'] END FROM "
    "generate_series(1, 9) n;");
  return url;
}

struct OversightSql : testing::Test, test::one_database {
  OversightSql() : one_database(filled_for_operators()) {}

  std::vector<std::string> names_of(list_all_keys query) {
    std::vector<std::string> out;
    for (;;) {
      const auto found = read(query);
      for (const auto& each : found.keys)
        out.push_back(each.name);
      if (!found.next)
        return out;
      query.after = found.next;
    }
  }
};

TEST_F(OversightSql, ListsKeysThatHoldNewestFirstPageByPage) {
  // Those up to key 4 have expired by then, the ninth is revoked.
  EXPECT_EQ(names_of({std::nullopt, std::nullopt, noon, 2}),
            (std::vector<std::string>{"key 8", "key 7", "key 6", "key 5"}));
  EXPECT_EQ(names_of({profile_id{2}, std::nullopt, noon, 50}), (std::vector<std::string>{"key 7", "key 5"}));
  const auto newest = read(list_all_keys{std::nullopt, std::nullopt, noon, 1}).keys.front();
  EXPECT_TRUE(newest.bounds.scopes && newest.bounds.scopes->has(scope::vote));
}

TEST_F(OversightSql, KnowsWhoMayHaveKeys) {
  EXPECT_TRUE(read(get_profile_totals{profile_id{4}}).api_access);
  EXPECT_FALSE(read(get_profile_totals{profile_id{5}}).api_access);
  EXPECT_FALSE(read(get_profile_totals{profile_id{500}}).exists);
}

TEST_F(OversightSql, FindsProjectsByNameAndIdThoseWithMostVotesFirst) {
  const auto all = read(find_projects{"", 2});
  EXPECT_EQ(all.total, 3);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].id, project_id{3});
  EXPECT_EQ(all.rows[0].bullish, 9);
  const auto named = read(find_projects{"HARBOR", 10});
  ASSERT_EQ(named.rows.size(), 1u);
  EXPECT_EQ(named.rows[0].id, project_id{2});
  EXPECT_EQ(named.rows[0].bearish, 1);
  EXPECT_EQ(read(find_projects{"1", 10}).rows.front().id, project_id{1});
  EXPECT_TRUE(read(find_projects{"nobody's", 10}).rows.empty());
}

TEST_F(OversightSql, CountsEventsAndTellsWhyTheyFailed) {
  test::run_sql(filled_for_operators(),
                "SET session_replication_role = replica;"
                "INSERT INTO chain_events (id, chain_id, block_number, block_hash, block_at, tx_hash, block_index, "
                "log_index, contract, address, topics, data, event_name, status, reason, created_at, updated_at)"
                " SELECT n, 31337, n, decode(repeat('00', 32), 'hex'), t, decode(repeat('00', 32), 'hex'), 0, 0, CASE "
                "WHEN n < 4 THEN 'review' ELSE 'vouch' END, decode(repeat('00', 20), 'hex'), '', '', 'Made', CASE "
                "WHEN n < 3 THEN 'applied' ELSE 'failed' END,"
                "  CASE WHEN n = 3 THEN 'no author' WHEN n > 3 THEN 'no subject' END, t, t"
                "  FROM generate_series(1, 6) n, LATERAL (SELECT timestamptz '2026-01-01' AS t) x");
  const auto counted = test::exactly(2, read(count_events{31337}));
  EXPECT_EQ(counted[0].contract, "vouch");
  EXPECT_EQ(counted[0].failed, 3);
  EXPECT_EQ(counted[1].applied, 2);
  const auto failed = test::exactly(2, read(list_failed_events{31337}));
  EXPECT_EQ(failed[0].reason, "no subject");
  EXPECT_EQ(failed[0].events, 3);
  EXPECT_EQ(failed[0].last_id, 6);
  EXPECT_TRUE(read(list_failed_events{1}).empty());
}

using namespace integrity;

/// Without triggers: what is read is the matter here. Five votes on project 1 and five on 3, a minute apart; reviews,
/// vouches and upvotes, some of which are no ties.
const std::string& filled_with_votes() {
  static const auto url = test::filled_database(
    20, 3,
    "SET session_replication_role = replica;"
    "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
    " SELECT p * 10 + n, timestamptz '2026-01-01' + n * interval '1 minute', p, n, n, 1, n % 2 = 0"
    "  FROM unnest(ARRAY[1, 3]) p, generate_series(1, 5) n;"
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, n FROM "
    "generate_series(1, 20) n;"
    "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, archived, "
    "created_at, updated_at, seq) SELECT n, 1, decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, CASE n WHEN 3 THEN 0 ELSE 2 "
    "END, 'so', '', n = 4, t, t, 100 + n FROM generate_series(1, 6) n, LATERAL (SELECT timestamptz '2026-01-02' AS t) "
    "x;"
    "INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, deposited, "
    "balance, comment, metadata, vouched_at, seq) SELECT 'api', n, 2, decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, "
    "'eth', 5, 5, 5, '', '', timestamptz '2026-01-03', 200 + n FROM generate_series(1, 3) n;"
    "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at, archived)"
    " SELECT CASE n WHEN 4 THEN 'reply' ELSE 'review' END, n, 7, n, n <> 2, t, t, n = 3"
    "  FROM generate_series(0, 5) n, LATERAL (SELECT timestamptz '2026-01-04' AS t) x;");
  return url;
}

struct IntegritySql : testing::Test, test::one_database {
  IntegritySql() : one_database(filled_with_votes()) {}
};

TEST_F(IntegritySql, ReadsVotesPieceByPieceInOrderOfProjectAndNumber) {
  load_votes_cast query;
  query.most = 4;
  std::vector<vote_seen> all;
  std::vector<std::int32_t> sizes;
  for (;;) {
    const auto piece = read(query);
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
  const auto piece = read(query);
  EXPECT_EQ(piece.read, 10);
  EXPECT_EQ(piece.votes.size(), 4u);
}

TEST_F(IntegritySql, ReadsWhoSpeaksWellOfWhom) {
  const auto ties = [&](tie_kind kind) {
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    load_ties query{kind, {}, 2};
    for (;;) {
      const auto piece = read(query);
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
  EXPECT_EQ(read(load_joined{{}, 15}).people.size(), 15u);
  EXPECT_EQ(read(load_joined{profile_id{15}, 15}).people.size(), 5u);
  test::run_sql(filled_with_votes(),
                "ANALYZE profiles, reviews, vouches, activity_votes"); // as the database does by itself in time
  const auto all = read(load_extent{});
  EXPECT_EQ(all.votes, 10);
  EXPECT_EQ(all.people, 20);
  EXPECT_EQ(all.ties, 6 + 3 + 6);
}

/// Posts of the broker as clients read them; those of odd numbers are of profile 1.
struct BrokerSql : testing::Test, test::one_database {
  BrokerSql() {
    sql("INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, "
        "created_at, updated_at, source) SELECT i, 2 - i % 2, CASE WHEN i = 3 THEN 'PREMIUM' ELSE "
        "'BASIC' END, 'Audit ' || i, repeat('é', 70000), '100', '{}', to_timestamp(1700000000 + i), "
        "to_timestamp(1700000100 + i), 'chain' FROM generate_series(1, 5) i");
    sql(
      "INSERT INTO broker_fees (post_id, token, amount, recipient, source) VALUES (3, decode(repeat('AB', 20), 'hex'),"
      " 2::numeric ^ 200, decode(repeat('cd', 20), 'hex'), 'chain')");
  }
  std::vector<std::int32_t> ids(const list_broker_posts& question) {
    std::vector<std::int32_t> out;
    total = 0;
    const auto found = read(question);
    total = found.total;
    for (const auto& row : found.rows)
      out.push_back(row.record.id.value);
    return out;
  }

  std::int64_t total = 0;
};

TEST_F(BrokerSql, PostsAreListedTheNewestFirst) {
  list_broker_posts all;
  all.slice = {2, 1};
  EXPECT_EQ(ids(all), (std::vector<std::int32_t>{4, 3}));
  EXPECT_EQ(total, 5);
  list_broker_posts of_one;
  of_one.slice = {10, 0};
  of_one.author = profile_id{2};
  EXPECT_EQ(ids(of_one), (std::vector<std::int32_t>{4, 2}));
  EXPECT_EQ(total, 2);
  list_broker_posts premium;
  premium.slice = {10, 0};
  premium.level = broker_post_level::premium;
  EXPECT_EQ(ids(premium), (std::vector<std::int32_t>{3}));
  premium.author = profile_id{2};
  EXPECT_TRUE(ids(premium).empty());
}

TEST_F(BrokerSql, OneComesWithItsTextsItsFeeAndItsAuthor) {
  list_broker_posts one;
  one.slice = {1, 0};
  one.id = broker_post_id{3};
  const auto found = read(one);
  ASSERT_EQ(found.rows.size(), 1u);
  const auto& post = found.rows.front().record;
  EXPECT_EQ(post.author, profile_id{1});
  EXPECT_EQ(post.level, broker_post_level::premium);
  EXPECT_EQ(post.title, "Audit 3");
  EXPECT_EQ(post.description.size(), 2u * 65536) << "characters, not bytes";
  ASSERT_TRUE(post.fee);
  EXPECT_EQ(post.fee->amount, wei{1} << 200);
  EXPECT_EQ(post.fee->recipient.bytes.front(), std::byte{0xCD});
  ASSERT_TRUE(found.rows.front().author);
  EXPECT_TRUE(found.users.contains(*found.rows.front().author));
  one.id = broker_post_id{2};
  EXPECT_FALSE(read(one).rows.front().record.fee);
  one.id = broker_post_id{77};
  EXPECT_TRUE(read(one).rows.empty());
}

TEST_F(BrokerSql, AListShowsTheBeginningsOfLongTexts) {
  list_broker_posts all;
  all.slice = {1, 0};
  EXPECT_EQ(read(all).rows.front().record.description.size(), 2u * 4096);
}

TEST_F(BrokerSql, EveryQuestionReadsWhatItAnswersWith) {
  sql("INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, "
      "created_at, updated_at, source) SELECT i, CASE WHEN i % 1000 = 0 THEN 3 ELSE 2 - i % 2 END, CASE "
      "WHEN i % 1000 < 2 THEN 'PREMIUM' ELSE 'BASIC' END, 'x', 'x', '1', '{}', now(), now(), 'chain' "
      "FROM generate_series(1000, 19999) i; ANALYZE broker_posts");
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", soon()); // as readers have it
  const auto rows_read = [&](const list_broker_posts& question) {
    return test::rows_read_by(on, url, "'broker_posts'", [&] { ids(question); }).all;
  };
  list_broker_posts one;
  one.id = broker_post_id{1500};
  one.slice = {1, 0};
  EXPECT_LE(rows_read(one), 1);
  EXPECT_EQ(total, 1);
  list_broker_posts few;
  few.slice = {10, 0};
  EXPECT_LE(rows_read(few), 10 + limits::list_depth_max);
  few.author = profile_id{3};
  EXPECT_LE(rows_read(few), 10 + 19);
  EXPECT_EQ(total, 19);
  few.level = broker_post_level::premium;
  EXPECT_LE(rows_read(few), 10 + 19);
  few.author = profile_id{1};
  EXPECT_LE(rows_read(few), 10 + 20);
  EXPECT_EQ(total, 20);
  few.author = profile_id{4};
  EXPECT_EQ(rows_read(few), 0);
  few.author = std::nullopt;
  EXPECT_LE(rows_read(few), 10 + 39);
  EXPECT_EQ(total, 39);
}

} // namespace
} // namespace credence::persistence
