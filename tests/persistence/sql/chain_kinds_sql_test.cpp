#include "persistence/sql/chain_sql.hpp"

#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace chain;

constexpr timestamp noon{std::chrono::seconds{1'790'000'000}};

/// A chain that is followed for people, with five events of reviews.
class ChainKindsSql : public testing::Test {
protected:
  ChainKindsSql() {
    tip.fill(std::byte{1});
    write(chain_begun{8453, "review=0x07", "identity", 1000, {10, tip, tip, {1'790'000'000}}});
    test::run_sql(
      url,
      "INSERT INTO chain_events (id, chain_id, block_number, block_hash, block_at, tx_hash, block_index, log_index, "
      "contract, address,"
      " topics, data, event_name, log_data, status, reason, created_at, updated_at) SELECT n, 8453, 10, "
      "decode(repeat('11', 32), 'hex'),"
      " now(), decode(repeat('22', 32), 'hex'), 0, n, CASE n WHEN 3 THEN 'profile' ELSE 'review' END, "
      "decode(repeat('33', 20), 'hex'),"
      " '', '', NULL, NULL, 'ignored', CASE n WHEN 4 THEN 'unknown_topic' ELSE 'kind_not_followed' END, now(), now()"
      " FROM generate_series(1, 5) n; UPDATE chain_follow SET last_event = 5");
    add.chain = 8453;
    add.tip = tip;
    add.kinds = "identity,review";
    add.added = "review";
    add.id_offset = 1000;
  }
  static steady_time soon() { return deadline_in(std::chrono::seconds{60}); }
  template <class Change>
  void write(const Change& change) {
    transaction all{on, soon()};
    write_now(on, change, 0, soon());
    all.commit(soon());
  }
  stored_replay found(std::int32_t most = 100, std::int32_t id_offset = 1000, const char* kinds = "identity,review") {
    return read(on, load_replay{8453, kinds_in(kinds), id_offset, most}, soon());
  }
  static events_replayed piece(std::int64_t before, std::vector<std::int64_t> ids) {
    events_replayed out{8453, before, ids.empty() ? before : ids.back(), ids.empty(), {}, {}, noon};
    for (const auto id : ids)
      out.events.push_back({id, event_status::failed, "duplicate"});
    return out;
  }

  std::string url = test::fresh_database();
  connection on = test::look_into(url);
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
  EXPECT_EQ(
    test::number_from(url, "SELECT count(*) FROM chain_events WHERE status = 'failed' AND reason = 'duplicate'"), 4);
  const auto added = read_added_kinds(on, soon());
  ASSERT_EQ(added.size(), 1u);
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
  const blocks_applied step{8453, tip, {11, next, tip, {1'790'000'001}}, 0, {}, {}, {}, noon};
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
  write(
    blocks_applied{8453, tip, {11, next, tip, {1'790'000'001}}, 0, {{11, next, tip, {1'790'000'001}}}, {}, {}, noon});
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
    "updated_at, seq)"
    " VALUES (1, 1, decode(repeat('ab', 20), 'hex'), 0, 2, 'good', '', now(), now(), 1)");
  EXPECT_FALSE(found().conflict);
  const auto low = found(100, 1).conflict;
  ASSERT_TRUE(low);
  EXPECT_EQ(*low, "review, of which the API has made records with ids up to 1, and chain.id_offset is 1: ids of the "
                  "chain would meet them");
}

TEST_F(ChainKindsSql, MustNotMeetVouchesOfTheApiEither) {
  EXPECT_FALSE(found(100, 0, "identity,vouch").conflict);
  test::run_sql(
    url,
    "INSERT INTO subjects (key, generation, user_id) SELECT decode(repeat('ab', 20), 'hex'), 0, max(id) FROM users;"
    " INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, "
    "deposited, balance, comment,"
    " metadata, vouched_at, seq) VALUES ('api', 1, 1, decode(repeat('ab', 20), 'hex'), 0, 'eth', 5, 5, 5, '', '', "
    "now(), 1);"
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
  EXPECT_NO_THROW(EXPECT_FALSE(
    read(on, load_replay{8453, kinds_in("identity,review"), 0, 100}, deadline_in(std::chrono::seconds{60})).conflict));
}

TEST_F(ChainKindsSql, AreSoughtByIndexesOfWhatTheApiMade) {
  for (const auto* each :
       {"profiles", "attestations", "reviews", "activity_votes", "replies", "vouches", "bonds", "projects", "slashes"})
    EXPECT_EQ(test::number_from(url, "SELECT count(*) FROM pg_indexes WHERE tablename = '" + std::string{each}
                                       + "'"
                                         " AND indexdef ~ '\\((id|number)\\) WHERE \\(source = ''api''::text\\)$'"),
              1)
      << each;
}

} // namespace
} // namespace credence::persistence
