#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace chain;

constexpr timestamp noon{std::chrono::seconds{1'700'000'000}};

block_mark block(int number, int fork = 0) {
  const auto hash = [](int of, int which) {
    digest32 out{};
    out[0] = static_cast<std::byte>(which + 1);
    out[31] = static_cast<std::byte>(of);
    return out;
  };
  return {static_cast<block_number>(number), hash(number, fork), hash(number - 1, fork), {1'700'000'000 + number}};
}

stored_event event_of(std::int64_t id, const block_mark& in, event_status status = event_status::ignored) {
  stored_event out;
  out.id = id;
  out.block = in.number;
  out.block_hash = in.hash;
  out.at = in.at;
  out.tx_hash[0] = static_cast<std::byte>(id);
  out.log_index = static_cast<std::int32_t>(id);
  out.contract = contract_kind::review;
  out.from.bytes[0] = std::byte{7};
  out.topics.resize(64, std::byte{5});
  out.data = {std::byte{0}, std::byte{255}};
  out.event_name = "ReviewCreated";
  if (status != event_status::failed)
    out.log_data = R"({"eventName":"ReviewCreated","args":{}})";
  out.status = status;
  out.reason = status == event_status::failed ? "bad_word" : "kind_not_followed";
  return out;
}

struct ChainSql : test::store_tests {
  void begin() { put(chain_begun{31337, "review=0x07", "identity,review", 1000, block(4)}); }
  static blocks_applied applied(const block_mark& before, const block_mark& tip, std::vector<stored_event> events,
                                block_number finalized = 0) {
    return {31337, before.hash, tip, finalized, {tip}, std::move(events), {}, noon};
  }
  stored_follow place() { return store.read(load_follow{31337}); }
  std::int64_t count(const char* table) { return store.number(std::string{"SELECT count(*) FROM "} + table); }
};

TEST_F(ChainSql, WhatIsStoredComesBack) {
  EXPECT_FALSE(place().place);
  begin();
  const auto sent = event_of(1, block(5), event_status::failed);
  put(applied(block(4), block(5), {sent, event_of(2, block(5))}, 3));
  const auto found = place();
  ASSERT_TRUE(found.place);
  EXPECT_EQ(found.place->contracts, "review=0x07");
  EXPECT_EQ(found.place->kinds, "identity,review");
  EXPECT_EQ(found.place->id_offset, 1000);
  EXPECT_EQ(found.place->tip, block(5));
  EXPECT_EQ(found.place->finalized, 3u);
  EXPECT_EQ(found.place->last_event, 2);
  EXPECT_EQ(found.blocks, (std::vector{block(4), block(5)}));
  EXPECT_EQ(found.failed, 1);
  const auto events = test::exactly(1, store.read(load_events{31337, sent.tx_hash}).events);
  EXPECT_EQ(events[0].event, sent);
  EXPECT_EQ(events[0].created_at, noon);
  EXPECT_EQ(store.read(load_follow{1}).other_chain, 31337);
}

TEST_F(ChainSql, EachTableOfAChainHasItsWriter) {
  EXPECT_EQ(store.how_many("chain_tables() t WHERE to_regprocedure('put_chain_rows_of_' || t.name "
                           "|| '(bigint, jsonb)') IS NULL"),
            0);
  EXPECT_ANY_THROW(static_cast<void>(store.number("SELECT count(put_chain_rows(0, ARRAY['nonsense'], ARRAY['{}']))")));
}

TEST_F(ChainSql, OnlyWhatFollowsTheTipIsStored) {
  begin();
  const auto once = applied(block(4), block(5), {event_of(1, block(5))});
  put(once);
  EXPECT_TRUE(refuses(once)) << "twice";
  EXPECT_TRUE(refuses(applied(block(6), block(7), {}))) << "a block is left out";
  EXPECT_TRUE(refuses(applied(block(5), block(5, 1), {}))) << "not a later block";
  EXPECT_TRUE(refuses(applied(block(5), block(6), {event_of(3, block(6))}))) << "an id is left out";
  EXPECT_EQ(count("chain_events"), 1);
  put(applied(block(5), block(6), {event_of(2, block(6))}));
  EXPECT_TRUE(refuses(chain_begun{1, "review=0x07", "", 0, block(4)})) << "one chain is followed";
}

TEST_F(ChainSql, TheAuthorityBlockIsStoredAndMovesBackOnlyWithTheTip) {
  begin();
  const auto settling = [](blocks_applied step, block_number authority) {
    step.authority = authority;
    return step;
  };
  put(settling(applied(block(4), block(5), {}), 3));
  EXPECT_EQ(place().place->authority, 3u);
  blocks_applied alone{31337, block(5).hash, block(5), 0, {}, {}, {}, noon, 5};
  ASSERT_EQ(store.result_of(alone), write_result::stored) << "there may be nothing new but that";
  EXPECT_EQ(place().place->authority, 5u);
  EXPECT_EQ(place().place->tip, block(5));
  alone.before = alone.tip.hash = block(5, 1).hash;
  EXPECT_TRUE(refuses(alone)) << "the chain does not stand there";
  put(settling(applied(block(5), block(6), {}), 2));
  EXPECT_EQ(place().place->authority, 5u) << "it does not move back";
  put(blocks_undone{31337, block(6).hash, block(5), noon});
  EXPECT_EQ(place().place->authority, 5u);
  put(blocks_undone{31337, block(5).hash, block(4), noon});
  EXPECT_EQ(place().place->authority, 4u) << "rights rest on what is left";
}

TEST_F(ChainSql, WhatIsTakenBackStaysAsOrphans) {
  begin();
  put(applied(block(4), block(5), {event_of(1, block(5))}));
  put(applied(block(5), block(6), {event_of(2, block(6))}));
  put(blocks_undone{31337, block(6).hash, block(5), noon});
  EXPECT_TRUE(refuses(blocks_undone{31337, block(6).hash, block(5), noon})) << "twice";
  EXPECT_EQ(place().place->tip, block(5));
  EXPECT_EQ(place().place->last_event, 2);
  EXPECT_EQ(count("chain_events"), 1);
  EXPECT_EQ(store.number("SELECT ancestor FROM chain_orphans WHERE id = 2"), 5);
  auto other = block(6, 1);
  other.parent_hash = block(5).hash;
  put(applied(block(5), other, {event_of(3, other)}, 5));
  EXPECT_EQ(count("chain_blocks"), 2) << "what is final is not kept for taking back";
  EXPECT_TRUE(refuses(blocks_undone{31337, other.hash, block(4), noon})) << "what is final stays";
}

TEST_F(ChainSql, AReorganisationCountsOnceInHoweverManyPiecesItIsTakenBack) {
  begin();
  const auto counted = [&] { return store.number("SELECT reorganisations * 10 + taken_back FROM chain_follow"); };
  for (block_number at = 4; at < 7; ++at)
    put(applied(block(at), block(at + 1), {}));
  EXPECT_EQ(counted(), 0);
  put(blocks_undone{31337, block(7).hash, block(6), noon});
  put(blocks_undone{31337, block(6).hash, block(5), noon});
  EXPECT_EQ(counted(), 12);
  put(applied(block(5), block(6), {}));
  put(blocks_undone{31337, block(6).hash, block(5), noon});
  EXPECT_EQ(counted(), 23);
}

TEST_F(ChainSql, WhatIsOfNoUseAnyMoreGoesSomeAtATime) {
  begin();
  test::run_sql(
    store.url,
    "INSERT INTO chain_undo (block_number, relation, key) SELECT 4, 'reviews', '{}' FROM generate_series(1, 5000);"
    " INSERT INTO chain_orphans SELECT n, 31337, 3, decode(repeat('11', 32), 'hex'), '2000-01-01',"
    " decode(repeat('22', 32), 'hex'), 0, n, 'review', decode(repeat('33', 20), 'hex'), '', '', NULL, NULL, 'ignored',"
    " 'unknown_topic', '2000-01-01', '2000-01-01', '2000-01-01', 2 FROM generate_series(100001, 102500) n");
  for (int number = 5; number <= 7; ++number) {
    put(applied(block(number - 1), block(number), {}, 4));
    EXPECT_EQ(count("chain_undo"), number == 7 ? 0 : 5000 - 2000 * (number - 4));
    EXPECT_EQ(count("chain_orphans"), number == 7 ? 0 : 2500 - 1000 * (number - 4));
  }
}

constexpr timestamp noon_of_kinds{std::chrono::seconds{1'790'000'000}};

/// A chain that is followed for people, with five events of reviews.
struct ChainKindsSql : testing::Test, test::one_database {
  ChainKindsSql() {
    tip.fill(std::byte{1});
    write(chain_begun{8453, "review=0x07", "identity", 1000, {10, tip, tip, {1'790'000'000}}});
    test::run_sql(
      url, "INSERT INTO chain_events (id, chain_id, block_number, block_hash, block_at, tx_hash, block_index, "
           "log_index, contract, address, topics, data, event_name, log_data, status, reason, created_at, updated_at) "
           "SELECT n, 8453, 10, decode(repeat('11', 32), 'hex'), now(), decode(repeat('22', 32), 'hex'), 0, n, CASE n "
           "WHEN 3 THEN 'profile' ELSE 'review' END, decode(repeat('33', 20), 'hex'), '', '', NULL, NULL, 'ignored', "
           "CASE n WHEN 4 THEN 'unknown_topic' ELSE 'kind_not_followed' END, now(), now()"
           " FROM generate_series(1, 5) n; UPDATE chain_follow SET last_event = 5");
    add.chain = 8453;
    add.tip = tip;
    add.kinds = "identity,review";
    add.added = "review";
    add.id_offset = 1000;
  }
  stored_replay found(std::int32_t most = 100, std::int32_t id_offset = 1000, const char* kinds = "identity,review") {
    return read(load_replay{8453, kinds_in(kinds), id_offset, most});
  }
  static events_replayed piece(std::int64_t before, std::vector<std::int64_t> ids) {
    events_replayed out{8453, before, ids.empty() ? before : ids.back(), ids.empty(), {}, {}, noon_of_kinds};
    for (const auto id : ids)
      out.events.push_back({id, event_status::failed, "duplicate"});
    return out;
  }

  digest32 tip;
  kinds_added add;
};

TEST_F(ChainKindsSql, EventsOfAnAddedKindComePieceByPieceEachOnce) {
  EXPECT_TRUE(found().next.empty()) << "the kind is not added yet";
  write(add);
  EXPECT_EQ(found().place->kinds, "identity,review");
  EXPECT_EQ(found().place->replaying, "review");
  const auto first = found(2);
  ASSERT_EQ(first.next.size(), 2u);
  EXPECT_EQ(first.next[0].id, 1);
  EXPECT_EQ(first.next[1].id, 2);
  write(piece(0, {1, 2}));
  EXPECT_THROW(write(piece(0, {1, 2})), database_error) << "twice";
  const auto second = found(2);
  EXPECT_EQ(second.applied_to, 2);
  ASSERT_EQ(second.next.size(), 2u);
  EXPECT_EQ(second.next[0].id, 3) << "of a kind that was followed before, and was not applied";
  EXPECT_EQ(second.next[1].id, 5) << "no topic that was unknown";
  write(piece(2, {3, 5}));
  EXPECT_TRUE(found().next.empty());
  write(piece(5, {}));
  EXPECT_EQ(found().place->replaying, "");
  EXPECT_EQ(test::how_many(url, "chain_events WHERE status = 'failed' AND reason = 'duplicate'"), 4);
  const auto added = test::exactly(1, read_added_kinds(on, soon()));
  EXPECT_EQ(added[0].first, 5);
  EXPECT_EQ(added[0].second, kinds_in("review"));
}

TEST_F(ChainKindsSql, AreLookedForAmongSomeEventsAtOnce) {
  test::run_sql(url, "UPDATE chain_events SET id = 30005 WHERE id = 5; UPDATE chain_follow SET last_event = 45000");
  write(add);
  write(piece(0, {1, 2, 3}));
  const auto none = found();
  EXPECT_TRUE(none.next.empty());
  EXPECT_EQ(none.looked_to, 20003);
  auto nothing = piece(3, {});
  nothing.place = none.looked_to;
  nothing.done = false;
  write(nothing);
  const auto one = found();
  EXPECT_EQ(one.place->replaying, "review");
  EXPECT_EQ(one.applied_to, 20003);
  ASSERT_EQ(one.next.size(), 1u);
  EXPECT_EQ(one.next[0].id, 30005);
  write(piece(20003, {30005}));
  EXPECT_TRUE(found().next.empty());
  EXPECT_EQ(found().looked_to, 45000) << "the last event";
}

TEST_F(ChainKindsSql, TheChainStandsWhileEventsAreApplied) {
  write(add);
  digest32 next;
  next.fill(std::byte{2});
  const blocks_applied step{8453, tip, {11, next, tip, {1'790'000'001}}, 0, {}, {}, {}, noon_of_kinds};
  EXPECT_THROW(write(step), database_error);
  write(piece(0, {}));
  EXPECT_NO_THROW(write(step));
}

TEST_F(ChainKindsSql, AreAddedWhereNoBlockCanBeTakenBackAndIdsStayAsTheyAre) {
  auto other = add;
  other.id_offset = 7;
  EXPECT_THROW(write(other), database_error);
  other = add;
  other.tip.fill(std::byte{9});
  EXPECT_THROW(write(other), database_error);
  digest32 next;
  next.fill(std::byte{2});
  write(blocks_applied{
    8453, tip, {11, next, tip, {1'790'000'001}}, 0, {{11, next, tip, {1'790'000'001}}}, {}, {}, noon_of_kinds});
  auto at_next = add;
  at_next.tip = next;
  EXPECT_THROW(write(at_next), database_error) << "block 11 may still be taken back";
}

TEST_F(ChainKindsSql, MustNotMeetRecordsOfTheApi) {
  EXPECT_FALSE(found().conflict);
  test::run_sql(
    url,
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(repeat('ab', 20), 'hex'), 0, min(id) FROM users;"
    " INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, created_at, "
    "updated_at, seq) VALUES (1, 1, decode(repeat('ab', 20), 'hex'), 0, 2, 'good', '', now(), now(), 1)");
  EXPECT_FALSE(found().conflict);
  const auto low = test::there(found(100, 1).conflict);
  EXPECT_EQ(*low, "review, of which the API has made records with ids up to 1, and chain.id_offset is 1: ids of the "
                  "chain would meet them");
}

TEST_F(ChainKindsSql, MustNotMeetVouchesOfTheApiEither) {
  EXPECT_FALSE(found(100, 0, "identity,vouch").conflict);
  test::run_sql(
    url,
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(repeat('ab', 20), 'hex'), 0, max(id) FROM users;"
    " INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
    "deposited, balance, comment, metadata, vouched_at, seq) VALUES ('api', 1, 1, decode(repeat('ab', 20), 'hex'), 0, "
    "'eth', 5, 5, 5, '', '', now(), 1);"
    " SELECT put_vouch_parts('api', 1, '{20000}', '{5}')");
  EXPECT_FALSE(found(100, 2, "identity,vouch").conflict);
  EXPECT_FALSE(found(100, 1, "identity,review").conflict) << "no vouches are added";
  const auto low = found(100, 1, "identity,vouch").conflict;
  ASSERT_TRUE(low) << "feeds know both by the same kind and id";
  EXPECT_EQ(*low, "vouch, of which the API has made records with ids up to 1, and chain.id_offset is 1: ids of the "
                  "chain would meet them");
}

TEST_F(ChainKindsSql, AreSoughtOnlyAmongThoseOfTheAddedKinds) {
  auto other = test::look_into(url);
  transaction held{other, soon()};
  other.run("LOCK TABLE profiles, attestations, activity_votes, replies, vouches, bonds, projects, slashes IN ACCESS "
            "EXCLUSIVE MODE",
            soon());
  EXPECT_NO_THROW(EXPECT_FALSE(read(load_replay{8453, kinds_in("identity,review"), 0, 100}).conflict));
}

TEST_F(ChainKindsSql, AreSoughtByIndexesOfWhatTheApiMade) {
  for (const auto* each :
       {"profiles", "attestations", "reviews", "activity_votes", "replies", "vouches", "bonds", "projects", "slashes"})
    EXPECT_EQ(test::how_many(url, "pg_indexes WHERE tablename = '" + std::string{each}
                                    + "'"
                                      " AND indexdef ~ '\\((id|number)\\) WHERE \\(source = ''api''::text\\)$'"),
              1)
      << each;
}

/// Failed events that are tried again, when an operator asks for it.

event review_of(int number, const address& by, const address& of) {
  return review_events::review_created{review_score::positive, by, {}, of, {number}, {0}};
}

struct ReprocessedEvents : ChainRows {
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
  stored_reprocess wanted() { return read(load_reprocess{how.chain}); }
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
  EXPECT_EQ(how_many("reviews"), 1);
  EXPECT_EQ(reprocess(), 2);
  EXPECT_EQ(fate_of_event(3), "applied ");
  EXPECT_EQ(fate_of_event(4), "applied ") << "it needs the one before it";
  EXPECT_EQ(how_many("reviews WHERE id = 1000 AND archived AND author_profile = 1001 AND event_id = 4"), 1);
  EXPECT_EQ(how_many("chain_events WHERE id IN (3, 4) AND event_name IS NOT NULL AND log_data IS NOT NULL"), 2);
  EXPECT_EQ(how_many("chain_texts WHERE kind = 'review' AND id = 1000"), 1) << "its text is read, too";
  expect_whole();
  apply({review_events::review_restored{{0}, alice, bob}});
  expect_whole();
  undo(1);
  EXPECT_EQ(how_many("reviews WHERE id = 1000 AND archived"), 1);
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
  EXPECT_EQ(number("SELECT balance FROM broker_credits WHERE profile_id = 1001"), 7);
  EXPECT_EQ(number("SELECT balance FROM broker_credits WHERE profile_id = 1002"), 8);
  expect_whole();
}

TEST_F(ReprocessedEvents, StayFailedWhereALaterOneHasSetTheParameter) {
  store_unread({vouch_events::entry_protocol_fee_basis_points_updated{5}});
  apply_final({vouch_events::entry_protocol_fee_basis_points_updated{7}});
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed refused:later_events");
  expect_whole();
}

TEST_F(ReprocessedEvents, StayFailedWhereALaterOneOfAnotherNameHasSetTheParameter) {
  store_unread({vouch_events::entry_protocol_fee_basis_points_updated{5}});
  apply_final({vouch_events::entry_protocol_fee_basis_points_updated{7}});
  test::run_sql(url, "UPDATE chain_events SET event_name = 'Another' WHERE id = 4");
  EXPECT_EQ(number("SELECT event_id FROM chain_params"), 4) << "the parameter tells who set it";
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed refused:later_events");
  EXPECT_EQ(number("SELECT event_id FROM chain_params"), 4);
}

TEST_F(ReprocessedEvents, KeepTheirPlaceWithANewReasonAndAreTriedAgainLater) {
  apply_final(
    {attestation_events::attestation_created{{1}, people::account_service::x, std::string(1001, '7'), "", {1}}});
  ASSERT_EQ(fate_of_event(3), "failed refused:attestations_account_length");
  test::run_sql(url, "ALTER TABLE attestations RENAME CONSTRAINT attestations_account_length TO another_name");
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "failed refused:another_name");
  EXPECT_EQ(how_many("attestations WHERE source = 'chain'"), 0);
  expect_whole();
  test::run_sql(url, "ALTER TABLE attestations DROP CONSTRAINT another_name");
  EXPECT_EQ(reprocess(), 1);
  EXPECT_EQ(fate_of_event(3), "applied ");
  EXPECT_EQ(how_many("attestations WHERE id = 1001 AND source = 'chain'"), 1);
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
  EXPECT_EQ(how_many("chain_reprocessed"), 1) << "it is to come when its kind does";
}

} // namespace
} // namespace credence::persistence
