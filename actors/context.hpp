#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/fair_mutex.hpp"
#include "actors/market/terms.hpp"
#include "config/settings.hpp"

#include <chrono>
#include <cstdint>

namespace credence::listing {
class project_index;
}
namespace credence::people {
class people_index;
}
namespace credence::period {
class published_calendar;
}
namespace credence::profile {
class credential_registry;
}

namespace credence {

struct directory;

/// What every entity actor is born with. Shared; constant once the first question
/// is let in (`others` is filled in when all actors have been spawned).
struct context {
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
  std::shared_ptr<fair_mutex> long_reads = std::make_shared<fair_mutex>(); // of projects, a piece at a time
  chain::record_kinds followed; // kinds of records that are made of a chain's events, and not over the API
};

} // namespace credence
