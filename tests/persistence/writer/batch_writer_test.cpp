#include "tests/persistence/postgres/cutting_proxy.hpp"
#include "tests/persistence/read_now.hpp"
#include "tests/persistence/writer/batch_writer_fixture.hpp"
#include "tests/waiting.hpp"

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::how_many;
using test::number_from;
using test::run_sql;

constexpr auto in_time = 60s;

TEST_F(BatchWriter, StoresVotesThatReadBackAsTheyWere) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 3, 1, "solid team"));
  send(1, vote(1, 4));
  send(1, vote(1, 5, 1, "très bien ✓"));
  send(1, vote(1, 6, 1, "solid team"));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 4u);

  auto on = test::look_into(url);
  const auto stored = read_now(on, project::load_project{project_id{1}}, deadline_in(5000ms));
  ASSERT_TRUE(stored.exists);
  EXPECT_FALSE(stored.archived);
  ASSERT_EQ(stored.votes.size(), 4u);
  EXPECT_EQ(stored.reasons, (std::vector<std::string>{"solid team", "très bien ✓"}));
  EXPECT_EQ(stored.votes[0].voter, profile_id{3});
  EXPECT_EQ(stored.votes[0].side, project::sentiment::bullish);
  EXPECT_EQ(stored.votes[0].at, timestamp{1767225603s});
  EXPECT_EQ(stored.votes[1].side, project::sentiment::bearish);
  EXPECT_EQ(stored.votes[1].reason, -1);
  EXPECT_EQ(stored.votes[2].reason, 1);
  EXPECT_EQ(stored.votes[3].reason, 0);
}

TEST_F(BatchWriter, LetsGoOfANoteBeforeAnybodyHearsOfItsEffect) {
  ASSERT_TRUE(connect());
  std::optional<std::size_t> told_before;
  writer().take({{1, 0},
                 vote(1, 3),
                 write_listener{},
                 steady_clock::now() + in_time,
                 std::make_shared<const write_context>(digest32{}, digest32{}, timestamp{1767225600s},
                                                       [&] { told_before = outcomes.size(); })});
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(told_before, 0u) << "or who repeats the request at once finds it still under way";
  EXPECT_EQ(how_many(url, "idempotency_records"), 1);
}

TEST_F(BatchWriter, StoresAVoteByItselfAsItWas) {
  ASSERT_TRUE(connect());
  for (int voter = 3; voter <= 5; ++voter) {
    send(1, vote(1, voter, 1, voter == 4 ? std::optional<std::string>{"très bien ✓"} : std::nullopt));
    ASSERT_TRUE(work_off());
  }
  EXPECT_EQ(count(1, write_result::stored), 3u);
  EXPECT_EQ(outcomes.back().as_of, 4);
  auto on = test::look_into(url);
  const auto stored = read_now(on, project::load_project{project_id{1}}, deadline_in(5000ms));
  ASSERT_EQ(stored.votes.size(), 3u);
  EXPECT_EQ(stored.votes[1].voter, profile_id{4});
  EXPECT_EQ(stored.votes[1].side, project::sentiment::bearish);
  EXPECT_EQ(stored.votes[1].at, timestamp{1767225604s});
  EXPECT_EQ(stored.votes[1].reason, 0);
  EXPECT_EQ(stored.reasons, std::vector<std::string>{"très bien ✓"});
  EXPECT_EQ(number_from(url, "SELECT max(seq) * 100 + sum(number) FROM votes"), 406);
}

TEST_F(BatchWriter, NumbersVotesAndAdvancesWithoutAGapAcrossWriters) {
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 10; ++voter)
    send(1, vote(1, voter));
  ASSERT_TRUE(work_off());
  writer_.reset();
  ASSERT_TRUE(connect());
  for (int voter = 11; voter <= 20; ++voter)
    send(2, vote(1, voter));
  ASSERT_TRUE(work_off());
  // The open period of the fixture holds number 1.
  EXPECT_EQ(how_many(url, "votes WHERE seq BETWEEN 2 AND 21"), 20);
  EXPECT_EQ(number_from(url, "SELECT count(DISTINCT seq) FROM votes"), 20);
  EXPECT_EQ(outcomes.back().as_of, 21);
}

