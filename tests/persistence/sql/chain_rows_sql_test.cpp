#include "persistence/sql/slash_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

event review_of(int number, const address& by, const address& of) {
  return review_events::review_created{review_score::positive, by, {}, of, {number}, {0}};
}

TEST_F(ChainRows, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({profile_events::profile_created{{1}, alice}});
  apply({review_of(0, alice, bob)});
  EXPECT_EQ(count("SELECT count(*) FROM profiles WHERE id = 1001 AND source = 'chain' AND event_id = 1 AND block = 1 "
                  "AND NOT archived"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews WHERE id = 1000 AND author_profile = 1001 AND source = 'chain' AND "
                  "event_id = 2 AND block = 2"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'review' AND id = 1000"), 1);
  const std::string bobs =
    "SELECT count(*) FROM users u JOIN addresses a ON a.user_id = u.id WHERE a.address = decode('"
    + samples::hex(bob.bytes) + "', 'hex') AND a.kind = 'primary'";
  EXPECT_EQ(count(bobs + " AND u.status = 'INACTIVE' AND u.reviews_positive = 1 AND u.id >= 1000000000"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM score_dirty d JOIN users u ON u.id = d.user_id WHERE d.cause = 'event 2' AND "
                  "u.reviews_positive = 1"),
            1);
  expect_whole();
  on.exec("INSERT INTO score_latest SELECT id, now() FROM users WHERE id >= 1000000000",
          soon()); // both have scores by now
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM users WHERE id >= 1000000000"), 1) << "of the author alone";
  EXPECT_EQ(count("SELECT count(*) FROM reviews"), 0);
  EXPECT_EQ(count(bobs), 0) << "nobody has named the address";
  expect_whole();
  apply({profile_events::profile_created{{2}, bob}, review_of(0, bob, alice),
         review_events::review_archived{{0}, bob, alice}});
  EXPECT_EQ(count(bobs + " AND u.status = 'ACTIVE'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews WHERE archived"), 1);
  expect_whole();
}

TEST_F(ChainRows, TellSinceWhichBlockTheyAreAsTheyAre) {
  apply({profile_events::profile_created{{1}, alice}});
  apply({profile_events::address_claim{{1}, bob, address_claim_kind::claimed}});
  apply({profile_events::profile_created{{2}, samples::address_of(3)}, profile_events::invites_added{{1}, 3}});
  const auto profile = [&](int id) {
    return count("SELECT since_block FROM profiles WHERE id = " + std::to_string(1000 + id));
  };
  const auto bobs = [&] {
    return count("SELECT since_block FROM addresses WHERE address = decode('" + samples::hex(bob.bytes) + "', 'hex')");
  };
  EXPECT_EQ(profile(1), 1) << "invites change nothing of that";
  EXPECT_EQ(count("SELECT block FROM profiles WHERE id = 1001"), 3);
  EXPECT_EQ(bobs(), 2);
  apply({profile_events::address_claim{{1}, bob, address_claim_kind::unclaimed}});
  EXPECT_EQ(bobs(), 4);
  undo(1);
  EXPECT_EQ(bobs(), 2) << "as it was";
  apply({profile_events::profile_archived{{1}}});
  EXPECT_EQ(profile(1), 1);
  apply({profile_events::profile_restored{{1}}});
  EXPECT_EQ(profile(1), 5) << "back from the archive";
  undo(3);
  apply({});
  apply({profile_events::profile_created{{2}, samples::address_of(3)}});
  EXPECT_EQ(profile(2), 4) << "it came again in another block";
  EXPECT_EQ(count("SELECT count(*) FROM profiles WHERE source = 'api' AND since_block IS NOT NULL"), 0);
  expect_whole();
}

TEST_F(ChainRows, AProfileThatIsTakenBackIsFilledAgain) {
  apply({profile_events::profile_created{{1}, alice}});
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM profiles WHERE id = 1001 AND archived AND orphaned"), 1);
  expect_whole();
  apply({profile_events::profile_created{{1}, bob}});
  EXPECT_EQ(count("SELECT count(*) FROM profiles WHERE id = 1001 AND NOT archived AND NOT orphaned"), 1);
  expect_whole();
}

TEST_F(ChainRows, AnEventThatTheDatabaseRefusesFailsAlone) {
  apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}});
  const auto attested = [](int number, int profile, const std::string& account) {
    return attestation_events::attestation_created{{profile}, people::account_service::x, account, "", {number}};
  };
  apply({attested(1, 1, "7"), attested(2, 2, std::string(1001, '7')),
         review_of(0, alice, bob)}); // an index holds no such text
  ASSERT_EQ(last.events.size(), 3u);
  EXPECT_EQ(last.events[0].status, event_status::applied);
  EXPECT_EQ(last.events[1].status, event_status::failed);
  EXPECT_EQ(last.events[1].reason, "refused:attestations_account_length");
  EXPECT_EQ(last.events[2].status, event_status::applied);
  EXPECT_EQ(
    count(
      "SELECT count(*) FROM chain_events WHERE status = 'failed' AND reason = 'refused:attestations_account_length'"),
    1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM chain_refusals"), 0) << "it is stored with the event";
  expect_whole();
}

