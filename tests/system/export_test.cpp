#include "tests/build_paths.hpp"
#include "tests/each_of.hpp"
#include "tests/large.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/service.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>

namespace credence::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

/// A cluster for the tests of a suite, with a database `rich` that has some of everything, and a directory for each
/// test.
struct moving : testing::Test {
  static void SetUpTestSuite() {
    cluster() = std::make_unique<private_postgres>();
    made("rich");
    const auto filled = on(
      "rich", {"--profiles", "120", "--projects", "9", "--votes", "3000", "--writers", "60", "--quiet"}, built::demo);
    ASSERT_EQ(filled.code, 0) << filled.err;
  }
  static void TearDownTestSuite() { cluster().reset(); }

  static std::unique_ptr<private_postgres>& cluster() {
    static std::unique_ptr<private_postgres> only;
    return only;
  }
  /// A database with the schema and nothing else.
  static void made(const std::string& database) {
    const auto migrated = on(database, {"migrate", "up", "--quiet"});
    ASSERT_EQ(migrated.code, 0) << migrated.err;
  }
  /// `credence <words…>`, or another program, on a database.
  static finished on(const std::string& database, std::vector<std::string> words,
                     const std::string& program = built::executable) {
    static const scratch_directory data{"moving-data"};
    words.insert(words.begin(), program);
    words.insert(words.end(), {"--database-url", cluster()->url(database), "--data-dir", data.path().string()});
    return run_program(words);
  }
  static std::string sql(const std::string& text, const std::string& database = "rich") {
    return cluster()->sql(text, database);
  }
  static std::string count(const std::string& of, const std::string& database = "rich") {
    return sql("SELECT count(*) FROM " + of, database);
  }

  /// An export of `rich` into a directory; the rest of the words follow.
  finished into(const std::string& directory, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"export", "--to", (home / directory).string(), "--quiet"});
    return on("rich", words);
  }
  std::string file(const std::string& directory, const std::string& name) {
    return text_of_file(home / directory / name);
  }

  const scratch_directory scratch{"moving"};
  const std::filesystem::path home = scratch.path();
};