TEST_F(BatchWriter, TellsOneOutcomePerStreamAndBatch) {
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 10; ++voter) {
    send(1, vote(1, voter));
    send(2, vote(2, voter));
  }
  ASSERT_TRUE(work_off());
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].count, 10u);
  EXPECT_EQ(outcomes[1].count, 10u);
  EXPECT_EQ(outcomes[0].as_of, outcomes[1].as_of);
}

TEST_F(BatchWriter, WritesTalliesBesideTheVotesAndGivesThemNoNumber) {
  ASSERT_TRUE(connect());
  const std::chrono::sys_days day{std::chrono::year{2026} / 1 / 5};
  send(1, vote(1, 3));
  send(1, project::project_tallied{project_id{1}, 1, {{period_id{1}, day, 1, 0}}, {{period_id{1}, {1, 0}}}});
  send(1, vote(1, 4));
  send(1, project::project_tallied{project_id{1}, 2, {{period_id{1}, day, 1, 1}}, {{period_id{1}, {1, 1}}}});
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 4u);
  EXPECT_EQ(number_from(url, "SELECT through FROM project_rollups WHERE project_id = 1"), 2);
  EXPECT_EQ(number_from(url, "SELECT bullish + 10 * bearish FROM project_tallies WHERE project_id = 1"), 11);
  EXPECT_EQ(
    number_from(url, "SELECT bullish_weight + 10 * bearish_weight FROM project_period_tallies WHERE project_id = 1"),
    11);
  EXPECT_EQ(number_from(url, "SELECT max(last_seq) FROM batches"), 3);
}

TEST_F(BatchWriter, KeepsTheLaterOfTwoCountsOfADayInOneBatch) {
  ASSERT_TRUE(connect());
  const std::chrono::sys_days day{std::chrono::year{2026} / 1 / 5};
  const auto counted = [&](std::int64_t used) {
    return idempotency::days_counted{{{profile_id{3}, "replies", day, used}, {profile_id{4}, "links", day, 7}}};
  };
  const auto refused = ops::the_metrics().store.batch_failures.value();
  send(1, counted(5));
  send(2, vote(1, 3));
  send(1, counted(6));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 2u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(ops::the_metrics().store.batch_failures.value(), refused) << "they break nobody's batch";
  EXPECT_EQ(number_from(url, "SELECT used FROM daily_acts WHERE profile_id = 3 AND act = 'replies'"), 6);
  EXPECT_EQ(number_from(url, "SELECT used FROM daily_acts WHERE profile_id = 4 AND act = 'links'"), 7);
}

TEST_F(BatchWriter, OpensAPeriodBetweenTheVotesBeforeAndAfterIt) {
  ASSERT_TRUE(connect());
  const auto opened =
    period::voting_period{period_id{2}, 2026, 2, timestamp{1769904000s}, timestamp{1772323200s}, {}, 20, 5};
  send(1, vote(1, 3));
  send(9, period::period_advanced{period_id{1}, opened});
  send(2, vote(2, 4, 2));
  send(3, vote(3, 5, 1)); // decided before the advance, arrived after it
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(count(9, write_result::stored), 1u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(count(3, write_result::stale), 1u);
  EXPECT_EQ(how_many(url, "voting_periods WHERE closed_at IS NULL AND id = 2"), 1);
  EXPECT_EQ(number_from(url, "SELECT extract(epoch FROM closed_at) FROM voting_periods WHERE id = 1"), 1769904000);
  EXPECT_EQ(how_many(url, "votes WHERE project_id = 3"), 0);
}

TEST_F(BatchWriter, RefusesAnAdvanceFromAPeriodThatIsNotOpen) {
  ASSERT_TRUE(connect());
  const auto opened =
    period::voting_period{period_id{3}, 2026, 3, timestamp{1769904000s}, timestamp{1772323200s}, {}, 20, 5};
  send(9, period::period_advanced{period_id{2}, opened});
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(9, write_result::failed), 1u);
  EXPECT_EQ(how_many(url, "voting_periods"), 1);
}

