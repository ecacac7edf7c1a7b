#pragma once

#include "actors/market/market_types.hpp"
#include "persistence/sql/words.hpp"

/// How the enumerations of markets are written in the database (words.hpp).
namespace credence::persistence {

template <>
inline constexpr detail::words words_of<market::tier> = market::tier_names;

} // namespace credence::persistence
