#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/project/project_storage.hpp"

namespace credence::project {

/// A listing, and the router of all listings (it passes each question to the
/// actor of the listing named in it, which it spawns and loads on first use).
using project_handle = actor_handle<cast_vote, get_voters, get_bulk_totals, get_chart, get_summary>;
struct project_door {
  using handle = project_handle;
};

/// Spawns the router of all projects.
project_handle spawn_projects(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::project
