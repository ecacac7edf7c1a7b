#include "persistence/sql/chain_sql.hpp"
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

class ChainSql : public testing::Test {
protected:
  write_result result_of(change change) { return store.result_of(std::move(change)); }
  void begin() {
    ASSERT_EQ(result_of(chain_begun{31337, "review=0x07", "identity,review", 1000, block(4)}), write_result::stored);
  }
  static blocks_applied applied(const block_mark& before, const block_mark& tip, std::vector<stored_event> events,
                                block_number finalized = 0) {
    return {31337, before.hash, tip, finalized, {tip}, std::move(events), {}, noon};
  }
  stored_follow place() { return store.read<stored_follow>(load_follow{31337}); }
  std::int64_t count(const char* table) { return store.number(std::string{"SELECT count(*) FROM "} + table); }

  test::one_store store;
};

TEST_F(ChainSql, WhatIsStoredComesBack) {
  EXPECT_FALSE(place().place);
  begin();
  const auto sent = event_of(1, block(5), event_status::failed);
  ASSERT_EQ(result_of(applied(block(4), block(5), {sent, event_of(2, block(5))}, 3)), write_result::stored);
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
  const auto events = store.read<events_of_transaction>(load_events{31337, sent.tx_hash}).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].event, sent);
  EXPECT_EQ(events[0].created_at, noon);
  EXPECT_EQ(store.read<stored_follow>(load_follow{1}).other_chain, 31337);
}

TEST_F(ChainSql, EachTableOfAChainHasItsWriter) {
  EXPECT_EQ(store.number("SELECT count(*) FROM chain_tables() t WHERE to_regprocedure('put_chain_rows_of_' || t.name "
                         "|| '(bigint, jsonb)') IS NULL"),
            0);
  EXPECT_ANY_THROW(static_cast<void>(store.number("SELECT count(put_chain_rows(0, ARRAY['nonsense'], ARRAY['{}']))")));
}

TEST_F(ChainSql, OnlyWhatFollowsTheTipIsStored) {
  begin();
  const auto once = applied(block(4), block(5), {event_of(1, block(5))});
  ASSERT_EQ(result_of(once), write_result::stored);
  EXPECT_EQ(result_of(once), write_result::failed) << "twice";
  EXPECT_EQ(result_of(applied(block(6), block(7), {})), write_result::failed) << "a block is left out";
  EXPECT_EQ(result_of(applied(block(5), block(5, 1), {})), write_result::failed) << "not a later block";
  EXPECT_EQ(result_of(applied(block(5), block(6), {event_of(3, block(6))})), write_result::failed)
    << "an id is left out";
  EXPECT_EQ(count("chain_events"), 1);
  EXPECT_EQ(result_of(applied(block(5), block(6), {event_of(2, block(6))})), write_result::stored);
  EXPECT_EQ(result_of(chain_begun{1, "review=0x07", "", 0, block(4)}), write_result::failed) << "one chain is followed";
}

TEST_F(ChainSql, TheAuthorityBlockIsStoredAndMovesBackOnlyWithTheTip) {
  begin();
  const auto settling = [](blocks_applied step, block_number authority) {
    step.authority = authority;
    return step;
  };
  ASSERT_EQ(result_of(settling(applied(block(4), block(5), {}), 3)), write_result::stored);
  EXPECT_EQ(place().place->authority, 3u);
  blocks_applied alone{31337, block(5).hash, block(5), 0, {}, {}, {}, noon, 5};
  ASSERT_EQ(result_of(alone), write_result::stored) << "there may be nothing new but that";
  EXPECT_EQ(place().place->authority, 5u);
  EXPECT_EQ(place().place->tip, block(5));
  alone.before = alone.tip.hash = block(5, 1).hash;
  EXPECT_EQ(result_of(alone), write_result::failed) << "the chain does not stand there";
  ASSERT_EQ(result_of(settling(applied(block(5), block(6), {}), 2)), write_result::stored);
  EXPECT_EQ(place().place->authority, 5u) << "it does not move back";
  ASSERT_EQ(result_of(blocks_undone{31337, block(6).hash, block(5), noon}), write_result::stored);
  EXPECT_EQ(place().place->authority, 5u);
  ASSERT_EQ(result_of(blocks_undone{31337, block(5).hash, block(4), noon}), write_result::stored);
  EXPECT_EQ(place().place->authority, 4u) << "rights rest on what is left";
}

TEST_F(ChainSql, WhatIsTakenBackStaysAsOrphans) {
  begin();
  ASSERT_EQ(result_of(applied(block(4), block(5), {event_of(1, block(5))})), write_result::stored);
  ASSERT_EQ(result_of(applied(block(5), block(6), {event_of(2, block(6))})), write_result::stored);
  ASSERT_EQ(result_of(blocks_undone{31337, block(6).hash, block(5), noon}), write_result::stored);
  EXPECT_EQ(result_of(blocks_undone{31337, block(6).hash, block(5), noon}), write_result::failed) << "twice";
  EXPECT_EQ(place().place->tip, block(5));
  EXPECT_EQ(place().place->last_event, 2);
  EXPECT_EQ(count("chain_events"), 1);
  EXPECT_EQ(store.number("SELECT ancestor FROM chain_orphans WHERE id = 2"), 5);
  auto other = block(6, 1);
  other.parent_hash = block(5).hash;
  EXPECT_EQ(result_of(applied(block(5), other, {event_of(3, other)}, 5)), write_result::stored);
  EXPECT_EQ(count("chain_blocks"), 2) << "what is final is not kept for taking back";
  EXPECT_EQ(result_of(blocks_undone{31337, other.hash, block(4), noon}), write_result::failed) << "what is final stays";
}

} // namespace
} // namespace credence::persistence
