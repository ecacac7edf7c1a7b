#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

/// Reads that public clients call, over the demo and over records made here, compared with rows.
class PublicReads : public testing::Test {
protected:
  PublicReads() { server.start({"--admin", "1", "--http-eth-price-usd", "2000.5"}); }

  http_response get(const std::string& target, const std::string& version = "v2") {
    return server.client().get("/api/" + version + "/" + target);
  }
  http_response get_as(int who, const std::string& target) {
    return server.client().get("/api/v2/" + target, server.token(who));
  }
  http_response ask(const std::string& target, const std::string& body, const std::string& version = "v2") {
    return server.client().send("POST", "/api/" + version + "/" + target, with_json({}), body);
  }
  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}") {
    return server.client().send(method, "/api/v2/" + target, with_json(by_bearer(server.token(who))), body);
  }
  /// Sends what must succeed.
  void write(const std::string& method, const std::string& target, int who, const std::string& body) {
    const auto done = send(method, target, who, body);
    ASSERT_EQ(done.status, 200) << target << done.body;
  }
  /// Opens the markets of profiles 3 and 5, and has votes of the first bought; then an hour has passed. Its id.
  std::string traded_market() {
    for (const int who : {3, 4, 5})
      write("POST", "markets/deposits", 1,
            R"({"profileId":)" + std::to_string(who) + R"(,"amount":"20000000000000000000"})");
    for (const int who : {3, 5})
      write("POST", "markets", who, R"({"configType":"NORMAL"})");
    write("POST", "markets/3/trades", 4, R"({"action":"buy","voteType":"trust","votes":100})");
    row("SET session_replication_role = replica; UPDATE market_trades SET at = at - interval '1 hour';"
        " UPDATE markets SET created_at = created_at - interval '3 hours' WHERE profile_id = 3");
    return "3";
  }
  std::string row(const std::string& sql) {
    auto out = server.database().sql(sql);
    while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
      out.pop_back();
    return out;
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  static bool holds(const http_response& of, const std::string& text) {
    return of.body.find(text) != std::string::npos;
  }

  service server;
};