TEST_F(BatchWriter, LetsAPoisonedChangeFailAloneWithTheRestOfItsStream) {
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 8; ++voter) {
    send(1, vote(1, voter));
    send(2, vote(2, voter == 5 ? 4 : voter)); // votes twice with voter 4: the database says no
    send(3, vote(3, voter));
  }
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 8u);
  EXPECT_EQ(count(2, write_result::stored), 4u);
  EXPECT_EQ(count(2, write_result::failed), 4u);
  EXPECT_EQ(count(3, write_result::stored), 8u);
  EXPECT_EQ(how_many(url, "votes WHERE project_id = 2"), 4);
  EXPECT_EQ(number_from(url, "SELECT max(seq) - min(seq) + 1 FROM votes"), 20);
  // What the failed stream sends before it has heard fails too; a new attempt does not.
  numbers[2] = 4;
  send(2, vote(2, 9));
  numbers[2] = 4;
  send(2, vote(2, 10), steady_clock::now() + in_time, 1);
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(2, write_result::failed), 5u);
  EXPECT_EQ(count(2, write_result::stored), 5u);
}

TEST_F(BatchWriter, WritesAPieceOfARecountInABatchOfItsOwn) {
  ASSERT_TRUE(connect());
  const auto batches = [this] { return number_from(url, "SELECT max(sequence) FROM shard_owners"); };
  const auto before = batches();
  send(1, vote(1, 3));
  send(2, score::records_recounted{100, timestamp{1767225600s}});
  send(3, vote(1, 4));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(batches() - before, 3) << "no vote waits longer for being together with it";
}

/// The server ends the statement before the writer gives up, so nothing is in doubt and nobody else fails.
TEST_F(BatchWriter, LetsAChangeThatTakesTooLongFailAlone) {
  how.statement_timeout = 8s; // the server has six of them, and two to say that they are over
  run_sql(
    url,
    "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';"
    "CREATE TRIGGER sleep_long BEFORE INSERT ON votes FOR EACH ROW WHEN (NEW.voter_id = 4) EXECUTE FUNCTION "
    "sleep_long()");
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 5; ++voter)
    send(static_cast<std::uint64_t>(voter), vote(voter, voter));
  ASSERT_TRUE(work_off());
  for (std::uint64_t stream = 1; stream <= 5; ++stream) {
    EXPECT_EQ(count(stream, write_result::in_doubt), 0u);
    EXPECT_EQ(count(stream, stream == 4 ? write_result::failed : write_result::stored), 1u) << stream;
  }
  EXPECT_EQ(how_many(url, "votes"), 4);
  EXPECT_EQ(number_from(url, "SELECT max(epoch) FROM shard_owners"), 2) << "the connection stood all the time";
}

/// One that takes too long is the culprit; the next one that does so, with nothing stored between them, waits for a
/// database that is slow for all.
TEST_F(BatchWriter, ADatabaseThatIsSlowForAllRefusesOneChangeAtMost) {
  how.statement_timeout = 4s;
  ASSERT_TRUE(connect());
  run_sql(
    url,
    "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';"
    "CREATE TRIGGER sleep_long BEFORE INSERT ON votes FOR EACH ROW EXECUTE FUNCTION sleep_long()");
  for (int voter = 1; voter <= 4; ++voter)
    send(static_cast<std::uint64_t>(voter), vote(voter, voter));
  ASSERT_TRUE(work_until([&] { return count(1, write_result::failed) == 1 && !status.writable; }));
  run_sql(url, "DROP TRIGGER sleep_long ON votes");
  ASSERT_TRUE(work_off());
  for (std::uint64_t stream = 2; stream <= 4; ++stream)
    EXPECT_EQ(count(stream, write_result::stored), 1u) << stream;
  EXPECT_TRUE(status.writable);
}

/// Makes batches that hold a vote with a key last until the writer gives up, though no statement of theirs is ended.
void make_keys_take_forever(const std::string& url) {
  run_sql(
    url,
    "CREATE FUNCTION no_end() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN PERFORM set_config(''statement_timeout'', ''0'', true); RETURN NULL; END';"
    "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';"
    "CREATE TRIGGER no_end AFTER INSERT ON votes FOR EACH STATEMENT EXECUTE FUNCTION no_end();"
    "CREATE TRIGGER sleep_long BEFORE INSERT ON idempotency_records FOR EACH ROW EXECUTE FUNCTION sleep_long()");
}

std::shared_ptr<const write_context> some_key() {
  return std::make_shared<const write_context>(digest32{}, digest32{}, timestamp{1767225600s}, [] {});
}

