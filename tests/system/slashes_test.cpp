#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/tip_ledger.hpp"
#include "tests/waiting.hpp"

#include <algorithm>
#include <set>

namespace credence::test {
namespace {

constexpr int admin = 1;
constexpr auto stranger = "0x00000000000000000000000000000000000000AA";

/// Opens a slash as an admin would. The demo has six slashes, of authors 2 to 7; those of 6 and
/// 7 are open.
std::string order(int author, const std::string& subject, const std::string& more = R"("amount":100)") {
  return R"({"authorProfileId":)" + std::to_string(author) + R"(,"subject":")" + subject
         + R"(","slashType":"SCORE","comment":"because",)" + more + "}";
}

http_response open_slash_by(const service& on, const std::string& token, const std::string& body,
                            const std::string& key = {}) {
  return on.client().send("POST", "/api/v2/slashes", with_json(by_bearer(token), key), body);
}
http_response open_slash(const service& on, const std::string& body, const std::string& key = {}) {
  return open_slash_by(on, on.token(admin), body, key);
}
http_response vote(const service& on, std::int64_t slash, int voter, const std::string& side,
                   const std::string& key = {}) {
  return on.client().send("POST", "/api/v2/slashes/" + std::to_string(slash) + "/votes",
                          with_json(by_bearer(on.token(voter)), key), R"({"vote":")" + side + R"("})");
}
http_response cancel(const service& on, std::int64_t slash, const std::string& key = {}) {
  return on.client().send("POST", "/api/v2/slashes/" + std::to_string(slash) + "/cancel",
                          with_json(by_bearer(on.token(admin)), key), "{}");
}
std::string roles_of(const service& on, std::int64_t slash, const std::string& query, const std::string& token = {}) {
  return on.client().get("/api/v1/slashes/" + std::to_string(slash) + "/roles?" + query, token).body;
}
std::vector<std::int64_t> ids_in(const http_response& list) {
  std::vector<std::int64_t> out;
  const auto total = json_number(list.body, "/data/total");
  for (int i = 0; i < total && list.body.find("\"id\":") != std::string::npos; ++i)
    try {
      out.push_back(json_number(list.body, "/data/values/" + std::to_string(i) + "/id"));
    } catch (const std::runtime_error&) {
      break;
    }
  return out;
}

struct Slashes : testing::Test {
  Slashes() { server.start({"--admin", "1"}); }

  std::int64_t opened(int author, const std::string& subject) {
    const auto answer = ok(open_slash(server, order(author, subject)));
    return json_number(answer.body, "/id");
  }
  http_response list(const std::string& query = {}) { return server.client().get("/api/v1/slashes" + query); }
  void expect_error(const http_response& answer, int status, const std::string& code, const std::string& about) {
    const bool v1 = answer.body.starts_with(R"({"ok":false)");
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(json_text(answer.body, v1 ? "/error/code" : "/code"), code) << answer.body;
    EXPECT_TRUE(has(json_text(answer.body, v1 ? "/error/message" : "/message"), about)) << answer.body;
  }

  service server;
};

