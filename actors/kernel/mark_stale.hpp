#pragma once

namespace credence {

/// To a router: what is stored of this entity may be ahead of its actor's memory, as an
/// actor was lost whose changes concern it. It is loaded afresh once nothing of it is under way.
template <class Id>
struct mark_stale {
  Id id;
};

} // namespace credence
