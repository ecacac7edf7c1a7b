#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace credence::test {
namespace {

/// Records of people made over the API and read back in the shapes of public clients, in the whole service. The demo
/// of tests has none; profile 1 is an admin.
class RecordReads : public testing::Test {
protected:
  RecordReads() { server.start({"--admin", "1"}); }

  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}") {
    return server.client().send(method, "/api/v2/" + target, with_json(by_bearer(server.token(who))), body);
  }
  /// A POST of nobody in particular.
  http_response ask(const std::string& target, const std::string& body, const std::string& version = "v2") {
    return server.client().send("POST", "/api/" + version + "/" + target, with_json({}), body);
  }
  http_response get(const std::string& target) { return server.client().get("/api/v2/" + target); }
  void review(int author, const std::string& subject, const std::string& score) {
    const auto made = send("POST", "reviews/create", author,
                           R"({"subject":")" + subject + R"(","score":")" + score + R"(","comment":"so it was"})");
    ASSERT_EQ(made.status, 200) << made.body;
  }
  void vouch(int author, const std::string& subject, int amount) {
    const auto made = send("POST", "vouches/create", author,
                           R"({"subject":")" + subject + R"(","amount":)" + std::to_string(amount) + "}");
    ASSERT_EQ(made.status, 200) << made.body;
  }
  void vote(int voter, const std::string& type, int id, bool up) {
    const auto made =
      send("PUT", "votes", voter,
           R"({"type":")" + type + R"(","id":)" + std::to_string(id) + R"(,"isUpvote":)" + (up ? "true}" : "false}"));
    ASSERT_EQ(made.status, 200) << made.body;
  }
  void reply(int author, const std::string& type, int id, const std::string& content) {
    const auto made =
      send("POST", "replies/create", author,
           R"({"type":")" + type + R"(","id":)" + std::to_string(id) + R"(,"content":")" + content + R"("})");
    ASSERT_EQ(made.status, 200) << made.body;
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  static std::string type_at(const http_response& of, int row) {
    return json_text(of.body, "/values/" + std::to_string(row) + "/type");
  }
  static std::int64_t total(const http_response& of) { return json_number(of.body, "/total"); }

  service server;
};

