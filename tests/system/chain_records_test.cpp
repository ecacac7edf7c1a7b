#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <algorithm>
#include <random>
#include <thread>

/// Records that are made of a chain's events, as clients see them.
namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

const address ann = person(1), ben = person(2), cat = person(3), stranger = person(9);
const std::string account = "1900000000000000001";

class ChainRecords : public followed_records {
protected:
  /// Ann and Ben join, and Ann praises Ben.
  void two_people_and_a_review() {
    emit(joined(1, ann));
    emit(joined(2, ben));
    emit(reviewed(0, ann, ben));
  }
  std::string praise_of(int profile) { return of_profile(profile, "/user/stats/review/received/positive"); }
  std::string owner_of(const address& which) { return seen("/api/v2/user/by/address/" + text_of(which), "/profileId"); }
  std::string score_path(int profile) { return "/api/v2/score/userkey?userkey=profileId:" + our_id(profile); }
};

TEST_F(ChainRecords, AreReadLikeThoseOfTheApi) {
  emit(profile_events::default_invites_changed{5});
  emit(joined(1, ann));
  emit(profile_events::user_invited{{1}, ben});
  emit(joined(2, ben));
  emit(claimed(2, cat));
  emit(attested(1, 2, account));
  const auto review = emit(reviewed(0, ann, cat));
  emit(voted(1, 2, 0, false));
  emit(reviewed(1, ben, stranger, review_score::negative));
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(of_profile(1, "/profile/invitesAvailable"), "4");
  EXPECT_EQ(of_profile(2, "/profile/invitedBy"), our_id(1));
  EXPECT_EQ(of_profile(2, "/inviterUser/profileId"), our_id(1));
  EXPECT_EQ(of_profile(2, "/attestations/0/account"), "\"" + account + "\"");
  EXPECT_EQ(seen("/api/v2/invitations?senderProfileId=" + our_id(1), "/values/0/invitation/status"), "\"ACCEPTED\"");
  EXPECT_EQ(owner_of(cat), our_id(2)) << "linked";
  EXPECT_EQ(praise_of(2), "1") << "received by a linked address";
  EXPECT_EQ(seen("/api/v2/reviews/" + our_id(0), "/authorProfileId"), our_id(1));
  EXPECT_EQ(seen("/api/v2/votes/stats?type=review&activityId=" + our_id(0), "/counts/downvotes"), "1");
  EXPECT_EQ(of_person("address:" + text_of(stranger), "/user/stats/review/received/negative"), "1")
    << "who has no profile is reviewed, too";
  EXPECT_NE(process(review).body.find(R"("success":true)"), std::string::npos);
  EXPECT_NE(process(review).body.find(R"("processed":true)"), std::string::npos);
  EXPECT_TRUE(becomes("/api/v2/score/status?userkey=profileId:" + our_id(2), "/status", "\"idle\""));
  const auto received =
    own.client().post("/api/v2/activities/profile/received", R"({"userkey":"profileId:)" + our_id(2) + "\"}");
  EXPECT_EQ(json_number(received.body, "/values/0/data/id"), ids_behind) << received.body;
  expect_whole();
  verify();
}

TEST_F(ChainRecords, MoveScores) {
  emit(joined(1, ann));
  emit(joined(2, ben));
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen(score_path(2), "/score"), "1200");
  emit(reviewed(0, ann, ben));
  ASSERT_TRUE(becomes(score_path(2), "/score", "1202")) << "270 x / (x + 54), and x is 1200 / 2100";
  emit(review_events::review_archived{{0}, ann, ben});
  ASSERT_TRUE(becomes(score_path(2), "/score", "1200"));
  verify();
}

TEST_F(ChainRecords, AnAddressThatIsLetGoKeepsNothing) {
  two_people_and_a_review();
  emit(claimed(2, cat));
  emit(reviewed(1, ann, cat));
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(praise_of(2), "2");
  emit(profile_events::address_claim{{2}, cat, address_claim_kind::unclaimed});
  emit(reviewed(2, ann, cat));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(owner_of(cat), "null");
  EXPECT_EQ(praise_of(2), "2") << "what the address had received stays, what comes is its own";
  EXPECT_EQ(of_person("address:" + text_of(cat), "/user/stats/review/received/positive"), "1");
  expect_whole();
  verify();
}

