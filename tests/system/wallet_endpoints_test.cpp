#include "tests/system/wallet_chain.hpp"

#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <array>

/// What pages of partners do where a chain is followed: each action is a transaction of the user's wallet, and its
/// record comes from there.
namespace credence::test {
namespace {

const std::string nothing_sent = "0x" + std::string(64, '0');

struct WalletEndpoints : wallet_users {
  http_response act(partner_page& by, const std::string& path, const std::string& members) {
    return by.post(path, "{" + members + shows_record + "}");
  }
  http_response vote(partner_page& by, const std::string& review, const std::string& members) {
    return act(by, activity_path + "review/" + review + "/vote", members);
  }
  /// Asks until no earlier vote of the user on the same is on its way.
  static http_response once_free(const std::function<http_response()>& ask) {
    http_response out;
    await("the earlier vote to be in a block", [&] { return code_of(out = ask()) != "409 NONCE_CONFLICT"; });
    return out;
  }
  /// The wallet sent what the answer names to that contract, and it is in a block.
  void expect_sent(const http_response& answer, const std::string& wallet, const std::string& to) {
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto hash = json_text(answer.body, "/hash");
    ASSERT_TRUE(await("the transaction's block", [&] { return node.has_in_block(hash); }));
    const auto sent = node.ask("eth_getTransactionByHash", "[\"" + hash + "\"]");
    EXPECT_EQ(parse_address(json_text(sent, "/from")), parse_address(wallet)) << sent;
    EXPECT_EQ(parse_address(json_text(sent, "/to")), parse_address(contract(to))) << sent;
    EXPECT_EQ(json_text(node.ask("eth_getTransactionReceipt", "[\"" + hash + "\"]"), "/status"), "0x1");
  }
  std::string get(const std::string& path) { return server.client().get("/api/v2/" + path).body; }
  std::string votes_on(const std::string& review) {
    const auto stats = get("votes/stats?type=review&activityId=" + review);
    return std::to_string(json_number(stats, "/counts/upvotes")) + " "
           + std::to_string(json_number(stats, "/counts/downvotes"));
  }
};

TEST_F(WalletEndpoints, AReviewIsATransactionOfItsAuthor) {
  const auto answer =
    ann.post(by_address, review_of("Kept its word!", R"(,"content":"On time.","waitForReviewTimeoutSeconds":30)"));
  expect_sent(answer, wallet_of_ann, "review");
  EXPECT_TRUE(tells(answer.body, "/review/authorProfileId", profile_of(1), "/review/author", wallet_of_ann));
  EXPECT_EQ(parse_address(json_text(answer.body, "/review/subject")), person(77));
  EXPECT_TRUE(tells(answer.body, "/review/score", "positive", "/review/metadata", R"({"description":"On time."})"));
  const auto id = std::to_string(json_number(answer.body, "/review/id"));
  EXPECT_EQ(json_text(answer.body, "/reviewSlug"), id + "/kept-its-word");
  EXPECT_EQ(json_text(get("reviews/" + id), "/comment"), "Kept its word!") << "as anybody sees it";

  const auto at_once = review(ann, "No wait");
  expect_sent(at_once, wallet_of_ann, "review");
  EXPECT_EQ(at_once.body.find("\"review\""), std::string::npos) << "nobody waited for it";
  EXPECT_EQ(json_text(at_once.body, "/reviewSlug"), "no-wait");
  EXPECT_TRUE(await("the record", [&] { return how_many("reviews WHERE comment = 'No wait'") == 1; }));
  verify();
}

TEST_F(WalletEndpoints, WhoeverWaitsIsToldOfTheTransactionThatReplacedTheFirst) {
  start_again({{"--wallets-stuck-after", "1000"}});
  no_blocks();
  http_response told;
  std::thread client{[&] { told = ann.post(by_address, review_of("Dearer", shows_record)); }};
  const bool replaced = await("a replacement", [&] {
    return how_many("wallet_transactions WHERE replaces IS NOT NULL AND state = 'sent'") >= 1;
  });
  blocks();
  client.join();
  ASSERT_TRUE(replaced);
  expect_sent(told, wallet_of_ann, "review");
  EXPECT_EQ(json_text(told.body, "/review/comment"), "Dearer") << told.body;
  EXPECT_EQ(how_many("wallet_transactions WHERE replaces IS NOT NULL AND hash = decode('"
                     + json_text(told.body, "/hash").substr(2) + "', 'hex')"),
            1);
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), 1u);
}

