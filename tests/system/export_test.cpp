#include "tests/large.hpp"
#include "tests/system/moving.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

namespace credence::test {
namespace {

namespace fs = std::filesystem;

class Export : public moving {};

TEST_F(Export, HasEveryRowOnceAsAnObjectALineAndAManifestThatCountsThem) {
  const auto done = into("all");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto manifest = file("all", "manifest.json");
  EXPECT_NE(manifest.find(R"("complete":true)"), std::string::npos) << manifest;
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
  EXPECT_NE(vote.find("\"castAt\":\"" + at + "\""), std::string::npos) << vote << at;
  EXPECT_NE(file("all", "vouches.ndjson").find(R"("stakedWei":")"), std::string::npos) << "money is digits in a text";
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
  EXPECT_NE(done.out.find(from), std::string::npos);
  EXPECT_EQ(done.out.find(until), std::string::npos);
  EXPECT_EQ(std::to_string(lines_of(on("rich", {"export", "people", "--since", until, "--quiet"}).out).size()),
            count("users"))
    << "people are whole whatever the range";
}

TEST_F(Export, RefusesWhatItCannotDo) {
  for (const auto& [words, says] : {std::pair{std::vector<std::string>{"votes", "reviews"}, "--to DIRECTORY"},
                                    {{"votes", "--since", "yesterday"}, "yesterday"},
                                    {{"keys"}, "keys"},
                                    {{"--resume"}, "--to"},
                                    {{"--resume", "--to", (home / "x").string(), "votes"}, "manifest"}}) {
    std::vector<std::string> all{"export"};
    all.insert(all.end(), words.begin(), words.end());
    const auto refused = on("rich", all);
    EXPECT_EQ(refused.code, 2) << says;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
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
        EXPECT_NE(
          on.out.find(run_program({"sha256sum", (home / ("whole" + format) / name).string()}).out.substr(0, 64)),
          std::string::npos);
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
  EXPECT_NE(done.out.find(",\"comma, \"\"quote\"\"\nline\",ACTIVE"), std::string::npos);
  EXPECT_NE(done.out.find("\r\n2,2,"), std::string::npos);
  EXPECT_NE(done.out.find("2.png,\"\",ACTIVE"), std::string::npos);
  EXPECT_NE(done.out.find("3.png,,ACTIVE"), std::string::npos);
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
  EXPECT_NE(
    text_of_file(scratch.path() / "votes" / "manifest.json").find("\"rows\":" + std::to_string(large(1000000)) + ","),
    std::string::npos);
}

TEST(ExportPages, TellOfEveryMemberAsTheExecutableDoes) {
  const auto page = text_of_file(fs::path{built::source} / "docs/moving.md");
  const auto told = run_program({built::executable, "export", "--describe"});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_NE(page.find(told.out), std::string::npos)
    << "docs/moving.md must hold what `credence export --describe` prints:\n"
    << told.out;
}

} // namespace
} // namespace credence::test