TEST_F(ChainRecords, OfAKindThatIsFollowedAreNotWrittenOverTheApi) {
  auto with_admin = flags(node.url());
  with_admin.insert(with_admin.end(), {"--admin", "1"});
  own.start(with_admin);
  struct write {
    std::string method, path, body;
    int by = 2;
  };
  const std::string someone = R"("address":")" + text_of(stranger) + "\"";
  const auto answer = [&](const write& each) {
    return own.client().send(each.method, "/api/v2/" + each.path, with_json(by_bearer(own.token(each.by)), {}),
                             each.body);
  };
  for (const auto& each : std::vector<write>{
         {"POST", "profiles/create", "{" + someone + "}", 1},
         {"POST", "profiles/3/archive", "{}", 1},
         {"POST", "profiles/3/restore", "{}", 1},
         {"POST", "addresses/unlink", "{" + someone + "}"},
         {"POST", "invitations", "{" + someone + "}"},
         {"POST", "invitations/cancel", R"({"id":1})"},
         {"POST", "attestations/create", R"({"profileId":2,"service":"github","account":"7","evidence":"x"})", 1},
         {"POST", "attestations/1/archive", "{}", 1},
         {"POST", "attestations/1/restore", "{}", 1},
         {"POST", "reviews/create", R"({"subject":"profileId:3","score":"positive","comment":"x"})"},
         {"POST", "reviews/create?dryRun=true", R"({"subject":"profileId:3","score":"positive","comment":"x"})"},
         {"PATCH", "reviews/1", R"({"comment":"x"})"},
         {"POST", "reviews/1/archive", "{}"},
         {"POST", "reviews/1/restore", "{}"},
         {"PUT", "votes", R"({"type":"review","id":1,"isUpvote":true})"},
         {"POST", "slashes",
          R"({"authorProfileId":10,"subject":"profileId:3","slashType":"SCORE","amount":50,"comment":"x"})", 1},
         {"POST", "slashes/1/votes", R"({"vote":"slash"})"},
         {"POST", "slashes/1/cancel", "{}", 1},
       }) {
    const auto refused = answer(each);
    EXPECT_EQ(refused.status, 409) << each.path << refused.body;
    EXPECT_EQ(json_text(refused.body, "/code"), "FOLLOWED_FROM_CHAIN") << each.path;
  }
  EXPECT_EQ(answer({"POST", "vouches/create", R"({"subject":"profileId:3","amount":5})"}).status, 200)
    << "that kind is not followed";
  EXPECT_EQ(answer({"PATCH", "profiles/me", R"({"displayName":"Another Name"})"}).status, 200)
    << "names stay with the API";
  EXPECT_EQ(number("SELECT count(*) FROM reviews"), 0);
}

/// Whoever marks everything as read between a block and its being stored has not read what it brings.
TEST_F(ChainRecords, AreToldToWhomTheyConcern) {
  auto later = flags(node.url());
  *std::next(std::find(later.begin(), later.end(), "--chain-confirmations")) = "1";
  own.start(later);
  two_people_and_a_review();
  const auto bens = [&](const std::string& method, const std::string& path) {
    return own.client().send(method, "/api/v2/notifications/" + path,
                             with_json(by_bearer(fresh_token(own, ids_behind + 2)), {}), method == "GET" ? "" : "{}");
  };
  const auto unread = [&] { return json_number(bens("GET", "stats/me").body, "/unread"); };
  ASSERT_TRUE(status_becomes("tip", "{\"number\":2,"));
  EXPECT_EQ(unread(), 0);
  const auto block_at = std::stoll(
    json_text(node.ask("eth_getBlockByNumber", R"(["latest", false])"), "/timestamp").substr(2), nullptr, 16);
  std::this_thread::sleep_until(
    timestamp{std::chrono::seconds{block_at + 1}}); // blocks made in one second have times ahead of it
  ASSERT_EQ(bens("POST", "me/mark-as-read").status, 200);
  node.mine(1); // the block of the review is stored now
  ASSERT_TRUE(becomes("/api/v2/reviews/" + our_id(0), "/authorProfileId", our_id(1)));
  EXPECT_TRUE(await("an unread one", [&] { return unread() == 1; })); // polls are answered from memory for a while
  EXPECT_NE(bens("GET", "me").body.find(R"("isRead":false)"), std::string::npos);
  ASSERT_EQ(bens("POST", "me/mark-as-read").status, 200);
  EXPECT_EQ(unread(), 0);
}

