#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"

/// Rights rest on settled blocks: what came in a younger one is shown, and nothing hangs on it.
namespace credence::test {
namespace {

using namespace chain;

const auth::wallet dora{"dora"}, emil{"emil"};
const address stranger = person(9);
const std::string account = "1900000000000000001";

/// The node takes a block for safe when there are two more, and for final when there are four.
struct SettledBlocks : followed_records {
  SettledBlocks() : followed_records({.node = {"--slots-in-an-epoch", "2"}}) {}

  /// A server that makes records of these kinds of events, and whose rights rest on such blocks.
  void start_with(const std::string& kinds, const std::string& authority = "safe") {
    with_ = flags(node.url());
    set("--chain-kinds", kinds);
    set("--chain-authority", authority);
    with_.insert(with_.end(), {"--admin", "1"});
    own.start(with_);
  }
  void set(const std::string& flag, const std::string& value) {
    *std::next(std::find(with_.begin(), with_.end(), flag)) = value;
  }

  http_response send(const std::string& method, const std::string& path, const std::string& body, int by = 2) {
    const auto& token = by > ids_behind ? fresh_token(own, by) : own.token(by);
    return own.client().send(method, "/api/v2/" + path, with_json(by_bearer(token), {}), body);
  }
  http_response log_in_as(const auth::wallet& who) {
    const auto nonce = json_text(own.client().get("/api/v2/auth/nonce").body, "/nonce");
    return own.client().post("/api/v2/auth/login", "{" + signed_message(who, nonce) + "}");
  }
  http_response make_key_as(const auth::wallet& who) {
    return own.client().post("/api/v2/api-keys", key_request(who, "a bot"));
  }
  std::string answer_to(const http_response& answer) {
    return answer.status == 200 ? "yes" : std::to_string(answer.status) + " " + json_text(answer.body, "/code");
  }
  /// Refused, and the message says why, and until when.
  void expect_too_young(const http_response& answer, std::uint64_t block, const std::string& what) {
    EXPECT_EQ(answer_to(answer), "409 NOT_YET_SETTLED") << what << answer.body;
    EXPECT_TRUE(has(answer.body, "block " + std::to_string(block) + " ")) << what;
    EXPECT_TRUE(has(answer.body, "authority")) << what;
  }
  /// Everything that would hang on profile `number`, whose wallet this is.
  std::vector<std::pair<std::string, http_response>> all_that_rests_on(int number, const auth::wallet& wallet) {
    const auto id = our_id(number), key = "\"profileId:" + id + "\"",
               at = "\"address:" + text_of(wallet.account()) + "\"";
    const auto slash = R"({"authorProfileId":2,"slashType":"SCORE","comment":"because","amount":100,"subject":)";
    std::vector<std::pair<std::string, http_response>> out;
    const auto add = [&](const std::string& what, http_response answer) { out.emplace_back(what, std::move(answer)); };
    add("signing in", log_in_as(wallet));
    add("a key", make_key_as(wallet));
    add("a session for a token",
        own.client().send("POST", "/api/v2/auth/exchange", by_bearer(fresh_token(own, std::stoi(id)))));
    add("its vote", send("POST", "projects/1/votes", R"({"voteType":"BULLISH"})", std::stoi(id)));
    add("its review",
        send("POST", "reviews/create", R"({"subject":"profileId:3","score":"positive","comment":"x"})", std::stoi(id)));
    add("a review", send("POST", "reviews/create", R"({"score":"positive","comment":"x","subject":)" + key + "}"));
    add("a review of its wallet",
        send("POST", "reviews/create", R"({"score":"positive","comment":"x","subject":)" + at + "}"));
    add("a vouch", send("POST", "vouches/create", R"({"amount":5,"subject":)" + key + "}"));
    add("a tip", send("POST", "xp/tip", R"({"amount":1,"receiverUserkey":)" + key + "}"));
    add("a slash", send("POST", "slashes", slash + key + "}", 1));
    return out;
  }
  bool settled_up_to(std::uint64_t block) { return status_becomes("authority", std::to_string(block)); }

