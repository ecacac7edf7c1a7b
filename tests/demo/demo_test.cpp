#include "actors/domain/hash.hpp"
#include "ops/demo/demo.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "tests/each_of.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

namespace credence::persistence {

inline constexpr auto in_time = std::chrono::seconds{60};
inline const timestamp some_day = std::chrono::sys_days{std::chrono::year{2026} / 3 / 18} + std::chrono::hours{15};

/// The terms of trading that come with the settings.
inline const market::terms usual{{{{{200, wei{10'000'000'000'000'000}}, wei{50'000'000'000'000'000}},
                                   {{1500, wei{10'000'000'000'000'000}}, wei{100'000'000'000'000'000}},
                                   {{5000, wei{10'000'000'000'000'000}}, wei{200'000'000'000'000'000}}}},
                                 {100, 100, 100}};

/// A database with the schema and nothing in it.
inline std::string empty_database() {
  static int made = 0;
  const auto url = test::shared_postgres().url("demo_" + std::to_string(++made));
  auto on = test::look_into(url);
  migrate_up(on, deadline_in(in_time));
  return url;
}

inline demo_report load(const std::string& url, const demo_size& size, timestamp now = some_day) {
  auto on = test::look_into(url);
  return load_demo(on, size, usual, now, attestation_hash, deadline_in(in_time));
}

/// The demo as it comes.
inline const std::string& demo() {
  static const std::string url = [] {
    auto made = empty_database();
    load(made, {});
    return made;
  }();
  return url;
}

namespace {

using test::how_many;
using test::number_from;

/// What every row of every table comes to.
std::string digest_of(const std::string& url) {
  auto on = test::look_into(url);
  std::string out;
  for (const std::string table : test::each_of(
         "users", "user_vouches", "profiles", "addresses", "attestations", "x_username_history", "xp_accounts",
         "xp_movements", "projects", "project_links", "project_team", "project_categories", "project_chains",
         "voting_periods", "votes", "project_tallies", "project_rollups", "slashes", "slash_votes", "wei_accounts",
         "wei_transfers", "markets", "market_trades", "market_positions", "shard_owners", "subjects", "reviews",
         "vouches", "replies", "activity_votes", "activity_tallies", "activities", "invitations"))
    out += table + " "
           + on.exec_params(
                 ("SELECT md5(coalesce(string_agg(t::text, ';' ORDER BY t::text), '')) FROM " + table + " t").c_str(),
                 deadline_in(in_time))
               .value<std::string>()
           + "\n";
  return out;
}

TEST(Demo, IsTheSameEveryTime) {
  const auto again = empty_database();
  load(again, {});
  EXPECT_EQ(digest_of(again), digest_of(demo()));
}

TEST(Demo, LeadsUpToTheMomentItIsGiven) {
  const auto later = empty_database();
  load(later, {60, 5, 500}, some_day + std::chrono::days{20});
  EXPECT_EQ(number_from(later, "SELECT year * 100 + number FROM voting_periods WHERE closed_at IS NULL"), 202604);
  EXPECT_EQ(number_from(demo(), "SELECT year * 100 + number FROM voting_periods WHERE closed_at IS NULL"), 202603);
  EXPECT_EQ(how_many(demo(), "votes WHERE cast_at >= '2026-03-18 15:00:00+00'"), 0);
  EXPECT_GT(how_many(demo(), "votes WHERE cast_at >= '2026-03-18 00:00:00+00'"), 0);
}

TEST(Demo, HasThePeopleListingsAndVotesThatItReports) {
  const auto url = empty_database();
  const auto made = load(url, {120, 7, 1234});
  EXPECT_EQ(made.profiles, 120);
  EXPECT_EQ(made.projects, 7);
  EXPECT_EQ(made.votes, 1234);
  EXPECT_EQ(made.periods, 7);
  EXPECT_EQ(how_many(url, "profiles"), 120);
  EXPECT_EQ(how_many(url, "projects"), 7);
  EXPECT_EQ(how_many(url, "votes"), 1234);
  EXPECT_EQ(how_many(url, "voting_periods WHERE closed_at IS NOT NULL"), 6);
}

TEST(Demo, GoesOnlyIntoAnEmptyDatabase) {
  const auto url = empty_database();
  auto on = test::look_into(url);
  EXPECT_FALSE(has_data(on, deadline_in(in_time)));
  load(url, {20, 3, 50});
  EXPECT_TRUE(has_data(on, deadline_in(in_time)));
  const auto before = digest_of(url);
  EXPECT_THROW(load(url, {20, 3, 50}), std::invalid_argument);
  EXPECT_EQ(digest_of(url), before);
}

TEST(Demo, SaysWhichSizesDoNotFitEachOther) {
  const auto url = empty_database();
  EXPECT_THROW(load(url, {0, 1, 0}), std::invalid_argument);
  EXPECT_THROW(load(url, {1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(load(url, {1, 1, -1}), std::invalid_argument);
  try {
    load(url, {100, 4, 5000});
    ADD_FAILURE() << "5000 votes of 100 profiles on 4 projects";
  } catch (const std::invalid_argument& why) {
    EXPECT_EQ(std::string{why.what()}, "100 profiles can cast at most 1573 votes on 4 projects; 5000 were asked for");
  }
  EXPECT_EQ(how_many(url, "users"), 0);
}

TEST(Demo, FillsUpToTheLastVoteThatCanBeCast) {
  for (const auto& size : {demo_size{1, 1, 4}, demo_size{2, 3, 26}, demo_size{49, 2, 433}, demo_size{100, 4, 1573}}) {
    const auto url = empty_database();
    EXPECT_EQ(load(url, size).votes, size.votes);
    EXPECT_EQ(how_many(url, "votes"), size.votes);
  }
}

TEST(Demo, NumbersVotesWithoutGaps) {
  EXPECT_EQ(how_many(demo(), "(SELECT number, row_number() OVER (PARTITION BY project_id"
                             " ORDER BY cast_at, seq) AS due FROM votes) v WHERE number <> due"),
            0);
  EXPECT_EQ(how_many(demo(), "(SELECT seq, row_number() OVER (ORDER BY seq) AS due"
                             " FROM (SELECT seq FROM votes UNION ALL SELECT seq FROM voting_periods) a) b"
                             " WHERE seq <> due"),
            0);
  EXPECT_EQ(how_many(demo(), "votes v JOIN voting_periods p ON p.id = v.period_id"
                             " WHERE v.cast_at < p.starts_at OR v.cast_at > coalesce(p.closed_at, p.ends_at)"
                             " OR v.seq < p.seq"),
            0);
}

TEST(Demo, LeavesABatchThatTheWriterGoesOnFrom) {
  EXPECT_EQ(number_from(demo(), "SELECT last_seq FROM batches"),
            number_from(demo(), "SELECT greatest(max(seq), max(closed_seq), (SELECT max(seq) FROM slash_votes),"
                                " (SELECT max(seq) FROM market_trades)) FROM slashes"));
  EXPECT_EQ(
    number_from(demo(), "SELECT last_seq FROM batches"),
    24000 + 7
      + number_from(demo(),
                    "SELECT count(*) + count(closed_seq) + (SELECT count(*) FROM slash_votes)"
                    " + (SELECT count(*) FROM market_trades) + (SELECT count(*) FROM wei_transfers) FROM slashes")
      + number_from(
        demo(),
        "SELECT (SELECT count(*) FROM invitations) + (SELECT count(*) FROM reviews) + (SELECT count(*) FROM vouches)"
        " + (SELECT count(*) FROM replies)"));
}

TEST(Demo, TalliesAddUpToTheVotes) {
  EXPECT_EQ(how_many(demo(), "(SELECT project_id, period_id, (cast_at AT TIME ZONE 'UTC')::date,"
                             " count(*) FILTER (WHERE bullish), count(*) FILTER (WHERE NOT bullish) FROM votes"
                             " GROUP BY 1, 2, 3 EXCEPT SELECT project_id, period_id, day, bullish, bearish"
                             " FROM project_tallies) different"),
            0);
  EXPECT_EQ(number_from(demo(), "SELECT sum(bullish + bearish) FROM project_tallies"), 24000);
  EXPECT_EQ(number_from(demo(), "SELECT sum(through) FROM project_rollups"), 24000);
  EXPECT_EQ(how_many(demo(), "project_rollups r WHERE through <>"
                             " (SELECT count(*) FROM votes WHERE project_id = r.project_id)"),
            0);
}

TEST(Demo, PointsAddUpToZero) {
  EXPECT_EQ(number_from(demo(), "SELECT sum(balance) FROM xp_accounts"), 0);
  EXPECT_EQ(how_many(demo(), "profiles p LEFT JOIN xp_accounts a ON a.profile_id = p.id"
                             " WHERE a.balance IS NULL OR a.balance = 0"),
            0);
  EXPECT_EQ(how_many(demo(), "xp_accounts a WHERE balance <>"
                             " (SELECT coalesce(sum(CASE WHEN to_account = a.id THEN amount ELSE -amount END), 0)"
                             " FROM xp_movements WHERE a.id IN (from_account, to_account))"),
            0);
  EXPECT_GT(number_from(demo(), "SELECT balance FROM xp_accounts WHERE id = -1"), 0);
}

TEST(Demo, EveryFigureOfReviewsAndVouchesHasRowsBehindIt) {
  EXPECT_GT(how_many(demo(), "reviews WHERE edits > 0"), 0);
  EXPECT_GT(how_many(demo(), "reviews WHERE archived"), 0);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT score) FROM reviews"), 3);
  EXPECT_GT(how_many(demo(), "reviews r JOIN subjects s ON s.key = r.subject_key WHERE s.service = 'x.com'"), 0);
  EXPECT_GT(how_many(demo(), "vouches WHERE NOT archived AND token = 'eth'"), 0);
  EXPECT_GT(how_many(demo(), "vouches WHERE unhealthy"), 0);
  EXPECT_GT(number_from(demo(), "SELECT min(up) + min(replies) FROM activity_tallies WHERE up > 0 AND replies > 0"), 0);
  EXPECT_GT(number_from(demo(), "SELECT sum(comment_count) FROM projects"), 0);
  EXPECT_EQ(how_many(demo(), "invitations"), number_from(demo(), "SELECT count(invited_by) FROM profiles"));
  auto on = test::look_into(demo());
  for (const auto& each : promises_of("reputation"))
    EXPECT_EQ(on.exec_params(each.sql.c_str(), deadline_in(in_time)).count(), 0) << each.words;
}

TEST(Demo, HasReviewsOfTheLastHoursWithVotesOnThem) {
  const auto small = empty_database();
  load(small, {60, 5, 500});
  for (const auto& url : {demo(), small}) {
    const auto of_today = " FROM reviews r WHERE created_at > '2026-03-18 03:00:00+00' AND NOT archived";
    EXPECT_GT(number_from(url, std::string{"SELECT count(*)"} + of_today), 4);
    EXPECT_EQ(how_many(url, "reviews WHERE created_at > '2026-03-18 15:00:00+00'"), 0);
    EXPECT_GT(
      how_many(url, "activity_votes v WHERE kind = 'review' AND target_id IN (SELECT id" + std::string{of_today} + ")"),
      4);
    EXPECT_EQ(how_many(url, "activity_votes v JOIN reviews r ON r.id = v.target_id WHERE v.kind = 'review' AND "
                            "(v.created_at < r.created_at OR v.created_at > '2026-03-18 15:00:00+00')"),
              0);
  }
  EXPECT_EQ(how_many(demo(), "reviews WHERE author_profile <= 10"
                             " AND created_at > '2026-03-16 15:00:00+00'"),
            0)
    << "the ten accounts have their day's reviews left";
}

TEST(Demo, ShowsEveryLevelAndStatus) {
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT width_bucket(score, ARRAY[800, 1200, 1400, 1600, 1800, 2000,"
                                " 2200, 2400, 2600])) FROM users"),
            10);
  EXPECT_GT(how_many(demo(), "profiles WHERE archived"), 0);
  EXPECT_GT(how_many(demo(), "projects WHERE status = 'ARCHIVED'"), 0);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT human_verification) FROM users"), 4);
  EXPECT_GT(how_many(demo(), "users WHERE holdings_wei = 0"), 0);
  EXPECT_GT(how_many(demo(), "users WHERE holdings_wei > 1000000000000000000"), 0);
  EXPECT_EQ(how_many(demo(), "users WHERE holdings_wei % 1000000000000000 <> 0"), 0);
}

TEST(Demo, ShowsEveryKindOfVerifierAndFormerNames) {
  EXPECT_EQ(how_many(demo(), "users WHERE validator_nft_count > 0"
                             " AND validator_acquired_at < '2026-03-18' AND human_verification = 'VERIFIED'"),
            2);
  EXPECT_GT(how_many(demo(), "users WHERE verifier_blocked"), 0);
  EXPECT_EQ(how_many(demo(), "x_username_history h JOIN attestations a USING (user_id, username)"
                             " WHERE a.service = 'x.com' AND h.change_observed_at IS NOT NULL"),
            number_from(demo(), "SELECT count(DISTINCT user_id) FROM x_username_history"))
    << "the latest name is the one that is proved";
}

TEST(Demo, ShowsSlashesOfEveryOutcome) {
  EXPECT_EQ(how_many(demo(), "slashes WHERE closed_at IS NULL"), 2);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT outcome) FROM slashes"), 4);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT type) FROM slashes"), 2);
  EXPECT_GT(number_from(
              demo(), "SELECT min(n) FROM (SELECT count(DISTINCT voter_id) AS n FROM slash_votes GROUP BY slash_id) v"),
            30);
  EXPECT_GT(how_many(demo(), "(SELECT FROM slash_votes GROUP BY slash_id, voter_id HAVING count(*) > 1) v"), 5)
    << "some have changed their minds";
}

TEST(Demo, ShowsMarketsOfEveryTierWithTradesOfTheLastDay) {
  EXPECT_EQ(how_many(demo(), "markets"), 16);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT tier) FROM markets"), 3);
  EXPECT_GT(number_from(demo(), "SELECT min(trades) FROM markets"), 0);
  EXPECT_GT(how_many(demo(), "market_trades WHERE at > '2026-03-17 15:00:00+00'"), 5);
  EXPECT_GT(how_many(demo(), "market_trades WHERE NOT buys"), 50);
  EXPECT_GT(how_many(demo(), "market_trades WHERE NOT trusts"), 50);
  EXPECT_EQ(how_many(demo(), "wei_accounts WHERE profile_id <= 10 AND balance >= 10::numeric ^ 18"), 10)
    << "to trade with";
  EXPECT_EQ(number_from(
              demo(),
              "SELECT (SELECT sum(amount) FROM wei_transfers WHERE kind = 'DEPOSIT')"
              " - (SELECT sum(balance) FROM wei_accounts) - (SELECT sum(pool + locked + protocol_fees) FROM markets)"),
            0)
    << "every wei is somewhere";
}

/// Which of the demo's profiles act as one, as the words of a row of SQL.
std::string ring_of(const std::string& url) {
  auto on = test::look_into(url);
  std::string out;
  for (const auto member : stored_demo_ring(on, deadline_in(in_time)))
    out += (out.empty() ? "" : ", ") + std::to_string(member.value);
  return out;
}

TEST(Demo, HasADozenThatJoinedTogetherAndActAsOne) {
  const auto ring = ring_of(demo());
  EXPECT_EQ(ring, "489, 490, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500");
  const auto in_ring = [&](const std::string& column) { return column + " IN (" + ring + ")"; };
  EXPECT_EQ(how_many(demo(), "profiles WHERE created_at > '2026-01-01'"), 12);
  EXPECT_EQ(
    how_many(demo(), "profiles WHERE created_at BETWEEN '2026-02-04' AND '2026-02-04 00:08+00' AND " + in_ring("id")),
    12);
  EXPECT_EQ(how_many(demo(), "profiles WHERE invited_by = 489 AND " + in_ring("id")), 11);
  // On eight listings, in the period before and in the open one, all twelve within two seconds, on one side.
  const auto bursts =
    "(SELECT count(*) AS n, count(DISTINCT bullish) AS sides, max(cast_at) - min(cast_at) AS took FROM votes WHERE "
    + in_ring("voter_id") + " GROUP BY project_id, period_id) b";
  EXPECT_EQ(how_many(demo(), bursts), 16);
  EXPECT_EQ(how_many(demo(), bursts + " WHERE n = 12 AND sides = 1 AND took < interval '2 seconds'"), 16);
  EXPECT_EQ(number_from(demo(), "SELECT count(DISTINCT project_id) FROM votes WHERE " + in_ring("voter_id")), 8);
  // Whoever praises somebody is praised by the same one.
  const auto praise = "SELECT r.author_profile AS a, p.id AS b FROM reviews r JOIN subjects s ON s.key = r.subject_key "
                      "JOIN profiles p USING (user_id) WHERE "
                      + in_ring("r.author_profile");
  EXPECT_EQ(how_many(demo(), "(" + praise + " INTERSECT SELECT b, a FROM (" + praise + ") back) both_ways"), 48);
  EXPECT_EQ(
    number_from(
      demo(),
      "SELECT count(*) FROM vouches v JOIN subjects s ON s.key = v.subject_key JOIN profiles p USING (user_id) WHERE "
        + in_ring("author_profile") + " AND " + in_ring("p.id")),
    24);
  EXPECT_EQ(how_many(demo(), "activity_votes v JOIN reviews r ON r.id = v.target_id WHERE "
                             "v.kind = 'review' AND v.upvote AND "
                               + in_ring("v.voter") + " AND " + in_ring("r.author_profile")),
            288);
}

TEST(Demo, HasNoSuchDozenWhereItIsSmall) {
  const auto url = empty_database();
  load(url, {199, 10, 1000});
  EXPECT_EQ(ring_of(url), "");
  EXPECT_EQ(how_many(url, "profiles WHERE created_at > '2025-12-01'"), 0);
}

TEST(Demo, TellsStories) {
  EXPECT_GT(number_from(demo(), "SELECT max(n) / min(n) FROM (SELECT count(*) AS n FROM votes GROUP BY project_id) a"),
            3)
    << "some listings are popular";
  EXPECT_GT(how_many(demo(), "(SELECT project_id, max(share) - min(share) AS swing FROM (SELECT"
                             " project_id, period_id, avg(bullish::int) AS share FROM votes GROUP BY 1, 2) a"
                             " GROUP BY 1) b WHERE swing > 0.3"),
            10)
    << "opinions change";
  EXPECT_GT(number_from(demo(), "SELECT count(DISTINCT reason) FROM votes"), 20);
  EXPECT_GT(how_many(demo(), "votes WHERE reason IS NULL"), 0);
  EXPECT_EQ(how_many(demo(), "projects p WHERE NOT EXISTS (SELECT 1 FROM project_links WHERE"
                             " project_id = p.id) OR NOT EXISTS (SELECT 1 FROM project_team WHERE project_id = p.id)"
                             " OR NOT EXISTS (SELECT 1 FROM project_categories WHERE project_id = p.id)"
                             " OR NOT EXISTS (SELECT 1 FROM project_chains WHERE project_id = p.id)"),
            0);
}

std::string hex(std::span<const std::byte> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const auto b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

/// The Ethereum address of a private key, with the capitals of EIP-55.
std::string address_of(const std::string& private_key) {
  const std::unique_ptr<EC_GROUP, decltype(&EC_GROUP_free)> curve{EC_GROUP_new_by_curve_name(NID_secp256k1),
                                                                  &EC_GROUP_free};
  BIGNUM* parsed = nullptr;
  BN_hex2bn(&parsed, private_key.c_str() + 2);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> key{parsed, &BN_free};
  const std::unique_ptr<EC_POINT, decltype(&EC_POINT_free)> point{EC_POINT_new(curve.get()), &EC_POINT_free};
  std::array<unsigned char, 65> encoded{};
  if (EC_POINT_mul(curve.get(), point.get(), key.get(), nullptr, nullptr, nullptr) != 1
      || EC_POINT_point2oct(curve.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED, encoded.data(), encoded.size(),
                            nullptr)
           != encoded.size())
    return "no point";
  const auto hashed = keccak256({reinterpret_cast<const char*>(encoded.data()) + 1, 64});
  auto address = hex(std::span{hashed}.last(20));
  const auto capitals = hex(keccak256(address));
  for (std::size_t i = 0; i < address.size(); ++i)
    if (capitals[i] >= '8' && address[i] >= 'a')
      address[i] = static_cast<char>(address[i] - 32);
  return "0x" + address;
}

TEST(DemoAccounts, OwnTheWellKnownDevelopmentWallets) {
  const auto accounts = test::exactly(10, demo_accounts(500));
  EXPECT_EQ(accounts[0].address, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  auto on = test::look_into(demo());
  for (const auto& each : accounts) {
    EXPECT_EQ(address_of(each.private_key), each.address);
    const auto stored =
      on.exec_params("SELECT encode(a.address, 'hex') AS hex FROM addresses a JOIN profiles p USING (user_id)"
                     " WHERE p.id = $1::int4 ORDER BY a.kind = 'primary'",
                     parameters{}.int4(each.profile.value), deadline_in(in_time));
    ASSERT_EQ(stored.count(), 2);
    const column<std::string> hex{stored, "hex"};
    EXPECT_EQ("0x" + hex[0], each.embedded_wallet);
    EXPECT_EQ("address:0x" + hex[1], each.userkeys[1]);
  }
}

TEST(DemoAccounts, HaveAccountsElsewhereWithTheHashesOfTheChain) {
  auto on = test::look_into(demo());
  for (const auto& each : demo_accounts(500)) {
    const auto stored = on.exec_params("SELECT service, account, hash FROM attestations WHERE profile_id = $1::int4"
                                       " ORDER BY service DESC",
                                       parameters{}.int4(each.profile.value), deadline_in(in_time));
    ASSERT_EQ(stored.count(), 2);
    const column<std::string> service{stored, "service"};
    const column<std::string> account{stored, "account"};
    const column<std::array<std::byte, 32>> hash{stored, "hash"};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ("service:" + service[i] + ":" + account[i], each.userkeys[static_cast<std::size_t>(2 + i)]);
      EXPECT_EQ(hash[i], attestation_hash(service[i], account[i]));
    }
  }
}

TEST(DemoAccounts, MayDoWhatTheyAreForAndNoMore) {
  auto on = test::look_into(demo());
  for (const auto& each : demo_accounts(500)) {
    const auto id = each.profile.value;
    const auto stored =
      on.exec_params("SELECT p.api_access, a.balance, u.username, u.display_name, p.archived FROM profiles p"
                     " JOIN xp_accounts a ON a.profile_id = p.id"
                     " JOIN users u ON u.id = p.user_id WHERE p.id = $1::int4",
                     parameters{}.int4(id), deadline_in(in_time));
    EXPECT_EQ(stored.first<bool>("api_access"), id != 9);
    EXPECT_EQ(each.api_access, id != 9);
    EXPECT_EQ(stored.first<std::int64_t>("balance"), id == 10 ? 50 : 5000);
    EXPECT_EQ(each.xp, stored.first<std::int64_t>("balance"));
    EXPECT_EQ(stored.first<std::string>("username"), each.username);
    EXPECT_EQ(stored.first<std::string>("display_name"), each.name);
    EXPECT_FALSE(stored.first<bool>("archived"));
    EXPECT_EQ(each.admin, id == 1);
  }
}

TEST(DemoAccounts, HaveNotVotedYetInTheOpenPeriod) {
  EXPECT_EQ(how_many(demo(), "votes JOIN voting_periods p ON p.id = period_id"
                             " WHERE closed_at IS NULL AND voter_id <= 10"),
            0);
  EXPECT_GT(how_many(demo(), "votes WHERE voter_id <= 10"), 0);
}

TEST(DemoAccounts, AreFewerWhenThereAreFewerProfiles) { EXPECT_EQ(demo_accounts(3).size(), 3u); }

} // namespace
} // namespace credence::persistence
