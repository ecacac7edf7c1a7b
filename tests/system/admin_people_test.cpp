#include "tests/each_of.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <fstream>
#include <iterator>

// What admins do to a profile by the admin listener: they grant XP, and merge a person into it.
namespace credence::test {
namespace {

using namespace std::chrono_literals;

const std::string api = "/admin/api/v1";

struct AdminPeople : api_tests {
  AdminPeople() : api_tests(shared()) {}
  static service& shared() {
    return shared_service([](service& one) {
      one.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
    });
  }

  std::int64_t xp_of(int profile) const { return json_number(look("/people/" + std::to_string(profile)).body, "/xp"); }
  http_response merge(int into, const std::string& userkey) const {
    const auto id = std::to_string(into);
    return manage("POST", "/people/" + id + "/merge", R"({"userkey":")" + userkey + R"(","confirm":")" + id + "\"}");
  }

  /// The newest two acts about a profile, the older one first.
  std::string last_two(int profile) const {
    return sql("SELECT string_agg(act, ' ' ORDER BY number) FROM (SELECT number, act FROM audit_log WHERE profile_id = "
               + std::to_string(profile) + " ORDER BY number DESC LIMIT 2) newest");
  }
  /// What became of a user, such as `MERGED into 6`.
  std::string fate_of(const std::string& user) const {
    return sql("SELECT status || coalesce(' into ' || merged_into, '') FROM users WHERE id = " + user);
  }
  /// Who has an address, which ends with these two digits.
  std::string owner_of(const std::string& digits) const {
    return sql("SELECT user_id FROM addresses WHERE address = '\\x" + tail + digits + "'");
  }
  /// Of an admin who came by a link.
  http_headers session_by_link() const {
    const auto link = server.command({"console-link"}).out;
    const auto at = link.find("#link=") + 6;
    const auto came =
      ok(console().post(api + "/sign-in/link", R"({"code":")" + link.substr(at, link.find('\n') - at) + "\"}"));
    const std::string cookie = "__Host-credence-console";
    return {{"Cookie", cookie + "=" + came.cookie(cookie)}, {"X-CSRF-Token", json_text(came.body, "/csrfToken")}};
  }
  static std::string userkey(const std::string& digits) { return "address:0x" + tail + digits; }

  inline static const std::string tail = "00000000000000000000000000000000c0ffee";
};

// -- XP --------------------------------------------------------------------------------------

TEST_F(AdminPeople, XpThatIsGrantedIsThereAtOnceAndInTheHistory) {
  const auto before = xp_of(8);
  const auto done = ok(manage("POST", "/people/8/xp-grants", R"({"amount":500,"reason":"an outage","confirm":"8"})"));
  EXPECT_EQ(json_number(done.body, "/xp"), before + 500);
  EXPECT_EQ(xp_of(8), before + 500);
  EXPECT_EQ(get("xp/user/profileId:8").body, std::to_string(before + 500));
  const auto history = server.client().get("/api/v2/xp/history?limit=1", server.token(8));
  EXPECT_TRUE(tells(history.body, "/values/0/type", "ADMIN_XP_GRANT", "/values/0/points", 500));
  EXPECT_FALSE(has(history, "an outage")) << "the reason is for the audit";
  const auto tipped =
    post("xp/tip", 8, R"({"receiverUserkey":"profileId:9","amount":)" + std::to_string(before + 500) + "}");
  ASSERT_EQ(tipped.status, 200) << "all of it: " << tipped.body;
  EXPECT_EQ(json_number(tipped.body, "/senderNewBalance"), 0);
  expect_audited("xp_granted", {{"caller_id", "1"}, {"profile_id", "8"}});
  EXPECT_TRUE(newest("xp_granted", "subject").ends_with(" of 500 XP: an outage")) << newest("xp_granted", "subject");
  expect_audited("xp_granted", {{"before", std::to_string(before)}, {"after", std::to_string(before + 500)}});
  expect_sound();
}

