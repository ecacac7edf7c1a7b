#include "config/limits.hpp"
#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace reputation;

/// 100,000 reviews, as many votes on one of them, 20,000 replies to it, and vouches and invitations beside. Users and
/// profiles 1 to 20 have the scores 1080, 1160, … and the wallets 1 to 20. Written without triggers, which would take
/// minutes.
const std::string& filled() {
  static const auto url = test::filled_database(
    20, 1,
    "SET session_replication_role = replica;"
    "UPDATE users SET score = 1000 + 80 * id;"
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 40, '0'), 'hex'), 0, n FROM "
    "generate_series(1, 20) n;"
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), 0, n FROM "
    "generate_series(1, 20) n;"
    "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, archived, "
    "created_at, updated_at, seq) SELECT n, 1 + n % 3, decode(lpad(to_hex(4 + n % 7), 40, '0'), 'hex'), 0, n % 3, "
    "'so', '', n % 10 = 0, t, t, n"
    " FROM generate_series(1, 100000) n, LATERAL (SELECT timestamptz '2026-01-01' + n / 3 * interval '1 second' AS t) "
    "x;"
    "INSERT INTO replies (id, author_profile, target_kind, target_id, content, metadata, created_at, updated_at, seq)"
    " SELECT n, 1 + n % 3, 'review', 1, 'so', '', t, t, 100000 + n"
    " FROM generate_series(1, 20000) n, LATERAL (SELECT timestamptz '2026-01-02' + n * interval '1 second' AS t) x;"
    "INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, deposited, "
    "balance, withdrawn, comment, metadata, vouched_at, unvouched_at, archived, seq)"
    " SELECT 'api', n, 1 + n % 3, decode(lpad(to_hex(4 + n / 3 % 7), 8, '0'), 'hex'), 0, 'eth', n, n, CASE WHEN n <= 9 "
    "THEN n ELSE 0 END, CASE WHEN n <= 9 THEN 0 ELSE n END, '', '', t, CASE WHEN n > 9 THEN t END, n > 9, 200000 + n"
    " FROM generate_series(1, 20000) n, LATERAL (SELECT timestamptz '2026-01-03' + n * interval '1 second' AS t) x;"
    "INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)"
    " SELECT 'review', id, created_at, author_profile, subject_key, subject_generation, archived FROM reviews"
    " UNION ALL SELECT 'vouch', number, vouched_at, author_profile, subject_key, subject_generation, archived FROM "
    "vouches UNION ALL SELECT 'reply', id, created_at, author_profile, NULL, NULL, false FROM replies;"
    "INSERT INTO users (id, display_name, avatar_url, status, score) SELECT n, 'Voter', 'data:,', 'ACTIVE', 1400"
    " FROM generate_series(21, 20000) n ON CONFLICT DO NOTHING;"
    "INSERT INTO profiles (id, user_id, created_at, updated_at) SELECT n, n, now(), now() FROM generate_series(21, "
    "20000) n ON CONFLICT DO NOTHING;"
    "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at, archived)"
    " SELECT 'review', 1 + n / 20000, 1 + n % 20000, n, n % 4 > 0, t, t, n % 20 = 7"
    " FROM generate_series(0, 99999) n, LATERAL (SELECT timestamptz '2026-01-04' + n * interval '1 second' AS t) x;"
    "INSERT INTO activity_tallies (kind, target_id, up, down, replies) SELECT 'review', target_id, count(*) FILTER "
    "(WHERE upvote), count(*) FILTER (WHERE NOT upvote), CASE target_id WHEN 1 THEN 20000 ELSE 0 END FROM "
    "activity_votes WHERE NOT archived GROUP BY target_id;"
    "INSERT INTO activity_tallies (kind, target_id) SELECT 'vouch', n FROM generate_series(1, 20000) n;"
    "INSERT INTO invitations (id, sender, recipient, invited_at, seq, status) SELECT n, 1 + n % 3, "
    "decode(lpad(to_hex(n), 40, '0'), 'hex'), '2026-01-01', n, CASE WHEN n % 5 = 0 THEN 'WITHDRAWN' ELSE 'INVITED' END "
    "FROM generate_series(1, 20000) n;"
    "INSERT INTO invitation_tallies SELECT coalesce(sender, 0), status, count(*) FROM invitations"
    " GROUP BY GROUPING SETS ((sender, status), (status));"
    "ANALYZE");
  return url;
}

struct RecordLists : testing::Test, test::one_database {
  RecordLists() : one_database(filled()) { on.exec("SET plan_cache_mode = force_generic_plan", soon()); }