TEST_F(WalletEndpoints, AReviewIsAboutWhomTheBodyNames) {
  const std::string text = R"(,"score":"negative","title":"Late")";
  const auto generic = managed_path + "post/review", by_x = generic + "/by-x";
  for (const auto& [path, whom, what, value] :
       {std::array<std::string, 4>{generic, R"("subject":"profileId:)" + our_id(2) + '"', "subject",
                                   checksummed_text(person(2))},
        {generic, R"("subject":"address:)" + text_of(person(5)) + '"', "subject", checksummed_text(person(5))},
        {generic, R"("subject":"service:x.com:990011223344")", "attestationDetails/account", "990011223344"},
        {by_x, R"("x":{"id":"44196397"})", "attestationDetails/account", "44196397"},
        {by_x, R"("accountIdOrUsername":"44196398")", "attestationDetails/account", "44196398"}}) {
    const auto answer = act(ann, path, whom + text);
    expect_sent(answer, wallet_of_ann, "review");
    EXPECT_EQ(json_text(answer.body, "/review/" + what), value) << whom;
  }
  EXPECT_EQ(code_of(act(ann, by_x, R"("x":{"username":"nobody_has_this"})" + text)), "404 NOT_FOUND");
  EXPECT_EQ(code_of(act(ann, generic, R"("subject":"somebody")" + text)), "400 BAD_REQUEST");
  EXPECT_EQ(transactions(), 5);
}

TEST_F(WalletEndpoints, AReviewIsEditedAndArchivedByItsAuthorAlone) {
  const auto id = stored_review(ann, "Kept its word");
  const auto edit = managed_path + "edit/review", archive = activity_path + "review/" + id + "/archive";
  const auto edited = act(ann, edit, "\"reviewId\":" + id + R"(,"title":"Kept it twice","content":"More.")");
  expect_sent(edited, wallet_of_ann, "review");
  EXPECT_TRUE(
    tells(edited.body, "/reviewSlug", id + "/kept-it-twice", "/review/metadata", R"({"description":"More."})"));
  EXPECT_EQ(json_text(act(ann, edit, "\"id\":" + id + R"(,"content":"Even more.")").body, "/review/comment"),
            "Kept it twice")
    << "it stays";
  const auto by_other = ben.post(edit, "{\"reviewId\":" + id + R"(,"title":"x"})");
  EXPECT_EQ(code_of(by_other), "400 CONTRACT_REVERT");
  EXPECT_NE(by_other.body.find("the review is somebody else's"), std::string::npos) << by_other.body;
  EXPECT_EQ(code_of(ben.post(archive)), "400 CONTRACT_REVERT");
  EXPECT_EQ(code_of(ann.post(edit, R"({"reviewId":2000000,"title":"x"})")), "404 NOT_FOUND");
  const auto archived = act(ann, archive, R"("waitForReviewTimeoutSeconds":30)");
  expect_sent(archived, wallet_of_ann, "review");
  EXPECT_NE(archived.body.find(R"("archived":true)"), std::string::npos) << archived.body;
  EXPECT_NE(get("reviews/" + id).find(R"("archived":true)"), std::string::npos);
  const auto again = ann.post(archive);
  EXPECT_EQ(code_of(again), "400 CONTRACT_REVERT");
  EXPECT_NE(again.body.find("the review is archived"), std::string::npos) << again.body;
  EXPECT_EQ(on_chain(wallet_of_ben), 0u);
}