TEST_F(ChainRows, AnAccountMovesToAnotherAttestationAndBackInOneBlockEach) {
  const auto service = people::account_service::x;
  const auto archived = [&](int number) {
    return attestation_events::attestation_archived{{number}, service, "7", {number}};
  };
  const auto restored = [&](int number) {
    return attestation_events::attestation_restored{{number}, service, "7", {number}};
  };
  const auto expect_live = [&](int number) {
    EXPECT_EQ(count("SELECT sum(id) FROM attestations WHERE NOT archived"), 1000 + number);
    expect_whole();
  };
  apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}});
  apply({attestation_events::attestation_created{{1}, service, "7", "", {1}}, archived(1),
         attestation_events::attestation_created{{2}, service, "7", "", {2}}});
  expect_live(2);
  apply({archived(2), restored(1)});
  expect_live(1);
  apply({archived(1), restored(2)});
  expect_live(2);
  undo(1);
  expect_live(1);
  undo(1);
  expect_live(2);
  EXPECT_EQ(count("SELECT count(*) FROM chain_events WHERE status = 'failed'"), 0);
}

TEST_F(ChainRows, NothingIsKeptForUndoingWhatIsFinal) {
  apply({profile_events::profile_created{{1}, alice}});
  EXPECT_GT(count("SELECT count(*) FROM chain_undo"), 0);
  apply({profile_events::profile_created{{2}, bob}}, 2);
  EXPECT_EQ(count("SELECT count(*) FROM chain_undo"), 0);
}

TEST_F(ChainRows, ReplayTellsWhatDiffers) {
  apply({profile_events::profile_created{{1}, alice}, review_of(0, alice, bob)});
  test::run_sql(url, "UPDATE reviews SET score = 0");
  const auto found = replay_chain(on, how, soon());
  ASSERT_EQ(found.differences, 1);
  EXPECT_EQ(found.examples.front(), "review 1000 is stored otherwise");
  EXPECT_EQ(found.events, 2);
}

TEST_F(ChainRows, AreWhatTheEventsFoldToWhateverIsTakenBack) {
  samples::dice_type dice{20261123};
  std::map<std::string, std::int64_t> seen; // rows, whenever one looked
  for (int round = 0; round < 200; ++round) {
    std::vector<event> events;
    for (auto left = samples::below(dice, 14); left > 0; --left)
      events.push_back(random_step(dice));
    apply(events);
    if (HasFatalFailure())
      return;
    if (at.blocks.size() > 1 && samples::below(dice, 4) == 0)
      undo(1 + samples::below(dice, std::min<std::size_t>(at.blocks.size() - 1, 5)));
    if (round % 10 == 9) {
      expect_whole();
      test::expect_kept(url, promises_of("slash"));
      for (const std::string table :
           {"reviews", "activity_votes", "broker_posts", "broker_credits", "chain_projects", "token_balances",
            "slashes", "chain_markets", "chain_trades", "chain_prices", "chain_positions"})
        seen[table] += count("SELECT count(*) FROM " + table);
    }
    if (HasFailure()) {
      ADD_FAILURE() << "in round " << round;
      return;
    }
  }
  for (const auto& [table, rows] : seen)
    EXPECT_GT(rows, 0) << table;
}

} // namespace
} // namespace credence::persistence