TEST_F(Slashes, HaveTheShapeOfTheSpec) {
  const auto answer = ok(open_slash(
    server, order(2, std::string{"address:"} + stranger, R"("amount":250,"duration":3600,"metadata":"{\"a\":1}")")));
  const auto id = std::to_string(json_number(answer.body, "/id"));
  const auto created = json_number(answer.body, "/createdAt");
  const auto wanted =
    R"({"id":)" + id + R"(,"authorProfileId":2,"subject":"0x00000000000000000000000000000000000000AA",)"
    + R"("attestationDetails":null,"slashType":"SCORE","amount":250,"duration":3600,"comment":"because",)"
    + R"("metadata":"{\"a\":1}","createdAt":)" + std::to_string(created)
    + R"(,"closedAt":0,"cancelledAt":0,"closesAt":)" + std::to_string(created + 3600)
    + R"(,"status":"open","outcome":null,"votes":null})";
  EXPECT_EQ(answer.body, wanted);
  EXPECT_EQ(list("?limit=1").body,
            R"({"ok":true,"data":{"values":[)" + wanted + R"(],"total":7,"limit":1,"offset":0}})");

  ASSERT_EQ(vote(server, std::stoi(id), 3, "slash").status, 200);
  const auto cancelled = ok(cancel(server, std::stoi(id)));
  EXPECT_TRUE(tells(cancelled.body, "/status", "closed", "/outcome", "CANCELLED"));
  EXPECT_GE(json_number(cancelled.body, "/cancelledAt"), created);
  EXPECT_EQ(json_number(cancelled.body, "/closedAt"), json_number(cancelled.body, "/cancelledAt"));
  EXPECT_EQ(json_number(cancelled.body, "/votes/slash"), 6) << "now it is told";
  EXPECT_EQ(list("?limit=1").body.find(cancelled.body), std::string{R"({"ok":true,"data":{"values":[)"}.size());
}

TEST_F(Slashes, TakeEveryFormOfSubject) {
  server.database().sql(
    "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, username, created_at)"
    " SELECT 900000, sha256('x'), user_id, id, 'github', 'some-one', 'Some_One', now() FROM profiles"
    " WHERE id = 30");
  const auto expect = [&](const std::string& subject, const std::string& shown) {
    const auto answer = ok(open_slash(server, order(2, subject)));
    EXPECT_TRUE(has(answer.body, shown)) << subject;
    EXPECT_EQ(cancel(server, json_number(answer.body, "/id")).status, 200);
  };
  const auto x = server.database().sql("SELECT account FROM attestations WHERE profile_id = 31 AND service = 'x.com'");
  const auto handle =
    server.database().sql("SELECT upper(username) FROM attestations WHERE profile_id = 31 AND service = 'x.com'");
  const auto number = x.substr(0, x.find('\n'));
  const auto by_x = R"("subject":null,"attestationDetails":{"service":"x.com","account":")" + number + R"("})";
  expect("service:x.com:" + number, by_x);
  expect("service:x.com:username:" + handle.substr(0, handle.find('\n')), by_x);
  expect("service:github:some-one", R"("subject":null,"attestationDetails":{"service":"github","account":"some-one"})");
  expect("service:telegram:12345", R"("attestationDetails":{"service":"telegram","account":"12345"})");
  expect("profileId:10", R"("subject":"0xa0Ee7A142d267C1f36714E4a8F75612F20a79720","attestationDetails":null)");
  expect_error(open_slash(server, order(2, "profileId:999999")), 404, "NOT_FOUND", "no user matches");
  expect_error(open_slash(server, order(2, "service:x.com:username:nobody_at_all")), 404, "NOT_FOUND",
               "no user matches");
}

TEST_F(Slashes, AreFilteredAndPaged) {
  const auto mine = opened(2, "profileId:30");
  using ids = std::vector<std::int64_t>;
  EXPECT_EQ(ids_in(list()), (ids{mine, 6, 5, 4, 3, 2, 1})) << "created last first";
  EXPECT_EQ(ids_in(list("?status=open")), (ids{mine, 6, 5}));
  EXPECT_EQ(ids_in(list("?status=closed")), (ids{4, 3, 2, 1}));
  EXPECT_EQ(ids_in(list("?author=2")), (ids{mine, 1}));
  EXPECT_EQ(ids_in(list("?author=profileId:2&status=closed")), (ids{1}));
  EXPECT_EQ(ids_in(list("?author=address:0x70997970c51812dc3a010c7d01b50e0d17dc79c8")), (ids{mine, 1}));
  EXPECT_EQ(ids_in(list("?subject=profileId:30")), (ids{mine}));
  EXPECT_EQ(ids_in(list("?subject=profileId:22")), (ids{2})) << "it was named by an account";
  EXPECT_EQ(ids_in(list("?subject=profileId:22&author=2")), ids{});
  for (const auto* nobody :
       {"?author=999999", "?author=address:0x00000000000000000000000000000000000000ab",
        "?subject=address:0x00000000000000000000000000000000000000ab", "?subject=profileId:999999"}) {
    const auto none = list(nobody);
    EXPECT_EQ(none.body, R"({"ok":true,"data":{"values":[],"total":0,"limit":50,"offset":0}})") << nobody;
  }
  const auto page = list("?limit=2&offset=3");
  EXPECT_EQ(ids_in(page), (ids{4, 3}));
  EXPECT_TRUE(tells(page.body, "/data/total", 7, "/data/limit", 2, "/data/offset", 3));
  EXPECT_EQ(json_number(list("?offset=100").body, "/data/total"), 7);
  const auto first = list("?author=2&status=closed").body;
  EXPECT_EQ(json_number(first, "/data/values/0/closedAt"),
            json_number(first, "/data/values/0/createdAt") + json_number(first, "/data/values/0/duration"));
  EXPECT_TRUE(tells(first, "/data/values/0/cancelledAt", 0, "/data/values/0/outcome", "SLASHED"));
}

TEST_F(Slashes, GiveRolesToThoseWhoHaveAPart) {
  const auto id = opened(2, "profileId:30");
  EXPECT_EQ(vote(server, id, 3, "slash").body,
            R"({"slashId":)" + std::to_string(id) + R"(,"vote":"slash","weight":6})");
  EXPECT_EQ(vote(server, id, 4, "defend").status, 200);
  EXPECT_EQ(vote(server, id, 4, "slash").status, 200);
  EXPECT_EQ(vote(server, id, 4, "defend").status, 200) << "the last one counts";
  EXPECT_EQ(json_number(vote(server, id, 10, "defend").body, "/weight"), 0) << "neutral";
  const auto all = "profileId=4&profileId=2&profileId=30&profileId=5&profileId=3&profileId=10";
  EXPECT_EQ(roles_of(server, id, all),
            R"({"ok":true,"data":{"4":"voter","2":"slasher","30":"defender","3":"voter","10":"voter"}})")
    << "nobody hears how others voted while it is open";
  EXPECT_EQ(roles_of(server, id, all, server.token(4)),
            R"({"ok":true,"data":{"4":"voted_defend","2":"slasher","30":"defender","3":"voter","10":"voter"}})")
    << "but for one's own vote";
  EXPECT_EQ(cancel(server, id).status, 200);
  EXPECT_EQ(
    roles_of(server, id, all),
    R"({"ok":true,"data":{"4":"voted_defend","2":"slasher","30":"defender","3":"voted_slash","10":"voted_defend"}})");
  EXPECT_EQ(roles_of(server, id, "profileId=5"), R"({"ok":true,"data":{}})");
}

TEST_F(Slashes, VotesOnAClosedOneAreVotesOnAnActivity) {
  const auto id = std::to_string(opened(2, std::string{"address:"} + stranger));
  vote(server, std::stoll(id), 10, "defend");
  vote(server, std::stoll(id), 11, "slash");
  vote(server, std::stoll(id), 10, "slash");
  vote(server, std::stoll(id), 12, "defend");
  const auto on = "type=slash&activityId=" + id;
  EXPECT_EQ(json_number(server.client().get("/api/v2/votes?" + on).body, "/total"), 0) << "while it is open";
  ASSERT_EQ(cancel(server, std::stoll(id)).status, 200);
  const auto votes = server.client().get("/api/v2/votes?orderDirection=asc&" + on);
  ASSERT_EQ(json_number(votes.body, "/total"), 3) << votes.body;
  EXPECT_EQ(json_number(votes.body, "/values/1/voter"), 10) << "by the vote that counts";
  EXPECT_EQ(json_number(votes.body, "/values/1/user/profileId"), 10);
  EXPECT_TRUE(has(votes.body, R"("voter":12,"isUpvote":false)"));
  EXPECT_EQ(json_number(server.client().get("/api/v2/votes?isUpvote=true&orderBy=score&" + on).body, "/total"), 2);
  const auto slash = server.client().get("/api/v2/slashes?author=2&status=closed");
  const auto stats = server.client().get("/api/v2/votes/stats?" + on, server.token(10));
  EXPECT_TRUE(tells(stats.body, "/counts/upvotes", 2, "/counts/downvotes", 1));
  EXPECT_EQ(json_number(stats.body, "/weights/weightedUpvotes"), json_number(slash.body, "/values/0/votes/slash"))
    << "as it was decided";
  EXPECT_EQ(json_number(stats.body, "/userVote/voter"), 10);
}

TEST_F(Slashes, OneIsToldWithTheVotesThatTheCallerMayHear) {
  const auto id = opened(2, std::string{"address:"} + stranger);
  const auto slash = [&](const std::string& token = {}) {
    return server.client().get("/api/v2/slashes/" + std::to_string(id), token).body;
  };
  vote(server, id, 10, "defend");
  vote(server, id, 11, "slash");
  EXPECT_EQ(json_text(slash(), "/status"), "open");
  EXPECT_TRUE(has(slash(), R"("votes":null,"ballots":[])")) << "while it is open: " << slash();
  EXPECT_TRUE(has(slash(server.token(11)), R"("votes":null,"ballots":[{"voter":11,"vote":"slash"}])"));
  EXPECT_TRUE(has(slash(server.token(12)), R"("ballots":[])"));
  const auto cancelled = ok(cancel(server, id)).body;
  EXPECT_TRUE(slash().starts_with(cancelled.substr(0, cancelled.size() - 1))) << slash();
  EXPECT_TRUE(has(slash(), R"({"voter":10,"vote":"defend","weight":)")) << slash();
  EXPECT_TRUE(has(slash(), R"({"voter":11,"vote":"slash","weight":)"));
  const auto counted = slash();
  ok(server.client().send("PUT", "/api/v2/votes", with_json(by_bearer(server.token(10))),
                          R"({"type":"slash","id":)" + std::to_string(id) + R"(,"isUpvote":true})"));
  EXPECT_EQ(slash(), counted) << "a vote on what is closed is one on an activity";
  EXPECT_TRUE(has(server.client().get("/api/v2/slashes/1").body, R"("ballots":[)"));
  for (const auto* number : {"999", "0"})
    expect_error(server.client().get("/api/v2/slashes/" + std::string{number}), 404, "NOT_FOUND", number);
  expect_error(server.client().get("/api/v2/slashes/one"), 400, "BAD_REQUEST", "'one'");
}

TEST_F(Slashes, AVoteThatChangesNothingLeavesNoTrace) {
  const auto id = opened(2, "profileId:30");
  const auto stored = [&] {
    return server.database().sql("SELECT count(*) FROM slash_votes WHERE slash_id = " + std::to_string(id));
  };
  const auto first = vote(server, id, 3, "slash");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(vote(server, id, 3, "slash", i % 2 ? "key-" + std::to_string(i) : std::string{}).body, first.body);
  EXPECT_EQ(stored(), "1");
  for (int i = 2; i <= 10; ++i)
    EXPECT_EQ(vote(server, id, 3, i % 2 ? "slash" : "defend").status, 200) << i;
  expect_error(vote(server, id, 3, "slash"), 400, "VOTE_LIMIT_REACHED", "10 times");
  EXPECT_EQ(vote(server, id, 3, "defend").status, 200) << "as it stands";
  EXPECT_EQ(stored(), "10");
  server.kill_hard();
  server.start({"--admin", "1"});
  expect_error(vote(server, id, 3, "slash"), 400, "VOTE_LIMIT_REACHED", "10 times");
}

TEST_F(Slashes, RefuseInTheWayOfTheFirstVersion) {
  expect_error(list("?limit=101"), 400, "VALIDATION_ERROR", "'101'");
  expect_error(list("?limit=x"), 400, "VALIDATION_ERROR", "limit must be an integer");
  expect_error(list("?offset=-1"), 400, "VALIDATION_ERROR", "offset");
  expect_error(list("?status=pending"), 400, "VALIDATION_ERROR", "'open', 'closed'");
  expect_error(list("?author=somebody"), 400, "VALIDATION_ERROR", "'somebody'");
  expect_error(list("?author=0"), 400, "VALIDATION_ERROR", "author");
  expect_error(list("?subject=7"), 400, "VALIDATION_ERROR", "subject");
  expect_error(list("?subject=address:0x12"), 400, "VALIDATION_ERROR", "'0x12'");
  expect_error(list("?status=open&status=closed"), 400, "VALIDATION_ERROR", "once");
  expect_error(server.client().get("/api/v1/slashes/1/roles"), 400, "VALIDATION_ERROR", "profileId is required");
  expect_error(server.client().get("/api/v1/slashes/1/roles?profileId=x"), 400, "VALIDATION_ERROR", "profileId");
  expect_error(server.client().get("/api/v1/slashes/one/roles?profileId=1"), 400, "VALIDATION_ERROR", "'one'");
  for (const auto* number : {"999", "0"}) // a contract may count from 0
    expect_error(server.client().get("/api/v1/slashes/" + std::string{number} + "/roles?profileId=1"), 404, "NOT_FOUND",
                 "Slash not found");
  EXPECT_EQ(server.client().get("/api/v1/slashes/5/roles?profileId=6").body,
            R"({"ok":true,"data":)" + server.client().get("/api/v2/slashes/5/roles?profileId=6").body + "}");
  const auto roles = "/api/v1/slashes/5/roles?profileId=6";
  ASSERT_EQ(server.client().get(roles).status, 200);
  expect_error(server.client().get(roles, "no.such.token"), 401, "UNAUTHORIZED", "not valid");
  const auto alike = server.client().get("/api/v1/slashes", "no.such.token");
  EXPECT_EQ(alike.status, 200) << "what everybody is answered alike takes no notice of it";
  EXPECT_EQ(alike.body, list().body);
}

TEST_F(Slashes, AreRefusedByTheRules) {
  expect_error(open_slash(server, order(9, "profileId:30")), 400, "SCORE_TOO_LOW", "1500");
  expect_error(open_slash(server, order(2, "profileId:2")), 400, "CANNOT_SLASH_SELF", "profile 2");
  expect_error(open_slash(server, order(2, std::string{"address:"} + stranger, R"("amount":1001)")), 400,
               "INVALID_AMOUNT", "1001");
  expect_error(open_slash(server, order(2, std::string{"address:"} + stranger, R"("amount":0)")), 400, "INVALID_AMOUNT",
               "0");
  expect_error(open_slash(server, order(6, "profileId:30")), 400, "SLASH_ALREADY_OPEN", "slash 5 of profile 6");
  expect_error(open_slash(server, order(2, "profileId:26")), 400, "SLASH_ALREADY_OPEN", "slash 6 against");
  expect_error(open_slash(server, order(999999, "profileId:30")), 403, "PROFILE_NOT_LIVE", "999999");
  expect_error(vote(server, 5, 6, "slash"), 400, "CANNOT_VOTE_OWN_SLASH", "author");
  expect_error(vote(server, 5, 25, "defend"), 400, "CANNOT_VOTE_OWN_SLASH", "subject");
  expect_error(vote(server, 1, 5, "slash"), 400, "SLASH_CLOSED", "slash 1");
  expect_error(vote(server, 999, 5, "slash"), 404, "NOT_FOUND", "slash 999");
  expect_error(cancel(server, 1), 400, "SLASH_CLOSED", "slash 1");
  expect_error(cancel(server, 999), 404, "NOT_FOUND", "slash 999");
  EXPECT_EQ(json_number(list().body, "/data/total"), 6) << "nothing has come of any of these";
}

TEST_F(Slashes, AreRefusedWhenTheyAreNotWellFormed) {
  const auto subject = std::string{"address:"} + stranger;
  const std::pair<std::string, std::string> rows[] = {
    {"{", "JSON"},
    {"{}", "authorProfileId is required"},
    {order(0, subject), "authorProfileId must be an integer from 1"},
    {order(2, "nobody"), "'nobody'"},
    {order(2, subject, R"("amount":"5")"), "amount must be an integer"},
    {order(2, subject, R"("amount":1.5)"), "amount must be an integer"},
    {order(2, subject, R"("amount":null)"), "amount is required"},
    {order(2, subject, R"("amount":5,"duration":0)"), "duration must be an integer from 1 to 604800, not 0"},
    {order(2, subject, R"("amount":5,"duration":604801)"), "604801"},
    {order(2, subject, R"("amount":5,"metadata":{})"), "metadata must be a string"},
    {order(2, subject, R"("amount":5,"metadata":")" + std::string(5001, 'x') + '"'), "5001"},
    {R"({"authorProfileId":2,"subject":"profileId:30","slashType":"HONOUR","amount":5,"comment":"c"})", "'HONOUR'"},
    {R"({"authorProfileId":2,"subject":"profileId:30","slashType":"SCORE","amount":5})", "comment must have 1 to 2000"},
    {R"({"authorProfileId":2,"slashType":"SCORE","amount":5,"comment":"c"})", "subject is required"}};
  for (const auto& [body, about] : rows)
    expect_error(open_slash(server, body), 400, "BAD_REQUEST", about);
  auto client = server.client();
  expect_error(client.post("/api/v2/slashes/5/votes", R"({"vote":"up"})", server.token(3)), 400, "BAD_REQUEST", "'up'");
  expect_error(client.post("/api/v2/slashes/5/votes", "{}", server.token(3)), 400, "BAD_REQUEST",
               "'slash' or 'defend'");
  expect_error(client.post("/api/v2/slashes/x/votes", R"({"vote":"slash"})", server.token(3)), 400, "BAD_REQUEST",
               "'x'");
  EXPECT_EQ(client.post("/api/v2/slashes", order(2, subject), server.token(3)).status, 403);
  EXPECT_EQ(client.post("/api/v2/slashes/5/cancel", "{}", server.token(3)).status, 403);
  EXPECT_EQ(client.post("/api/v2/slashes/5/votes", R"({"vote":"slash"})").status, 401);
}

TEST_F(Slashes, KeepWhatWasAcknowledgedThroughKills) {
  const auto id = opened(2, "profileId:30");
  std::set<int> acknowledged;
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> enough{false};
    std::thread killer{[&] {
      await("enough votes", [&] { return enough.load(); });
      server.kill_hard();
    }};
    for (int voter = 5 + round * 8; voter < 13 + round * 8; ++voter) {
      if (vote(server, id, voter, voter % 2 ? "slash" : "defend").status == 200)
        acknowledged.insert(voter);
      enough = enough || acknowledged.size() >= static_cast<std::size_t>(3 + round * 3);
    }
    enough = true;
    killer.join();
    server.start({"--admin", "1"});
  }
  EXPECT_GE(acknowledged.size(), 9u);
  for (const auto voter : acknowledged)
    EXPECT_EQ(roles_of(server, id, "profileId=" + std::to_string(voter), server.token(voter)),
              R"({"ok":true,"data":{")" + std::to_string(voter)
                + (voter % 2 ? R"(":"voted_slash"}})" : R"(":"voted_defend"}})"));
  EXPECT_EQ(vote(server, id, 3, "slash").status, 200) << "and it goes on";
  EXPECT_TRUE(sound(server));
}

