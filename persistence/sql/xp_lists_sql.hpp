#pragma once

#include "actors/profile/xp_list_types.hpp"
#include "actors/reputation/list_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <vector>

/// Seasons of XP, the ledger of one profile, and tips of all: statements and row mapping.
namespace credence::persistence {

/// All seasons, the earliest first.
std::vector<profile::xp_season> read(connection& on, const profile::get_xp_seasons& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::get_xp_seasons> = list_a_page;

/// A season with what a profile has earned in its weeks; one snapshot.
profile::season_points read(connection& on, const profile::get_season_points& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::get_season_points> = list_a_page;

/// A page of a profile's ledger, the newest first.
profile::ledger_page read(connection& on, const profile::list_ledger& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::list_ledger> = list_of_many;

/// A page of everybody's tips, the newest first.
reputation::list_tips::answer_type read(connection& on, const reputation::list_tips& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::list_tips> = list_of_many;

} // namespace credence::persistence
