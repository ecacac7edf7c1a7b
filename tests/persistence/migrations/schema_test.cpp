#include "tests/persistence/database.hpp"
#include "tests/persistence/migrations/schema_row.hpp"

#include <gtest/gtest.h>

/// What the database itself refuses, whoever writes: one wrong row each.
namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;

/// Twenty profiles, five projects, period 1 open, and one row where the cases need it.
const std::string& some_database() {
  static const std::string url = [] {
    auto made = test::fresh_database(20, 5);
    test::run_sql(
      made, "INSERT INTO user_vouches (user_id, token) VALUES (1, 'eth');"
            "INSERT INTO addresses VALUES (decode(repeat('01', 20), 'hex'), 1, 'primary', now());"
            "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, created_at)"
            " VALUES (1, decode(repeat('01', 32), 'hex'), 1, 1, 'x.com', '100', now());"
            "INSERT INTO xp_movements (from_account, to_account, amount, kind, at) VALUES (0, 1, 100, 'CLAIM', now());"
            "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, revoked_at)"
            " SELECT gen_random_uuid(), 1, decode(repeat('01', 20), 'hex'), 'a key', sha256(i::text::bytea), now(),"
            "  now() + interval '90 days', CASE WHEN i > 25 THEN now() END FROM generate_series(1, 26) i;"
            "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 1, now(), now());"
            "INSERT INTO idempotency_records (slot, answered, id, fingerprint, at, effect) VALUES (1, false, "
            "sha256('a'), sha256('b'), now(), ''),"
            " (1, false, sha256('old'), sha256('b'), now() - interval '25 hours', '');"
            "INSERT INTO project_links VALUES (1, 0, 'WEBSITE', 'https://one.example');"
            "INSERT INTO project_team VALUES (1, 1);"
            "INSERT INTO categories VALUES (1, 'DeFi', 'defi'); INSERT INTO project_categories VALUES (1, 1);"
            "INSERT INTO chains VALUES (1, 'Base'); INSERT INTO project_chains VALUES (1, 1);"
            "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
            " VALUES (2, now(), 1, 1, 1, 1, true);"
            "INSERT INTO project_tallies VALUES (1, 1, '2026-01-01', 1, 0); INSERT INTO project_rollups VALUES (1, 1);"
            "INSERT INTO project_period_tallies VALUES (1, 1, 1, 0);"
            "UPDATE profiles SET archived = true WHERE id = 20; UPDATE projects SET status = 'ARCHIVED' WHERE id = 5");
    return made;
  }();
  return url;
}

std::string refusal_of(const std::string& sql) { return test::refusal_of(some_database(), sql); }

std::string user(const std::string& columns, const std::string& values) {
  return "INSERT INTO users (id, display_name, avatar_url, status" + columns
         + ") VALUES (900, 'Ada', 'https://a.example', 'ACTIVE'" + values + ")";
}
std::string profile(const std::string& columns, const std::string& values) {
  return user("", "") + "; INSERT INTO profiles (id, user_id, created_at, updated_at" + columns
         + ") VALUES (900, 900, now(), now()" + values + ")";
}
std::string project(const std::string& columns, const std::string& values) {
  return user("", "") + "; INSERT INTO projects (id, user_id, userkey, created_at, updated_at" + columns
         + ") VALUES (900, 900, 'service:x.com:900', now(), now()" + values + ")";
}
std::string vote(const std::string& project, const std::string& voter, const std::string& number,
                 const std::string& period = "1", const std::string& reason = "NULL", const std::string& seq = "9") {
  return "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish, reason) VALUES (" + seq
         + ", now(), " + project + ", " + voter + ", " + number + ", " + period + ", true, " + reason + ")";
}
std::string period(const std::string& values) {
  return "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, closed_at, live_profiles, active_projects,"
         " seq) VALUES ("
         + values + ")";
}
const std::string close_first = "UPDATE voting_periods SET closed_at = '2026-02-01' WHERE id = 1;";
std::string fence(const std::string& arguments) { return "SELECT fence_batch(" + arguments + ")"; }

