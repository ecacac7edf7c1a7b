#include "tests/large.hpp"
#include "tests/system/moving.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace credence::test {
namespace {

namespace fs = std::filesystem;

class Import : public moving {
protected:
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
  EXPECT_NE(done.out.find("not imported: slashes.ndjson"), std::string::npos) << done.out;
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
  EXPECT_NE(again.out.find("votes.ndjson\t3000\t0\t3000\t0\t0\n"), std::string::npos) << again.out;
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
       {"refused votes.ndjson:2 ALREADY_VOTED", "refused votes.ndjson:3 ", "BULLISH or BEARISH, not ",
        "refused votes.ndjson:4 ", "profile 9", "refused votes.ndjson:5 ", "2024/7", "refused votes.ndjson:6 ",
        "refused votes.ndjson:7 ", "refused reviews.ndjson:1 CANNOT_REVIEW_SELF", "refused reviews.ndjson:2 ",
        "comment must have 1 to", "refused reviews.ndjson:3 ", "to come", "votes.ndjson\t7\t1\t0\t0\t6\n",
        "reviews.ndjson\t4\t1\t0\t0\t3\n", "refused with CANNOT_REVIEW_SELF: 1\n", "nothing was imported"})
    EXPECT_NE(refused.out.find(says), std::string::npos) << says << " is missing in:\n" << refused.out << refused.err;
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
  EXPECT_NE(done.out.find("people.ndjson\t2\t1\t1\t0\t0\n"), std::string::npos) << done.out;
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
  EXPECT_NE(refused.out.find("refused votes.ndjson:1 BAD_REQUEST castAt is before the voting period"),
            std::string::npos)
    << refused.out;
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
  const auto refused = server.command({"import", (home / "some").string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("a server is running"), std::string::npos) << refused.err;
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
