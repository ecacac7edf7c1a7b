#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"

namespace credence::persistence {

/// Spawns the read connections, each on a thread of its own and opened on first use: those for
/// loads and those for lists, which never wait for each other (`query_policy_of` beside the SQL of each question says
/// which), and two for whatever the console asks. In each lane askers are served in turn (lane_queue.hpp). Loads of one
/// kind that wait while a statement of theirs is under way become the next one. Questions fail until `status.owned`: a
/// batch of an earlier writer might still be committed after a read.
reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status);

} // namespace credence::persistence
