#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <algorithm>

namespace credence::test {
namespace {

constexpr auto newcomer = "service:github:a-new-project";

/// Projects over the API, in the whole service: the demo has 8, profile 1 is an admin.
struct ProjectsOverTheApi : api_tests {
  ProjectsOverTheApi() { start(); }

  void start() { server.start({"--admin", "1", "--http-rate-limits", "false"}); }

  http_response create(const std::string& more = {}, const std::string& key = {},
                       const std::string& userkey = newcomer) {
    return send("POST", "projects/create", 1, R"({"userkey":")" + userkey + "\"" + more + "}", key);
  }
  http_response vote(int voter, int project) {
    return send("POST", "projects/" + std::to_string(project) + "/votes", voter, R"({"voteType":"BULLISH"})");
  }
  std::string rows() { return sql("SELECT count(*) FROM projects"); }
  void start_again() {
    server.kill_hard();
    start();
  }
};

TEST_F(ProjectsOverTheApi, AreVotedOnAtOnceAndListed) {
  const auto made = ok(create(
    R"(,"name":"A New Project","username":"a_new_project","avatarUrl":"https://a.example/p.png",)"
    R"("description":"what it does","bannerImageUrl":"https://a.example/b.png","isPromoted":true,)"
    R"("links":[{"type":"WEBSITE","url":"https://a.example"},{"type":"TWITTER","url":"https://x.com/a"}],)"
    R"("categories":[2,1,2],"chains":[1],"team":[{"profileId":3,"role":"founder","isManager":true},{"profileId":2}])"));
  EXPECT_TRUE(
    tells(made.body, "/id", 9, "/userkey", newcomer, "/status", "ACTIVE", "/user/displayName", "A New Project"));
  EXPECT_EQ(json_text(made.body, "/user/status"), "INACTIVE") << "who was nobody is a user now";
  EXPECT_TRUE(tells(made.body, "/links/1/type", "TWITTER", "/categories/0/id", 1, "/votes/all/total", 0));
  ok(vote(4, 9));
  EXPECT_EQ(json_number(get("projects/9").body, "/votes/bullish/total"), 1);
  EXPECT_EQ(json_number(get("projects/username/A_New_Project").body, "/id"), 9);
  EXPECT_EQ(json_text(get("projects/9/details").body, "/description"), "what it does");
  EXPECT_EQ(json_number(get("projects/9/details").body, "/votes/bullish/total"), 1);
  const auto team = get("projects/9/team");
  EXPECT_TRUE(tells(team.body, "/0/profileId", 2, "/1/role", "founder"));
  EXPECT_TRUE(has(get("projects?limit=100").body, "A New Project"));
  EXPECT_TRUE(has(get("internal/listings").body, "A New Project")) << "the board has it, too";
  EXPECT_EQ(json_text(get("user/by/username/a_new_project").body, "/displayName"), "A New Project");
  start_again();
  EXPECT_EQ(json_number(get("projects/9").body, "/votes/bullish/total"), 1) << "a restart keeps all";
  EXPECT_EQ(get("projects/9/team").body, team.body);
  expect_sound();
}

TEST_F(ProjectsOverTheApi, TakeNoVotesWhileTheyAreArchivedAndKeepThoseTheyHad) {
  ASSERT_EQ(create().status, 200);
  ASSERT_EQ(vote(4, 9).status, 200);
  const auto before = json_number(get("projects?limit=1").body, "/total");
  EXPECT_TRUE(tells(ok(send("POST", "projects/9/archive", 1)).body, "/status", "ARCHIVED"));
  EXPECT_EQ(code(vote(5, 9)), "400 PROJECT_ARCHIVED");
  EXPECT_EQ(json_number(get("projects?limit=1").body, "/total"), before - 1);
  EXPECT_EQ(send("POST", "projects/9/archive", 1).status, 200) << "it is so already";
  start_again();
  EXPECT_EQ(code(vote(5, 9)), "400 PROJECT_ARCHIVED");
  EXPECT_TRUE(tells(send("POST", "projects/9/restore", 1).body, "/status", "ACTIVE"));
  EXPECT_EQ(code(vote(4, 9)), "400 ALREADY_VOTED") << "the vote that it had is there";
  EXPECT_EQ(vote(5, 9).status, 200);
  EXPECT_EQ(json_number(get("projects/9").body, "/votes/bullish/total"), 2);
  for (const auto* target : {"projects/9/archive", "projects/9/restore"})
    EXPECT_EQ(code(send("POST", target, 3)), "403 FORBIDDEN") << "admins alone";
  EXPECT_EQ(code(send("POST", "projects/99/archive", 1)), "404 PROJECT_NOT_FOUND");
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'project%'"),
            "project_created,project_archived,project_restored");
  expect_sound();
}

