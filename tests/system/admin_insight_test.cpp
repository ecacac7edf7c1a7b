#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>

// What operators see of clients, people, projects, markets, slashes, integrity and the chain, and change of them.

namespace credence::test {
namespace {

using namespace std::chrono_literals;

const std::string api = "/admin/api/v1";

/// Profiles 41 to 52 vote within two seconds on eight projects that nobody else votes on, hours apart. Without
/// triggers: the votes are of the period that is open, some days old.
constexpr auto plant_ring = "SET session_replication_role = replica;"
                            "INSERT INTO users (id, display_name, avatar_url, status) SELECT 9000 + n, 'Quiet ' || n, "
                            "'data:,', 'INACTIVE' FROM generate_series(1, 24) n;"
                            "INSERT INTO projects (id, user_id, userkey, created_at, updated_at)"
                            " SELECT 900 + n, 9000 + n, 'service:x.com:77000' || n, now() - interval '9 days', now() - "
                            "interval '9 days' FROM generate_series(1, 24) n;"
                            "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                            " SELECT 90000000 + n * 100 + v, date_trunc('second', now()) - interval '7 days' + n * "
                            "interval '6 hours' + v * interval '150 milliseconds',"
                            "  900 + n, 40 + v, v, (SELECT id FROM voting_periods WHERE closed_at IS NULL), n > 1 FROM "
                            "generate_series(1, 24) n, generate_series(1, 12) v";

class AdminInsight : public testing::Test {
protected:
  static service& shared() {
    return shared_service([](service& one) {
      one.database().sql(plant_ring);
      one.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
    });
  }

  http_client console() const { return http_client{server.admin_port()}; }
  std::string admin_token() const {
    static const auto token = [&] {
      const auto made = server.command({"token", "1", "--admin"});
      return made.out.substr(0, made.out.find('\n'));
    }();
    return token;
  }
  http_response get(const std::string& path) const { return console().get(api + path, server.token(5)); }
  http_response send(const std::string& method, const std::string& path, const std::string& body = {},
                     const std::string& token = {}) const {
    const auto by = by_bearer(token.empty() ? admin_token() : token);
    return body.empty() ? console().send(method, api + path, by)
                        : console().send(method, api + path, with_json(by), body);
  }
  std::string newest(const std::string& act, const std::string& column) const {
    return server.database().sql("SELECT coalesce(" + column + "::text, 'null') FROM audit_log WHERE act = '" + act
                                 + "' ORDER BY number DESC LIMIT 1");
  }
  static bool has(const http_response& in, const std::string& part) { return in.body.find(part) != std::string::npos; }

