#include "tests/system/wallet_chain.hpp"

#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_records.hpp"

#include <array>

/// Why actions of managed wallets are refused, each by its real cause: status, code, message, and when to come again.
namespace credence::test {
namespace {

const std::string funds_check = "/api/v2/wallets/funds-check";

struct WalletErrors : wallet_users {
  /// `status CODE`; the message holds that text. `retry_after`: seconds, or empty.
  static void expect_refused(const http_response& answer, const std::string& code, const std::string& text,
                             const std::string& retry_after = {}) {
    EXPECT_EQ(code_of(answer), code) << answer.body;
    EXPECT_NE(answer.body.find(text), std::string::npos) << answer.body;
    const auto found = answer.headers.find("retry-after");
    EXPECT_EQ(found == answer.headers.end() ? "" : found->second, retry_after) << answer.body;
  }
  http_response dry_run(partner_page& by) { return by.post(by_address + "?dryRun=true", review_of("tried")); }
  /// Repeats a request with its key until it is done.
  http_response until_done(partner_page& by, const std::string& title, const std::string& key) {
    http_response out;
    await("the action", [&] { return (out = review(by, title, key)).status == 200; });
    return out;
  }
  void node_is_away() {
    liar.lie_whole([](const std::string&) { return std::optional{rpc_reply{"", "502 Bad Gateway"}}; });
  }
  http_response turn_signing(const std::string& to, const std::string& token = {}) {
    http_headers headers{{"X-Service-Client", "operator@1.0"}};
    if (!token.empty())
      headers.emplace_back("Authorization", "Bearer " + token);
    return http_client{server.operator_port()}.send("POST", "/wallets/signing/" + to, headers);
  }
  std::string turned(const std::string& to) {
    return server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'wallet_signing_turned' AND after = '" + to
                                 + "'");
  }
};

TEST_F(WalletErrors, WhoMayNotActHasNothingSigned) {
  partner_page nobody{server};
  let_in(3, other_partner);
  auto cat = signed_in_at(server, profile_of(3));
  const auto vote = activity_path + "review/" + our_id(1) + "/vote", up = std::string{R"({"isUpvote":true})"};
  for (const auto& [path, body] :
       {std::pair{by_address, review_of("x")}, {vote, up}, {managed_path + "transactions", std::string{}}}) {
    const auto ask = [&, &at = path, &with = body](partner_page& page) {
      return page.send(with.empty() ? "GET" : "POST", at, with);
    };
    EXPECT_EQ(code_of(ask(nobody)), "401 UNAUTHENTICATED") << path;
    EXPECT_EQ(code_of(ask(cat)), "404 ENDPOINT_DISABLED") << path << ": the page was not let in";
    for (const auto* origin : {"https://evil.example", "null", ""}) {
      EXPECT_EQ(code_of(ask(ben.from(origin))), "403 FORBIDDEN") << path << origin;
      ben.from(partner_origin);
    }
  }
  EXPECT_EQ(code_of(ben.without_client().post(by_address, review_of("x"))), "400 BAD_REQUEST");
  start_again({{"--wallets-partner-actions", "false"}});
  expect_refused(review(ann, "x"), "404 ENDPOINT_DISABLED", "lets no partner act");
  EXPECT_EQ(transactions(), 0);
  EXPECT_EQ(on_chain(wallet_of_ann) + on_chain(wallet_of_ben), 0u);
}

TEST_F(WalletErrors, ThereIsNoWallet) {
  auto cat = let_in(3);
  expect_refused(dry_run(cat), "404 WALLET_NOT_FOUND", "no managed wallet");
  EXPECT_EQ(how_many("managed_wallets WHERE id = " + our_id(3)), 0) << "what is only tried makes none";
  expect_refused(review(cat, "x"), "400 CONTRACT_REVERT", "the sender has no profile");
  EXPECT_EQ(how_many("managed_wallets WHERE id = " + our_id(3)), 1) << "the first action makes it";
  server.kill_hard();
  start_without("--wallets-master-key-file");
  auto page = let_in(1);
  for (const auto& answer :
       {review(page, "x"), dry_run(page), page.get(funds_check), page.get(managed_path + "transactions")})
    expect_refused(answer, "404 EMBEDDED_WALLET_NOT_FOUND", "wallets.master_key");
}

TEST_F(WalletErrors, TheWalletCannotPay) {
  give(wallet_of_ann, "0x1");
  expect_refused(review(ann, "x"), "400 INSUFFICIENT_FUNDS", "send them there");
  expect_refused(dry_run(ann), "400 INSUFFICIENT_FUNDS", text_of(*parse_address(wallet_of_ann)));
  EXPECT_EQ(transactions(), 0);
  give(wallet_of_ann, "0xde0b6b3a7640000");
  EXPECT_EQ(review(ann, "x").status, 200);
}

TEST_F(WalletErrors, TheFundingAccountPaysWhatTheWalletLacks) {
  give(wallet_of_ann, "0x0");
  start_again({{"--wallets-sponsor", "true"}, {"--wallets-sponsor-per-wallet-wei", "20000000000000000"}});
  EXPECT_NE(ann.get(funds_check).body.find(R"("sponsorshipEligible":true)"), std::string::npos);
  ASSERT_TRUE(await("the funding account", [&] { return how_many("managed_wallets WHERE id = 0") == 1; }));
  expect_refused(review(ann, "x", "a-key"), "400 INSUFFICIENT_FUNDS", "pays for gas");
  give("0x" + server.database().sql("SELECT encode(address, 'hex') FROM managed_wallets WHERE id = 0"),
       "0xde0b6b3a7640000");
  const auto paid = until_done(ann, "x", "a-key");
  ASSERT_TRUE(all_done());
  EXPECT_TRUE(node.has_in_block(json_text(paid.body, "/hash")));
  EXPECT_EQ(how_many("wallet_transactions WHERE beneficiary = " + our_id(1)), 1);
  EXPECT_EQ(ann.get(managed_path + "transactions").body.find("sponsorship"), std::string::npos)
    << "that is another wallet's";
}

TEST_F(WalletErrors, TheContractRefuses) {
  const auto id = stored_review(ann, "Kept its word");
  for (const auto& [path, body, reason] :
       {std::array<std::string, 3>{activity_path + "review/" + our_id(900) + "/vote", R"({"isUpvote":true})",
                                   "there is nothing to vote on"},
        {activity_path + "review/" + our_id(900) + "/reply", R"({"content":"x"})", "there is nothing to reply to"},
        {managed_path + "invite/address", R"({"invitee":")" + wallet_of_ben + "\"}", "the invitee has a profile"},
        {managed_path + "invite/cancel", R"({"invitee":")" + text_of(person(88)) + "\"}",
         "there is no such invitation"}}) {
    expect_refused(ann.post(path, body), "400 CONTRACT_REVERT", reason);
    expect_refused(ann.post(path + "?dryRun=true", body), "400 CONTRACT_REVERT", reason);
  }
  expect_refused(ben.post(activity_path + "review/" + id + "/archive"), "400 CONTRACT_REVERT",
                 "the review is somebody else's");
  EXPECT_EQ(transactions(), 1);
}