/// The contract takes a vote back when it is cast again: nothing is sent that would do what nobody wants.
TEST_F(WalletEndpoints, AVoteStandsIsSwitchedAndWithdrawn) {
  const auto id = stored_review(ann, "Kept its word");
  EXPECT_EQ(code_of(vote(ben, id, R"("isArchive":true)")), "404 NOT_FOUND") << "there is none to withdraw";
  const auto up = vote(ben, id, R"("isUpvote":true)");
  expect_sent(up, wallet_of_ben, "vote");
  EXPECT_EQ(json_number(up.body, "/vote/voter"), profile_of(2));
  EXPECT_EQ(votes_on(id), "1 0");
  const auto same = vote(ben, id, R"("isUpvote":true)");
  EXPECT_EQ(same.status, 200) << "it stands";
  EXPECT_EQ(json_text(same.body, "/hash"), json_text(up.body, "/hash")) << "the transaction that it came by";
  EXPECT_EQ(on_chain(wallet_of_ben), 1u);
  expect_sent(once_free([&] { return vote(ben, id, R"("isUpvote":false)"); }), wallet_of_ben, "vote");
  EXPECT_TRUE(await("the switched vote", [&] { return votes_on(id) == "0 1"; }));
  const auto withdrawn = once_free([&] { return vote(ben, id, R"("isArchive":true)"); });
  expect_sent(withdrawn, wallet_of_ben, "vote");
  EXPECT_NE(withdrawn.body.find(R"("isArchived":true)"), std::string::npos) << withdrawn.body;
  EXPECT_TRUE(await("the end of the vote", [&] { return votes_on(id) == "0 0"; }));
  EXPECT_EQ(vote(ben, id, R"("isArchive":true)").status, 200) << "it is withdrawn";
  EXPECT_EQ(on_chain(wallet_of_ben), 3u);
  expect_sent(once_free([&] { return vote(ben, id, R"("isUpvote":false)"); }), wallet_of_ben, "vote");
  EXPECT_TRUE(await("the vote again", [&] { return votes_on(id) == "0 1"; }));
  for (const auto* nowhere : {"slash/1001", "review/7"})
    EXPECT_EQ(code_of(ben.post(activity_path + std::string{nowhere} + "/vote", R"({"isUpvote":true})")),
              "404 NOT_FOUND")
      << nowhere;
  verify();
}

TEST_F(WalletEndpoints, RepliesAnswerReviewsAndReplies) {
  const auto id = stored_review(ann, "Kept its word");
  const auto first =
    act(ben, activity_path + "review/" + id + "/reply", R"("content":"Thank you","metadata":{"source":"app"})");
  expect_sent(first, wallet_of_ben, "discussion");
  EXPECT_TRUE(tells(first.body, "/reply/content", "Thank you", "/reply/metadata", R"({"source":"app"})"));
  EXPECT_EQ(json_number(first.body, "/reply/authorProfileId"), profile_of(2));
  const auto number_of_first = std::to_string(json_number(first.body, "/reply/id"));
  const auto second = act(ann, activity_path + "reply/" + number_of_first + "/reply", R"("content":"Any time")");
  expect_sent(second, wallet_of_ann, "discussion");
  EXPECT_EQ(json_text(second.body, "/reply/contractType"), "discussion");
  EXPECT_EQ(std::to_string(json_number(second.body, "/reply/targetId")), number_of_first);
  EXPECT_EQ(json_text(get("replies/" + number_of_first), "/content"), "Thank you");
  EXPECT_EQ(code_of(ben.post(activity_path + "review/" + id + "/reply", R"({"content":""})")), "400 BAD_REQUEST");
}

TEST_F(WalletEndpoints, InvitationsAreSentAndTakenBack) {
  const auto invitee = R"("invitee":")" + text_of(person(88)) + '"';
  const auto pending = [&] { return how_many("invitations WHERE sender = " + our_id(1) + " AND status = 'INVITED'"); };
  const auto invited = act(ann, managed_path + "invite/address", invitee);
  expect_sent(invited, wallet_of_ann, "profile");
  EXPECT_NE(invited.body.find(R"("processed":true)"), std::string::npos) << invited.body;
  EXPECT_EQ(pending(), 1);
  const auto again = ann.post(managed_path + "invite/address", "{" + invitee + "}");
  EXPECT_EQ(code_of(again), "400 CONTRACT_REVERT");
  EXPECT_NE(again.body.find("AlreadyInvited(" + checksummed_text(person(88)) + ")"), std::string::npos) << again.body;
  EXPECT_EQ(code_of(ben.post(managed_path + "invite/cancel", "{" + invitee + "}")), "400 CONTRACT_REVERT")
    << "it is not that user's";
  expect_sent(act(ann, managed_path + "invite/cancel", invitee), wallet_of_ann, "profile");
  EXPECT_EQ(pending(), 0);
}

