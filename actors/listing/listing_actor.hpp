#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/listing/listing_storage.hpp"
#include "actors/listing/listing_types.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/project/project_actor.hpp"

#include <vector>

namespace credence::listing {

/// Another program has changed these listings, or what belongs to them; none: perhaps all.
struct listings_changed {
  std::vector<project_id> which;
};

/// The board: knows every listing, ranks them by the tallies that projects
/// report, and gathers the votes of those on a page from their actors.
using listing_handle =
  actor_handle<get_listings, get_listing, get_projects, tally_report, listings_changed, invalidate>;
struct listing_door {
  using handle = listing_handle;
};

listing_handle spawn_listings(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                              project_index& index);

} // namespace credence::listing
