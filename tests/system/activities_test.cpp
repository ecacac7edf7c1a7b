#include "tests/each_of.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <regex>

namespace credence::test {
namespace {

/// Records of people made over the API and read back in the shapes of public clients, in the whole service. The demo
/// of tests has none; profile 1 is an admin.
struct RecordReads : api_tests {
  RecordReads() { server.start({"--admin", "1"}); }

  void review(int author, const std::string& subject, const std::string& score) {
    ok(send("POST", "reviews/create", author,
            R"({"subject":")" + subject + R"(","score":")" + score + R"(","comment":"so it was"})"));
  }
  void vouch(int author, const std::string& subject, int amount) {
    ok(send("POST", "vouches/create", author,
            R"({"subject":")" + subject + R"(","amount":)" + std::to_string(amount) + "}"));
  }
  void vote(int voter, const std::string& type, int id, bool up) {
    ok(send("PUT", "votes", voter,
            R"({"type":")" + type + R"(","id":)" + std::to_string(id) + R"(,"isUpvote":)" + (up ? "true}" : "false}")));
  }
  void reply(int author, const std::string& type, int id, const std::string& content) {
    const auto made =
      ok(send("POST", "replies/create", author,
              R"({"type":")" + type + R"(","id":)" + std::to_string(id) + R"(,"content":")" + content + R"("})"));
  }
  static std::string type_at(const http_response& of, int row) {
    return json_text(of.body, "/values/" + std::to_string(row) + "/type");
  }
  static std::int64_t total(const http_response& of) { return json_number(of.body, "/total"); }
};

TEST_F(RecordReads, OfActivitiesShowWhoDidWhatToWhom) {
  review(40, "address:0x00000000000000000000000000000000000000AA", "negative");
  vouch(40, "profileId:41", 5);
  vouch(41, "profileId:40", 3);
  reply(41, "vouch", 1, "thanks");
  vote(41, "vouch", 1, true);
  vote(42, "vouch", 1, false);
  const auto one = ok(get("activities/vouch/1"));
  EXPECT_TRUE(tells(one.body, "/type", "vouch", "/author/profileId", 40, "/author/userkey", "profileId:40",
                    "/subject/profileId", 41, "/authorUser/profileId", 40, "/subjectUser/profileId", 41,
                    "/data/balance", "5000000000000000", "/votes/upvotes", 1, "/votes/downvotes", 1));
  EXPECT_TRUE(has(one.body, R"("replySummary":{"count":1,"participated":false})"));
  EXPECT_TRUE(has(send("GET", "activities/vouch/1", 41, "").body, R"("participated":true)"));
  const auto all = ok(ask("activities/profile/all", R"({"userkey":"profileId:40"})"));
  EXPECT_EQ(total(all), 3);
  EXPECT_EQ(type_at(all, 2), "review") << "the oldest comes last";
  EXPECT_EQ(json_number(all.body, "/limit"), 50);
  EXPECT_FALSE(
    has(ask("activities/profile/all", R"({"userkey":"profileId:40","limit":2,"offset":0})").body, "so it was"));
  EXPECT_EQ(type_at(ask("activities/profile/all", R"({"userkey":"profileId:40","limit":2,"offset":2})"), 0), "review");
  EXPECT_EQ(type_at(ask("activities/profile/all",
                        R"({"userkey":"profileId:40","orderBy":{"field":"timestamp","direction":"asc"}})"),
                    0),
            "review");
  EXPECT_EQ(
    type_at(ask("activities/profile/all", R"({"userkey":"profileId:40","orderBy":{"field":"votes"},"limit":1})"), 0),
    "vouch");
  EXPECT_EQ(total(ask("activities/profile/given", R"({"userkey":"profileId:41"})")), 2) << "a vouch and a reply";
  EXPECT_EQ(total(ask("activities/profile/given", R"({"userkey":"profileId:41","filter":["reply"]})")), 1);
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
  sql("UPDATE activities SET at = at - interval '3 days' WHERE kind = 'review'");
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
  EXPECT_TRUE(has(get("activities/review/1").body, R"("isSpam":true)")) << "its subject voted it down";
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"excludeSpam":true})")), 2);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"reviewScore":"negative"})")), 1);
  EXPECT_EQ(total(ask("activities/profile/received", "{" + received + R"(,"minAuthorScore":2800})")), 0);
  ASSERT_EQ(send("POST", "reviews/2/archive", 42).status, 200);
  ASSERT_EQ(send("POST", "vouches/1/withdraw", 40).status, 200);
  const auto all = ask("activities/profile/received", "{" + received + "}");
  EXPECT_EQ(total(all), 3);
  EXPECT_EQ(type_at(all, 0), "unvouch");
  EXPECT_TRUE(has(get("activities/review/2").body, R"("archived":true)"));
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
  const auto votes = ok(get("votes?type=review&activityId=1"));
  EXPECT_EQ(total(votes), 3);
  EXPECT_EQ(json_number(votes.body, "/values/0/voter"), 44) << "the latest";
  EXPECT_EQ(json_number(votes.body, "/values/0/user/profileId"), 44);
  EXPECT_EQ(
    json_number(get("votes?type=review&activityId=1&orderDirection=asc&limit=1&offset=1").body, "/values/0/voter"), 43);
  EXPECT_EQ(total(get("votes?type=review&activityId=1&isUpvote=true")), 2);
  EXPECT_EQ(total(get("votes?activityType=REVIEW&id=1&type=review&activityId=1")), 3) << "both names, the same twice";
  const auto by_score = get("votes?type=review&activityId=1&orderBy=score&orderDirection=asc");
  EXPECT_LE(json_number(by_score.body, "/values/0/user/score"), json_number(by_score.body, "/values/2/user/score"));
  const auto stats = get("votes/stats?type=review&activityId=1");
  EXPECT_TRUE(tells(stats.body, "/counts/upvotes", 2, "/counts/downvotes", 1));
  EXPECT_TRUE(has(stats.body, R"({"userVote":null,)"));
  const auto own = send("GET", "votes/stats?type=review&activityId=1", 44, "");
  EXPECT_TRUE(has(own.body, R"("isUpvote":false)"));
  EXPECT_EQ(json_number(own.body, "/userVote/weight"), json_number(votes.body, "/values/0/weight"));
  ASSERT_EQ(send("DELETE", "votes?type=review&activityId=1", 43, "").status, 200);
  EXPECT_EQ(total(get("votes?type=review&activityId=1")), 2) << "withdrawn";
  EXPECT_FALSE(has(get("votes?type=review&activityId=1").body, R"("voter":43)"));
  EXPECT_TRUE(has(send("GET", "votes/stats?type=review&activityId=1", 43, "").body, R"("userVote":null)"));
  const auto many = ask("votes/stats", R"({"review":[1,2],"vouch":[7]})");
  EXPECT_EQ(json_number(many.body, "/review/1/counts/upvotes"), 1) << many.body;
  EXPECT_TRUE(tells(many.body, "/review/2/counts/upvotes", 0, "/vouch/7/counts/upvotes", 0));
  EXPECT_TRUE(has(many.body, R"("slash":{})")) << "a kind that was not asked for is empty:";
  EXPECT_EQ(json_number(ask("votes/stats", R"({"vouchV2":[7]})").body, "/vouchV2/7/counts/upvotes"), 0);
  EXPECT_EQ(json_number(get("votes/stats?type=vouchV2&activityId=7").body, "/counts/upvotes"), 0);
  for (const int i : {1, 2, 3})
    reply(42, "review", 1, "reply " + std::to_string(i));
  const auto replies = get("replies/review/1?limit=2");
  EXPECT_EQ(total(replies), 3);
  EXPECT_TRUE(tells(replies.body, "/values/0/content", "reply 3", "/values/1/user/profileId", 42));
  EXPECT_EQ(json_text(get("replies/review/1?limit=2&offset=2").body, "/values/0/content"), "reply 1");
  EXPECT_EQ(json_text(get("replies/review/1?orderDirection=asc").body, "/values/0/content"), "reply 1");
  const auto some = get("replies/by-id?ids=3&ids=1&ids=99");
  EXPECT_EQ(json_text(some.body, "/1/content"), "reply 1");
  EXPECT_TRUE(has(some.body, R"("99":null)"));
  EXPECT_EQ(total(get("votes?activityType=review&id=1")), 2) << "as other clients call them";
}

