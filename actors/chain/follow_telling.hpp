#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/chain_storage.hpp"
#include "actors/chain/follow_memory.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/port.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/profile/profile_actor.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace credence::chain {

/// What is told of following: the status for clients, metrics and the log.
class follow_telling {
public:
  const chain_status& status() const noexcept { return status_; }
  /// Following begins anew, with so many nodes.
  void started(const follow_settings& how, std::size_t endpoints) {
    status_.chain = how.chain;
    by_tag_ = how.authority.how != authority_rule::by::depth;
    status_.endpoints = static_cast<std::int32_t>(endpoints);
    unavailable_after_ = how.unavailable_after;
    last_good_ = steady_clock::now();
    ops::the_chain_metrics().on.set(1);
  }
  void loaded(std::int64_t failed) {
    status_.failed = failed;
    ops::the_chain_metrics().failed.set(failed);
  }
  void enter(follow_state state, const std::string& why = {}) {
    if (status_.state != state)
      ops::log(
        state == follow_state::unavailable || state == follow_state::halted ? ops::level::error : ops::level::info,
        "chain_state", {{"state", std::string{follow_state_names[static_cast<std::size_t>(state)]}}, {"why", why}});
    status_.state = state;
    status_.why = why;
    ops::the_chain_metrics().state.set(static_cast<std::int64_t>(state));
  }
  void at(const follow_position& position) {
    status_.tip = position.tip;
    ops::the_chain_metrics().tip.set(number_of(position.tip.number));
    ops::the_chain_metrics().tip_at.set(position.tip.at.seconds);
    ops::the_chain_metrics().finalized.set(number_of(position.finalized));
    status_.authority = position.authority;
    ops::the_chain_metrics().authority.set(number_of(position.authority));
  }
  /// What a step tells of nodes and of the chain.
  void took(const step_taken& step) {
    const auto now = steady_clock::now();
    status_.endpoints_wrong = step.wrong;
    status_.endpoints_without_past = step.without_past;
    if (step.reached)
      last_good_ = now;
    if (!step.why.empty()) // while all are left alone nobody says anything
      last_why_ = step.why;
    if (step.nobody_left)
      return;
    if (step.done.heads)
      saw(*step.done.heads);
    if (step.reached)
      enter(step.done.backfill ? follow_state::backfill : follow_state::following);
    else if (now - last_good_ >= unavailable_after_)
      enter(follow_state::unavailable, last_why_);
  }
  /// Of the last node that brought no answer.
  const std::string& last_why() const noexcept { return last_why_; }
  /// A change is in, behind `from`, which is null where the chain has begun with it. Returns where following stands
  /// now.
  follow_position stored(const follow_position* from, const follow_change& change, const std::vector<id_gap>& gaps) {
    follow_position now;
    if (const auto* begun = std::get_if<chain_begun>(&change)) {
      now = position_after(*begun);
      began(*begun);
    } else if (const auto* step = std::get_if<blocks_applied>(&change)) {
      applied(step->events);
      missing(gaps);
      now = position_after(*from, *step);
    } else {
      const auto& back = std::get<blocks_undone>(change);
      undone(*from, back);
      now = position_after(*from, back);
    }
    at(now);
    return now;
  }
  /// A step is not stored, and is taken again.
  void again() const {
    ops::log(ops::level::warn, "chain_step_again", {{"tip", number_of(status_.tip ? status_.tip->number : 0)}});
  }
  /// A log of that block, which other nodes tell of.
  void withheld(block_number block, const std::vector<std::size_t>& by) {
    for (const auto each : by)
      ops::log(ops::level::error, "chain_log_withheld",
               {{"block", number_of(block)}, {"endpoint", static_cast<std::int64_t>(each) + 1}});
  }

private:
  void began(const chain_begun& begun) {
    ops::log(ops::level::info, "chain_begun", {{"chain", begun.chain}, {"block", number_of(begun.tip.number) + 1}});
  }
  void applied(const std::vector<stored_event>& events) {
    undone_in_a_row_ = 0;
    for (const auto& each : events)
      ops::the_chain_metrics().events[static_cast<std::size_t>(each.status)].add();
    status_.failed += std::count_if(events.begin(), events.end(),
                                    [](const stored_event& each) { return each.status == event_status::failed; });
    ops::the_chain_metrics().failed.set(status_.failed);
  }
  void undone(const follow_position& from, const blocks_undone& back) {
    const auto blocks = number_of(from.tip.number - back.tip.number);
    if (undone_in_a_row_ == 0) {
      ++status_.reorganisations;
      ops::the_chain_metrics().reorganisations.add();
    }
    const auto depth = undone_in_a_row_ += blocks;
    ops::the_chain_metrics().undone_blocks.add(blocks);
    ops::the_chain_metrics().depth_last.set(depth);
    ops::the_chain_metrics().depth_most.raise_to(depth);
    ops::log(ops::level::warn, "chain_reorganised", {{"blocks", depth}, {"ancestor", number_of(back.tip.number)}});
  }
  /// Ids that no log told of: a node may have withheld it.
  void missing(const std::vector<id_gap>& gaps) {
    auto& told = status_.missing;
    for (const auto& each : gaps) {
      ops::log(ops::level::warn, "chain_ids_missing", {{"of", each.of}, {"first", each.first}, {"last", each.last}});
      ops::the_chain_metrics().id_gaps.add();
      told.push_back(each);
    }
    if (told.size() > ids_missing_max)
      told.erase(told.begin(), told.end() - static_cast<std::ptrdiff_t>(ids_missing_max));
  }
  void saw(const chain_heads& heads) {
    const auto number = [](const std::optional<block_header>& of) {
      return of ? std::optional{of->number} : std::nullopt;
    };
    status_.head = heads.latest.number;
    status_.safe = number(heads.safe);
    status_.finalized = number(heads.finalized);
    ops::the_chain_metrics().head.set(number_of(heads.latest.number));
    ops::the_chain_metrics().safe.set(number_of(status_.safe.value_or(0)));
    const bool untagged = by_tag_ && status_.tip && status_.authority == 0 && !status_.safe && !status_.finalized;
    if (untagged && !std::exchange(told_of_tags_, true))
      ops::log(ops::level::warn, "chain_gives_no_rights",
               {{"why", "the node tags no block as safe or final: nothing of the chain gives rights until "
                        "chain.authority is a number of blocks"}});
  }