TEST_F(BatchWriter, LetsAChangeWhoseStatementsTogetherTakeTooLongFailAlone) {
  how.statement_timeout = 2s;
  make_keys_take_forever(url);
  ASSERT_TRUE(connect());
  const auto lookups = ops::the_metrics().store.resolved_absent.value();
  for (int voter = 1; voter <= 5; ++voter)
    writer().take({{static_cast<std::uint64_t>(voter), 0},
                   vote(voter, voter),
                   write_listener{},
                   steady_clock::now() + longest,
                   voter == 4 ? some_key() : nullptr});
  ASSERT_TRUE(work_off());
  for (std::uint64_t stream = 1; stream <= 5; ++stream)
    EXPECT_EQ(count(stream, stream == 4 ? write_result::failed : write_result::stored), 1u) << stream;
  EXPECT_EQ(ops::the_metrics().store.resolved_absent.value() - lookups, 2) << "together, and once more alone";
  EXPECT_EQ(how_many(url, "votes"), 4);
  EXPECT_EQ(how_many(url, "votes WHERE project_id = 4"), 0) << "what is told as failed is not there";
  EXPECT_TRUE(status.writable);
}

TEST_F(BatchWriter, AnswersThatNeverComeInTimeRefuseOneChangeAtMostAndEnd) {
  how.statement_timeout = 1s;
  ASSERT_TRUE(connect());
  make_keys_take_forever(url);
  for (int voter = 1; voter <= 3; ++voter)
    writer().take({{static_cast<std::uint64_t>(voter), 0},
                   vote(voter, voter),
                   write_listener{},
                   steady_clock::now() + longest,
                   some_key()});
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::failed), 1u);
  EXPECT_EQ(count(2, write_result::not_written), 1u) << "it may be repeated";
  EXPECT_EQ(count(3, write_result::not_written), 1u);
  EXPECT_EQ(how_many(url, "votes"), 0);
}

/// A crash of PostgreSQL that one change brings about looks like this.
TEST_F(BatchWriter, LetsAChangeThatEndsEachConnectionFailAlone) {
  run_sql(url, "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS"
               " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(600); RETURN NEW; END';"
               "CREATE TRIGGER die BEFORE INSERT ON votes FOR EACH ROW WHEN (NEW.voter_id = 4) EXECUTE FUNCTION die()");
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 5; ++voter)
    send(static_cast<std::uint64_t>(voter), vote(voter, voter));
  ASSERT_TRUE(work_off());
  for (std::uint64_t stream = 1; stream <= 5; ++stream) {
    EXPECT_GE(count(stream, write_result::in_doubt), 1u);
    EXPECT_EQ(count(stream, stream == 4 ? write_result::failed : write_result::stored), 1u) << stream;
  }
  EXPECT_EQ(how_many(url, "votes"), 4);
  EXPECT_TRUE(status.writable);
}

TEST_F(BatchWriter, RefusesVotesOfUnknownProfilesAndProjects) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 999));
  send(2, vote(99, 1));
  send(3, vote(2, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::failed), 1u);
  EXPECT_EQ(count(2, write_result::failed), 1u);
  EXPECT_EQ(count(3, write_result::stored), 1u);
}

/// Votes that come alone are checked by a statement of their own.
TEST_F(BatchWriter, RefusesWrongVotesThatComeAlone) {
  ASSERT_TRUE(connect());
  std::uint64_t stream = 0;
  const auto outcome_of = [&](change change) {
    send(++stream, std::move(change));
    EXPECT_TRUE(work_off());
    return outcomes.back().result;
  };
  EXPECT_EQ(outcome_of(vote(1, 1)), write_result::stored);
  EXPECT_EQ(outcome_of(vote(2, 999)), write_result::failed) << "nobody";
  EXPECT_EQ(outcome_of(vote(99, 1)), write_result::failed) << "no project";
  EXPECT_EQ(outcome_of(vote(3, 1, 1, std::string(51, 'x'))), write_result::failed) << "a long reason";
  numbers[1] = 0;
  EXPECT_EQ(outcome_of(vote(1, 2)), write_result::failed) << "a number that is taken";
  run_sql(url, "UPDATE profiles SET archived = true WHERE id = 3");
  EXPECT_EQ(outcome_of(vote(1, 3)), write_result::failed) << "archived by another program";
  run_sql(url, "UPDATE projects SET status = 'ARCHIVED' WHERE id = 4");
  EXPECT_EQ(outcome_of(vote(4, 1)), write_result::failed) << "likewise";
  numbers[1] = 1;
  EXPECT_EQ(outcome_of(vote(1, 2)), write_result::stored);
  EXPECT_EQ(how_many(url, "votes"), 2);
  EXPECT_EQ(number_from(url, "SELECT max(seq) - min(seq) FROM votes"), 1) << "what is refused takes no number";
}