TEST_F(PublicReads, OfXpFollowSeasonsAndTheLedger) {
  const auto seasons = get("xp/seasons");
  ASSERT_EQ(seasons.status, 200) << seasons.body;
  EXPECT_EQ(json_number(seasons.body, "/seasons/0/id"), 1);
  EXPECT_EQ(json_text(seasons.body, "/currentSeason/startDate"), "2026-01-05T00:00:00.000Z");
  EXPECT_EQ(json_number(seasons.body, "/currentSeason/week"),
            std::stoll(row("SELECT ((now() AT TIME ZONE 'UTC')::date - date '2026-01-05') / 7 + 1")));
  row("INSERT INTO xp_seasons (id, name, starts_on) VALUES (2, 'Second', (now() AT TIME ZONE 'UTC')::date - 15)");
  EXPECT_EQ(json_number(get("xp/seasons").body, "/currentSeason/id"), 2);
  EXPECT_EQ(json_number(get("xp/season/2/weeks").body, "/2/week"), 3) << "15 days have three weeks";
  row("INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now() - interval '14 days', 70, "
      "0, 40, 'CONTRIBUTION'),"
      " (now(), 30, 0, 40, 'CONTRIBUTION'), (now(), 5, 40, -1, 'VOTE_COST'), (now() - interval '200 days', 1000, 0, "
      "40, 'CLAIM')");
  write("POST", "xp/tip", 40, R"({"receiverUserkey":"profileId:41","amount":9,"message":"for you"})");
  EXPECT_EQ(get("xp/user/profileId:40/season/2").body, "95") << "without the tip and what was before";
  EXPECT_EQ(
    get("xp/user/profileId:40/season/2/weekly").body,
    R"([{"week":1,"weeklyXp":70,"cumulativeXp":70},{"week":2,"weeklyXp":0,"cumulativeXp":70},{"week":3,"weeklyXp":25,"cumulativeXp":95}])");
  EXPECT_EQ(get("xp/user/address:0x00000000000000000000000000000000000000AA/season/2").body, "0");
  EXPECT_EQ(code(get("xp/user/profileId:40/season/77")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("xp/season/x/weeks")), "400 BAD_REQUEST");
  const auto history = get_as(40, "xp/history?limit=2");
  EXPECT_EQ(json_text(history.body, "/values/0/type"), "XP_TIP_SENT");
  EXPECT_EQ(json_number(history.body, "/values/0/points"), -9);
  EXPECT_EQ(json_number(history.body, "/values/0/metadata/profileId"), 41);
  EXPECT_EQ(json_number(history.body, "/values/0/xpSeasonId"), 2);
  EXPECT_EQ(json_number(history.body, "/values/1/points"), 1000) << "by the ledger's numbers, not by time";
  EXPECT_EQ(json_number(history.body, "/total"),
            std::stoll(row("SELECT count(*) FROM xp_movements WHERE 40 IN (from_account, to_account)")));
  EXPECT_EQ(json_text(get_as(41, "xp/history").body, "/values/0/type"), "XP_TIP_RECEIVED");
  EXPECT_EQ(get("xp/history").status, 401);
  const auto of_40 = get("xp/history?limit=2&userkey=profileId:40");
  EXPECT_EQ(json_number(of_40.body, "/values/0/points"), -9) << "open to everybody: " << of_40.body;
  EXPECT_EQ(of_40.body.find("for you"), std::string::npos) << "but for what the tip says";
  EXPECT_EQ(get_as(42, "xp/history?limit=2&userkey=profileId:40").body, of_40.body) << "not the caller's own";
  for (const int party : {40, 41})
    EXPECT_NE(get_as(party, "xp/history?limit=2&userkey=profileId:40").body.find("for you"), std::string::npos)
      << party;
  EXPECT_EQ(code(get("xp/history?userkey=profileId:999999")), "404 NOT_FOUND");
  EXPECT_EQ(json_number(get("xp/tips/stats?userkey=profileId:40").body, "/totalSent"),
            std::stoll(row("SELECT tips_sent_total FROM xp_accounts WHERE id = 40")));
  const auto tips = get("xp/tips?limit=1");
  EXPECT_EQ(json_number(tips.body, "/values/0/receiver/profileId"), 41) << tips.body;
  EXPECT_EQ(json_number(tips.body, "/values/0/amount"), 9);
  EXPECT_EQ(tips.body.find("for you"), std::string::npos);
  const auto found = server.command({"verify", "--server", "http://127.0.0.1:" + std::to_string(server.port())});
  EXPECT_EQ(found.code, 0) << found.out << found.err;
}

TEST_F(PublicReads, OfRanksAreThoseOfTheBoard) {
  const auto rank =
    "SELECT count(*) FROM xp_accounts a, xp_accounts m WHERE m.id = 40 AND a.id > 0 AND (a.balance > m.balance OR"
    " (a.balance = m.balance AND a.id < m.id))";
  EXPECT_EQ(get("xp/user/profileId:40/leaderboard-rank").body, row(rank));
  write("POST", "xp/tip", 41, R"({"receiverUserkey":"profileId:40","amount":150})");
  EXPECT_EQ(get("xp/user/profileId:40/leaderboard-rank").body, row(rank));
  EXPECT_EQ(code(get("xp/user/address:0x00000000000000000000000000000000000000AA/leaderboard-rank")), "404 NOT_FOUND");
  const auto board = get("profiles/xp-leaderboard?limit=3", "v1");
  EXPECT_EQ(json_number(board.body, "/data/0/profileId"),
            std::stoll(row("SELECT id FROM xp_accounts WHERE id > 0 ORDER BY balance DESC, id LIMIT 1")));
  EXPECT_EQ(json_number(board.body, "/data/2/totalXp"),
            std::stoll(row("SELECT balance FROM xp_accounts WHERE id > 0 ORDER BY balance DESC, id LIMIT 1 OFFSET 2")));
}

