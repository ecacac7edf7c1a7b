#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace credence::persistence {
namespace {

using namespace reputation;

steady_time deadline() { return deadline_in(std::chrono::seconds{60}); }

/// Profile 1 has written 5,000 reviews, of which the newest has 60,000 votes and 30,000 replies, and has received
/// 20,000. Written without triggers, which would take minutes.
const std::string& filled() {
  static const auto url = [] {
    const auto made = test::fresh_database(20, 1);
    test::run_sql(
      made,
      "SET session_replication_role = replica;"
      "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 40, '0'), 'hex'), 0, n FROM "
      "generate_series(1, 20) n;"
      "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, created_at, "
      "updated_at, seq)"
      " SELECT n, CASE WHEN n <= 5000 THEN 1 ELSE 2 + n % 2 END, decode(lpad(to_hex(CASE WHEN n <= 5000 THEN 5 ELSE 1 "
      "END), 40, '0'), 'hex'), 0, 2,"
      "  'so', '', t, t, n FROM generate_series(1, 25000) n, LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval "
      "'1 second' AS t) x;"
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
      "INSERT INTO attestations (id, hash, profile_id, user_id, service, account, username, archived, created_at) "
      "SELECT n,"
      " sha256(n::text::bytea), n % 20 + 1, n % 20 + 1, 'farcaster', n::text, 'Name' || n / 2, n % 2 = 1 AND n < 10, "
      "now()"
      " FROM generate_series(1, 50000) n;"
      "ANALYZE");
    return made;
  }();
  return url;
}

class Notices : public testing::Test {
protected:
  Notices() { on.exec("SET plan_cache_mode = force_generic_plan", deadline()); }

  /// Rows of tables of records that were read one after the other, by no index, while `run` ran.
  template <class F>
  std::int64_t rows_walked(F run) {
    return test::rows_read_by(
             on, filled(), "'activities', 'reviews', 'activity_votes', 'replies', 'profiles', 'users', 'attestations'",
             run)
      .walked;
  }

  connection on = test::look_into(filled());
};

TEST_F(Notices, AreTheNewestOfAllKindsAndNothingOfOnesOwn) {
  const auto found = read(on, list_notices{profile_id{1}, {400, 0}}, deadline());
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
  const auto url = test::fresh_database(3, 1);
  const auto mark = [&](const std::string& to) {
    test::run_sql(url, "INSERT INTO notification_marks AS m (profile_id, read_to) VALUES (1, '" + to
                         + "') ON CONFLICT (profile_id) DO UPDATE SET read_to = greatest(m.read_to, excluded.read_to)");
  };
  mark("2026-02-02Z");
  mark("2026-01-02Z");
  auto look = test::look_into(url);
  const auto found = read(look, list_notices{profile_id{1}, {10, 0}}, deadline());
  EXPECT_EQ(found.read_to, timestamp{std::chrono::sys_days{std::chrono::year{2026} / 2 / 2}});
  EXPECT_EQ(found.total, 0);
}

/// By when a chain's events brought them, not by the time of their blocks; unless they were old by then.
TEST_F(Notices, OfAChainAreUnreadFromWhenTheyCameIn) {
  const auto url = test::fresh_database(3, 1);
  test::run_sql(url, "INSERT INTO chain_follow (chain_id, contracts, start_block, tip_number, tip_hash, tip_parent, "
                     "tip_at, moved_at) SELECT 1, 'x', 1, 9, h, h,"
                     "  now(), '2026-02-10Z' FROM (SELECT decode(repeat('01', 32), 'hex') AS h) x;"
                     "INSERT INTO subjects (key, generation, user_id) VALUES (decode(repeat('01', 20), 'hex'), 0, 1);"
                     "INSERT INTO reviews (id, author_profile, author_address, subject_key, subject_generation, score, "
                     "comment, metadata, created_at, updated_at,"
                     "  source, event_id, block) SELECT n, 2, decode(repeat('02', 20), 'hex'), decode(repeat('01', "
                     "20), 'hex'), 0, 2, '', '', t, t, 'chain', n, n"
                     "  FROM (VALUES (1, timestamptz '2026-02-02Z'), (2, '2026-02-09T23:00Z')) x (n, t);"
                     "INSERT INTO notification_marks VALUES (1, '2026-02-01Z')");
  auto look = test::look_into(url);
  const auto unread = [&](const std::string& marked) {
    test::run_sql(url, "UPDATE notification_marks SET read_to = '" + marked + "'");
    const auto found = read(look, list_notices{profile_id{1}, {10, 0}}, deadline());
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
    read(on, list_notices{profile_id{who}, {50, 0}}, deadline());
    read(on, get_reply_counts{{{activity_kind::review, 5000}, {activity_kind::vouch, 1}}, profile_id{who}}, deadline());
    read(on, find_farcaster_names{{"name77", "NAME5000", "nobody"}}, deadline());
  };
  all(2); // prepared before it is counted
  EXPECT_EQ(rows_walked([&] { all(1); }), 0);
}

TEST_F(Notices, RepliesAreCountedAndOnesOwnNoticed) {
  const auto found =
    read(on, get_reply_counts{{{activity_kind::vouch, 1}, {activity_kind::review, 5000}}, profile_id{1}}, deadline());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].count, 0);
  EXPECT_FALSE(found[0].viewer_replied);
  EXPECT_EQ(found[1].count, 30'000);
  EXPECT_TRUE(found[1].viewer_replied);
  EXPECT_FALSE(
    read(on, get_reply_counts{{{activity_kind::review, 5000}}, profile_id{9}}, deadline()).front().viewer_replied);
}

TEST_F(Notices, ANameAtFarcasterIsTheLatestLiveOneWhateverItsCase) {
  const auto found = read(on, find_farcaster_names{{"name2", "NAME77", "nobody", "name 3"}}, deadline());
  ASSERT_EQ(found.found.size(), 4u);
  EXPECT_EQ(found.found[0], user_id{5}) << "accounts 4 and 5 have it, and 5 is archived";
  EXPECT_EQ(found.found[1], user_id{155 % 20 + 1});
  EXPECT_FALSE(found.found[2]);
  EXPECT_FALSE(found.found[3]);
  EXPECT_TRUE(found.users.contains(user_id{5}));
}

} // namespace
} // namespace credence::persistence