  chain_status status_;
  std::chrono::milliseconds unavailable_after_{0};
  steady_time last_good_{};
  std::string last_why_;
  bool by_tag_ = false;              // rights rest on a block that nodes tag
  bool told_of_tags_ = false;        // that no node tags any
  std::int64_t undone_in_a_row_ = 0; // blocks, since the last one that was applied
};

/// Tells each of these profiles that its row has changed; whoever holds a credential of theirs asks them before it is
/// accepted again. Returns what the people actor is to be told; blocks up to `settled` have been settled.
inline people::invalidate invalidate_profiles(const context& with, const std::set<profile_id>& whom,
                                              block_number settled = 0) {
  for (const auto each : whom) {
    send(with.others->profiles.to(), mark_stale<profile_id>{each});
    with.credentials->doubt(each);
  }
  return {{whom.begin(), whom.end()}, static_cast<std::int64_t>(settled)};
}

/// Has those who remember the people and projects of a step look again, then calls `done`, whatever they answer.
template <class Done>
void invalidate_caches(actor& self, const std::shared_ptr<const context>& with, const step_effects& effects,
                       Done done) {
  auto tell_board = [&self, with, projects = std::vector<project_id>(effects.projects.begin(), effects.projects.end()),
                     settled = effects.settled, done] {
    if (projects.empty() && !settled)
      return done();
    self.request(with->others->listings.to(), telling_timeout, listing::invalidate{projects, number_of(settled)})
      .then([done](const listing::looked_again&) { done(); }, [done](failure) { done(); });
  };
  if (effects.profiles.empty() && !effects.settled)
    return tell_board();
  self
    .request(with->others->people.to(), telling_timeout, invalidate_profiles(*with, effects.profiles, effects.settled))
    .then([tell_board](const people::looked_again&) { tell_board(); }, [tell_board](failure) { tell_board(); });
}

} // namespace credence::chain
