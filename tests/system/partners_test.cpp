#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/system/signing.hpp"

namespace credence::test {
namespace {

const std::string managed = "/api/v2/wallets/managed/";
const std::string auth_check = managed + "auth-check";
const std::string review = managed + "post/review/by-address";
constexpr auto review_body =
  R"({"address":"0x00000000000000000000000000000000000000AA","score":"positive","title":"Kept its word"})";
const std::string balance = "/api/v2/projects/votes/balance?projectId=1";

const std::vector<std::string> partner_flags{"--public-url", signing_origin, "--wallets-partner-origins",
                                             partner_origin + "," + other_partner};

void prepare(service& one) {
  one.run_with({{"CREDENCE_HTTP_ALLOWED_ORIGINS", own_page}});
  one.start(partner_flags);
}

service& shared() { return shared_service(prepare); }

/// How many rows of all tables hold a text.
std::string rows_with(service& one, const std::string& text) {
  return one.database().sql("SELECT coalesce(sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n "
                            "FROM %I.%I AS r WHERE strpos(r::text, ''"
                            + text
                            + "'') > 0', schemaname, tablename), false, true, '')))[1]::text::bigint), 0)"
                              " FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')");
}

/// How partners sign users in, and which pages may act for them.
struct Partners : testing::Test {
  service& server = shared();
};

TEST_F(Partners, SignUsersInWithCookiesOfTheirOwn) {
  partner_page page{server};
  const auto answer = ok(page.exchange(fresh_token(server, 2)));
  EXPECT_EQ(answer.body, R"({"ok":true})");
  EXPECT_EQ(answer.headers.at("access-control-allow-origin"), partner_origin);
  EXPECT_EQ(answer.headers.at("access-control-allow-credentials"), "true");
  ASSERT_EQ(answer.cookies.size(), 2u);
  for (const auto& set : answer.cookies) {
    EXPECT_TRUE(set.starts_with("__Host-partner-")) << set;
    for (const auto* part : {"; Path=/;", "; HttpOnly", "; Secure", "; SameSite=None", "; Partitioned"})
      EXPECT_TRUE(has(set, part));
    EXPECT_FALSE(has(set, "Domain"));
  }
  partner_page elsewhere{server, other_partner};
  const auto another = elsewhere.exchange(fresh_token(server, 2));
  EXPECT_NE(another.cookies[0].substr(0, another.cookies[0].find('=')),
            answer.cookies[0].substr(0, answer.cookies[0].find('=')))
    << "pages of one site do not take each other's";
  EXPECT_TRUE(tells(ok(page.get(auth_check)).body, "/profileId", 2));
  for (const auto& [name, value] : page.cookies)
    EXPECT_EQ(rows_with(server, value), "0") << name;
}

TEST_F(Partners, TheirSessionsAreForNothingElse) {
  auto page = signed_in_at(server, 2);
  const auto token = page.cookies.begin()->second;
  auto client = server.client();
  const std::string own_cookie = "__Host-service-access-token=" + token;
  EXPECT_EQ(client.send("GET", balance, {{"Cookie", own_cookie}, {"Origin", own_page}}).status, 401)
    << "as a cookie of ours";
  EXPECT_EQ(client.send("GET", balance, by_bearer(token)).status, 401) << "as an access token";
  EXPECT_EQ(client.send("GET", balance, by_key(token)).status, 401) << "as a key";
  EXPECT_EQ(client.send("POST", "/api/v2/auth/exchange", by_bearer(token)).status, 401)
    << "traded for a session of ours";
  EXPECT_EQ(
    client.send("POST", managed + "partners", with_json(by_bearer(token)), R"({"origin":")" + other_partner + R"("})")
      .status,
    401)
    << "nor to let others in";
  for (const auto& [name, value] : page.cookies)
    EXPECT_EQ(client
                .send("POST", "/api/v2/auth/refresh",
                      {{"Cookie", "__Host-service-refresh-token=" + value}, {"Origin", own_page}})
                .status,
              401);
}

TEST_F(Partners, TheirSessionsAreForTheirOriginAlone) {
  auto page = let_in_at(server, 2);
  auto other = let_in_at(server, 2, other_partner);
  ASSERT_EQ(code_of(page.post(review, review_body)), "200 ");
  const auto cookies_of_page = page.cookies;
  EXPECT_EQ(code_of(page.from(other_partner).post(review, review_body)), "401 UNAUTHENTICATED");
  // Their values under the names that the other page's cookies have.
  auto forged = other.cookies;
  for (auto mine = cookies_of_page.begin(); auto& [name, value] : forged)
    value = (mine++)->second;
  other.cookies = forged;
  EXPECT_EQ(code_of(other.post(review, review_body)), "401 UNAUTHENTICATED");
  EXPECT_EQ(other.get(auth_check).body, R"({"ok":false})");
}

TEST_F(Partners, OnlyPagesThatAreListedMayAsk) {
  for (const auto* origin : {"https://evil.example", "null", "", "https://partner.example.evil.example",
                             "http://partner.example", "HTTPS://PARTNER.EXAMPLE", "https://partner.example:8443",
                             "https://a.partner.example", "https://partner.example.", "https://app.credence.test"}) {
    auto page = let_in_at(server, 2);
    page.from(origin);
    for (const auto& answer :
         {page.get(auth_check), page.post(review, review_body), page.get("/api/v2/wallets/funds-check"),
          page.post("/api/v2/wallets/activity/review/1/vote", R"({"isUpvote":true})")}) {
      EXPECT_EQ(code_of(answer), "403 FORBIDDEN") << origin;
      EXPECT_EQ(answer.headers.contains("access-control-allow-credentials"), std::string{origin} == own_page) << origin;
    }
  }
  auto page = let_in_at(server, 2);
  const auto two = page.send("POST", review, review_body, {{"Origin", other_partner}});
  EXPECT_EQ(code_of(two), "403 FORBIDDEN") << "two origins are none";
}

TEST_F(Partners, ARequestNamesItsProgramAndItsTypeAndShowsASession) {
  auto page = let_in_at(server, 2);
  partner_page nobody{server};
  const auto unknown = nobody.post(review, review_body);
  EXPECT_EQ(code_of(unknown), "401 UNAUTHENTICATED");
  EXPECT_EQ(unknown.headers.at("access-control-allow-origin"), partner_origin) << "the page is to see why";
  EXPECT_EQ(code_of(nobody.send("POST", review, review_body, {{"X-Service-Api-Key", "crd_something"}})),
            "401 UNAUTHENTICATED");
  EXPECT_EQ(code_of(nobody.with_token(server.token(2)).post(review, review_body)), "401 UNAUTHENTICATED")
    << "access tokens do not act";
  EXPECT_EQ(nobody.get(auth_check).body, R"({"ok":false})");
  EXPECT_EQ(code_of(page.without_client().post(review, review_body)), "400 BAD_REQUEST");
  auto again = let_in_at(server, 2);
  std::string all;
  for (const auto& [name, value] : again.cookies)
    all += (all.empty() ? "" : "; ") + name + "=" + value;
  const auto as_form = server.client().send(
    "POST", review,
    {{"Origin", partner_origin}, {"X-Service-Client", "x"}, {"Cookie", all}, {"Content-Type", "text/plain"}},
    review_body);
  EXPECT_EQ(as_form.status, 415) << as_form.body;
}

TEST_F(Partners, APreflightIsPassedByTheirPagesAlone) {
  const auto preflight = [&](const std::string& target, const std::string& origin, const std::string& method = "POST") {
    return server.client().send("OPTIONS", target,
                                {{"Origin", origin},
                                 {"Access-Control-Request-Method", method},
                                 {"Access-Control-Request-Headers", "content-type,x-service-client,idempotency-key"}});
  };
  for (const auto& target :
       {review, std::string{"/api/v2/wallets/activity/review/1/vote"}, std::string{"/api/v2/auth/exchange"},
        std::string{"/api/v2/auth/logout"}, managed + "partners/token"}) {
    const auto good = preflight(target, partner_origin);
    EXPECT_EQ(good.status, 204) << target;
    EXPECT_EQ(good.headers.at("access-control-allow-origin"), partner_origin) << target;
    EXPECT_EQ(good.headers.at("access-control-allow-credentials"), "true") << target;
    EXPECT_TRUE(has(good.headers.at("access-control-allow-headers"), "X-Service-Client"));
    for (const auto* origin : {"https://evil.example", "null"})
      EXPECT_FALSE(preflight(target, origin).headers.contains("access-control-allow-origin")) << target << origin;
  }
  EXPECT_EQ(preflight(auth_check, partner_origin, "GET").headers.at("access-control-allow-credentials"), "true");
  EXPECT_FALSE(preflight(auth_check, "https://evil.example", "GET").headers.contains("access-control-allow-origin"));
  for (const auto& target :
       {std::string{"/api/v2/reviews/create"}, managed + "partners", managed + "partners/codes", managed + "export"})
    EXPECT_FALSE(preflight(target, partner_origin).headers.contains("access-control-allow-credentials")) << target;
}

TEST_F(Partners, ActForNobodyWhoHasNotLetThem) {
  auto page = signed_in_at(server, 3);
  EXPECT_EQ(code_of(page.post(review, review_body)), "404 ENDPOINT_DISABLED");
  EXPECT_TRUE(has(page.get(auth_check).body, R"("enabled":false)"));
  ASSERT_EQ(switch_partner(server, 3, true).status, 200);
  EXPECT_TRUE(has(page.get(auth_check).body, R"("enabled":true)"));
  EXPECT_EQ(code_of(page.post(review, review_body)), "200 ");
  auto other = signed_in_at(server, 3, other_partner);
  EXPECT_EQ(code_of(other.post(review, review_body)), "404 ENDPOINT_DISABLED") << "that was another partner";
  ASSERT_EQ(switch_partner(server, 3, false).status, 200);
  EXPECT_EQ(code_of(page.post(review, review_body)), "404 ENDPOINT_DISABLED");
  server.kill_hard();
  prepare(server);
  partner_page later{server, std::move(page)};
  EXPECT_EQ(code_of(later.post(review, review_body)), "404 ENDPOINT_DISABLED") << "after a restart, too";
  EXPECT_EQ(switch_partner(server, 3, true, "https://evil.example").status, 400);
}

TEST_F(Partners, TheUserSeesWhomTheyLetInAndWhatThatDid) {
  auto page = let_in_at(server, 4);
  auto other = let_in_at(server, 4, other_partner);
  ASSERT_EQ(page.post(review, review_body).status, 200);
  ASSERT_EQ(
    page.post(managed + "post/review/by-x", R"({"x":{"id":"44196397"},"score":"neutral","title":"So so"})").status,
    200);
  auto client = server.client();
  const auto mine = by_bearer(server.token(4));
  const auto listed = client.send("GET", managed + "partners", mine).body;
  EXPECT_TRUE(
    tells(listed, "/values/0/origin", other_partner, "/values/1/origin", partner_origin, "/origins/0", partner_origin));
  const auto done = client.send("GET", managed + "partners/actions?origin=" + partner_origin, mine).body;
  EXPECT_EQ(json_text(done, "/values/0/action"), "review_created");
  EXPECT_EQ(json_text(done, "/values/0/detail"), "neutral") << "the latest first";
  EXPECT_EQ(json_text(done, "/values/1/detail"), "positive");
  const auto of_other = client.send("GET", managed + "partners/actions?origin=" + other_partner, mine).body;
  EXPECT_TRUE(has(of_other, R"("values":[])"));
  const auto of_somebody_else =
    client.send("GET", managed + "partners/actions?origin=" + partner_origin, by_bearer(server.token(5))).body;
  EXPECT_TRUE(has(of_somebody_else, R"("values":[])"));
  ok(client.send("DELETE", managed + "partners?origin=" + partner_origin, mine));
  EXPECT_EQ(code_of(page.post(review, review_body)), "404 ENDPOINT_DISABLED");
  EXPECT_TRUE(has(client.send("GET", "/api/v2/auth/sessions", mine).body, R"("partner":")" + partner_origin));
}

TEST_F(Partners, AKeyThatSwitchedOneOffSwitchesOffNoOther) {
  for (const auto& origin : {partner_origin, other_partner})
    ASSERT_EQ(switch_partner(server, 6, true, origin).status, 200);
  const auto off = [&](const std::string& query) {
    return server.client().send("DELETE", managed + "partners?" + query,
                                with_json(by_bearer(server.token(6)), "one-key"));
  };
  const auto first = ok(off("origin=" + partner_origin));
  EXPECT_EQ(off("x=1&origin=" + partner_origin + "&dryRun=false").body, first.body)
    << "the same request, however it is written";
  EXPECT_EQ(code_of(off("origin=" + other_partner)), "422 IDEMPOTENCY_KEY_REUSED");
  const auto now = server.client().send("GET", managed + "partners", by_bearer(server.token(6))).body;
  EXPECT_TRUE(has(now, R"({"origin":")" + other_partner + R"(","enabled":true)"));
}

TEST_F(Partners, NobodyIsLockedOutWhoWasNeverLetIn) {
  const auto mine = by_bearer(server.token(5));
  const auto rows = [&] { return server.database().sql("SELECT count(*) FROM partner_grants WHERE profile_id = 5"); };
  const auto before = rows();
  for (const auto* origin : {"x", "anything%20at%20all", "https://evil.example"})
    EXPECT_EQ(code_of(server.client().send("DELETE", managed + "partners?origin=" + origin, mine)), "404 NOT_FOUND")
      << origin;
  EXPECT_EQ(rows(), before);
}

TEST_F(Partners, AKeyIsOfOnePartnerAndEndsWithItsGrant) {
  auto page = let_in_at(server, 7);
  auto other = let_in_at(server, 7, other_partner);
  const auto first = ok(page.post(review, review_body, "one-key"));
  EXPECT_EQ(page.post(review, review_body, "one-key").body, first.body);
  const auto of_other = ok(other.post(review, review_body, "one-key"));
  EXPECT_NE(of_other.body, first.body) << "it is another key";
  EXPECT_EQ(switch_partner(server, 7, false).status, 200);
  EXPECT_EQ(code_of(page.post(review, review_body, "one-key")), "404 ENDPOINT_DISABLED");
  EXPECT_EQ(other.post(review, review_body, "one-key").body, of_other.body);
}

TEST_F(Partners, AnAdminEndsAllThatSomebodyIsSignedInWith) {
  const auto inserted = insert_key(server, 8, std::chrono::hours{24}, std::chrono::hours{24});
  const auto expired = insert_key(server, 8, std::chrono::hours{24}, -std::chrono::hours{1});
  auto page = let_in_at(server, 8);
  auto own = signed_in_at(server, 8, own_page);
  ASSERT_EQ(code_of(page.post(review, review_body)), "200 ");
  ASSERT_EQ(code_of(own.get(balance)), "200 ");
  ASSERT_EQ(server.client().send("GET", balance, by_key(inserted.token)).status, 200);
  const auto made = server.command({"token", "1", "--admin"}).out;
  const auto end = [&](const std::string& query) {
    return http_client{server.admin_port()}.send("POST", "/admin/api/v1/people/8/end-access" + query,
                                                 with_json(by_bearer(made.substr(0, made.find('\n')))),
                                                 R"({"confirm":"8"})");
  };
  EXPECT_EQ(end("?dryRun=true").body, R"({"dryRun":true,"sessions":2,"apiKeys":1,"partners":1,"more":false})");
  EXPECT_EQ(code_of(page.post(review, review_body)), "200 ") << "it was only tried";
  EXPECT_EQ(code_of(own.get(balance)), "200 ");

  EXPECT_EQ(end("").body, R"({"dryRun":false,"sessions":2,"apiKeys":1,"partners":1,"more":false})");
  EXPECT_EQ(code_of(page.post(review, review_body)), "401 UNAUTHENTICATED");
  EXPECT_EQ(code_of(own.get(balance)), "401 UNAUTHORIZED");
  EXPECT_EQ(server.client().send("GET", balance, by_key(inserted.token)).status, 401);
  EXPECT_EQ(server.database().sql("SELECT string_agg(act || ' ' || caller_id, ', ' ORDER BY act) FROM audit_log WHERE"
                                  " profile_id = 8 AND act IN ('session_ended', 'key_revoked', 'partner_disabled')"),
            "key_revoked 1, partner_disabled 1, session_ended 1, session_ended 1");
  EXPECT_EQ(end("").body, R"({"dryRun":false,"sessions":0,"apiKeys":0,"partners":0,"more":false})");
  auto again = signed_in_at(server, 8, own_page);
  EXPECT_EQ(code_of(again.get(balance)), "200 ") << "nobody is locked out";
}

TEST_F(Partners, AuthCheckRefreshesASessionWhoseAccessTokenIsGone) {
  auto page = let_in_at(server, 2);
  std::erase_if(page.cookies, [](const auto& each) { return each.first.find("access") != std::string::npos; });
  EXPECT_EQ(code_of(page.post(review, review_body)), "401 UNAUTHENTICATED");
  EXPECT_TRUE(has(page.get(auth_check).body, R"("ok":true)"));
  EXPECT_EQ(page.cookies.size(), 2u);
  EXPECT_EQ(code_of(page.post(review, review_body)), "200 ");
  EXPECT_EQ(page.send("POST", "/api/v2/auth/logout").status, 200);
  EXPECT_TRUE(page.cookies.empty());
  EXPECT_EQ(page.get(auth_check).body, R"({"ok":false})");
}

TEST_F(Partners, SignOutOfTheirPageAlone) {
  auto page = let_in_at(server, 2);
  auto other = let_in_at(server, 2, other_partner);
  const auto before = page.cookies;
  EXPECT_EQ(page.send("DELETE", managed + "session").status, 200);
  EXPECT_TRUE(page.cookies.empty());
  page.cookies = before;
  EXPECT_EQ(code_of(page.post(review, review_body)), "401 UNAUTHENTICATED");
  EXPECT_EQ(page.get(auth_check).body, R"({"ok":false})") << "nor does the refresh token help";
  EXPECT_EQ(code_of(other.post(review, review_body)), "200 ");
}

/// What happens where a browser keeps no cookies of other sites.
struct PartnerCodes : Partners {
  http_response code_for(int profile, const std::string& origin = partner_origin) {
    return server.client().send("POST", managed + "partners/codes", with_json(by_bearer(server.token(profile))),
                                R"({"origin":")" + origin + R"("})");
  }
  static http_response trade(partner_page& page, const std::string& code) {
    return page.post(managed + "partners/token", R"({"code":")" + code + R"("})");
  }
};

TEST_F(PartnerCodes, AreTradedOnceForATokenThatActs) {
  const auto made = ok(code_for(6));
  EXPECT_EQ(made.headers.at("cache-control"), "no-store");
  const auto code = json_text(made.body, "/code");
  EXPECT_EQ(rows_with(server, code), "0");
  EXPECT_NE(rows_with(server, partner_origin), "0") << "what is there would be found";
  partner_page other{server, other_partner};
  EXPECT_EQ(code_of(trade(other, code)), "400 INVALID_CODE") << "it is for another origin";
  EXPECT_EQ(code_of(trade(partner_page{server}.from("https://evil.example"), code)), "403 FORBIDDEN");
  partner_page page{server};
  const auto traded = ok(trade(page, code));
  EXPECT_EQ(json_number(traded.body, "/profileId"), 6);
  EXPECT_EQ(code_of(trade(page, code)), "400 INVALID_CODE") << "it is used up";
  const auto cookies = std::exchange(page.cookies, {}); // the browser keeps none
  EXPECT_EQ(code_of(page.post(review, review_body)), "401 UNAUTHENTICATED");
  const auto token = json_text(traded.body, "/accessToken");
  EXPECT_EQ(code_of(page.with_token(token).post(review, review_body)), "200 ")
    << "making the code has let the page act";
  EXPECT_EQ(json_number(page.get(auth_check).body, "/profileId"), 6);
  EXPECT_EQ(code_of(other.with_token(token).post(review, review_body)), "401 UNAUTHENTICATED");
  EXPECT_EQ(server.client().send("GET", balance, by_bearer(token)).status, 401);
  partner_page both{server};
  both.cookies = cookies;
  EXPECT_EQ(both.with_token("ended").get(auth_check).body, R"({"ok":false})") << "though the cookies are good";
  EXPECT_EQ(page.send("DELETE", managed + "session").status, 200);
  EXPECT_EQ(code_of(page.post(review, review_body)), "401 UNAUTHENTICATED");
}

TEST_F(PartnerCodes, AreRefusedWhenNobodyMadeThem) {
  partner_page page{server};
  for (const auto& code : {std::string{}, std::string{"6"}, std::string{"6."}, "6." + std::string(64, 'a'),
                           std::string{"0.x"}, std::string(500, '9')})
    EXPECT_EQ(code_of(trade(page, code)), "400 INVALID_CODE") << code;
  EXPECT_EQ(code_of(page.post(managed + "partners/token", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code_for(6, "https://evil.example").status, 400);
  EXPECT_EQ(server.client()
              .send("POST", managed + "partners/codes", with_json({}), R"({"origin":")" + partner_origin + R"("})")
              .status,
            401);
}

TEST_F(PartnerCodes, AreNotToldTwice) {
  const auto headers = with_json(by_bearer(server.token(6)), "a-key");
  const auto ask = [&] {
    return server.client().send("POST", managed + "partners/codes", headers,
                                R"({"origin":")" + partner_origin + R"("})");
  };
  EXPECT_EQ(ask().status, 200);
  EXPECT_EQ(code_of(ask()), "409 ANSWER_NOT_KEPT");
}

TEST_F(PartnerCodes, ThePageThatAsksTheUserRunsNothingButItsOwnScript) {
  const auto asking_for = [](const std::string& origin) { return managed + "partners/sign-in?origin=" + origin; };
  const auto unknown = ok(server.client().get(asking_for("%3Cscript%3Ealert(1)%3C/script%3E")));
  EXPECT_FALSE(has(unknown.body, "alert(1)"));
  EXPECT_TRUE(has(unknown.body, "This application is not known here"));
  EXPECT_FALSE(has(unknown.body, "<button")) << "nothing is asked";
  const auto page = ok(server.client().get(asking_for(partner_origin)));
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(has(page.body, "<strong>" + partner_origin + "</strong>"));
  const auto policy = page.headers.at("content-security-policy");
  EXPECT_TRUE(has(policy, "default-src 'none'"));
  for (const auto* part : {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"})
    EXPECT_TRUE(has(policy, part));
  EXPECT_EQ(page.headers.at("x-frame-options"), "DENY");
  EXPECT_EQ(page.headers.at("cache-control"), "no-store");
  const auto from = policy.find("script-src 'nonce-") + 18;
  const auto nonce = policy.substr(from, policy.find('\'', from) - from);
  EXPECT_TRUE(has(page.body, "<script nonce=\"" + nonce + "\">"));
  EXPECT_NE(server.client().get(managed + "partners/sign-in").headers.at("content-security-policy"), policy)
    << "a nonce is used once";
}

TEST_F(PartnerCodes, TheirPageLearnsHowAMessageWritesAnAddress) {
  const auto told = server.client().get("/api/v2/auth/nonce?address=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
  EXPECT_EQ(json_text(told.body, "/address"), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  EXPECT_EQ(server.client().get("/api/v2/auth/nonce?address=0x12").status, 400);
}

TEST(PartnersSwitchedOff, ActForNobody) {
  service server;
  auto flags = partner_flags;
  flags.insert(flags.end(), {"--wallets-partner-actions", "false"});
  server.start(flags);
  auto page = let_in_at(server, 2);
  EXPECT_EQ(code_of(page.post(review, review_body)), "404 ENDPOINT_DISABLED");
  EXPECT_TRUE(has(page.get(auth_check).body, R"("enabled":false)"));
}

TEST(PartnerOrigins, MustBeSafeOnTheirWay) {
  service server;
  for (const auto* bad : {"http://partner.example", "partner.example", "https://partner.example/", "https://*.example",
                          "https://Partner.example", "null", "http://127.0.0.1.evil.example"})
    EXPECT_NE(server.command({"config", "check", "--wallets-partner-origins", bad}).code, 0) << bad;
  for (const auto* good : {"https://partner.example", "http://localhost:5173", "http://127.0.0.1:8081",
                           "http://[::1]:1", "http://app.localhost"})
    EXPECT_EQ(server.command({"config", "check", "--wallets-partner-origins", good}).code, 0)
      << good << server.command({"config", "check", "--wallets-partner-origins", good}).err;
}

} // namespace
} // namespace credence::test
