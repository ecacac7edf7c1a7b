#pragma once

#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "config/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace credence::persistence {

/// What other programs have changed, as the triggers of the schema tell it
/// (migration changes_are_told), until it is passed on.
struct change_notifications {
  struct of_a_kind {
    bool all = false; // perhaps: each is to be read again
    std::set<std::int32_t> ids;
    explicit operator bool() const noexcept { return all || !ids.empty(); }
  };
  static constexpr std::size_t ids_max = 10'000; // kept of each kind; beyond, it is all of them

  of_a_kind profiles;
  of_a_kind projects;

  /// Takes in a note. One that it cannot read stands for everything.
  void take(std::string_view note);
};

/// Who is told.
struct change_listeners {
  people::people_handle people;
  listing::listing_handle listings;
};

/// Listens to the database on a connection of its own and passes on what changes. A connection
/// that was lost has missed something: once there is a new one, everything counts as changed.
actor_ref spawn_change_feed(caf::actor_system& sys, const settings::store& how, change_listeners whom);

} // namespace credence::persistence
