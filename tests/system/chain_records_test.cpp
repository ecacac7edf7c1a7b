#include "tests/actors/chain/random_events.hpp"
#include "tests/persistence/database.hpp"
#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/signing.hpp"

#include <cstdlib>

/// Records that are made of a chain's events, as clients see them.
namespace credence::test {

/// A chain's events from a seed: people join, claim, invite, review and vote, in an order that mostly makes sense, with
/// some events among them that make none.
class chain_history {
public:
  explicit chain_history(std::uint64_t seed) : dice_(seed) {}

  std::vector<chain::event> next(std::size_t count) {
    std::vector<chain::event> out;
    while (out.size() < count)
      out.push_back(below(20) == 0 ? chain::random_step(dice_) : sensible());
    return out;
  }
  /// The number of the next one who joins.
  int next_profile() const { return profiles_; }
  /// Everybody from that number on joins once more: their blocks were taken back.
  std::vector<chain::event> again_from(int number) const {
    std::vector<chain::event> out;
    for (; number < profiles_; ++number)
      out.push_back(joined(number, person(number)));
    return out;
  }
  /// 0 to `bound` - 1.
  int below(int bound) { return static_cast<int>(chain::samples::below(dice_, static_cast<std::size_t>(bound))); }

private:
  static constexpr int first = 50; // numbers below are those of events that make no sense