/// Another program closes the period, and the writer has not heard of it.
TEST_F(BatchWriter, NoVoteThatComesAloneLandsInAPeriodThatIsClosed) {
  ASSERT_TRUE(connect());
  run_sql(url, "BEGIN; UPDATE voting_periods SET closed_at = '2026-01-15' WHERE id = 1;"
               "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
               " VALUES (2, 2026, 2, '2026-02-01', '2026-03-01', 1, 1, 1000); COMMIT");
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::failed), 1u);
  EXPECT_EQ(how_many(url, "votes"), 0);
  EXPECT_EQ(number_from(url, "SELECT open_period FROM shard_owners"), 2);
}

TEST_F(BatchWriter, AnswersVotesOfAnotherPeriodAndWhatBuildsOnThem) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 1));
  send(1, vote(1, 2, 7));
  send(1, vote(1, 3)); // its number builds on the one refused
  ASSERT_TRUE(work_off());
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].result, write_result::stored);
  EXPECT_EQ(outcomes[1].result, write_result::stale);
  EXPECT_EQ(outcomes[1].count, 2u);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

TEST_F(BatchWriter, NeverWritesWhatIsPastItsDeadline) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 1), steady_clock::now() - 1ms);
  send(1, vote(1, 2));
  send(2, vote(2, 2));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 2u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

/// Makes every INSERT INTO votes raise `sqlstate` the first `times` times.
void make_votes_raise(const std::string& url, const std::string& sqlstate, int times) {
  run_sql(url, "CREATE SEQUENCE tries; CREATE FUNCTION obstruct() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
               " IF nextval('tries') <= "
                 + std::to_string(times) + " THEN RAISE 'not now' USING ERRCODE = '" + sqlstate
                 + "'; END IF; RETURN NULL; END $$;"
                   "CREATE TRIGGER obstruct BEFORE INSERT ON votes EXECUTE FUNCTION obstruct()");
}

TEST_F(BatchWriter, TriesAgainAtOnceAfterAConflict) {
  ASSERT_TRUE(connect());
  make_votes_raise(url, "40001", 2);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(number_from(url, "SELECT last_value FROM tries"), 3);
}