namespace {

namespace fs = std::filesystem;

class Export : public moving {};

TEST_F(Export, HasEveryRowOnceAsAnObjectALineAndAManifestThatCountsThem) {
  const auto done = into("all");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto manifest = file("all", "manifest.json");
  EXPECT_TRUE(has(manifest, R"("complete":true)"));
  simdjson::dom::parser parser;
  simdjson::dom::element told;
  ASSERT_FALSE(parser.parse(manifest).get(told));
  simdjson::dom::array files;
  ASSERT_FALSE(told["files"].get(files));
  std::set<std::string> entities;
  for (const auto each : files) {
    const std::string name{each["entity"].get_string().value()};
    entities.insert(name);
    const auto path = home / "all" / std::string{each["file"].get_string().value()};
    const auto text = text_of_file(path);
    EXPECT_EQ(each["rows"].get_int64().value(), static_cast<std::int64_t>(lines_of(text).size())) << name;
    EXPECT_EQ(each["bytes"].get_int64().value(), static_cast<std::int64_t>(text.size())) << name;
    const auto summed = run_program({"sha256sum", path.string()});
    EXPECT_EQ(summed.out.substr(0, 64), each["sha256"].get_string().value()) << name;
    simdjson::dom::parser each_line;
    std::set<std::string> all;
    for (const auto& line : lines_of(text)) {
      EXPECT_FALSE(each_line.parse(line).error()) << line;
      EXPECT_TRUE(all.insert(line).second) << "twice: " << line;
    }
    struct stat about {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u) << name;
  }
  for (const auto& [name, table] : {std::pair{"votes", "votes"},
                                    {"reviews", "reviews"},
                                    {"vouches", "vouches"},
                                    {"replies", "replies"},
                                    {"trades", "market_trades"},
                                    {"slashes", "slashes"},
                                    {"slash-votes", "slash_votes"},
                                    {"scores", "score_history"},
                                    {"people", "users"},
                                    {"projects", "projects"},
                                    {"addresses", "addresses"}}) {
    EXPECT_TRUE(entities.contains(name)) << name;
    EXPECT_EQ(std::to_string(lines_of(file("all", std::string{name} + ".ndjson")).size()), count(table)) << name;
  }
  const auto votes = lines_of(file("all", "votes.ndjson"));
  ASSERT_FALSE(votes.empty());
  const auto& vote = votes.front();
  EXPECT_TRUE(vote.starts_with(R"({"projectId":1,"number":1,"profileId":)")) << vote;
  const auto at = sql("SELECT to_char(cast_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM votes "
                      "WHERE project_id = 1 AND number = 1");
  EXPECT_TRUE(has(vote, "\"castAt\":\"" + at + "\"")) << at;
  EXPECT_TRUE(has(file("all", "vouches.ndjson"), R"("stakedWei":")")) << "money is digits in a text";
}

TEST_F(Export, OfOneEntityGoesToStandardOutputAndOfARangeHasItsBeginAndNotItsEnd) {
  const auto moment = [&](int number) {
    return sql("SELECT to_char(cast_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM votes ORDER BY "
               "cast_at, seq OFFSET "
               + std::to_string(number) + " LIMIT 1");
  };
  const auto from = moment(100);
  const auto until = moment(300);
  const auto wanted = count("votes WHERE cast_at >= '" + from + "' AND cast_at < '" + until + "'");
  const auto done = on("rich", {"export", "votes", "--since", from, "--until", until, "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(std::to_string(lines_of(done.out).size()), wanted);
  EXPECT_TRUE(has(done.out, from));
  EXPECT_FALSE(has(done.out, until));
  EXPECT_EQ(std::to_string(lines_of(on("rich", {"export", "people", "--since", until, "--quiet"}).out).size()),
            count("users"))
    << "people are whole whatever the range";
}

TEST_F(Export, RefusesWhatItCannotDo) {
  for (const auto& [words, says] : {std::pair{std::vector<std::string>{"votes", "reviews"}, "--to DIRECTORY"},
                                    {{"votes", "--since", "yesterday"}, "yesterday"},
                                    {{"votes", "--since", ""}, "--since: must not be empty"},
                                    {{"--describe", "--format", "csv"}, "--describe only tells"},
                                    {{"votes", "--to", ""}, "--to: must not be empty"},
                                    {{"votes", "--since", "2026-03-02T00:00:00Z", "--until", "2026-03-01T00:00:00Z"},
                                     "--since must be before --until"},
                                    {{"keys"}, "keys"},
                                    {{"--resume"}, "--to"},
                                    {{"--resume", "--to", (home / "x").string(), "votes"}, "manifest"}}) {
    std::vector<std::string> all{"export"};
    all.insert(all.end(), words.begin(), words.end());
    const auto refused = on("rich", all);
    EXPECT_EQ(refused.code, 2) << says;
    EXPECT_TRUE(has(refused.err, says));
  }
  ASSERT_EQ(into("once", {"periods"}).code, 0);
  EXPECT_EQ(into("once", {"periods"}).code, 2) << "it is not written over";
  fs::create_directory(home / "mine");
  std::ofstream{home / "mine" / "votes.ndjson"} << "something of somebody";
  EXPECT_EQ(into("mine", {"votes"}).code, 2);
  EXPECT_EQ(file("mine", "votes.ndjson"), "something of somebody");
}

/// Cuts a file as the end of a process would, and tells the manifest that it is not whole.
void cut(const fs::path& directory, const std::string& name, std::uintmax_t bytes) {
  fs::resize_file(directory / name, bytes);
  auto manifest = text_of_file(directory / "manifest.json");
  const auto entry = manifest.find("\"file\":\"" + name + "\"");
  const auto figures = manifest.find(",\"rows\"", entry);
  manifest.erase(figures, manifest.find('}', figures) - figures);
  std::ofstream{directory / "manifest.json"} << manifest;
}

TEST_F(Export, ThatWasCutOffGoesOnBehindTheLastWholeRow) {
  sql("UPDATE reviews SET comment = E'one, \"two\"\\nthree' WHERE id % 3 = 0");
  for (const std::string format : {"ndjson", "csv"}) {
    ASSERT_EQ(into("whole" + format, {"--format", format}).code, 0);
    for (const std::string entity : {"votes", "vouches", "reviews", "addresses", "slash-votes"}) {
      const auto name = entity + "." + format;
      const auto whole = file("whole" + format, name);
      ASSERT_GT(whole.size(), 500u) << name;
      // Behind a row, within one, within the header, before everything.
      for (const auto bytes : {whole.rfind('\n', whole.size() / 2) + 1, whole.size() / 2, whole.size() / 3,
                               std::size_t{9}, std::size_t{0}}) {
        cut(home / ("whole" + format), name, bytes);
        const auto on = into("whole" + format, {"--resume"});
        ASSERT_EQ(on.code, 0) << on.err;
        EXPECT_EQ(file("whole" + format, name), whole) << name << " cut at " << bytes;
        EXPECT_TRUE(
          has(on.out, run_program({"sha256sum", (home / ("whole" + format) / name).string()}).out.substr(0, 64)));
      }
    }
  }
}

TEST_F(Export, OfCsvQuotesWhatWouldEndAFieldAndTellsAnEmptyTextFromNone) {
  sql("UPDATE users SET description = E'comma, \"quote\"\\nline' WHERE id = 1; UPDATE users SET description = '' WHERE "
      "id = 2;"
      " UPDATE users SET description = NULL WHERE id = 3");
  const auto done = on("rich", {"export", "people", "--format", "csv", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.starts_with("id,profileId,primaryAddress,displayName,username,avatarUrl,description,"))
    << done.out.substr(0, 200);
  EXPECT_TRUE(
    has(done.out, ",\"comma, \"\"quote\"\"\nline\",ACTIVE", "\r\n2,2,", "2.png,\"\",ACTIVE", "3.png,,ACTIVE"));
  EXPECT_TRUE(done.out.ends_with("\r\n"));
}

TEST(ExportBesideAServer, HasWhatWasAcknowledgedBeforeItBeganWhileManyGoOnVoting) {
  service server;
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  std::mutex guard;
  std::set<std::string> acknowledged;
  std::jthread crowd{[&](const std::stop_token& over) {
    auto asking = server.client();
    for (int voter = 11; voter <= 60 && !over.stop_requested(); ++voter)
      for (int project = 1; project <= 3; ++project)
        if (asking
              .post("/api/v2/projects/" + std::to_string(project) + "/votes", R"({"voteType":"BULLISH"})",
                    server.token(voter))
              .status
            == 200) {
          const std::lock_guard lock{guard};
          acknowledged.insert(R"("projectId":)" + std::to_string(project) + ",\"profileId\":" + std::to_string(voter));
        }
  }};
  const auto before = [&] {
    const std::lock_guard lock{guard};
    return acknowledged;
  };
  ASSERT_TRUE(comes_true([&] { return before().size() >= 10; }));
  const auto expected = before();
  const auto done = server.command({"export", "votes", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  std::set<std::string> found;
  for (const auto& line : lines_of(done.out)) {
    simdjson::dom::parser parser;
    const auto row = parser.parse(line);
    found.insert(R"("projectId":)" + std::to_string(row["projectId"].get_int64().value())
                 + ",\"profileId\":" + std::to_string(row["profileId"].get_int64().value()));
  }
  EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end())) << done.out;
}

TEST(ExportLarge, OfManyVotesTakesNoMoreMemoryThanOfFew) {
  service server{{.profiles = large(20000), .projects = 100, .votes = large(1000000)}};
  const scratch_directory scratch{"export-large"};
  const auto done = run_program(
    {"python3", "-c",
     "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
     " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
     built::executable, "export", "votes", "--to", (scratch.path() / "votes").string(), "--quiet", "--database-url",
     server.database().url()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_LT(std::stol(done.out), 64 * 1024) << "KiB";
  EXPECT_TRUE(
    has(text_of_file(scratch.path() / "votes" / "manifest.json"), "\"rows\":" + std::to_string(large(1000000)) + ","));
}

TEST(ExportPages, TellOfEveryMemberAsTheExecutableDoes) {
  const auto page = text_of_file(fs::path{built::source} / "docs/moving.md");
  const auto told = run_program({built::executable, "export", "--describe"});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(has(page, told.out)) << "docs/moving.md must hold what `credence export --describe` prints:\n"
                                   << told.out;
}

struct Import : moving {
  finished take(const std::string& database, const fs::path& from, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"import", from.string(), "--quiet"});
    return on(database, words);
  }
  /// A file of lines in a directory of this test.
  void write(const std::string& directory, const std::string& name, const std::string& lines) {
    fs::create_directories(home / directory);
    std::ofstream{home / directory / name} << lines;
  }
  /// Two profiles, a project and the period of 2025/1.
  void write_community(const std::string& directory) {
    write(
      directory, "people.ndjson",
      R"({"id":1,"profileId":1,"primaryAddress":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","displayName":"Ada","username":"ada","createdAt":"2025-03-01T09:00:00Z"})"
      "\n"
      R"({"id":2,"profileId":2,"primaryAddress":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","invitedBy":1,"createdAt":"2025-03-02T09:00:00Z"})"
      "\n");
    write(
      directory, "projects.ndjson",
      R"({"id":1,"userkey":"service:x.com:1500000000000611953","displayName":"Lanternswap","createdAt":"2025-04-01T09:00:00Z"})"
      "\n");
    write(directory, "periods.ndjson",
          R"({"id":1,"year":2025,"period":1,"startsAt":"2025-04-01T00:00:00Z","endsAt":"2025-05-01T00:00:00Z"})"
          "\n");
  }
  /// All rows. What sequences gave out stays given out whatever becomes of a transaction.
  std::string dump(const std::string& database) {
    const auto out = run_program({"/usr/lib/postgresql/15/bin/pg_dump", "-h", cluster()->directory().string(), "-U",
                                  "postgres", "-d", database, "--data-only"});
    EXPECT_EQ(out.code, 0) << out.err;
    return std::regex_replace(out.out, std::regex{R"(\\(un)?restrict [A-Za-z0-9]+|SELECT pg_catalog\.setval\([^\n]*)"},
                              "");
  }
  void expect_sound(const std::string& database) {
    const auto verified = on(database, {"verify", "--quiet"});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const auto scored = on(database, {"score", "recompute", "--check", "--quiet"});
    EXPECT_EQ(scored.code, 0) << scored.out << scored.err;
  }
};

/// The members of lines that are worked out here, or that do not move.
std::string without_figures(const std::string& lines) {
  return std::regex_replace(lines,
                            std::regex{R"re("(score|xpTotal)":[0-9]+|"humanVerificationStatus":("[^"]*"|null))re"}, "");
}

/// Of an account of somebody who has not joined only what names it comes with the record or the project.
std::string without_names(const std::string& lines) {
  return std::regex_replace(lines, std::regex{R"re("(username|url|createdAt)":("[^"]*"|null))re"}, "");
}

TEST_F(Import, OfAnExportIntoAnEmptyServiceIsExportedAsTheSameAgain) {
  ASSERT_EQ(into("before").code, 0);
  made("copied");
  const auto done = take("copied", home / "before");
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(done.out, "not imported: slashes.ndjson"));
  expect_sound("copied");
  ASSERT_EQ(on("copied", {"export", "--to", (home / "behind").string(), "--quiet"}).code, 0);
  for (const auto* same :
       {"votes", "periods", "projects", "reviews", "vouches", "replies", "activity-votes", "categories", "chains"}) {
    const auto name = std::string{same} + ".ndjson";
    EXPECT_FALSE(file("before", name).empty()) << name;
    EXPECT_EQ(file("behind", name), file("before", name)) << name;
  }
  EXPECT_EQ(without_figures(file("behind", "people.ndjson")), without_figures(file("before", "people.ndjson")));
  EXPECT_EQ(without_names(file("behind", "attestations.ndjson")), without_names(file("before", "attestations.ndjson")));

  const auto dumped = dump("copied");
  const auto again = take("copied", home / "before");
  ASSERT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_TRUE(has(again.out, "votes.ndjson\t3000\t0\t3000\t0\t0\n"));
  ASSERT_EQ(on("copied", {"export", "--to", (home / "twice").string(), "--quiet"}).code, 0);
  for (const auto* each :
       {"votes", "people", "projects", "reviews", "vouches", "replies", "activity-votes", "addresses", "attestations"})
    EXPECT_EQ(file("twice", std::string{each} + ".ndjson"), file("behind", std::string{each} + ".ndjson")) << each;
  EXPECT_EQ(dump("copied"), dumped);
  EXPECT_EQ(sql("SELECT last_seq FROM shard_owners WHERE shard = 1", "copied"),
            sql("SELECT max(seq) FROM (SELECT seq FROM votes UNION ALL"
                " SELECT seq FROM reviews UNION ALL SELECT seq FROM replies) s",
                "copied"));
}

TEST_F(Import, OfADryRunTellsTheSameAndWritesNothing) {
  ASSERT_EQ(into("before").code, 0);
  made("dry");
  const auto before = dump("dry");
  const auto tried = take("dry", home / "before", {"--dry-run"});
  ASSERT_EQ(tried.code, 0) << tried.out << tried.err;
  EXPECT_EQ(dump("dry"), before);
  const auto done = take("dry", home / "before");
  EXPECT_EQ(done.out.substr(0, done.out.find("not imported")), tried.out.substr(0, tried.out.find("not imported")));
}

TEST_F(Import, RefusesWhatTheApiWouldRefuseByLineAndThenImportsNothing) {
  write_community("mixed");
  write("mixed", "votes.ndjson",
        R"({"projectId":1,"profileId":1,"year":2025,"period":1,"voteType":"BULLISH","castAt":"2025-04-03T10:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":1,"year":2025,"period":1,"voteType":"BEARISH","castAt":"2025-04-03T11:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":2,"year":2025,"period":1,"voteType":"MAYBE","castAt":"2025-04-03T11:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":9,"year":2025,"period":1,"voteType":"BULLISH","castAt":"2025-04-03T11:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":2,"year":2024,"period":7,"voteType":"BULLISH","castAt":"2025-04-03T11:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":2,"year":2025,"period":1,"voteType":"BULLISH","castAt":"2025-04-02T10:00:00Z"})"
        "\nno JSON\n");
  write(
    "mixed", "reviews.ndjson",
    R"({"id":1,"authorProfileId":1,"subject":"address:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","score":"positive","comment":"me","createdAt":"2025-04-04T10:00:00Z"})"
    "\n"
    R"({"id":2,"authorProfileId":1,"subject":"address:0x70997970c51812dc3a010c7d01b50e0d17dc79c8","score":"positive","comment":"","createdAt":"2025-04-04T10:00:00Z"})"
    "\n"
    R"({"id":3,"authorProfileId":1,"subject":"address:0x70997970c51812dc3a010c7d01b50e0d17dc79c8","score":"positive","comment":"fine","createdAt":"2199-04-04T10:00:00Z"})"
    "\n"
    R"({"id":4,"authorProfileId":1,"subject":"address:0x70997970c51812dc3a010c7d01b50e0d17dc79c8","score":"positive","comment":"fine","createdAt":"2025-04-04T10:00:00Z"})"
    "\n");
  made("mixed");
  const auto before = dump("mixed");
  const auto refused = take("mixed", home / "mixed");
  EXPECT_EQ(refused.code, 1);
  for (const auto* says :
       each_of("refused votes.ndjson:2 ALREADY_VOTED", "refused votes.ndjson:3 ", "BULLISH or BEARISH, not ",
               "refused votes.ndjson:4 ", "profile 9", "refused votes.ndjson:5 ", "2024/7", "refused votes.ndjson:6 ",
               "refused votes.ndjson:7 ", "refused reviews.ndjson:1 CANNOT_REVIEW_SELF", "refused reviews.ndjson:2 ",
               "comment must have 1 to", "refused reviews.ndjson:3 ", "to come", "votes.ndjson\t7\t1\t0\t0\t6\n",
               "reviews.ndjson\t4\t1\t0\t0\t3\n", "refused with CANNOT_REVIEW_SELF: 1\n", "nothing was imported"))
    EXPECT_TRUE(has(refused.out, says)) << says << " is missing in:\n" << refused.err;
  EXPECT_EQ(dump("mixed"), before);
  const auto rest = take("mixed", home / "mixed", {"--skip-refused"});
  EXPECT_EQ(rest.code, 0) << rest.out << rest.err;
  EXPECT_EQ(count("votes", "mixed"), "1");
  EXPECT_EQ(count("reviews", "mixed"), "1");
  EXPECT_EQ(count("profiles", "mixed"), "2");
  EXPECT_EQ(sql("SELECT act FROM audit_log ORDER BY number DESC LIMIT 1", "mixed"), "imported");
  expect_sound("mixed");
}

TEST_F(Import, IntoAServiceThatHasPeopleGivesTheNextIdsAndKeepsWhoWroteWhat) {
  made("joined");
  write_community("first");
  ASSERT_EQ(take("joined", home / "first").code, 0);
  write(
    "second", "people.ndjson",
    R"({"id":31,"profileId":17,"primaryAddress":"0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc","displayName":"Cleo","createdAt":"2025-05-01T09:00:00Z"})"
    "\n"
    R"({"id":30,"profileId":16,"primaryAddress":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","displayName":"Ada","createdAt":"2025-03-01T09:00:00Z"})"
    "\n");
  write(
    "second", "reviews.ndjson",
    R"({"id":5,"authorProfileId":16,"subject":"address:0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc","score":"negative","comment":"late","createdAt":"2025-05-04T10:00:00Z"})"
    "\n");
  write(
    "second", "replies.ndjson",
    R"({"id":8,"authorProfileId":17,"targetType":"review","targetId":5,"content":"Sorry","createdAt":"2025-05-05T10:00:00Z"})"
    "\n");
  const auto done = take("joined", home / "second");
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(done.out, "people.ndjson\t2\t1\t1\t0\t0\n"));
  EXPECT_EQ(
    sql("SELECT u.display_name || p.id FROM profiles p JOIN users u ON u.id = p.user_id ORDER BY p.id DESC LIMIT 1",
        "joined"),
    "Cleo3");
  EXPECT_EQ(sql("SELECT author_profile FROM reviews", "joined"), "1");
  EXPECT_EQ(sql("SELECT author_profile || '/' || target_id FROM replies", "joined"), "3/1");
  expect_sound("joined");
}

