#pragma once

#include "actors/domain/wei.hpp"
#include "actors/market/lmsr.hpp"

#include <array>

namespace credence::market {

/// What one tier costs and how it moves.
struct tier_terms {
  curve how;
  wei creation_cost;
};

/// The terms of business: what markets can be had, and what a trade costs on top.
struct terms {
  std::array<tier_terms, 3> tiers; // by `tier`
  fees rates;
};

} // namespace credence::market