TEST_F(BatchWriter, WaitsOutAFullDiskAndFailsOnlyWhatCannotWait) {
  ASSERT_TRUE(connect());
  make_votes_raise(url, "53100", 1000000);
  const auto soon = steady_clock::now() + 2s; // the first try is sooner
  send(1, vote(1, 1), soon);
  send(2, vote(2, 1));
  EXPECT_TRUE(work_until([&] { return !status.writable; }));
  EXPECT_TRUE(work_until([&] { return count(1, write_result::not_written) == 1; })) << "while the disk is still full";
  EXPECT_EQ(count(1, write_result::in_doubt), 1u) << "so that reads of what is committed went on meanwhile";
  EXPECT_EQ(count(2, write_result::in_doubt), 1u);
  EXPECT_EQ(count(2, write_result::stored) + count(2, write_result::not_written), 0u);
  // What comes now waits as well, and is told when it waited too long, too.
  send(3, vote(3, 1), steady_clock::now() + 1s);
  EXPECT_EQ(count(3, write_result::in_doubt), 1u);
  EXPECT_TRUE(work_until([&] { return count(3, write_result::not_written) == 1; }));
  run_sql(url, "DROP TRIGGER obstruct ON votes");
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 1u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_TRUE(status.writable);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

TEST_F(BatchWriter, SettlesEachPositionOnceEverythingUpToItIsFinal) {
  ASSERT_TRUE(connect());
  EXPECT_TRUE(writer().settled(writer().taken()));
  send(1, vote(1, 1));
  const auto first = writer().taken();
  EXPECT_FALSE(writer().settled(first));
  ASSERT_TRUE(work_off());
  EXPECT_TRUE(writer().settled(first));
}

TEST_F(BatchWriter, WritesWhatItHoldsWhenItEnds) {
  how.batch_changes_max = 3;
  ASSERT_TRUE(connect());
  for (int voter = 1; voter <= 10; ++voter)
    send(1, vote(1, voter));
  writer().finish(steady_clock::now() + in_time);
  EXPECT_EQ(count(1, write_result::stored), 10u);
  EXPECT_EQ(how_many(url, "votes"), 10);
  EXPECT_FALSE(status.writable);
}

TEST_F(BatchWriter, FailsWhatItHoldsWhenItEndsWithoutADatabase) {
  how.database_url = secret{"host=/nonexistent dbname=none"};
  send(1, vote(1, 1));
  writer().finish(steady_clock::now() + 50ms);
  EXPECT_EQ(count(1, write_result::not_written), 1u);
}

TEST_F(BatchWriter, FindsABatchThatWasCommittedUnheard) {
  test::cutting_proxy proxy{test::shared_postgres().directory().string()};
  how.database_url = secret{proxy.through(url)};
  ASSERT_TRUE(connect());
  proxy.cut_next(test::cutting_proxy::moment::after);
  send(1, vote(1, 1));
  send(1, vote(1, 2));
  ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(count(1, write_result::in_doubt), 2u);
  EXPECT_EQ(count(1, write_result::stored), 0u);
  ASSERT_TRUE(work_off());
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(count(1, write_result::stored), 2u);
  EXPECT_EQ(outcomes.back().as_of, 3);
  EXPECT_EQ(how_many(url, "votes"), 2);
  EXPECT_TRUE(status.writable);
  send(1, vote(1, 3));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(number_from(url, "SELECT max(seq) FROM votes"), 4);
}

TEST_F(BatchWriter, IsInDoubtAboutWhatIsOnThePrimaryAloneUntilItHasLookedItUp) {
  ASSERT_TRUE(connect());
  {
    const test::waiting_for_a_standby nobody_replicates;
    send(1, vote(1, 1));
    std::jthread canceller{[](const std::stop_token& over) { test::cancel_waits_for_a_standby(over); }};
    ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
    EXPECT_EQ(count(1, write_result::in_doubt), 1u);
    EXPECT_EQ(count(1, write_result::stored), 0u);
  }
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

TEST_F(BatchWriter, WaitsForNoDiskAndNoStandbyWithWhatCanBeWorkedOutAgain) {
  ASSERT_TRUE(connect());
  const std::chrono::sys_days day{std::chrono::year{2026} / 1 / 5};
  {
    const test::waiting_for_a_standby nobody_replicates;
    for (int piece = 0; piece < 3; ++piece)
      send(1, score::records_recounted{100, timestamp{1767225600s}});
    send(2, score::score_changed{user_id{3}, 1200, {}, day, "recompute", timestamp{1767225600s}, 1});
    ASSERT_TRUE(work_off()) << "a vote would wait here for ever";
    EXPECT_EQ(count(1, write_result::stored), 3u);
    EXPECT_EQ(count(2, write_result::stored), 1u);
    send(2, score::score_changed{user_id{3}, 1200, {}, day, "recompute", timestamp{1767225600s}, 1});
    send(3, vote(1, 3));
    std::jthread canceller{[](const std::stop_token& over) { test::cancel_waits_for_a_standby(over); }};
    ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
    EXPECT_EQ(count(3, write_result::in_doubt), 1u) << "a vote waits, with a score beside it as well";
  }
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(3, write_result::stored), 1u);
}

/// Ends the writer's session as soon as it waits for a lock.
std::thread end_the_writer_once_it_waits(const std::string& url) {
  return std::thread{[url] {
    auto on = test::look_into(url);
    test::await("the writer to wait for a lock", [&] {
      const auto ended = on.exec_params("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                                        " application_name = 'credence-writer' AND wait_event_type = 'Lock'"
                                        " AND datname = current_database()",
                                        deadline_in(in_time));
      return !ended.empty();
    });
  }};
}

TEST_F(BatchWriter, WritesABatchAgainThatWasLostBeforeItsCommit) {
  ASSERT_TRUE(connect());
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE votes IN EXCLUSIVE MODE", deadline_in(in_time));
  send(1, vote(1, 1));
  send(2, vote(2, 1));
  auto killer = end_the_writer_once_it_waits(url);
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  killer.join();
  EXPECT_EQ(count(1, write_result::in_doubt), 1u);
  // A stream in doubt queues, anyone else is refused at once.
  send(1, vote(1, 2));
  send(3, vote(3, 1));
  EXPECT_EQ(count(3, write_result::not_written), 1u);
  EXPECT_EQ(count(1, write_result::not_written), 0u);
  EXPECT_FALSE(writer().settled(writer().taken()));
  blocker.exec("ROLLBACK", deadline_in(in_time));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 2u);
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(how_many(url, "votes"), 3);
  EXPECT_EQ(how_many(url, "votes WHERE project_id = 3"), 0);
}