/// Both are well as the newest block is; when they come into the next one, the second is not.
TEST_F(WalletErrors, TheContractRefusesInTheBlock) {
  const auto archive = activity_path + "review/" + stored_review(ann, "Kept its word") + "/archive";
  const std::string waits = R"({"waitForTxTimeoutSeconds":30})";
  ASSERT_TRUE(all_done());
  no_blocks();
  ASSERT_EQ(ann.post(archive).status, 200);
  http_response told;
  std::thread client{[&] { told = ann.post(archive, waits, "a-key"); }};
  const bool sent =
    await("both at the node", [&] { return how_many("wallet_transactions WHERE state = 'sent'") == 2; });
  blocks();
  client.join();
  ASSERT_TRUE(sent);
  expect_refused(told, "400 CONTRACT_REVERT", "refused it in block");
  ASSERT_TRUE(all_done());
  expect_refused(ann.post(archive, waits, "a-key"), "400 CONTRACT_REVERT", "refused it in block");
  const auto list = ann.get(managed_path + "transactions").body;
  EXPECT_EQ(json_text(list, "/values/0/state") + " " + json_text(list, "/values/1/state"), "failed settled");
  verify();
}

/// The contract knows the wallet that signs, and the API all that the profile has.
TEST_F(WalletErrors, NobodyIsReviewedByItself) {
  const std::string text = R"(,"score":"positive","title":"x"})";
  const auto generic = managed_path + "post/review";
  for (const auto& [path, whom] : {std::pair{by_address, R"({"address":")" + wallet_of_ann + '"'},
                                   {by_address, R"({"address":")" + text_of(person(1)) + '"'},
                                   {generic, R"({"subject":"address:)" + text_of(person(1)) + '"'},
                                   {generic, R"({"subject":"profileId:)" + our_id(1) + '"'}})
    for (const auto* query : {"", "?dryRun=true"}) {
      expect_refused(ann.post(path + query, whom + text), "400 CANNOT_REVIEW_SELF", "profile " + our_id(1));
      EXPECT_EQ(code_of(ben.post(path + "?dryRun=true", whom + text)), "200 ") << whom;
    }
  EXPECT_EQ(transactions(), 0);
}

TEST_F(WalletErrors, AVoteOnTheSameIsOnItsWay) {
  const auto vote = activity_path + "review/" + stored_review(ann, "Kept its word") + "/vote";
  no_blocks();
  ASSERT_EQ(ben.post(vote, R"({"isUpvote":true})").status, 200);
  expect_refused(ben.post(vote, R"({"isUpvote":false})"), "409 NONCE_CONFLICT", "try again when it is in a block", "1");
  expect_refused(ben.post(vote, R"({"isUpvote":true})"), "409 NONCE_CONFLICT", "try again when it is in a block", "1");
  EXPECT_EQ(code_of(ben.post(vote, R"({"isArchive":true})")), "404 NOT_FOUND") << "its record is not known";
  EXPECT_EQ(ann.post(vote, R"({"isUpvote":true})").status, 200) << "of somebody else";
  blocks();
  EXPECT_TRUE(await("the other vote", [&] { return ben.post(vote, R"({"isUpvote":false})").status == 200; }));
  EXPECT_TRUE(all_done());
  verify();
}

TEST_F(WalletErrors, AnotherProgramUsesTheWallet) {
  no_blocks();
  send_outside(1, 0);
  liar.lie([](const rpc_question& question, const std::string& member) { // a node that has not heard of it
    return std::optional{question.method == "eth_getTransactionCount" ? std::string{R"("result":"0x0")"} : member};
  });
  expect_refused(review(ann, "x", "first"), "409 NONCE_CONFLICT", "nonce 0", "1");
  const auto failed = ann.get(managed_path + "transactions").body;
  EXPECT_EQ(json_text(failed, "/values/0/state"), "failed");
  EXPECT_NE(json_text(failed, "/values/0/reason").find("nonce 0"), std::string::npos) << failed;
  blocks();
  liar.tell_the_truth();
  expect_refused(review(ann, "x", "first"), "409 NONCE_CONFLICT", "nonce 0",
                 "1"); // that key tells what became of its transaction
  EXPECT_EQ(transactions(), 1);
  until_done(ann, "x", "second");
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), 2u);
  EXPECT_TRUE(await("the record", [&] { return how_many("reviews WHERE comment = 'x'") == 1; }));
  verify();
}

