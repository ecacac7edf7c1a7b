#pragma once

#include "actors/domain/ids.hpp"

#include <cstdint>
#include <memory>
#include <vector>

/// What a router and the actors of its entities say to each other.
namespace credence {

/// Router to child: nothing will be sent to you after this; stop once nothing is
/// under way. The router keeps what arrives for the entity meanwhile.
struct passivate {};

/// Child to router: I cannot go on (a load or a change failed). I refuse all
/// questions until you passivate me.
template <class Id>
struct wants_out {
  Id id;
};

/// A child has ended. Sent by the router's own observer, however it ended.
template <class Id>
struct child_gone {
  Id id;
  std::uint64_t incarnation = 0;
  bool normal = true;
};

/// Time to stop those whom nobody has asked for long.
struct sweep {};

/// Profiles that uncommitted changes of an entity concern (of a project: its voters). The entity's actor keeps the
/// list; its router reads it when the actor is lost.
using bystanders = std::shared_ptr<std::vector<profile_id>>;

} // namespace credence