TEST_F(PublicReads, FindPeopleByTheirAccountsElsewhere) {
  row("INSERT INTO attestations (id, hash, profile_id, user_id, service, account, username, created_at) VALUES"
      " (900, sha256('a'), 40, 40, 'farcaster', '4040', 'forty.eth', now()), (901, sha256('b'), 41, 41, 'telegram', "
      "'4141', 'x', now());"
      "INSERT INTO addresses (address, user_id, kind, added_at) VALUES (decode(repeat('ab', 20), 'hex'), 42, "
      "'embedded', now())");
  EXPECT_EQ(json_number(get("user/by/farcaster/username/FORTY.eth").body, "/profileId"), 40);
  EXPECT_EQ(code(get("user/by/farcaster/username/nobody")), "404 NOT_FOUND");
  EXPECT_EQ(json_number(get("user/by/managed-wallet/0xabababababababababababababababababababab").body, "/profileId"),
            42);
  EXPECT_EQ(code(get("user/by/managed-wallet/0x00000000000000000000000000000000000000AA")), "404 NOT_FOUND");
  EXPECT_EQ(json_number(ask("users/by/farcaster", R"({"farcasterIds":["1","4040"]})").body, "/0/profileId"), 40);
  EXPECT_EQ(json_number(ask("users/by/telegram", R"({"telegramIds":["4141"]})").body, "/0/profileId"), 41);
  EXPECT_EQ(ask("users/by/discord", R"({"discordIds":["1"]})").body, "[]");
  EXPECT_EQ(code(ask("users/by/discord", R"({"discordIds":["one"]})")), "400 BAD_REQUEST");
  const auto names =
    ask("users/by/farcaster/usernames", R"({"farcasterUsernames":["nobody","forty.eth","two words"]})");
  EXPECT_EQ(json_number(names.body, "/users/0/user/profileId"), 40) << names.body;
  EXPECT_EQ(json_text(names.body, "/users/0/username"), "forty.eth");
  EXPECT_TRUE(holds(names, R"("notFoundUsernames":["nobody"],"errorUsernames":["two words"])")) << names.body;
}