class Schema : public ::testing::TestWithParam<wrong> {};

TEST_P(Schema, Refuses) { EXPECT_EQ(refusal_of(GetParam().sql), GetParam().sqlstate) << GetParam().sql; }

INSTANTIATE_TEST_SUITE_P(
  People, Schema,
  ::testing::Values(
    wrong{"AScoreAbove2800", check, user(", score", ", 2801")}, wrong{"ANegativeScore", check, user(", score", ", -1")},
    wrong{"AUserIdOfZero", check,
          "INSERT INTO users (id, display_name, avatar_url, status) VALUES (0, 'A', 'a', 'ACTIVE')"},
    wrong{"AnEmptyDisplayName", check, "UPDATE users SET display_name = '' WHERE id = 2"},
    wrong{"AUserWithoutName", missing, "UPDATE users SET display_name = NULL WHERE id = 2"},
    wrong{"AnUnknownUserStatus", check, "UPDATE users SET status = 'active' WHERE id = 2"},
    wrong{"AUsernameThatDiffersInCaseOnly", unique, user(", username", ", 'USER7'")},
    wrong{"ANegativeStreak", check, user(", xp_streak_days", ", -1")},
    wrong{"ANegativeInfluence", check, user(", influence_factor", ", -0.5")},
    wrong{"APercentileAbove100", check, user(", influence_percentile", ", 100.1")},
    wrong{"AnUnknownVerification", check, user(", human_verification", ", 'MAYBE'")},
    wrong{"NegativeNfts", check, user(", validator_nft_count", ", -1")},
    wrong{"NegativeHoldings", check, user(", holdings_wei", ", -1")},
    wrong{"HoldingsBeyond78Digits", "22003", user(", holdings_wei", ", 1e78")},
    wrong{"NegativeReviews", check, user(", reviews_positive", ", -1")},
    wrong{"AUserThatIsThere", unique,
          "INSERT INTO users (id, display_name, avatar_url, status) VALUES (1, 'A', 'a', 'ACTIVE')"},
    wrong{"DeletingAUserWithAProfile", foreign, "DELETE FROM users WHERE id = 3"},
    wrong{"VouchesInAnUnknownToken", check, "INSERT INTO user_vouches (user_id, token) VALUES (1, 'btc')"},
    wrong{"VouchesOfNobody", foreign, "INSERT INTO user_vouches (user_id, token) VALUES (999, 'eth')"},
    wrong{"VouchesTwicePerToken", unique, "INSERT INTO user_vouches (user_id, token) VALUES (1, 'eth')"},
    wrong{"NegativeVouches", check, "INSERT INTO user_vouches (user_id, token, given_wei) VALUES (2, 'eth', -1)"},
    wrong{"ALifetimeBelowThePresent", check,
          "INSERT INTO user_vouches (user_id, token, given_wei) VALUES (2, 'eth', 1)"},
    wrong{"AProfileOfNobody", foreign,
          "INSERT INTO profiles (id, user_id, created_at, updated_at) VALUES (900, 999, now(), now())"},
    wrong{"TwoProfilesOfOneUser", unique,
          "INSERT INTO profiles (id, user_id, created_at, updated_at) VALUES (900, 1, now(), now())"},
    wrong{"AProfileUpdatedBeforeItWasMade", check,
          "UPDATE profiles SET updated_at = created_at - interval '1 s' WHERE id = 2"},
    wrong{"NegativeInvites", check, profile(", invites_available", ", -1")},
    wrong{"AnInvitationByNobody", foreign, profile(", invited_by", ", 999")},
    wrong{"AnInvitationByOneself", check, profile(", invited_by", ", 900")},
    wrong{"DeletingAProfile", check, "DELETE FROM profiles WHERE id = 19"},
    wrong{"TruncatingProfiles", check, "TRUNCATE profiles CASCADE"},
    wrong{"RenumberingAProfile", check, "UPDATE profiles SET id = 901 WHERE id = 19"},
    wrong{"HandingAProfileToAnotherUser", check, user("", "") + "; UPDATE profiles SET user_id = 900 WHERE id = 19"},
    wrong{"AnAddressOf19Bytes", check,
          "INSERT INTO addresses VALUES (decode(repeat('02', 19), 'hex'), 2, 'linked', now())"},
    wrong{"AnAddressOfTwoUsers", unique,
          "INSERT INTO addresses VALUES (decode(repeat('01', 20), 'hex'), 2, 'linked', now())"},
    wrong{"TwoPrimaryAddresses", unique,
          "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'primary', now())"},
    wrong{"AnUnknownKindOfAddress", check,
          "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'cold', now())"},
    wrong{"AnAddressOfNobody", foreign,
          "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 999, 'linked', now())"}),
  name_of);

