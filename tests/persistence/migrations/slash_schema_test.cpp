#include "tests/persistence/database.hpp"
#include "tests/persistence/migrations/schema_row.hpp"

#include <gtest/gtest.h>

/// What the database itself refuses of slashes and the votes on them, whoever writes: one wrong row each.
namespace credence::persistence {
namespace {

/// Twenty profiles, the last one archived; slash 1 is open with one vote, slash 2 is closed.
const std::string& some_database() {
  static const std::string url = [] {
    auto made = test::fresh_database(20, 1);
    test::run_sql(
      made,
      "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, subject_profile_id, type, amount, "
      "duration_s,"
      "  comment, metadata, created_at, seq) VALUES"
      " (1, 1, decode(repeat('01', 20), 'hex'), 2, 2, 'SCORE', 100, 3600, 'c', '', '2026-01-01', 3),"
      " (2, 3, decode(repeat('02', 20), 'hex'), NULL, NULL, 'SCORE', 100, 3600, 'c', '', '2026-01-01', 4);"
      "INSERT INTO slash_votes (seq, cast_at, slash_id, number, voter_id, weight, for_slash)"
      " VALUES (5, '2026-01-01 00:30', 1, 1, 4, 3, true), (6, '2026-01-01 00:31', 2, 1, 4, 3, true);"
      "UPDATE slashes SET closed_at = '2026-01-01 01:00', outcome = 'SLASHED', slash_weight = 3, defend_weight = 0,"
      "  closed_seq = 7 WHERE id = 2;"
      "UPDATE profiles SET archived = true WHERE id = 20");
    return made;
  }();
  return url;
}

std::string refusal_of(const std::string& sql) { return test::refusal_of(some_database(), sql); }

/// A third slash: by an author, against a wallet of so many times this byte, and what differs.
std::string slash(const std::string& author, const std::string& byte,
                  const std::string& values = "'SCORE', 100, 3600, 'c', ''", const std::string& id = "3",
                  const std::string& created = "'2026-01-02'") {
  return "INSERT INTO slashes (id, author_id, subject_address, type, amount, duration_s, comment, metadata, "
         "created_at, seq)"
         " VALUES ("
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

TEST_P(SlashSchema, Refuses) { EXPECT_EQ(refusal_of(GetParam().sql), GetParam().sqlstate) << GetParam().sql; }

INSTANTIATE_TEST_SUITE_P(
  WrongRows, SlashSchema,
  ::testing::Values(
    wrong{"ASlashByNobody", foreign, slash("999", "03")},
    wrong{"ASlashByAnArchivedProfile", foreign, slash("20", "03")},
    wrong{"ASecondOpenSlashOfAnAuthor", unique, slash("1", "03")},
    wrong{"ASecondOpenSlashAgainstAWallet", unique, slash("5", "01")},
    wrong{"ASecondOpenSlashAgainstAUser", unique,
          slash_of("subject_service, subject_account, subject_user_id", "'x.com', '1', 2")},
    wrong{"ASlashOfSomebodySlashedLately", check, slash("5", "02")},
    wrong{"ASlashThatLeavesANumberOut", check, slash("5", "03", "'SCORE', 100, 3600, 'c', ''", "4")},
    wrong{"ASlashOfAnUnknownType", check, slash("5", "03", "'XP', 100, 3600, 'c', ''")},
    wrong{"ASlashOfNothing", check, slash("5", "03", "'SCORE', 0, 3600, 'c', ''")},
    wrong{"ASlashOfMoreThan1000", check, slash("5", "03", "'SCORE', 1001, 3600, 'c', ''")},
    wrong{"ASlashOfNoTime", check, slash("5", "03", "'SCORE', 100, 0, 'c', ''")},
    wrong{"ASlashOfMoreThanAWeek", check, slash("5", "03", "'SCORE', 100, 604801, 'c', ''")},
    wrong{"ASlashWithoutAReason", check, slash("5", "03", "'SCORE', 100, 3600, '', ''")},
    wrong{"ASlashOfNobody", check, slash_of("subject_user_id", "4")},
    wrong{
      "ASlashOfAWalletAndAnAccount", check,
      slash_of("subject_address, subject_service, subject_account", "decode(repeat('03', 20), 'hex'), 'x.com', '1'")},
    wrong{"ASlashOfAnAccountNowhere", check, slash_of("subject_account", "'1'")},
    wrong{"ASlashOfAnUnknownService", check, slash_of("subject_service, subject_account", "'twitter', '1'")},
    wrong{"ASlashOfAnotherUsersProfile", foreign,
          slash_of("subject_address, subject_user_id, subject_profile_id", "decode(repeat('03', 20), 'hex'), 4, 6")},
    wrong{"ASlashOfItsAuthor", check,
          slash_of("subject_address, subject_user_id, subject_profile_id", "decode(repeat('03', 20), 'hex'), 5, 5")},
    wrong{"ASlashThatBeginsClosed", check,
          slash_of("subject_address, closed_at, outcome, slash_weight, defend_weight, closed_seq",
                   "decode(repeat('03', 20), 'hex'), '2026-01-02 01:00', 'INCONCLUSIVE', 0, 0, 9")},
    wrong{"ClosingBeforeTheEnd", check, closing("'2026-01-01 00:50'", "NULL", "'SLASHED'")},
    wrong{"ClosingAsItWasNotVoted", check, closing(its_end, "NULL", "'DEFENDED'")},
    wrong{"ClosingWithOtherVotes", check, closing(its_end, "NULL", "'SLASHED'", "4, 0")},
    wrong{"ClosingWithoutAnOutcome", check, closing(its_end, "NULL", "NULL")},
    wrong{"CancellingAtTheEnd", check, closing(its_end, its_end, "'CANCELLED'")},
    wrong{"CancellingBeforeTheBeginning", check, closing("'2025-12-31'", "'2025-12-31'", "'CANCELLED'")},
    wrong{"CancellingWithoutClosing", check, "UPDATE slashes SET cancelled_at = '2026-01-01 00:50' WHERE id = 1"},
    wrong{"AnotherEndThanTheCancellation", check, closing(its_end, "'2026-01-01 00:50'", "'CANCELLED'")},
    wrong{"ClosingBeforeOpening", check, closing(its_end, "NULL", "'SLASHED'", "3, 0", "2")},
    wrong{"ClosingTwice", check, closing(its_end, "NULL", "'SLASHED'", "3, 0", "9", "2")},
    wrong{"OpeningAgain", check, closing("NULL", "NULL", "NULL", "NULL, NULL", "NULL", "2")},
    wrong{"ChangingASlash", check, "UPDATE slashes SET amount = 50 WHERE id = 1"},
    wrong{"DeletingASlash", check, "DELETE FROM slashes"},
    wrong{"TruncatingSlashes", check, "TRUNCATE slashes CASCADE"},
    wrong{"AVoteOnNoSlash", foreign, slash_vote("9", "1", "5")},
    wrong{"AVoteOnAClosedSlash", check, slash_vote("2", "2", "5")},
    wrong{"ASlashVoteByTheAuthor", check, slash_vote("1", "2", "1")},
    wrong{"ASlashVoteByTheSubject", check, slash_vote("1", "2", "2")},
    wrong{"ASlashVoteByNobody", foreign, slash_vote("1", "2", "999")},
    wrong{"ASlashVoteByAnArchivedProfile", foreign, slash_vote("1", "2", "20")},
    wrong{"AVoteAtTheEndOfASlash", check, slash_vote("1", "2", "5", its_end)},
    wrong{"AVoteBeforeItsSlash", check, slash_vote("1", "2", "5", "'2025-12-31'")},
    wrong{"ASlashVoteThatLeavesANumberOut", check, slash_vote("1", "3", "5")},
    wrong{"ASlashVoteOfANumberThatIsThere", unique, slash_vote("1", "1", "5")},
    wrong{"AWeightAbove7", check, slash_vote("1", "2", "5", "'2026-01-01 00:40'", "8")},
    wrong{"ANegativeWeight", check, slash_vote("1", "2", "5", "'2026-01-01 00:40'", "-1")},
    wrong{"ChangingASlashVote", check, "UPDATE slash_votes SET weight = 0"},
    wrong{"DeletingASlashVote", check, "DELETE FROM slash_votes"},
    wrong{"TruncatingSlashVotes", check, "TRUNCATE slash_votes"}),
  name_of);

class SlashSchemaToo : public ::testing::TestWithParam<right> {};

TEST_P(SlashSchemaToo, Takes) { EXPECT_EQ(refusal_of(GetParam().sql), "") << GetParam().sql; }

INSTANTIATE_TEST_SUITE_P(
  RightRows, SlashSchemaToo,
  ::testing::Values(right{"ASlashOfAnAccount",
                          slash_of("subject_service, subject_account, subject_user_id", "'x.com', '1', 4")},
                    right{"ASlashOfSomebodySlashedAWeekAgo",
                          slash("5", "02", "'SCORE', 100, 3600, 'c', ''", "3", "'2026-01-08 01:00'")},
                    right{"AnotherVoteOfTheSameProfile", slash_vote("1", "2", "4")},
                    right{"ClosingASlashAtItsEnd", closing(its_end, "NULL", "'SLASHED'")},
                    right{"CancellingASlash",
                          closing("'2026-01-01 00:50'", "'2026-01-01 00:50'", "'CANCELLED'") + ";" + slash("1", "01")}),
  name_of_right);

} // namespace
} // namespace credence::persistence
