#include "tests/persistence/database.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/tip_ledger.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

/// A request that may be repeated, as a client sends it.
struct repeatable {
  std::string name;
  std::string method;
  std::string target;
  std::string body;
  std::string other_body;
  std::string token;
  std::string effect; // SQL that counts what it has done
};

struct Idempotency : testing::Test {
  Idempotency() {
    give_xp(server, 3, 1000);
    give_xp(server, 4, 1000);
    link_wallet(server, owner, 3);
    start();
    EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  }

  void start() { server.start({"--admin", "1", "--actors-period-advance", "manual"}); }
  /// Starts it again; it gives up on the database, and on locks there, as soon as in production.
  void start_hasty() {
    EXPECT_EQ(server.terminate(), 0);
    server.keep_production_times();
    start();
  }
  std::string sql(const std::string& text) { return server.database().sql(text); }

  std::vector<repeatable> everything() {
    const auto key = make_key(server, owner);
    return {{"a vote", "POST", "/api/v2/projects/2/votes", R"({"voteType":"BULLISH","voteReason":"idem"})",
             R"({"voteType":"BEARISH","voteReason":"idem"})", server.token(3),
             "SELECT count(*) FROM votes WHERE reason = 'idem'"},
            {"a tip", "POST", "/api/v2/xp/tip", tip_of(5), tip_of(6), server.token(3),
             "SELECT count(*) FROM xp_movements WHERE message = 'idem'"},
            {"a revocation", "DELETE", "/api/v2/api-keys/" + key.id, "", "{}", server.token(3),
             "SELECT count(*) FROM api_keys WHERE id = '" + key.id + "' AND revoked_at IS NOT NULL"},
            {"a new period", "POST", "/api/v2/projects/votes/reallocate", "", "{}", server.token(1),
             "SELECT count(*) - " + sql("SELECT count(*) FROM voting_periods") + " FROM voting_periods"},
            {"a slash", "POST", "/api/v2/slashes", slash_of(5), slash_of(6), server.token(1),
             "SELECT count(*) FROM slashes WHERE comment = 'idem'"},
            {"a vote on a slash", "POST", "/api/v2/slashes/5/votes", R"({"vote":"slash"})", R"({"vote":"defend"})",
             server.token(3), "SELECT count(*) FROM slash_votes WHERE slash_id = 5 AND voter_id = 3"},
            {"a cancellation", "POST", "/api/v2/slashes/6/cancel", "{}", R"({"again":true})", server.token(1),
             "SELECT count(*) FROM slashes WHERE id = 6 AND outcome = 'CANCELLED'"},
            {"a review", "POST", "/api/v2/reviews/create",
             R"({"subject":"profileId:9","score":"positive","comment":"idem"})",
             R"({"subject":"profileId:9","score":"negative","comment":"idem"})", server.token(3),
             "SELECT count(*) FROM reviews WHERE comment = 'idem'"},
            {"a project", "POST", "/api/v2/projects/create", R"({"userkey":"service:github:idem"})",
             R"({"userkey":"service:github:other"})", server.token(1),
             "SELECT count(*) FROM projects WHERE userkey = 'service:github:idem'"}};
  }
  static std::string tip_of(int amount) {
    return R"({"receiverUserkey":"profileId:7","message":"idem","amount":)" + std::to_string(amount) + "}";
  }

  static std::string slash_of(int amount) {
    return R"({"authorProfileId":2,"subject":"profileId:30","slashType":"SCORE","comment":"idem","amount":)"
           + std::to_string(amount) + "}";
  }

  http_response send(const repeatable& repeatable, const std::string& key, const std::string& body) {
    return server.client().send(repeatable.method, repeatable.target, with_json(by_bearer(repeatable.token), key),
                                body);
  }
  http_response send(const repeatable& repeatable, const std::string& key) {
    return send(repeatable, key, repeatable.body);
  }
  /// Until the answer is neither that nobody knows nor that it is under way.
  http_response insist(const repeatable& repeatable, const std::string& key) {
    http_response answer;
    comes_true([&] {
      answer = send(repeatable, key);
      return answer.status != 0 && answer.status != 409 && answer.status != 429 && answer.status != 503;
    });
    return answer;
  }
  static bool replayed(const http_response& answer) {
    const auto found = answer.headers.find("idempotency-replayed");
    return found != answer.headers.end() && found->second == "true";
  }
  static std::string code_of(const http_response& answer) { return json_text(answer.body, "/code"); }

