#include "persistence/migrations/migrate.hpp"

#include "tests/build_paths.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;

/// A database without any tables.
std::string blank_database() {
  static int made = 0;
  return test::shared_postgres().url("migrate_" + std::to_string(++made));
}

const std::vector<migration> three{{1, "0001_one.sql", "CREATE TABLE one (n int); INSERT INTO one VALUES (1);"},
                                   {2, "0002_two.sql", "CREATE TABLE two (n int);"},
                                   {3, "0003_three.sql", "ALTER TABLE one ADD COLUMN m int;"}};
const std::span<const migration> all_three{three};

std::vector<int> up(const std::string& url, std::span<const migration> build) {
  auto on = test::look_into(url);
  return migrate_up(on, deadline_in(in_time), build);
}

std::string states(const std::string& url, std::span<const migration> build) {
  auto on = test::look_into(url);
  std::string out;
  for (const auto& each : migration_list(on, deadline_in(in_time), build))
    out += std::to_string(each.version) + " " + each.name + " "
           + std::array{"applied", "pending", "changed", "unknown"}[static_cast<std::size_t>(each.state)] + "\n";
  return out;
}

schema_state schema_of(const std::string& url, std::span<const migration> build) {
  auto on = test::look_into(url);
  return check_schema(on, deadline_in(in_time), build);
}

/// What `up` says when it refuses; empty when it does not.
std::string refusal(const std::string& url, std::span<const migration> build) {
  try {
    up(url, build);
  } catch (const migration_error& why) {
    return why.what();
  }
  return {};
}

bool has_table(const std::string& url, const std::string& name) {
  return test::number_from(url, "SELECT (to_regclass('" + name + "') IS NOT NULL)::int") == 1;
}

TEST(Migrate, BringsAnEmptyDatabaseToTheSchemaOfThisBuild) {
  const auto url = blank_database();
  EXPECT_EQ(schema_of(url, migrations_of_this_build()), schema_state::behind);
  EXPECT_EQ(up(url, migrations_of_this_build()).size(), migrations_of_this_build().size());
  EXPECT_EQ(schema_of(url, migrations_of_this_build()), schema_state::current);
  EXPECT_TRUE(has_table(url, "votes"));
}

TEST(Migrate, AppliesEachMigrationOnce) {
  const auto url = blank_database();
  EXPECT_EQ(up(url, all_three.first(1)), (std::vector{1}));
  EXPECT_EQ(up(url, all_three), (std::vector{2, 3}));
  EXPECT_EQ(up(url, all_three), std::vector<int>{});
  EXPECT_EQ(test::how_many(url, "one"), 1);
}

TEST(Migrate, ListsWhatIsAppliedAndWhatIsPending) {
  const auto url = blank_database();
  EXPECT_EQ(states(url, all_three), "1 0001_one.sql pending\n2 0002_two.sql pending\n3 0003_three.sql pending\n");
  EXPECT_FALSE(has_table(url, "schema_migrations")) << "looking must not change anything";
  up(url, all_three.first(2));
  EXPECT_EQ(states(url, all_three), "1 0001_one.sql applied\n2 0002_two.sql applied\n3 0003_three.sql pending\n");
  EXPECT_EQ(schema_of(url, all_three), schema_state::behind);
}

TEST(Migrate, RefusesAMigrationWhoseTextHasChanged) {
  const auto url = blank_database();
  up(url, all_three.first(2));
  auto edited = three;
  edited[0].text = "CREATE TABLE one (n bigint);";
  EXPECT_EQ(schema_of(url, edited), schema_state::changed);
  EXPECT_EQ(states(url, edited), "1 0001_one.sql changed\n2 0002_two.sql applied\n3 0003_three.sql pending\n");
  EXPECT_NE(refusal(url, edited).find("0001_one.sql"), std::string::npos);
  EXPECT_EQ(states(url, all_three), "1 0001_one.sql applied\n2 0002_two.sql applied\n3 0003_three.sql pending\n");
}

TEST(Migrate, RefusesADatabaseThatIsNewer) {
  const auto url = blank_database();
  up(url, all_three);
  EXPECT_EQ(schema_of(url, all_three.first(2)), schema_state::ahead);
  EXPECT_EQ(states(url, all_three.first(2)),
            "1 0001_one.sql applied\n2 0002_two.sql applied\n3 0003_three.sql unknown\n");
  EXPECT_NE(refusal(url, all_three.first(2)).find("newer build"), std::string::npos);
}

TEST(Migrate, RefusesAGapInTheDatabase) {
  const auto url = blank_database();
  up(url, all_three);
  test::run_sql(url, "DELETE FROM schema_migrations WHERE version = 2");
  EXPECT_NE(refusal(url, all_three).find("not the one before it"), std::string::npos);
  EXPECT_EQ(test::how_many(url, "schema_migrations"), 2);
}