TEST_F(AdminPeople, AGrantThatComesAgainUnderItsKeyIsOneGrant) {
  const auto before = xp_of(10);
  const auto headers = with_json(by_bearer(admin_token()), "grant-of-a-dialog");
  const std::string body = R"({"amount":20,"reason":"a prize","confirm":"10"})";
  const auto first = ok(console().send("POST", api + "/people/10/xp-grants", headers, body));
  EXPECT_EQ(console().send("POST", api + "/people/10/xp-grants", headers, body).body, first.body);
  const std::string another = R"({"amount":21,"reason":"a prize","confirm":"10"})";
  EXPECT_EQ(code(console().send("POST", api + "/people/10/xp-grants", headers, another)), "422 IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(xp_of(10), before + 20);
}

TEST_F(AdminPeople, OnlyAdminsGrantXpWithinBoundsAndWithAReason) {
  const auto before = xp_of(11);
  const std::string good = R"({"amount":1,"reason":"a prize","confirm":"11"})";
  EXPECT_EQ(manage("POST", "/people/11/xp-grants", good, server.token(3)).status, 403) << "an operator";
  EXPECT_EQ(manage("POST", "/people/11/xp-grants", good, server.token(5)).status, 403) << "a viewer";
  for (const std::string bad : each_of(
         R"({"amount":0,"reason":"a prize","confirm":"11"})", R"({"amount":1000001,"reason":"a prize","confirm":"11"})",
         R"({"amount":1.5,"reason":"a prize","confirm":"11"})", R"({"amount":"1","reason":"a prize","confirm":"11"})",
         R"({"reason":"a prize","confirm":"11"})", R"({"amount":1,"confirm":"11"})",
         R"({"amount":1,"reason":"","confirm":"11"})", R"({"amount":1,"reason":"a prize","confirm":"12"})",
         R"({"amount":1,"reason":"a prize"})"))
    EXPECT_EQ(code(manage("POST", "/people/11/xp-grants", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code(manage("POST", "/people/11/xp-grants",
                        R"({"amount":1,"reason":")" + std::string(201, 'x') + R"(","confirm":"11"})")),
            "400 BAD_REQUEST");
  EXPECT_EQ(code(manage("POST", "/people/999999/xp-grants", R"({"amount":1,"reason":"a prize","confirm":"999999"})")),
            "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(xp_of(11), before);
  EXPECT_EQ(
    manage("POST", "/people/11/xp-grants", R"({"amount":1,"reason":")" + std::string(200, 'x') + R"(","confirm":"11"})")
      .status,
    200);
}

// -- merging ---------------------------------------------------------------------------------

TEST_F(AdminPeople, APersonWithoutAProfileBecomesAPartOfOne) {
  ASSERT_EQ(review(2, userkey("01")).status, 200);
  const auto user = owner_of("01");
  const auto before = received("profileId:6");
  EXPECT_TRUE(tells(ok(merge(6, userkey("01"))).body, "/mergedUserId", std::stoll(user)));
  EXPECT_EQ(received("profileId:6"), before + 1) << "the review is about the profile now";
  EXPECT_EQ(json_number(get("internal/users/" + userkey("01")).body, "/profile/id"), 6);
  EXPECT_EQ(fate_of(user), "MERGED into " + sql("SELECT user_id FROM profiles WHERE id = 6"));
  expect_audited("address_linked", {{"caller_id", "1"},
                                    {"profile_id", "6"},
                                    {"before", "user " + user},
                                    {"after", "profile 6; by order, nothing was signed"}});
  EXPECT_EQ(merge(6, userkey("01")).body, R"({"mergedUserId":null})") << "it is so already";
  EXPECT_EQ(code(review(6, userkey("01"))), "400 CANNOT_REVIEW_SELF");
  expect_sound();
}

TEST_F(AdminPeople, EverythingByWhichThePersonIsKnownComesAlong) {
  ASSERT_EQ(review(2, userkey("11")).status, 200);
  const auto user = owner_of("11");
  sql("INSERT INTO addresses (address, user_id, kind, added_at) VALUES ('\\x" + tail + "12', " + user
      + ", 'linked', now())");
  sql("INSERT INTO attestations (id, hash, user_id, service, account, username, created_at) SELECT coalesce(max(id), "
      "0) + 1, decode(repeat('c0', 32), 'hex'), "
      + user + ", 'x.com', '880022', 'Quiet_One', now() FROM attestations");
  EXPECT_TRUE(tells(ok(merge(7, "service:x.com:username:quiet_one")).body, "/mergedUserId", std::stoll(user)));
  const auto owner = sql("SELECT user_id FROM profiles WHERE id = 7");
  EXPECT_EQ(owner_of("11"), owner);
  EXPECT_EQ(owner_of("12"), owner);
  EXPECT_EQ(sql("SELECT user_id || ' ' || profile_id || ' ' || username FROM attestations WHERE account = '880022'"),
            owner + " 7 Quiet_One");
  EXPECT_EQ(fate_of(user), "MERGED into " + owner);
  expect_sound();
}

TEST_F(AdminPeople, NothingMovesWhereAPartOfThePersonMayNot) {
  ASSERT_EQ(review(9, "service:github:twice-known").status, 200);
  const auto user = sql("SELECT user_id FROM attestations WHERE account = 'twice-known'");
  sql("INSERT INTO addresses (address, user_id, kind, added_at) VALUES ('\\x" + tail + "21', " + user
      + ", 'primary', now())");
  EXPECT_EQ(code(merge(9, userkey("21"))), "409 OWN_RECORDS") << "profile 9 has reviewed the account";
  EXPECT_EQ(owner_of("21"), user) << "so the address stays as well";
  EXPECT_EQ(fate_of(user), "INACTIVE");
  EXPECT_EQ(merge(10, userkey("21")).status, 200) << "who has not reviewed it";
  EXPECT_EQ(last_two(10), "account_attested address_linked")
    << "what was named comes last: if that is interrupted, it still finds the rest";
  expect_sound();
}

TEST_F(AdminPeople, NothingMovesWhereTheProfileHasNoRoomForAllAddresses) {
  ASSERT_EQ(review(2, userkey("41")).status, 200);
  const auto user = owner_of("41");
  sql("INSERT INTO addresses (address, user_id, kind, added_at) VALUES ('\\x" + tail + "42', " + user
      + ", 'linked', now())");
  sql("INSERT INTO addresses (address, user_id, kind, added_at) SELECT decode(lpad(to_hex(n), 40, 'b'), 'hex'), "
      "p.user_id, 'linked', now() FROM profiles p, generate_series(1, 127 - (SELECT count(*) FROM profiles o JOIN "
      "addresses a ON a.user_id = o.user_id WHERE o.id = 13 AND a.kind IN ('primary', 'linked'))) n WHERE p.id = 13");
  EXPECT_EQ(code(merge(13, userkey("41"))), "400 ADDRESS_LIMIT_REACHED") << "there is room for one of two";
  EXPECT_EQ(owner_of("41"), user);
  EXPECT_EQ(owner_of("42"), user);
  EXPECT_EQ(fate_of(user), "INACTIVE");
}

TEST_F(AdminPeople, WhoHasAProfileOrIsUnknownIsNotMerged) {
  const auto address = "address:" + json_text(look("/people/8").body, "/addresses/0");
  EXPECT_EQ(code(merge(6, address)), "409 ADDRESS_TAKEN");
  ASSERT_EQ(
    post("attestations/create", 1, R"({"profileId":8,"service":"github","account":"of-eight","evidence":"seen"})")
      .status,
    200);
  EXPECT_EQ(code(merge(6, "service:github:of-eight")), "409 ACCOUNT_TAKEN");
  EXPECT_EQ(code(merge(6, userkey("ff"))), "404 NOT_FOUND");
  EXPECT_EQ(code(merge(6, "profileId:8")), "400 BAD_REQUEST") << "profiles are not merged";
  EXPECT_EQ(code(merge(6, "somebody")), "400 BAD_REQUEST");
  ASSERT_EQ(review(2, userkey("31")).status, 200);
  EXPECT_EQ(code(merge(999999, userkey("31"))), "403 PROFILE_NOT_LIVE");
  const auto body = R"({"userkey":")" + userkey("31") + R"(","confirm":"6"})";
  EXPECT_EQ(code(manage("POST", "/people/12/merge", body)), "400 BAD_REQUEST") << "another id was typed";
  EXPECT_EQ(manage("POST", "/people/6/merge", body, server.token(3)).status, 403) << "an operator";
  EXPECT_EQ(fate_of(owner_of("31")), "INACTIVE");
}

TEST_F(AdminPeople, AnAdminWhoCameByALinkMergesAccounts) {
  ASSERT_EQ(review(2, "service:github:by-a-link").status, 200);
  ok(console().send("POST", api + "/people/12/merge", with_json(session_by_link()),
                    R"({"userkey":"service:github:by-a-link","confirm":"12"})"));
  EXPECT_EQ(json_number(get("internal/users/service:github:by-a-link").body, "/profile/id"), 12);
  EXPECT_EQ(newest("account_attested", "caller_id"), "null");
  EXPECT_TRUE(newest("account_attested", "credential").starts_with("console session of "))
    << newest("account_attested", "credential");
  expect_sound();
}

// -- ending sessions and keys ----------------------------------------------------------------

TEST_F(AdminPeople, AccessEndsAlsoOfWhomNobodyHasLoadedAndOfTheArchivedInPieces) {
  const auto key = insert_key(server, 14, 24h, 24h);
  sql("UPDATE profiles SET archived = true WHERE id = 14");
  sql("INSERT INTO partner_grants (profile_id, origin, enabled, changed_at) SELECT 14, 'https://' || n || "
      "'.partner.example', n <= 60, now() FROM generate_series(1, 61) n");
  const auto end = [&](const std::string& query = {}) {
    return manage("POST", "/people/14/end-access" + query, R"({"confirm":"14"})").body;
  };
  EXPECT_EQ(end("?dryRun=true"), R"({"dryRun":true,"sessions":0,"apiKeys":1,"partners":60,"more":false})");
  EXPECT_EQ(end(), R"({"dryRun":false,"sessions":0,"apiKeys":1,"partners":49,"more":true})");
  EXPECT_EQ(end(), R"({"dryRun":false,"sessions":0,"apiKeys":0,"partners":11,"more":false})");
  EXPECT_EQ(sql("SELECT count(*) FROM partner_grants WHERE profile_id = 14 AND enabled"), "0");
  EXPECT_NE(sql("SELECT revoked_at FROM api_keys WHERE id = '" + key.id + "'"), "");
  sql("UPDATE profiles SET archived = false WHERE id = 14");
}

TEST_F(AdminPeople, OnlyAdminsEndAccessWithTheIdTypedOnceMore) {
  const std::string good = R"({"confirm":"15"})";
  EXPECT_EQ(manage("POST", "/people/15/end-access", good, server.token(3)).status, 403) << "an operator";
  EXPECT_EQ(manage("POST", "/people/15/end-access", good, server.token(5)).status, 403) << "a viewer";
  EXPECT_EQ(code(manage("POST", "/people/15/end-access", R"({"confirm":"16"})")), "400 BAD_REQUEST");
  EXPECT_EQ(code(manage("POST", "/people/15/end-access", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code(manage("POST", "/people/999999/end-access", R"({"confirm":"999999"})")), "404 NOT_FOUND");
}

// -- archiving -------------------------------------------------------------------------------

TEST_F(AdminPeople, AProfileIsArchivedAndRestored) {
  const auto archived = [&] { return has(ok(look("/people/17")), R"("archived":true)"); };
  const auto vote = [&] { return post("projects/1/votes?dryRun=true", 17, R"({"voteType":"BULLISH"})"); };
  ok(vote());
  EXPECT_EQ(manage("POST", "/people/17/archive", {}, server.token(3)).status, 403) << "an operator";
  ok(manage("POST", "/people/17/archive"));
  EXPECT_TRUE(archived());
  expect_audited("profile_archived", {{"caller_id", "1"}, {"profile_id", "17"}});
  EXPECT_EQ(code(vote()), "403 PROFILE_NOT_LIVE");
  ok(manage("POST", "/people/17/restore"));
  EXPECT_FALSE(archived());
  EXPECT_EQ(newest("profile_restored", "caller_id"), "1");
  ok(vote());
  EXPECT_EQ(code(manage("POST", "/people/999999/archive")), "404 NOT_FOUND");
  expect_sound();
}

TEST_F(AdminPeople, AReviewThatAnAdminArchivedIsRestoredByAdminsAlone) {
  const auto written = ok(review(4, "profileId:19"));
  const auto id = std::to_string(json_number(written.body, "/id"));
  const auto archived = [&] { return has(ok(get("reviews/" + id)), R"("archived":true)"); };
  EXPECT_EQ(manage("POST", "/reviews/" + id + "/archive", {}, server.token(3)).status, 403) << "an operator";
  ok(manage("POST", "/reviews/" + id + "/archive"));
  EXPECT_TRUE(archived());
  EXPECT_EQ(newest("review_archived", "caller_id"), "1");
  EXPECT_EQ(post("reviews/" + id + "/restore", 4).status, 403) << "its author";
  ok(manage("POST", "/reviews/" + id + "/restore"));
  EXPECT_FALSE(archived());
  EXPECT_EQ(newest("review_restored", "caller_id"), "1");
  EXPECT_EQ(code(manage("POST", "/reviews/999999999/archive")), "404 NOT_FOUND");
}

TEST_F(AdminPeople, AnAttestationIsArchivedAndRestored) {
  const std::string account = "service:github:of-nobody";
  ASSERT_EQ(review(2, account).status, 200);
  ok(merge(14, account));
  const auto id = sql("SELECT id FROM attestations WHERE account = 'of-nobody'");
  const auto path = "/attestations/" + id;
  EXPECT_EQ(manage("POST", path + "/archive", {}, server.token(3)).status, 403) << "an operator";
  ok(manage("POST", path + "/archive"));
  EXPECT_EQ(get("internal/users/" + account).body, "null") << "nobody is found by it";
  EXPECT_EQ(newest("attestation_archived", "caller_id"), "1");
  ok(manage("POST", path + "/restore"));
  EXPECT_EQ(json_number(get("internal/users/" + account).body, "/profile/id"), 14);
  expect_sound();
}

TEST_F(AdminPeople, AnAdminsWordVerifiesAPersonAndWithdrawsIt) {
  const auto say = [&](const std::string& verified, const std::string& token = {}) {
    return manage("PUT", "/people/18/human-verification",
                  R"({"verified":)" + verified + R"(,"comment":"met in person"})", token);
  };
  const auto status = [&] { return get("human-verification/profileId:18").body; };
  sql("UPDATE users SET human_verification = NULL WHERE id = (SELECT user_id FROM profiles WHERE id = 18)");
  EXPECT_EQ(say("true", server.token(3)).status, 403) << "an operator";
  const auto nobody = console().send("PUT", api + "/people/18/human-verification", with_json(session_by_link()),
                                     R"({"verified":true,"comment":"met in person"})");
  EXPECT_EQ(nobody.status, 403) << "nobody would have decided it";
  EXPECT_EQ(code(say("false")), "409 NOT_VERIFIED");
  ok(say("true"));
  EXPECT_TRUE(tells(status(), "/status", "VERIFIED", "/comment", "met in person", "/decidedBy", 1));
  EXPECT_EQ(newest("human_verified", "caller_id"), "1");
  ok(say("false"));
  EXPECT_EQ(json_text(status(), "/status"), "REVOKED");
  EXPECT_EQ(code(manage("PUT", "/people/18/human-verification", R"({"verified":true,"comment":""})")),
            "400 BAD_REQUEST");
}

// What operators see of clients, people, projects, markets, slashes, integrity and the chain, and change of them.

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

struct AdminInsight : api_tests {
  AdminInsight() : api_tests(shared()) {}
  static service& shared() {
    return shared_service([](service& one) {
      one.database().sql(plant_ring);
      one.start({"--admin", "1", "--auth-operators", "3", "--auth-viewers", "5"});
    });
  }
};

TEST_F(AdminInsight, AnAnalysisFindsAPlantedRing) {
  EXPECT_EQ(manage("POST", "/integrity", {}, server.token(5)).status, 403) << "a viewer only looks";
  const auto begun = manage("POST", "/integrity", {}, server.token(3));
  ASSERT_EQ(begun.status, 202) << begun.body;
  http_response found;
  await("the analysis", [&] { return !has(found = look("/integrity"), R"("state":"running")"); });
  ASSERT_TRUE(has(found, R"("state":"done")")) << found.body;
  EXPECT_TRUE(has(found, R"("profiles":[41,42,43,44,45,46,47,48,49,50,51,52],"size":12)",
                  "12 members voted bullish on project 902 within"));
  EXPECT_EQ(newest("integrity_analysed", "caller_id"), "3");
  EXPECT_EQ(manage("DELETE", "/integrity").status, 200) << "there is none to stop";
}

/// A ring of a few profiles, as a run would have stored it.
std::string ring_with(const std::string& members) {
  return "INSERT INTO rings (change, first_found, last_found, runs, members, seen, decades, sign_decades, sign_pairs,"
         " mutual, moments, first_at, last_at) SELECT 'new', now(), now(), 1, m, m, 30, '{30,0,0,0}', '{3,0,0,0}',"
         " '{0,0,0}', 4, now(), now() FROM (SELECT ARRAY["
         + members + "] AS m) x RETURNING id";
}

TEST_F(AdminInsight, ARingThatTheCommandStoresCanBeMarked) {
  ASSERT_EQ(server.command({"rings", "--quiet"}).code, 0);
  const auto stored = server.command({"rings", "--store", "--quiet", "--json"});
  ASSERT_EQ(stored.code, 0) << stored.err;
  EXPECT_NE(stored.out.find("[41,42,43,44,45,46,47,48,49,50,51,52]"), std::string::npos) << stored.out;
  EXPECT_NE(newest("rings_stored", "credential"), "") << "somebody at the machine";
  const auto rings = ok(look("/integrity/rings?mark=open"));
  EXPECT_TRUE(has(rings, R"("profiles":[41,42,43,44,45,46,47,48,49,50,51,52],"size":12)")) << rings.body;
  const auto id = sql("SELECT id FROM rings WHERE members @> ARRAY[41, 52]");
  const auto path = "/integrity/rings/" + id;
  EXPECT_TRUE(has(ok(look(path + "/votes")), R"("projectId":902,"bullish":true,"profiles":[41,42,)"));
  const auto said = R"({"mark":"honest","runs":1,"remark":"a club"})";
  EXPECT_EQ(manage("PUT", path + "/mark", said, server.token(5)).status, 403) << "a viewer only looks";
  const auto marked = ok(manage("PUT", path + "/mark", said, server.token(3)));
  EXPECT_TRUE(has(marked, R"("mark":"honest","markedBy":"profile 3")")) << marked.body;
  expect_audited("ring_marked", {{"after", "honest: a club"}, {"caller_id", "3"}});
  EXPECT_TRUE(has(look("/integrity/rings?mark=honest"), R"("remark":"a club")"));
  ASSERT_EQ(server.command({"rings", "--store", "--quiet"}).code, 0);
  EXPECT_TRUE(has(ok(look("/integrity/rings?mark=honest")), R"("ringId":)" + id + R"(,"change":"same")"));
  const auto late = manage("PUT", path + "/mark", said);
  EXPECT_EQ(late.status, 409) << late.body;
  EXPECT_TRUE(has(late, R"(SEQUENCE_MISMATCH)") && has(late, "has been found by 2")) << late.body;
  EXPECT_EQ(manage("PUT", path + "/mark", R"({"mark":"bad","runs":2})").status, 400);
  EXPECT_EQ(manage("PUT", path + "/mark", R"({"mark":"honest"})").status, 400) << "of which state?";
  EXPECT_EQ(manage("PUT", "/integrity/rings/999999/mark", said).status, 404);
  EXPECT_EQ(look("/integrity/rings/999999/votes").status, 404);
}

TEST_F(AdminInsight, TheConsolesFindingsAreStoredOnce) {
  ASSERT_EQ(manage("POST", "/integrity", {}, server.token(3)).status, 202);
  await("the analysis", [&] { return !has(look("/integrity"), R"("state":"running")"); });
  EXPECT_EQ(manage("POST", "/integrity/rings", {}, server.token(5)).status, 403) << "a viewer only looks";
  const auto first = ok(manage("POST", "/integrity/rings", {}, server.token(3)));
  EXPECT_TRUE(has(first, R"("stored":true)")) << first.body;
  EXPECT_EQ(json_number(first.body, "/run/people"), json_number(look("/integrity").body, "/people"));
  EXPECT_TRUE(has(ok(manage("POST", "/integrity/rings")), R"("stored":false,"run":null)"));
}

TEST_F(AdminInsight, EachActForARingIsThatForItsMembers) {
  sql(
    "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
    " SELECT '00000000-0000-4000-8000-000000000021', 21, address, 'of a ring', decode(repeat('ce', 32), 'hex'), now(),"
    " now() + interval '9 days' FROM addresses WHERE user_id = (SELECT user_id FROM profiles WHERE id = 21) LIMIT 1;"
    "UPDATE profiles SET api_access = id IN (21, 23) WHERE id BETWEEN 21 AND 27");
  const auto id = sql(ring_with("21, 22, 23, 24, 25, 26, 27"));
  const auto path = "/integrity/rings/" + id + "/act";
  const auto order = [&](int after) {
    return R"({"acts":["revoke_keys","take_api_access"],"runs":1,"after":)" + std::to_string(after) + R"(,"confirm":")"
           + id + R"("})";
  };
  const auto first = R"({"profileId":21,"keysRevoked":1,"apiAccessTaken":true,"marketFrozen":false,"refused":null})";
  EXPECT_TRUE(has(ok(manage("POST", path + "?dryRun=true", order(0))), first));
  EXPECT_TRUE(has(look("/keys?profileId=21"), "of a ring")) << "it was only tried";
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log WHERE act = 'ring_acted_on'"), "0");
  EXPECT_EQ(manage("POST", path, order(0), server.token(3)).status, 403) << "an admin's alone";
  EXPECT_EQ(manage("POST", path, R"({"acts":["revoke_keys"],"runs":1,"confirm":"0"})").status, 400);
  EXPECT_EQ(manage("POST", path, R"({"acts":[],"runs":1,"confirm":")" + id + R"("})").status, 400);
  EXPECT_EQ(manage("POST", path, R"({"acts":["slash"],"runs":1,"confirm":")" + id + R"("})").status, 400);
  EXPECT_EQ(manage("POST", path, R"({"acts":["revoke_keys"],"confirm":")" + id + R"("})").status, 400);

  const auto done = ok(manage("POST", path, order(0)));
  EXPECT_TRUE(has(done, first)) << done.body;
  EXPECT_EQ(json_number(done.body, "/next"), 25) << "five at a time";
  EXPECT_EQ(newest("ring_acted_on", "after"), "revoke_keys, take_api_access of profiles 21, 22, 23, 24, 25");
  EXPECT_FALSE(has(look("/keys?profileId=21"), "of a ring"));
  EXPECT_TRUE(has(look("/people/23"), R"("apiAccess":false)"));
  sql("UPDATE rings SET runs = 2 WHERE id = " + id);
  for (const std::string how : {"", "?dryRun=true"}) {
    const auto late = manage("POST", path + how, order(25));
    EXPECT_EQ(late.status, 409) << late.body;
    EXPECT_TRUE(has(late, "SEQUENCE_MISMATCH") && has(late, "has been found by 2")) << late.body;
  }
  sql("UPDATE rings SET runs = 1 WHERE id = " + id);
  const auto rest = ok(manage("POST", path, order(25)));
  EXPECT_TRUE(has(rest, R"("profileId":27)", R"("next":null)"));
  expect_audited("ring_acted_on",
                 {{"subject", "ring " + id}, {"after", "revoke_keys, take_api_access of profiles 26, 27"}});
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log WHERE act = 'ring_acted_on'"), "2") << "once for each piece";
  EXPECT_TRUE(has(ok(manage("POST", path, order(27))), R"("done":[],"next":null)")) << "behind the last one";
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log WHERE act = 'ring_acted_on'"), "2") << "nobody was acted on";
  EXPECT_EQ(newest("api_access_changed", "profile_id"), "23");
  EXPECT_TRUE(has(ok(manage("POST", path, order(0))), R"({"profileId":21,"keysRevoked":0,"apiAccessTaken":false)"));
  EXPECT_EQ(
    manage("POST", "/integrity/rings/999999/act", R"({"acts":["revoke_keys"],"runs":1,"confirm":"999999"})").status,
    404);
}

TEST_F(AdminInsight, ClientsAreCountedByTheirName) {
  auto client = server.client();
  for (int i = 0; i < 3; ++i)
    client.send("GET", "/api/v2/projects", {{"X-Service-Client", "insight@1.0"}});
  client.send("GET", "/api/v2/user/abc", {{"X-Service-Client", "insight@1.0"}});
  client.send("GET", "/api/v1/slashes", {{"X-Service-Client", "insight@2.0"}});
  const auto clients = look("/clients");
  EXPECT_TRUE(has(
    clients, R"({"client":"insight","requests":5,"clientErrors":1,"rateLimited":0,"serverErrors":0,"deprecated":1})"))
    << clients.body;
  EXPECT_TRUE(has(look("/clients/deprecated"), R"({"client":"insight","requests":1})"));
  EXPECT_TRUE(has(look("/clients/budgets"), R"({"bucket":"read","rate":")"));
}

TEST_F(AdminInsight, PeopleAreFoundByNameIdAndAddress) {
  const auto one = ok(look("/people/7"));
  EXPECT_EQ(json_number(one.body, "/profileId"), 7);
  const auto name = json_text(one.body, "/username");
  EXPECT_TRUE(has(look("/people?query=" + name), R"("profileId":7)"));
  EXPECT_TRUE(has(look("/people?query=7"), R"("profileId":7)"));
  EXPECT_TRUE(has(look("/people?query=" + json_text(one.body, "/addresses/0")), R"("profileId":7)"));
  EXPECT_EQ(look("/people/999999").status, 404);
  EXPECT_EQ(look("/people?limit=0").status, 400);
}

TEST_F(AdminInsight, KeysMayBeGrantedAndNot) {
  ASSERT_EQ(manage("PUT", "/people/12/api-access", R"({"allowed":false})").status, 200);
  EXPECT_TRUE(has(look("/people/12"), R"("apiAccess":false)"));
  ASSERT_EQ(manage("PUT", "/people/12/api-access", R"({"allowed":true})").status, 200);
  EXPECT_TRUE(has(look("/people/12"), R"("apiAccess":true)"));
  expect_audited("api_access_changed", {{"before", "not allowed"}, {"profile_id", "12"}});
  EXPECT_EQ(manage("PUT", "/people/999999/api-access", R"({"allowed":true})").status, 404);
  EXPECT_EQ(manage("PUT", "/people/12/api-access", "{}").status, 400);
  EXPECT_EQ(manage("PUT", "/people/12/api-access", R"({"allowed":true})", server.token(5)).status, 403);
}

TEST_F(AdminInsight, KeysAreListedAndRevoked) {
  sql("INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
      " SELECT '00000000-0000-4000-8000-000000000001', 2, address, 'insight', decode(repeat('cd', 32), 'hex'), now(),"
      " now() + interval '9 days' FROM addresses WHERE user_id = (SELECT user_id FROM profiles WHERE id = 2) LIMIT 1");
  EXPECT_TRUE(has(look("/keys?profileId=2"), R"("name":"insight")"));
  EXPECT_FALSE(has(look("/keys?profileId=3"), R"("name":"insight")"));
  EXPECT_EQ(look("/keys?cursor=nonsense").status, 400);
  const std::string id = "00000000-0000-4000-8000-000000000001";
  EXPECT_EQ(manage("DELETE", "/profiles/3/keys/" + id).status, 404);
  EXPECT_EQ(manage("DELETE", "/profiles/2/keys/" + id, {}, server.token(3)).status, 200);
  EXPECT_FALSE(has(look("/keys?profileId=2"), R"("name":"insight")"));
  EXPECT_EQ(newest("key_revoked", "caller_id"), "3");
}

TEST_F(AdminInsight, ProjectsAreFoundShownMadeAndArchived) {
  EXPECT_EQ(json_number(look("/projects?query=2").body, "/values/0/projectId"), 2);
  const auto one = ok(look("/projects/2"));
  EXPECT_EQ(json_text(one.body, "/status"), "ACTIVE");
  EXPECT_GT(json_number(one.body, "/bullish"), 0);
  EXPECT_EQ(look("/projects/888888").status, 404);
  EXPECT_TRUE(has(look("/projects/2/chart?scope=global&bucket=1%20month"), R"({"values":[{"at":)"));
  EXPECT_EQ(manage("POST", "/projects/2/archive", {}, server.token(3)).status, 403)
    << "an operator keeps the service running, no more";
  ASSERT_EQ(manage("POST", "/projects/2/archive").status, 200);
  EXPECT_EQ(json_text(look("/projects/2").body, "/status"), "ARCHIVED");
  EXPECT_EQ(newest("project_archived", "caller_id"), "1");
  ASSERT_EQ(manage("POST", "/projects/2/restore").status, 200);
  const auto made = ok(manage("POST", "/projects", R"({"userkey":"service:x.com:880011","name":"Fresh Meadow"})"));
  EXPECT_EQ(json_text(made.body, "/name"), "Fresh Meadow");
  EXPECT_EQ(manage("POST", "/projects", R"({"userkey":"service:x.com:880011","name":"Fresh Meadow"})").status, 409);
  EXPECT_TRUE(has(look("/projects?query=meadow"), R"("name":"Fresh Meadow")"));
}

TEST_F(AdminInsight, MoneyIsCreditedOnlyWithTheIdTypedOnceMore) {
  const auto before = json_text(look("/people/8").body, "/balance/wei");
  EXPECT_EQ(manage("POST", "/people/8/credit", R"({"amountWei":"1000","confirm":"9"})").status, 400);
  EXPECT_EQ(manage("POST", "/people/8/credit", R"({"amountWei":"0","confirm":"8"})").status, 400);
  EXPECT_EQ(json_text(look("/people/8").body, "/balance/wei"), before);
  const auto done = ok(manage("POST", "/people/8/credit", R"({"amountWei":"1000","confirm":"8"})"));
  EXPECT_EQ(json_text(done.body, "/balanceWei"), std::to_string(std::stoll(before) + 1000));
  EXPECT_EQ(json_text(look("/people/8").body, "/balance/wei"), json_text(done.body, "/balanceWei"));
}

TEST_F(AdminInsight, ACreditThatComesAgainUnderItsKeyIsOneCredit) {
  const auto before = std::stoll(json_text(look("/people/9").body, "/balance/wei"));
  const auto headers = with_json(by_bearer(admin_token()), "credit-of-a-dialog");
  const std::string body = R"({"amountWei":"500","confirm":"9"})";
  const auto first = ok(console().send("POST", api + "/people/9/credit", headers, body));
  const auto again = console().send("POST", api + "/people/9/credit", headers, body);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(console().send("POST", api + "/people/9/credit", headers, R"({"amountWei":"501","confirm":"9"})").status,
            422);
  EXPECT_EQ(json_text(look("/people/9").body, "/balance/wei"), std::to_string(before + 500));
}

/// Three entries of one morning long ago; the third was noted late, after the second.
constexpr auto plant_entries =
  "SELECT append_audit(ARRAY['2001-01-01T10:00:00Z', '2001-01-01T12:00:00Z', '2001-01-01T11:00:00Z']::timestamptz[],"
  " array_fill('seen_long_ago'::text, ARRAY[3]), array_fill(NULL::int, ARRAY[3]), array_fill(NULL::int, ARRAY[3]), "
  "array_fill(''::text, ARRAY[3]), array_fill(''::text, ARRAY[3]), array_fill(''::text, ARRAY[3]), ARRAY['at ten', 'at "
  "noon', 'at eleven'], array_fill(NULL::text, ARRAY[3]), array_fill(NULL::text, ARRAY[3]))";

TEST_F(AdminInsight, VotesAreListedOneByOneOfAProjectAndOfAVoter) {
  const auto newest_of = ok(look("/votes?projectId=902&limit=5"));
  EXPECT_TRUE(tells(newest_of.body, "/values/0/profileId", 52, "/values/0/projectName", "Quiet 2", "/values/0/side",
                    "bullish", "/values/0/weight", 1, "/values/4/profileId", 48, "/next", "8"))
    << newest_of.body;
  const auto older = ok(look("/votes?projectId=902&cursor=8"));
  EXPECT_TRUE(tells(older.body, "/values/0/profileId", 47, "/values/6/profileId", 41));
  EXPECT_TRUE(has(older, R"("next":null)")) << older.body;
  EXPECT_TRUE(has(look("/votes?projectId=901&side=bullish"), R"({"values":[],"next":null})")) << "all are bearish";
  EXPECT_EQ(json_number(look("/votes?projectId=901&side=bearish").body, "/values/11/profileId"), 41);

  const auto middle =
    sql("SELECT (extract(epoch FROM cast_at) * 1000)::bigint FROM votes WHERE project_id = 902 AND number = 6");
  const auto later = ok(look("/votes?projectId=902&from=" + middle));
  EXPECT_EQ(json_number(later.body, "/values/6/profileId"), 46) << "from is in";
  EXPECT_FALSE(has(later, R"("profileId":45)")) << later.body;
  EXPECT_EQ(json_number(look("/votes?projectId=902&to=" + middle).body, "/values/0/profileId"), 45) << "to is not";
  EXPECT_TRUE(has(look("/votes?profileId=41&from=" + middle + "&to=" + std::to_string(std::stoll(middle) + 1)),
                  R"({"values":[],"next":null})"));

  const auto of_voter = ok(look("/votes?profileId=41&limit=3"));
  EXPECT_TRUE(tells(of_voter.body, "/values/0/projectId", 924, "/values/2/projectId", 922, "/next", "3"))
    << of_voter.body;
  EXPECT_EQ(json_number(look("/votes?profileId=41&limit=3&cursor=3").body, "/values/0/projectId"), 921);
  for (const auto* wrong : {"", "?projectId=1&profileId=1", "?projectId=1&side=both", "?projectId=1&from=2&to=2",
                            "?profileId=1&cursor=10001", "?projectId=0"})
    EXPECT_EQ(code(look(std::string{"/votes"} + wrong)), "400 BAD_REQUEST") << wrong;
}

TEST_F(AdminInsight, TheAuditIsReadByTime) {
  sql(plant_entries);
  const std::string ten = "978343200000", noon = "978350400000";
  const auto morning = ok(look("/audit?from=" + ten + "&to=" + noon));
  EXPECT_EQ(json_text(morning.body, "/values/0/subject"), "at eleven") << "the newest first, by time";
  EXPECT_EQ(json_text(morning.body, "/values/1/subject"), "at ten") << "from is in";
  EXPECT_FALSE(has(morning, "at noon")) << "to is not";
  const auto first = look("/audit?limit=1&from=" + ten + "&to=" + noon);
  EXPECT_EQ(json_text(first.body, "/values/0/subject"), "at eleven") << first.body;
  const auto next = json_text(first.body, "/next");
  const auto second = look("/audit?limit=1&from=" + ten + "&to=" + noon + "&cursor=" + next);
  EXPECT_EQ(json_text(second.body, "/values/0/subject"), "at ten") << second.body;
  const auto last = look("/audit?limit=1&from=" + ten + "&to=" + noon + "&cursor=" + json_text(second.body, "/next"));
  EXPECT_TRUE(has(last, R"({"values":[],"next":null})")) << last.body;
  EXPECT_TRUE(has(look("/audit?act=seen_long_ago&from=" + noon), "at noon"));
  EXPECT_FALSE(has(look("/audit?act=another&to=" + noon), "at ten"));
  EXPECT_EQ(look("/audit?from=" + noon + "&to=" + noon).status, 400) << "from must be before to";
  EXPECT_EQ(look("/audit?from=-1").status, 400);
  for (const auto& both : {std::string{"/audit?after=1&from="} + ten, std::string{"/audit?after=1&to="} + noon}) {
    const auto refused = look(both);
    EXPECT_EQ(refused.status, 400) << both;
    EXPECT_TRUE(has(refused, "after cannot be combined with from or to")) << refused.body;
  }
  EXPECT_EQ(look("/audit?after=1&limit=1").status, 200) << "by number";
}

TEST_F(AdminInsight, TheManualIsReadAsItIsInTheRepository) {
  const auto manual = ok(look("/manual"));
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
  EXPECT_TRUE(has(look("/markets"), R"({"values":[)"));
  EXPECT_EQ(look("/markets?query=a").status, 400);
  EXPECT_EQ(look("/markets/2").status, 404);
  EXPECT_EQ(look("/markets/2/chart").status, 404);
  EXPECT_TRUE(has(look("/slashes?limit=1"), R"({"values":[)"));
  EXPECT_EQ(look("/slashes?cursor=x").status, 400);
  EXPECT_EQ(manage("POST", "/slashes/999999/cancel").status, 404);
  EXPECT_TRUE(has(look("/chain"), R"({"followed":false,"chainId":null,"state":null)"));
  EXPECT_TRUE(has(look("/chain/failed"), R"({"values":[]})"));
  EXPECT_EQ(manage("POST", "/chain/texts/retry").status, 200);
  EXPECT_EQ(newest("texts_retried", "caller_id"), "1");
  EXPECT_EQ(manage("POST", "/chain/reprocess", {}, server.token(3)).status, 403)
    << "an operator keeps the service running, no more";
  EXPECT_EQ(manage("POST", "/chain/reprocess").status, 404);
}

// What admins change of markets over the admin API, and what traders see of it.

constexpr int market_owner = 3;
constexpr int trader = 4;
constexpr int runner = 5; // an operator
const std::string market = std::to_string(market_owner);
const std::string ether = "1000000000000000000";
const std::string buy = R"({"action":"buy","voteType":"trust","votes":1})";
const std::string sell = R"({"action":"sell","voteType":"trust","votes":1})";

/// A market on which the trader holds two votes of trust.
struct AdminMarkets : api_tests {
  void SetUp() override {
    start();
    for (const int who : {market_owner, trader})
      ASSERT_EQ(manage("POST", "/people/" + std::to_string(who) + "/credit",
                       R"({"amountWei":")" + ether + R"(","confirm":")" + std::to_string(who) + "\"}")
                  .status,
                200);
    ASSERT_EQ(post("/api/v2/markets", R"({"configType":"NORMAL"})", market_owner).status, 200);
    ASSERT_EQ(post(trades, R"({"action":"buy","voteType":"trust","votes":2})").status, 200);
  }
  void start() { server.start({"--admin", "1", "--auth-operators", std::to_string(runner)}); }

  http_response set_frozen(bool frozen) {
    return manage("PUT", "/markets/" + market + "/frozen",
                  R"({"frozen":)" + std::string{frozen ? "true" : "false"} + R"(,"confirm":")" + market + "\"}");
  }
  http_response post(const std::string& path, const std::string& body, int by = trader) {
    return server.client().send("POST", path, with_json(by_bearer(server.token(by))), body);
  }
  http_response get(const std::string& path) { return server.client().get(path); }
  static std::int64_t points_of(const http_response& chart) {
    std::int64_t out = 0;
    for (auto at = chart.body.find(R"({"at":)"); at != std::string::npos; at = chart.body.find(R"({"at":)", at + 1))
      ++out;
    return out;
  }
  static std::string price_at(const http_response& chart, std::int64_t point) {
    return json_text(chart.body, "/values/" + std::to_string(point) + "/trustPriceWei");
  }
  bool shown_frozen() { return manage("GET", "/markets/" + market).body.find(R"("frozen":true)") != std::string::npos; }

  /// Nobody buys, sells or is told what that would come to; all else can be read.
  void expect_frozen() {
    for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
           {trades, buy},
           {trades, sell},
           {trades + "?dryRun=true", buy},
           {"/api/v2/markets/" + market + "/quote", sell},
           {"/api/v2/markets/simulate-buy",
            R"({"profileId":)" + market + R"(,"voteType":"trust","buyAmountWei":"100000000000000000"})"},
           {"/api/v2/markets/simulate-sell", R"({"profileId":)" + market + R"(,"voteType":"trust","sellVotes":1})"}}) {
      const auto refused = post(path, body);
      EXPECT_EQ(code(refused), "409 MARKET_FROZEN") << path << refused.body;
    }
    EXPECT_EQ(json_number(get("/api/v1/markets/" + market).body, "/data/trustVotes"), 3);
    EXPECT_EQ(json_number(get("/api/v2/markets/" + market + "/holders").body, "/values/0/votes"), 2);
    for (const auto* path : {"/price/history", "/change", "/info"})
      EXPECT_EQ(get("/api/v2/markets/" + market + path).status, 200) << path;
    EXPECT_EQ(json_number(get("/api/v1/markets/" + market + "/tx/history").body, "/data/total"), 1);
    EXPECT_EQ(json_number(get("/api/v2/markets").body, "/total"), 1);
    const auto funds = server.client().get("/api/v2/markets/me/balance", server.token(trader)).body;
    EXPECT_EQ(json_text(funds, "/available"), json_text(funds, "/balance")) << "nothing is left set aside";
    EXPECT_TRUE(shown_frozen());
  }

  const std::string trades = "/api/v2/markets/" + market + "/trades";
};