  int one_of(int last) { return last <= first ? first : first + below(last - first); }
  int profile() { return one_of(profiles_); }
  /// An address of somebody who has joined, mostly.
  address somebody() { return person(below(8) == 0 ? 20'000 + below(500) : profile()); }
  std::string account() { return "19000000000000" + std::to_string(10'000 + below(400)); }

  chain::event sensible() {
    switch (below(28)) {
      case 0:
      case 1:
      case 2: return join();
      case 3: return chain::profile_events::mock_profile_created{{profiles_++}};
      case 4: return status();
      case 5: return claimed(profile(), somebody());
      case 6:
        return chain::profile_events::address_claim{{profile()}, somebody(), chain::address_claim_kind::unclaimed};
      case 7: return invitation();
      case 8: return attested(attestations_++, profile(), account());
      case 9: return moved_account();
      case 10:
      case 11:
      case 12:
      case 13:
      case 14: return reviewed(reviews_++, somebody(), somebody(), static_cast<chain::review_score>(below(3)));
      case 15:
        return chain::review_events::review_created{
          chain::review_score::neutral, somebody(), attestation_hash("x.com", account()), {}, {reviews_++},
          {one_of(profiles_)}};
      case 16: return chain::review_events::review_archived{{one_of(reviews_)}, somebody(), somebody()};
      case 17: return chain::review_events::review_restored{{one_of(reviews_)}, somebody(), somebody()};
      case 18: return chain::review_events::review_edited{{one_of(reviews_)}, somebody(), somebody()};
      case 19:
        return chain::vote_events::vote_changed{below(2) == 0,      below(2) == 0,      {profile()},
                                                reviews_contract(), {one_of(reviews_)}, {1}};
      case 20: return slashed(slashes_++, profile(), somebody(), 1'700'000'000, below(2) == 0 ? 2'000'000'000 : 5);
      case 21: return end_of_slash();
      case 22:
        return chain::vote_events::voted{below(3) != 0,
                                         {profile()},
                                         chain::fold_world::contract_of(chain::contract_kind::slash),
                                         {one_of(slashes_)},
                                         {votes_++}};
      default: return voted(votes_++, profile(), one_of(reviews_), below(3) != 0);
    }
  }

  chain::event join() {
    const auto number = profiles_++;
    return joined(number, person(number));
  }
  chain::event status() {
    if (below(2) == 0)
      return chain::profile_events::profile_archived{{profile()}};
    return chain::profile_events::profile_restored{{profile()}};
  }
  chain::event end_of_slash() {
    const chain::onchain_slash which{one_of(slashes_)};
    switch (below(3)) {
      case 0: return chain::slash_events::slash_resolved{which, static_cast<chain::slash_resolution>(below(5)), 1};
      case 1: return chain::slash_events::slash_cancelled{which, somebody(), {1'700'000'100}};
      default: return chain::slash_events::slash_extended{which, {below(2) == 0 ? 2'000'000'000 : 5}};
    }
  }
  chain::event invitation() {
    switch (below(3)) {
      case 0: return chain::profile_events::invites_added{{profile()}, static_cast<std::uint64_t>(below(10))};
      case 1: return chain::profile_events::uninvited{{profile()}, somebody(), 3, person(profiles_ + below(10))};
      default: return chain::profile_events::user_invited{{profile()}, person(profiles_ + below(10))};
    }
  }
  chain::event moved_account() {
    const auto service = people::account_service::x;
    const chain::onchain_attestation number{one_of(attestations_)};
    switch (below(3)) {
      case 0: return chain::attestation_events::attestation_archived{{profile()}, service, account(), number};
      case 1: return chain::attestation_events::attestation_restored{number, service, account(), {profile()}};
      default: return chain::attestation_events::attestation_claimed{number, service, account(), "a post", {profile()}};
    }
  }
  static address reviews_contract() { return chain::fold_world::contract_of(chain::contract_kind::review); }

  chain::samples::dice_type dice_;
  int profiles_ = first, reviews_ = first, votes_ = first + 10, attestations_ = first, slashes_ = first;
};

namespace {

using namespace std::chrono_literals;
using namespace chain;

const address ann = person(1), ben = person(2), cat = person(3), stranger = person(9);
const std::string account = "1900000000000000001";

struct ChainRecords : followed_records {
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
  ASSERT_TRUE(follows());
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
  EXPECT_TRUE(has(process(review).body, R"("success":true)"));
  EXPECT_TRUE(has(process(review).body, R"("processed":true)"));
  EXPECT_TRUE(becomes("/api/v2/score/status?userkey=profileId:" + our_id(2), "/status", "\"idle\""));
  const auto received =
    own.client().post("/api/v2/activities/profile/received", R"({"userkey":"profileId:)" + our_id(2) + "\"}");
  EXPECT_EQ(json_number(received.body, "/values/0/data/id"), ids_behind) << received.body;
  expect_kept();
}

TEST_F(ChainRecords, AreFoundByTheTransactionsThatMadeAndChangedThem) {
  emit(joined(1, ann));
  const auto second = emit(joined(2, ben));
  emit(reviewed(0, ann, ben));
  const auto made = emit(reviewed(1, ben, ann));
  const auto archived = emit(review_events::review_archived{{1}, ben, ann});
  const auto vote = emit(voted(1, 2, 0, false));
  ASSERT_TRUE(follows());
  const auto found = [&](const std::string& type, const std::string& tx) {
    return own.client().get("/api/v2/activities/" + type + "/tx/" + tx);
  };
  for (const auto& tx : {made, archived}) {
    const auto answer = found("review", tx);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(std::to_string(json_number(answer.body, "/data/id")), our_id(1));
    EXPECT_TRUE(has(answer.body, R"("archived":true)")) << answer.body;
  }
  for (const auto& [type, tx] : {std::pair{"vouch", made},
                                 {"reply", made},
                                 {"review", second},
                                 {"review", vote},
                                 {"review", "0x" + std::string(64, 'a')},
                                 {"slash", made}})
    EXPECT_EQ(found(type, tx).status, 404) << type << " " << tx;
  EXPECT_EQ(found("dream", made).status, 400);
  EXPECT_EQ(found("review", "0xzz").status, 400);
}

TEST_F(ChainRecords, MoveScores) {
  emit(joined(1, ann));
  emit(joined(2, ben));
  ASSERT_TRUE(follows());
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
  ASSERT_TRUE(follows());
  EXPECT_EQ(praise_of(2), "2");
  emit(profile_events::address_claim{{2}, cat, address_claim_kind::unclaimed});
  emit(reviewed(2, ann, cat));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(owner_of(cat), "null");
  EXPECT_EQ(praise_of(2), "2") << "what the address had received stays, what comes is its own";
  EXPECT_EQ(of_person("address:" + text_of(cat), "/user/stats/review/received/positive"), "1");
  expect_kept();
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
    EXPECT_EQ(code(refused), "409 FOLLOWED_FROM_CHAIN") << each.path << refused.body;
  }
  EXPECT_EQ(answer({"POST", "vouches/create", R"({"subject":"profileId:3","amount":5})"}).status, 200)
    << "that kind is not followed";
  EXPECT_EQ(answer({"PATCH", "profiles/me", R"({"displayName":"Another Name"})"}).status, 200)
    << "names stay with the API";
  EXPECT_EQ(how_many("reviews"), 0);
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
  EXPECT_TRUE(has(bens("GET", "me").body, R"("isRead":false)"));
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
  EXPECT_EQ(how_many("chain_orphans"), 3);
  expect_kept();
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
  EXPECT_EQ(how_many("chain_events WHERE reason = 'refused:attestations_account_length'"), 15);
  EXPECT_EQ(how_many("attestations WHERE source = 'chain'"), 15);
  EXPECT_EQ(owner_of(ben), our_id(2));
  expect_kept();
}

TEST_F(ChainRecords, AnEventThatTakesTooLongFailsAndFollowingGoesOn) {
  emit(joined(1, ann));
  auto soon = flags(node.url());
  soon.insert(soon.end(),
              {"--store-statement-timeout", "4000"}); // three quarters of it are enough for what is not slow
  own.start(soon);
  ASSERT_TRUE(stands_at_head());
  own.database().sql(
    "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'");
  own.database().sql("CREATE TRIGGER sleep_long BEFORE INSERT ON attestations FOR EACH ROW WHEN (NEW.account = 'slow') "
                     "EXECUTE FUNCTION sleep_long()");
  emit_together({attested(1, 1, "quick"), attested(2, 1, "slow"), joined(2, ben)}); // of a block that is not final
  emit(joined(3, cat));
  ASSERT_TRUE(stands_at_head());
  const auto refused = [&] { return how_many("chain_events WHERE reason = 'refused:too_long'"); };
  EXPECT_EQ(refused(), 1);
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 1) << "no other one";
  EXPECT_EQ(how_many("attestations WHERE source = 'chain'"), 1);
  EXPECT_EQ(owner_of(ben), our_id(2));
  EXPECT_EQ(owner_of(cat), our_id(3));
  expect_kept();
  const auto reprocess = [&] {
    ASSERT_EQ(own.command({"chain", "reprocess"}).code, 0);
    ASSERT_TRUE(await("the end of it", [&] { return number("SELECT count(reprocess_after) FROM chain_follow") == 0; }));
    ASSERT_TRUE(stands_at_head());
  };
  reprocess();
  EXPECT_EQ(refused(), 1) << "it is still too slow";
  own.database().sql("DROP TRIGGER sleep_long ON attestations");
  reprocess();
  EXPECT_EQ(refused(), 0);
  EXPECT_EQ(how_many("attestations WHERE source = 'chain'"), 2);
  expect_whole();
}

/// Slashes that are made of events, as clients see them, through time and reorganisations.

const address ada = person(1), bob = person(2), cyd = person(3);

struct ChainSlashesSeen : followed_records {
  /// Ada and Bob have joined, and so has Cyd, whose votes weigh 7.
  void people_with_standing() {
    emit_together({joined(1, ada), joined(2, bob), joined(3, cyd)});
    ASSERT_TRUE(follows());
    give_standing();
  }
  void give_standing() {
    run_sql(
      own.database().url(),
      "INSERT INTO epoch_scores (user_id, score, day) SELECT user_id, 2800, '2026-01-01' FROM profiles WHERE id = "
        + our_id(3));
  }
  event vote(int number, bool up) const {
    return vote_events::voted{up, {3}, fold_world::contract_of(contract_kind::slash), {1}, {number}};
  }
  /// The next block has that time.
  void next_block_at(std::int64_t seconds) {
    node.ask("evm_setNextBlockTimestamp", "[" + std::to_string(seconds) + "]");
  }

  const std::string path = "/api/v2/slashes?subject=address:" + text_of(bob);
  const std::int64_t begin = 2'500'000'000; // after the time of any block so far
};

TEST_F(ChainSlashesSeen, CloseByTheirTimeAndGoWithTheBlocksOfTheirVotes) {
  people_with_standing();
  next_block_at(begin);
  emit(slashed(1, 1, bob, begin, 100));
  next_block_at(begin + 50);
  emit(vote(1, true));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(becomes(path, "/values/0/status", "\"open\""));
  EXPECT_TRUE(becomes(path, "/values/0/id", our_id(1)));
  EXPECT_EQ(seen("/api/v1/slashes?subject=address:" + text_of(bob), "/data/total"), "1");
  next_block_at(begin + 100);
  node.mine(1); // a block without events
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"SLASHED\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100)));
  EXPECT_TRUE(becomes(path, "/values/0/votes/slash", "7"));
  ASSERT_TRUE(becomes("/api/v2/score/userkey?userkey=profileId:" + our_id(2), "/score", "1000"));
  expect_kept();
  reorganise(2);
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  next_block_at(begin + 400);
  node.mine(1);
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"INCONCLUSIVE\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100))) << "its end, whichever block closes it";
  ASSERT_TRUE(becomes("/api/v2/score/userkey?userkey=profileId:" + our_id(2), "/score", "1200"));
  expect_kept();
}

TEST_F(ChainSlashesSeen, OfManyThatEndTogetherEachClosesBeforeWhatFollows) {
  people_with_standing();
  const auto open_and_closed = [&] {
    return number("SELECT count(*) * 100 + count(closed_at) FROM slashes WHERE source = 'chain'");
  };
  const auto five = [&](int first, std::int64_t from) {
    std::vector<event> out;
    for (int i = first; i < first + 5; ++i)
      out.push_back(slashed(i, 1, bob, from, 100));
    next_block_at(from);
    emit_together(out);
  };
  five(1, begin);
  next_block_at(begin + 100);
  emit(vote(1, true)); // too late
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(open_and_closed(), 505);
  EXPECT_TRUE(becomes(path, "/values/0/outcome", "\"INCONCLUSIVE\""));
  expect_whole();
  five(6, begin + 200);
  next_block_at(begin + 300);
  node.mine(1); // a block without events
  EXPECT_TRUE(await("all to be closed", [&] { return open_and_closed() == 1010; }));
  expect_kept();
}

TEST_F(ChainSlashesSeen, OfStoredEventsAreClosedWhenTheirKindIsAdded) {
  auto without_slashes = flags(node.url());
  *(std::find(without_slashes.begin(), without_slashes.end(), "--chain-kinds") + 1) = "identity,review,vote,reply";
  emit_together({joined(1, ada), joined(2, bob), joined(3, cyd)});
  own.start(without_slashes);
  ASSERT_TRUE(reaches_head());
  give_standing();
  next_block_at(begin);
  emit(slashed(1, 1, bob, begin, 100));
  next_block_at(begin + 50);
  emit(vote(1, true));
  next_block_at(begin + 200);
  node.mine(1);
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(becomes(path, "/total", "0"));
  own.kill_hard();
  start();
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"SLASHED\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100)));
  ASSERT_TRUE(reaches_head());
  expect_kept();
}

TEST_F(ChainSlashesSeen, ForXpAreThereForVersion2Alone) {
  people_with_standing();
  const auto created = slashed(1, 1, bob, begin, 100);
  auto of_xp = *get_if<slash_events::slash_created>(&created);
  of_xp.type = slash_type::xp;
  emit(of_xp);
  ASSERT_TRUE(becomes(path, "/values/0/slashType", "\"XP\""));
  EXPECT_EQ(seen("/api/v1/slashes?subject=address:" + text_of(bob), "/data/total"), "0");
  verify();
}

/// Random histories of a chain, with kills and reorganisations. Sizes and seed: docs/testing.md.

int number_from_environment(const char* name, int otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::atoi(given) : otherwise;
}

struct ChainHistory : followed_records {
  static constexpr int reorganised_blocks_max = 20;
  static constexpr auto long_timeout = 600s;

  ChainHistory() { node.mine(reorganised_blocks_max); }

  /// A block with 1 to 12 events; how many they are.
  int emit_block() {
    first_profiles.push_back(random.next_profile());
    const auto events = random.next(static_cast<std::size_t>(1 + random.below(12)));
    emit_together(events);
    return static_cast<int>(events.size());
  }
  /// Who joined in the last blocks joins once more, as transactions of lost blocks do on a real chain.
  std::vector<chain::event> joined_again(int blocks) {
    const auto kept = static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::ssize(first_profiles) - blocks, 0));
    const auto from = kept < first_profiles.size() ? first_profiles[kept] : random.next_profile();
    first_profiles.resize(kept);
    first_profiles.push_back(from);
    return random.again_from(from);
  }
  void reorganise_at_random() {
    const auto blocks = 1 + random.below(reorganised_blocks_max);
    auto instead = random.below(4) == 0 ? std::vector<chain::event>{}
                                        : joined_again(blocks); // else later events are of people who are gone
    if (random.below(2) == 0)
      for (auto& each : random.next(static_cast<std::size_t>(random.below(6))))
        instead.push_back(std::move(each));
    reorganise(blocks, instead);
  }
  void sleep_a_little(int most_ms) { std::this_thread::sleep_for(std::chrono::milliseconds{random.below(most_ms)}); }
  void kill_server() {
    own.kill_hard();
    if (random.below(2) == 0)
      emit_block();
    start();
  }
  void strike() {
    switch (random.below(6)) {
      case 0:
        node.stop();
        sleep_a_little(400);
        return node.go_on();
      case 1: node.restart(); return node.mine(reorganised_blocks_max); // it takes no blocks back from before its start
      case 2:
        own.database().kill_hard();
        sleep_a_little(300);
        return own.database().start();
      case 3: return reorganise_at_random();
      default: return kill_server();
    }
  }
  /// Ids and sums: nothing is lost, doubled or miscounted.
  void expect_all_is_there_once() {
    expect_stored_is_the_chain();
    EXPECT_EQ(how_many("chain_events") + how_many("chain_orphans"), number("SELECT last_event FROM chain_follow"))
      << "every id is of one event";
    EXPECT_EQ(how_many("(SELECT id FROM chain_events UNION SELECT id FROM chain_orphans) x"),
              number("SELECT last_event FROM chain_follow"));
    EXPECT_EQ(number("SELECT sum(reviews_negative + reviews_neutral + reviews_positive) FROM users"),
              how_many("reviews WHERE NOT archived"));
    EXPECT_EQ(number("SELECT sum(up + down) FROM activity_tallies"), how_many("activity_votes WHERE NOT archived"));
    expect_kept();
  }

  const int seed = number_from_environment("CHAIN_SEED", 20261123);
  chain_history random{static_cast<std::uint64_t>(seed)};
  std::vector<int>
    first_profiles; // by blocks with events: who joined in that block, or later, has this number or a higher one
};

TEST_F(ChainHistory, IsThereOnceThroughKillsOfServerNodeAndDatabase) {
  SCOPED_TRACE("CHAIN_SEED=" + std::to_string(seed));
  const auto events = number_from_environment("CHAIN_EVENTS", 500);
  const auto strikes = number_from_environment("CHAIN_STRIKES", 10);
  start();
  for (int sent = 0, struck = 0; sent < events;) {
    sent += emit_block();
    if (struck >= strikes * static_cast<std::int64_t>(sent) / events)
      continue;
    ++struck;
    sleep_a_little(100);
    strike();
  }
  if (!own.running())
    start();
  ASSERT_TRUE(stands_at_head(long_timeout));
  expect_all_is_there_once();
  EXPECT_GT(how_many("chain_events WHERE status = 'applied'"), how_many("chain_events") / 2);
}

TEST_F(ChainHistory, IsWhatTheChainHasAfterEveryReorganisation) {
  SCOPED_TRACE("CHAIN_SEED=" + std::to_string(seed));
  const auto reorganisations = number_from_environment("CHAIN_REORGANISATIONS", 20);
  start();
  for (int done = 0; done < reorganisations && !HasFailure(); ++done) {
    SCOPED_TRACE("reorganisation " + std::to_string(done));
    for (int blocks = 1 + random.below(3); blocks > 0; --blocks)
      emit_block();
    if (random.below(2) == 0) {
      ASSERT_TRUE(stands_at_head());
    }
    reorganise_at_random();
    if (random.below(4) == 0) { // another one while the first is being undone
      sleep_a_little(150);
      reorganise_at_random();
    }
    if (random.below(8) == 0) {
      sleep_a_little(150);
      kill_server();
    }
    ASSERT_TRUE(stands_at_head());
    expect_whole();
  }
  EXPECT_GT(number("SELECT taken_back FROM chain_follow"), reorganisations / 2);
  expect_all_is_there_once();
}

struct VouchFees : followed_records {
  VouchFees() : followed_records({.contracts = {contract_kind::vouch}, .kinds = ",vouch"}) {}
};

TEST_F(VouchFees, AreThoseOfTheContract) {
  start();
  EXPECT_EQ(seen("/api/v2/vouches/fees", "/entryVouchersPoolFeeBasisPoints"), "400") << "by the settings";
  emit(vouch_events::exit_fee_basis_points_updated{50});
  EXPECT_TRUE(becomes("/api/v2/vouches/fees", "/exitFeeBasisPoints", "50"));
  EXPECT_EQ(seen("/api/v1/fees", "/data/exitFeeBasisPoints"), R"("50n")");
  EXPECT_EQ(seen("/api/v2/vouches/fees", "/entryVouchersPoolFeeBasisPoints"), "400");
}

} // namespace
} // namespace credence::test
