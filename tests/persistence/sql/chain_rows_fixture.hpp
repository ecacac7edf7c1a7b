#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "persistence/sql/chain_replay.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/score_sql.hpp"
#include "tests/actors/chain/random_events.hpp"
#include "tests/persistence/read_now.hpp"

namespace credence::persistence {
using namespace chain;

inline constexpr timestamp noon{std::chrono::seconds{1'790'000'000}};

/// Records that are made of events, block by block, in a database where profiles 1 to 20 are of the API.
struct ChainRows : testing::Test, test::one_database {
  ChainRows() {
    how.chain = 31337;
    how.id_offset = 1000;
    for (const auto kind :
         {contract_kind::profile, contract_kind::attestation, contract_kind::review, contract_kind::vote,
          contract_kind::discussion, contract_kind::vouch, contract_kind::vouch_v2, contract_kind::bond,
          contract_kind::broker, contract_kind::project, contract_kind::whuffie, contract_kind::rewards,
          contract_kind::slash, contract_kind::reputation_market, contract_kind::market}) {
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

  /// The logs of these events, all in that block.
  static std::vector<chain_log> logs_of(const std::vector<event>& events, const block_mark& fresh) {
    std::vector<chain_log> logs;
    for (const auto& each : events) {
      const auto content = encode_log(each);
      chain_log log;
      log.from = fold_world::contract_of(visit([]<class E>(const E&) { return E::is.contract; }, each));
      log.topics = content.topics;
      log.data = content.data;
      log.block = fresh.number;
      log.block_hash = fresh.hash;
      log.log_index = static_cast<std::uint32_t>(logs.size());
      log.at = fresh.at;
      logs.push_back(std::move(log));
    }
    return logs;
  }

  /// The step that these events of one block make, folded over the rows as they are stored.
  blocks_applied folded(const std::vector<event>& events, block_number finalized, bool trial) {
    const auto fresh = block(static_cast<int>(at.tip.number) + 1, fork);
    blocks_applied step{how.chain, at.tip.hash, fresh,
                        finalized, {fresh},     events_of(logs_of(events, fresh), how, at.last_event + 1),
                        {},        noon};
    const auto refused = read(load_follow{how.chain}).refused;
    fold_in(step, refused, trial);
    return step;
  }

  void fold_in(blocks_applied& step, const std::vector<refused_event>& refused = {}, bool trial = false) {
    const auto fold = [&] {
      return read(fold_step{step, folding_by(how), how.kinds, "https://avatar.example", refused, trial});
    };
    auto found = fold();
    for (; found.more_due && found.events.size() < step.events.size(); found = fold()) {
      auto ahead = closings();
      ahead.rows = std::move(found.rows);
      write(ahead);
    }
    more_due = found.more_due;
    put_into(step, found);
  }
  /// A step without events.
  blocks_applied closings() const {
    return {how.chain, at.tip.hash, at.tip, at.finalized, {}, {}, {}, noon, at.authority};
  }

  /// What the follower does with a block. Events that the database refuses fail.
  void apply(const std::vector<event>& events, block_number finalized = 0) {
    for (;;) {
      last = folded(events, finalized, false);
      try {
        write(last);
        break;
      } catch (const database_error& error) {
        const auto known = how_many("chain_refusals");
        write(trial_of(folded(events, finalized, true)));
        ASSERT_GT(how_many("chain_refusals"), known) << error.what();
      }
    }
    at = position_after(at, last);
    while (more_due) {
      auto behind = closings();
      fold_in(behind);
      write(behind);
    }
  }
  void undo(std::size_t blocks) {
    const auto& back = at.blocks.at(at.blocks.size() - 1 - blocks);
    const blocks_undone change{how.chain, at.tip.hash, back, noon};
    write(change);
    at = position_after(at, change);
    ++fork;
  }

  /// A replay finds just these rows stored otherwise than the events make them.
  void expect_differences(std::vector<std::string> all) {
    auto found = replay_chain(on, how, soon());
    EXPECT_EQ(found.differences, std::ssize(all));
    std::sort(all.begin(), all.end());
    std::sort(found.examples.begin(), found.examples.end());
    EXPECT_EQ(found.examples, all);
  }
  void expect_whole() {
    const auto found = replay_chain(on, how, soon());
    EXPECT_EQ(found.differences, 0) << (found.examples.empty() ? "" : found.examples.front());
    EXPECT_EQ(recompute_scores(on, soon()).sums, 0);
    EXPECT_EQ(
      how_many(
        "subjects s WHERE (reviews_negative, reviews_neutral, reviews_positive) <> (SELECT"
        " count(*) FILTER (WHERE score = 0), count(*) FILTER (WHERE score = 1), count(*) FILTER (WHERE score = 2) FROM "
        "reviews r WHERE r.subject_key = s.key AND r.subject_generation = s.generation AND NOT r.archived)"),
      0);
    EXPECT_EQ(how_many("users u WHERE reviews_positive <> (SELECT coalesce(sum(s.reviews_positive), 0) FROM subjects s "
                       "WHERE s.user_id = u.id)"),
              0);
  }

  follow_settings how;
  follow_position at;
  blocks_applied last;
  bool more_due = false; // slashes, behind the step
  int fork = 0;
};

inline const address alice = samples::address_of(1), bob = samples::address_of(2);

} // namespace credence::persistence