  static std::vector<std::int64_t> ids(const feed_page& of) {
    std::vector<std::int64_t> out;
    for (const auto& each : of.rows)
      out.push_back(std::visit([](const auto& record) { return record.id.value; }, each.record));
    return out;
  }
  template <class List>
  static std::vector<std::int64_t> ids(const List& of) {
    std::vector<std::int64_t> out;
    for (const auto& each : of.rows)
      out.push_back(each.record.id.value);
    return out;
  }
  /// Rows of tables of records that were read one after the other, by no index, while `run` ran.
  template <class F>
  std::int64_t rows_walked(F run) {
    return test::rows_read_by(on, filled(),
                              "'activities', 'activity_tallies', 'activity_votes', 'reviews', 'replies', 'vouches', "
                              "'invitations', 'profiles', 'users'",
                              run)
      .walked;
  }
};

TEST_F(RecordLists, PagesOfAFeedAreThoseOfAWalk) {
  const std::string given = "a.author_user = 2";
  const std::string received = "EXISTS (SELECT FROM subjects s WHERE s.key = a.subject_key AND s.generation = "
                               "a.subject_generation AND s.user_id = 5)";
  for (const auto& slice : {page{50, 0}, page{100, 9'950}, page{7, 4'321}, page{1000, 0}})
    for (const bool live_only : {false, true}) {
      const std::string rest =
        std::string{live_only ? " AND NOT a.archived" : ""} + " ORDER BY a.at DESC, a.kind, a.id DESC LIMIT "
        + std::to_string(std::min(slice.limit, 10'000 - slice.offset)) + " OFFSET " + std::to_string(slice.offset);
      list_feed query{feed_side::given, user_id{2}};
      query.with_archived = !live_only;
      query.slice = slice;
      const auto found = read(query);
      EXPECT_EQ(ids(found), numbers("SELECT a.id::int8 FROM activities a WHERE " + given + rest)) << slice.offset;
      EXPECT_EQ(found.total, limits::list_depth_max);
      query.side = feed_side::received;
      query.whose = user_id{5};
      EXPECT_EQ(ids(read(query)), numbers("SELECT a.id::int8 FROM activities a WHERE " + received + rest))
        << slice.offset;
    }
}

TEST_F(RecordLists, OfAFeedAreFilteredAndOrdered) {
  list_feed query{feed_side::received, user_id{5}};
  query.kinds = std::vector{feed_kind::vouch};
  const auto vouches = read(query);
  EXPECT_EQ(vouches.total, test::how_many(filled(), "vouches WHERE NOT archived AND subject_key = '\\x00000005'"));
  for (const auto& each : vouches.rows)
    EXPECT_EQ(each.kind, feed_kind::vouch);
  query.kinds = std::vector{feed_kind::unvouch};
  query.with_archived = false;
  EXPECT_EQ(read(query).total, 0);
  query.kinds = std::vector{feed_kind::review};
  query.scores = std::vector{review_score::negative};
  for (const auto& each : read(query).rows)
    EXPECT_EQ(std::get<review_record>(each.record).score, review_score::negative);
  query.scores = std::nullopt;
  query.author_score_min = 1200; // of profiles 1 to 3 only the last has it
  const auto by_known = read(query);
  EXPECT_GT(by_known.total, 0);
  for (const auto& each : by_known.rows)
    EXPECT_EQ(each.author, user_id{3});
  query = {feed_side::everybody, {}};
  query.order = feed_order::oldest;
  EXPECT_EQ(ids(read(query)).front(), 1);
  query.order = feed_order::most_votes;
  query.kinds = std::vector{feed_kind::review};
  query.side = feed_side::given;
  query.whose = user_id{2};
  EXPECT_EQ(read(query).rows.size(), 50u);
}

TEST_F(RecordLists, OfVotesAreExactAndRanked) {
  const activity first{activity_kind::review, 1};
  list_activity_votes query{first, true, vote_order::updated, false, {100, 5'000}};
  const auto found = read(query);
  EXPECT_EQ(found.total,
            test::number_from(filled(), "SELECT up FROM activity_tallies WHERE kind = 'review' AND target_id = 1"));
  std::vector<std::int64_t> voters;
  for (const auto& each : found.rows)
    voters.push_back(each.record.voter.value);
  EXPECT_EQ(voters, numbers("SELECT voter::int8 FROM activity_votes WHERE target_id = 1 AND upvote AND NOT archived "
                            "ORDER BY updated_at DESC LIMIT 100 OFFSET 5000"));
  query = {{activity_kind::review, 2}, std::nullopt, vote_order::score, false, {3, 0}};
  EXPECT_EQ(read(query).rows.front().author, user_id{20000}) << "all of the newest have 1400: the latest comes first";
  const auto stats = read(get_vote_stats{{first, {activity_kind::vouch, 7}}, profile_id{2}});
  EXPECT_EQ(stats.at(0).upvotes, found.total);
  EXPECT_EQ(stats.at(0).weighted_upvotes, limits::votes_weighed_max) << "each weighs 1";
  EXPECT_EQ(stats.at(0).own.value().voter, profile_id{2});
  EXPECT_EQ(stats.at(0).own_weight, 0) << "with a score of 1160";
  EXPECT_EQ(stats.at(1).upvotes + stats.at(1).downvotes + stats.at(1).weighted_upvotes, 0) << "nobody has voted on it";
  EXPECT_FALSE(stats.at(1).own);
}

TEST_F(RecordLists, OfVouchesMatchEveryFilter) {
  list_vouches query;
  query.authors = std::vector{profile_id{2}};
  query.subjects = std::vector{user_id{4}};
  query.archived = false;
  EXPECT_EQ(ids(read(query)), (std::vector<std::int64_t>{1}));
  query = {};
  query.archived = false;
  query.order = vouch_order::balance;
  query.ascending = true;
  EXPECT_EQ(ids(read(query)), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  query.since = read(query).rows.at(6).record.vouched_at;
  EXPECT_EQ(ids(read(query)), (std::vector<std::int64_t>{7, 8, 9})) << "then or later";
  query.since = std::nullopt;
  query.ids = std::vector{vouch_id{3}, vouch_id{19'999}};
  query.archived = std::nullopt;
  query.order = vouch_order::vouched;
  EXPECT_EQ(ids(read(query)), (std::vector<std::int64_t>{3, 19'999}));
  query.ids = std::nullopt;
  query.archived = false;
  query.subjects = std::vector<user_id>{};
  query.subject_accounts = {attestation_hash("github", "nobody"), attestation_hash("github", "four")};
  EXPECT_EQ(read(query).total, 0);
  std::string hash;
  append_hex(hash, query.subject_accounts.back());
  test::run_sql(filled(), "INSERT INTO subjects (key, generation, user_id) SELECT decode('" + hash
                            + "', 'hex'), g, 6 - g FROM generate_series(0, 1) g");
  EXPECT_EQ(ids(read(query)), (std::vector<std::int64_t>{3, 4, 5})) << "of its last owner, user 5";
  const auto mutual = read(list_mutual_vouchers{user_id{2}, user_id{4}, {}});
  EXPECT_EQ(mutual.total, 0) << "nobody whom profile 2 vouches for vouches for another";
  EXPECT_EQ(read(get_vouch_sums{user_id{4}}).received_staked, 3) << "vouches 1 and 2";
}

/// Whatever is asked, however deep.
TEST_F(RecordLists, WalkNoTable) {
  const auto walked = rows_walked([&] {
    for (const auto side : {feed_side::everybody, feed_side::given, feed_side::received, feed_side::both})
      for (const auto order : {feed_order::newest, feed_order::oldest, feed_order::most_votes}) {
        list_feed query{side, user_id{2}};
        query.with_spam = false;
        query.author_score_min = 1000;
        query.order = order;
        query.slice = {50, 9'000};
        query.viewer = profile_id{3};
        read(query);
      }
    for (const auto order : {vote_order::updated, vote_order::score})
      read(list_activity_votes{{activity_kind::review, 1}, std::nullopt, order, false, {500, 5'000}});
    read(get_vote_stats{{{activity_kind::review, 1}}, profile_id{2}});
    for (const bool ascending : {true, false})
      read(list_replies{{activity_kind::review, 1}, ascending, {100, 9'000}});
    for (const auto order : {vouch_order::vouched, vouch_order::updated, vouch_order::balance}) {
      list_vouches query;
      query.order = order;
      query.since = timestamp{};
      read(query);
      query.authors = std::vector{profile_id{1}};
      read(query);
      query.authors = std::nullopt;
      query.subjects = std::vector{user_id{5}};
      query.subject_accounts = {attestation_hash("github", "four")};
      read(query);
    }
    read(list_mutual_vouchers{user_id{2}, user_id{5}, {}});
    read(get_reviews_between{user_id{2}, user_id{5}});
    for (const auto status : {std::optional<bool>{}, std::optional{false}}) {
      list_profiles query;
      query.archived = status;
      query.slice = {100, 9'000};
      read(query);
    }
    read(list_invitations{std::nullopt, std::nullopt, {50, 9'000}});
    read(list_invitations{profile_id{1}, invitation_status::invited, {}});
    read(list_pending_invitations{wallet_of(7), {}});
    read(get_invitation_tree{profile_id{1}});
  });
  EXPECT_LT(walked, 1000) << "rows read by no index";
}

TEST_F(RecordLists, PagesOfInvitationsAreThoseOfAWalk) {
  for (const auto& slice : {page{50, 0}, page{100, 9'950}, page{7, 4'321}, page{50, 10'000}})
    for (const auto sender : {std::optional<profile_id>{}, std::optional{profile_id{2}}})
      for (const auto status : {std::optional<invitation_status>{}, std::optional{invitation_status::invited}}) {
        const std::string from = std::string{"FROM (SELECT id::int8 FROM invitations WHERE true"}
                                 + (sender ? " AND sender = 2" : "") + (status ? " AND status = 'INVITED'" : "")
                                 + " ORDER BY id DESC LIMIT 10000) i";
        const auto found = read(list_invitations{sender, status, slice});
        EXPECT_EQ(ids(found), numbers("SELECT id " + from + " ORDER BY id DESC LIMIT " + std::to_string(slice.limit)
                                      + " OFFSET " + std::to_string(slice.offset)))
          << slice.offset;
        EXPECT_EQ(found.total, numbers("SELECT count(*) " + from).front());
      }
}

TEST_F(RecordLists, APageOfInvitationsReadsNoMoreThanThat) {
  for (const auto sender : {std::optional<profile_id>{}, std::optional{profile_id{2}}})
    for (const auto status : {std::optional<invitation_status>{}, std::optional{invitation_status::invited}}) {
      const auto rows = test::rows_read_by(on, filled(), "'invitations', 'invitation_tallies'", [&] {
        EXPECT_EQ(read(list_invitations{sender, status, {50, 100}}).rows.size(), 50u);
      });
      EXPECT_LT(rows.all, 400) << "of 20,000";
    }
}

TEST(InvitationTallies, FollowEveryChange) {
  test::one_database of{test::fresh_database(20, 1)};
  const auto wrong = [&] {
    return of.number(
      "SELECT count(*) FROM invitation_tallies t FULL JOIN (SELECT coalesce(sender, 0) AS sender, status,"
      " count(*) AS n FROM invitations GROUP BY GROUPING SETS ((sender, status), (status))) i"
      " USING (sender, status) WHERE coalesce(t.invitations, 0) <> coalesce(i.n, 0)");
  };
  of.sql("INSERT INTO invitations (id, sender, recipient, invited_at, source) SELECT 900000 + n, 1 + n % 3,"
         " int8send(n) || decode(repeat('c7', 12), 'hex'), now(), 'chain' FROM generate_series(1, 12) n");
  EXPECT_EQ(of.number("SELECT invitations FROM invitation_tallies WHERE sender = 0"), 12);
  EXPECT_EQ(wrong(), 0);
  of.sql("UPDATE invitations SET status = 'WITHDRAWN' WHERE id % 2 = 0");
  EXPECT_EQ(wrong(), 0);
  of.sql("INSERT INTO invitations (id, sender, recipient, invited_at, source, status)"
         " SELECT id, sender, recipient, invited_at, source, 'INVITED' FROM invitations"
         " ON CONFLICT (id) DO UPDATE SET status = excluded.status, sender = 5");
  EXPECT_EQ(wrong(), 0) << "as a chain writes";
  of.sql("DELETE FROM invitations WHERE id > 900004");
  EXPECT_EQ(wrong(), 0);
  EXPECT_EQ(of.number("SELECT invitations FROM invitation_tallies WHERE sender = 5 AND status = 'INVITED'"), 4);
}

TEST(PendingInvitations, OfManyLookUpNoMoreScoresThanMayBeOpenOverTheApi) {
  test::one_database of{test::fresh_database(1500, 1)};
  of.sql("DELETE FROM epoch_scores; INSERT INTO epoch_scores (user_id, score, day) SELECT user_id,"
         " 1000 + id, '2026-01-01' FROM profiles;"
         "INSERT INTO invitations (id, sender, recipient, invited_at, source) SELECT 900000 + n, n,"
         " decode(repeat('c7', 20), 'hex'), now(), 'chain' FROM generate_series(1, 1500) n; ANALYZE");
  of.on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off",
             of.soon());
  address whom;
  whom.bytes.fill(std::byte{0xc7});
  std::vector<std::int32_t> senders;
  const auto rows = test::rows_read_by(of.on, of.url, "'epoch_scores', 'profiles'", [&] {
    for (const auto& each : of.read(list_pending_invitations{whom, {4, 254}}).rows)
      senders.push_back(each.record.sender.value);
  });
  EXPECT_EQ(senders, (std::vector<std::int32_t>{2, 1, 257, 258})) << "by score, and later senders behind them";
  EXPECT_LT(rows.all, 600) << "two for each of 256, and those of the page";
  EXPECT_EQ(of.read(list_pending_invitations{whom, {1, 0}}).rows.front().record.sender, profile_id{256});
}

TEST(PendingInvitations, OfOneSenderAreFoundBehindThoseOfOthers) {
  test::one_database of{test::fresh_database(20, 1)};
  of.sql("INSERT INTO invitations (id, sender, recipient, invited_at, source) SELECT 900000 + n, n, "
         "decode(repeat('c7', 20), 'hex'), now(), 'chain' FROM generate_series(1, 12) n");
  address whom;
  whom.bytes.fill(std::byte{0xc7});
  const auto own = of.read(list_pending_invitations{whom, {1, 0}, profile_id{12}});
  ASSERT_EQ(own.rows.size(), 1u);
  EXPECT_EQ(own.rows.front().record.id, invitation_id{900012});
  EXPECT_EQ(own.rows.front().sender.value, of.number("SELECT user_id FROM profiles WHERE id = 12"));
  EXPECT_EQ(own.recipient_score, std::nullopt) << "nobody is known by that address";
}

TEST(PendingInvitations, OfThoseWithTheHighestScoresComeFirst) {
  test::one_database of{test::fresh_database(20, 1)};
  of.sql("DELETE FROM epoch_scores WHERE user_id IN (SELECT user_id FROM profiles WHERE id <= 3);"
         "INSERT INTO epoch_scores (user_id, score, day) SELECT user_id, 1600, '2026-01-01' FROM profiles"
         " WHERE id = 2;"
         "UPDATE users SET score = 1300 WHERE id = (SELECT user_id FROM profiles WHERE id = 4);"
         "INSERT INTO addresses (address, user_id, kind, added_at) SELECT decode(repeat('c7', 20), 'hex'), user_id,"
         " 'linked', '2026-01-01' FROM profiles WHERE id = 4;"
         "INSERT INTO invitations (id, sender, recipient, invited_at, source) SELECT 900000 + n, n,"
         " decode(repeat('c7', 20), 'hex'), now(), 'chain' FROM generate_series(1, 3) n");
  address whom;
  whom.bytes.fill(std::byte{0xc7});
  const auto all = of.read(list_pending_invitations{whom, {3, 0}});
  ASSERT_EQ(all.rows.size(), 3u);
  EXPECT_EQ(all.rows[0].record.sender, profile_id{2});
  EXPECT_EQ(all.rows[0].sender_score, 1600);
  EXPECT_EQ(all.rows[1].record.sender, profile_id{1}) << "the earliest of those alike";
  EXPECT_EQ(all.rows[1].sender_score, 1200);
  EXPECT_EQ(all.recipient_score, 1300);
  EXPECT_EQ(of.read(list_pending_invitations{whom, {1, 1}}).rows.front().record.sender, profile_id{1});
}

TEST(ProfileSums, FollowEveryChange) {
  test::one_database of{test::fresh_database(20, 1)};
  const auto sums = [&](const char* archived) {
    return of.number(std::string{"SELECT profiles * 1000 + invites FROM profile_sums WHERE archived = "} + archived);
  };
  const auto counted = [&](const char* archived) {
    return of.number(
      std::string{"SELECT count(*) * 1000 + coalesce(sum(invites_available), 0)::int8 FROM profiles WHERE archived = "}
      + archived);
  };
  of.sql(
    "UPDATE profiles SET archived = true WHERE id IN (3, 4); UPDATE profiles SET invites_available = 7 WHERE id = 3;"
    "UPDATE profiles SET invites_available = 5, archived = false WHERE id IN (3, 5)");
  for (const auto* archived : {"true", "false"})
    EXPECT_EQ(sums(archived), counted(archived)) << archived;
  of.sql(
    "INSERT INTO users (id, display_name, avatar_url, status) VALUES (900, 'Ada', 'data:,', 'ACTIVE');"
    "INSERT INTO profiles (id, user_id, created_at, updated_at, invites_available) VALUES (900, 900, now(), now(), 3)");
  EXPECT_EQ(sums("false"), counted("false"));
  EXPECT_EQ(sums("false") / 1000, 20);
}

} // namespace
} // namespace credence::persistence