std::string attestation(const std::string& hash_bytes, const std::string& rest) {
  return "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, archived, created_at)"
         " VALUES (2, decode(repeat('02', "
         + hash_bytes + "), 'hex'), " + rest + ", now())";
}
std::string move(const std::string& from, const std::string& to, const std::string& amount,
                 const std::string& kind = "'CLAIM'") {
  return "INSERT INTO xp_movements (from_account, to_account, amount, kind, at) VALUES (" + from + ", " + to + ", "
         + amount + ", " + kind + ", now())";
}

INSTANTIATE_TEST_SUITE_P(
  AccountsAndXp, Schema,
  ::testing::Values(
    wrong{"AHashOf31Bytes", check, attestation("31", "2, 2, 'x.com', '200', false")},
    wrong{"AnUnknownService", check, attestation("32", "2, 2, 'twitter', '200', false")},
    wrong{"AnEmptyAccount", check, attestation("32", "2, 2, 'x.com', '', false")},
    wrong{"ALiveAccountOfTwoUsers", excluded, attestation("32", "2, 2, 'x.com', '100', false")},
    wrong{"AnAttestationOfNobody", foreign, attestation("32", "999, NULL, 'x.com', '200', false")},
    wrong{"AnAttestationOfAnotherUsersProfile", foreign, attestation("32", "2, 3, 'x.com', '200', false")},
    wrong{"AnXpAccountOfNobody", foreign, "INSERT INTO xp_accounts (id) VALUES (999)"},
    wrong{"AnXpAccountBelowTheLast", check, "INSERT INTO xp_accounts (id) VALUES (-3)"},
    wrong{"XpFromNowhere", check,
          profile("", "")
            + "; DELETE FROM xp_accounts WHERE id = 900; INSERT INTO xp_accounts (id, balance) VALUES (900, 5)"},
    wrong{"ABalanceWithoutAMovement", check, "UPDATE xp_accounts SET balance = balance + 1 WHERE id = 3"},
    wrong{"DeletingAnXpAccount", check, "DELETE FROM xp_accounts WHERE id = 4"},
    wrong{"SpendingMoreThanThereIs", check, move("1", "2", "101", "'XP_TIP_SENT'")},
    wrong{"ATipFromAnUnknownSource", check,
          "INSERT INTO xp_movements (from_account, to_account, amount, kind, at, source_type)"
          " VALUES (1, 2, 1, 'XP_TIP_SENT', now(), 'wish')"},
    wrong{"AMessageOf501Characters", check,
          "INSERT INTO xp_movements (from_account, to_account, amount, kind, at, message)"
          " VALUES (1, 2, 1, 'XP_TIP_SENT', now(), repeat('é', 501))"},
    wrong{"SpendingWhatIsBurned", check, move("-1", "1", "1")}, wrong{"AMovementOfNothing", check, move("1", "2", "0")},
    wrong{"AMovementBackwards", check, move("1", "2", "-1")}, wrong{"AMovementToOneself", check, move("1", "1", "1")},
    wrong{"AMovementFromNowhere", foreign, move("99", "1", "1")},
    wrong{"AnUnknownKindOfMovement", check, move("1", "2", "1", "'GIFT'")},
    wrong{"ChangingAMovement", check, "UPDATE xp_movements SET amount = 1"},
    wrong{"DeletingAMovement", check, "DELETE FROM xp_movements"},
    wrong{"TruncatingMovements", check, "TRUNCATE xp_movements"}),
  name_of);

