#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_chain.hpp"

namespace credence::test {
namespace {

using namespace chain;

address wallet(int number) {
  address out;
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}
event reviewed(int number, int author, int subject) {
  return review_events::review_created{review_score::positive, wallet(author), {}, wallet(subject), {number}, {0}};
}

/// Kinds are added to a chain that is followed already.
struct AddedKinds : followed_chain {
  void follow(const std::string& kinds, int id_offset = 1000) {
    auto flags = flags_for(node.url());
    flags.insert(flags.end(), {"--chain-kinds", kinds, "--chain-id-offset", std::to_string(id_offset)});
    start_by(flags);
  }
};

TEST_F(AddedKinds, GetTheirRecordsFromStoredEvents) {
  node.emit(profiles, joined(1));
  node.emit(reviews, reviewed(0, 1, 2));
  node.emit(reviews, reviewed(1, 1, 3));
  follow("identity");
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_events WHERE reason = 'kind_not_followed'"), 2);
  EXPECT_EQ(reviews_stored(), 0);
  own.kill_hard();
  node.emit(profiles, joined(2)); // whoever was reviewed joins before the reviews are applied
  node.emit(reviews, review_events::review_archived{{1}, wallet(1), wallet(3)});
  follow("identity,review");
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 2);
  EXPECT_EQ(how_many("reviews WHERE id = 1000 AND author_profile = 1001 AND NOT archived"), 1);
  EXPECT_EQ(how_many("reviews WHERE id = 1001 AND archived"), 1);
  EXPECT_EQ(how_many("chain_events WHERE reason = 'kind_not_followed'"), 0);
  EXPECT_EQ(how_many("chain_follow WHERE kinds = 'identity,review' AND replaying = ''"), 1);
  EXPECT_TRUE(has(own.client().get("/api/v2/user/by/profile-id/1002").body, "1002"));
  node.emit(reviews, reviewed(2, 2, 1));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 3);
  expect_whole();
}

TEST_F(AddedKinds, AreAppliedOnceThroughKills) {
  for (int i = 1; i <= 10; ++i)
    node.emit(profiles, joined(i));
  for (int i = 0; i < 60; ++i)
    node.emit(reviews, reviewed(i, 1 + i % 10, 1 + (i + 1) % 10));
  follow("identity");
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  for (int round = 0; round < 5; ++round) {
    follow("identity,review");
    std::this_thread::sleep_for(std::chrono::milliseconds{15 * round});
    own.kill_hard();
  }
  follow("identity,review");
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 60);
  EXPECT_EQ(how_many("chain_events WHERE status = 'applied' AND contract = 'review'"), 60);
  expect_whole();
}

TEST_F(AddedKinds, AreRefusedWhereTheirIdsWouldMeetThoseOfTheApi) {
  node.emit(profiles, joined(1));
  follow("", 0);
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  follow("identity", 0);
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("chain.kinds adds identity, of which the API has made records with ids up to")) << own.log();
  EXPECT_EQ(how_many("profiles WHERE source = 'chain'"), 0);
  own.kill_hard();
  follow("identity", 1000); // as nothing was made of events yet
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("profiles WHERE id = 1001 AND source = 'chain'"), 1);
  expect_whole();
}

TEST_F(AddedKinds, CannotBeTakenAwayAgain) {
  node.emit(profiles, joined(1));
  follow("identity,review");
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  follow("identity");
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("kinds can be added only")) << own.log();
}

event reviewed(int number, review_score score) {
  return review_events::review_created{score, wallet(1), {}, wallet(2), {number}, {0}};
}

/// Failed events are tried again when an operator asks for it. The database refuses neutral reviews at first, as if by
/// mistake.
struct ChainReprocess : followed_chain {
  void follow() {
    auto flags = flags_for(node.url());
    flags.insert(flags.end(), {"--chain-kinds", "identity,review", "--chain-id-offset", "1000", "--admin", "1"});
    start_by(flags);
  }
  /// The second review has failed, in a block that is final by now.
  void follow_with_a_failed_review() {
    own.database().sql("ALTER TABLE reviews ADD CONSTRAINT nobody_is_neutral CHECK (score <> 1)");
    node.emit(profiles, joined(1));
    node.emit(reviews, reviewed(0, review_score::positive));
    node.emit(reviews, reviewed(1, review_score::neutral));
    node.emit(reviews, review_events::review_archived{{1}, wallet(1), wallet(2)});
    node.mine(100);
    node.emit(reviews, reviewed(2, review_score::negative));
    follow();
    ASSERT_TRUE(reaches_head());
    EXPECT_EQ(how_many("chain_events WHERE status = 'failed' AND reason = 'refused:nobody_is_neutral'"), 1);
    EXPECT_EQ(how_many("chain_events WHERE status = 'failed' AND reason = 'missing_review'"), 1);
    EXPECT_EQ(reviews_stored(), 2);
  }
  void be_right() { own.database().sql("ALTER TABLE reviews DROP CONSTRAINT nobody_is_neutral"); }
  /// Waits until what was asked for is done; until then the status tells the head and counts only what failed once
  /// more.
  void reprocessing_ends() {
    const auto ended = [&] { return how_many("chain_follow WHERE reprocess_after IS NULL") == 1; };
    ASSERT_TRUE(await("the end of reprocessing", ended)) << status();
  }
  void expect_all_applied() {
    reprocessing_ends();
    ASSERT_TRUE(status_becomes("failedEvents", "0"));
    ASSERT_TRUE(reaches_head());
    EXPECT_EQ(reviews_stored(), 3);
    EXPECT_EQ(how_many("reviews WHERE id = 1001 AND score = 1 AND archived AND author_profile = 1001"), 1);
    expect_whole();
  }
};

TEST_F(ChainReprocess, AppliesEventsThatNothingIsAgainstAnyMore) {
  follow_with_a_failed_review();
  be_right();
  EXPECT_EQ(own.command({"chain", "reprocess"}).out, "2 events are tried again\n");
  expect_all_applied();
  node.emit(reviews, review_events::review_restored{{1}, wallet(1), wallet(2)});
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("reviews WHERE id = 1001 AND NOT archived"), 1) << "following goes on";
}

TEST_F(ChainReprocess, IsDoneByTheNextServerWhereNoneRuns) {
  follow_with_a_failed_review();
  own.kill_hard();
  be_right();
  EXPECT_EQ(own.command({"chain", "reprocess", "--json"}).out, "{\"triedAgain\":2}\n");
  follow();
  expect_all_applied();
}

TEST_F(ChainReprocess, IsAskedForByAdminsAtTheConsole) {
  follow_with_a_failed_review();
  const auto post = [&](const std::string& token) {
    return http_client{own.admin_port()}.send("POST", "/admin/api/v1/chain/reprocess",
                                              {{"Authorization", "Bearer " + token}});
  };
  EXPECT_EQ(post(own.token(2)).status, 403);
  const auto made = own.command({"token", "1", "--admin"}).out;
  const auto token = made.substr(0, made.find('\n'));
  const auto first = ok(post(token));
  EXPECT_EQ(first.body, R"({"triedAgain":2})");
  reprocessing_ends();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 2) << "the database refuses it still";
  EXPECT_EQ(how_many("audit_log WHERE act = 'events_reprocessed' AND caller_id = 1 AND after = '2 tried again'"), 1);
  be_right();
  EXPECT_EQ(post(token).status, 200);
  expect_all_applied();
}

TEST(ChainReprocessWithoutAChain, SaysSo) {
  service own;
  EXPECT_EQ(own.command({"chain", "reprocess"}).out, "no chain is stored\n");
}

} // namespace
} // namespace credence::test