TEST_F(Import, TakesVotesOfSeveralPeriodsWhateverTheirOrderAndWithoutALastLineEnd) {
  made("periods");
  write_community("periods");
  write("periods", "periods.ndjson",
        R"({"id":1,"year":2025,"period":1,"startsAt":"2025-04-01T00:00:00Z","endsAt":"2025-05-01T00:00:00Z"})"
        "\n"
        R"({"id":2,"year":2025,"period":2,"startsAt":"2025-05-01T00:00:00Z","endsAt":"2025-06-01T00:00:00Z"})"
        "\n");
  write("periods", "votes.ndjson",
        R"({"projectId":1,"profileId":1,"year":2025,"period":2,"voteType":"BULLISH","castAt":"2025-05-02T09:00:00Z"})"
        "\n"
        R"({"projectId":1,"profileId":2,"year":2025,"period":1,"voteType":"BEARISH","castAt":"2025-04-02T09:00:00Z"})");
  const auto done = take("periods", home / "periods");
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(sql("SELECT string_agg(voter_id || ' in ' || period_id, ', ' ORDER BY number) FROM votes", "periods"),
            "2 in 1, 1 in 2");
  write("late", "votes.ndjson",
        R"({"projectId":1,"profileId":2,"year":2025,"period":2,"voteType":"BEARISH","castAt":"2025-04-20T09:00:00Z"})"
        "\n");
  const auto refused = take("periods", home / "late");
  EXPECT_EQ(refused.code, 1) << refused.out;
  EXPECT_TRUE(has(refused.out, "refused votes.ndjson:1 BAD_REQUEST castAt is before the voting period"));
  expect_sound("periods");
}