std::string key(const std::string& profile, const std::string& name, const std::string& lifetime) {
  return "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at) VALUES"
         " (gen_random_uuid(), "
         + profile + ", decode(repeat('02', 20), 'hex'), " + name + ", sha256('z'), now(), now() + interval " + lifetime
         + ")";
}

INSTANTIATE_TEST_SUITE_P(
  Identity, Schema,
  ::testing::Values(
    wrong{"A26thActiveKey", check, key("1", "'k'", "'1 day'")},
    wrong{"AKeyOfNobody", foreign, key("999", "'k'", "'1 day'")},
    wrong{"AKeyWithoutName", check, key("2", "''", "'1 day'")},
    wrong{"AKeyNamedIn101Characters", check, key("2", "repeat('é', 101)", "'1 day'")},
    wrong{"AKeyForMoreThanAYear", check, key("2", "'k'", "'366 days'")},
    wrong{"AKeyThatHasExpired", check, key("2", "'k'", "'-1 day'")},
    wrong{"TwoKeysWithOneToken", unique, key("2", "'k'", "'1 day'") + ";" + key("3", "'k'", "'1 day'")},
    wrong{"TakingARevocationBack", check, "UPDATE api_keys SET revoked_at = NULL WHERE revoked_at IS NOT NULL"},
    wrong{"DeletingAKey", check, "DELETE FROM api_keys"},
    wrong{"ANonceUsedTwice", unique,
          "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 2, now(), now())"},
    wrong{"ASessionOfNobody", foreign,
          "INSERT INTO sessions VALUES (gen_random_uuid(), 999, sha256('s'), NULL, now(), now(), now() + interval '1 "
          "day')"},
    wrong{"AnIdempotencyKeyUsedTwice", unique,
          "SELECT record_effects('{1}', ARRAY[sha256('a')], ARRAY[sha256('b')], ARRAY[now()], ARRAY['x'])"}),
  name_of);

INSTANTIATE_TEST_SUITE_P(
  Listings, Schema,
  ::testing::Values(
    wrong{"AnUnknownProjectStatus", check, project(", status", ", 'PENDING'")},
    wrong{"AnEmptyUserkey", check, "UPDATE projects SET userkey = '' WHERE id = 2"},
    wrong{"TwoProjectsOfOneUserkey", unique, "UPDATE projects SET userkey = 'service:x.com:1' WHERE id = 2"},
    wrong{"TwoProjectsOfOneUser", unique, "UPDATE projects SET user_id = 21 WHERE id = 2"},
    wrong{"AProjectOfNobody", foreign, "UPDATE projects SET user_id = 999 WHERE id = 2"},
    wrong{"AProjectUpdatedBeforeItWasMade", check,
          "UPDATE projects SET updated_at = created_at - interval '1 s' WHERE id = 2"},
    wrong{"NegativeComments", check, project(", comment_count", ", -1")},
    wrong{"DeletingAProject", check, "DELETE FROM projects WHERE id = 4"},
    wrong{"TruncatingProjects", check, "TRUNCATE projects CASCADE"},
    wrong{"RenumberingAProject", check, "UPDATE projects SET id = 901 WHERE id = 4"},
    wrong{"AnUnknownKindOfLink", check, "INSERT INTO project_links VALUES (1, 1, 'BLOG', 'https://x.example')"},
    wrong{"TwoLinksInOnePlace", unique, "INSERT INTO project_links VALUES (1, 0, 'DISCORD', 'https://x.example')"},
    wrong{"ALinkOfNoProject", foreign, "INSERT INTO project_links VALUES (99, 0, 'DISCORD', 'https://x.example')"},
    wrong{"ATeamOfStrangers", foreign, "INSERT INTO project_team VALUES (1, 999)"},
    wrong{"ATeamMemberTwice", unique, "INSERT INTO project_team VALUES (1, 1)"},
    wrong{"ASlugWithSpaces", check, "INSERT INTO categories VALUES (2, 'Real world', 'real world')"},
    wrong{"TwoCategoriesOfOneSlug", unique, "INSERT INTO categories VALUES (2, 'Defi', 'defi')"},
    wrong{"AnUnknownCategory", foreign, "INSERT INTO project_categories VALUES (1, 9)"},
    wrong{"TwoChainsOfOneName", unique, "INSERT INTO chains VALUES (2, 'Base')"},
    wrong{"AnUnknownChain", foreign, "INSERT INTO project_chains VALUES (1, 9)"},
    wrong{"ANegativeTally", check, "INSERT INTO project_tallies VALUES (1, 1, '2026-01-02', -1, 0)"},
    wrong{"ATallyOfNoPeriod", foreign, "INSERT INTO project_tallies VALUES (1, 9, '2026-01-02', 1, 0)"},
    wrong{"TwoTalliesOfADay", unique, "INSERT INTO project_tallies VALUES (1, 1, '2026-01-01', 1, 0)"},
    wrong{"ANegativeRollup", check, "UPDATE project_rollups SET through = -1"}),
  name_of);

