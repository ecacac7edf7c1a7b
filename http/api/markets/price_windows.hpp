#pragma once

#include "actors/domain/time.hpp"
#include "http/call/parameters.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace credence::http {

/// What a price history may cover, by its name in `window`: the last `moments` moments, `every` apart.
struct price_window {
  std::string_view name;   // `1D`
  std::string_view bucket; // `15 minutes`
  std::chrono::seconds every;
  int moments; // `limits::market_moments_max` at most
};

/// Reads `window`; a day where it is left out. What it refers to lives as long as the program.
const price_window& read_price_window(parameters& from);

/// Its moments up to `now`, the oldest first, at multiples of `every`.
std::vector<timestamp> moments_of(const price_window& which, timestamp now);

} // namespace credence::http
