#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/score/score_state.hpp"
#include "actors/score/score_work.hpp"

namespace credence::score {

/// Owner of `users.score`. Works out the scores of users that facts have marked, in batches behind the commits, and
/// writes each with its elements and its cause. At 00:00 UTC, once the marks from before are worked off, it turns every
/// score into an epoch score, piece by piece; a killed server goes on with the piece that was next. It keeps nothing:
/// rows say what is to be done.
using score_handle = actor_handle<get_breakdown, get_progress, assume_score>;
struct score_door {
  using handle = score_handle;
  using straight = types<get_history, get_updates>;
};

score_handle spawn_scores(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                          score_options scoring);

} // namespace credence::score