TEST_F(WalletEndpoints, AUserSeesTheTransactionsOfTheWallet) {
  for (const auto* title : {"one", "two"})
    ASSERT_EQ(review(ann, title).status, 200);
  ASSERT_EQ(ann.post(managed_path + "invite/address", R"({"invitee":")" + text_of(person(88)) + "\"}").status, 200);
  ASSERT_TRUE(all_done());
  const auto all = ann.get(managed_path + "transactions").body;
  EXPECT_EQ(json_text(all, "/values/0/kind"), "invite") << "the newest first";
  for (int i = 0; i < 3; ++i) {
    const auto at = "/values/" + std::to_string(i);
    EXPECT_EQ(json_number(all, at + "/nonce"), 2 - i);
    EXPECT_EQ(json_text(all, at + "/state"), "settled");
    EXPECT_EQ(json_text(all, at + "/origin"), partner_origin);
    EXPECT_GT(json_number(all, at + "/block"), 0);
    EXPECT_TRUE(node.has_in_block(json_text(all, at + "/hash")));
  }
  const auto one = ann.get(managed_path + "transactions?limit=1&offset=1").body;
  EXPECT_EQ(json_number(one, "/values/0/nonce"), 1);
  EXPECT_NE(one.find(R"(],"limit":1,"offset":1})"), std::string::npos) << one;
  EXPECT_EQ(ben.get(managed_path + "transactions").body, R"({"values":[],"limit":50,"offset":0})");
  EXPECT_EQ(code_of(ann.get(managed_path + "transactions?limit=1000")), "400 BAD_REQUEST");
}

TEST_F(WalletEndpoints, OneUsersQuestionsForABalanceKeepNobodyWaiting) {
  auto cat = let_in(3);
  std::atomic<int> asked = 0;
  liar.lie_whole([&](const std::string& request) -> std::optional<rpc_reply> {
    if (request.find("eth_getBalance") != std::string::npos && request.find("eth_gasPrice") == std::string::npos)
      ++asked;
    return std::nullopt;
  });
  const auto began = std::chrono::steady_clock::now();
  at_once(8, [&] {
    partner_page again{server};
    again.cookies = cat.cookies;
    for (int times = 0; times < 10; ++times)
      EXPECT_EQ(again.get("/api/v2/wallets/funds-check").status, 200);
  });
  liar.tell_the_truth();
  EXPECT_LE(asked, 2 + (std::chrono::steady_clock::now() - began) / std::chrono::seconds{1})
    << "a node is asked once for all, and not again for a while";
  EXPECT_EQ(review(ann, "Meanwhile").status, 200);
}

TEST_F(WalletEndpoints, TheWalletIsMadeWhenFundsAreAskedFor) {
  auto cat = let_in(3);
  EXPECT_EQ(cat.get(managed_path + "auth-check").body,
            R"({"ok":true,"profileId":)" + our_id(3) + R"(,"enabled":true})");
  const auto made = cat.get("/api/v2/wallets/funds-check").body;
  const auto wallet = json_text(made, "/address");
  EXPECT_EQ(made, R"({"balance":0,"balanceText":"0","sponsorshipEligible":false,"address":")" + wallet + "\"}");
  give(wallet, "0xc9f2c9cd04674edea40000000"); // 10^30, which 64 bits do not hold
  const auto rich =
    R"({"balance":1000000000000000000000000000000,"balanceText":"1000000000000000000000000000000","sponsorshipEligible":false,"address":")"
    + wallet + "\"}";
  EXPECT_TRUE(await("the balance of now", [&] { return cat.get("/api/v2/wallets/funds-check").body == rich; }));
  liar.lie_whole([](const std::string&) { return std::optional{rpc_reply{"", "502 Bad Gateway"}}; });
  EXPECT_EQ(cat.get("/api/v2/wallets/funds-check").body, rich) << "as a node said last";
}