TEST_F(AdminMarkets, AFrozenOneTakesNoTradesAlsoAfterAKillUntilItGoesOn) {
  EXPECT_FALSE(shown_frozen());
  ASSERT_EQ(set_frozen(true).status, 200);
  expect_frozen();
  ASSERT_EQ(manage("POST", "/actors/market:" + market + "/reload").status, 200);
  expect_frozen();
  server.kill_hard();
  start();
  expect_frozen();
  ASSERT_EQ(set_frozen(false).status, 200);
  EXPECT_FALSE(shown_frozen());
  EXPECT_EQ(post("/api/v2/markets/" + market + "/quote", buy).status, 200);
  EXPECT_EQ(post(trades, buy).status, 200);
  EXPECT_EQ(post(trades, sell).status, 200);
  expect_sound(true);
}

TEST_F(AdminMarkets, TheAuditSaysWhoFrozeOneAndWhoLetItGoOn) {
  ASSERT_EQ(set_frozen(true).status, 200);
  expect_audited("market_frozen", {{"caller_id", "1"},
                                   {"profile_id", market},
                                   {"subject", "market " + market},
                                   {"before", "open"},
                                   {"after", "frozen"}});
  ASSERT_EQ(set_frozen(true).status, 200);
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log WHERE act = 'market_frozen'"), "1") << "it was so already";
  ASSERT_EQ(set_frozen(false).status, 200);
  expect_audited("market_unfrozen", {{"caller_id", "1"}, {"before", "frozen"}, {"after", "open"}});
}

