#pragma once

#include "actors/integrity/integrity_types.hpp"
#include "actors/kernel/load.hpp"

/// What is read for an analysis of integrity.
namespace credence::integrity {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<load_extent, extent>, load<load_votes_cast, votes_read>, load<load_ties, ties_read>,
                      load<load_joined, joined_read>>;
};
} // namespace credence::integrity
