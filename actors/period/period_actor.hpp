#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/period/period_state.hpp"
#include "actors/period/period_types.hpp"

namespace credence::period {

/// Owner of the voting periods: opens the first one in a new database, advances
/// when an admin asks or the month ends, publishes the calendar after the commit.
using period_handle = actor_handle<advance_period, advance_from>;
struct period_door {
  using handle = period_handle;
};

period_handle spawn_period(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                           published_calendar& calendar);

} // namespace credence::period