  std::vector<std::string> with_;
};

TEST_F(SettledBlocks, GiveRightsAndYoungerOnesGiveNone) {
  start_with("identity");
  emit(joined(1, dora.account()));
  const auto born = node.head();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(seen("/api/v2/user/by/address/" + text_of(dora.account()), "/profileId"), our_id(1)) << "it is shown";
  for (const auto& [what, answer] : all_that_rests_on(1, dora))
    expect_too_young(answer, born, what + ": ");
  EXPECT_EQ(how_many("reviews"), 0);
  own.database().sql("UPDATE profiles SET api_access = true WHERE id = "
                     + our_id(1)); // as operators do for whoever may have keys

  node.mine(2);
  ASSERT_TRUE(settled_up_to(born));
  for (const auto& [what, answer] : all_that_rests_on(1, dora))
    EXPECT_EQ(answer.status, 200) << what << ": " << answer.body;
  EXPECT_TRUE(metric_becomes("credence_chain_authority", static_cast<std::int64_t>(born)));
  EXPECT_TRUE(has(own.command({"chain", "status", "--json"}).out, "\"authority\":" + std::to_string(born)));
  EXPECT_TRUE(has(own.command({"chain", "status"}).out, "rights up to block " + std::to_string(born)));
  verify();
}

TEST_F(SettledBlocks, SettleAgainAfterARestartWhereTheyWere) {
  start_with("identity");
  emit(joined(1, dora.account()));
  node.mine(2);
  ASSERT_TRUE(settled_up_to(1));
  emit(joined(2, emil.account())); // block 4; safe is 2
  ASSERT_TRUE(settled_up_to(2));
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  node.stop();
  own.start(with_);
  EXPECT_EQ(answer_to(log_in_as(dora)), "yes") << "no node is needed for what is settled";
  expect_too_young(log_in_as(emil), 4, "signing in: ");
  node.go_on();
  node.mine(2);
  ASSERT_TRUE(settled_up_to(4));
  EXPECT_EQ(answer_to(log_in_as(emil)), "yes");
}

/// The undo deletes what the lost blocks brought: nothing hangs on it.
TEST_F(SettledBlocks, NothingHangsOnWhatAReorganisationTakesBack) {
  start_with("identity");
  ASSERT_TRUE(reaches_head());
  const std::string others =
    "SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT FROM profiles p WHERE p.user_id = u.id AND p.orphaned)";
  const auto users = number(others), subjects = how_many("subjects");
  emit_together({joined(1, dora.account()), claimed(1, stranger), attested(1, 1, account)});
  ASSERT_TRUE(reaches_head());
  const auto born = node.head();
  for (const auto& [what, answer] : all_that_rests_on(1, dora))
    EXPECT_EQ(answer_to(answer), "409 NOT_YET_SETTLED") << what << answer.body;
  expect_too_young(
    send("POST", "reviews/create", R"({"score":"negative","comment":"x","subject":"service:x.com:)" + account + "\"}"),
    born, "a review of its account: ");
  expect_too_young(send("POST", "vouches/create", R"({"amount":5,"subject":"address:)" + text_of(stranger) + "\"}"),
                   born, "a vouch for its other wallet: ");
  reorganise(1);
  ASSERT_TRUE(stands_at_head());
  EXPECT_EQ(number(others), users) << "whoever hung on them would have kept them";
  EXPECT_EQ(how_many("subjects"), subjects);
  EXPECT_EQ(answer_to(log_in_as(dora)), "403 FORBIDDEN") << "nobody has that wallet any more";
  expect_kept();

  emit(joined(1, dora.account())); // the same profile again, in another block
  ASSERT_TRUE(reaches_head());
  expect_too_young(log_in_as(dora), node.head(), "again: ");
  node.mine(2);
  ASSERT_TRUE(settled_up_to(node.head() - 2));
  EXPECT_EQ(answer_to(log_in_as(dora)), "yes");
  verify();
}

/// Blocks that were safe may be taken back while they are not final. What is left keeps its rights, what comes instead
/// has none.
TEST_F(SettledBlocks, FallBackToWhatAReorganisationLeaves) {
  start_with("identity");
  emit(joined(1, dora.account()));
  emit(joined(2, emil.account()));
  node.mine(2);
  ASSERT_TRUE(settled_up_to(2));
  ASSERT_EQ(answer_to(log_in_as(emil)), "yes");
  reorganise(
    3,
    {joined(2, emil.account())}); // as many blocks as before: the second profile is in block 2 again, or in another one
  ASSERT_TRUE(stands_at_head());
  EXPECT_EQ(answer_to(log_in_as(dora)), "yes");
  EXPECT_LE(number("SELECT authority FROM chain_follow"), static_cast<std::int64_t>(node.head() - 2));
  node.mine(3);
  ASSERT_TRUE(settled_up_to(node.head() - 2));
  EXPECT_EQ(answer_to(log_in_as(emil)), "yes");
  expect_kept();
}