TEST_F(WalletEndpoints, ADryRunTellsTheCostAndSendsNothing) {
  const auto id = stored_review(ann, "Kept its word");
  ASSERT_TRUE(all_done());
  const auto invitee = R"({"invitee":")" + text_of(person(88)) + "\"}";
  for (const auto& [path, body] : {std::pair{by_address, review_of("Kept its word")},
                                   {managed_path + "edit/review", "{\"reviewId\":" + id + R"(,"title":"x"})"},
                                   {activity_path + "review/" + id + "/vote", R"({"isUpvote":true})"},
                                   {activity_path + "review/" + id + "/reply", R"({"content":"x"})"},
                                   {activity_path + "review/" + id + "/archive", ""},
                                   {managed_path + "invite/address", invitee}}) {
    const auto tried = ann.post(path + "?dryRun=true", body);
    ASSERT_EQ(tried.status, 200) << path << tried.body;
    EXPECT_EQ(json_text(tried.body, "/hash"), nothing_sent) << path;
    EXPECT_GT(std::stoull(json_text(tried.body, "/costWei")), 21'000u) << path;
  }
  EXPECT_EQ(code_of(ann.post(managed_path + "invite/cancel?dryRun=true", invitee)), "400 CONTRACT_REVERT")
    << "it would be refused";
  EXPECT_EQ(transactions(), 1);
  EXPECT_EQ(on_chain(wallet_of_ann), 1u);
}

// -- requests that come again ---------------------------------------------------------------------

TEST_F(WalletEndpoints, ARequestThatComesAgainIsAnsweredAsBefore) {
  const auto id = stored_review(ann, "Kept its word");
  const auto invitee = R"({"invitee":")" + text_of(person(88)) + "\"}";
  const std::vector<std::pair<std::string, std::string>> acts{
    {by_address, review_of("Again")},
    {managed_path + "edit/review", "{\"reviewId\":" + id + R"(,"title":"x"})"},
    {activity_path + "review/" + id + "/vote", R"({"isUpvote":true})"},
    {activity_path + "review/" + id + "/reply", R"({"content":"x"})"},
    {managed_path + "invite/address", invitee},
    {managed_path + "invite/cancel", invitee},
    {activity_path + "review/" + id + "/archive", ""}};
  std::vector<std::string> told;
  for (const auto& [path, body] : acts) {
    const auto first = ann.post(path, body, "a-key");
    ASSERT_EQ(first.status, 200) << path << first.body;
    ASSERT_TRUE(await("its block",
                      [&] { return node.has_in_block(json_text(first.body, "/hash")); })); // the next one may need it
    told.push_back(first.body);
  }
  const auto all_again = [&](const std::string& after, bool kept) {
    for (std::size_t i = 0; i < acts.size(); ++i) {
      const auto again = ann.post(acts[i].first, acts[i].second, "a-key");
      EXPECT_EQ(again.body, told[i]) << acts[i].first << after;
      EXPECT_EQ(again.headers.contains("idempotency-replayed"), kept) << acts[i].first << after;
    }
  };
  all_again("", true);
  start_again();
  all_again(" after a kill", true);
  server.database().sql("DELETE FROM idempotency_records WHERE answered");
  start_again();
  all_again(" after its answer was lost", false);
  EXPECT_EQ(code_of(ann.post(by_address, review_of("Another"), "a-key")), "422 IDEMPOTENCY_KEY_REUSED");
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), acts.size() + 1);
  verify();
}