TEST_F(RecordReads, OfVouchesAndReviewsBetweenTwo) {
  vouch(40, "profileId:41", 5);
  vouch(41, "profileId:40", 3);
  vouch(40, "profileId:42", 9);
  vouch(42, "profileId:41", 1);
  const auto given =
    ok(ask("vouches", R"({"authorProfileIds":[40],"orderBy":{"field":"balance","direction":"desc"}})"));
  EXPECT_EQ(total(given), 2);
  EXPECT_TRUE(
    tells(given.body, "/values/0/id", 3, "/values/0/subjectUser/profileId", 42, "/values/0/authorUser/profileId", 40));
  EXPECT_EQ(total(ask("vouches", R"({"authorProfileIds":[40],"subjectUserkeys":["profileId:41"]})")), 1);
  const auto back = ask("vouches", R"({"orderBy":{"vouchedAt":"asc"}})");
  EXPECT_EQ(json_number(back.body, "/values/0/id"), 1) << "the oldest first";
  EXPECT_TRUE(tells(back.body, "/values/0/mutualId", 2, "/values/1/mutualId", 1));
  EXPECT_TRUE(has(back.body, R"("mutualId":null)")) << "nobody vouches for 42 but 40:";
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
  EXPECT_TRUE(has(get("vouches/3").body, R"("mutualId":null)")) << "nobody vouches back:";
  const auto mutual = get("vouches/mutual-vouchers?viewerUserkey=profileId:41&targetUserkey=profileId:41");
  EXPECT_EQ(total(mutual), 1) << mutual.body;
  EXPECT_EQ(json_number(mutual.body, "/values/0/profileId"), 40);
  EXPECT_EQ(json_number(get("vouches/fees").body, "/exitFeeBasisPoints"), 0);
  const auto stats = server.client().get("/api/v1/users/profileId:41/stats");
  EXPECT_EQ(json_number(stats.body, "/data/vouches/count/mutual"), 1) << stats.body;
  EXPECT_TRUE(has(stats.body,
                  R"("staked":{"received":0.006,"deposited":0.003,"mutual":0.003,"receivedWei":"6000000000000000",)"
                  R"("depositedWei":"3000000000000000","mutualWei":"3000000000000000"})"))
    << "in ether, and in wei as text: " << stats.body;
  EXPECT_EQ(stats.body, R"({"ok":true,"data":)" + get("users/profileId:41/stats").body + "}") << "in both versions";
  const std::string of_41 = "vouches/mutual-vouchers?targetProfileId=41&viewerProfileId=41";
  EXPECT_EQ(total(get(of_41)), 1);
  EXPECT_EQ(total(get(of_41 + "&viewerUserkey=profileId:41")), 1) << "both say the same";
  EXPECT_EQ(code(get(of_41 + "&viewerUserkey=profileId:40")), "400 BAD_REQUEST");
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
  sql("UPDATE profiles SET invites_available = 2 WHERE id = 40");
  sql("DELETE FROM epoch_scores WHERE user_id = (SELECT user_id FROM profiles WHERE id = 40)");
  sql("INSERT INTO epoch_scores (user_id, score, day) SELECT user_id, 1600, '2026-01-01' FROM profiles"
      " WHERE id = 40");
  EXPECT_EQ(
    send("GET", "invitations/check?address=" + somebody, 40, "").body.find(R"({"canInvite":true,"address":"0x)"), 0u);
  ok(send("POST", "invitations", 40, R"({"address":")" + somebody + R"("})"));
  EXPECT_EQ(json_text(send("GET", "invitations/check?address=" + somebody, 40, "").body, "/error"), "ALREADY_INVITED");
  EXPECT_EQ(sql("SELECT count(*) FROM invitations"), "1") << "a check invites nobody";
  const auto pending = get("invitations/pending/" + somebody);
  EXPECT_TRUE(pending.body.starts_with(R"([{"id":40,"impact":{"value":10,"relativeValue":10,"impact":"POSITIVE",)"
                                       R"("adjustedRecipientScore":1210},"inviterUser":{)"))
    << pending.body;
  EXPECT_TRUE(tells(pending.body, "/0/inviterUser/profileId", 40, "/0/invitation/senderProfileId", 40));
  EXPECT_TRUE(has(pending, R"("recipientScoreImpact":{"value":10,"impact":"POSITIVE"},)"
                           R"("senderScoreImpact":{"value":0,"impact":"NEUTRAL"})"))
    << pending.body;
  EXPECT_EQ(get("invitations/pending/" + somebody + "?offset=1").body, "[]");
  EXPECT_EQ(total(get("invitations?senderProfileId=40&status=INVITED")), 1);
  EXPECT_EQ(total(get("invitations?status=ACCEPTED")), 0);
  ok(send("POST", "profiles/create", 1, R"({"address":")" + somebody + R"(","inviter":40})"));
  EXPECT_EQ(json_number(get("invitations?senderProfileId=40&status=ACCEPTED").body, "/values/0/invitedUser/profileId"),
            newest + 1);
  EXPECT_EQ(get("invitations/pending/" + somebody).body, "[]");
  const auto tree = get("invitations/accepted/40/tree");
  EXPECT_TRUE(tree.body.starts_with(R"({"values":[{"id":1,"senderProfileId":40,"acceptedProfileId":)"
                                    + std::to_string(newest + 1) + R"(,"level":1,"user":{)"))
    << tree.body;
  EXPECT_EQ(json_number(tree.body, "/values/0/user/profileId"), newest + 1);
  EXPECT_TRUE(tree.body.ends_with(R"(],"total":1,"limit":50,"offset":0})")) << tree.body;
  sql("UPDATE profiles SET invited_by = CASE id WHEN 41 THEN " + std::to_string(newest + 1)
      + " END WHERE id = 41 OR invited_by = 41");
  const auto below = get("invitations/accepted/40/tree?offset=1&limit=1");
  EXPECT_TRUE(
    has(below, R"("id":null,"senderProfileId":)" + std::to_string(newest + 1) + R"(,"acceptedProfileId":41,"level":2)"))
    << below.body;
  EXPECT_EQ(total(below), 2);
  EXPECT_EQ(json_number(get("profiles/stats").body, "/activeProfiles"), before + 1);
  EXPECT_EQ(json_number(get("profiles/recent?limit=1").body, "/values/0/inviterUser/profileId"), 40);
  EXPECT_EQ(sql("SELECT count(*) FROM profile_sums s WHERE (s.profiles, s.invites) <>"
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
       each_of("votes?type=review", "votes?type=dream&activityId=1", "votes?type=review&activityId=1&limit=501",
               "votes?type=review&activityId=1&orderBy=luck", "votes?type=review&activityType=slash&activityId=1",
               "votes?type=review&activityId=1&id=2", "votes?type=xp-tip&activityId=1",
               "reviews/count/between?authorUserKey=profileId:2&authorUserkey=profileId:3&subjectUserKey=profileId:4",
               "votes/stats", "replies/dream/1", "replies/review/0", "replies/by-id", "profiles/recent?offset=10001",
               "profiles/recent?archived=true", "invitations?sender=40", "votes?type=review&activityId=1&voter=2",
               "invitations?status=LOST", "vouches/mutual-vouchers?viewerUserkey=profileId:1"))
    EXPECT_EQ(code(get(bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code(ask("activities/profile/all", R"({"userkey":"profileId:999999"})")), "404 NOT_FOUND");
  for (const auto* bad : each_of(
         R"({})", R"({"userkey":7})", R"({"userkey":"me"})", R"({"userkey":"profileId:2","filter":["dream"]})",
         R"({"userkey":"profileId:2","filter":"review"})", R"({"userkey":"profileId:2","limit":1001})",
         R"({"userkey":"profileId:2","offset":10001})", R"({"userkey":"profileId:2","orderBy":"timestamp"})",
         R"({"userkey":"profileId:2","orderBy":{"field":"luck"}})", R"({"userkey":"profileId:2","reviewScore":"good"})",
         R"({"userkey":"profileId:2","orderBy":[{"field":"votes"}]})", R"({"userkey":"profileId:2","orderBy":1.5})",
         R"({"userkey":"profileId:2","orderBy.field":"votes"})", R"({"userkey":"profileId:2","minAuthorScore":-1})",
         R"({"userkey":"profileId:2","dayRange":0})", R"({"userkey":"profileId:2","days":1})",
         R"({"userkey":"profileId:2","excludeSpam":"yes"})"))
    EXPECT_EQ(code(ask("activities/profile/all", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code(ask("profiles", R"({"orderBy":{"id":"asc"},"sortDirection":"desc"})")), "400 BAD_REQUEST");
  EXPECT_EQ(ask("profiles", R"({"orderBy":{"id":"asc"},"sortDirection":"asc","limit":1})").status, 200);
  EXPECT_EQ(json_number(ask("profiles", R"({"ids":[41,40],"orderBy":{"field":"id"},"sortDirection":"asc"})").body,
                        "/values/0/profile/id"),
            40)
    << "orderBy says nothing of a direction";
  EXPECT_EQ(code(ask("profiles", R"({"orderBy":{"field":"id","direction":"desc"},"sortDirection":"asc"})")),
            "400 BAD_REQUEST");
  for (const auto* bad :
       each_of(R"({"ids":[0]})", R"({"ids":7})", R"({"subjectUserkeys":["me"]})", R"({"limit":101})",
               R"({"archived":"no"})", R"({"subjectAttestationHashes":["0x11"]})", R"({"afterDate":"yesterday"})",
               R"({"duration":"0d"})", R"({"duration":"90"})", R"({"duration":"10000y"})",
               R"({"beforeDate":"2026-01-01"})", R"({"authorProfileId":40})", R"({"orderBy":{"stake":"desc"}})",
               R"({"orderBy":{"vouchedAt":"asc","balance":"asc"}})"))
    EXPECT_EQ(code(ask("vouches", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_TRUE(has(ask("vouches", R"({"authorProfileId":40})", "v1").body, R"("path":["authorProfileId"])"));
  for (const auto* bad : {R"({"reviews":[1]})", R"({"review":[1],"market":[2]})"})
    EXPECT_TRUE(has(ask("activities/bulk", bad).body, "types reply, review, unvouch, vouch, bond, vouchV2")) << bad;
  const std::string named = "must be one of reply, review, unvouch, vouch, bond, vouchV2, not ";
  const std::string none = ", of which there are no activities here";
  EXPECT_TRUE(has(ask("activities/feed", R"({"filter":["review","market"]})").body, named + "'market'" + none));
  EXPECT_TRUE(has(ask("activities/profile/all", R"({"userkey":"profileId:2","filter":["SLASH"]})").body,
                  named + "'SLASH'" + none));
  EXPECT_TRUE(
    has(get("activities/userkey?userkey=profileId:2&activityType=INVITATION").body, named + "'INVITATION'" + none));
  EXPECT_TRUE(has(get("activities/market/1").body, "only of reply, review"));
  EXPECT_EQ(code(ask("votes/stats", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code(get("healthcheck/always-fail")), "418 ALWAYS_FAILS");
  EXPECT_EQ(get("healthcheck/authenticated").status, 401);
  EXPECT_EQ(send("GET", "healthcheck/authenticated", 2, "").body, R"({"ok":true,"profileId":2})");
}

/// Reads that public clients call, over the demo and over records made here, compared with rows.
struct PublicReads : api_tests {
  PublicReads() { server.start({"--admin", "1", "--http-eth-price-usd", "2000.5"}); }

  http_response get_as(int who, const std::string& target) {
    return server.client().get("/api/v2/" + target, server.token(who));
  }
  /// Sends what must succeed.
  void write(const std::string& method, const std::string& target, int who, const std::string& body) {
    ok(send(method, target, who, body));
  }
  /// Opens the markets of profiles 3 and 5, and has votes of the first bought; then an hour has passed. Its id.
  std::string traded_market() {
    for (const int who : {3, 4, 5})
      write("POST", "markets/deposits", 1,
            R"({"profileId":)" + std::to_string(who) + R"(,"amount":"20000000000000000000"})");
    for (const int who : {3, 5})
      write("POST", "markets", who, R"({"configType":"NORMAL"})");
    write("POST", "markets/3/trades", 4, R"({"action":"buy","voteType":"trust","votes":100})");
    sql("SET session_replication_role = replica; UPDATE market_trades SET at = at - interval '1 hour';"
        " UPDATE markets SET created_at = created_at - interval '3 hours' WHERE profile_id = 3");
    return "3";
  }
};

TEST_F(PublicReads, OfXpFollowSeasonsAndTheLedger) {
  const auto seasons = ok(get("xp/seasons"));
  EXPECT_TRUE(tells(seasons.body, "/seasons/0/id", 1, "/currentSeason/startDate", "2026-01-05T00:00:00.000Z"));
  EXPECT_EQ(json_number(seasons.body, "/currentSeason/week"),
            std::stoll(sql("SELECT ((now() AT TIME ZONE 'UTC')::date - date '2026-01-05') / 7 + 1")));
  sql("INSERT INTO xp_seasons (id, name, starts_on) VALUES (2, 'Second', (now() AT TIME ZONE 'UTC')::date - 15)");
  EXPECT_EQ(json_number(get("xp/seasons").body, "/currentSeason/id"), 2);
  EXPECT_EQ(json_number(get("xp/season/2/weeks").body, "/2/week"), 3) << "15 days have three weeks";
  sql("INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now() - interval '14 days', 70, "
      "0, 40, 'CONTRIBUTION'), (now(), 30, 0, 40, 'CONTRIBUTION'), (now(), 5, 40, -1, 'VOTE_COST'), (now() - interval "
      "'200 days', 1000, 0, 40, 'CLAIM')");
  write("POST", "xp/tip", 40, R"({"receiverUserkey":"profileId:41","amount":9,"message":"for you"})");
  EXPECT_EQ(get("xp/user/profileId:40/season/2").body, "95") << "without the tip and what was before";
  EXPECT_EQ(
    get("xp/user/profileId:40/season/2/weekly").body,
    R"([{"week":1,"weeklyXp":70,"cumulativeXp":70},{"week":2,"weeklyXp":0,"cumulativeXp":70},{"week":3,"weeklyXp":25,"cumulativeXp":95}])");
  EXPECT_EQ(get("xp/user/address:0x00000000000000000000000000000000000000AA/season/2").body, "0");
  EXPECT_EQ(code(get("xp/user/profileId:40/season/77")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("xp/season/x/weeks")), "400 BAD_REQUEST");
  const auto history = get_as(40, "xp/history?limit=2");
  EXPECT_TRUE(tells(history.body, "/values/0/type", "XP_TIP_SENT", "/values/0/points", -9,
                    "/values/0/metadata/profileId", 41, "/values/0/xpSeasonId", 2));
  EXPECT_EQ(json_number(history.body, "/values/1/points"), 1000) << "by the ledger's numbers, not by time";
  EXPECT_EQ(json_number(history.body, "/total"),
            std::stoll(sql("SELECT count(*) FROM xp_movements WHERE 40 IN (from_account, to_account)")));
  EXPECT_EQ(json_text(get_as(41, "xp/history").body, "/values/0/type"), "XP_TIP_RECEIVED");
  EXPECT_EQ(get("xp/history").status, 401);
  const auto of_40 = get("xp/history?limit=2&userkey=profileId:40");
  EXPECT_EQ(json_number(of_40.body, "/values/0/points"), -9) << "open to everybody: " << of_40.body;
  EXPECT_FALSE(has(of_40.body, "for you")) << "but for what the tip says";
  EXPECT_EQ(get_as(42, "xp/history?limit=2&userkey=profileId:40").body, of_40.body) << "not the caller's own";
  for (const int party : {40, 41})
    EXPECT_TRUE(has(get_as(party, "xp/history?limit=2&userkey=profileId:40").body, "for you")) << party;
  EXPECT_EQ(code(get("xp/history?userkey=profileId:999999")), "404 NOT_FOUND");
  EXPECT_EQ(json_number(get("xp/tips/stats?userkey=profileId:40").body, "/totalSent"),
            std::stoll(sql("SELECT tips_sent_total FROM xp_accounts WHERE id = 40")));
  const auto tips = get("xp/tips?limit=1");
  EXPECT_TRUE(tells(tips.body, "/values/0/receiver/profileId", 41, "/values/0/amount", 9));
  EXPECT_FALSE(has(tips.body, "for you"));
  expect_sound(true);
}

TEST_F(PublicReads, OfRanksAreThoseOfTheBoard) {
  const auto rank =
    "SELECT count(*) FROM xp_accounts a, xp_accounts m WHERE m.id = 40 AND a.id > 0 AND (a.balance > m.balance OR"
    " (a.balance = m.balance AND a.id < m.id))";
  EXPECT_EQ(get("xp/user/profileId:40/leaderboard-rank").body, sql(rank));
  write("POST", "xp/tip", 41, R"({"receiverUserkey":"profileId:40","amount":150})");
  EXPECT_EQ(get("xp/user/profileId:40/leaderboard-rank").body, sql(rank));
  EXPECT_EQ(code(get("xp/user/address:0x00000000000000000000000000000000000000AA/leaderboard-rank")), "404 NOT_FOUND");
  const auto board = get("profiles/xp-leaderboard?limit=3", "v1");
  EXPECT_EQ(json_number(board.body, "/data/0/profileId"),
            std::stoll(sql("SELECT id FROM xp_accounts WHERE id > 0 ORDER BY balance DESC, id LIMIT 1")));
  EXPECT_EQ(json_number(board.body, "/data/2/totalXp"),
            std::stoll(sql("SELECT balance FROM xp_accounts WHERE id > 0 ORDER BY balance DESC, id LIMIT 1 OFFSET 2")));
}

TEST_F(PublicReads, FindPeopleByTheirAccountsElsewhere) {
  sql("INSERT INTO attestations (id, hash, profile_id, user_id, service, account, username, created_at) VALUES"
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
  EXPECT_TRUE(tells(names.body, "/users/0/user/profileId", 40, "/users/0/username", "forty.eth"));
  EXPECT_TRUE(has(names, R"("notFoundUsernames":["nobody"],"errorUsernames":["two words"])")) << names.body;
}

TEST_F(PublicReads, OfMarketsCompareThem) {
  const auto id = traded_market();
  EXPECT_EQ(json_number(get("markets?orderBy=volumeTotalWei").body, "/values/0/id"), std::stoll(id));
  EXPECT_EQ(
    json_number(get("markets?orderBy=score&limit=1").body, "/values/0/user/score"),
    std::stoll(sql(
      "SELECT max(u.score) FROM markets m JOIN profiles p ON p.id = m.profile_id JOIN users u ON u.id = p.user_id")));
  EXPECT_EQ(json_number(get("markets?orderBy=createdAt&orderDirection=asc&limit=1").body, "/values/0/id"),
            std::stoll(sql("SELECT profile_id FROM markets ORDER BY created_at LIMIT 1")));
  EXPECT_EQ(code(get("markets?orderBy=beauty")), "400 BAD_REQUEST");
  const auto young = sql("SELECT count(*) FROM markets WHERE created_at >= now() - interval '1 day'");
  for (const auto* order : {"createdAt", "volumeTotalWei", "score"})
    EXPECT_EQ(std::to_string(json_number(get(std::string{"markets?dayRange=1&orderBy="} + order).body, "/total")),
              young)
      << order;
  EXPECT_EQ(get("markets?dayRange=null").body, get("markets").body) << "as generated clients send it";
  for (const auto* bad : {"0", "91", "week"})
    EXPECT_NE(get(std::string{"markets?dayRange="} + bad).body.find("dayRange"), std::string::npos) << bad;
  const auto featured = get("markets/featured");
  EXPECT_TRUE(tells(featured.body, "/0/type", "top-volume", "/0/market/id", std::stoll(id)));
  EXPECT_EQ(get("markets/" + id + "/info").body, get("markets/" + id).body);
  EXPECT_EQ(json_number(get("markets/info/bulk?profileIds=" + id + ",999999").body, "/0/id"), std::stoll(id));
  const auto holders = get("markets/" + id + "/holders?limit=1");
  EXPECT_EQ(json_number(holders.body, "/values/0/votes"),
            std::stoll(sql("SELECT max(greatest(trust, distrust)) FROM market_positions WHERE market_id = " + id)));
  EXPECT_EQ(json_number(holders.body, "/total"),
            std::stoll(
              sql("SELECT sum((trust > 0)::int + (distrust > 0)::int) FROM market_positions WHERE market_id = " + id)));
  const auto both = ask("markets/" + id + "/info", R"({"includeTopHolders":true,"includeMarketChange":true})");
  EXPECT_TRUE(tells(both.body, "/id", std::stoll(id), "/marketChange/profileId", std::stoll(id)));
  EXPECT_EQ(ask("markets/" + id + "/info", R"({"profileId":)" + id + "}").body, get("markets/" + id).body);
  EXPECT_TRUE(
    has(ask("markets/" + id + "/info", R"({"profileId":999999})").body, "profileId must be that of the path"));
  for (const std::string side : {"trust", "distrust"}) {
    const auto most = sql("SELECT coalesce(max(" + side + "), 0) FROM market_positions WHERE market_id = " + id);
    const auto of_side = get("markets/" + id + "/holders?limit=1&voteType=" + side);
    EXPECT_EQ(json_number(of_side.body, "/total"),
              std::stoll(sql("SELECT count(*) FROM market_positions WHERE " + side + " > 0 AND market_id = " + id)));
    if (most != "0") {
      EXPECT_EQ(json_number(of_side.body, "/values/0/total"), std::stoll(most)) << of_side.body;
      EXPECT_EQ(json_number(both.body, "/marketTopHolders/" + side + "/0/votes"), std::stoll(most)) << both.body;
    }
  }
  const auto x = sql("SELECT t.username FROM attestations t JOIN profiles p ON p.user_id = t.user_id WHERE t.service = "
                     "'x.com' AND NOT t.archived AND p.id = "
                     + id + " LIMIT 1");
  if (!x.empty()) {
    const auto person = get("markets/users/by/x/" + x);
    EXPECT_TRUE(tells(person.body, "/profileId", std::stoll(id), "/twitterUsername", x));
  }
  EXPECT_EQ(code(get("markets/users/by/x/nobody_has_this")), "404 NOT_FOUND");
  const auto wallet =
    sql("SELECT '0x' || encode(address, 'hex') FROM addresses WHERE user_id = (SELECT user_id FROM profiles WHERE id = "
        + id
        + ")"
          " ORDER BY kind <> 'primary' LIMIT 1");
  EXPECT_EQ(json_number(get("markets/users/by/address/" + wallet).body, "/profileId"), std::stoll(id)) << wallet;
  EXPECT_EQ(code(get("markets/users/by/address/0x00000000000000000000000000000000000000AA")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/users/by/address/0x12")), "400 BAD_REQUEST");
}

TEST_F(PublicReads, OfPricesAreWhatTradesMade) {
  const auto id = traded_market();
  const auto price = sql("SELECT trust_price FROM markets WHERE profile_id = " + id);
  const auto history = ok(get("markets/" + id + "/price/history?window=1H"));
  EXPECT_EQ(json_text(history.body, "/data/119/price/trustWei"), price) << "nothing was traded for an hour";
  EXPECT_TRUE(has(history, R"("timeWindow":"1H","bucket":"30 seconds"})"));
  const auto change = get("markets/" + id + "/change?days=90");
  EXPECT_EQ(json_text(change.body, "/change/trust/latestWei"), price);
  EXPECT_EQ(json_text(change.body, "/change/total/latestWei"),
            sql("SELECT bought - sold FROM markets WHERE profile_id = " + id));
  EXPECT_EQ(get("exchange-rates/eth-price-in-usd").body, R"({"price":2000.5})");
  const auto in_dollars = [&](const std::string& wei) {
    return sql("SELECT trim_scale(trunc((" + wei
               + ")::numeric * 2000.5 / 1e18::numeric, 6)) FROM markets WHERE profile_id = " + id);
  };
  EXPECT_TRUE(has(change, R"("latestUsd":)" + in_dollars("trust_price") + ",",
                  R"("latestUsd":)" + in_dollars("bought - sold") + ","));
  EXPECT_TRUE(has(history, R"("trustUsd":)" + in_dollars("trust_price") + R"(,"distrustUsd":)"
                             + in_dollars("distrust_price") + ","))
    << history.body;
  EXPECT_EQ(code(get("markets/999999/price/history")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/999999/change")), "404 NOT_FOUND");
  EXPECT_EQ(code(get("markets/" + id + "/price/history?window=2H")), "400 BAD_REQUEST");
  const auto bought = ok(ask("markets/simulate-buy",
                             R"({"profileId":)" + id + R"(,"voteType":"trust","buyAmountWei":"100000000000000000"})"));
  const auto quote =
    ask("markets/" + id + "/quote", R"({"action":"buy","voteType":"trust","maximumCost":"100000000000000000"})");
  EXPECT_TRUE(tells(bought.body, "/votes", json_number(quote.body, "/votes"), "/newPrice",
                    json_text(quote.body, "/positivePrice"), "/trend", "up"));
  const auto sold = ask("markets/simulate-sell", R"({"profileId":)" + id + R"(,"voteType":"trust","sellVotes":1})");
  EXPECT_EQ(json_text(sold.body, "/trend"), "down") << sold.body;
  EXPECT_EQ(code(ask("markets/simulate-sell", R"({"profileId":)" + id + R"(,"voteType":"trust"})")), "400 BAD_REQUEST");
  for (const auto* slippage : {"0.01", R"("little")"})
    EXPECT_EQ(ask("markets/simulate-sell", R"({"profileId":)" + id + R"(,"voteType":"trust","sellVotes":1,)"
                                             + R"("slippagePercentage":)" + slippage + "}")
                .status,
              slippage[0] == '"' ? 400 : 200)
      << slippage;
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
  EXPECT_TRUE(tells(all.body, "/values/0/type", "vote", "/values/0/activity/id", 1, "/values/1/type", "reply",
                    "/values/1/target/type", "review"));
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 2);
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unreadCount"), 2);
  EXPECT_TRUE(has(send("POST", "notifications/me/mark-as-read?dryRun=true", 40), R"({"ok":true,"read":2,"readTo":)"));
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 2) << "it was only tried";
  EXPECT_TRUE(has(send("POST", "notifications/me/mark-as-read", 40), R"({"ok":true,"read":2,"readTo":)"));
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/unread"), 0);
  EXPECT_EQ(json_number(get_as(40, "notifications/stats/me").body, "/total"), 2);
  EXPECT_TRUE(has(get_as(40, "notifications/me"), R"("isRead":true)"));
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
  const auto first = ok(mark());
  const auto again = mark();
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(sql("SELECT count(*) FROM notification_marks"), "1");
}

TEST_F(PublicReads, OfVersionOneThatAreLeft) {
  EXPECT_EQ(json_number(get("score/userkey?userkey=profileId:40", "v1").body, "/data/score"),
            std::stoll(sql("SELECT score FROM users WHERE id = 40")));
  EXPECT_EQ(
    json_text(get("score/address?address=0x00000000000000000000000000000000000000AA", "v1").body, "/data/level"),
    "neutral");
  const auto many =
    ask("score/bulk",
        R"({"userkeys":["profileId:40","address:0x00000000000000000000000000000000000000AA","profileId:40"]})", "v1");
  EXPECT_TRUE(has(many, R"("address:0x00000000000000000000000000000000000000AA":{"score":1200,"level":"neutral"})"))
    << many.body;
  EXPECT_EQ(json_text(get("score/profileId:40/history", "v1").body, "/error/code"), "VALIDATION_ERROR")
    << "duration is required";
  const auto history = get("score/profileId:40/history?duration=all", "v1");
  EXPECT_EQ(json_number(history.body, "/data/total"),
            std::stoll(sql("SELECT count(*) FROM score_history WHERE user_id = 40")))
    << history.body;
  const auto name = sql("SELECT username FROM users WHERE id = 40");
  const auto found = get("search?query=" + name, "v1");
  EXPECT_TRUE(tells(found.body, "/data/values/0/profileId", 40, "/data/values/0/userkey", "profileId:40"));
  EXPECT_TRUE(
    has(get("addresses/profileId:1", "v1"), R"("primaryAddress":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")"));
  EXPECT_EQ(get("addresses/address:0x00000000000000000000000000000000000000AA", "v1").status, 404);
  EXPECT_EQ(json_text(get("fees", "v1").body, "/data/exitFeeBasisPoints"), "0n");
  EXPECT_EQ(json_number(get("profiles/stats", "v1").body, "/data/activeProfiles"),
            std::stoll(sql("SELECT count(*) FROM profiles WHERE NOT archived")));
  write("POST", "reviews/create", 40, R"({"subject":"profileId:41","score":"positive","comment":"so it was"})");
  write("POST", "replies/create", 41, R"({"type":"review","id":1,"content":"thanks"})");
  EXPECT_EQ(
    ask("reply/summary", R"({"review":[1,2]})", "v1").body,
    R"({"ok":true,"data":{"review":{"1":{"count":1,"participated":false},"2":{"count":0,"participated":false}}}})");
  EXPECT_EQ(ask("reply/summary", R"({"review":[1]})").body, R"({"review":{"1":{"count":1,"participated":false}}})");
  const auto addresses = get("addresses/profileId:1", "v1");
  EXPECT_EQ(addresses.body, R"({"ok":true,"data":)" + get("addresses/profileId:1").body + "}") << "in both versions";
  EXPECT_EQ(addresses.headers.at("link"), R"(</api/v2/addresses/profileId:1>; rel="successor-version")");
  EXPECT_EQ(addresses.headers.at("sunset"), "Sun, 08 Aug 2027 00:00:00 GMT");
  const auto unknown = get("addresses/address:0x00000000000000000000000000000000000000AA");
  EXPECT_EQ(json_text(unknown.body, "/code"), "NOT_FOUND") << "an error of version 2: " << unknown.body;
  const auto gone = ask("reviews", "{}", "v1");
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(json_text(gone.body, "/error/code"), "ENDPOINT_REMOVED");
  EXPECT_TRUE(has(gone, "removed on 2025-10-06; use POST /api/v2/reviews/create")) << gone.body;
  EXPECT_EQ(gone.headers.at("link"), R"(</api/v2/reviews/create>; rel="successor-version")");
  EXPECT_EQ(gone.headers.at("sunset"), "Mon, 06 Oct 2025 00:00:00 GMT");
  EXPECT_EQ(get("invitations/pending/0x00000000000000000000000000000000000000AA", "v1").status, 410);
}

TEST_F(PublicReads, OfProjectsActivitiesAndValidators) {
  const auto project = sql("SELECT min(id) FROM projects WHERE status = 'ACTIVE'");
  const auto user = sql("SELECT user_id FROM projects WHERE id = " + project);
  sql("UPDATE projects SET is_promoted = (id = " + project + ")");
  const auto userkey = sql("SELECT userkey FROM projects WHERE id = " + project);
  write("POST", "reviews/create", 40, R"({"subject":")" + userkey + R"(","score":"positive","comment":"ships"})");
  const auto of_project = ask("activities/project", R"({"projectId":)" + project + "}");
  EXPECT_TRUE(tells(of_project.body, "/total", 1, "/values/0/author/profileId", 40));
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
  const auto without =
    "nfts/user/profileId:"
    + sql("SELECT min(p.id) FROM profiles p JOIN users u ON u.id = p.user_id WHERE u.validator_nft_count = 0");
  EXPECT_EQ(get(without + "/owns-validator").body, "[]");
  for (const auto& empty : {std::string{"nfts/validators/listings"}, std::string{"auctions"}, without})
    EXPECT_EQ(get(empty).body, R"({"values":[],"total":0,"limit":50,"offset":0})") << empty;
  EXPECT_EQ(code(get("nfts/user/profileId:999999")), "404 NOT_FOUND");
  const auto owner =
    sql("SELECT min(p.id) FROM profiles p JOIN users u ON u.id = p.user_id WHERE u.validator_nft_count > 0");
  if (!owner.empty()) {
    const auto token = R"({"contractAddress":"","tokenId":"","name":null,)";
    EXPECT_EQ(get("nfts/user/profileId:" + owner + "/owns-validator").body.find("[" + std::string{token}), 0u);
    EXPECT_TRUE(has(get("nfts/user/profileId:" + owner).body, R"({"values":[)" + std::string{token}));
    const auto count =
      sql("SELECT u.validator_nft_count FROM profiles p JOIN users u ON u.id = p.user_id WHERE p.id = " + owner);
    EXPECT_EQ(json_number(get("nfts/user/profileId:" + owner + "?limit=0").body, "/total"), std::stoll(count));
  }
}

} // namespace
} // namespace credence::test
