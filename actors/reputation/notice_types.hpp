#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

/// How far a profile has read what it is notified of. The notices themselves are made of records (list_types.hpp).
namespace credence::reputation {

/// A profile has read all that it was notified of so far. Answered with the moment up to which it has read.
struct mark_notices_read {
  using answer_type = timestamp;
  profile_id whose;
  bool dry_run = false;
};

/// All up to that moment is read. A mark never goes back.
struct notices_read {
  profile_id whose;
  timestamp to{};
};

} // namespace credence::reputation