TEST(Migrate, RefusesAGapInTheBuild) {
  const auto url = blank_database();
  const std::vector<migration> torn{three[0], three[2]};
  EXPECT_NE(refusal(url, torn).find("0003_three.sql"), std::string::npos);
  EXPECT_FALSE(has_table(url, "one"));
}

TEST(Migrate, AFailingMigrationLeavesNothingOfItself) {
  const auto url = blank_database();
  auto broken = three;
  broken[1].text = "CREATE TABLE two (n int); CREATE TABLE two (n int);";
  EXPECT_THROW(up(url, broken), database_error);
  EXPECT_FALSE(has_table(url, "two"));
  EXPECT_EQ(states(url, all_three), "1 0001_one.sql applied\n2 0002_two.sql pending\n3 0003_three.sql pending\n");
  EXPECT_EQ(up(url, all_three), (std::vector{2, 3})) << "the lock must be free again";
}

/// The database of a server until 2026-11-29, as far as its migration looks: the history, and the names that have
/// changed.
std::string former_database() {
  const auto url = blank_database();
  up(url, migrations_of_this_build().first(baseline_migrations));
  test::run_sql(url, "DELETE FROM schema_migrations");
  std::ifstream history{test::built::source + "/tests/persistence/migrations/former_history.txt"};
  std::string version;
  std::string name;
  std::string checksum;
  while (history >> version >> name >> checksum)
    test::run_sql(url, "INSERT INTO schema_migrations (version, name, checksum) VALUES (" + version + ", '" + name
                         + "', '" + checksum + "')");
  for (const auto* name_of : {"pkey", "amount_check", "check", "check1", "message_check", "seq_check",
                              "source_id_check", "source_type_check"})
    test::run_sql(url, "ALTER TABLE xp_movements RENAME CONSTRAINT xp_movements_" + std::string{name_of}
                         + " TO movements_new_" + name_of);
  test::run_sql(
    url, "ALTER TABLE xp_accounts RENAME CONSTRAINT xp_accounts_pkey TO accounts_new_pkey;"
         "ALTER TABLE xp_accounts RENAME CONSTRAINT xp_accounts_profile_id_fkey TO accounts_new_profile_id_fkey;"
         "ALTER SEQUENCE xp_movements_id_seq RENAME TO movements_new_id_seq;"
         "ALTER TABLE slashes RENAME CONSTRAINT slashes_check1 TO slashes_check2;"
         "ALTER TABLE slashes RENAME CONSTRAINT slashes_check TO slashes_check1;"
         "ALTER TABLE idempotency_records RENAME CONSTRAINT idempotency_records_pkey TO idempotency_records_pkey1;"
         "ALTER FUNCTION chain_tables() RENAME TO chain_tables_of_people");
  for (const auto* each : {"to_0030", "before_slashes", "before_markets", "before_reads"})
    test::run_sql(url,
                  "CREATE FUNCTION chain_tables_" + std::string{each} + "() RETURNS int LANGUAGE sql AS 'SELECT 1'");
  test::run_sql(url, "CREATE FUNCTION chain_tables() RETURNS int LANGUAGE sql AS 'SELECT 1'");
  return url;
}

/// A line for each column, constraint, index, trigger, view and function, but whether a constraint was validated.
constexpr auto schema_lines_sql = R"(
  SELECT conrelid::regclass || ' ' || conname || ' ' || replace(pg_get_constraintdef(oid), ' NOT VALID', '') AS line FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND probin IS NULL
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'schema_migrations'
  UNION ALL SELECT viewname || ' ' || definition FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', c.relname, c.relkind, c.reloptions::text,
      a.attnum - (SELECT count(*) FROM pg_attribute b WHERE b.attrelid = a.attrelid AND b.attisdropped AND b.attnum < a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstattarget, pg_get_expr(d.adbin, d.adrelid))
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations' AND c.relname NOT LIKE 'schema_migrations%')";

std::string schema_text(const std::string& url) {
  auto on = test::look_into(url);
  const auto sql = std::string{"SELECT string_agg(line, E'\n' ORDER BY line COLLATE \"C\") FROM ("} + schema_lines_sql
                   + ") schema"
                     " WHERE line NOT LIKE 'schema_migrations %'";
  return on.exec_params(sql.c_str(), deadline_in(in_time)).value<std::string>();
}

std::string sha256_of(const std::string& url, const std::string& text) {
  auto on = test::look_into(url);
  return on
    .exec_params("SELECT encode(sha256(convert_to($1::text, 'UTF8')), 'hex')", parameters{}.text(text),
                 deadline_in(in_time))
    .value<std::string>();
}