TEST_F(PublicReads, OfMarketsCompareThem) {
  const auto id = traded_market();
  EXPECT_EQ(json_number(get("markets?orderBy=volumeTotalWei").body, "/values/0/id"), std::stoll(id));
  EXPECT_EQ(
    json_number(get("markets?orderBy=score&limit=1").body, "/values/0/user/score"),
    std::stoll(row(
      "SELECT max(u.score) FROM markets m JOIN profiles p ON p.id = m.profile_id JOIN users u ON u.id = p.user_id")));
  EXPECT_EQ(json_number(get("markets?orderBy=createdAt&orderDirection=asc&limit=1").body, "/values/0/id"),
            std::stoll(row("SELECT profile_id FROM markets ORDER BY created_at LIMIT 1")));
  EXPECT_EQ(code(get("markets?orderBy=beauty")), "400 BAD_REQUEST");
  const auto young = row("SELECT count(*) FROM markets WHERE created_at >= now() - interval '1 day'");
  for (const auto* order : {"createdAt", "volumeTotalWei", "score"})
    EXPECT_EQ(std::to_string(json_number(get(std::string{"markets?dayRange=1&orderBy="} + order).body, "/total")),
              young)
      << order;
  EXPECT_EQ(get("markets?dayRange=null").body, get("markets").body) << "as generated clients send it";
  for (const auto* bad : {"0", "91", "week"})
    EXPECT_NE(get(std::string{"markets?dayRange="} + bad).body.find("dayRange"), std::string::npos) << bad;
  const auto featured = get("markets/featured");
  EXPECT_EQ(json_text(featured.body, "/0/type"), "top-volume");
  EXPECT_EQ(json_number(featured.body, "/0/market/id"), std::stoll(id));
  EXPECT_EQ(get("markets/" + id + "/info").body, get("markets/" + id).body);
  EXPECT_EQ(json_number(get("markets/info/bulk?profileIds=" + id + ",999999").body, "/0/id"), std::stoll(id));
  const auto holders = get("markets/" + id + "/holders?limit=1");
  EXPECT_EQ(json_number(holders.body, "/values/0/votes"),
            std::stoll(row("SELECT max(greatest(trust, distrust)) FROM market_positions WHERE market_id = " + id)));
  EXPECT_EQ(json_number(holders.body, "/total"),
            std::stoll(
              row("SELECT sum((trust > 0)::int + (distrust > 0)::int) FROM market_positions WHERE market_id = " + id)));
  const auto both = ask("markets/" + id + "/info", R"({"includeTopHolders":true,"includeMarketChange":true})");
  EXPECT_EQ(json_number(both.body, "/id"), std::stoll(id)) << both.body;
  EXPECT_EQ(json_number(both.body, "/marketChange/profileId"), std::stoll(id));
  for (const std::string side : {"trust", "distrust"}) {
    const auto most = row("SELECT coalesce(max(" + side + "), 0) FROM market_positions WHERE market_id = " + id);
    const auto of_side = get("markets/" + id + "/holders?limit=1&voteType=" + side);
    EXPECT_EQ(json_number(of_side.body, "/total"),
              std::stoll(row("SELECT count(*) FROM market_positions WHERE " + side + " > 0 AND market_id = " + id)));
    if (most != "0") {
      EXPECT_EQ(json_number(of_side.body, "/values/0/total"), std::stoll(most)) << of_side.body;
      EXPECT_EQ(json_number(both.body, "/marketTopHolders/" + side + "/0/votes"), std::stoll(most)) << both.body;
    }
  }
  const auto x = row("SELECT t.username FROM attestations t JOIN profiles p ON p.user_id = t.user_id WHERE t.service = "
                     "'x.com' AND NOT t.archived"
                     " AND p.id = "
                     + id + " LIMIT 1");
  if (!x.empty()) {
    const auto person = get("markets/users/by/x/" + x);
    EXPECT_EQ(json_number(person.body, "/profileId"), std::stoll(id));
    EXPECT_EQ(json_text(person.body, "/twitterUsername"), x);
  }
  EXPECT_EQ(code(get("markets/users/by/x/nobody_has_this")), "404 NOT_FOUND");
  const auto wallet =
    row("SELECT '0x' || encode(address, 'hex') FROM addresses WHERE user_id = (SELECT user_id FROM profiles WHERE id = "
        + id
        + ")"
          " ORDER BY kind <> 'primary' LIMIT 1");
  EXPECT_EQ(json_number(get("markets/users/by/address/" + wallet).body, "/profileId"), std::stoll(id)) << wallet;
  EXPECT_EQ(code(get("markets/users/by/address/0x00000000000000000000000000000000000000AA")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/users/by/address/0x12")), "400 BAD_REQUEST");
}

TEST_F(PublicReads, OfPricesAreWhatTradesMade) {
  const auto id = traded_market();
  const auto price = row("SELECT trust_price FROM markets WHERE profile_id = " + id);
  const auto history = get("markets/" + id + "/price/history?window=1H");
  ASSERT_EQ(history.status, 200) << history.body;
  EXPECT_EQ(json_text(history.body, "/data/119/price/trustWei"), price) << "nothing was traded for an hour";
  EXPECT_TRUE(holds(history, R"("timeWindow":"1H","bucket":"30 seconds"})"));
  const auto change = get("markets/" + id + "/change?days=90");
  EXPECT_EQ(json_text(change.body, "/change/trust/latestWei"), price);
  EXPECT_EQ(json_text(change.body, "/change/total/latestWei"),
            row("SELECT bought - sold FROM markets WHERE profile_id = " + id));
  EXPECT_EQ(get("exchange-rates/eth-price-in-usd").body, R"({"price":2000.5})");
  const auto in_dollars = [&](const std::string& wei) {
    return row("SELECT trim_scale(trunc((" + wei
               + ")::numeric * 2000.5 / 1e18::numeric, 6)) FROM markets WHERE profile_id = " + id);
  };
  EXPECT_TRUE(holds(change, R"("latestUsd":)" + in_dollars("trust_price") + ",")) << change.body;
  EXPECT_TRUE(holds(change, R"("latestUsd":)" + in_dollars("bought - sold") + ",")) << change.body;
  EXPECT_TRUE(holds(history, R"("trustUsd":)" + in_dollars("trust_price") + R"(,"distrustUsd":)"
                               + in_dollars("distrust_price") + ","))
    << history.body;
  EXPECT_EQ(code(get("markets/999999/price/history")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/999999/change")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/" + id + "/price/history?window=2H")), "400 BAD_REQUEST");
  const auto bought = ask("markets/simulate-buy",
                          R"({"profileId":)" + id + R"(,"voteType":"trust","buyAmountWei":"100000000000000000"})");
  ASSERT_EQ(bought.status, 200) << bought.body;
  const auto quote =
    ask("markets/" + id + "/quote", R"({"action":"buy","voteType":"trust","maximumCost":"100000000000000000"})");
  EXPECT_EQ(json_number(bought.body, "/votes"), json_number(quote.body, "/votes"));
  EXPECT_EQ(json_text(bought.body, "/newPrice"), json_text(quote.body, "/positivePrice"));
  EXPECT_EQ(json_text(bought.body, "/trend"), "up");
  const auto sold = ask("markets/simulate-sell", R"({"profileId":)" + id + R"(,"voteType":"trust","sellVotes":1})");
  EXPECT_EQ(json_text(sold.body, "/trend"), "down") << sold.body;
  EXPECT_EQ(code(ask("markets/simulate-sell", R"({"profileId":)" + id + R"(,"voteType":"trust"})")), "400 BAD_REQUEST");
  EXPECT_EQ(code(ask("markets/simulate-buy", R"({"profileId":999999,"voteType":"trust","buyAmountWei":"1"})")),
            "404 NOT_FOUND");
}

TEST_F(PublicReads, OfNotificationsTellWhatOthersDidUntilItIsRead) {
  write("POST", "reviews/create", 40, R"({"subject":"profileId:41","score":"positive","comment":"so it was"})");
  write("POST", "replies/create", 41, R"({"type":"review","id":1,"content":"thanks"})");
  write("PUT", "votes", 42, R"({"type":"review","id":1,"isUpvote":true})");
  write("PUT", "votes", 40, R"({"type":"review","id":1,"isUpvote":true})");
  EXPECT_EQ(json_number(get_as(41, "notifications/me").body, "/values/0/actor/profileId"), 40);
  EXPECT_EQ(json_text(get_as(41, "notifications/me").body, "/values/0/type"), "review");
  EXPECT_EQ(json_number(ask("activities/profile/received", R"({"userkey":"profileId:41"})").body, "/total"), 1);
  EXPECT_EQ(json_number(send("POST", "activities/notifications", 41).body, "/total"), 1);
  EXPECT_EQ(ask("activities/notifications", "{}").status, 401);
  const auto all = get_as(40, "notifications/me");
  EXPECT_EQ(json_number(all.body, "/total"), 2) << "not its own vote: " << all.body;
  EXPECT_EQ(json_text(all.body, "/values/0/type"), "vote");
  EXPECT_EQ(json_number(all.body, "/values/0/activity/id"), 1);
  EXPECT_EQ(json_text(all.body, "/values/1/type"), "reply");
  EXPECT_EQ(json_text(all.body, "/values/1/target/type"), "review");
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 2);
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unreadCount"), 2);
  const auto read = send("POST", "notifications/me/mark-as-read", 40);
  EXPECT_TRUE(holds(read, R"({"ok":true,"readTo":)")) << read.body;
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 0);
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/total"), 2);
  EXPECT_TRUE(holds(get_as(40, "notifications/me"), R"("isRead":true)"));
  EXPECT_EQ(json_number(get_as(41, "notifications/stats/me").body, "/unread"), 1) << "another one's mark";
  write("PUT", "votes", 43, R"({"type":"review","id":1,"isUpvote":false})");
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 1);
  write("DELETE", "votes?type=review&activityId=1", 43, "");
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 0) << "the vote was withdrawn";
  EXPECT_EQ(get("notifications/me").status, 401);
}

