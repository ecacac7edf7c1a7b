#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "persistence/sql/chain_replay.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/score_sql.hpp"
#include "tests/actors/chain/random_events.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace chain;

constexpr timestamp noon{std::chrono::seconds{1'790'000'000}};

/// Records that are made of events, block by block, in a database where profiles 1 to 20 are of the API.
class ChainRows : public testing::Test {
protected:
  ChainRows() {
    how.chain = 31337;
    how.id_offset = 1000;
    for (const auto kind :
         {contract_kind::profile, contract_kind::attestation, contract_kind::review, contract_kind::vote, contract_kind::discussion}) {
      how.contracts[fold_world::contract_of(kind)] = kind;
      how.kinds.add(*record_kind_of(kind));
    }
    at.tip = block(0);
    at.blocks = {at.tip};
    write(chain_begun{how.chain, text_of(how.contracts), text_of(how.kinds), how.id_offset, at.tip});
  }

  static block_mark block(int number, int fork = 0) {
    const auto hash = [&](int of) {
      digest32 out{};
      out[0] = static_cast<std::byte>(fork + 1);
      out[30] = static_cast<std::byte>(of >> 8);
      out[31] = static_cast<std::byte>(of);
      return out;
    };
    return {static_cast<block_number>(number), hash(number), hash(number - 1), {1'790'000'000 + number}};
  }
  static steady_time soon() { return deadline_in(std::chrono::seconds{30}); }

  template <class Change>
  void write(const Change& change) {
    transaction all{on, soon()};
    write_now(on, change, 0, soon());
    all.commit(soon());
  }

  /// The step that these events of one block make, folded over the rows as they are stored.
  blocks_applied folded(const std::vector<event>& events, block_number finalized, bool trial) {
    const auto fresh = block(static_cast<int>(at.tip.number) + 1, fork);
    std::vector<chain_log> logs;
    for (const auto& each : events) {
      const auto content = encode_log(each);
      chain_log log;
      log.from = fold_world::contract_of(std::visit([]<class E>(const E&) { return E::is.contract; }, each));
      log.topics = content.topics;
      log.data = content.data;
      log.block = fresh.number;
      log.block_hash = fresh.hash;
      log.log_index = static_cast<std::uint32_t>(logs.size());
      log.at = fresh.at;
      logs.push_back(std::move(log));
    }
    blocks_applied step{how.chain, at.tip.hash, fresh, finalized, {fresh}, events_of(logs, how, at.last_event + 1), {}, noon};
    auto rows = read(on, load_chain_rows{how.contracts, how.id_offset, how.kinds, step.events}, soon());
    const auto refused = read(on, load_follow{how.chain}, soon()).refused;
    const fold_settings folding{how.id_offset, how.contracts};
    step_fold{rows, folding, how.kinds, "https://avatar.example"}.fold(step, refused, trial);
    return step;
  }

  /// What the follower does with a block. Events that the database refuses fail.
  void apply(const std::vector<event>& events, block_number finalized = 0) {
    for (;;) {
      last = folded(events, finalized, false);
      try {
        write(last);
        break;
      } catch (const database_error& error) {
        const auto known = count("SELECT count(*) FROM chain_refusals");
        write(trial_of(folded(events, finalized, true)));
        ASSERT_GT(count("SELECT count(*) FROM chain_refusals"), known) << error.what();
      }
    }
    at = position_after(at, last);
  }
  void undo(std::size_t blocks) {
    const auto& back = at.blocks.at(at.blocks.size() - 1 - blocks);
    const blocks_undone change{how.chain, at.tip.hash, back, noon};
    write(change);
    at = position_after(at, change);
    ++fork;
  }

  std::int64_t count(const std::string& sql) { return test::number_from(url, sql); }
  void expect_whole() {
    const auto found = replay_chain(on, how, soon());
    EXPECT_EQ(found.differences, 0) << (found.examples.empty() ? "" : found.examples.front());
    EXPECT_EQ(recompute_scores(on, soon()).sums, 0);
    EXPECT_EQ(count("SELECT count(*) FROM subjects s WHERE (reviews_negative, reviews_neutral, reviews_positive) <> (SELECT"
                    " count(*) FILTER (WHERE score = 0), count(*) FILTER (WHERE score = 1), count(*) FILTER (WHERE score = 2) FROM reviews r"
                    " WHERE r.subject_key = s.key AND r.subject_generation = s.generation AND NOT r.archived)"),
              0);
    EXPECT_EQ(count("SELECT count(*) FROM users u WHERE reviews_positive <> (SELECT coalesce(sum(s.reviews_positive), 0) FROM subjects s"
                    " WHERE s.user_id = u.id)"),
              0);
  }

  std::string url = test::fresh_database();
  connection on = test::look_into(url);
  follow_settings how;
  follow_position at;
  blocks_applied last;
  int fork = 0;
};

const address alice = samples::address_of(1), bob = samples::address_of(2);

event review_of(int number, const address& by, const address& of) {
  return review_events::review_created{review_score::positive, by, {}, of, {number}, {0}};
}

TEST_F(ChainRows, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({profile_events::profile_created{{1}, alice}});
  apply({review_of(0, alice, bob)});
  EXPECT_EQ(count("SELECT count(*) FROM profiles WHERE id = 1001 AND source = 'chain' AND event_id = 1 AND block = 1 AND NOT archived"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews WHERE id = 1000 AND author_profile = 1001 AND source = 'chain' AND event_id = 2 AND block = 2"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM activities WHERE kind = 'review' AND id = 1000"), 1);
  const std::string bobs = "SELECT count(*) FROM users u JOIN addresses a ON a.user_id = u.id WHERE a.address = decode('" + samples::hex(bob.bytes)
                           + "', 'hex') AND a.kind = 'primary'";
  EXPECT_EQ(count(bobs + " AND u.status = 'INACTIVE' AND u.reviews_positive = 1 AND u.id >= 1000000000"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM score_dirty d JOIN users u ON u.id = d.user_id WHERE d.cause = 'event 2' AND u.reviews_positive = 1"), 1);
  expect_whole();
  on.exec("INSERT INTO score_latest SELECT id, now() FROM users WHERE id >= 1000000000", soon()); // both have scores by now
  undo(1);
  EXPECT_EQ(count("SELECT count(*) FROM users WHERE id >= 1000000000"), 1) << "of the author alone";
  EXPECT_EQ(count("SELECT count(*) FROM reviews"), 0);
  EXPECT_EQ(count(bobs), 0) << "nobody has named the address";
  expect_whole();
  apply({profile_events::profile_created{{2}, bob}, review_of(0, bob, alice), review_events::review_archived{{0}, bob, alice}});
  EXPECT_EQ(count(bobs + " AND u.status = 'ACTIVE'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews WHERE archived"), 1);
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
  apply({attested(1, 1, "7"), attested(2, 2, std::string(1001, '7')), review_of(0, alice, bob)}); // an index holds no such text
  ASSERT_EQ(last.events.size(), 3u);
  EXPECT_EQ(last.events[0].status, event_status::applied);
  EXPECT_EQ(last.events[1].status, event_status::failed);
  EXPECT_EQ(last.events[1].reason, "refused:attestations_account_length");
  EXPECT_EQ(last.events[2].status, event_status::applied);
  EXPECT_EQ(count("SELECT count(*) FROM chain_events WHERE status = 'failed' AND reason = 'refused:attestations_account_length'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM reviews"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM chain_refusals"), 0) << "it is stored with the event";
  expect_whole();
}

TEST_F(ChainRows, AnAccountMovesToAnotherAttestationAndBackInOneBlockEach) {
  const auto service = people::account_service::x;
  const auto archived = [&](int number) { return attestation_events::attestation_archived{{number}, service, "7", {number}}; };
  const auto restored = [&](int number) { return attestation_events::attestation_restored{{number}, service, "7", {number}}; };
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
  for (int round = 0; round < 120; ++round) {
    std::vector<event> events;
    for (auto left = samples::below(dice, 6); left > 0; --left)
      events.push_back(random_step(dice));
    apply(events);
    if (HasFatalFailure())
      return;
    if (at.blocks.size() > 1 && samples::below(dice, 4) == 0)
      undo(1 + samples::below(dice, std::min<std::size_t>(at.blocks.size() - 1, 5)));
    if (round % 10 == 9)
      expect_whole();
    if (HasFailure()) {
      ADD_FAILURE() << "in round " << round;
      return;
    }
  }
  EXPECT_GT(count("SELECT count(*) FROM reviews"), 0);
  EXPECT_GT(count("SELECT count(*) FROM activity_votes"), 0);
}

} // namespace
} // namespace credence::persistence
