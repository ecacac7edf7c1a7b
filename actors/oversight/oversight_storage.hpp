#pragma once

#include "actors/kernel/load.hpp"
#include "actors/oversight/oversight_types.hpp"

/// What is read for operators.
namespace credence::oversight {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads =
    types<load<list_all_keys>, load<count_events>, load<list_failed_events>, load<get_standing>, load<find_projects>>;
};
} // namespace credence::oversight