TEST_F(BatchWriter, FailsADoubtfulBatchThatIsAbsentAndPastItsDeadline) {
  ASSERT_TRUE(connect());
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE votes IN EXCLUSIVE MODE", deadline_in(in_time));
  const auto deadline = steady_clock::now() + 5s; // it is on its way before that
  send(1, vote(1, 1), deadline);
  auto killer = end_the_writer_once_it_waits(url);
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  killer.join();
  std::this_thread::sleep_until(deadline); // which is what has to pass
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 1u);
  blocker.exec("ROLLBACK", deadline_in(in_time));
  EXPECT_EQ(how_many(url, "votes"), 0);
}

TEST_F(BatchWriter, GivesUpOnAFrozenServerAndRecoversWhenItGoesOn) {
  how.statement_timeout = 1s; // which the first connection and its statements are well within
  how.connect_timeout = 1s;
  ASSERT_TRUE(connect());
  test::shared_postgres().pause();
  send(1, vote(1, 1));
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(count(1, write_result::in_doubt), 1u);
  // Several attempts to come back, none of which hangs.
  const auto until = steady_clock::now() + 3s;
  EXPECT_TRUE(work_until([&] { return steady_clock::now() > until; }));
  EXPECT_FALSE(writer().connected());
  test::shared_postgres().resume();
  how.statement_timeout = 60s;
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

TEST_F(BatchWriter, NoticesADeadServerWhileIdle) {
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.writable);
  test::shared_postgres().sql("CHECKPOINT", "postgres"); // what earlier tests wrote need not be recovered
  test::shared_postgres().kill_hard();
  EXPECT_TRUE(work_until([&] { return !status.writable; }));
  test::shared_postgres(); // starts it again
  EXPECT_TRUE(work_until([&] { return status.writable.load(); }));
}

TEST_F(BatchWriter, IsFencedByANewerEpochAndTakesOverAfreshForItsBatch) {
  ASSERT_TRUE(connect());
  run_sql(url, "UPDATE shard_owners SET epoch = epoch + 1");
  send(1, vote(1, 1));
  EXPECT_TRUE(work_until([&] { return !writer().connected(); }));
  // Refused, so certainly not stored: nobody is in doubt.
  EXPECT_EQ(count(1, write_result::in_doubt), 0u);
  EXPECT_EQ(how_many(url, "votes"), 0);
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(how_many(url, "votes"), 1);
}

TEST_F(BatchWriter, StandsDownWhenAnotherProcessHasTakenOver) {
  ASSERT_TRUE(connect());
  int stood_down = 0;
  status.when_superseded = [&stood_down] { ++stood_down; };
  store_status newer_status;
  batch_writer newer{how, newer_status, [](const write_listener&, const write_outcome&) {},
                     postgres_sessions(how, "credence-writer")};
  const auto until = steady_clock::now() + in_time;
  while (!newer.connected() && steady_clock::now() < until)
    newer.work();
  ASSERT_TRUE(newer_status.writable);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::not_written), 1u);
  EXPECT_TRUE(status.superseded);
  EXPECT_FALSE(status.writable);
  EXPECT_EQ(stood_down, 1);
  send(2, vote(2, 1));
  EXPECT_EQ(count(2, write_result::not_written), 1u);
  EXPECT_EQ(how_many(url, "votes"), 0);
  EXPECT_FALSE(newer_status.superseded);
}

TEST_F(BatchWriter, FindsItsLastBatchAlsoWhenAnotherProcessHasWrittenSince) {
  test::cutting_proxy proxy{test::shared_postgres().directory().string()};
  how.database_url = secret{proxy.through(url)};
  ASSERT_TRUE(connect());
  proxy.cut_next(test::cutting_proxy::moment::after);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_until([&] { return !writer().connected(); }));
  ASSERT_EQ(count(1, write_result::in_doubt), 1u);
  how.database_url = secret{url};
  store_status newer_status;
  std::uint32_t stored = 0;
  batch_writer newer{how, newer_status,
                     [&](const write_listener&, const write_outcome& outcome) {
                       stored += outcome.result == write_result::stored ? outcome.count : 0;
                     },
                     postgres_sessions(how, "credence-writer")};
  const auto until = steady_clock::now() + in_time;
  while (!newer.connected() && steady_clock::now() < until)
    newer.work();
  newer.take({{2, 0}, vote(2, 1), write_listener{}, until});
  while (stored == 0 && steady_clock::now() < until)
    newer.work();
  ASSERT_EQ(stored, 1u);
  ASSERT_TRUE(work_until([&] { return status.superseded.load(); }));
  EXPECT_EQ(count(1, write_result::stored), 1u) << "it is there, whoever has come since";
}

