#pragma once

#include "actors/domain/time.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/market/market_types.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/published_calendar.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/store.hpp"
#include "config/settings.hpp"

namespace credence {

struct directory;

/// What every entity actor is born with. Shared; constant once the first question
/// is let in (`others` is filled in when all actors have been spawned).
struct context {
  store storage;
  people::people_index* people = nullptr; // entities only `touch` it
  profile::credential_registry* credentials = nullptr;
  const listing::project_index* projects = nullptr;
  const period::published_calendar* calendar = nullptr;
  const directory* others = nullptr;
  market::terms trading;
  settings::actors limits;
  settings::people joining;
  std::int64_t queue_max = 20000; // changes that wait for the writer
  std::chrono::milliseconds load_timeout{2000};
  std::chrono::seconds session_idle = std::chrono::days{14}; // a session that is not refreshed for so long ends
  wall_clock now = &system_now;
};

} // namespace credence