TEST_F(RecordReads, OfActivitiesShowWhoDidWhatToWhom) {
  review(40, "address:0x00000000000000000000000000000000000000AA", "negative");
  vouch(40, "profileId:41", 5);
  vouch(41, "profileId:40", 3);
  reply(41, "vouch", 1, "thanks");
  vote(41, "vouch", 1, true);
  vote(42, "vouch", 1, false);
  const auto one = get("activities/vouch/1");
  ASSERT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(json_text(one.body, "/type"), "vouch");
  EXPECT_EQ(json_number(one.body, "/author/profileId"), 40);
  EXPECT_EQ(json_text(one.body, "/author/userkey"), "profileId:40");
  EXPECT_EQ(json_number(one.body, "/subject/profileId"), 41);
  EXPECT_EQ(json_number(one.body, "/authorUser/profileId"), 40);
  EXPECT_EQ(json_number(one.body, "/subjectUser/profileId"), 41);
  EXPECT_EQ(json_text(one.body, "/data/balance"), "5000000000000000");
  EXPECT_EQ(json_number(one.body, "/votes/upvotes"), 1);
  EXPECT_EQ(json_number(one.body, "/votes/downvotes"), 1);
  EXPECT_NE(one.body.find(R"("replySummary":{"count":1,"participated":false})"), std::string::npos) << one.body;
  EXPECT_NE(send("GET", "activities/vouch/1", 41, "").body.find(R"("participated":true)"), std::string::npos);
  const auto all = ask("activities/profile/all", R"({"userkey":"profileId:40"})");
  ASSERT_EQ(all.status, 200) << all.body;
  EXPECT_EQ(total(all), 3);
  EXPECT_EQ(type_at(all, 2), "review") << "the oldest comes last";
  EXPECT_EQ(json_number(all.body, "/limit"), 50);
  EXPECT_EQ(ask("activities/profile/all", R"({"userkey":"profileId:40","limit":2,"offset":0})").body.find("so it was"),
            std::string::npos);
  EXPECT_EQ(type_at(ask("activities/profile/all", R"({"userkey":"profileId:40","limit":2,"offset":2})"), 0), "review");
  EXPECT_EQ(type_at(ask("activities/profile/all",
                        R"({"userkey":"profileId:40","orderBy":{"field":"timestamp","direction":"asc"}})"),
                    0),
            "review");
  EXPECT_EQ(
    type_at(ask("activities/profile/all", R"({"userkey":"profileId:40","orderBy":{"field":"votes"},"limit":1})"), 0),
    "vouch");
  EXPECT_EQ(total(ask("activities/profile/given", R"({"userkey":"profileId:41"})")), 2) << "a vouch and a reply";
  EXPECT_EQ(total(ask("activities/profile/given", R"({"userkey":"profileId:41","filter":["reply","slash"]})")), 1);
  EXPECT_EQ(total(ask("activities/profile/received", R"({"userkey":"profileId:41"})")), 1);
  EXPECT_EQ(
    total(ask("activities/profile/received", R"({"userkey":"address:0x00000000000000000000000000000000000000AA"})")),
    1);
  const auto types = [&](const std::string& query) {
    const auto all = get("activities/userkey?userkey=profileId:40" + query);
    EXPECT_TRUE(all.body.starts_with('[')) << query << ": " << all.body;
    const std::regex beginning{R"re(\{"type":"([^"]+)","timestamp")re"};
    std::string out;
    for (std::sregex_iterator at{all.body.begin(), all.body.end(), beginning}, end; at != end; ++at)
      out += (out.empty() ? "" : " ") + at->str(1);
    return out;
  };
  EXPECT_EQ(types(""), "vouch vouch review");
  EXPECT_EQ(types("&activityType=review&activityType=VOUCH"), "vouch vouch review");
  EXPECT_EQ(types("&direction=author&activityType[]=review"), "review");
  EXPECT_EQ(types("&direction=subject&sort=asc"), "vouch");
  EXPECT_EQ(types("&activityType=INVITATION"), "") << "there are none here, and that is no reason to list others";
  EXPECT_EQ(types("&reviewScore=NEGATIVE&orderBy=netVotes"), "review");
  EXPECT_EQ(types("&reviewScore=POSITIVE"), "");
  EXPECT_EQ(json_number(ask("activities/bulk", R"({"vouch":[2,77,1],"review":[1]})").body, "/0/data/id"), 1)
    << "reviews come first";
  EXPECT_EQ(json_number(ask("activities/bulk", R"({"vouch":[2,77,1],"review":[1]})").body, "/1/data/id"), 2)
    << "then as they were asked for";
  EXPECT_EQ(type_at(ask("activities/feed", R"({"limit":1})"), 0), "reply") << "the newest of all";
  for (const auto* field : {"timestamp", "votes", "comments", "score", "controversial", "hot"})
    EXPECT_EQ(
      total(ask("activities/feed", R"({"filter":["REVIEW","VOUCH"],"reviewScore":["NEGATIVE"],"orderBy":{"field":")"
                                     + std::string{field} + R"("}})")),
      1)
      << field;
  EXPECT_EQ(json_number(ask("activities/feed", R"({"filter":["vouch"],"orderBy":{"field":"comments"}})").body,
                        "/values/0/data/id"),
            1)
    << "the one with a reply";
  server.database().sql("UPDATE activities SET at = at - interval '3 days' WHERE kind = 'review'");
  EXPECT_EQ(total(ask("activities/profile/all", R"({"userkey":"profileId:40","dayRange":1})")), 2)
    << "the review is older";
}

TEST_F(RecordReads, OfActivitiesFollowEditsArchivingAndSpam) {
  review(40, "profileId:41", "positive");
  review(42, "profileId:41", "negative");
  vouch(40, "profileId:41", 5);
  const std::string received = R"("userkey":"profileId:41")";
  ASSERT_EQ(send("PATCH", "reviews/1", 40, R"({"comment":"another word"})").status, 200);
  EXPECT_EQ(json_text(get("activities/review/1").body, "/data/comment"), "another word");
  EXPECT_EQ(json_number(get("activities/review/1").body, "/data/edits"), 1);
  vote(41, "review", 1, false);
  EXPECT_NE(get("activities/review/1").body.find(R"("isSpam":true)"), std::string::npos) << "its subject voted it down";
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"excludeSpam":true})")), 2);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"reviewScore":"negative"})")), 1);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"minAuthorScore":2800})")), 0);
  ASSERT_EQ(send("POST", "reviews/2/archive", 42).status, 200);
  ASSERT_EQ(send("POST", "vouches/1/withdraw", 40).status, 200);
  const auto all = ask("activities/profile/received", "{" + received + "}");
  EXPECT_EQ(total(all), 3);
  EXPECT_EQ(type_at(all, 0), "unvouch");
  EXPECT_NE(get("activities/review/2").body.find(R"("archived":true)"), std::string::npos);
  const auto live = ask("activities/profile/received", "{" + received + R"(,"excludeHistorical":true})");
  EXPECT_EQ(total(live), 1);
  EXPECT_EQ(json_number(live.body, "/values/0/data/id"), 1);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"filter":["vouch"]})")), 0);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"filter":["unvouch"]})")), 1);
}