  const auth::wallet owner{"the owner of the keys"};
  service server;
};

TEST_F(Idempotency, ARepeatedRequestIsAnsweredByteForByteAndDoneOnce) {
  for (const auto& request : everything()) {
    const auto first = ok(send(request, "once"));
    EXPECT_FALSE(replayed(first)) << request.name;
    for (int i = 0; i < 3; ++i) {
      const auto again = send(request, i == 2 ? "\"once\"" : "once"); // as the draft writes it
      EXPECT_EQ(again.status, 200) << request.name << again.body;
      EXPECT_EQ(again.body, first.body) << request.name;
      EXPECT_TRUE(replayed(again)) << request.name;
    }
    const auto other = send(request, "once", request.other_body);
    EXPECT_EQ(other.status, 422) << request.name << other.body;
    EXPECT_EQ(code_of(other), "IDEMPOTENCY_KEY_REUSED") << request.name;
    EXPECT_EQ(sql(request.effect), "1") << request.name;
  }
}

TEST_F(Idempotency, AnAnswerIsKeptOverARestart) {
  std::vector<std::pair<repeatable, std::string>> answered;
  for (const auto& request : everything())
    answered.emplace_back(request, send(request, "kept").body);
  server.kill_hard();
  start();
  for (const auto& [value, body] : answered) {
    const auto again = send(value, "kept");
    EXPECT_TRUE(replayed(again)) << value.name;
    EXPECT_EQ(again.body, body) << value.name;
    EXPECT_EQ(send(value, "kept", value.other_body).status, 422) << value.name;
    EXPECT_EQ(sql(value.effect), "1") << value.name;
  }
}

/// What a server leaves that ends between the commit and the answer: the effect and its
/// record, and no answer in it.
TEST_F(Idempotency, AnEffectThatWasNeverAnsweredIsAnsweredWhenAskedAgain) {
  std::vector<std::pair<repeatable, http_response>> lost;
  for (const auto& request : everything())
    lost.emplace_back(request, send(request, "lost"));
  server.kill_hard();
  sql("DELETE FROM idempotency_records WHERE answered");
  start();
  for (const auto& [value, before] : lost) {
    const auto again = ok(send(value, "lost"));
    EXPECT_FALSE(replayed(again)) << value.name;
    EXPECT_EQ(sql(value.effect), "1") << value.name;
    const auto third = send(value, "lost");
    EXPECT_TRUE(replayed(third)) << value.name;
    EXPECT_EQ(third.body, again.body) << value.name;
    EXPECT_EQ(send(value, "lost", value.other_body).status, 422) << value.name;
    if (value.name != "a vote") { // its balance is that of now
      EXPECT_EQ(again.body, before.body) << value.name;
    }
  }
}

TEST_F(Idempotency, BelongsToThePathHoweverItIsWrittenAndNotToTheQuery) {
  auto request = everything().front();
  const auto first = ok(send(request, "scope"));
  for (const auto* same : {"/api/v2/projects/2/votes?nobody=reads&this=1", "/api/v2/projects/%32/votes"}) {
    request.target = same;
    const auto again = send(request, "scope");
    EXPECT_TRUE(replayed(again)) << same << ": " << again.body;
    EXPECT_EQ(again.body, first.body);
  }
  request.target = "/api/v2/projects/3/votes";
  const auto other = ok(send(request, "scope"));
  EXPECT_FALSE(replayed(other)) << "another path is another request";
}

TEST_F(Idempotency, PastSoManyAnswersADayANewKeyIsRefusedAndNothingElse) {
  EXPECT_EQ(server.terminate(), 0);
  server.start({"--admin", "1", "--actors-period-advance", "manual", "--actors-idempotency-keys-per-day", "1"});
  const auto all = everything();
  const auto& vote = all[0];
  const auto& tip = all[1];
  const auto first = ok(send(vote, "one"));
  const auto second = send(tip, "two");
  EXPECT_EQ(second.status, 429) << second.body;
  EXPECT_TRUE(has(second.body, "TOO_MANY_IDEMPOTENCY_KEYS"));
  EXPECT_TRUE(second.headers.contains("retry-after"));
  EXPECT_EQ(sql(tip.effect), "0") << "nothing happened";
  EXPECT_EQ(send(vote, "one").body, first.body) << "what was answered is told again";
  EXPECT_EQ(server.client().send(tip.method, tip.target, with_json(by_bearer(tip.token)), tip.body).status, 200)
    << "without a key it goes on";
}

