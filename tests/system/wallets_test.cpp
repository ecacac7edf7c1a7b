#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

const std::string managed = "/api/v2/wallets/managed/";
const std::string activity = "/api/v2/wallets/activity/";
constexpr auto subject = "0x00000000000000000000000000000000000000AA";
const std::string nothing_sent = "0x" + std::string(64, '0');

/// What pages of partners do for users, where no chain is followed: the records are written here.
struct ManagedWallets : testing::Test {
  void start() {
    server.run_with({{"CREDENCE_HTTP_ALLOWED_ORIGINS", own_page}});
    server.start({"--public-url", signing_origin, "--wallets-partner-origins", partner_origin + "," + own_page,
                  "--people-attestors", "5"});
  }
  static std::string review_of(const std::string& whom, const std::string& more = R"(,"content":"On time, twice.")") {
    return "{" + whom + R"(,"score":"positive","title":"Kept its word!")" + more + "}";
  }
  http_response review(partner_page& by, const std::string& key = {}) {
    return by.post(managed + "post/review/by-address", review_of(R"("address":")" + std::string{subject} + '"'), key);
  }
  std::string get(const std::string& target) { return server.client().get("/api/v2/" + target).body; }
  std::string rows(const std::string& of) { return server.database().sql("SELECT count(*) FROM " + of); }

  service server;
  partner_page page = (start(), let_in_at(server, 2));
};

TEST_F(ManagedWallets, ReviewAnAddress) {
  const auto answer = ok(page.post(managed + "post/review/by-address",
                                   review_of(R"("address":")" + std::string{subject} + '"',
                                             R"(,"content":"On time.","waitForReviewTimeoutSeconds":60)")));
  const auto hash = json_text(answer.body, "/hash");
  EXPECT_EQ(hash.size(), 66u);
  EXPECT_NE(hash, nothing_sent);
  EXPECT_TRUE(tells(answer.body, "/reviewSlug", "1/kept-its-word", "/review/authorProfileId", 2, "/review/subject",
                    subject, "/review/comment", "Kept its word!", "/review/metadata", R"({"description":"On time."})"));
  EXPECT_EQ(json_text(get("reviews/1"), "/comment"), "Kept its word!") << "as anybody sees it";
  EXPECT_NE(json_text(review(page).body, "/hash"), hash) << "another event, another hash";
}

TEST_F(ManagedWallets, ReviewWhomTheBodyNamesInAnyForm) {
  const auto made = ok(server.client().send(
    "POST", "/api/v2/attestations/create", with_json(by_bearer(server.token(5))),
    R"({"profileId":3,"service":"x.com","account":"990011223344","evidence":"https://proof.example/1",)"
    R"("username":"Partner_Friend"})"));
  const auto by_x = [&](const std::string& whom) { return page.post(managed + "post/review/by-x", review_of(whom)); };
  for (const auto* whom :
       {R"("x":{"username":"partner_friend"})", R"("x":{"username":"@Partner_Friend"})", R"("x":{"id":"990011223344"})",
        R"("accountIdOrUsername":"990011223344")", R"("accountIdOrUsername":"Partner_Friend")",
        R"("x":{"id":"990011223344","username":"partner_friend"},"accountIdOrUsername":"partner_friend")"}) {
    const auto answer = by_x(whom);
    EXPECT_EQ(answer.status, 200) << whom << answer.body;
    EXPECT_EQ(json_text(answer.body, "/review/attestationDetails/account"), "990011223344") << whom;
  }
  for (const auto* nobody : {R"("x":{"id":"44196397"})", R"("accountIdOrUsername":"44196398")"})
    EXPECT_EQ(by_x(nobody).status, 200) << "an account that nobody has proved may be reviewed, too: " << nobody;
  EXPECT_EQ(code_of(by_x(R"("x":{"username":"nobody_has_this"})")), "404 NOT_FOUND");
  for (const auto* bad : {R"("x":{})", R"("x":"partner_friend")", R"("x":{"id":7})", R"("x":{"username":"a b"})",
                          R"("y":1)", R"("x":{"id":"990011223344"},"accountIdOrUsername":"somebody_else")"})
    EXPECT_EQ(code_of(by_x(bad)), "400 BAD_REQUEST") << bad;
  for (const auto* whom : {R"("subject":"profileId:3")", R"("subject":"service:github:some-one")",
                           R"("subject":"service:x.com:username:partner_friend")"})
    EXPECT_EQ(page.post(managed + "post/review", review_of(whom)).status, 200) << whom;
}