TEST_F(RecordReads, OfVotesAndReplies) {
  review(40, "profileId:41", "positive");
  for (const int who : {42, 43, 44})
    vote(who, "review", 1, who != 44);
  const auto votes = get("votes?type=review&activityId=1");
  ASSERT_EQ(votes.status, 200) << votes.body;
  EXPECT_EQ(total(votes), 3);
  EXPECT_EQ(json_number(votes.body, "/values/0/voter"), 44) << "the latest";
  EXPECT_EQ(json_number(votes.body, "/values/0/user/profileId"), 44);
  EXPECT_EQ(
    json_number(get("votes?type=review&activityId=1&orderDirection=asc&limit=1&offset=1").body, "/values/0/voter"), 43);
  EXPECT_EQ(total(get("votes?type=review&activityId=1&isUpvote=true")), 2);
  const auto by_score = get("votes?type=review&activityId=1&orderBy=score&orderDirection=asc");
  EXPECT_LE(json_number(by_score.body, "/values/0/user/score"), json_number(by_score.body, "/values/2/user/score"));
  const auto stats = get("votes/stats?type=review&activityId=1");
  EXPECT_EQ(json_number(stats.body, "/counts/upvotes"), 2);
  EXPECT_EQ(json_number(stats.body, "/counts/downvotes"), 1);
  EXPECT_NE(stats.body.find(R"({"userVote":null,)"), std::string::npos) << stats.body;
  const auto own = send("GET", "votes/stats?type=review&activityId=1", 44, "");
  EXPECT_NE(own.body.find(R"("isUpvote":false)"), std::string::npos) << own.body;
  EXPECT_EQ(json_number(own.body, "/userVote/weight"), json_number(votes.body, "/values/0/weight"));
  ASSERT_EQ(send("DELETE", "votes?type=review&activityId=1", 43, "").status, 200);
  EXPECT_EQ(total(get("votes?type=review&activityId=1")), 2) << "withdrawn";
  EXPECT_EQ(get("votes?type=review&activityId=1").body.find(R"("voter":43)"), std::string::npos);
  EXPECT_NE(send("GET", "votes/stats?type=review&activityId=1", 43, "").body.find(R"("userVote":null)"),
            std::string::npos);
  const auto many = ask("votes/stats", R"({"review":[1,2],"vouch":[7]})");
  EXPECT_EQ(json_number(many.body, "/review/1/counts/upvotes"), 1) << many.body;
  EXPECT_EQ(json_number(many.body, "/review/2/counts/upvotes"), 0);
  EXPECT_EQ(json_number(many.body, "/vouch/7/counts/upvotes"), 0);
  EXPECT_NE(many.body.find(R"("slash":{})"), std::string::npos)
    << "a kind that was not asked for is empty: " << many.body;
  for (const int i : {1, 2, 3})
    reply(42, "review", 1, "reply " + std::to_string(i));
  const auto replies = get("replies/review/1?limit=2");
  EXPECT_EQ(total(replies), 3);
  EXPECT_EQ(json_text(replies.body, "/values/0/content"), "reply 3");
  EXPECT_EQ(json_number(replies.body, "/values/1/user/profileId"), 42);
  EXPECT_EQ(json_text(get("replies/review/1?limit=2&offset=2").body, "/values/0/content"), "reply 1");
  EXPECT_EQ(json_text(get("replies/review/1?orderDirection=asc").body, "/values/0/content"), "reply 1");
  const auto some = get("replies/by-id?ids=3&ids=1&ids=99");
  EXPECT_EQ(json_text(some.body, "/1/content"), "reply 1");
  EXPECT_NE(some.body.find(R"("99":null)"), std::string::npos) << some.body;
  EXPECT_EQ(total(get("votes?activityType=review&id=1")), 2) << "as other clients call them";
}

