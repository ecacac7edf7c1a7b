#pragma once

#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"

#include <caf/typed_actor.hpp>

namespace credence {

/// Whom a request may talk to: one handle per kind of entity (a router passes the
/// message to the entity it names), and what may be read without asking.
struct directory {
  project::project_handle projects;
  profile::profile_handle profiles;
  period::period_handle periods;
  people::people_handle people;
  listing::listing_handle listings;
  const people::people_index* people_known = nullptr;
  const listing::project_index* projects_known = nullptr;
  const period::published_calendar* calendar = nullptr;
  const store_status* storage = nullptr;
};

} // namespace credence