TEST_F(AdminMarkets, OneIsFrozenOnlyByAnAdminWhoTypesItsIdOnceMore) {
  const auto path = "/markets/" + market + "/frozen";
  EXPECT_EQ(manage("PUT", path, R"({"frozen":true,"confirm":"3"})", server.token(runner)).status, 403)
    << "an operator does not";
  for (const auto* body : {R"({"frozen":true})", R"({"frozen":true,"confirm":"4"})", R"({"confirm":"3"})",
                           R"({"frozen":"yes","confirm":"3"})"})
    EXPECT_EQ(manage("PUT", path, body).status, 400) << body;
  EXPECT_EQ(manage("PUT", "/markets/0/frozen", R"({"frozen":true,"confirm":"0"})").status, 400);
  EXPECT_EQ(manage("PUT", "/markets/9/frozen", R"({"frozen":true,"confirm":"9"})").status, 404) << "there is none";
  EXPECT_FALSE(shown_frozen());
  EXPECT_EQ(post(trades, buy).status, 200);
}

TEST_F(AdminMarkets, ThoseOfARingAreFrozenTogether) {
  const auto id = sql(ring_with(market + ", 9"));
  const auto path = "/integrity/rings/" + id + "/act";
  const auto order = R"({"acts":["freeze_market"],"runs":1,"confirm":")" + id + R"("})";
  const auto froze = R"({"profileId":)" + market + R"(,"keysRevoked":0,"apiAccessTaken":false,"marketFrozen":true)";
  EXPECT_TRUE(has(manage("POST", path + "?dryRun=true", order), froze));
  EXPECT_FALSE(shown_frozen()) << "it was only tried";
  const auto done = manage("POST", path, order);
  EXPECT_TRUE(has(done, froze)) << done.body;
  EXPECT_TRUE(has(done, R"({"profileId":9,"keysRevoked":0,"apiAccessTaken":false,"marketFrozen":false)"))
    << "there is none: " << done.body;
  EXPECT_TRUE(shown_frozen());
  ASSERT_EQ(set_frozen(false).status, 200);
}