TEST_F(ProjectsOverTheApi, AreEditedByTheirManagersAndAdminsAlone) {
  ASSERT_EQ(create(R"(,"team":[{"profileId":3,"isManager":true},{"profileId":2}])").status, 200);
  const auto edited = ok(send("PATCH", "projects/9", 3,
                              R"({"description":"edited","links":[{"type":"DISCORD","url":"https://d.example"}]})"));
  EXPECT_TRUE(tells(edited.body, "/description", "edited", "/links/0/url", "https://d.example"));
  EXPECT_EQ(code(send("PATCH", "projects/9", 2, R"({"description":"x"})")), "403 FORBIDDEN")
    << "in the team, no manager";
  EXPECT_EQ(code(send("PATCH", "projects/9", 4, R"({"description":"x"})")), "403 FORBIDDEN");
  EXPECT_EQ(code(send("PATCH", "projects/9", 3, R"({"isPromoted":true})")), "403 FORBIDDEN");
  EXPECT_EQ(send("PATCH", "projects/9", 1, R"({"isPromoted":true,"name":"Named","username":"named"})").status, 200);
  EXPECT_EQ(json_text(get("projects/username/named").body, "/user/displayName"), "Named");
  EXPECT_EQ(json_text(get("projects/9").body, "/description"), "edited") << "what is absent stays";
  const auto emptied = send("PATCH", "projects/9", 3, R"({"links":[],"description":""})");
  EXPECT_TRUE(has(emptied.body, R"("links":[])")) << "a list is replaced as a whole";
  EXPECT_FALSE(has(emptied.body, "description\":\"edited"));
  EXPECT_EQ(code(send("PATCH", "projects/99", 1, R"({"description":"x"})")), "404 PROJECT_NOT_FOUND");
  sql("UPDATE profiles SET archived = true WHERE id = 3");
  EXPECT_EQ(code(send("PATCH", "projects/9", 3, R"({"description":"x"})")), "403 PROFILE_NOT_LIVE");
  expect_sound();
}

TEST_F(ProjectsOverTheApi, SayWhatIsWrong) {
  const auto long_text = std::string(2001, 'x');
  const std::vector<std::string> bodies{
    "",
    "[]",
    "{}",
    R"({"userkey":7})",
    R"({"userkey":"nonsense"})",
    R"({"userkey":"address:0x0000000000000000000000000000000000000000"})",
    R"({"userkey":"service:github:a","description":"a\u0007b"})",
    R"({"userkey":"service:github:a","description":")" + long_text + "\"}",
    R"({"userkey":"service:github:a","name":" "})",
    R"({"userkey":"service:github:a","bannerImageUrl":"http://a.example"})",
    R"x({"userkey":"service:github:a","bannerImageUrl":"javascript:alert(1)"})x",
    R"({"userkey":"service:github:a","links":{}})",
    R"({"userkey":"service:github:a","links":["https://a.example"]})",
    R"({"userkey":"service:github:a","links":[{"type":"WEBSITE"}]})",
    R"({"userkey":"service:github:a","links":[{"type":"BLOG","url":"https://a.example"}]})",
    R"({"userkey":"service:github:a","links":[{"type":"WEBSITE","url":"https://a.example\" onload=x"}]})",
    R"({"userkey":"service:github:a","links":[{},{},{},{},{},{},{},{},{},{},{}]})",
    R"({"userkey":"service:github:a","team":[{"profileId":0}]})",
    R"({"userkey":"service:github:a","team":[{"profileId":"2"}]})",
    R"({"userkey":"service:github:a","team":[{"profileId":2},{"profileId":2}]})",
    R"({"userkey":"service:github:a","team":[{"profileId":2,"isManager":"yes"}]})",
    R"({"userkey":"service:github:a","categories":[0]})",
    R"({"userkey":"service:github:a","categories":"1"})",
    R"({"userkey":"service:github:a","chains":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]})",
    R"({"userkey":"service:github:a","isPromoted":1})",
  };
  for (const auto& body : bodies) {
    const auto answer = send("POST", "projects/create", 1, body);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << body << answer.body;
  }
  EXPECT_EQ(code(create(R"(,"categories":[999])")), "404 NOT_FOUND");
  EXPECT_EQ(code(create(R"(,"team":[{"profileId":999}])")), "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(code(create(R"(,"name":"Not Me")", {}, "profileId:3")), "403 FORBIDDEN");
  EXPECT_EQ(code(create({}, {}, "profileId:999")), "404 NOT_FOUND");
  EXPECT_EQ(code(create({}, {}, json_text(get("projects/1").body, "/userkey"))), "409 PROJECT_EXISTS");
  EXPECT_EQ(code(send("POST", "projects/create", 2, R"({"userkey":"service:github:a"})")), "403 FORBIDDEN");
  EXPECT_EQ(server.client().send("POST", "/api/v2/projects/create", with_json({}), "{}").status, 401);
  EXPECT_EQ(code(send("PATCH", "projects/1", 1)), "400 BAD_REQUEST") << "nothing to edit";
  EXPECT_EQ(code(get("projects/99")), "404 PROJECT_NOT_FOUND");
  EXPECT_EQ(code(get("projects/99/team")), "404 PROJECT_NOT_FOUND");
  EXPECT_EQ(code(get("projects/username/nobody_at_all")), "404 PROJECT_NOT_FOUND");
  EXPECT_EQ(get("projects?status=PENDING").body, R"({"projects":[],"total":0})") << "none waits for a decision here";
  EXPECT_EQ(code(get("projects?status=LOST")), "400 BAD_REQUEST");
  EXPECT_EQ(rows(), "8");
}

TEST_F(ProjectsOverTheApi, OneThatManyCreateAtOnceIsThereOnce) {
  constexpr int clients = 8;
  std::vector<std::string> heard(clients);
  at_once(clients, [&](int i) {
    auto client = server.client();
    const auto made = post_until_decided(client, "/api/v2/projects/create", R"({"userkey":"service:github:wanted"})",
                                         by_bearer(server.token(1)));
    heard[static_cast<std::size_t>(i)] = made.status == 200 ? "200" : code(made);
  });
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "200"), 1);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "409 PROJECT_EXISTS"), clients - 1);
  EXPECT_EQ(rows(), "9");
  EXPECT_EQ(sql("SELECT count(*) FROM attestations WHERE account = 'wanted'"), "1");
  expect_sound();
}