TEST_F(ChainRecords, AReorganisationTakesThemBackAndBringsOthers) {
  start();
  two_people_and_a_review();
  ASSERT_TRUE(reaches_head());
  ASSERT_TRUE(becomes(score_path(2), "/score", "1202"));
  expect_whole();
  reorganise(3);
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(owner_of(ann), "404");
  EXPECT_EQ(owner_of(ben), "404");
  EXPECT_EQ(seen("/api/v2/user/by/profile-id/" + our_id(1), "/status"), "\"INACTIVE\"") << "a profile never goes";
  EXPECT_EQ(seen("/api/v2/reviews/" + our_id(0), "/id"), "404");
  expect_whole();
  emit(joined(1, cat)); // other people got the numbers
  emit(joined(2, ann));
  emit(reviewed(0, cat, ann, review_score::negative));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(owner_of(cat), our_id(1));
  EXPECT_EQ(owner_of(ann), our_id(2));
  EXPECT_EQ(of_profile(2, "/user/stats/review/received/negative"), "1");
  EXPECT_EQ(praise_of(2), "0");
  EXPECT_EQ(number("SELECT count(*) FROM chain_orphans"), 3);
  expect_whole();
  verify();
}

TEST_F(ChainRecords, WhoRemembersPeopleIsToldOfAReorganisation) {
  emit(joined(1, ann));
  start();
  ASSERT_TRUE(stands_at_head());
  own.database().sql(
    "CREATE OR REPLACE FUNCTION tell_changes(what text, ids int[]) RETURNS void LANGUAGE sql AS 'SELECT'"); // nobody
                                                                                                            // else
                                                                                                            // tells
  const auto token = fresh_token(own, ids_behind + 1);
  const auto refused = [&](const std::string& project) {
    const auto answer = own.client().post("/api/v2/projects/" + project + "/votes", R"({"voteType":"BULLISH"})", token);
    return answer.body.find("PROFILE_NOT_LIVE") != std::string::npos;
  };
  EXPECT_FALSE(refused("1"));
  emit(profile_events::profile_archived{{1}});
  ASSERT_TRUE(stands_at_head());
  int project = 1; // another one each time, as a vote that is taken stays
  ASSERT_TRUE(await("a refusal", [&] { return refused(std::to_string(++project)); }))
    << "who is archived casts no votes";
  reorganise(1);
  ASSERT_TRUE(stands_at_head());
  EXPECT_TRUE(await("a vote", [&] { return !refused(std::to_string(project)); }))
    << "the block that archived the profile is gone";
}

TEST_F(ChainRecords, ABlockWithManyThatTheDatabaseRefusesIsAskedForOnce) {
  lying_node between{node};
  own.start(flags(between.url()));
  emit(joined(1, ann));
  ASSERT_TRUE(stands_at_head());
  const auto before = between.asked("eth_getLogs");
  std::vector<event> events{joined(2, ben)};
  for (int i = 1; i <= 15; ++i) {
    events.push_back(attested(2 * i, 1, std::string(1001, 'a') + std::to_string(i))); // too long for an index
    events.push_back(attested(2 * i + 1, 1, std::to_string(i)));
  }
  emit_together(events);
  ASSERT_TRUE(stands_at_head());
  EXPECT_LE(between.asked("eth_getLogs") - before, 2) << "refused once, then tried without the node";
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE reason = 'refused:attestations_account_length'"), 15);
  EXPECT_EQ(number("SELECT count(*) FROM attestations WHERE source = 'chain'"), 15);
  EXPECT_EQ(owner_of(ben), our_id(2));
  expect_whole();
  verify();
}

TEST_F(ChainRecords, AreMadeOnceThroughKillsInTheMiddle) {
  std::mt19937 random{20261124};
  start();
  constexpr int people = 40;
  for (int i = 1; i <= people; ++i) {
    emit_together({joined(i, person(i)), reviewed(2 * i, person(i), ben), reviewed(2 * i + 1, person(i), stranger),
                   voted(i, i, 2 * i)});
    if (i % 8 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 150});
      own.kill_hard();
      if (i % 16 == 0)
        reorganise(3); // while nobody looks
      start();
    }
  }
  ASSERT_TRUE(reaches_head());
  expect_stored_is_the_chain();
  EXPECT_EQ(number("SELECT count(*) FROM reviews"),
            number("SELECT count(*) FROM chain_events WHERE event_name = 'ReviewCreated' AND status = 'applied'"));
  EXPECT_EQ(of_person("address:" + text_of(stranger), "/user/stats/review/received/positive"),
            std::to_string(number("SELECT count(*) FROM reviews WHERE id % 2 = 1")));
  EXPECT_EQ(number("SELECT count(*) FROM chain_events") + number("SELECT count(*) FROM chain_orphans"),
            number("SELECT last_event FROM chain_follow"));
  expect_whole();
  verify();
}

} // namespace
} // namespace credence::test
