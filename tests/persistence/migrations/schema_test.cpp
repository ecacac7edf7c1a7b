#include "tests/build_paths.hpp"
#include "tests/persistence/database.hpp"
#include "tests/text_of_file.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

/// What the database itself refuses, whoever writes: one wrong row each.
namespace credence::persistence {

/// SQL that the database must refuse, and the SQLSTATE with which it does.
struct wrong {
  const char* name;
  std::string sqlstate;
  std::string sql;
};
inline void PrintTo(const wrong& which, std::ostream* out) { *out << which.sql; }

/// SQL that it must take.
struct right {
  const char* name;
  std::string sql;
};
inline void PrintTo(const right& which, std::ostream* out) { *out << which.sql; }

/// SQLSTATE of a constraint: a rule of one row or a trigger; a row that another names; one of its kind; a value that
/// must be there.
inline constexpr const char* check = "23514";
inline constexpr const char* foreign = "23503";
inline constexpr const char* unique = "23505";
inline constexpr const char* excluded = "23P01"; // by an exclusion constraint
inline constexpr const char* missing = "23502";

inline std::string name_of(const ::testing::TestParamInfo<wrong>& info) { return info.param.name; }
inline std::string name_of_right(const ::testing::TestParamInfo<right>& info) { return info.param.name; }

namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;

/// Twenty profiles, five projects, period 1 open, and one row where the cases need it.
const std::string& some_database() {
  static const auto url = test::filled_database(
    20, 5,
    "INSERT INTO user_vouches (user_id, token) VALUES (1, 'eth');"
    "INSERT INTO addresses VALUES (decode(repeat('01', 20), 'hex'), 1, 'primary', now());"
    "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, created_at)"
    " VALUES (1, decode(repeat('01', 32), 'hex'), 1, 1, 'x.com', '100', now());"
    "INSERT INTO xp_movements (from_account, to_account, amount, kind, at) VALUES (0, 1, 100, 'CLAIM', now());"
    "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, revoked_at)"
    " SELECT gen_random_uuid(), 1, decode(repeat('01', 20), 'hex'), 'a key', sha256(i::text::bytea), now(),"
    "  now() + interval '90 days', CASE WHEN i > 25 THEN now() END FROM generate_series(1, 26) i;"
    "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 1, now(), now());"
    "INSERT INTO idempotency_records (slot, answered, id, fingerprint, at, effect) VALUES (1, false, sha256('a'), "
    "sha256('b'), now(), ''), (1, false, sha256('old'), sha256('b'), now() - interval '25 hours', '');"
    "INSERT INTO project_links VALUES (1, 0, 'WEBSITE', 'https://one.example');"
    "INSERT INTO project_team VALUES (1, 1);"
    "INSERT INTO categories VALUES (1, 'DeFi', 'defi'); INSERT INTO project_categories VALUES (1, 1);"
    "INSERT INTO chains VALUES (1, 'Base'); INSERT INTO project_chains VALUES (1, 1);"
    "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
    " VALUES (2, now(), 1, 1, 1, 1, true);"
    "INSERT INTO project_tallies VALUES (1, 1, '2026-01-01', 1, 0); INSERT INTO project_rollups VALUES (1, 1);"
    "INSERT INTO project_period_tallies VALUES (1, 1, 1, 0);"
    "UPDATE profiles SET archived = true WHERE id = 20; UPDATE projects SET status = 'ARCHIVED' WHERE id = 5");
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

const wrong people_rows[]{
  {"AScoreAbove2800", check, user(", score", ", 2801")},
  {"ANegativeScore", check, user(", score", ", -1")},
  {"AUserIdOfZero", check, "INSERT INTO users (id, display_name, avatar_url, status) VALUES (0, 'A', 'a', 'ACTIVE')"},
  {"AnEmptyDisplayName", check, "UPDATE users SET display_name = '' WHERE id = 2"},
  {"AUserWithoutName", missing, "UPDATE users SET display_name = NULL WHERE id = 2"},
  {"AnUnknownUserStatus", check, "UPDATE users SET status = 'active' WHERE id = 2"},
  {"AUsernameThatDiffersInCaseOnly", unique, user(", username", ", 'USER7'")},
  {"ANegativeStreak", check, user(", xp_streak_days", ", -1")},
  {"ANegativeInfluence", check, user(", influence_factor", ", -0.5")},
  {"APercentileAbove100", check, user(", influence_percentile", ", 100.1")},
  {"AnUnknownVerification", check, user(", human_verification", ", 'MAYBE'")},
  {"NegativeNfts", check, user(", validator_nft_count", ", -1")},
  {"NegativeHoldings", check, user(", holdings_wei", ", -1")},
  {"HoldingsBeyond78Digits", "22003", user(", holdings_wei", ", 1e78")},
  {"NegativeReviews", check, user(", reviews_positive", ", -1")},
  {"AUserThatIsThere", unique,
   "INSERT INTO users (id, display_name, avatar_url, status) VALUES (1, 'A', 'a', 'ACTIVE')"},
  {"DeletingAUserWithAProfile", foreign, "DELETE FROM users WHERE id = 3"},
  {"VouchesInAnUnknownToken", check, "INSERT INTO user_vouches (user_id, token) VALUES (1, 'btc')"},
  {"VouchesOfNobody", foreign, "INSERT INTO user_vouches (user_id, token) VALUES (999, 'eth')"},
  {"VouchesTwicePerToken", unique, "INSERT INTO user_vouches (user_id, token) VALUES (1, 'eth')"},
  {"NegativeVouches", check, "INSERT INTO user_vouches (user_id, token, given_wei) VALUES (2, 'eth', -1)"},
  {"ALifetimeBelowThePresent", check, "INSERT INTO user_vouches (user_id, token, given_wei) VALUES (2, 'eth', 1)"},
  {"AProfileOfNobody", foreign,
   "INSERT INTO profiles (id, user_id, created_at, updated_at) VALUES (900, 999, now(), now())"},
  {"TwoProfilesOfOneUser", unique,
   "INSERT INTO profiles (id, user_id, created_at, updated_at) VALUES (900, 1, now(), now())"},
  {"AProfileUpdatedBeforeItWasMade", check,
   "UPDATE profiles SET updated_at = created_at - interval '1 s' WHERE id = 2"},
  {"NegativeInvites", check, profile(", invites_available", ", -1")},
  {"AnInvitationByNobody", foreign, profile(", invited_by", ", 999")},
  {"AnInvitationByOneself", check, profile(", invited_by", ", 900")},
  {"DeletingAProfile", check, "DELETE FROM profiles WHERE id = 19"},
  {"TruncatingProfiles", check, "TRUNCATE profiles CASCADE"},
  {"RenumberingAProfile", check, "UPDATE profiles SET id = 901 WHERE id = 19"},
  {"HandingAProfileToAnotherUser", check, user("", "") + "; UPDATE profiles SET user_id = 900 WHERE id = 19"},
  {"AnAddressOf19Bytes", check, "INSERT INTO addresses VALUES (decode(repeat('02', 19), 'hex'), 2, 'linked', now())"},
  {"AnAddressOfTwoUsers", unique, "INSERT INTO addresses VALUES (decode(repeat('01', 20), 'hex'), 2, 'linked', now())"},
  {"TwoPrimaryAddresses", unique,
   "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'primary', now())"},
  {"AnUnknownKindOfAddress", check, "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'cold', now())"},
  {"AnAddressOfNobody", foreign,
   "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 999, 'linked', now())"}};
INSTANTIATE_TEST_SUITE_P(People, Schema, testing::ValuesIn(people_rows), name_of);

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

const wrong accounts_and_xp_rows[]{
  {"AHashOf31Bytes", check, attestation("31", "2, 2, 'x.com', '200', false")},
  {"AnUnknownService", check, attestation("32", "2, 2, 'twitter', '200', false")},
  {"AnEmptyAccount", check, attestation("32", "2, 2, 'x.com', '', false")},
  {"ALiveAccountOfTwoUsers", excluded, attestation("32", "2, 2, 'x.com', '100', false")},
  {"AnAttestationOfNobody", foreign, attestation("32", "999, NULL, 'x.com', '200', false")},
  {"AnAttestationOfAnotherUsersProfile", foreign, attestation("32", "2, 3, 'x.com', '200', false")},
  {"AnXpAccountOfNobody", foreign, "INSERT INTO xp_accounts (id) VALUES (999)"},
  {"AnXpAccountBelowTheLast", check, "INSERT INTO xp_accounts (id) VALUES (-3)"},
  {"XpFromNowhere", check,
   profile("", "") + "; DELETE FROM xp_accounts WHERE id = 900; INSERT INTO xp_accounts (id, balance) VALUES (900, 5)"},
  {"ABalanceWithoutAMovement", check, "UPDATE xp_accounts SET balance = balance + 1 WHERE id = 3"},
  {"DeletingAnXpAccount", check, "DELETE FROM xp_accounts WHERE id = 4"},
  {"SpendingMoreThanThereIs", check, move("1", "2", "101", "'XP_TIP_SENT'")},
  {"ATipFromAnUnknownSource", check,
   "INSERT INTO xp_movements (from_account, to_account, amount, kind, at, source_type)"
   " VALUES (1, 2, 1, 'XP_TIP_SENT', now(), 'wish')"},
  {"AMessageOf501Characters", check,
   "INSERT INTO xp_movements (from_account, to_account, amount, kind, at, message)"
   " VALUES (1, 2, 1, 'XP_TIP_SENT', now(), repeat('é', 501))"},
  {"SpendingWhatIsBurned", check, move("-1", "1", "1")},
  {"AMovementOfNothing", check, move("1", "2", "0")},
  {"AMovementBackwards", check, move("1", "2", "-1")},
  {"AMovementToOneself", check, move("1", "1", "1")},
  {"AMovementFromNowhere", foreign, move("99", "1", "1")},
  {"AnUnknownKindOfMovement", check, move("1", "2", "1", "'GIFT'")},
  {"ChangingAMovement", check, "UPDATE xp_movements SET amount = 1"},
  {"DeletingAMovement", check, "DELETE FROM xp_movements"},
  {"TruncatingMovements", check, "TRUNCATE xp_movements"}};
INSTANTIATE_TEST_SUITE_P(AccountsAndXp, Schema, testing::ValuesIn(accounts_and_xp_rows), name_of);

std::string key(const std::string& profile, const std::string& name, const std::string& lifetime) {
  return "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at) VALUES"
         " (gen_random_uuid(), "
         + profile + ", decode(repeat('02', 20), 'hex'), " + name + ", sha256('z'), now(), now() + interval " + lifetime
         + ")";
}

const wrong identity_rows[]{
  {"A26thActiveKey", check, key("1", "'k'", "'1 day'")},
  {"AKeyOfNobody", foreign, key("999", "'k'", "'1 day'")},
  {"AKeyWithoutName", check, key("2", "''", "'1 day'")},
  {"AKeyNamedIn101Characters", check, key("2", "repeat('é', 101)", "'1 day'")},
  {"AKeyForMoreThanAYear", check, key("2", "'k'", "'366 days'")},
  {"AKeyThatHasExpired", check, key("2", "'k'", "'-1 day'")},
  {"TwoKeysWithOneToken", unique, key("2", "'k'", "'1 day'") + ";" + key("3", "'k'", "'1 day'")},
  {"TakingARevocationBack", check, "UPDATE api_keys SET revoked_at = NULL WHERE revoked_at IS NOT NULL"},
  {"DeletingAKey", check, "DELETE FROM api_keys"},
  {"ANonceUsedTwice", unique,
   "INSERT INTO used_nonces VALUES (decode(repeat('01', 20), 'hex'), 'abcdefgh', 2, now(), now())"},
  {"ASessionOfNobody", foreign,
   "INSERT INTO sessions VALUES (gen_random_uuid(), 999, sha256('s'), NULL, now(), now(), now() + interval '1 day')"},
  {"AnIdempotencyKeyUsedTwice", unique,
   "SELECT record_effects('{1}', ARRAY[sha256('a')], ARRAY[sha256('b')], ARRAY[now()], ARRAY['x'])"}};
INSTANTIATE_TEST_SUITE_P(Identity, Schema, testing::ValuesIn(identity_rows), name_of);

const wrong listings_rows[]{
  {"AnUnknownProjectStatus", check, project(", status", ", 'PENDING'")},
  {"AnEmptyUserkey", check, "UPDATE projects SET userkey = '' WHERE id = 2"},
  {"TwoProjectsOfOneUserkey", unique, "UPDATE projects SET userkey = 'service:x.com:1' WHERE id = 2"},
  {"TwoProjectsOfOneUser", unique, "UPDATE projects SET user_id = 21 WHERE id = 2"},
  {"AProjectOfNobody", foreign, "UPDATE projects SET user_id = 999 WHERE id = 2"},
  {"AProjectUpdatedBeforeItWasMade", check,
   "UPDATE projects SET updated_at = created_at - interval '1 s' WHERE id = 2"},
  {"NegativeComments", check, project(", comment_count", ", -1")},
  {"DeletingAProject", check, "DELETE FROM projects WHERE id = 4"},
  {"TruncatingProjects", check, "TRUNCATE projects CASCADE"},
  {"RenumberingAProject", check, "UPDATE projects SET id = 901 WHERE id = 4"},
  {"AnUnknownKindOfLink", check, "INSERT INTO project_links VALUES (1, 1, 'BLOG', 'https://x.example')"},
  {"TwoLinksInOnePlace", unique, "INSERT INTO project_links VALUES (1, 0, 'DISCORD', 'https://x.example')"},
  {"ALinkOfNoProject", foreign, "INSERT INTO project_links VALUES (99, 0, 'DISCORD', 'https://x.example')"},
  {"ATeamOfStrangers", foreign, "INSERT INTO project_team VALUES (1, 999)"},
  {"ATeamMemberTwice", unique, "INSERT INTO project_team VALUES (1, 1)"},
  {"ASlugWithSpaces", check, "INSERT INTO categories VALUES (2, 'Real world', 'real world')"},
  {"TwoCategoriesOfOneSlug", unique, "INSERT INTO categories VALUES (2, 'Defi', 'defi')"},
  {"AnUnknownCategory", foreign, "INSERT INTO project_categories VALUES (1, 9)"},
  {"TwoChainsOfOneName", unique, "INSERT INTO chains VALUES (2, 'Base')"},
  {"AnUnknownChain", foreign, "INSERT INTO project_chains VALUES (1, 9)"},
  {"ANegativeTally", check, "INSERT INTO project_tallies VALUES (1, 1, '2026-01-02', -1, 0)"},
  {"ATallyOfNoPeriod", foreign, "INSERT INTO project_tallies VALUES (1, 9, '2026-01-02', 1, 0)"},
  {"TwoTalliesOfADay", unique, "INSERT INTO project_tallies VALUES (1, 1, '2026-01-01', 1, 0)"},
  {"ANegativeRollup", check, "UPDATE project_rollups SET through = -1"}};
INSTANTIATE_TEST_SUITE_P(Listings, Schema, testing::ValuesIn(listings_rows), name_of);

const wrong periods_rows[]{
  {"ASecondOpenPeriod", check, period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
  {"AGapBetweenPeriods", check, close_first + period("3, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
  {"OverlappingPeriods", check, close_first + period("2, 2026, 2, '2026-01-31', '2026-03-01', NULL, 20, 5, 9")},
  {"TwoPeriodsOfOneName", check, close_first + period("2, 2026, 1, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
  {"APeriodNamedBackwards", check, close_first + period("2, 2025, 9, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")},
  {"APeriodThatEndsBeforeItStarts", check,
   close_first + period("2, 2026, 2, '2026-02-01', '2026-01-01', NULL, 20, 5, 9")},
  {"APeriodClosedBeforeItStarts", check, "UPDATE voting_periods SET closed_at = '2025-12-31' WHERE id = 1"},
  {"APeriodWithASequenceTaken", unique, close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 1")},
  {"ANegativeElectorate", check, close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, -1, 5, 9")},
  {"ClosingWithoutOpening", check, close_first},
  {"Reopening", check,
   close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")
     + "; UPDATE voting_periods SET closed_at = NULL WHERE id = 1"},
  {"MovingTheStartOfAPeriod", check, "UPDATE voting_periods SET starts_at = '2025-12-31'"},
  {"RenumberingAPeriod", check, "UPDATE voting_periods SET id = 2"},
  {"DeletingAPeriod", check, "DELETE FROM voting_periods"},
  {"TruncatingPeriods", check, "TRUNCATE voting_periods CASCADE"}};
INSTANTIATE_TEST_SUITE_P(Periods, Schema, testing::ValuesIn(periods_rows), name_of);

const wrong votes_rows[]{{"ASecondVoteInTheSamePeriod", unique, vote("1", "1", "2")},
                         {"AVoteNumberTaken", unique, vote("1", "2", "1")},
                         {"AVoteNumberOfZero", check, vote("2", "2", "0")},
                         {"AVoteWithoutPlaceInTheSequence", check, vote("2", "2", "1", "1", "NULL", "0")},
                         {"AVoteOnNoProject", foreign, vote("99", "2", "1")},
                         {"AVoteOnAnArchivedProject", foreign, vote("5", "2", "1")},
                         {"AVoteByNobody", foreign, vote("2", "999", "1")},
                         {"AVoteByAnArchivedProfile", foreign, vote("2", "20", "1")},
                         {"AVoteInNoPeriod", check, vote("2", "2", "1", "2")},
                         {"AVoteInAClosedPeriod", check,
                          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9") + ";"
                            + vote("2", "2", "1", "1", "NULL", "10")},
                         {"AVoteInAClosedPeriodAmongGoodOnes", check,
                          close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9")
                            + "; INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                              " VALUES (10, now(), 2, 2, 1, 2, true), (11, now(), 2, 3, 2, 1, true)"},
                         {"AVoteInALaterPeriodAmongGoodOnes", check,
                          "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                          " VALUES (9, now(), 2, 2, 1, 1, true), (10, now(), 2, 3, 2, 2, true)"},
                         {"AnUnknownVoterAmongGoodOnes", foreign,
                          "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                          " VALUES (9, now(), 2, 2, 1, 1, true), (10, now(), 2, 999, 2, 1, true)"},
                         {"AnEmptyReason", check, vote("2", "2", "1", "1", "''")},
                         {"AReasonOf51Characters", check, vote("2", "2", "1", "1", "repeat('é', 51)")},
                         {"ChangingAVote", check, "UPDATE votes SET bullish = false"},
                         {"DeletingAVote", check, "DELETE FROM votes"},
                         {"TruncatingVotes", check, "TRUNCATE votes"}};
INSTANTIATE_TEST_SUITE_P(Votes, Schema, testing::ValuesIn(votes_rows), name_of);

const std::string an_id = "'00000000-0000-4000-8000-000000000009'";

const wrong batches_rows[]{
  {"ABatchOfAnotherOwner", "CR001", fence("1, 'other', 1, 2, " + an_id + ", 2, 2")},
  {"ABatchOfAnotherEpoch", "CR001", fence("1, 'credence', 2, 2, " + an_id + ", 2, 2")},
  {"ABatchOfNoShard", "CR001", fence("2, 'credence', 1, 1, " + an_id + ", 1, 1")},
  {"ABatchAfterATakeover", "CR001",
   "UPDATE shard_owners SET epoch = 2;" + fence("1, 'credence', 1, 2, " + an_id + ", 2, 2")},
  {"AGapBetweenBatches", "CR002", fence("1, 'credence', 1, 3, " + an_id + ", 2, 2")},
  {"ABatchTwice", "CR002", fence("1, 'credence', 1, 1, " + an_id + ", 2, 2")},
  {"AGapInTheSequence", "CR002", fence("1, 'credence', 1, 2, " + an_id + ", 3, 3")},
  {"AFirstBatchThatIsNotTheFirst", "CR002",
   "INSERT INTO shard_owners VALUES (2, 'credence', 1);" + fence("2, 'credence', 1, 2, " + an_id + ", 1, 1")},
  {"ABatchThatEndsBeforeItStarts", "CR002", fence("1, 'credence', 1, 2, " + an_id + ", 2, 0")},
  {"AnEpochThatFalls", check, "UPDATE shard_owners SET epoch = 5; UPDATE shard_owners SET epoch = 4"},
  {"DeletingAnOwner", check, "DELETE FROM shard_owners"}};
INSTANTIATE_TEST_SUITE_P(Batches, Schema, testing::ValuesIn(batches_rows), name_of);

class SchemaToo : public ::testing::TestWithParam<right> {};

TEST_P(SchemaToo, Takes) { EXPECT_EQ(refusal_of(GetParam().sql), "") << GetParam().sql; }

const right right_data_rows[]{
  {"ANewUserWithAProfile", profile(", invited_by, api_access", ", 1, true")},
  {"TheLargestHoldings", user(", holdings_wei", ", repeat('9', 78)::numeric")},
  {"ANewProject", project("", "")},
  {"AnotherLinkedAddress", "INSERT INTO addresses VALUES (decode(repeat('02', 20), 'hex'), 1, 'linked', now())"},
  {"AnAccountThatSomebodyGaveUp",
   "UPDATE attestations SET archived = true; " + attestation("32", "2, 2, 'x.com', '100', false")},
  {"AnAttestationWithoutProfile", attestation("32", "22, NULL, 'github', '200', false")},
  {"ATipOfEverything", move("1", "2", "100", "'XP_TIP_SENT'")},
  {"ArchivingAndUpdatingAProfile", "UPDATE profiles SET archived = true, updated_at = now() WHERE id = 3"},
  {"AVoteWithAReasonOf50Characters", vote("2", "2", "1", "1", "repeat('é', 50)")},
  {"TheNextPeriod", close_first + period("2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 9") + ";"
                      + vote("1", "1", "2", "2", "NULL", "10")},
  {"TheFirstPeriodOfANewYear", close_first + period("2, 2027, 1, '2027-01-01', '2027-02-01', NULL, 20, 5, 9")},
  {"TheNextBatch", fence("1, 'credence', 1, 2, " + an_id + ", 2, 7")},
  {"ABatchThatTakesNoNumbers", fence("1, 'credence', 1, 2, " + an_id + ", 2, 1")},
  {"ATakeover", "UPDATE shard_owners SET epoch = 2;" + fence("1, 'credence', 2, 2, " + an_id + ", 2, 2")},
  {"AKeyAfterAnotherHasBeenRevoked", "UPDATE api_keys SET revoked_at = now() WHERE id = (SELECT id FROM api_keys"
                                     " WHERE revoked_at IS NULL LIMIT 1);"
                                       + key("1", "'k'", "'365 days'")},
  {"AnIdempotencyKeyAgainAfterADay",
   "SELECT record_effects('{1}', ARRAY[sha256('old')], ARRAY[sha256('c')], ARRAY[now()], ARRAY['x'])"}};
INSTANTIATE_TEST_SUITE_P(RightData, SchemaToo, testing::ValuesIn(right_data_rows), name_of_right);

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

/// What the database itself refuses of slashes and the votes on them, whoever writes: one wrong row each.

/// Twenty profiles, the last one archived; slash 1 is open with one vote, slash 2 is closed.
const std::string& slash_database() {
  static const auto url = test::filled_database(
    20, 1,
    "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, subject_profile_id, type, amount, "
    "duration_s, comment, metadata, created_at, seq) VALUES"
    " (1, 1, decode(repeat('01', 20), 'hex'), 2, 2, 'SCORE', 100, 3600, 'c', '', '2026-01-01', 3),"
    " (2, 3, decode(repeat('02', 20), 'hex'), NULL, NULL, 'SCORE', 100, 3600, 'c', '', '2026-01-01', 4);"
    "INSERT INTO slash_votes (seq, cast_at, slash_id, number, voter_id, weight, for_slash)"
    " VALUES (5, '2026-01-01 00:30', 1, 1, 4, 3, true), (6, '2026-01-01 00:31', 2, 1, 4, 3, true);"
    "UPDATE slashes SET closed_at = '2026-01-01 01:00', outcome = 'SLASHED', slash_weight = 3, defend_weight = 0,"
    "  closed_seq = 7 WHERE id = 2;"
    "UPDATE profiles SET archived = true WHERE id = 20");
  return url;
}

std::string refusal_of_slashes(const std::string& sql) { return test::refusal_of(slash_database(), sql); }

/// A third slash: by an author, against a wallet of so many times this byte, and what differs.
std::string slash(const std::string& author, const std::string& byte,
                  const std::string& values = "'SCORE', 100, 3600, 'c', ''", const std::string& id = "3",
                  const std::string& created = "'2026-01-02'") {
  return "INSERT INTO slashes (id, author_id, subject_address, type, amount, duration_s, comment, metadata, "
         "created_at, seq) VALUES ("
         + id + ", " + author + ", decode(repeat('" + byte + "', 20), 'hex'), " + values + ", " + created + ", 8)";
}
std::string slash_of(const std::string& columns, const std::string& values) {
  return "INSERT INTO slashes (id, author_id, type, amount, duration_s, comment, metadata, created_at, seq, " + columns
         + ") VALUES (3, 5, 'SCORE', 100, 3600, 'c', '', '2026-01-02', 8, " + values + ")";
}
std::string slash_vote(const std::string& slash, const std::string& number, const std::string& voter,
                       const std::string& at = "'2026-01-01 00:40'", const std::string& weight = "1") {
  return "INSERT INTO slash_votes (seq, cast_at, slash_id, number, voter_id, weight, for_slash) VALUES (8, " + at + ", "
         + slash + ", " + number + ", " + voter + ", " + weight + ", true)";
}
std::string closing(const std::string& at, const std::string& cancelled, const std::string& outcome,
                    const std::string& weights = "3, 0", const std::string& seq = "9", const std::string& which = "1") {
  return "UPDATE slashes SET (closed_at, cancelled_at, outcome, slash_weight, defend_weight, closed_seq) = (" + at
         + ", " + cancelled + ", " + outcome + ", " + weights + ", " + seq + ") WHERE id = " + which;
}
const std::string its_end = "'2026-01-01 01:00'::timestamptz";

class SlashSchema : public ::testing::TestWithParam<wrong> {};

TEST_P(SlashSchema, Refuses) { EXPECT_EQ(refusal_of_slashes(GetParam().sql), GetParam().sqlstate) << GetParam().sql; }

const wrong wrong_rows[]{
  {"ASlashByNobody", foreign, slash("999", "03")},
  {"ASlashByAnArchivedProfile", foreign, slash("20", "03")},
  {"ASecondOpenSlashOfAnAuthor", unique, slash("1", "03")},
  {"ASecondOpenSlashAgainstAWallet", unique, slash("5", "01")},
  {"ASecondOpenSlashAgainstAUser", unique,
   slash_of("subject_service, subject_account, subject_user_id", "'x.com', '1', 2")},
  {"ASlashOfSomebodySlashedLately", check, slash("5", "02")},
  {"ASlashThatLeavesANumberOut", check, slash("5", "03", "'SCORE', 100, 3600, 'c', ''", "4")},
  {"ASlashOfAnUnknownType", check, slash("5", "03", "'XP', 100, 3600, 'c', ''")},
  {"ASlashOfNothing", check, slash("5", "03", "'SCORE', 0, 3600, 'c', ''")},
  {"ASlashOfMoreThan1000", check, slash("5", "03", "'SCORE', 1001, 3600, 'c', ''")},
  {"ASlashOfNoTime", check, slash("5", "03", "'SCORE', 100, 0, 'c', ''")},
  {"ASlashOfMoreThanAWeek", check, slash("5", "03", "'SCORE', 100, 604801, 'c', ''")},
  {"ASlashWithoutAReason", check, slash("5", "03", "'SCORE', 100, 3600, '', ''")},
  {"ASlashOfNobody", check, slash_of("subject_user_id", "4")},
  {"ASlashOfAWalletAndAnAccount", check,
   slash_of("subject_address, subject_service, subject_account", "decode(repeat('03', 20), 'hex'), 'x.com', '1'")},
  {"ASlashOfAnAccountNowhere", check, slash_of("subject_account", "'1'")},
  {"ASlashOfAnUnknownService", check, slash_of("subject_service, subject_account", "'twitter', '1'")},
  {"ASlashOfAnotherUsersProfile", foreign,
   slash_of("subject_address, subject_user_id, subject_profile_id", "decode(repeat('03', 20), 'hex'), 4, 6")},
  {"ASlashOfItsAuthor", check,
   slash_of("subject_address, subject_user_id, subject_profile_id", "decode(repeat('03', 20), 'hex'), 5, 5")},
  {"ASlashThatBeginsClosed", check,
   slash_of("subject_address, closed_at, outcome, slash_weight, defend_weight, closed_seq",
            "decode(repeat('03', 20), 'hex'), '2026-01-02 01:00', 'INCONCLUSIVE', 0, 0, 9")},
  {"ClosingBeforeTheEnd", check, closing("'2026-01-01 00:50'", "NULL", "'SLASHED'")},
  {"ClosingAsItWasNotVoted", check, closing(its_end, "NULL", "'DEFENDED'")},
  {"ClosingWithOtherVotes", check, closing(its_end, "NULL", "'SLASHED'", "4, 0")},
  {"ClosingWithoutAnOutcome", check, closing(its_end, "NULL", "NULL")},
  {"CancellingAtTheEnd", check, closing(its_end, its_end, "'CANCELLED'")},
  {"CancellingBeforeTheBeginning", check, closing("'2025-12-31'", "'2025-12-31'", "'CANCELLED'")},
  {"CancellingWithoutClosing", check, "UPDATE slashes SET cancelled_at = '2026-01-01 00:50' WHERE id = 1"},
  {"AnotherEndThanTheCancellation", check, closing(its_end, "'2026-01-01 00:50'", "'CANCELLED'")},
  {"ClosingBeforeOpening", check, closing(its_end, "NULL", "'SLASHED'", "3, 0", "2")},
  {"ClosingTwice", check, closing(its_end, "NULL", "'SLASHED'", "3, 0", "9", "2")},
  {"OpeningAgain", check, closing("NULL", "NULL", "NULL", "NULL, NULL", "NULL", "2")},
  {"ChangingASlash", check, "UPDATE slashes SET amount = 50 WHERE id = 1"},
  {"DeletingASlash", check, "DELETE FROM slashes"},
  {"TruncatingSlashes", check, "TRUNCATE slashes CASCADE"},
  {"AVoteOnNoSlash", foreign, slash_vote("9", "1", "5")},
  {"AVoteOnAClosedSlash", check, slash_vote("2", "2", "5")},
  {"ASlashVoteByTheAuthor", check, slash_vote("1", "2", "1")},
  {"ASlashVoteByTheSubject", check, slash_vote("1", "2", "2")},
  {"ASlashVoteByNobody", foreign, slash_vote("1", "2", "999")},
  {"ASlashVoteByAnArchivedProfile", foreign, slash_vote("1", "2", "20")},
  {"AVoteAtTheEndOfASlash", check, slash_vote("1", "2", "5", its_end)},
  {"AVoteBeforeItsSlash", check, slash_vote("1", "2", "5", "'2025-12-31'")},
  {"ASlashVoteThatLeavesANumberOut", check, slash_vote("1", "3", "5")},
  {"ASlashVoteOfANumberThatIsThere", unique, slash_vote("1", "1", "5")},
  {"AWeightAbove7", check, slash_vote("1", "2", "5", "'2026-01-01 00:40'", "8")},
  {"ANegativeWeight", check, slash_vote("1", "2", "5", "'2026-01-01 00:40'", "-1")},
  {"ChangingASlashVote", check, "UPDATE slash_votes SET weight = 0"},
  {"DeletingASlashVote", check, "DELETE FROM slash_votes"},
  {"TruncatingSlashVotes", check, "TRUNCATE slash_votes"}};
INSTANTIATE_TEST_SUITE_P(WrongRows, SlashSchema, testing::ValuesIn(wrong_rows), name_of);

class SlashSchemaToo : public ::testing::TestWithParam<right> {};

TEST_P(SlashSchemaToo, Takes) { EXPECT_EQ(refusal_of_slashes(GetParam().sql), "") << GetParam().sql; }

const right right_rows[]{
  {"ASlashOfAnAccount", slash_of("subject_service, subject_account, subject_user_id", "'x.com', '1', 4")},
  {"ASlashOfSomebodySlashedAWeekAgo", slash("5", "02", "'SCORE', 100, 3600, 'c', ''", "3", "'2026-01-08 01:00'")},
  {"AnotherVoteOfTheSameProfile", slash_vote("1", "2", "4")},
  {"ClosingASlashAtItsEnd", closing(its_end, "NULL", "'SLASHED'")},
  {"CancellingASlash", closing("'2026-01-01 00:50'", "'2026-01-01 00:50'", "'CANCELLED'") + ";" + slash("1", "01")}};
INSTANTIATE_TEST_SUITE_P(RightRows, SlashSchemaToo, testing::ValuesIn(right_rows), name_of_right);

/// Money and markets as the database itself guards them, whoever writes.

/// Profile 1 has a market, 2 has 1,000 wei and bought votes for 12 of them; 3 has nothing.
const std::string& money_database() {
  static const auto url = test::filled_database(
    5, 1,
    "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (2, '2026-01-01', 1, 'DEPOSIT', 150),"
    " (3, '2026-01-01', 2, 'DEPOSIT', 1000), (4, '2026-01-01', 1, 'CREATION', 100);"
    "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at, "
    "trust_price, distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 4, '2026-01-01', '2026-01-01', 5, 5);"
    "INSERT INTO market_trades VALUES (1, '2026-01-02', 1, 5, 2, true, true, 5, 10, 1, 1, 0, 6, 1, 6, 4, 12, 12)");
  return url;
}

std::string transfer(const std::string& who, const std::string& kind, const std::string& amount,
                     const std::string& seq = "9") {
  return "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (" + seq + ", now(), " + who + ", '"
         + kind + "', " + amount + ")";
}
/// Of 100 wei, paid by transfer 9.
std::string market(const std::string& owner, const std::string& more = "trust_price, distrust_price",
                   const std::string& values = "5, 5", const std::string& cost = "100") {
  return "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
         "updated_at, "
         + more + ") VALUES (" + owner + ", 'NORMAL', 1500, 10, " + cost + ", " + cost + ", 9, now(), now(), " + values
         + ")";
}
std::string trade(const std::string& values) { return "INSERT INTO market_trades VALUES (" + values + ")"; }
/// Of market 1, by number the next one, on the day after.
std::string next_trade(const std::string& values) { return trade("1, '2026-01-03', 2, 9, " + values); }
std::string freeze(const std::string& market, const std::string& frozen, const std::string& seq = "9") {
  return "INSERT INTO market_freezes (seq, market_id, frozen, at) VALUES (" + seq + ", " + market + ", " + frozen
         + ", now())";
}

struct money_case {
  const char* name;
  std::string sqlstate; // empty: it is taken
  std::string sql;
};
void PrintTo(const money_case& which, std::ostream* out) { *out << which.sql; }

const std::string check = "23514";
const std::string foreign = "23503";
const std::string unique = "23505";
const std::string changed = check; // by a trigger

class MoneySchema : public ::testing::TestWithParam<money_case> {};

TEST_P(MoneySchema, TakesFactsThatAddUpAlone) {
  EXPECT_EQ(test::refusal_of(money_database(), GetParam().sql), GetParam().sqlstate) << GetParam().sql;
}

std::string name_of(const ::testing::TestParamInfo<money_case>& info) { return info.param.name; }

const money_case rows_rows[]{
  {"TakesAWithdrawalOfEverything", "", transfer("2", "WITHDRAWAL", "988")},
  {"AWithdrawalOfMoreThanThereIs", check, transfer("2", "WITHDRAWAL", "989")},
  {"AWithdrawalOfWhoHasNothing", check, transfer("3", "WITHDRAWAL", "1")},
  {"ADepositBelowZero", check, transfer("2", "DEPOSIT", "-1")},
  {"ADepositOfNobody", foreign, transfer("77", "DEPOSIT", "1")},
  {"ATransferOfAnotherKind", check, transfer("2", "GIFT", "1")},
  {"ATransferWithTheNumberOfAnother", unique, transfer("2", "DEPOSIT", "1", "3")},
  {"ATransferThatIsChanged", changed, "UPDATE wei_transfers SET amount = 1"},
  {"ATransferThatIsTakenAway", changed, "DELETE FROM wei_transfers"},
  {"ABalanceThatIsSet", changed, "UPDATE wei_accounts SET balance = balance + 1"},
  {"AnAccountThatBeginsWithMoney", changed, "INSERT INTO wei_accounts VALUES (4, 1)"},
  {"AnAccountThatIsTakenAway", changed, "DELETE FROM wei_accounts"},

  {"TakesAMarketThatIsPaidFor", "", transfer("2", "CREATION", "100") + ";" + market("2")},
  {"AMarketThatNobodyPaidFor", foreign, market("2")},
  {"AMarketThatIsPaidForByAnother", check, transfer("2", "CREATION", "100") + ";" + market("3")},
  {"AMarketThatIsPaidForInPart", check, transfer("2", "CREATION", "99") + ";" + market("2")},
  {"AMarketOnAMarketOwner", unique, transfer("2", "CREATION", "100") + ";" + market("1")},
  {"AMarketThatBeginsWithVotes", check,
   transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price, trust", "5, 5, 2")},
  {"AMarketThatBeginsWithAPool", check,
   transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price, pool", "5, 5, 1")},
  {"APriceAboveTheBasePrice", check,
   transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price", "11, 0")},
  {"AMarketThatIsChanged", changed, "UPDATE markets SET pool = pool + 1"},
  {"AMarketThatIsTakenAway", changed, "DELETE FROM markets"},

  {"TakesAFreeze", "", freeze("1", "true")},
  {"TakesATradeOnAMarketThatGoesOn", "",
   freeze("1", "true") + ";" + freeze("1", "false", "10") + ";"
     + trade("1, '2026-01-03', 2, 11, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
  {"ATradeOnAFrozenMarket", check,
   freeze("1", "true") + ";" + trade("1, '2026-01-03', 2, 10, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
  {"AFreezeOfNoMarket", foreign, freeze("3", "true")},
  {"AFreezeThatIsChanged", changed, freeze("1", "true") + "; UPDATE market_freezes SET frozen = false"},
  {"AFreezeThatIsTakenAway", changed, freeze("1", "true") + "; DELETE FROM market_freezes"},
  {"AMarketThatIsFrozenWithoutAFreeze", changed, "UPDATE markets SET frozen = true"},
  {"AMarketThatBeginsFrozen", changed,
   transfer("2", "CREATION", "100") + ";" + market("2", "trust_price, distrust_price, frozen", "5, 5, true")},

  {"TakesTheNextPurchase", "", next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
  {"TakesASaleThatDrawsOnWhatIsLocked", "", next_trade("2, false, true, 5, 11, 1, 0, 1, 1, 1, 5, 5, 22, 12")},
  {"TakesTwoTradesAtOnce", "",
   next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36),"
              " (1, '2026-01-03', 3, 10, 2, false, false, 1, 5, 1, 0, 0, 6, 3, 6, 4, 40, 36")},
  {"ATradeOutOfNumber", check, trade("1, '2026-01-03', 3, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
  {"ATradeBeforeTheLastOne", check, trade("1, '2026-01-01', 2, 9, 2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36")},
  {"ATradeTwice", unique, trade("1, '2026-01-02', 1, 9, 2, true, true, 5, 10, 1, 1, 0, 6, 1, 6, 4, 12, 12")},
  {"ATradeOnNoMarket", check, trade("3, '2026-01-03', 1, 9, 2, true, false, 3, 20, 2, 2, 0, 1, 4, 6, 4, 24, 24")},
  {"VotesThatDoNotFollow", check, next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 5, 6, 4, 36, 36")},
  {"AVolumeThatDoesNotFollow", check, next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 35, 36")},
  {"APurchaseBeyondTheBalance", check, next_trade("2, true, false, 3, 988, 1, 0, 0, 6, 4, 6, 4, 1001, 1001")},
  {"SumsOfPurchasesThatDoNotFollow", check, next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 35")},
  {"AFreePurchase", check, next_trade("2, true, false, 3, 0, 0, 0, 0, 6, 4, 6, 4, 12, 12")},
  {"AFreePurchaseOfWhoNeverHadMoney", check, next_trade("3, true, false, 3, 0, 0, 0, 0, 6, 4, 6, 4, 12, 12")},
  {"APurchaseOfWhoNeverHadMoney", foreign, next_trade("3, true, false, 3, 1, 0, 0, 0, 6, 4, 6, 4, 13, 13")},
  {"ASaleOfWhatAnotherHas", check,
   transfer("3", "DEPOSIT", "5") + ";"
     + trade("1, '2026-01-03', 2, 10, 3, false, true, 5, 9, 1, 0, 0, 1, 1, 5, 5, 20, 12")},
  {"ASaleOfTheOtherSide", check,
   next_trade("2, true, false, 3, 20, 2, 2, 0, 6, 4, 6, 4, 36, 36),"
              " (1, '2026-01-03', 3, 10, 2, false, false, 4, 5, 1, 0, 0, 6, 0, 6, 4, 40, 36")},
  {"APositionThatIsSet", changed, "UPDATE market_positions SET trust = 100"},
  {"APositionFromNowhere", changed, "INSERT INTO market_positions VALUES (1, 4, 5, 0)"},
  {"APositionThatIsTakenAway", changed, "DELETE FROM market_positions"},
  {"APurchaseOfNoVotes", check, next_trade("2, true, false, 0, 20, 2, 2, 0, 6, 1, 6, 4, 36, 36")},
  {"ASaleBelowOneVote", check, next_trade("2, false, true, 6, 10, 1, 0, 0, 0, 1, 5, 5, 21, 12")},
  {"ASaleOfMoreThanThePool", check, next_trade("2, false, true, 5, 11, 1, 0, 0, 1, 1, 5, 5, 22, 12")},
  {"ASaleThatDrawsMoreThanIsLocked", check, next_trade("2, false, true, 5, 111, 1, 0, 101, 1, 1, 5, 5, 122, 12")},
  {"ASaleWithADonation", check, next_trade("2, false, true, 5, 9, 1, 1, 0, 1, 1, 5, 5, 20, 12")},
  {"AnExitFeeAboveTheProceeds", check, next_trade("2, false, true, 5, 1, 2, 0, 0, 1, 1, 5, 5, 11, 12")},
  {"APurchaseThatDrawsOnWhatIsLocked", check, next_trade("2, true, false, 3, 20, 2, 2, 1, 6, 4, 6, 4, 36, 36")},
  {"ATradeThatIsChanged", changed, "UPDATE market_trades SET cost = 1"},
  {"ATradeThatIsTakenAway", changed, "DELETE FROM market_trades"}};
INSTANTIATE_TEST_SUITE_P(Rows, MoneySchema, testing::ValuesIn(rows_rows), name_of);

TEST(WeiLedger, EveryWeiIsSomewhere) {
  const auto sum = [](const std::string& sql) { return test::number_from(money_database(), sql); };
  EXPECT_EQ(sum("SELECT balance FROM wei_accounts WHERE profile_id = 1"), 51) << "150 less 100, and a donation";
  EXPECT_EQ(sum("SELECT balance FROM wei_accounts WHERE profile_id = 2"), 988);
  EXPECT_EQ(sum("SELECT pool FROM markets"), 10);
  EXPECT_EQ(sum("SELECT protocol_fees FROM markets"), 1);
  EXPECT_EQ(sum("SELECT sum(CASE WHEN from_kind = 'outside' THEN amount WHEN to_kind = 'outside' THEN -amount ELSE 0 "
                "END) FROM wei_movements"),
            1150);
  EXPECT_EQ(
    sum("SELECT sum(balance) FROM wei_accounts") + sum("SELECT sum(pool + locked + protocol_fees) FROM markets"), 1150);
}

/// What a trade touches is looked up, from the first one on: a plan made while a table was known
/// to be empty must not read all of it for every trade of the session when it has grown.
TEST(WeiLedger, TradesDoNotReadThePositionsOfOthers) {
  constexpr int traders = 1500;
  const auto url = test::fresh_database(traders, 1);
  test::run_sql(
    url, "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) SELECT 10 + n, '2026-01-01', n, 'DEPOSIT', "
         "1000 FROM generate_series(1, 1500) n;"
         "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount) VALUES (5, '2026-01-01', 1, 'CREATION', 100);"
         "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, "
         "updated_at, trust_price,"
         " distrust_price) VALUES (1, 'NORMAL', 1500, 10, 100, 100, 5, '2026-01-01', '2026-01-01', 5, 5); ANALYZE");
  auto on = test::look_into(url);
  const auto deadline = deadline_in(std::chrono::seconds{60});
  for (int from = 1; from <= traders; from += 50)
    on.exec("INSERT INTO market_trades SELECT 1, '2026-01-02', n, 10000 + n, n, true, true, 1, 3, 1, 1, 0, 1 + n, 1, "
            "6, 4, 5 * n, 5 * n FROM generate_series("
              + std::to_string(from) + ", " + std::to_string(from + 49) + ") n",
            deadline);
  on.exec("SELECT pg_stat_force_next_flush()", deadline);
  on.exec("SELECT 1", deadline);
  EXPECT_EQ(test::how_many(url, "market_positions WHERE trust = 1"), traders);
  EXPECT_LT(
    test::number_from(url, "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'market_positions'"),
    5 * traders);
}

/// The names in the tables of "What bounds a transaction".
std::set<std::string> written_down() {
  auto section = test::text_of_file(test::built::source + "/ops/reliability.md");
  section.erase(0, section.find("## What bounds a transaction"));
  section = section.substr(0, section.find("\n## ", 1));
  std::set<std::string> out;
  std::istringstream lines{section};
  const std::regex name{"`([a-z_]+)`"};
  for (std::string line; std::getline(lines, line);) {
    const auto cells = line.find("| `"); // the last cell
    if (line.empty() || line[0] != '|' || cells == std::string::npos)
      continue;
    const auto names = line.substr(cells);
    for (std::sregex_iterator each{names.begin(), names.end(), name}, end; each != end; ++each)
      EXPECT_TRUE(out.insert((*each)[1]).second) << (*each)[1] << " is there twice";
  }
  return out;
}

TEST(TriggerBounds, AreWrittenDownForEveryFunction) {
  auto on = test::look_into(test::fresh_database(1));
  // Those of an extension are not ours; put_chain_rows stands for those that make_chain_writers() makes for it.
  const auto found = on.exec_params("SELECT DISTINCT p.proname::text AS name FROM pg_proc p"
                                    " WHERE p.pronamespace = 'public'::regnamespace"
                                    " AND p.proname NOT LIKE 'put\\_chain\\_rows\\_of\\_%'"
                                    " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass"
                                    "  AND d.objid = p.oid AND d.deptype = 'e')",
                                    deadline_in(60s));
  std::set<std::string> there;
  const column<std::string> name{found, "name"};
  for (int i = 0; i < found.count(); ++i)
    there.insert(name[i]);
  const auto told = written_down();
  EXPECT_GT(told.size(), 150u);
  for (const auto& each : there)
    EXPECT_TRUE(told.contains(each)) << each << ": write in ops/reliability.md what bounds the rows that it touches";
  for (const auto& each : told)
    EXPECT_TRUE(there.contains(each)) << each << " is in ops/reliability.md, and not in the schema";
}

/// Whoever deletes a row, or changes its key, has PostgreSQL look for rows that name it.
TEST(TriggerBounds, RowsThatNameAnotherAreFoundByAnIndex) {
  auto on = test::look_into(test::fresh_database(1));
  const auto found = on.exec_params(
    "SELECT c.conrelid::regclass::text || ' ' || c.conname::text AS name FROM pg_constraint c WHERE c.contype = 'f'"
    // what nobody deletes is named for good
    " AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.confrelid AND t.tgfoid = 'refuse_change'::regproc"
    "  AND pg_get_triggerdef(t.oid) LIKE '% BEFORE DELETE %' AND t.tgqual IS NULL)"
    " AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid"
    "  AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')"
    "  AND (SELECT array_agg(k ORDER BY k) FROM unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) k)"
    "   = (SELECT array_agg(k ORDER BY k) FROM unnest(c.conkey) k))",
    deadline_in(60s));
  const column<std::string> name{found, "name"};
  for (int i = 0; i < found.count(); ++i)
    ADD_FAILURE() << name[i] << ": whoever deletes what it leads to reads the whole table";
}

} // namespace
} // namespace credence::persistence
