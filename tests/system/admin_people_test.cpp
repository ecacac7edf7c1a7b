#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

#include <gtest/gtest.h>

#include <string>

// What admins do to a profile by the admin listener: they grant XP, and merge a person into it.

namespace credence::test {
namespace {

const std::string api = "/admin/api/v1";

class AdminPeople : public testing::Test {
protected:
  static service& shared() {
    return shared_service([](service& one) {
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
  http_response look(const std::string& path) const { return console().get(api + path, server.token(5)); }
  http_response act(const std::string& path, const std::string& body, const std::string& token = {}) const {
    return console().send("POST", api + path, with_json(by_bearer(token.empty() ? admin_token() : token)), body);
  }
  /// Over the public API.
  http_response get(const std::string& target) const { return server.client().get("/api/v2/" + target); }
  http_response post(const std::string& target, int who, const std::string& body) const {
    return server.client().send("POST", "/api/v2/" + target, with_json(by_bearer(server.token(who))), body);
  }
  http_response review(int by, const std::string& subject) const {
    return post("reviews/create", by,
                R"({"subject":")" + subject + R"(","score":"positive","comment":"kept its word"})");
  }
  std::int64_t received(const std::string& userkey) const {
    return json_number(get("internal/users/" + userkey).body, "/user/stats/review/received/positive");
  }
  std::int64_t xp_of(int profile) const { return json_number(look("/people/" + std::to_string(profile)).body, "/xp"); }
  http_response merge(int into, const std::string& userkey) const {
    const auto id = std::to_string(into);
    return act("/people/" + id + "/merge", R"({"userkey":")" + userkey + R"(","confirm":")" + id + "\"}");
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  static bool has(const http_response& in, const std::string& part) { return in.body.find(part) != std::string::npos; }

  std::string sql(const std::string& text) const { return server.database().sql(text); }
  std::string newest(const std::string& act, const std::string& column) const {
    return sql("SELECT coalesce(" + column + "::text, 'null') FROM audit_log WHERE act = '" + act
               + "' ORDER BY number DESC LIMIT 1");
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
  static std::string userkey(const std::string& digits) { return "address:0x" + tail + digits; }
  void expect_sound() const {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  inline static const std::string tail = "00000000000000000000000000000000c0ffee";
  service& server = shared();
};

// -- XP --------------------------------------------------------------------------------------

TEST_F(AdminPeople, XpThatIsGrantedIsThereAtOnceAndInTheHistory) {
  const auto before = xp_of(8);
  const auto done = act("/people/8/xp-grants", R"({"amount":500,"reason":"an outage","confirm":"8"})");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(json_number(done.body, "/xp"), before + 500);
  EXPECT_EQ(xp_of(8), before + 500);
  EXPECT_EQ(get("xp/user/profileId:8").body, std::to_string(before + 500));
  const auto history = server.client().get("/api/v2/xp/history?limit=1", server.token(8));
  EXPECT_EQ(json_text(history.body, "/values/0/type"), "ADMIN_XP_GRANT");
  EXPECT_EQ(json_number(history.body, "/values/0/points"), 500);
  EXPECT_FALSE(has(history, "an outage")) << "the reason is for the audit";
  const auto tipped =
    post("xp/tip", 8, R"({"receiverUserkey":"profileId:9","amount":)" + std::to_string(before + 500) + "}");
  ASSERT_EQ(tipped.status, 200) << "all of it: " << tipped.body;
  EXPECT_EQ(json_number(tipped.body, "/senderNewBalance"), 0);
  EXPECT_EQ(newest("xp_granted", "caller_id"), "1");
  EXPECT_EQ(newest("xp_granted", "profile_id"), "8");
  EXPECT_TRUE(newest("xp_granted", "subject").ends_with(" of 500 XP: an outage")) << newest("xp_granted", "subject");
  EXPECT_EQ(newest("xp_granted", "before"), std::to_string(before));
  EXPECT_EQ(newest("xp_granted", "after"), std::to_string(before + 500));
  expect_sound();
}

TEST_F(AdminPeople, AGrantThatComesAgainUnderItsKeyIsOneGrant) {
  const auto before = xp_of(10);
  const auto headers = with_json(by_bearer(admin_token()), "grant-of-a-dialog");
  const std::string body = R"({"amount":20,"reason":"a prize","confirm":"10"})";
  const auto first = console().send("POST", api + "/people/10/xp-grants", headers, body);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(console().send("POST", api + "/people/10/xp-grants", headers, body).body, first.body);
  const std::string another = R"({"amount":21,"reason":"a prize","confirm":"10"})";
  EXPECT_EQ(code(console().send("POST", api + "/people/10/xp-grants", headers, another)), "422 IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(xp_of(10), before + 20);
}

TEST_F(AdminPeople, OnlyAdminsGrantXpWithinBoundsAndWithAReason) {
  const auto before = xp_of(11);
  const std::string good = R"({"amount":1,"reason":"a prize","confirm":"11"})";
  EXPECT_EQ(act("/people/11/xp-grants", good, server.token(3)).status, 403) << "an operator";
  EXPECT_EQ(act("/people/11/xp-grants", good, server.token(5)).status, 403) << "a viewer";
  for (const std::string bad :
       {R"({"amount":0,"reason":"a prize","confirm":"11"})", R"({"amount":1000001,"reason":"a prize","confirm":"11"})",
        R"({"amount":1.5,"reason":"a prize","confirm":"11"})", R"({"amount":"1","reason":"a prize","confirm":"11"})",
        R"({"reason":"a prize","confirm":"11"})", R"({"amount":1,"confirm":"11"})",
        R"({"amount":1,"reason":"","confirm":"11"})", R"({"amount":1,"reason":"a prize","confirm":"12"})",
        R"({"amount":1,"reason":"a prize"})"})
    EXPECT_EQ(code(act("/people/11/xp-grants", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(
    code(act("/people/11/xp-grants", R"({"amount":1,"reason":")" + std::string(201, 'x') + R"(","confirm":"11"})")),
    "400 BAD_REQUEST");
  EXPECT_EQ(code(act("/people/999999/xp-grants", R"({"amount":1,"reason":"a prize","confirm":"999999"})")),
            "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(xp_of(11), before);
  EXPECT_EQ(
    act("/people/11/xp-grants", R"({"amount":1,"reason":")" + std::string(200, 'x') + R"(","confirm":"11"})").status,
    200);
}

// -- merging ---------------------------------------------------------------------------------

TEST_F(AdminPeople, APersonWithoutAProfileBecomesAPartOfOne) {
  ASSERT_EQ(review(2, userkey("01")).status, 200);
  const auto user = owner_of("01");
  const auto before = received("profileId:6");
  const auto merged = merge(6, userkey("01"));
  ASSERT_EQ(merged.status, 200) << merged.body;
  EXPECT_EQ(json_number(merged.body, "/mergedUserId"), std::stoll(user));
  EXPECT_EQ(received("profileId:6"), before + 1) << "the review is about the profile now";
  EXPECT_EQ(json_number(get("internal/users/" + userkey("01")).body, "/profile/id"), 6);
  EXPECT_EQ(fate_of(user), "MERGED into " + sql("SELECT user_id FROM profiles WHERE id = 6"));
  EXPECT_EQ(newest("address_linked", "caller_id"), "1");
  EXPECT_EQ(newest("address_linked", "profile_id"), "6");
  EXPECT_EQ(newest("address_linked", "before"), "user " + user);
  EXPECT_EQ(newest("address_linked", "after"), "profile 6; by order, nothing was signed");
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
      "0) + 1, decode(repeat('c0', "
      "32), 'hex'), "
      + user + ", 'x.com', '880022', 'Quiet_One', now() FROM attestations");
  const auto merged = merge(7, "service:x.com:username:quiet_one");
  ASSERT_EQ(merged.status, 200) << merged.body;
  EXPECT_EQ(json_number(merged.body, "/mergedUserId"), std::stoll(user));
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
      "p.user_id, 'linked', now()"
      " FROM profiles p, generate_series(1, 127 - (SELECT count(*) FROM profiles o JOIN addresses a ON a.user_id = "
      "o.user_id"
      "  WHERE o.id = 13 AND a.kind IN ('primary', 'linked'))) n WHERE p.id = 13");
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
  EXPECT_EQ(code(act("/people/12/merge", body)), "400 BAD_REQUEST") << "another id was typed";
  EXPECT_EQ(act("/people/6/merge", body, server.token(3)).status, 403) << "an operator";
  EXPECT_EQ(fate_of(owner_of("31")), "INACTIVE");
}

TEST_F(AdminPeople, AnAdminWhoCameByALinkMergesAccounts) {
  ASSERT_EQ(review(2, "service:github:by-a-link").status, 200);
  const auto link = server.command({"console-link"}).out;
  const auto at = link.find("#link=") + 6;
  const auto came =
    console().post(api + "/sign-in/link", R"({"code":")" + link.substr(at, link.find('\n') - at) + "\"}");
  ASSERT_EQ(came.status, 200) << came.body;
  const std::string cookie = "__Host-credence-console";
  const http_headers session{{"Cookie", cookie + "=" + came.cookie(cookie)},
                             {"X-CSRF-Token", json_text(came.body, "/csrfToken")}};
  const auto merged = console().send("POST", api + "/people/12/merge", with_json(session),
                                     R"({"userkey":"service:github:by-a-link","confirm":"12"})");
  ASSERT_EQ(merged.status, 200) << merged.body;
  EXPECT_EQ(json_number(get("internal/users/service:github:by-a-link").body, "/profile/id"), 12);
  EXPECT_EQ(newest("account_attested", "caller_id"), "null");
  EXPECT_TRUE(newest("account_attested", "credential").starts_with("console session of "))
    << newest("account_attested", "credential");
  expect_sound();
}

} // namespace
} // namespace credence::test
