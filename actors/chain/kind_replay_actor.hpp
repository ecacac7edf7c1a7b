#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/text_reader_actor.hpp"

namespace credence::chain {

/// Applies the stored events of kinds that the settings name and that were not followed before; goes on where a process
/// that has ended was. Nothing else may move the place of following meanwhile.
struct apply_added_kinds {
  using answer_type = struct added_kinds_applied;
};
struct added_kinds_applied {
  std::string refused; // why the kinds cannot be added; empty: they are, and their events are applied
};

/// Goes back to final blocks first, then applies events piece by piece, each piece in one transaction with the place
/// that it leads to. Keeps nothing: rows say where to go on. Always answers, however long the database is away.
using kind_replay_handle = actor_handle<apply_added_kinds>;

/// Ends with `parent`, and `parent` with it.
kind_replay_handle spawn_kind_replay(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, text_reader_handle texts);

/// Whether stored events have to be applied before following goes on.
bool needs_replay(const follow_place& stored, const follow_settings& how);

} // namespace credence::chain