TEST_F(Idempotency, OneUnderWayIsRefusedUntilItIsAnswered) {
  start_hasty(); // while it waits for a lock it does not know that its data is still its own
  const auto request = everything()[1];
  auto holder = look_into(server.database().url());
  holder.exec("BEGIN; LOCK TABLE xp_movements IN ACCESS EXCLUSIVE MODE",
              persistence::deadline_in(std::chrono::seconds{60}));
  http_response first;
  std::thread slow{[&] { first = send(request, "busy"); }};
  await("the request to wait for the lock", [&] {
    return sql("SELECT count(*) FROM pg_locks WHERE relation = 'xp_movements'::regclass AND NOT granted") != "0";
  });
  const auto meanwhile = send(request, "busy");
  EXPECT_EQ(meanwhile.status, 409) << meanwhile.body;
  EXPECT_EQ(code_of(meanwhile), "IDEMPOTENCY_IN_PROGRESS");
  EXPECT_TRUE(meanwhile.headers.contains("retry-after"));
  EXPECT_EQ(send(request, "busy", request.other_body).status, 422);
  holder.exec("COMMIT", persistence::deadline_in(std::chrono::seconds{60}));
  slow.join();
  EXPECT_EQ(first.status, 200) << first.body;
  const auto later = send(request, "busy");
  EXPECT_TRUE(replayed(later));
  EXPECT_EQ(later.body, first.body);
  EXPECT_EQ(sql(request.effect), "1");
}

TEST_F(Idempotency, AHungDatabaseLeavesOneEffect) {
  start_hasty();
  for (const auto& request : everything()) {
    server.database().pause();
    const auto first = send(request, "hung");
    EXPECT_EQ(first.status, 503) << request.name;
    EXPECT_TRUE(first.headers.contains("retry-after")) << request.name;
    server.database().resume();
    const auto later = ok(insist(request, "hung"));
    const auto again = insist(request, "hung");
    EXPECT_TRUE(replayed(again)) << request.name;
    EXPECT_EQ(again.body, later.body) << request.name;
    EXPECT_EQ(sql(request.effect), "1") << request.name;
    ASSERT_TRUE(server.becomes_ready());
  }
}

TEST_F(Idempotency, MalformedKeysAreRefused) {
  const auto request = everything()[1];
  const auto with = [&](const std::vector<std::string>& keys) {
    auto headers = with_json(by_bearer(request.token));
    for (const auto& key : keys)
      headers.emplace_back("Idempotency-Key", key);
    return server.client().send(request.method, request.target, headers, request.body);
  };
  for (const auto& keys : std::vector<std::vector<std::string>>{{""},
                                                                {"\"\""},
                                                                {"two words"},
                                                                {"a\"b"},
                                                                {"\"half"},
                                                                {std::string(256, 'k')},
                                                                {"schl\xc3\xbcssel"},
                                                                {"one", "two"},
                                                                {"same", "same"}}) {
    const auto answer = with(keys);
    EXPECT_EQ(answer.status, 400) << keys.front();
    EXPECT_TRUE(has(answer.body, "Idempotency-Key"));
  }
  EXPECT_EQ(sql(request.effect), "0");
  EXPECT_EQ(with({std::string(255, 'k')}).status, 200);
}

TEST_F(Idempotency, RefusalsAreNotKept) {
  const auto poor = server.token(8);
  const auto has = xp_of(server, 8);
  const repeatable too_much{"",
                            "POST",
                            "/api/v2/xp/tip",
                            R"({"receiverUserkey":"profileId:7","message":"idem","amount":)" + std::to_string(has + 10)
                              + "}",
                            "",
                            poor,
                            "SELECT count(*) FROM xp_movements WHERE message = 'idem'"};
  EXPECT_EQ(code_of(send(too_much, "refused", "{}")), "INVALID_AMOUNT");
  EXPECT_EQ(code_of(insist(too_much, "refused")), "INSUFFICIENT_XP") << "another body is no reuse: nothing was done";
  const repeatable gift{
    "", "POST", "/api/v2/xp/tip", R"({"receiverUserkey":"profileId:8","amount":10})", "", server.token(4), ""};
  ASSERT_EQ(send(gift, "").status, 200);
  const auto now = ok(insist(too_much, "refused"));
  EXPECT_FALSE(replayed(now));
  EXPECT_EQ(sql(too_much.effect), "1");
}

