#include "persistence/sql/chain_sql.hpp"

#include "tests/persistence/sql/chain_rows_fixture.hpp"

#include <limits>

/// Failed events that are tried again, when an operator asks for it.
namespace credence::persistence {
namespace {

event review_of(int number, const address& by, const address& of) {
  return review_events::review_created{review_score::positive, by, {}, of, {number}, {0}};
}

class ReprocessedEvents : public ChainRows {
protected:
  ReprocessedEvents() {
    apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}, 1);
  }

  /// A final block whose events an older build could not read.
  void store_unread(const std::vector<event>& events) {
    const auto fresh = block(static_cast<int>(at.tip.number) + 1, fork);
    blocks_applied step{how.chain,    at.tip.hash, fresh,
                        fresh.number, {fresh},     events_of(logs_of(events, fresh), how, at.last_event + 1),
                        {},           noon};
    for (auto& each : step.events) {
      each.status = event_status::failed;
      each.reason = "bad_word";
      each.log_data.reset();
    }
    write(step);
    at = position_after(at, step);
  }
  /// The same of a block that is read.
  void apply_final(const std::vector<event>& events) { apply(events, at.tip.number + 1); }

  /// The change that trying the next failed event leads to, as the actor makes it.
  event_reprocessed next_change(const stored_reprocess& found) {
    event_reprocessed out{how.chain, found.tip, found.tried_to.value(), 0, {}, {}, event_status::failed, {}, {}, noon};
    if (!found.next)
      return out;
    blocks_applied step;
    step.chain = how.chain;
    step.finalized = std::numeric_limits<block_number>::max();
    step.events.push_back(read_again(*found.next));
    fold_in(step);
    const auto& tried = step.events.front();
    out.event = tried.id;
    out.event_name = tried.event_name;
    out.log_data = tried.log_data;
    out.status = tried.status;
    out.reason = tried.reason;
    out.rows = std::move(step.rows);
    return out;
  }
  stored_reprocess wanted() { return read(on, load_reprocess{how.chain}, soon()); }
  /// All of them, one after the other; how many there were.
  int reprocess() {
    EXPECT_TRUE(reprocess_failed(on, soon()));
    int tried = -1;
    for (auto found = wanted(); found.tried_to && tried < 100; found = wanted()) {
      write(next_change(found));
      ++tried;
    }
    EXPECT_FALSE(wanted().tried_to) << "it is done";
    return tried;
  }
  std::string fate_of_event(int id) {
    return on
      .exec_params("SELECT status || ' ' || coalesce(reason, '') FROM chain_events WHERE id = $1::int8",
                   parameters{}.int8(id), soon())
      .value<std::string>();
  }
};

TEST_F(ReprocessedEvents, AreAppliedBehindWhatHasComeSince) {
  store_unread({review_of(0, alice, bob), review_events::review_archived{{0}, alice, bob}});
  apply_final({review_of(1, bob, alice)});
  EXPECT_EQ(count("SELECT count(*) FROM reviews"), 1);
  EXPECT_EQ(reprocess(), 2);
  EXPECT_EQ(fate_of_event(3), "applied ");
  EXPECT_EQ(fate_of_event(4), "applied ") << "it needs the one before it";
  EXPECT_EQ(
    count("SELECT count(*) FROM reviews WHERE id = 1000 AND archived AND author_profile = 1001 AND event_id = 4"), 1);
  EXPECT_EQ(
    count("SELECT count(*) FROM chain_events WHERE id IN (3, 4) AND event_name IS NOT NULL AND log_data IS NOT NULL"),
    2);
  EXPECT_EQ(count("SELECT count(*) FROM chain_texts WHERE kind = 'review' AND id = 1000"), 1)
    << "its text is read, too";
  expect_whole();
  apply({review_events::review_restored{{0}, alice, bob}});
  expect_whole();
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews WHERE id = 1000 AND archived"), 1);
  expect_whole();
}

TEST_F(ReprocessedEvents, StayFailedWhereLaterEventsHaveChangedTheirRows) {
  const auto token = samples::address_of(9);
  store_unread(
    {broker_events::credit_balance_updated{{1}, token, 0, 5}, broker_events::credit_balance_updated{{2}, token, 0, 8}});
  apply_final({broker_events::credit_balance_updated{{1}, token, 5, 7}});
  EXPECT_EQ(reprocess(), 2);
  EXPECT_EQ(fate_of_event(3), "failed refused:later_events");
  EXPECT_EQ(fate_of_event(4), "applied ") << "nobody has changed that since";
  EXPECT_EQ(count("SELECT balance FROM broker_credits WHERE profile_id = 1001"), 7);
  EXPECT_EQ(count("SELECT balance FROM broker_credits WHERE profile_id = 1002"), 8);
  expect_whole();
}

TEST_F(ReprocessedEvents, StayFailedWhereALaterOneHasSetTheParameter) {
  store_unread({vouch_events::entry_protocol_fee_basis_points_updated{5}});
  apply_final({vouch_events::entry_protocol_fee_basis_points_updated{7}});
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed refused:later_events");
  expect_whole();
}

TEST_F(ReprocessedEvents, KeepTheirPlaceWithANewReasonAndAreTriedAgainLater) {
  apply_final(
    {attestation_events::attestation_created{{1}, people::account_service::x, std::string(1001, '7'), "", {1}}});
  ASSERT_EQ(fate_of_event(3), "failed refused:attestations_account_length");
  test::run_sql(url, "ALTER TABLE attestations RENAME CONSTRAINT attestations_account_length TO another_name");
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed refused:another_name");
  EXPECT_EQ(count("SELECT count(*) FROM attestations WHERE source = 'chain'"), 0);
  expect_whole();
  test::run_sql(url, "ALTER TABLE attestations DROP CONSTRAINT another_name");
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "applied ");
  EXPECT_EQ(count("SELECT count(*) FROM attestations WHERE id = 1001 AND source = 'chain'"), 1);
  EXPECT_EQ(reprocess(), 0) << "none has failed any more";
  expect_whole();
}

TEST_F(ReprocessedEvents, ThatMakeNoSenseAnywayFailAsInTheirPlace) {
  store_unread({review_events::review_archived{{9}, alice, bob}});
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed missing_review");
  expect_whole();
}

TEST_F(ReprocessedEvents, AreTriedOnceEachAndOnlyWhereFollowingStands) {
  store_unread({review_of(0, alice, bob), review_of(1, alice, bob)});
  EXPECT_FALSE(wanted().tried_to) << "nobody has asked for it";
  EXPECT_EQ(reprocess_failed(on, soon()), 2);
  const auto first = next_change(wanted());
  auto elsewhere = first;
  elsewhere.tip = block(77).hash;
  EXPECT_THROW(write(elsewhere), database_error);
  write(first);
  EXPECT_THROW(write(first), database_error) << "twice";
  EXPECT_EQ(reprocess_failed(on, soon()), 1) << "asked for once more, it goes on where it is";
  EXPECT_EQ(wanted().tried_to, 3);
  ASSERT_TRUE(wanted().next);
  EXPECT_EQ(wanted().next->id, 4);
  auto of_another_kind = next_change(wanted());
  of_another_kind.status = event_status::ignored;
  of_another_kind.reason = not_followed;
  of_another_kind.rows.clear();
  write(of_another_kind);
  EXPECT_EQ(count("SELECT count(*) FROM chain_reprocessed"), 1) << "it is to come when its kind does";
}

} // namespace
} // namespace credence::persistence
