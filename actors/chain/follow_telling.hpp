#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/chain_steps.hpp"
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

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace credence::chain {

struct step_taken;

/// What is told of following: the status for clients, metrics and the log.
class follow_telling {
public:
  const chain_status& status() const noexcept { return status_; }
  /// Following begins anew, with so many nodes.
  void started(const follow_settings& how, std::size_t endpoints);
  void loaded(std::int64_t failed);
  void enter(follow_state state, const std::string& why = {});
  void at(const follow_position& position);
  /// What a step tells of nodes and of the chain.
  void took(const step_taken& step);
  /// Of the last node that brought no answer.
  const std::string& last_why() const noexcept { return last_why_; }
  /// A change is in, behind `from`, which is null where the chain has begun with it. Returns where following stands
  /// now.
  follow_position stored(const follow_position* from, const follow_change& change, const std::vector<id_gap>& gaps);
  /// A step is not stored, and is taken again.
  void again() const;
  /// A log of that block, which other nodes tell of.
  void withheld(block_number block, const std::vector<std::size_t>& by);

private:
  void began(const chain_begun& begun);
  void applied(const std::vector<stored_event>& events);
  void undone(const follow_position& from, const blocks_undone& back);
  /// Ids that no log told of: a node may have withheld it.
  void missing(const std::vector<id_gap>& gaps);
  void saw(const chain_heads& heads);

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