TEST_F(ProjectsOverTheApi, CategoriesAndChainsAreKeptByAdmins) {
  const auto games =
    ok(send("POST", "categories/create", 1, R"({"name":"Games","slug":"games-for-all","description":"to play"})"));
  const auto id = std::to_string(json_number(games.body, "/id"));
  EXPECT_EQ(code(send("POST", "categories/create", 1, R"({"name":"Other","slug":"games-for-all"})")), "409 NAME_TAKEN");
  for (const auto* slug : {"Games", "games-", "-games", "ga--mes", "ga mes", ""})
    EXPECT_EQ(code(send("POST", "categories/create", 1, R"({"name":"Games","slug":")" + std::string{slug} + "\"}")),
              "400 BAD_REQUEST")
      << slug;
  EXPECT_EQ(code(send("POST", "categories/create", 2, R"({"name":"Mine","slug":"mine"})")), "403 FORBIDDEN");
  ASSERT_EQ(create(R"(,"categories":[)" + id + "]").status, 200);
  const auto listed = get("categories?limit=100");
  EXPECT_TRUE(has(listed.body,
                  R"("slug":"games-for-all","name":"Games","description":"to play","showOnLeaderboard":true,)"
                  R"("showInDailyService":false,"userCount":1})"));
  EXPECT_EQ(listed.body.find(R"({"categories":[{"id":)"), 0u) << listed.body;
  EXPECT_EQ(json_text(get("categories/" + id).body, "/slug"), "games-for-all");
  EXPECT_EQ(code(get("categories/999")), "404 NOT_FOUND");
  EXPECT_EQ(json_number(get("categories/" + id + "/users").body, "/total"), 1);
  EXPECT_EQ(get("categories/" + id + "/users").body.find(R"({"users":[{"id":)"), 0u);
  EXPECT_EQ(json_number(get("users/" + std::string{newcomer} + "/categories").body, "/categoryRanks/0/rank"), 1);
  EXPECT_EQ(code(get("categories/999/users")), "404 NOT_FOUND");
  EXPECT_EQ(json_text(send("PATCH", "categories/" + id, 1, R"({"name":"Play"})").body, "/name"), "Play");
  EXPECT_TRUE(await("the board to show a category's new name",
                    [&] { return json_text(get("projects/9").body, "/categories/0/name") == "Play"; }));
  const auto chain = ok(send("POST", "chains/create", 1, R"({"name":"A Chain","url":"https://chain.example"})"));
  EXPECT_EQ(code(send("POST", "chains/create", 1, R"({"name":"A Chain"})")), "409 NAME_TAKEN");
  EXPECT_EQ(json_text(send("PATCH", "chains/" + std::to_string(json_number(chain.body, "/id")), 1,
                           R"({"iconUrl":"https://c.example/i.png"})")
                        .body,
                      "/iconUrl"),
            "https://c.example/i.png");
  EXPECT_TRUE(has(get("chains?limit=100").body, "A Chain"));
  EXPECT_EQ(get("chains").body.find(R"({"chains":[{"id":)"), 0u) << get("chains").body;
  EXPECT_EQ(send("PATCH", "categories/" + id + "?dryRun=true", 1, R"({"name":"Other"})").body, R"({"ok":true})");
  expect_sound();
}

} // namespace
} // namespace credence::test