TEST_F(AdminMarkets, TheirPricesOfTheLastHourEndWithThoseOfNow) {
  const auto chart = "/markets/" + market + "/chart";
  const auto price_now = json_text(manage("GET", "/markets/" + market).body, "/trustPriceWei");
  const auto fresh = ok(manage("GET", chart + "?window=1H", {}, server.token(runner)));
  EXPECT_EQ(price_at(fresh, points_of(fresh) - 1), price_now) << "also of a trade that was made just now";
  sql("SET session_replication_role = replica;"
      "UPDATE markets SET created_at = created_at - interval '40 minutes' WHERE profile_id = "
      + market + ";UPDATE market_trades SET at = at - interval '20 minutes' WHERE market_id = " + market);
  const auto hour = manage("GET", chart + "?window=1H");
  const auto points = points_of(hour);
  EXPECT_GE(points, 79) << "one in half a minute: " << hour.body;
  EXPECT_LE(points, 83) << "none before it was opened: " << hour.body;
  EXPECT_EQ(price_at(hour, 0), "5000000000000000");
  EXPECT_EQ(price_at(hour, points / 4), "5000000000000000") << "nobody had traded yet";
  EXPECT_EQ(price_at(hour, points * 3 / 4), price_now);
  EXPECT_EQ(price_at(hour, points - 1), price_now);
  EXPECT_EQ(manage("GET", chart + "?window=2D").status, 400);
  EXPECT_EQ(manage("GET", "/markets/9/chart").status, 404) << "there is none";
  EXPECT_EQ(manage("GET", chart, {}, server.token(trader)).status, 403);
}

} // namespace
} // namespace credence::test