TEST_F(Idempotency, AKeyIsItsCallersAndItsPathsOwn) {
  const auto all = everything();
  auto request = all[1];
  EXPECT_EQ(send(request, "mine").status, 200);
  request.token = server.token(4);
  const auto other = ok(send(request, "mine"));
  EXPECT_FALSE(replayed(other));
  EXPECT_EQ(sql(request.effect), "2");
  auto vote = all[0];
  vote.token = request.token;
  for (const auto* times : {"1", "2"}) {
    const auto elsewhere = ok(send(vote, "mine"));
    EXPECT_FALSE(replayed(elsewhere));
    EXPECT_EQ(sql(vote.effect), times);
    vote.target = "/api/v2/projects/3/votes"; // the same body on another path
  }
  EXPECT_EQ(sql(request.effect), "2");
}

TEST_F(Idempotency, ACallersKeyIsTheSameWhicheverCredentialItShows) {
  const auto request = everything()[1];
  const auto key = make_key(server, owner);
  const auto first = send(request, "anyhow");
  const auto again =
    server.client().send(request.method, request.target, with_json(by_key(key.token), "anyhow"), request.body);
  EXPECT_TRUE(replayed(again));
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(sql(request.effect), "1");
}

TEST_F(Idempotency, OfManyAtOnceOneIsDone) {
  const auto request = everything()[1];
  std::atomic<int> done{0};
  at_once(32, [&] {
    const auto answer = insist(request, "race");
    done += answer.status == 200;
  });
  EXPECT_EQ(done, 32);
  EXPECT_EQ(sql(request.effect), "1");
}

/// With a key a retry is never told that the vote is there already: it hears what the lost
/// answer would have said.
TEST_F(Idempotency, VotesThatRanWhenTheServerWasKilledAreAnsweredWhenAskedAgain) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
    std::vector<repeatable> votes;
    for (int project = 1; project <= 6; ++project)
      for (const int profile : server.voters())
        votes.push_back({"", "POST", "/api/v2/projects/" + std::to_string(project) + "/votes",
                         R"({"voteType":"BULLISH"})", "", server.token(profile), ""});
    const auto key = "vote " + std::to_string(round);
    const auto of = [&](std::size_t at) { return "vote-" + std::to_string(round) + "-" + std::to_string(at); };
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> heard{0};
    std::vector<std::string> bodies(votes.size());
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i)
      clients.emplace_back([&] {
        for (auto at = next++; at < votes.size(); at = next++) {
          const auto answer = send(votes[at], of(at));
          if (answer.status == 200) {
            bodies[at] = answer.body;
            ++heard;
          }
        }
      });
    await("answers", [&] { return heard >= 30u + 17u * static_cast<unsigned>(round); });
    server.kill_hard();
    for (auto& each : clients)
      each.join();
    start();
    for (std::size_t at = 0; at < votes.size(); ++at) {
      const auto again = insist(votes[at], of(at));
      EXPECT_EQ(again.status, 200) << key << ": " << again.body;
      if (!bodies[at].empty()) {
        EXPECT_EQ(again.body, bodies[at]);
        EXPECT_TRUE(replayed(again));
      }
    }
    EXPECT_EQ(sql("SELECT count(*) FROM votes v JOIN voting_periods p ON p.id = v.period_id WHERE p.closed_at IS NULL"),
              std::to_string(votes.size()));
  }
}

TEST_F(Idempotency, AnAnswerThatCannotBeKeptIsNotGiven) {
  const auto request = everything()[1];
  sql("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " RAISE EXCEPTION 'no more room' USING ERRCODE = '23514'; END $$;"
      "CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_records FOR EACH ROW WHEN (NEW.answered) EXECUTE FUNCTION "
      "full_disk()");
  const auto first = send(request, "unkept");
  EXPECT_EQ(first.status, 503) << first.body;
  EXPECT_TRUE(first.headers.contains("retry-after"));
  EXPECT_EQ(sql(request.effect), "1");
  sql("DROP TRIGGER full_disk ON idempotency_records");
  ok(insist(request, "unkept"));
  EXPECT_TRUE(replayed(insist(request, "unkept")));
  EXPECT_EQ(sql(request.effect), "1");
}

} // namespace
} // namespace credence::test