TEST_F(Import, TakesPeopleInTheOrderOfTheirProfiles) {
  made("ordered");
  write(
    "order", "people.ndjson",
    R"({"id":1,"profileId":2,"primaryAddress":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","invitedBy":1,"createdAt":"2025-03-02T09:00:00Z"})"
    "\n"
    R"({"id":2,"profileId":1,"primaryAddress":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","createdAt":"2025-03-01T09:00:00Z"})");
  const auto done = take("ordered", home / "order");
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(sql("SELECT string_agg(id || ' is user ' || user_id || ', by ' || coalesce(invited_by, 0), '; ' ORDER BY "
                "id) FROM profiles",
                "ordered"),
            "1 is user 2, by 0; 2 is user 1, by 1");
}

TEST_F(Import, RefusesToBeginBesideAServerAndWhatItDoesNotTake) {
  write_community("some");
  service server;
  server.start();
  EXPECT_TRUE(ended(server.command({"import", (home / "some").string()}), 1, "a server is running"));
  EXPECT_EQ(server.client().get("/readyz").status, 200) << "and leaves it alone";
  write("odd", "tips.ndjson", "{}\n");
  EXPECT_EQ(on("rich", {"import", (home / "odd" / "tips.ndjson").string()}).code, 2);
  EXPECT_EQ(on("rich", {"import", (home / "odd").string()}).code, 2);
  EXPECT_EQ(on("rich", {"import", (home / "nowhere").string()}).code, 2);
}