/// The digest is that of a database which took the 53 steps, and then the step to the baseline, on 2026-11-29.
TEST(Migrate, TheBaselineIsTheSchemaThatTheStepsBeforeItMade) {
  const auto url = blank_database();
  up(url, migrations_of_this_build().first(baseline_migrations));
  const auto schema = schema_text(url);
  EXPECT_EQ(sha256_of(url, schema), "80e2724610ff65f07cb52d64a9d9dd08513e950041e300533c19981a45aae594") << schema;
}

TEST(Migrate, ADatabaseOfTheStepsBeforeTheBaselineKeepsItsRowsAndTakesTheSchemaOfTheBaseline) {
  const auto url = former_database();
  test::run_sql(url, "INSERT INTO users (id, display_name, avatar_url, status) VALUES (7, 'Ada', '', 'ACTIVE')");
  EXPECT_EQ(schema_of(url, migrations_of_this_build()), schema_state::behind);
  EXPECT_EQ(up(url, migrations_of_this_build()).size(), migrations_of_this_build().size() - baseline_migrations);
  EXPECT_EQ(schema_of(url, migrations_of_this_build()), schema_state::current);
  EXPECT_EQ(test::how_many(url, "users WHERE id = 7"), 1);
  const auto fresh = blank_database();
  up(fresh, migrations_of_this_build());
  EXPECT_EQ(schema_text(url), schema_text(fresh));
}

TEST(Migrate, ADatabaseThatTookOnlySomeOfTheStepsBeforeTheBaselineIsRefused) {
  const auto url = former_database();
  test::run_sql(url, "DELETE FROM schema_migrations WHERE version = 53");
  EXPECT_NE(schema_of(url, migrations_of_this_build()), schema_state::current);
  EXPECT_NE(refusal(url, migrations_of_this_build()).find("other steps than the 53 before the baseline"),
            std::string::npos);
}

TEST(Migrate, TwoProgramsAtOnceApplyEachMigrationOnce) {
  const auto url = blank_database();
  std::vector<std::future<std::vector<int>>> both;
  for (int i = 0; i < 2; ++i)
    both.push_back(std::async(std::launch::async, [&] { return up(url, migrations_of_this_build()); }));
  std::size_t applied = 0;
  for (auto& each : both)
    applied += each.get().size();
  EXPECT_EQ(applied, migrations_of_this_build().size());
  EXPECT_EQ(schema_of(url, migrations_of_this_build()), schema_state::current);
}

TEST(Migrate, GivesUpWhenAnotherProgramIsAtItUntilTheDeadline) {
  const auto url = blank_database();
  auto other = test::look_into(url);
  other.exec("SELECT pg_advisory_lock(x'63726564656E6365'::bigint)", deadline_in(in_time));
  auto on = test::look_into(url);
  try {
    migrate_up(on, deadline_in(100ms), all_three);
    ADD_FAILURE() << "it waits for nobody";
  } catch (const migration_error&) {
  } catch (const database_error& why) { // the deadline was over while it asked
    EXPECT_EQ(why.why(), trouble::deadline) << why.what();
  }
  EXPECT_FALSE(has_table(url, "one"));
  other.close();
  EXPECT_EQ(up(url, all_three).size(), 3u);
}

TEST(Migrate, GivesUpBehindALockedTableAndNamesWhoLocksIt) {
  const auto url = blank_database();
  up(url, all_three.first(2));
  auto reader = test::look_into(url);
  const auto until = deadline_in(in_time);
  transaction reading{reader, until};
  reader.exec("SET LOCAL application_name = 'a dump'; LOCK TABLE one IN ACCESS SHARE MODE", until);
  auto on = test::look_into(url);
  try {
    migrate_up(on, until, all_three, ops::untold(), 1s);
    ADD_FAILURE() << "the table was altered under a reader";
  } catch (const migration_error& why) {
    EXPECT_NE(std::string{why.what()}.find("0003_three.sql"), std::string::npos) << why.what();
    EXPECT_NE(std::string{why.what()}.find("a dump (process "), std::string::npos) << why.what();
  }
  EXPECT_EQ(schema_of(url, all_three), schema_state::behind);
}

TEST(Migrate, TriesAgainUntilALockedTableIsFree) {
  const auto url = blank_database();
  up(url, all_three.first(2));
  auto reader = test::look_into(url);
  const auto until = deadline_in(in_time);
  auto migrating = [&] {
    transaction reading{reader, until};
    reader.exec("LOCK TABLE one IN ACCESS SHARE MODE", until);
    auto out = std::async(std::launch::async, [&] { return up(url, all_three); });
    // Longer than a statement waits for a lock: it gives up once at least.
    EXPECT_EQ(out.wait_for(3s), std::future_status::timeout);
    return out;
  }();
  EXPECT_EQ(migrating.get(), std::vector<int>{3});
}

} // namespace
} // namespace credence::persistence