TEST_F(Slashes, OfManyWhoCancelAtOnceOneDoes) {
  const auto id = opened(2, "profileId:30");
  std::atomic<int> done{0};
  std::atomic<int> closed{0};
  at_once(16, [&] {
    const auto answer = cancel(server, id);
    done += answer.status == 200;
    closed += answer.status == 400 && json_text(answer.body, "/code") == "SLASH_CLOSED";
  });
  EXPECT_EQ(done, 1);
  EXPECT_EQ(closed, 15);
}

/// The wall clock is moved, so nobody waits.
TEST(SlashClock, ASlashClosesOnceWhateverTheClockDoes) {
  const machine_clock clock;
  service server{{60, 4, 200}, clock.in_front()};
  server.run_with(clock.in_front());
  const std::vector<std::string> flags{"--admin", "1", "--actors-period-advance", "manual"};
  server.start(flags);
  const auto first = ok(open_slash(server, order(2, "profileId:30", R"("amount":100,"duration":3600)")));
  const auto id = json_number(first.body, "/id");
  ASSERT_EQ(vote(server, id, 3, "slash").status, 200);
  const auto at = "/api/v1/slashes?author=2&limit=1";
  const auto status = [&] { return json_text(server.client().get(at).body, "/data/values/0/status"); };
  clock.set(3590);
  EXPECT_EQ(status(), "open");
  clock.set(3600);
  await("the end of the slash",
        [&] { return status() != "open"; }); // once it was seen that the database's clock says the same
  const auto late = cancel(server, id);
  EXPECT_EQ(code(late), "400 SLASH_CLOSED") << late.body;
  const auto closed = server.client().get(at).body;
  EXPECT_TRUE(tells(closed, "/data/values/0/status", "closed", "/data/values/0/closedAt",
                    json_number(first.body, "/createdAt") + 3600));
  EXPECT_TRUE(tells(closed, "/data/values/0/cancelledAt", 0, "/data/values/0/outcome", "SLASHED"));
  clock.set(0);
  EXPECT_EQ(server.client().get(at).body, closed);
  EXPECT_EQ(cancel(server, id).status, 400);
  EXPECT_EQ(vote(server, id, 4, "defend").status, 400);
  EXPECT_EQ(json_text(open_slash(server, order(2, "profileId:30")).body, "/code"), "SLASH_COOLDOWN");
  constexpr std::chrono::seconds peace_is_over{3600 + 7 * 86400 + 5};
  clock.set(peace_is_over.count()); // more than a running server believes
  server.terminate();
  server.start(flags);
  const auto next_week = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) + peace_is_over;
  const auto later =
    auth::mint_access_token(token_rules_of(server), profile_id{admin}, false, next_week, std::chrono::hours{1});
  EXPECT_EQ(open_slash(server, order(2, "profileId:30")).status, 401) << "an admin's token lives a day";
  ok(open_slash_by(server, later, order(2, "profileId:30")));
  EXPECT_TRUE(sound(server));
}

