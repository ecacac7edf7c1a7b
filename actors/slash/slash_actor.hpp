#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/slash/slash_storage.hpp"

namespace credence::slash {

/// Owner of all slashes that are open. There is one, not one a slash: that an author and a
/// subject have one open slash at a time, and that ids have no gaps, needs one place that
/// decides; slashes are few, and votes on them are decided in microseconds. Closes what is over
/// every second, and before it answers anything. Slashes that are closed are read from storage, and so are those that
/// events of a chain make, which their follower closes; where they are followed nobody slashes over the API.
using slash_handle =
  actor_handle<open_slash, cast_slash_vote, cancel_slash, get_slash, find_slashes, get_roles, get_ballots>;
struct slash_door {
  using handle = slash_handle;
};

slash_handle spawn_slashes(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::slash
