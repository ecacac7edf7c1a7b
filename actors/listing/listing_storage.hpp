#pragma once

#include "actors/kernel/load.hpp"
#include "actors/listing/listing_types.hpp"

/// What is read of listings.
namespace credence::listing {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<load_listings, stored_listings>>;
};
} // namespace credence::listing