TEST_F(BatchWriter, NoticesWithoutAWriteThatAnotherProcessHasTakenOver) {
  ASSERT_TRUE(connect());
  run_sql(url, "UPDATE shard_owners SET owner = 'somebody else', epoch = epoch + 1");
  EXPECT_TRUE(work_until([&] { return status.superseded.load(); }));
  EXPECT_FALSE(status.writable);
}

TEST_F(BatchWriter, KnowsThatItOwnsItsDataWhileItIsIdleAndWhileItWrites) {
  EXPECT_FALSE(status.may_read());
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.may_read());
  const auto first = status.owned_at_ns.load();
  ASSERT_TRUE(work_until([&] { return status.owned_at_ns > first; })) << "it asks by itself";
  const auto idle = status.owned_at_ns.load();
  const auto before = boot_now().count();
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_GT(status.owned_at_ns, idle) << "a batch tells as well";
  EXPECT_GE(status.owned_at_ns, before);
}

TEST_F(BatchWriter, GoesOnKnowingWhileBatchesAreRefused) {
  how.statement_timeout = settings::store{}.statement_timeout; // half of it is less than the lease
  ASSERT_TRUE(connect());
  auto holder = test::look_into(url);
  transaction held{holder, steady_clock::now() + in_time};
  holder.exec("LOCK TABLE votes", steady_clock::now() + in_time);
  send(1, vote(1, 1));
  const auto until = steady_clock::now() + 4s; // longer than the lease, shorter than the server lets a transaction idle
  bool always = true;
  auto looked = steady_clock::now();
  work_until([&] {
    const auto before = std::exchange(looked, steady_clock::now());
    always = always && (status.may_read() || looked - before > 2s); // such a pause was the machine's
    return looked > until;
  });
  EXPECT_TRUE(always);
}

/// What the wall clock is ahead, for a clock source without state.
std::chrono::seconds jumped{0};
std::chrono::microseconds followed{0};

TEST_F(BatchWriter, TakesNoWritesWhileTheClocksDiffer) {
  jumped = 0s;
  followed = {};
  clocks = {[] { return wall_now() + jumped; }, [](std::chrono::microseconds ahead) { followed = ahead; }};
  ASSERT_TRUE(connect());
  EXPECT_TRUE(status.writable);
  const auto good = followed;
  EXPECT_NE(good.count(), 0);
  jumped = 3 * 366 * 24h;
  EXPECT_TRUE(work_until([&] { return !status.writable; }));
  EXPECT_EQ(status.clock, clock_verdict::differs);
  EXPECT_TRUE(status.may_read());
  EXPECT_LT(followed, good + 1h) << "nobody follows it";
  jumped = 0s;
  EXPECT_TRUE(work_until([&] { return status.writable.load(); }));
  EXPECT_EQ(status.clock, clock_verdict::good);
}

TEST_F(BatchWriter, StandsDownWhenItsVotesAreGoneFromTheDatabase) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  // As after a restore from a backup made before that vote.
  run_sql(url, "UPDATE shard_owners SET sequence = sequence - 1, last_seq = last_seq - 1");
  send(1, vote(1, 2));
  ASSERT_TRUE(work_off());
  EXPECT_TRUE(status.superseded);
  EXPECT_EQ(count(1, write_result::not_written), 1u);
}

TEST_F(BatchWriter, DoesNotWriteToASchemaOfAnotherBuild) {
  run_sql(url, "INSERT INTO schema_migrations (version, name, checksum) SELECT version + 1, 'of the future', checksum"
               " FROM schema_migrations ORDER BY version DESC LIMIT 1");
  const auto until = steady_clock::now() + 300ms;
  EXPECT_TRUE(work_until([&] { return steady_clock::now() > until; }));
  EXPECT_FALSE(status.owned);
  EXPECT_FALSE(writer().connected());
}

} // namespace
} // namespace credence::persistence