/// Letting go takes rights away at once; whoever gets the wallet next has them when that block is settled.
TEST_F(SettledBlocks, TakeRightsAwayAtOnce) {
  start_with("identity");
  emit(joined(1, dora.account()));
  emit(claimed(1, emil.account()));
  emit(joined(2, stranger));
  node.mine(2);
  ASSERT_TRUE(settled_up_to(3));
  ASSERT_EQ(answer_to(log_in_as(emil)), "yes");
  emit(profile_events::address_claim{{1}, emil.account(), address_claim_kind::unclaimed});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(answer_to(log_in_as(emil)), "403 FORBIDDEN");
  EXPECT_EQ(answer_to(log_in_as(dora)), "yes") << "the profile itself is as settled as before";
  emit(claimed(2, emil.account()));
  ASSERT_TRUE(reaches_head());
  expect_too_young(log_in_as(emil), node.head(), "its next owner: ");
  emit(profile_events::profile_archived{{1}});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(answer_to(send("POST", "projects/1/votes", R"({"voteType":"BULLISH"})", ids_behind + 1)),
            "403 PROFILE_NOT_LIVE");
  emit(profile_events::profile_restored{{1}});
  ASSERT_TRUE(reaches_head());
  expect_too_young(send("POST", "projects/1/votes", R"({"voteType":"BULLISH"})", ids_behind + 1), node.head(),
                   "back from the archive: ");
  node.mine(2);
  ASSERT_TRUE(settled_up_to(node.head() - 2));
  EXPECT_EQ(answer_to(send("POST", "projects/1/votes", R"({"voteType":"BULLISH"})", ids_behind + 1)), "yes");
  EXPECT_EQ(answer_to(log_in_as(emil)), "yes");
}

/// Votes and replies of the API on a review that came in an event.
TEST_F(SettledBlocks, TakeRepliesAndVotesOnTheirRecords) {
  start_with("identity,review", "finalized");
  emit(joined(1, dora.account()));
  emit(reviewed(0, dora.account(), stranger));
  node.mine(2);
  ASSERT_TRUE(reaches_head());
  const auto vote = R"({"type":"review","isUpvote":true,"id":)" + our_id(0) + "}";
  const auto reply = R"({"type":"review","content":"so it is","id":)" + our_id(0) + "}";
  expect_too_young(send("PUT", "votes", vote), 2, "a vote: ");
  expect_too_young(send("POST", "replies/create", reply), 2, "a reply: ");
  node.mine(2);
  ASSERT_TRUE(settled_up_to(2)) << "final blocks, not safe ones";
  EXPECT_EQ(answer_to(send("PUT", "votes", vote)), "yes");
  EXPECT_EQ(answer_to(send("POST", "replies/create", reply)), "yes");
  verify();
}

TEST_F(SettledBlocks, AreSoManyBehindTheNewestWhereThatIsSet) {
  start_with("identity", "3");
  emit(joined(1, dora.account()));
  node.mine(2);
  ASSERT_TRUE(reaches_head());
  expect_too_young(log_in_as(dora), 1, "signing in: ");
  node.mine(1);
  ASSERT_TRUE(settled_up_to(1));
  EXPECT_EQ(answer_to(log_in_as(dora)), "yes");
}

TEST_F(SettledBlocks, AreSetByAWordOrANumberAndNothingElse) {
  with_ = flags(node.url());
  for (const auto* wrong : {"latest", "", "-1", "1000001", "3 blocks"}) {
    set("--chain-authority", wrong);
    auto words = std::vector<std::string>{"config", "check"};
    words.insert(words.end(), with_.begin(), with_.end());
    const auto ran = own.command(words);
    EXPECT_NE(ran.code, 0) << wrong;
    EXPECT_TRUE(has((ran.out + ran.err), "chain.authority")) << wrong << ran.out << ran.err;
  }
}

} // namespace
} // namespace credence::test
