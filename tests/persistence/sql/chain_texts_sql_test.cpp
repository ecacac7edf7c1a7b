#include "persistence/sql/chain_sql.hpp"

#include "persistence/verify/verify.hpp"
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace chain;

constexpr timestamp noon{std::chrono::seconds{1'790'000'000}};

/// Followed reviews and replies as the fold writes them, by hand.
struct ChainTextsSql : testing::Test, test::one_database {
  ChainTextsSql() {
    digest32 hash{};
    hash[0] = std::byte{1};
    write(chain_begun{8453, "review=0x07", "identity,review,reply", 0, {10, hash, hash, {1'790'000'000}}});
    sql("INSERT INTO subjects (key, generation, user_id, source) SELECT decode(repeat('ab', 20), 'hex'), 0, min(id), "
        "'chain' FROM users");
  }
  void add_review(int id) {
    sql("INSERT INTO reviews (id, subject_key, subject_generation, author_address, score, comment, metadata, "
        "created_at, updated_at, source, event_id, block) VALUES ("
        + std::to_string(id)
        + ", decode(repeat('ab', 20), 'hex'), 0, decode(repeat('cd', 20), 'hex'), 2, '', '', now(), now(),"
          " 'chain', 1, 12)");
  }
  void add_reply(int id, const std::string& kind) {
    sql("INSERT INTO replies (id, author_profile, target_kind, content, metadata, created_at, updated_at, source, "
        "event_id, block) VALUES ("
        + std::to_string(id) + ", 1, '" + kind + "', '', '', now(), now(), 'chain', 1, 12)");
  }
  text_queue queue(std::int32_t most = 50) { return read(load_text_queue{8453, noon, most}); }
  static text_reading here(const due_text& due, const std::string& text) {
    text_reading out;
    out.of = due.of;
    out.stamp = due.stamp;
    out.state = text_state::here;
    out.text = text;
    out.metadata = "{}";
    return out;
  }
};

TEST_F(ChainTextsSql, AreWantedFromTheRecordOn) {
  EXPECT_TRUE(queue().due.empty());
  add_review(3);
  add_review(4);
  const auto found = queue();
  ASSERT_EQ(found.due.size(), 2u);
  EXPECT_EQ(found.due[0].of, (wanted_text{text_kind::review, 3}));
  EXPECT_EQ(found.wanted, 2);
  EXPECT_EQ(found.failed, 0);
  ASSERT_TRUE(found.tip);
  EXPECT_EQ(found.tip->number, 10u);
  EXPECT_EQ(queue(1).due.size(), 1u);
  write(texts_read{{here(found.due[0], "good")}});
  EXPECT_EQ(how_many("reviews WHERE id = 3 AND comment = 'good' AND metadata = '{}' AND edits = 0"), 1);
  EXPECT_EQ(queue().due.size(), 1u);
  EXPECT_EQ(how_many("reviews WHERE comment = ''"), 1);
}

TEST_F(ChainTextsSql, AreReadOnBehindTheLastOne) {
  add_review(3);
  add_review(4);
  add_review(5);
  const auto first = queue(1).due.at(0);
  load_text_queue behind{8453, noon, 50, {}, first, false};
  const auto rest = read(behind);
  ASSERT_EQ(rest.due.size(), 2u);
  EXPECT_EQ(rest.due[0].of, (wanted_text{text_kind::review, 4}));
  EXPECT_FALSE(rest.counted);
  behind.after = rest.due[1];
  EXPECT_TRUE(read(behind).due.empty());
  write(texts_read{{here(first, "good")}});
  behind.after.reset();
  EXPECT_EQ(read(behind).due.size(), 2u);
}

TEST_F(ChainTextsSql, ReadBeforeAnEditAreLeftAside) {
  add_review(3);
  const auto before = queue().due.at(0);
  sql("UPDATE reviews SET edits = 1, event_id = 2, block = 13");
  write(texts_read{{here(before, "old")}});
  EXPECT_EQ(how_many("reviews WHERE comment = ''"), 1);
  const auto now = queue().due.at(0);
  EXPECT_NE(now.stamp, before.stamp);
  write(texts_read{{here(now, "new")}});
  EXPECT_EQ(how_many("reviews WHERE comment = 'new'"), 1);
  write(texts_read{{here(now, "again")}});
  EXPECT_EQ(how_many("reviews WHERE comment = 'new'"), 1) << "it is here already";
  sql("UPDATE reviews SET archived = true");
  EXPECT_TRUE(queue().due.empty()) << "no edit";
}

TEST_F(ChainTextsSql, OfARecordThatIsGoneAreLeftAsideEvenIfItComesAgain) {
  add_review(3);
  const auto before = queue().due.at(0);
  sql("DELETE FROM reviews");
  EXPECT_EQ(how_many("chain_texts"), 0);
  add_review(3);
  write(texts_read{{here(before, "of the other one")}});
  EXPECT_EQ(how_many("reviews WHERE comment = ''"), 1);
}

TEST_F(ChainTextsSql, WaitUntilTheyAreDueAndThoseThatFailedUntilSomebodyAsks) {
  add_review(3);
  auto later = here(queue().due.at(0), "");
  later.state = text_state::wanted;
  later.reason = "unanswered";
  later.next_at = noon + std::chrono::seconds{1};
  write(texts_read{{later}});
  EXPECT_TRUE(queue().due.empty());
  EXPECT_EQ(queue().wanted, 1);
  auto failed = later;
  failed.state = text_state::failed;
  failed.reason = "reverted";
  write(texts_read{{failed}});
  EXPECT_EQ(queue().failed, 1);
  EXPECT_EQ(queue().wanted, 0);
  const auto counts = test::exactly(1, count_texts(on, soon()));
  EXPECT_EQ(counts[0].reason, "reverted");
  EXPECT_EQ(retry_texts(on, soon()), 1);
  EXPECT_EQ(retry_texts(on, soon()), 0);
  ASSERT_EQ(queue().due.size(), 1u);
  EXPECT_EQ(queue().due[0].attempts, 0);
  EXPECT_EQ(queue().due[0].refusals, 0);
}

TEST_F(ChainTextsSql, CountWhatTheContractSaysApartFromSilence) {
  add_review(3);
  auto silent = here(queue().due.at(0), "");
  silent.state = text_state::wanted;
  silent.reason = "unanswered";
  auto reverted = silent;
  reverted.reason = "reverted";
  write(texts_read{{silent}});
  write(texts_read{{silent}});
  EXPECT_EQ(queue().due.at(0).attempts, 2);
  EXPECT_EQ(queue().due.at(0).refusals, 0);
  write(texts_read{{reverted}});
  write(texts_read{{silent}});
  EXPECT_EQ(queue().due.at(0).attempts, 4);
  EXPECT_EQ(queue().due.at(0).refusals, 1);
  sql("UPDATE reviews SET edits = 1, event_id = 2, block = 13");
  EXPECT_EQ(queue().due.at(0).attempts, 0);
  EXPECT_EQ(queue().due.at(0).refusals, 0);
}

TEST_F(ChainTextsSql, OfRepliesTellWhatTheyAnswer) {
  add_reply(3, "project");
  add_reply(4, "project");
  add_reply(5, "discussion");
  const auto due = test::exactly(3, queue().due);
  auto to_project = here(due[0], "first");
  to_project.parent = 1;
  to_project.parent_is_target = true;
  auto to_reply = here(due[1], "second");
  to_reply.parent = 3;
  auto nested = here(due[2], "third");
  nested.parent = 4;
  write(texts_read{{to_project, to_reply, nested}});
  EXPECT_EQ(how_many("replies WHERE id = 3 AND target_id = 1 AND parent_id IS NULL"), 1);
  EXPECT_EQ(how_many("replies WHERE id = 4 AND target_id = 1 AND parent_id = 3"), 1);
  EXPECT_EQ(how_many("replies WHERE id = 5 AND target_kind = 'discussion' AND target_id = 4 AND parent_id IS NULL"), 1);
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 2);
  EXPECT_EQ(number("SELECT replies FROM activity_tallies WHERE kind = 'project' AND target_id = 1"), 2);
  sql("DELETE FROM replies WHERE id = 4");
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 1);
}

TEST_F(ChainTextsSql, OfRepliesFindTheirThreadWhicheverIsReadFirst) {
  for (const int id : {3, 4, 5, 6})
    add_reply(id, "project");
  const auto due = test::exactly(4, queue().due);
  std::vector<text_reading> found;
  for (std::size_t i = 0; i < due.size(); ++i) {
    found.push_back(here(due[i], "text"));
    found.back().parent =
      i == 0 ? 1 : static_cast<std::int32_t>(i) + 2; // each answers the one before it, the first the project
    found.back().parent_is_target = i == 0;
  }
  write(texts_read{{found[3]}});
  write(texts_read{{found[2]}});
  EXPECT_EQ(how_many("replies WHERE target_id IS NULL AND content = 'text'"), 2);
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 0);
  write(texts_read{{found[1], found[0]}});
  EXPECT_EQ(how_many("replies WHERE target_id = 1 AND parent_id IS NOT DISTINCT FROM nullif(id - 1, 2)"), 4);
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 4);
  EXPECT_EQ(number("SELECT replies FROM activity_tallies WHERE kind = 'project' AND target_id = 1"), 4);
  sql("DELETE FROM replies WHERE id > 4");
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 2);
}

TEST_F(ChainTextsSql, RepliesBelowALateOneJoinInPieces) {
  add_reply(3, "project");
  sql("INSERT INTO replies (id, author_profile, target_kind, parent_id, content, metadata, created_at, updated_at, "
      "source, event_id, block) SELECT i, 1, 'project', CASE WHEN i % 3 = 0 THEN 3 ELSE i - 1 END, 'text', '', now(), "
      "now(), 'chain', i, 12 FROM generate_series(4, 1003) i");
  sql("DELETE FROM chain_texts WHERE id > 3");
  const auto joined = [this] { return how_many("replies WHERE target_id = 1 AND id > 3"); };
  auto first = here(queue().due.at(0), "first");
  first.parent = 1;
  first.parent_is_target = true;
  write(texts_read{{first}});
  auto before = joined();
  EXPECT_GT(before, 0);
  for (int pieces = 1; queue().joining; ++pieces) {
    ASSERT_LT(pieces, 1000);
    write(texts_read{});
    EXPECT_GT(joined(), before);
    EXPECT_LE(joined() - before, 200) << "one change brings no more";
    before = joined();
  }
  EXPECT_EQ(joined(), 1000);
  EXPECT_EQ(number("SELECT comment_count FROM projects WHERE id = 1"), 1001);
}

TEST_F(ChainTextsSql, WhoeverWaitsInAThreadMayBeTakenBack) {
  add_reply(3, "project");
  sql("INSERT INTO replies (id, author_profile, target_kind, parent_id, content, metadata, created_at, updated_at, "
      "source, event_id, block)"
      " SELECT i, 1, 'project', i - 1, 'text', '', now(), now(), 'chain', i, 12 FROM generate_series(4, 503) i");
  sql("DELETE FROM chain_texts WHERE id > 3");
  auto first = here(queue().due.at(0), "first");
  first.parent = 1;
  first.parent_is_target = true;
  write(texts_read{{first}});
  ASSERT_TRUE(queue().joining);
  sql("DELETE FROM replies WHERE id > 150");
  while (queue().joining)
    write(texts_read{});
  EXPECT_EQ(how_many("replies WHERE target_id = 1"), 148);
}

TEST_F(ChainTextsSql, TriggersLookRowsUpByIndexes) {
  EXPECT_EQ(how_many("pg_proc WHERE proname IN ('want_texts', 'want_texts_of_vouches', "
                     "'count_comments', 'join_waiting_replies', 'waits_below')"
                     " AND proconfig @> ARRAY['plan_cache_mode=force_generic_plan', 'enable_seqscan=off']"),
            5);
}

TEST_F(ChainTextsSql, ATransactionWaitsForThoseOfItsRecords) {
  add_review(3);
  sql("INSERT INTO chain_events (id, chain_id, block_number, block_hash, block_at, tx_hash, block_index, log_index, "
      "contract, address, topics, data, event_name, log_data, status, created_at, updated_at) SELECT 1, 8453, 12, "
      "decode(repeat('11', 32), 'hex'), now(), decode(repeat('22', 32), 'hex'), 0, 0, 'review', decode(repeat('33', "
      "20), 'hex'), '', '', 'ReviewEdited',"
      " '{\"eventName\":\"ReviewEdited\",\"args\":{\"reviewId\":3}}', 'applied', now(), now()");
  digest32 tx;
  tx.fill(std::byte{0x22});
  EXPECT_TRUE(read(load_texts_of{8453, tx}).wanted);
  EXPECT_FALSE(read(load_texts_of{8453, digest32{}}).wanted);
  write(texts_read{{here(queue().due.at(0), "good")}});
  EXPECT_FALSE(read(load_texts_of{8453, tx}).wanted);
}

} // namespace
} // namespace credence::persistence