TEST_F(PublicReads, MarkingAsReadTwiceWithOneKeyIsDoneOnce) {
  const auto mark = [&] {
    return server.client().send("POST", "/api/v2/notifications/me/mark-as-read",
                                with_json(by_bearer(server.token(40)), "k1"), "{}");
  };
  const auto first = mark();
  ASSERT_EQ(first.status, 200) << first.body;
  const auto again = mark();
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(row("SELECT count(*) FROM notification_marks"), "1");
}

TEST_F(PublicReads, OfVersionOneThatAreLeft) {
  EXPECT_EQ(json_number(get("score/userkey?userkey=profileId:40", "v1").body, "/data/score"),
            std::stoll(row("SELECT score FROM users WHERE id = 40")));
  EXPECT_EQ(
    json_text(get("score/address?address=0x00000000000000000000000000000000000000AA", "v1").body, "/data/level"),
    "neutral");
  const auto many =
    ask("score/bulk",
        R"({"userkeys":["profileId:40","address:0x00000000000000000000000000000000000000AA","profileId:40"]})", "v1");
  EXPECT_TRUE(holds(many, R"("address:0x00000000000000000000000000000000000000AA":{"score":1200,"level":"neutral"})"))
    << many.body;
  EXPECT_EQ(json_text(get("score/profileId:40/history", "v1").body, "/error/code"), "VALIDATION_ERROR")
    << "duration is required";
  const auto history = get("score/profileId:40/history?duration=all", "v1");
  EXPECT_EQ(json_number(history.body, "/data/total"),
            std::stoll(row("SELECT count(*) FROM score_history WHERE user_id = 40")))
    << history.body;
  const auto name = row("SELECT username FROM users WHERE id = 40");
  const auto found = get("search?query=" + name, "v1");
  EXPECT_EQ(json_number(found.body, "/data/values/0/profileId"), 40) << found.body;
  EXPECT_EQ(json_text(found.body, "/data/values/0/userkey"), "profileId:40");
  EXPECT_TRUE(
    holds(get("addresses/profileId:1", "v1"), R"("primaryAddress":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")"));
  EXPECT_EQ(get("addresses/address:0x00000000000000000000000000000000000000AA", "v1").status, 404);
  EXPECT_EQ(json_text(get("fees", "v1").body, "/data/exitFeeBasisPoints"), "0n");
  EXPECT_EQ(json_number(get("profiles/stats", "v1").body, "/data/activeProfiles"),
            std::stoll(row("SELECT count(*) FROM profiles WHERE NOT archived")));
  write("POST", "reviews/create", 40, R"({"subject":"profileId:41","score":"positive","comment":"so it was"})");
  write("POST", "replies/create", 41, R"({"type":"review","id":1,"content":"thanks"})");
  EXPECT_EQ(
    ask("reply/summary", R"({"review":[1,2]})", "v1").body,
    R"({"ok":true,"data":{"review":{"1":{"count":1,"participated":false},"2":{"count":0,"participated":false}}}})");
  const auto gone = ask("reviews", "{}", "v1");
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(json_text(gone.body, "/error/code"), "ENDPOINT_REMOVED");
  EXPECT_TRUE(holds(gone, "POST /api/v2/reviews/create")) << gone.body;
  EXPECT_EQ(get("invitations/pending/0x00000000000000000000000000000000000000AA", "v1").status, 410);
}

TEST_F(PublicReads, OfProjectsActivitiesAndValidators) {
  const auto project = row("SELECT min(id) FROM projects WHERE status = 'ACTIVE'");
  const auto user = row("SELECT user_id FROM projects WHERE id = " + project);
  row("UPDATE projects SET is_promoted = (id = " + project + ")");
  const auto userkey = row("SELECT userkey FROM projects WHERE id = " + project);
  write("POST", "reviews/create", 40, R"({"subject":")" + userkey + R"(","score":"positive","comment":"ships"})");
  const auto of_project = ask("activities/project", R"({"projectId":)" + project + "}");
  EXPECT_EQ(json_number(of_project.body, "/total"), 1) << of_project.body;
  EXPECT_EQ(json_number(of_project.body, "/values/0/author/profileId"), 40);
  EXPECT_EQ(code(ask("activities/project", R"({"projectId":999999})")), "404 PROJECT_NOT_FOUND");
  EXPECT_EQ(code(ask("activities/project", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code(get("activities/review/tx/0x" + std::string(64, 'a'))), "404 NOT_FOUND");
  EXPECT_EQ(code(get("activities/review/tx/0xzz")), "400 BAD_REQUEST");
  EXPECT_TRUE(await("the promoted project to be suggested first", [&] {
    return json_number(get("projects/suggested?limit=2").body, "/0/id") == std::stoll(project);
  }));
  EXPECT_EQ(json_text(get("projects/suggested?limit=2").body, "/1/status"), "ACTIVE");
  EXPECT_EQ(get("xp/validators").body, "[]");
  EXPECT_EQ(code(get("auctions?status=OPEN")), "400 BAD_REQUEST");
  EXPECT_EQ(json_number(get("auctions?status=SOLD&nftTokenId=12&orderBy=soldTime&orderDirection=asc").body, "/total"),
            0);
  for (const auto* empty : {"nfts/validators/listings", "auctions", "nfts/user/profileId:40"})
    EXPECT_EQ(get(empty).body, R"({"values":[],"total":0,"limit":50,"offset":0})") << empty;
  EXPECT_EQ(code(get("nfts/user/profileId:999999")), "404 NOT_FOUND");
  const auto owner =
    row("SELECT min(p.id) FROM profiles p JOIN users u ON u.id = p.user_id WHERE u.validator_nft_count > 0");
  if (!owner.empty()) {
    EXPECT_EQ(get("nfts/user/profileId:" + owner + "/owns-validator").body, R"({"ownsValidator":true})");
  }
}

} // namespace
} // namespace credence::test
