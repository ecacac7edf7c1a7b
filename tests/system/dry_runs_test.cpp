// Writes that are only to be tried: each either offers that, and leaves nothing behind, or refuses it and does nothing.
#include "http/routes.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

#include <simdjson.h>

#include <set>

namespace credence::test {
namespace {

using http::route;

constexpr std::array<std::string_view, 5> verbs{"get", "post", "put", "patch", "delete"};

class DryRuns : public testing::Test {
protected:
  DryRuns() {
    server.start({"--admin", "1", "--actors-period-advance", "manual"});
    reference = server.client().get("/openapi.json").body;
    document = parser.parse(reference);
  }

  /// All that requests write, as text: the rows of every table but those that the server keeps up by itself.
  std::string rows() {
    return server.database().sql("SELECT string_agg(tablename || ' ' || (xpath('/row/h/text()', "
                                 "query_to_xml(format('SELECT md5(coalesce(string_agg(r::text, '','' ORDER BY"
                                 " r::text), '''')) AS h FROM %I.%I AS r', schemaname, tablename), false, true, "
                                 "'')))[1]::text, E'\\n' ORDER BY tablename) FROM pg_tables"
                                 " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename !~ "
                                 "'^(score_|epoch_|influence|chain_|idempotency_|batches$|shard_owners$"
                                 "|takeovers$|xp_days|market_names|project_rollups|profile_sums)|_tallies|_marks'");
  }
  /// The body that the reference shows for it; empty where it shows none.
  std::string example_for(const route& to) {
    simdjson::dom::element body;
    const auto verb = verbs[static_cast<std::size_t>(to.verb)];
    if (document["paths"][to.path][verb]["requestBody"]["content"]["application/json"].get(body) != simdjson::SUCCESS)
      return {};
    simdjson::dom::element example;
    if (body["example"].get(example) == simdjson::SUCCESS)
      return simdjson::minify(example);
    simdjson::dom::object several;
    if (body["examples"].get(several) == simdjson::SUCCESS)
      for (const auto& each : several)
        return simdjson::minify(simdjson::dom::element(each.value["value"]));
    return {};
  }
  static std::string target_of(const route& to) {
    std::string out{to.path};
    for (auto begin = out.find('{'); begin != out.npos; begin = out.find('{'))
      out.replace(begin, out.find('}') - begin + 1, out.compare(begin, 6, "{type}") == 0 ? "review" : "1");
    return out + "?dryRun=true";
  }
  http_response attempt(const route& to) {
    const auto verb = verbs[static_cast<std::size_t>(to.verb)];
    std::string method;
    for (const char c : verb)
      method += static_cast<char>(c - 'a' + 'A');
    const auto who = to.who == http::access::admin ? 1 : 3;
    return server.client().send(method, target_of(to), with_json(by_bearer(fresh_token(server, who))), example_for(to));
  }
  http_response post(const std::string& target, const std::string& body, int who = 3) {
    return server.client().post("/api/v2/" + target, body, server.token(who));
  }
  std::string count(const std::string& from) { return server.database().sql("SELECT count(*) FROM " + from); }

  service server;
  simdjson::dom::parser parser;
  std::string reference;
  simdjson::dom::element document;
};

TEST_F(DryRuns, OfEveryWriteLeaveEverythingAsItWas) {
  std::set<std::string_view> would_be_done;
  for (const auto& to : http::routes()) {
    if (http::only_reads(to) || to.partners == http::partner_use::act || to.path.starts_with("/api/v2/notes"))
      continue; // pages of partners: tests/system/wallets_test.cpp
    const auto before = rows();
    const auto answer = attempt(to);
    EXPECT_EQ(rows(), before) << to.path << " " << answer.body;
    if (answer.status == 200)
      would_be_done.insert(to.path);
    if (to.dry_runs)
      continue;
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << to.path << " " << answer.body;
    EXPECT_TRUE(has(answer.body, "dryRun"));
  }
  for (const auto* path : {"/api/v2/projects/{projectId}/votes", "/api/v2/xp/tip", "/api/v2/markets/deposits"})
    EXPECT_TRUE(would_be_done.contains(path)) << path;
}

TEST_F(DryRuns, AreDecidedLikeWhatIsMeant) {
  const std::string vote = R"({"voteType":"BULLISH"})", tip = R"({"receiverUserkey":"profileId:7","amount":1})";
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  EXPECT_EQ(post("projects/1/votes?dryRun=true", vote).body, R"({"ok":true})");
  EXPECT_EQ(post("projects/1/votes?dryRun=true", vote).body, R"({"ok":true})") << "it was not cast";
  EXPECT_EQ(post("projects/1/votes", vote).status, 200);
  EXPECT_EQ(json_text(post("projects/1/votes?dryRun=true", vote).body, "/code"), "ALREADY_VOTED");
  EXPECT_EQ(json_text(post("projects/999/votes?dryRun=true", vote).body, "/code"), "PROJECT_NOT_FOUND");
  EXPECT_EQ(post("projects/1/votes?dryRun=perhaps", vote).status, 400);
  EXPECT_EQ(
    json_text(post("xp/tip?dryRun=true", R"({"receiverUserkey":"profileId:7","amount":1000000000})").body, "/code"),
    "INSUFFICIENT_XP");
  EXPECT_EQ(json_text(post("xp/tip?dryRun=true", R"({"receiverUserkey":"profileId:3","amount":1})").body, "/code"),
            "CANNOT_TIP_SELF");
  EXPECT_EQ(post("xp/tip?dryRun=true", tip).body, R"({"ok":true})");
  const std::string review = R"({"subject":"profileId:3","score":"positive","comment":"x"})";
  EXPECT_EQ(code(post("reviews/create?dryRun=true", review)), "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(json_number(post("reviews/create?dryRun=true", review, 4).body, "/id"), 0);
  EXPECT_EQ(
    json_text(
      post("markets/withdrawals?dryRun=true", R"({"profileId":7,"amount":"1000000000000000000000000"})", 1).body,
      "/code"),
    "INSUFFICIENT_FUNDS");
  EXPECT_EQ(json_text(post("markets?dryRun=true", R"({"configType":"NORMAL"})", 9).body, "/code"),
            "INSUFFICIENT_FUNDS");
  ASSERT_EQ(post("markets/deposits", R"({"profileId":9,"amount":"1000000000000000000000"})", 1).status, 200);
  EXPECT_EQ(post("markets?dryRun=true", R"({"configType":"NORMAL"})", 9).body, R"({"ok":true})");
  EXPECT_EQ(count("markets WHERE profile_id = 9"), "0");
  EXPECT_EQ(post("markets?dryRun=false", R"({"configType":"NORMAL"})", 9).status, 200) << "the money was let go";
}

} // namespace
} // namespace credence::test
