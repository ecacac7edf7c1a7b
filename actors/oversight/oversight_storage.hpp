#pragma once

#include "actors/kernel/door.hpp"
#include "actors/kernel/load.hpp"
#include "actors/oversight/oversight_types.hpp"

/// What is read for operators.
namespace credence::oversight {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<list_all_keys>, load<count_events>, load<list_failed_events>, load<get_profile_totals>,
                      load<find_projects>>;
};

/// Nobody owns what operators look at across all owners, so the readers answer it. `count_events` is the follower's, as
/// all events are looked at for it.
struct oversight_door {
  using handle = actor_handle<>;
  using straight = types<list_all_keys, list_failed_events, get_profile_totals, find_projects>;
};
} // namespace credence::oversight
