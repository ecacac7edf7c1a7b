#include "actors/chain/chain_audit_actor.hpp"

#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/kernel/actor.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace credence::chain {

/// An hour has passed.
struct audit_due {};

namespace {

constexpr std::chrono::hours audit_every{1};
constexpr int ranges_each_time = 20;
/// Less than the follower waits.
constexpr std::chrono::seconds search_time{45};
static_assert(search_time < gap_timeout);

class chain_audit : public actor {
public:
  static inline const char* name = "chain audit";
  using takes = extended<chain_audit_handle, audit_due>::takes;

  void start(const std::shared_ptr<const context>& with, const port<storage>& stored, const follow_settings& how,
             const node_list& nodes) {
    with_ = with;
    storage_ = stored;
    how_ = how;
    node_count_ = nodes.size();
    nodes_ = spawn_chain_reader(*this, how, nodes);
    after(audit_every, audit_due{});
  }

  void on(const ask<search_gap>& question) {
    const auto nothing = [question](failure) { question.answer(gap_searched{}); };
    storage_.read(*this, with_->load_timeout, load_event_places{how_.chain, question->blocks})
      .then(
        [this, question, nothing](events_between& stored) {
          if (!stored.all)
            return question.answer(gap_searched{});
          auto known = std::move(stored.places);
          known.insert(known.end(), question->fresh.begin(), question->fresh.end());
          request(nodes_, for_ever,
                  compare_logs{question->blocks, std::move(known), std::nullopt, steady_clock::now() + search_time})
            .then(
              [this, question](logs_compared& found) {
                send(nodes_, distrust{found.withheld_by});
                question.answer(gap_searched{found.withheld, std::move(found.withheld_by)});
              },
              nothing);
        },
        nothing);
  }

  void on(const audit_due&) {
    after(audit_every, audit_due{});
    storage_.read(*this, with_->load_timeout, load_follow{how_.chain})
      .then(
        [this](const stored_follow& found) {
          if (!found.place)
            return;
          const auto tip = found.place->tip.number;
          last_ = std::min(tip, found.place->finalized > 0 ? found.place->finalized
                                : tip > final_behind_head  ? tip - final_behind_head
                                                           : 0);
          ranges_left_ = ranges_each_time;
          look_at_next();
        },
        [](failure) {}); // in an hour again
  }

private:
  void look_at_next() {
    const auto blocks = ranges_left_-- > 0 ? some_blocks(how_.start_block, last_, random_()) : std::nullopt;
    if (!blocks)
      return;
    storage_.read(*this, with_->load_timeout, load_event_places{how_.chain, *blocks})
      .then([this, blocks = *blocks](
              events_between& stored) { stored.all ? compare(blocks, std::move(stored.places)) : look_at_next(); },
            [](failure) {});
  }

  void compare(const block_range& blocks, std::vector<log_mark> stored) {
    const auto which = static_cast<std::size_t>(random_() % node_count_);
    request(nodes_, for_ever, compare_logs{blocks, std::move(stored), which, steady_clock::now() + search_time})
      .then(
        [this, blocks, which](const logs_compared& found) {
          if (found.different > 0) {
            ops::the_chain_metrics().audit_mismatches.add();
            ops::log(ops::level::error, "chain_audit_mismatch",
                     {{"first", number_of(blocks.first)},
                      {"last", number_of(blocks.last)},
                      {"endpoint", static_cast<std::int64_t>(which) + 1}});
          }
          look_at_next();
        },
        [](failure) {});
  }

  std::shared_ptr<const context> with_;
  port<storage> storage_;
  follow_settings how_;
  chain_reader_handle nodes_;
  std::size_t node_count_ = 1;
  std::mt19937_64 random_{std::random_device{}()};
  block_number last_ = 0; // final, and stored
  int ranges_left_ = 0;   // of this time
};

} // namespace

chain_audit_handle spawn_chain_audit(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, node_list nodes) {
  return chain_audit_handle{linked(parent, spawn<chain_audit>(parent.system(), std::move(with), std::move(storage),
                                                              std::move(how), std::move(nodes)))};
}

search_gap gap_question(const follow_position& at, const blocks_applied& step) {
  const auto newest = step.events.empty() ? step.tip.number : std::max(step.tip.number, step.events.back().block);
  search_gap out{{at.blocks.front().number + 1, newest}, {}};
  for (const auto& each : step.events)
    out.fresh.push_back(place_of(each));
  return out;
}

gap_repair repair_of(const follow_position& at, const gap_searched& found) {
  if (!found.log || found.by.empty())
    return {};
  if (found.log->block > at.tip.number) { // of the step; what is stored of its first block stays
    const bool too_late =
      at.within && found.log->block == at.tip.number + 1 && found.log->log_index <= at.within->log_index;
    return {too_late ? gap_repair::way::go_on : gap_repair::way::take_again, {}};
  }
  const auto behind = std::find_if(at.blocks.rbegin(), at.blocks.rend(),
                                   [&](const block_mark& each) { return each.number < found.log->block; });
  return behind == at.blocks.rend() || at.within ? gap_repair{} : gap_repair{gap_repair::way::take_back, *behind};
}

} // namespace credence::chain
