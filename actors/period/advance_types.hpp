#pragma once

#include "actors/period/period_types.hpp"

namespace credence::period {

/// What an advance closes and opens, or would.
struct advanced {
  voting_period closes;
  allocation opens;
};

/// Closes the open period, if that is this one, and opens the next. Refused with `sequence_mismatch` where another one
/// is open by now.
struct advance_from {
  using answer_type = advanced;
  period_id open;
  bool dry_run = false; // only says what would be done now
};

} // namespace credence::period