TEST_F(WalletErrors, TooManyTransactionsAreOnTheirWay) {
  start_again({{"--wallets-in-flight-max", "3"}});
  no_blocks();
  for (const auto* title : {"one", "two", "three"})
    ASSERT_EQ(review(ann, title).status, 200);
  expect_refused(review(ann, "four", "a-key"), "429 RATE_LIMITED", "3 transactions on their way", "5");
  EXPECT_EQ(review(ben, "five").status, 200) << "another wallet";
  blocks();
  until_done(ann, "four", "a-key");
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), 4u);
}

TEST_F(WalletErrors, TheDayAllowsNoMore) {
  start_again({{"--wallets-signatures-per-day", "2"}});
  for (const auto* title : {"one", "two"})
    ASSERT_EQ(review(ann, title).status, 200);
  EXPECT_EQ(code_of(review(ann, "three")), "429 RATE_LIMITED");
  EXPECT_EQ(code_of(dry_run(ann)), "429 RATE_LIMITED");
  start_again({{"--wallets-signatures-per-day", "2"}});
  const auto told = review(ann, "three");
  EXPECT_EQ(code_of(told), "429 RATE_LIMITED") << "a restart forgets nothing";
  EXPECT_NE(told.body.find("wallets.signatures_per_day"), std::string::npos) << told.body;
  const auto seconds = std::stoi(told.headers.at("retry-after"));
  EXPECT_TRUE(seconds > 5 && seconds <= 24 * 60 * 60) << seconds << ": until the day (UTC) ends";
  EXPECT_EQ(review(ben, "four").status, 200);
}

