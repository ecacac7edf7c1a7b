#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/entity_view.hpp"
#include "actors/kernel/figure.hpp"
#include "actors/kernel/recent_changes.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

/// What operators see of the inside of one entity's actor.
namespace credence {

/// What the actor itself says: what it holds, and its last changes, the newest first.
struct entity_insides {
  std::vector<figure> figures;
  std::vector<recent_change> changes;
};

/// Router to child: say what you hold. It is answered between two messages, so it holds nobody up.
struct tell_insides {
  using answer_type = entity_insides;
};

/// An actor that is loading, or has much to do, is waited for this long at most.
inline constexpr std::chrono::milliseconds insides_timeout{500};

struct inspected_entity {
  entity_view seen;                     // by its router
  std::optional<entity_insides> inside; // nothing: no actor, or none that answered in time
};

/// One of them, from outside and from inside. Nothing is loaded for it, and it does not count as a use.
struct inspect_entity {
  using answer_type = inspected_entity;
  std::int32_t id = 0;
};

/// Any router of entities, whatever it routes to: what all of them answer.
using insides_handle = actor_handle<list_busiest, look_at_entity, inspect_entity>;

} // namespace credence