/// What slashes for XP and for money come to, in the whole service. Profile 1 is an admin; 2 slashes 30, and 3 votes.
struct SlashOutcomes : api_tests {
  SlashOutcomes() { start(); }

  void start() { server.start({"--admin", "1"}); }
  http_response slash(const std::string& type, std::int64_t amount, int seconds = 3600) {
    return post("slashes", 1,
                R"({"authorProfileId":2,"subject":"profileId:30","slashType":")" + type + R"(","amount":)"
                  + std::to_string(amount) + R"(,"duration":)" + std::to_string(seconds) + R"(,"comment":"because"})");
  }
  std::string opened(const std::string& type, std::int64_t amount, int seconds = 3600) {
    const auto answer = ok(slash(type, amount, seconds));
    return std::to_string(json_number(answer.body, "/id"));
  }
  void vote(const std::string& on, const std::string& side) {
    ok(post("slashes/" + on + "/votes", 3, R"({"vote":")" + side + R"("})"));
  }
  http_response tip(int from, std::int64_t amount) {
    return post("xp/tip", from, R"({"receiverUserkey":"profileId:4","amount":)" + std::to_string(amount) + "}");
  }
  bool closed(const std::string& id) {
    return sql("SELECT count(*) FROM slashes WHERE closed_at IS NOT NULL AND id = " + id) == "1";
  }
};