TEST_F(RecordReads, OfVouchesAndReviewsBetweenTwo) {
  vouch(40, "profileId:41", 5);
  vouch(41, "profileId:40", 3);
  vouch(40, "profileId:42", 9);
  vouch(42, "profileId:41", 1);
  const auto given = ask("vouches", R"({"authorProfileIds":[40],"orderBy":{"field":"balance","direction":"desc"}})");
  ASSERT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(total(given), 2);
  EXPECT_EQ(json_number(given.body, "/values/0/id"), 3);
  EXPECT_EQ(json_number(given.body, "/values/0/subjectUser/profileId"), 42);
  EXPECT_EQ(json_number(given.body, "/values/0/authorUser/profileId"), 40);
  EXPECT_EQ(total(ask("vouches", R"({"authorProfileIds":[40],"subjectUserkeys":["profileId:41"]})")), 1);
  const auto back = ask("vouches", R"({"orderBy":{"vouchedAt":"asc"}})");
  EXPECT_EQ(json_number(back.body, "/values/0/id"), 1) << "the oldest first";
  EXPECT_EQ(json_number(back.body, "/values/0/mutualId"), 2);
  EXPECT_EQ(json_number(back.body, "/values/1/mutualId"), 1);
  EXPECT_NE(back.body.find(R"("mutualId":null)"), std::string::npos) << "nobody vouches for 42 but 40: " << back.body;
  EXPECT_EQ(total(ask("vouches", R"({"subjectAddresses":["0x000000000000000000000000000000000000dEaD"]})")), 0);
  for (const auto* since : {R"("afterDate":"2026-01-01")", R"("duration":"1h")", R"("duration":"all")",
                            R"("afterDate":"2026-01-01T00:00:00Z","duration":"9999y")"})
    EXPECT_EQ(total(ask("vouches", std::string{"{"} + since + "}")), 4) << since;
  EXPECT_EQ(total(ask("vouches", R"({"afterDate":"2999-01-01","duration":"1h"})")), 0) << "both hold";
  vouch(40, "service:github:one", 2);
  const auto hash =
    json_text(ask("vouches", R"({"subjectUserkeys":["service:github:one"]})").body, "/values/0/attestationHash");
  const auto by_hash = ask("vouches", R"({"subjectAttestationHashes":[")" + hash + R"("]})");
  EXPECT_EQ(total(by_hash), 1) << by_hash.body;
  EXPECT_EQ(json_text(by_hash.body, "/values/0/attestationHash"), hash);
  EXPECT_EQ(total(ask("vouches", R"({"subjectAttestationHashes":["0x)" + std::string(64, '1') + R"("]})")), 0);
  ASSERT_EQ(send("POST", "vouches/5/withdraw", 40).status, 200);
  ASSERT_EQ(send("POST", "vouches/3/withdraw", 40).status, 200);
  EXPECT_EQ(total(ask("vouches", R"({"authorProfileIds":[40],"archived":false})")), 1);
  EXPECT_EQ(json_number(ask("vouches", R"({"orderBy":{"field":"updatedAt"}})").body, "/values/0/id"), 3)
    << "withdrawn last";
  EXPECT_EQ(json_number(ask("vouches", R"({"ids":[1,2,4],"limit":1,"offset":2})").body, "/values/0/id"), 1);
  EXPECT_EQ(json_text(ask("vouches", R"({"ids":[1]})", "v1").body, "/data/values/0/staked"), "5000000000000000n");
  EXPECT_EQ(json_number(get("vouches/1").body, "/mutualId"), 2) << get("vouches/1").body;
  EXPECT_NE(get("vouches/3").body.find(R"("mutualId":null)"), std::string::npos)
    << "nobody vouches back: " << get("vouches/3").body;
  const auto mutual = get("vouches/mutual-vouchers?viewerUserkey=profileId:41&targetUserkey=profileId:41");
  EXPECT_EQ(total(mutual), 1) << mutual.body;
  EXPECT_EQ(json_number(mutual.body, "/values/0/profileId"), 40);
  EXPECT_EQ(json_number(get("vouches/fees").body, "/exitFeeBasisPoints"), 0);
  const auto stats = server.client().get("/api/v1/users/profileId:41/stats");
  EXPECT_EQ(json_number(stats.body, "/data/vouches/count/mutual"), 1) << stats.body;
  EXPECT_NE(stats.body.find(R"("staked":{"received":0.006,"deposited":0.003,"mutual":0.003})"), std::string::npos)
    << "in ether: " << stats.body;
  EXPECT_EQ(total(get("vouches/mutual-vouchers?viewerProfileId=41&targetProfileId=41")), 1);
  const std::string pair = "between?authorUserKey=profileId:40&subjectUserKey=profileId:41";
  EXPECT_EQ(get("reviews/latest/" + pair).body, "null");
  review(40, "profileId:41", "positive");
  review(40, "profileId:41", "negative");
  EXPECT_EQ(get("reviews/count/" + pair).body, "2");
  EXPECT_EQ(get("reviews/count/between?authorUserkey=profileId:40&subjectUserkey=profileId:41").body, "2")
    << "as other clients spell it";
  EXPECT_EQ(json_number(get("reviews/latest/" + pair).body, "/id"), 2);
  EXPECT_EQ(json_number(get("reviews/latest/" + pair).body, "/subjectUser/profileId"), 41);
  ASSERT_EQ(send("POST", "reviews/2/archive", 40).status, 200);
  EXPECT_EQ(json_number(get("reviews/latest/" + pair).body, "/id"), 1) << "archived ones do not count";
  EXPECT_EQ(get("reviews/latest/between?authorUserKey=profileId:41&subjectUserKey=profileId:40").body, "null");
}