/// The server dies with the transaction stored, before a node has it: the repeat is told its hash, and it is sent.
TEST_F(WalletEndpoints, ARequestThatNobodyAnsweredIsOneTransaction) {
  liar.hang("eth_sendRawTransaction");
  std::thread client{[this] { review(ann, "Kept its word", "a-key"); }};
  const bool stored = await("the transaction in the database", [&] { return transactions() == 1; });
  server.kill_hard();
  client.join();
  ASSERT_TRUE(stored);
  liar.go_on();
  start_again();
  http_response again;
  ASSERT_TRUE(await("the answer", [&] { return (again = review(ann, "Kept its word", "a-key")).status == 200; }))
    << again.body;
  ASSERT_TRUE(all_done());
  EXPECT_TRUE(node.has_in_block(json_text(again.body, "/hash")));
  EXPECT_EQ(on_chain(wallet_of_ann), 1u);
  EXPECT_TRUE(await("the record", [&] { return how_many("reviews WHERE comment = 'Kept its word'") == 1; }));
}

TEST_F(WalletEndpoints, ARequestThatComesManyTimesAtOnceIsOneTransaction) {
  std::atomic<int> good{0};
  at_once(6, [&] {
    partner_page page{server};
    page.cookies = ann.cookies;
    await("its answer", [&] {
      const auto answer = review(page, "Kept its word", "a-key");
      EXPECT_TRUE(answer.status == 200 || answer.status == 409) << answer.status << answer.body;
      good += answer.status == 200 ? 1 : 0;
      return answer.status == 200;
    });
  });
  EXPECT_EQ(good, 6);
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), 1u);
}

// -- the key itself -------------------------------------------------------------------------------

TEST_F(WalletEndpoints, TheOwnerTakesTheKeyOutOnAPageOfThisService) {
  const auto path = managed_path + "export", unsigned_body = std::string{R"({"passphrase":"correct horse battery"})"};
  const auth::wallet owner{"the owner's own wallet"}, thief{"somebody else's wallet"};
  link_wallet(server, owner, profile_of(1));
  link_wallet(server, thief, profile_of(3));
  const auto signed_by = [&](const auth::wallet& by, int person, const std::string& purpose = "wallet-export") {
    auto says = key_message(by);
    says.statement = "Export the key of the managed wallet of profile " + our_id(person) + ".";
    says.nonce = json_text(server.client().get("/api/v2/auth/nonce?purpose=" + purpose).body, "/nonce");
    auto out = login_body(says, by);
    return out.insert(1, R"("passphrase":"correct horse battery",)");
  };
  const auto body = signed_by(owner, 1);
  partner_page own{server, own_page}, of_nobody{server, own_page};
  ASSERT_EQ(own.exchange(fresh_token(server, profile_of(1))).status, 200);
  EXPECT_EQ(code_of(own.post(path, unsigned_body)), "400 BAD_REQUEST") << "a session alone is not enough";
  EXPECT_EQ(code_of(own.post(path, signed_by(thief, 1))), "403 FORBIDDEN");
  EXPECT_EQ(code_of(own.post(path, signed_by(owner, 3))), "400 INVALID_MESSAGE") << "for another wallet";
  EXPECT_EQ(code_of(own.post(path, signed_by(owner, 1, "sign-in"))), "400 INVALID_MESSAGE")
    << "the nonce is one to sign in with";
  const auto told = ok(own.post(path, body, "a-key"));
  EXPECT_EQ(parse_address("0x" + json_text(told.body, "/keystore/address")), parse_address(wallet_of_ann));
  EXPECT_EQ(told.headers.at("cache-control"), "no-store");
  EXPECT_EQ(code_of(own.post(path, body, "a-key")), "409 ANSWER_NOT_KEPT");
  EXPECT_EQ(code_of(own.post(path, body)), "400 NONCE_REUSED") << "each export is signed for";
  EXPECT_EQ(how_many("managed_wallets WHERE exported_at IS NOT NULL"), 1);
  ASSERT_EQ(of_nobody.exchange(fresh_token(server, profile_of(3))).status, 200);
  EXPECT_EQ(code_of(of_nobody.post(path, signed_by(thief, 3))), "404 WALLET_NOT_FOUND") << "none was made";
}

} // namespace
} // namespace credence::test