TEST_F(SlashOutcomes, XpThatIsPutAsideCannotBeSpent) {
  give_xp(server, 2, 1000);
  give_xp(server, 30, 1000);
  ASSERT_EQ(tip(2, 1).status, 200) << "from here on its balance is remembered";
  const auto author = xp_of(server, 2), subject = xp_of(server, 30);
  const auto least = std::min(author, subject);
  EXPECT_EQ(code(slash("XP", author + 1)), "400 INSUFFICIENT_XP");
  EXPECT_EQ(code(slash("XP", 1'000'001)), "400 INVALID_AMOUNT");
  const auto id = opened("XP", least);
  EXPECT_EQ(xp_of(server, 2), author - least);
  EXPECT_EQ(code(tip(2, author - least + 1)), "400 INSUFFICIENT_XP") << "at once";
  EXPECT_FALSE(has(server.client().get("/api/v1/slashes?author=2&status=open").body, "\"XP\""))
    << "two types in version 1";
  EXPECT_EQ(json_text(server.client().get("/api/v2/slashes?author=2&status=open").body, "/values/0/slashType"), "XP");
  EXPECT_EQ(post("slashes/" + id + "/cancel", 1, "{}").status, 200);
  EXPECT_EQ(xp_of(server, 2), author);
  EXPECT_EQ(xp_of(server, 30), subject);
  EXPECT_EQ(tip(2, author).status, 200) << "it may be spent again";
  expect_sound();
}