TEST(ImportServed, WhatWasImportedIsServedAndVotedOn) {
  service from;
  const scratch_directory scratch{"import-served"};
  const auto directory = (scratch.path() / "all").string();
  ASSERT_EQ(from.command({"export", "--to", directory, "--quiet"}).code, 0);
  const auto url = from.database().url("fresh");
  const auto on_fresh = [&](std::vector<std::string> words) {
    words.insert(words.begin(), built::executable);
    words.insert(words.end(), {"--database-url", url, "--data-dir", (scratch.path() / "data").string()});
    return run_program(words);
  };
  ASSERT_EQ(on_fresh({"migrate", "up", "--quiet"}).code, 0);
  const auto taken = on_fresh({"import", directory, "--quiet"});
  ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
  from.start();
  const auto totals = [&] {
    const auto body = from.client().get("/api/v2/projects/1/voters?scope=global&limit=0").body;
    return body.substr(body.find("\"totals\""));
  };
  const auto before = totals();
  ASSERT_EQ(from.terminate(), 0);
  from.reach_database_by(url);
  from.start();
  EXPECT_EQ(totals(), before);
  ASSERT_EQ(from.client().post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", from.token(1)).status, 200);
  EXPECT_EQ(from.database().sql("SELECT count(*) FROM votes", "fresh"),
            std::to_string(std::stoi(from.database().sql("SELECT count(*) FROM votes")) + 1));
}

TEST(ImportLarge, OfManyVotesIsExportedAsTheSameAgain) {
  const auto votes = large(1000000);
  service server{{.profiles = large(20000), .projects = 100, .votes = votes}};
  const scratch_directory scratch{"import-large"};
  const auto export_to = [&](const std::string& database, const std::string& directory) {
    return run_program({built::executable, "export", "--to", (scratch.path() / directory).string(), "--quiet",
                        "--database-url", server.database().url(database), "--data-dir", scratch.path().string()});
  };
  ASSERT_EQ(export_to("credence", "before").code, 0);
  const auto on_other = [&](std::vector<std::string> words) {
    words.insert(words.begin(), built::executable);
    words.insert(words.end(),
                 {"--quiet", "--database-url", server.database().url("other"), "--data-dir", scratch.path().string()});
    return run_program(words);
  };
  ASSERT_EQ(on_other({"migrate", "up"}).code, 0);
  const auto taken = on_other({"import", (scratch.path() / "before").string()});
  ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
  ASSERT_EQ(export_to("other", "behind").code, 0);
  EXPECT_EQ(run_program({"cmp", (scratch.path() / "before/votes.ndjson").string(),
                         (scratch.path() / "behind/votes.ndjson").string()})
              .code,
            0);
  const auto verified = on_other({"verify"});
  EXPECT_EQ(verified.code, 0) << verified.out;
}

} // namespace
} // namespace credence::test