INSTANTIATE_TEST_SUITE_P(
  Periods, Schema,
  ::testing::Values(
    wrong{"ASecondOpenPeriod", check, period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
    wrong{"AGapBetweenPeriods", check, close_first + period("3, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
    wrong{"OverlappingPeriods", check, close_first + period("2, 2026, 2, '2026-01-31', '2026-03-01', NULL, 20, 5, 9")},
    wrong{"TwoPeriodsOfOneName", check, close_first + period("2, 2026, 1, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
    wrong{"APeriodNamedBackwards", check,
          close_first + period("2, 2025, 9, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
    wrong{"APeriodThatEndsBeforeItStarts", check,
          close_first + period("2, 2026, 2, '2026-02-01', '2026-01-01', NULL, 20, 5, 9")},
    wrong{"APeriodClosedBeforeItStarts", check, "UPDATE voting_periods SET closed_at = '2025-12-31' WHERE id = 1"},
    wrong{"APeriodWithASequenceTaken", unique,
          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 1")},
    wrong{"ANegativeElectorate", check, close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, -1, 5, 9")},
    wrong{"ClosingWithoutOpening", check, close_first},
    wrong{"Reopening", check,
          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")
            + "; UPDATE voting_periods SET closed_at = NULL WHERE id = 1"},
    wrong{"MovingTheStartOfAPeriod", check, "UPDATE voting_periods SET starts_at = '2025-12-31'"},
    wrong{"RenumberingAPeriod", check, "UPDATE voting_periods SET id = 2"},
    wrong{"DeletingAPeriod", check, "DELETE FROM voting_periods"},
    wrong{"TruncatingPeriods", check, "TRUNCATE voting_periods CASCADE"}),
  name_of);

INSTANTIATE_TEST_SUITE_P(
  Votes, Schema,
  ::testing::Values(wrong{"ASecondVoteInTheSamePeriod", unique, vote("1", "1", "2")},
                    wrong{"AVoteNumberTaken", unique, vote("1", "2", "1")},
                    wrong{"AVoteNumberOfZero", check, vote("2", "2", "0")},
                    wrong{"AVoteWithoutPlaceInTheSequence", check, vote("2", "2", "1", "1", "NULL", "0")},
                    wrong{"AVoteOnNoProject", foreign, vote("99", "2", "1")},
                    wrong{"AVoteOnAnArchivedProject", foreign, vote("5", "2", "1")},
                    wrong{"AVoteByNobody", foreign, vote("2", "999", "1")},
                    wrong{"AVoteByAnArchivedProfile", foreign, vote("2", "20", "1")},
                    wrong{"AVoteInNoPeriod", check, vote("2", "2", "1", "2")},
                    wrong{"AVoteInAClosedPeriod", check,
                          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9") + ";"
                            + vote("2", "2", "1", "1", "NULL", "10")},
                    wrong{"AVoteInAClosedPeriodAmongGoodOnes", check,
                          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")
                            + "; INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                              " VALUES (10, now(), 2, 2, 1, 2, true), (11, now(), 2, 3, 2, 1, true)"},
                    wrong{"AVoteInALaterPeriodAmongGoodOnes", check,
                          "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                          " VALUES (9, now(), 2, 2, 1, 1, true), (10, now(), 2, 3, 2, 2, true)"},
                    wrong{"AnUnknownVoterAmongGoodOnes", foreign,
                          "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                          " VALUES (9, now(), 2, 2, 1, 1, true), (10, now(), 2, 999, 2, 1, true)"},
                    wrong{"AnEmptyReason", check, vote("2", "2", "1", "1", "''")},
                    wrong{"AReasonOf51Characters", check, vote("2", "2", "1", "1", "repeat('é', 51)")},
                    wrong{"ChangingAVote", check, "UPDATE votes SET bullish = false"},
                    wrong{"DeletingAVote", check, "DELETE FROM votes"},
                    wrong{"TruncatingVotes", check, "TRUNCATE votes"}),
  name_of);

const std::string an_id = "'00000000-0000-4000-8000-000000000009'";

INSTANTIATE_TEST_SUITE_P(
  Batches, Schema,
  ::testing::Values(
    wrong{"ABatchOfAnotherOwner", "CR001", fence("1, 'other', 1, 2, " + an_id + ", 2, 2")},
    wrong{"ABatchOfAnotherEpoch", "CR001", fence("1, 'credence', 2, 2, " + an_id + ", 2, 2")},
    wrong{"ABatchOfNoShard", "CR001", fence("2, 'credence', 1, 1, " + an_id + ", 1, 1")},
    wrong{"ABatchAfterATakeover", "CR001",
          "UPDATE shard_owners SET epoch = 2;" + fence("1, 'credence', 1, 2, " + an_id + ", 2, 2")},
    wrong{"AGapBetweenBatches", "CR002", fence("1, 'credence', 1, 3, " + an_id + ", 2, 2")},
    wrong{"ABatchTwice", "CR002", fence("1, 'credence', 1, 1, " + an_id + ", 2, 2")},
    wrong{"AGapInTheSequence", "CR002", fence("1, 'credence', 1, 2, " + an_id + ", 3, 3")},
    wrong{"AFirstBatchThatIsNotTheFirst", "CR002",
          "INSERT INTO shard_owners VALUES (2, 'credence', 1);" + fence("2, 'credence', 1, 2, " + an_id + ", 1, 1")},
    wrong{"ABatchThatEndsBeforeItStarts", "CR002", fence("1, 'credence', 1, 2, " + an_id + ", 2, 0")},
    wrong{"AnEpochThatFalls", check, "UPDATE shard_owners SET epoch = 5; UPDATE shard_owners SET epoch = 4"},
    wrong{"DeletingAnOwner", check, "DELETE FROM shard_owners"}),
  name_of);

class SchemaToo : public ::testing::TestWithParam<right> {};

TEST_P(SchemaToo, Takes) { EXPECT_EQ(refusal_of(GetParam().sql), "") << GetParam().sql; }

INSTANTIATE_TEST_SUITE_P(
  RightData, SchemaToo,
  ::testing::Values(
    right{"ANewUserWithAProfile", profile(", invited_by, api_access", ", 1, true")},
    right{"TheLargestHoldings", user(", holdings_wei", ", repeat('9', 78)::numeric")},
    right{"ANewProject", project("", "")},
    right{"AnotherLinkedAddress", "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'linked', now())"},
    right{"AnAccountThatSomebodyGaveUp",
          "UPDATE attestations SET archived = true; " + attestation("32", "2, 2, 'x.com', '100', false")},
    right{"AnAttestationWithoutProfile", attestation("32", "22, NULL, 'github', '200', false")},
    right{"ATipOfEverything", move("1", "2", "100", "'XP_TIP_SENT'")},
    right{"ArchivingAndUpdatingAProfile", "UPDATE profiles SET archived = true, updated_at = now() WHERE id = 3"},
    right{"AVoteWithAReasonOf50Characters", vote("2", "2", "1", "1", "repeat('é', 50)")},
    right{"TheNextPeriod", close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9") + ";"
                             + vote("1", "1", "2", "2", "NULL", "10")},
    right{"TheFirstPeriodOfANewYear", close_first + period("2, 2027, 1, '2027-01-01', '2027-02-01', NULL, 20, 5, 9")},
    right{"TheNextBatch", fence("1, 'credence', 1, 2, " + an_id + ", 2, 7")},
    right{"ABatchThatTakesNoNumbers", fence("1, 'credence', 1, 2, " + an_id + ", 2, 1")},
    right{"ATakeover", "UPDATE shard_owners SET epoch = 2;" + fence("1, 'credence', 2, 2, " + an_id + ", 2, 2")},
    right{"AKeyAfterAnotherHasBeenRevoked", "UPDATE api_keys SET revoked_at = now() WHERE id = (SELECT id FROM api_keys"
                                            " WHERE revoked_at IS NULL LIMIT 1);"
                                              + key("1", "'k'", "'365 days'")},
    right{"AnIdempotencyKeyAgainAfterADay",
          "SELECT record_effects('{1}', ARRAY[sha256('old')], ARRAY[sha256('c')], ARRAY[now()], ARRAY['x'])"}),
  name_of_right);

TEST(XpLedger, MovesBothBalancesTogether) {
  const auto url = test::fresh_database(3, 1);
  test::run_sql(url, move("0", "1", "500"));
  test::run_sql(
    url, "INSERT INTO xp_movements (from_account, to_account, amount, kind, at)"
         " VALUES (1, 2, 120, 'XP_TIP_SENT', now()), (1, -1, 5, 'VOTE_COST', now()), (2, 1, 20, 'XP_TIP_SENT', now())");
  EXPECT_EQ(test::number_from(url, "SELECT sum(balance) FROM xp_accounts"), 0);
  EXPECT_EQ(test::number_from(url, "SELECT balance FROM xp_accounts WHERE id = 0"), -500);
  EXPECT_EQ(test::number_from(url, "SELECT balance FROM xp_accounts WHERE id = 1"), 395);
  EXPECT_EQ(test::number_from(url, "SELECT balance FROM xp_accounts WHERE profile_id = 2"), 100);
  EXPECT_EQ(test::number_from(url, "SELECT balance FROM xp_accounts WHERE id = -1"), 5);
  EXPECT_EQ(test::number_from(url, "SELECT balance FROM xp_accounts WHERE id = 3"), 0);
}

TEST(VotesSchema, APeriodIsNotClosedUnderAVoteThatIsBeingWritten) {
  const auto url = test::fresh_database(3, 1);
  auto voter = test::look_into(url);
  auto closer = test::look_into(url);
  const auto until = deadline_in(in_time);
  transaction voting{voter, until};
  voter.exec(vote("1", "1", "1"), until);
  transaction closing{closer, until};
  closer.exec("SET LOCAL lock_timeout = '50ms'", until);
  try {
    closer.exec(close_first, until);
    ADD_FAILURE() << "the period was closed";
  } catch (const database_error& why) {
    EXPECT_EQ(why.sqlstate(), "55P03");
  }
}

} // namespace
} // namespace credence::persistence