TEST_F(ManagedWallets, SayWhatIsWrongWithAReview) {
  const std::string whom = R"({"address":")" + std::string{subject} + '"';
  const auto post = [&](const std::string& body) {
    return code_of(page.post(managed + "post/review/by-address", body));
  };
  for (const auto& body :
       {std::string{"{}"}, std::string{"[]"}, whom + "}", whom + R"(,"score":"good","title":"x"})",
        whom + R"(,"score":"positive","title":""})",
        whom + R"(,"score":"positive","title":"x","waitForTxTimeoutSeconds":-1})",
        whom + R"(,"score":"positive","title":"x","content":7})",
        whom + R"(,"score":"positive","title":"x","content":"a","metadata":{"description":"b"}})",
        whom + R"(,"score":"positive","title":"x","content":")" + std::string(5000, 'a') + "\"}",
        std::string{R"({"address":"0x0000000000000000000000000000000000000000","score":"positive","title":"x"})"}})
    EXPECT_EQ(post(body), "400 BAD_REQUEST") << body.substr(0, 120);
  EXPECT_EQ(code_of(page.post(managed + "post/review", review_of(R"("subject":"profileId:2")"))),
            "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(rows("reviews"), "0");
}

TEST_F(ManagedWallets, KeepWhateverMetadataComesAlong) {
  const auto metadata = [&](const std::string& more) {
    const auto answer =
      page.post(managed + "post/review/by-address", review_of(R"("address":")" + std::string{subject} + '"', more));
    return answer.status == 200 ? json_text(answer.body, "/review/metadata") : answer.body;
  };
  EXPECT_EQ(metadata(""), "");
  EXPECT_EQ(metadata(R"(,"metadata":"{\"description\":\"as text\"}")"), R"({"description":"as text"})");
  EXPECT_EQ(metadata(R"(,"metadata":{"source":"app"})"), R"({"source":"app"})");
  EXPECT_EQ(metadata(R"(,"content":"said \"so\"","metadata":{"source":"app"})"),
            R"({"description":"said \"so\"","source":"app"})");
  EXPECT_EQ(metadata(R"(,"content":"said","metadata":[])"), R"({"description":"said","metadata":[]})");
  EXPECT_EQ(metadata(R"(,"content":"said","metadata":{})"), R"({"description":"said"})");
}

TEST_F(ManagedWallets, EditAndArchiveReviewsOfTheirUser) {
  const auto first = json_text(review(page).body, "/hash");
  const auto edited =
    ok(page.post(managed + "edit/review", R"({"reviewId":1,"title":"Kept it twice","content":"More."})"));
  EXPECT_EQ(json_text(edited.body, "/reviewSlug"), "1/kept-it-twice");
  EXPECT_NE(json_text(edited.body, "/hash"), first);
  EXPECT_EQ(json_text(get("reviews/1"), "/metadata"), R"({"description":"More."})");
  EXPECT_EQ(json_text(page.post(managed + "edit/review", R"({"id":1,"content":"Even more."})").body, "/review/comment"),
            "Kept it twice");
  auto other = let_in_at(server, 3);
  EXPECT_EQ(code_of(other.post(managed + "edit/review", R"({"reviewId":1,"title":"x"})")), "403 FORBIDDEN");
  EXPECT_EQ(code_of(other.post(activity + "review/1/archive")), "403 FORBIDDEN");
  for (const auto* bad : {"{}", R"({"reviewId":1})", R"({"title":"x"})", R"({"reviewId":0,"title":"x"})",
                          R"({"reviewId":"1","title":"x"})"})
    EXPECT_EQ(code_of(page.post(managed + "edit/review", bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code_of(page.post(managed + "edit/review", R"({"reviewId":99,"title":"x"})")), "404 NOT_FOUND");
  const auto archived = page.post(activity + "review/1/archive"); // without a body
  ASSERT_EQ(archived.status, 200) << archived.body;
  EXPECT_NE(archived.body.find(R"("archived":true)"), std::string::npos);
  EXPECT_NE(get("reviews/1").find(R"("archived":true)"), std::string::npos);
  EXPECT_EQ(code_of(page.post(managed + "edit/review", R"({"reviewId":1,"title":"x"})")), "409 RECORD_ARCHIVED");
}

TEST_F(ManagedWallets, VoteSwitchAndWithdraw) {
  ASSERT_EQ(review(page).status, 200);
  auto voter = let_in_at(server, 3);
  const auto vote = [&](const std::string& body) { return voter.post(activity + "review/1/vote", body); };
  const auto counts = [&] {
    const auto stats = get("votes/stats?type=review&activityId=1");
    return std::to_string(json_number(stats, "/counts/upvotes")) + " "
           + std::to_string(json_number(stats, "/counts/downvotes"));
  };
  EXPECT_EQ(code_of(vote(R"({"isArchive":true})")), "404 NOT_FOUND") << "there is none to withdraw";
  const auto up = ok(vote(R"({"isUpvote":true,"waitForTxTimeoutSeconds":3})"));
  EXPECT_EQ(json_text(up.body, "/hash").size(), 66u);
  EXPECT_EQ(json_number(up.body, "/vote/voter"), 3);
  EXPECT_EQ(counts(), "1 0");
  EXPECT_EQ(vote(R"({"isUpvote":true})").body, up.body) << "it stands: that does not withdraw it";
  EXPECT_EQ(counts(), "1 0");
  EXPECT_NE(json_text(vote(R"({"isUpvote":false})").body, "/hash"), json_text(up.body, "/hash"));
  EXPECT_EQ(counts(), "0 1");
  EXPECT_NE(vote(R"({"isUpvote":false,"isArchive":true})").body.find(R"("isArchived":true)"), std::string::npos);
  EXPECT_EQ(counts(), "0 0");
  EXPECT_EQ(vote(R"({"isArchive":true})").status, 200) << "it is withdrawn";
  EXPECT_EQ(vote(R"({"isUpvote":true})").status, 200);
  EXPECT_EQ(counts(), "1 0");
  EXPECT_EQ(code_of(vote("{}")), "400 BAD_REQUEST");
  EXPECT_EQ(code_of(voter.post(activity + "review/99/vote", R"({"isUpvote":true})")), "404 NOT_FOUND");
}

TEST_F(ManagedWallets, ReplyToActivities) {
  ASSERT_EQ(review(page).status, 200);
  const auto reply =
    ok(page.post(activity + "review/1/reply", R"({"content":"Thank you","metadata":{"source":"app"}})"));
  EXPECT_EQ(json_text(reply.body, "/hash").size(), 66u);
  EXPECT_TRUE(tells(reply.body, "/reply/content", "Thank you", "/reply/metadata", R"({"source":"app"})"));
  const auto number = std::to_string(json_number(reply.body, "/reply/id"));
  EXPECT_EQ(json_text(get("replies/" + number), "/content"), "Thank you");
  EXPECT_EQ(page.post(activity + "reply/" + number + "/reply", R"({"content":"Again"})").status, 200);
  EXPECT_EQ(page.post(activity + "reply/" + number + "/vote", R"({"isUpvote":true})").status, 200);
  EXPECT_EQ(code_of(page.post(activity + "review/1/reply", R"({"content":""})")), "400 BAD_REQUEST");
}

TEST_F(ManagedWallets, VoteOnPostsOfTheBrokerAndReplyToThem) {
  server.database().sql("INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, "
                        "created_at, updated_at, source)"
                        " VALUES (5, 3, 'BASIC', 'Audits', 'By hand', '100', '{}', now(), now(), 'chain')");
  const auto vote = ok(page.post(activity + "broker-post/5/vote", R"({"isUpvote":true})"));
  EXPECT_EQ(json_number(get("votes/stats?type=broker&activityId=5"), "/counts/upvotes"), 1);
  const auto reply = ok(page.post(activity + "broker-post/5/reply", R"({"content":"How long does it take?"})"));
  EXPECT_EQ(json_text(reply.body, "/reply/contractType"), "broker");
  EXPECT_EQ(json_text(get("replies/broker/5"), "/values/0/content"), "How long does it take?");
  EXPECT_EQ(code_of(page.post(activity + "broker-post/6/vote", R"({"isUpvote":true})")), "404 NOT_FOUND");
}

TEST_F(ManagedWallets, KnowEveryTypeOfActivity) {
  for (const auto* type : {"attestation", "bond", "broker-post", "closed-slash", "market", "open-slash", "project",
                           "reply", "reputation-market", "review", "slash", "unvouch", "vouch"})
    for (const auto& [act, body] :
         {std::pair{"/vote", R"({"isUpvote":true})"}, std::pair{"/reply", R"({"content":"x"})"}})
      EXPECT_EQ(code_of(page.post(activity + type + "/2147483647" + act, body)), "404 NOT_FOUND") << type << act;
  for (const auto* type : {"human-verification", "invitation-accepted", "market-vote", "vote", "xp-tip"}) {
    const auto answer = page.post(activity + std::string{type} + "/1/vote", R"({"isUpvote":true})");
    EXPECT_EQ(code_of(answer), "400 BAD_REQUEST") << type;
    EXPECT_NE(answer.body.find("neither votes nor replies"), std::string::npos) << answer.body;
  }
  const auto unknown = page.post(activity + "tweet/1/vote", R"({"isUpvote":true})");
  EXPECT_EQ(code_of(unknown), "400 BAD_REQUEST");
  EXPECT_NE(unknown.body.find("review, slash"), std::string::npos) << "it says what would be right: " << unknown.body;
}

TEST_F(ManagedWallets, InviteAndTakeThatBack) {
  const std::string body = R"({"invitee":")" + std::string{subject} + "\"}";
  const auto invited = ok(page.post(managed + "invite/address", body));
  EXPECT_NE(invited.body.find(R"("processed":true)"), std::string::npos);
  EXPECT_EQ(code_of(page.post(managed + "invite/address", body)), "409 ALREADY_INVITED");
  auto other = let_in_at(server, 3);
  EXPECT_EQ(code_of(other.post(managed + "invite/cancel", body)), "404 NOT_FOUND") << "it is not that user's";
  const auto cancelled = ok(page.post(managed + "invite/cancel", body));
  EXPECT_NE(json_text(cancelled.body, "/hash"), json_text(invited.body, "/hash"));
  EXPECT_EQ(code_of(page.post(managed + "invite/cancel", body)), "404 NOT_FOUND");
  EXPECT_EQ(code_of(page.post(managed + "invite/address", R"({"invitee":"me"})")), "400 BAD_REQUEST");
}

TEST_F(ManagedWallets, LeaveBondsToAdmins) {
  const std::string allowance = R"(,"signature":"0x0102","randValue":"7"})";
  EXPECT_EQ(code_of(page.post(
              managed + "bonds",
              R"({"subjectProfileId":3,"bondType":"HUMAN","amount":"500","amountType":"XP","statement":"I met her")"
                + allowance)),
            "403 FORBIDDEN");
  EXPECT_EQ(code_of(page.post(activity + "bond/1/archive", R"({"reason":"was another")" + allowance)), "403 FORBIDDEN");
  EXPECT_EQ(code_of(page.post(managed + "bonds", "{}")), "400 BAD_REQUEST");
}

TEST_F(ManagedWallets, HaveNothingToPayAndNothingToExport) {
  EXPECT_EQ(page.get("/api/v2/wallets/funds-check").body,
            R"({"balance":0,"balanceText":"0","sponsorshipEligible":false,"address":null})");
  EXPECT_EQ(page.get(managed + "transactions").body, R"({"values":[],"limit":50,"offset":0})");
  EXPECT_EQ(code_of(page.post(managed + "export", R"({"passphrase":"correct horse battery"})")), "401 UNAUTHORIZED")
    << "partners never get a key";
  partner_page own{server, own_page};
  ASSERT_EQ(own.exchange(fresh_token(server, 2)).status, 200);
  EXPECT_EQ(code_of(own.post(managed + "export", R"({"passphrase":"correct horse battery"})")), "404 WALLET_NOT_FOUND");
  EXPECT_EQ(server.client()
              .send("POST", managed + "export", with_json(by_bearer(server.token(2))),
                    R"({"passphrase":"correct horse battery"})")
              .status,
            403)
    << "a token is not enough";
}

/// A page of this service that is a partner, too, acts with the session that it has.
TEST_F(ManagedWallets, ActForOwnPagesThatAreLetIn) {
  partner_page own{server, own_page};
  ASSERT_EQ(own.exchange(fresh_token(server, 4)).status, 200);
  EXPECT_EQ(code_of(review(own)), "404 ENDPOINT_DISABLED");
  ASSERT_EQ(switch_partner(server, 4, true, own_page).status, 200);
  EXPECT_EQ(code_of(review(own)), "200 ");
  EXPECT_EQ(code_of(own.send("DELETE", managed + "session")), "403 FORBIDDEN") << "its session is for more";
  std::erase_if(own.cookies, [](const auto& each) { return each.first.find("access") != std::string::npos; });
  EXPECT_EQ(code_of(review(own)), "401 UNAUTHENTICATED");
  EXPECT_NE(own.get(managed + "auth-check").body.find(R"("ok":true)"), std::string::npos)
    << "that refreshes its session, too";
  EXPECT_EQ(code_of(review(own)), "200 ");
}

TEST_F(ManagedWallets, TryWithoutEffect) {
  ASSERT_EQ(review(page).status, 200);
  const auto before = rows("reviews") + rows("replies") + rows("activity_votes") + rows("invitations");
  const std::string address = R"("address":")" + std::string{subject} + '"';
  const auto tried = ok(page.post(managed + "post/review/by-address?dryRun=true", review_of(address)));
  EXPECT_EQ(json_text(tried.body, "/hash"), nothing_sent);
  EXPECT_EQ(json_text(tried.body, "/reviewSlug"), "kept-its-word") << "nobody knows its number";
  EXPECT_EQ(json_text(page.post(activity + "review/1/vote?dryRun=true", R"({"isUpvote":true})").body, "/hash"),
            nothing_sent);
  EXPECT_EQ(json_text(page.post(activity + "review/1/reply?dryRun=true", R"({"content":"x"})").body, "/hash"),
            nothing_sent);
  EXPECT_EQ(
    json_text(page.post(managed + "invite/address?dryRun=true", R"({"invitee":")" + std::string{subject} + "\"}").body,
              "/hash"),
    nothing_sent);
  EXPECT_EQ(page.post(activity + "review/1/archive?dryRun=true").status, 200);
  EXPECT_EQ(code_of(page.post(activity + "review/9/vote?dryRun=true", R"({"isUpvote":true})")), "404 NOT_FOUND")
    << "it would be refused";
  EXPECT_EQ(rows("reviews") + rows("replies") + rows("activity_votes") + rows("invitations"), before);
  EXPECT_NE(get("reviews/1").find(R"("archived":false)"), std::string::npos);
}

TEST_F(ManagedWallets, ARequestThatComesAgainHasOneEffect) {
  const auto first = ok(review(page, "a-review"));
  EXPECT_EQ(review(page, "a-review").body, first.body);
  server.kill_hard();
  start();
  partner_page later{server, std::move(page)};
  EXPECT_EQ(review(later, "a-review").body, first.body) << "after a restart, too";
  EXPECT_EQ(code_of(later.post(managed + "post/review/by-address",
                               review_of(R"("address":"0x00000000000000000000000000000000000000BB")"), "a-review")),
            "422 IDEMPOTENCY_KEY_REUSED");
  const auto vote = later.post(activity + "review/1/vote", R"({"isUpvote":true})", "a-vote");
  EXPECT_EQ(later.post(activity + "review/1/vote", R"({"isUpvote":true})", "a-vote").body, vote.body);
  server.kill_hard();
  server.database().sql("DELETE FROM idempotency_records WHERE answered");
  start();
  partner_page lost{server, std::move(later)};
  const auto again = review(lost, "a-review");
  EXPECT_FALSE(again.headers.contains("idempotency-replayed"));
  EXPECT_EQ(json_text(again.body, "/hash"), json_text(first.body, "/hash")) << "after its answer was lost, too";
  EXPECT_EQ(lost.post(activity + "review/1/vote", R"({"isUpvote":true})", "a-vote").body, vote.body);
  EXPECT_EQ(rows("reviews"), "1");
  EXPECT_TRUE(sound(server));
}

TEST_F(ManagedWallets, ManyAtOnceComeToOneVote) {
  ASSERT_EQ(review(page).status, 200);
  ASSERT_EQ(switch_partner(server, 3, true).status, 200);
  at_once(8, [this] {
    auto mine = signed_in_at(server, 3);
    for (int n = 0; n < 5; ++n) // the rate of wallet actions may be over
      mine.post(activity + "review/1/vote", R"({"isUpvote":true})");
  });
  auto last = let_in_at(server, 3);
  EXPECT_EQ(last.post(activity + "review/1/vote", R"({"isUpvote":true})").status, 200);
  EXPECT_EQ(rows("activity_votes WHERE voter = 3 AND upvote AND NOT archived"), "1");
}

} // namespace
} // namespace credence::test