  service& server = shared();
};

TEST_F(AdminInsight, AnAnalysisFindsAPlantedRing) {
  EXPECT_EQ(send("POST", "/integrity", {}, server.token(5)).status, 403) << "a viewer only looks";
  const auto begun = send("POST", "/integrity", {}, server.token(3));
  ASSERT_EQ(begun.status, 202) << begun.body;
  http_response found;
  await("the analysis", [&] { return !has(found = get("/integrity"), R"("state":"running")"); });
  ASSERT_TRUE(has(found, R"("state":"done")")) << found.body;
  EXPECT_TRUE(has(found, R"("profiles":[41,42,43,44,45,46,47,48,49,50,51,52],"size":12)")) << found.body;
  EXPECT_TRUE(has(found, "12 members voted bullish on project 902 within")) << found.body;
  EXPECT_EQ(newest("integrity_analysed", "caller_id"), "3");
  EXPECT_EQ(send("DELETE", "/integrity").status, 200) << "there is none to stop";
}

TEST_F(AdminInsight, ClientsAreCountedByTheirName) {
  auto client = server.client();
  for (int i = 0; i < 3; ++i)
    client.send("GET", "/api/v2/projects", {{"X-Service-Client", "insight@1.0"}});
  client.send("GET", "/api/v2/user/abc", {{"X-Service-Client", "insight@1.0"}});
  client.send("GET", "/api/v1/slashes", {{"X-Service-Client", "insight@2.0"}});
  const auto clients = get("/clients");
  EXPECT_TRUE(has(
    clients, R"({"client":"insight","requests":5,"clientErrors":1,"rateLimited":0,"serverErrors":0,"deprecated":1})"))
    << clients.body;
  const auto deprecated = get("/clients/deprecated");
  EXPECT_TRUE(has(deprecated, R"({"client":"insight","requests":1})")) << deprecated.body;
  const auto budgets = get("/clients/budgets");
  EXPECT_TRUE(has(budgets, R"({"bucket":"read","rate":")")) << budgets.body;
}

TEST_F(AdminInsight, PeopleAreFoundByNameIdAndAddress) {
  const auto one = get("/people/7");
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(json_number(one.body, "/profileId"), 7);
  const auto name = json_text(one.body, "/username");
  EXPECT_TRUE(has(get("/people?query=" + name), R"("profileId":7)"));
  EXPECT_TRUE(has(get("/people?query=7"), R"("profileId":7)"));
  EXPECT_TRUE(has(get("/people?query=" + json_text(one.body, "/addresses/0")), R"("profileId":7)"));
  EXPECT_EQ(get("/people/999999").status, 404);
  EXPECT_EQ(get("/people?limit=0").status, 400);
}

TEST_F(AdminInsight, KeysMayBeGrantedAndNot) {
  ASSERT_EQ(send("PUT", "/people/12/api-access", R"({"allowed":false})").status, 200);
  EXPECT_TRUE(has(get("/people/12"), R"("apiAccess":false)"));
  ASSERT_EQ(send("PUT", "/people/12/api-access", R"({"allowed":true})").status, 200);
  EXPECT_TRUE(has(get("/people/12"), R"("apiAccess":true)"));
  EXPECT_EQ(newest("api_access_changed", "before"), "not allowed");
  EXPECT_EQ(newest("api_access_changed", "profile_id"), "12");
  EXPECT_EQ(send("PUT", "/people/999999/api-access", R"({"allowed":true})").status, 404);
  EXPECT_EQ(send("PUT", "/people/12/api-access", "{}").status, 400);
  EXPECT_EQ(send("PUT", "/people/12/api-access", R"({"allowed":true})", server.token(5)).status, 403);
}

TEST_F(AdminInsight, KeysAreListedAndRevoked) {
  server.database().sql(
    "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
    " SELECT '00000000-0000-4000-8000-000000000001', 2, address, 'insight', decode(repeat('cd', 32), 'hex'), now(),"
    " now() + interval '9 days' FROM addresses WHERE user_id = (SELECT user_id FROM profiles WHERE id = 2) LIMIT 1");
  EXPECT_TRUE(has(get("/keys?profileId=2"), R"("name":"insight")"));
  EXPECT_FALSE(has(get("/keys?profileId=3"), R"("name":"insight")"));
  EXPECT_EQ(get("/keys?cursor=nonsense").status, 400);
  const std::string id = "00000000-0000-4000-8000-000000000001";
  EXPECT_EQ(send("DELETE", "/profiles/3/keys/" + id).status, 404);
  EXPECT_EQ(send("DELETE", "/profiles/2/keys/" + id, {}, server.token(3)).status, 200);
  EXPECT_FALSE(has(get("/keys?profileId=2"), R"("name":"insight")"));
  EXPECT_EQ(newest("key_revoked", "caller_id"), "3");
}

TEST_F(AdminInsight, ProjectsAreFoundShownMadeAndArchived) {
  EXPECT_EQ(json_number(get("/projects?query=2").body, "/values/0/projectId"), 2);
  const auto one = get("/projects/2");
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(json_text(one.body, "/status"), "ACTIVE");
  EXPECT_GT(json_number(one.body, "/bullish"), 0);
  EXPECT_EQ(get("/projects/888888").status, 404);
  EXPECT_TRUE(has(get("/projects/2/chart?scope=global&bucket=1%20month"), R"({"values":[{"at":)"));
  EXPECT_EQ(send("POST", "/projects/2/archive", {}, server.token(3)).status, 403)
    << "an operator keeps the service running, no more";
  EXPECT_EQ(send("POST", "/projects/2/archive?dryRun=true").status, 200);
  EXPECT_EQ(json_text(get("/projects/2").body, "/status"), "ACTIVE");
  ASSERT_EQ(send("POST", "/projects/2/archive").status, 200);
  EXPECT_EQ(json_text(get("/projects/2").body, "/status"), "ARCHIVED");
  EXPECT_EQ(newest("project_archived", "caller_id"), "1");
  ASSERT_EQ(send("POST", "/projects/2/restore").status, 200);
  const auto made = send("POST", "/projects", R"({"userkey":"service:x.com:880011","name":"Fresh Meadow"})");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json_text(made.body, "/name"), "Fresh Meadow");
  EXPECT_EQ(send("POST", "/projects", R"({"userkey":"service:x.com:880011","name":"Fresh Meadow"})").status, 409);
  EXPECT_TRUE(has(get("/projects?query=meadow"), R"("name":"Fresh Meadow")"));
}

TEST_F(AdminInsight, MoneyIsCreditedOnlyWithTheIdTypedOnceMore) {
  const auto before = json_text(get("/people/8").body, "/balance/wei");
  EXPECT_EQ(send("POST", "/people/8/credit", R"({"amountWei":"1000","confirm":"9"})").status, 400);
  EXPECT_EQ(send("POST", "/people/8/credit", R"({"amountWei":"0","confirm":"8"})").status, 400);
  EXPECT_EQ(json_text(get("/people/8").body, "/balance/wei"), before);
  const auto done = send("POST", "/people/8/credit", R"({"amountWei":"1000","confirm":"8"})");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(json_text(done.body, "/balanceWei"), std::to_string(std::stoll(before) + 1000));
  EXPECT_EQ(json_text(get("/people/8").body, "/balance/wei"), json_text(done.body, "/balanceWei"));
}

TEST_F(AdminInsight, ACreditThatComesAgainUnderItsKeyIsOneCredit) {
  const auto before = std::stoll(json_text(get("/people/9").body, "/balance/wei"));
  const auto headers = with_json(by_bearer(admin_token()), "credit-of-a-dialog");
  const std::string body = R"({"amountWei":"500","confirm":"9"})";
  const auto first = console().send("POST", api + "/people/9/credit", headers, body);
  ASSERT_EQ(first.status, 200) << first.body;
  const auto again = console().send("POST", api + "/people/9/credit", headers, body);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(console().send("POST", api + "/people/9/credit", headers, R"({"amountWei":"501","confirm":"9"})").status,
            422);
  EXPECT_EQ(json_text(get("/people/9").body, "/balance/wei"), std::to_string(before + 500));
}

/// Three entries of one morning long ago; the third was noted late, after the second.
constexpr auto plant_entries =
  "SELECT append_audit(ARRAY['2001-01-01T10:00:00Z', '2001-01-01T12:00:00Z', '2001-01-01T11:00:00Z']::timestamptz[],"
  " array_fill('seen_long_ago'::text, ARRAY[3]), array_fill(NULL::int, ARRAY[3]), array_fill(NULL::int, ARRAY[3]), "
  "array_fill(''::text, ARRAY[3]),"
  " array_fill(''::text, ARRAY[3]), array_fill(''::text, ARRAY[3]), ARRAY['at ten', 'at noon', 'at eleven'], "
  "array_fill(NULL::text, ARRAY[3]),"
  " array_fill(NULL::text, ARRAY[3]))";

TEST_F(AdminInsight, TheAuditIsReadByTime) {
  server.database().sql(plant_entries);
  const std::string ten = "978343200000", noon = "978350400000";
  const auto morning = get("/audit?from=" + ten + "&to=" + noon);
  ASSERT_EQ(morning.status, 200) << morning.body;
  EXPECT_EQ(json_text(morning.body, "/values/0/subject"), "at eleven") << "the newest first, by time";
  EXPECT_EQ(json_text(morning.body, "/values/1/subject"), "at ten") << "from is in";
  EXPECT_FALSE(has(morning, "at noon")) << "to is not";
  const auto first = get("/audit?limit=1&from=" + ten + "&to=" + noon);
  EXPECT_EQ(json_text(first.body, "/values/0/subject"), "at eleven") << first.body;
  const auto next = json_text(first.body, "/next");
  const auto second = get("/audit?limit=1&from=" + ten + "&to=" + noon + "&cursor=" + next);
  EXPECT_EQ(json_text(second.body, "/values/0/subject"), "at ten") << second.body;
  const auto last = get("/audit?limit=1&from=" + ten + "&to=" + noon + "&cursor=" + json_text(second.body, "/next"));
  EXPECT_TRUE(has(last, R"({"values":[],"next":null})")) << last.body;
  EXPECT_TRUE(has(get("/audit?act=seen_long_ago&from=" + noon), "at noon"));
  EXPECT_FALSE(has(get("/audit?act=another&to=" + noon), "at ten"));
  EXPECT_EQ(get("/audit?from=" + noon + "&to=" + noon).status, 400) << "from must be before to";
  EXPECT_EQ(get("/audit?from=-1").status, 400);
  for (const auto& both : {std::string{"/audit?after=1&from="} + ten, std::string{"/audit?after=1&to="} + noon}) {
    const auto refused = get(both);
    EXPECT_EQ(refused.status, 400) << both;
    EXPECT_TRUE(has(refused, "after cannot be combined with from or to")) << refused.body;
  }
  EXPECT_EQ(get("/audit?after=1&limit=1").status, 200) << "by number";
}

TEST_F(AdminInsight, TheManualIsReadAsItIsInTheRepository) {
  const auto manual = get("/manual");
  ASSERT_EQ(manual.status, 200) << manual.body;
  EXPECT_EQ(manual.headers.at("content-type"), "text/markdown; charset=utf-8");
  std::ifstream file{test::built::source + "/docs/operating.md"};
  EXPECT_EQ(manual.body, (std::string{std::istreambuf_iterator<char>{file}, {}}));
  auto headers = by_bearer(server.token(5));
  headers.emplace_back("Accept", "text/markdown");
  EXPECT_EQ(console().send("GET", api + "/manual", headers).status, 200);
  headers.emplace_back("If-None-Match", manual.headers.at("etag"));
  const auto known = console().send("GET", api + "/manual", headers);
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(console().get(api + "/manual").status, 401);
  EXPECT_EQ(console().get(api + "/manual", server.token(2)).status, 403) << "a profile without a role";
}

TEST_F(AdminInsight, MarketsSlashesAndTheChainAnswerWhereThereIsNothing) {
  EXPECT_TRUE(has(get("/markets"), R"({"values":[)"));
  EXPECT_EQ(get("/markets?query=a").status, 400);
  EXPECT_EQ(get("/markets/2").status, 404);
  EXPECT_EQ(get("/markets/2/chart").status, 404);
  const auto slashes = get("/slashes?limit=1");
  EXPECT_TRUE(has(slashes, R"({"values":[)")) << slashes.body;
  EXPECT_EQ(get("/slashes?cursor=x").status, 400);
  EXPECT_EQ(send("POST", "/slashes/999999/cancel").status, 404);
  EXPECT_TRUE(has(get("/chain"), R"({"followed":false,"chainId":null,"state":null)"));
  EXPECT_TRUE(has(get("/chain/failed"), R"({"values":[]})"));
  EXPECT_EQ(send("POST", "/chain/texts/retry").status, 200);
  EXPECT_EQ(newest("texts_retried", "caller_id"), "1");
  EXPECT_EQ(send("POST", "/chain/reprocess", {}, server.token(3)).status, 403)
    << "an operator keeps the service running, no more";
  EXPECT_EQ(send("POST", "/chain/reprocess").status, 404);
}

} // namespace
} // namespace credence::test
