#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

namespace credence::test {
namespace {

constexpr int author = 3;

/// The whole service with an entity more, from the socket to the table.
struct Notes : testing::Test {
  Notes() { server.start({"--admin", "1"}); }

  http_response post(const std::string& target, const std::string& body, const std::string& key = {}) {
    return server.client().send("POST", "/api/v2/notes" + target, with_json(by_bearer(server.token(author)), key),
                                body);
  }
  std::string get(const std::string& target) { return server.client().get("/api/v2/notes/3" + target).body; }
  std::string rows() { return server.database().sql("SELECT count(*) FROM notes"); }

  service server;
};

TEST_F(Notes, AreWrittenEditedArchivedAndRead) {
  const auto written = ok(post("", R"({"text":"first thoughts"})"));
  EXPECT_EQ(json_number(written.body, "/id"), 1);
  ASSERT_EQ(post("", R"({"text":"a second note"})").status, 200);
  EXPECT_EQ(json_text(post("/1/edit", R"({"text":"second thoughts"})").body, "/text"), "second thoughts");
  EXPECT_EQ(json_text(get(""), "/values/0/text"), "second thoughts");
  ASSERT_EQ(post("/1/archive", "{}").status, 200);
  EXPECT_EQ(json_text(get(""), "/values/0/text"), "a second note");
  EXPECT_TRUE(has(get("/1"), R"("archived":true)"));
  EXPECT_EQ(post("/1/edit", R"({"text":"too late"})").status, 404);
  EXPECT_EQ(server.client().get("/api/v2/notes/3/9").status, 404);
}

TEST_F(Notes, SayWhatIsWrong) {
  for (const auto* body : {"", "{}", "[]", R"({"text":""})", R"({"text":7})"})
    EXPECT_EQ(post("", body).status, 400) << body;
  const auto longest = R"({"text":")" + std::string(280, 'x');
  EXPECT_EQ(post("", longest + R"(x"})").status, 400);
  EXPECT_EQ(post("", longest + R"("})").status, 200);
  EXPECT_EQ(server.client().send("POST", "/api/v2/notes", with_json({}), R"({"text":"by nobody"})").status, 401);
  EXPECT_EQ(rows(), "1");
}

TEST_F(Notes, OutliveTheServer) {
  std::vector<std::string> acknowledged;
  for (int i = 0; i < 20; ++i)
    if (post("", R"({"text":"note )" + std::to_string(i) + R"("})").status == 200)
      acknowledged.push_back("note " + std::to_string(i));
  server.kill_hard();
  server.start({"--admin", "1"});
  const auto after = get("");
  for (std::size_t i = 0; i < acknowledged.size(); ++i)
    EXPECT_EQ(json_text(after, "/values/" + std::to_string(i) + "/text"), acknowledged[i]);
  EXPECT_EQ(json_number(post("", R"({"text":"one more"})").body, "/id"),
            static_cast<std::int64_t>(acknowledged.size()) + 1);
  EXPECT_EQ(server.command({"verify"}).code, 0) << "the numbers of notes are among those that verify looks at";
}

TEST_F(Notes, AreWrittenOnceHoweverOftenTheRequestComes) {
  const auto first = ok(post("", R"({"text":"said once"})", "of-a-note"));
  server.kill_hard();
  server.start({"--admin", "1"});
  EXPECT_EQ(post("", R"({"text":"said once"})", "of-a-note").body, first.body);
  EXPECT_EQ(post("", R"({"text":"said otherwise"})", "of-a-note").status, 422);
  ASSERT_EQ(post("/1/edit", R"({"text":"edited"})", "of-an-edit").status, 200);
  EXPECT_EQ(json_text(post("/1/edit", R"({"text":"edited"})", "of-an-edit").body, "/text"), "edited");
  EXPECT_EQ(rows(), "1");
}

} // namespace
} // namespace credence::test