TEST_F(RecordReads, OfProfilesAndInvitations) {
  const std::string somebody = "0x00000000000000000000000000000000000000bb";
  const auto before = json_number(get("profiles/stats").body, "/activeProfiles");
  const auto recent = get("profiles/recent?limit=1");
  const auto newest = json_number(recent.body, "/values/0/profile/id");
  EXPECT_EQ(json_number(recent.body, "/values/0/user/profileId"), newest);
  EXPECT_EQ(total(recent), before);
  EXPECT_EQ(json_number(ask("profiles", R"({"ids":[41,40]})").body, "/values/1/profile/id"), 40);
  EXPECT_EQ(
    json_number(ask("profiles", R"({"ids":[41,40],"limit":500,"sortField":"createdAt","sortDirection":"asc"})").body,
                "/values/0/profile/id"),
    40);
  EXPECT_EQ(json_number(ask("profiles", R"({"orderBy":{"direction":"asc"},"limit":1,"offset":39})").body,
                        "/values/0/profile/id"),
            40);
  server.database().sql("UPDATE profiles SET invites_available = 2 WHERE id = 40");
  EXPECT_EQ(
    send("GET", "invitations/check?address=" + somebody, 40, "").body.find(R"({"canInvite":true,"address":"0x)"), 0u);
  const auto sent = send("POST", "invitations", 40, R"({"address":")" + somebody + R"("})");
  ASSERT_EQ(sent.status, 200) << sent.body;
  EXPECT_EQ(json_text(send("GET", "invitations/check?address=" + somebody, 40, "").body, "/error"), "ALREADY_INVITED");
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM invitations"), "1") << "a check invites nobody";
  const auto pending = get("invitations/pending/" + somebody);
  EXPECT_EQ(json_number(pending.body, "/values/0/invitation/senderProfileId"), 40) << pending.body;
  EXPECT_NE(pending.body.find(R"("invitedUser":null)"), std::string::npos);
  EXPECT_EQ(total(get("invitations?senderProfileId=40&status=INVITED")), 1);
  EXPECT_EQ(total(get("invitations?status=ACCEPTED")), 0);
  const auto joined = send("POST", "profiles/create", 1, R"({"address":")" + somebody + R"(","inviter":40})");
  ASSERT_EQ(joined.status, 200) << joined.body;
  EXPECT_EQ(json_number(get("invitations?senderProfileId=40&status=ACCEPTED").body, "/values/0/invitedUser/profileId"),
            newest + 1);
  EXPECT_EQ(total(get("invitations/pending/" + somebody)), 0);
  const auto tree = get("invitations/accepted/40/tree");
  EXPECT_EQ(json_number(tree.body, "/profileId"), 40);
  EXPECT_EQ(json_number(tree.body, "/invited/0/user/profileId"), newest + 1) << tree.body;
  EXPECT_EQ(json_number(get("profiles/stats").body, "/activeProfiles"), before + 1);
  EXPECT_EQ(json_number(get("profiles/recent?limit=1").body, "/values/0/inviterUser/profileId"), 40);
  EXPECT_EQ(server.database().sql(
              "SELECT count(*) FROM profile_sums s WHERE (s.profiles, s.invites) <>"
              " (SELECT count(*), coalesce(sum(invites_available), 0) FROM profiles WHERE archived = s.archived)"),
            "0");
}

TEST_F(RecordReads, SayWhatIsWrong) {
  EXPECT_EQ(code(get("activities/vouch/1")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("activities/slash/1")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("activities/dream/1")), "400 BAD_REQUEST");
  EXPECT_EQ(code(get("invitations/accepted/999999/tree")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("invitations/pending/0x12")), "400 BAD_REQUEST");
  EXPECT_EQ(code(get("invitations/check?address=0x12")), "401 UNAUTHORIZED");
  EXPECT_EQ(code(get("activities/userkey?userkey=profileId:999999")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("reviews/count/between?authorUserKey=profileId:2&subjectUserKey=profileId:999999")),
            "404 NOT_FOUND");
  for (const auto* bad :
       {"votes?type=review", "votes?type=dream&activityId=1", "votes?type=review&activityId=1&limit=501",
        "votes?type=review&activityId=1&orderBy=luck", "votes/stats", "replies/dream/1", "replies/review/0",
        "replies/by-id", "profiles/recent?offset=10001", "profiles/recent?archived=true", "invitations?sender=40",
        "votes?type=review&activityId=1&voter=2", "invitations?status=LOST",
        "vouches/mutual-vouchers?viewerUserkey=profileId:1"})
    EXPECT_EQ(code(get(bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code(ask("activities/profile/all", R"({"userkey":"profileId:999999"})")), "404 NOT_FOUND");
  for (const auto* bad :
       {R"({})", R"({"userkey":7})", R"({"userkey":"me"})", R"({"userkey":"profileId:2","filter":["dream"]})",
        R"({"userkey":"profileId:2","filter":"review"})", R"({"userkey":"profileId:2","limit":1001})",
        R"({"userkey":"profileId:2","offset":10001})", R"({"userkey":"profileId:2","orderBy":"timestamp"})",
        R"({"userkey":"profileId:2","orderBy":{"field":"luck"}})", R"({"userkey":"profileId:2","reviewScore":"good"})",
        R"({"userkey":"profileId:2","minAuthorScore":-1})", R"({"userkey":"profileId:2","dayRange":0})",
        R"({"userkey":"profileId:2","days":1})", R"({"userkey":"profileId:2","excludeSpam":"yes"})"})
    EXPECT_EQ(code(ask("activities/profile/all", bad)), "400 BAD_REQUEST") << bad;
  for (const auto* bad : {R"({"ids":[0]})", R"({"ids":7})", R"({"subjectUserkeys":["me"]})", R"({"limit":101})",
                          R"({"archived":"no"})", R"({"subjectAttestationHashes":["0x11"]})",
                          R"({"afterDate":"yesterday"})", R"({"duration":"0d"})", R"({"duration":"90"})",
                          R"({"duration":"10000y"})", R"({"beforeDate":"2026-01-01"})", R"({"authorProfileId":40})",
                          R"({"orderBy":{"stake":"desc"}})", R"({"orderBy":{"vouchedAt":"asc","balance":"asc"}})"})
    EXPECT_EQ(code(ask("vouches", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_NE(ask("vouches", R"({"authorProfileId":40})", "v1").body.find(R"("path":["authorProfileId"])"),
            std::string::npos);
  EXPECT_EQ(code(ask("activities/bulk", R"({"reviews":[1]})")), "400 BAD_REQUEST");
  EXPECT_EQ(code(ask("votes/stats", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code(get("healthcheck/always-fail")), "418 ALWAYS_FAILS");
  EXPECT_EQ(get("healthcheck/authenticated").status, 401);
  EXPECT_EQ(send("GET", "healthcheck/authenticated", 2, "").body, R"({"ok":true,"profileId":2})");
}

} // namespace
} // namespace credence::test