TEST_F(SlashOutcomes, TheWinnerTakesTheXpAlsoWhenTheServerDied) {
  give_xp(server, 2, 1000);
  give_xp(server, 30, 1000);
  const auto author = xp_of(server, 2), subject = xp_of(server, 30);
  const auto id = opened("XP", 700, 6);
  vote(id, "slash");
  server.kill_hard();
  start();
  await("the end of the slash", [&] { return closed(id); });
  EXPECT_EQ(xp_of(server, 2), author + 700);
  EXPECT_EQ(xp_of(server, 30), subject - 700);
  await("the XP that was won", [&] { return tip(2, author + 700).status == 200; });
  EXPECT_EQ(xp_of(server, 2), 0);
  expect_sound();
  sql("ALTER TABLE xp_movements DISABLE TRIGGER xp_movements_stay");
  sql("UPDATE xp_movements SET source_id = 1 WHERE kind = 'XP_SLASH_STAKE_WON'");
  const auto unsound = server.command({"verify"});
  EXPECT_TRUE(has((unsound.out + unsound.err), "XP of slash")) << unsound.out << unsound.err;
}

TEST_F(SlashOutcomes, TipsAtTheSameMomentNeverSpendWhatIsPutAside) {
  give_xp(server, 2, 5000);
  give_xp(server, 30, 5000);
  std::atomic<bool> stop{false};
  std::thread tipping{[&] {
    while (!stop)
      tip(2, 3);
  }};
  for (int i = 0; i < 10; ++i) {
    http_response answer;
    await("a slash", [&] { return (answer = slash("XP", 3000)).status == 200; });
    const auto id = std::to_string(json_number(answer.body, "/id"));
    await("its end", [&] { return post("slashes/" + id + "/cancel", 1, "{}").status == 200; });
  }
  stop = true;
  tipping.join();
  expect_sound();
}

TEST_F(SlashOutcomes, MoneyCutsDeclaredVouches) {
  const auto vouch = ok(post("vouches/create", 30, R"({"subject":"profileId:31","amount":1000})"));
  const auto number = std::to_string(json_number(vouch.body, "/id"));
  const auto id = opened("FINANCIAL", 100, 2);
  vote(id, "slash");
  await("the end of the slash", [&] { return closed(id); });
  const auto cut = server.client().get("/api/v2/vouches/" + number).body;
  EXPECT_EQ(json_text(cut, "/deposited"), "1000000000000000000") << cut;
  EXPECT_EQ(json_text(cut, "/balance"), "990000000000000000") << "one percent less";
  EXPECT_EQ(post("vouches/" + number + "/increase", 30, R"({"amount":1})").status, 200);
  EXPECT_EQ(json_text(post("vouches/" + number + "/withdraw", 30, "{}").body, "/withdrawn"), "991000000000000000");
  expect_sound();
}

} // namespace
} // namespace credence::test