TEST_F(WalletErrors, AUserAsksTooOften) {
  start_again({{"--http-rate-limits", "true"}, {"--http-rate-wallet", "1/h burst 2"}});
  EXPECT_EQ(review(ann, "one").status, 200);
  EXPECT_EQ(dry_run(ann).status, 200) << "it counts, too";
  for (const auto& answer : {review(ann, "three"), ann.post(activity_path + "review/1/vote", R"({"isUpvote":true})")}) {
    EXPECT_EQ(code_of(answer), "429 RATE_LIMITED");
    EXPECT_GT(std::stoi(answer.headers.at("retry-after")), 0);
    EXPECT_EQ(answer.headers.at("access-control-allow-origin"), partner_origin) << "the page is to see why";
  }
  EXPECT_EQ(ann.get(funds_check).status, 200) << "reads are counted by themselves";
  EXPECT_EQ(review(ben, "four").status, 200) << "each user has a bucket";
}

TEST_F(WalletErrors, NoNodeAnswers) {
  start_again({{"--wallets-node-timeout", "1000"}});
  node_is_away();
  expect_refused(review(ann, "x", "first"), "503 BLOCKCHAIN_UNAVAILABLE", "do not answer", "5");
  expect_refused(dry_run(ann), "503 BLOCKCHAIN_UNAVAILABLE", "do not answer", "5");
  EXPECT_EQ(transactions(), 0);
  liar.tell_the_truth();
  until_done(ann, "x", "first");
  node.stop(); // it takes connections, and says nothing
  expect_refused(review(ann, "y", "second"), "503 BLOCKCHAIN_UNAVAILABLE", "do not answer", "5");
  node.go_on();
  until_done(ann, "y", "second");
  ASSERT_TRUE(all_done());
  EXPECT_EQ(on_chain(wallet_of_ann), 2u);
}

TEST_F(WalletErrors, TheChainIsTooDear) {
  start_again({{"--wallets-fee-max-wei", "5000000000"}});
  node.ask("anvil_setNextBlockBaseFeePerGas", R"(["0x174876e800"])");
  node.mine(1);
  expect_refused(review(ann, "x"), "503 BLOCKCHAIN_UNAVAILABLE", "pay at most 5000000000", "5");
  EXPECT_EQ(transactions(), 0);
}

TEST_F(WalletErrors, WalletsAreSwitchedOff) {
  for (const auto* tried : {"off?dryRun=true", "on?dryRun", "off?dry_run=true"})
    EXPECT_EQ(turn_signing(tried).status, 400) << tried;
  EXPECT_EQ(turned("off"), "0");
  EXPECT_EQ(turn_signing("off").body, R"({"signing":false})");
  expect_refused(review(ann, "x"), "404 ENDPOINT_DISABLED", "switched off");
  EXPECT_EQ(ann.get(funds_check).status, 200) << "what there is may be seen";
  EXPECT_EQ(turned("off"), "1");
  EXPECT_EQ(turn_signing("on").status, 401) << "that is an admin's decision";
  EXPECT_EQ(turn_signing("on", fresh_token(server, profile_of(1))).status, 403);
  expect_refused(review(ann, "x"), "404 ENDPOINT_DISABLED", "switched off");
  const auto made = server.command({"token", our_id(1), "--admin"}).out;
  EXPECT_EQ(turn_signing("on", made.substr(0, made.find('\n'))).body, R"({"signing":true})");
  EXPECT_EQ(turned("on"), "1");
  EXPECT_EQ(review(ann, "x").status, 200);
  start_again({{"--wallets-signing", "false"}});
  expect_refused(review(ann, "y"), "404 ENDPOINT_DISABLED", "switched off");
  EXPECT_EQ(transactions(), 1);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(turn_signing("off").status, 200);
  EXPECT_EQ(server.terminate(), 0);
  EXPECT_TRUE(server.logs(R"("on":false,"by":"operator@1.0","repeated":1)"))
    << "what is held back is told at the end: " << server.log();
}

} // namespace
} // namespace credence::test
