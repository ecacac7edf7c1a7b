#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/people/people_index.hpp"
#include "actors/people/people_storage.hpp"

namespace credence::people {

/// Owner of the people index: fills it at start, reads again who has changed and, as changes
/// may be missed, page by page everybody, looks up whom it does not know, and fetches users for others to show. Those
/// who ask whom a key leads to while it looks others up share its next look.
using people_handle = actor_handle<get_users_of, check_live, find_people, invalidate, changes_are_told>;
struct people_door {
  using handle = people_handle;
  using straight = types<get_people, get_bundle, search_people>;
};

people_handle spawn_people(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                           people_index& index);

} // namespace credence::people
