#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_change.hpp"
#include "actors/chain/follow_types.hpp"

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
  bool by_tag_ = false;       // rights rest on a block that nodes tag
  bool told_of_tags_ = false; // that no node tags any
};

} // namespace credence::chain
