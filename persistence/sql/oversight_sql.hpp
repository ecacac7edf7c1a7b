#pragma once

#include "actors/oversight/oversight_storage.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

/// What operators look at across all owners: statements and row mapping.
namespace credence::persistence {

oversight::key_page read(connection& on, const oversight::list_all_keys& query, steady_time deadline);
template <>
inline constexpr manner manner_of<oversight::list_all_keys> = list_of_many;

std::vector<oversight::event_count> read(connection& on, const oversight::count_events& query, steady_time deadline);
template <>
inline constexpr manner manner_of<oversight::count_events> = list_of_many;

std::vector<oversight::failed_events> read(connection& on, const oversight::list_failed_events& query,
                                           steady_time deadline);
template <>
inline constexpr manner manner_of<oversight::list_failed_events> = list_of_many;

oversight::profile_standing read(connection& on, const oversight::get_standing& query, steady_time deadline);
template <>
inline constexpr manner manner_of<oversight::get_standing> = list_a_page;

oversight::project_rows read(connection& on, const oversight::find_projects& query, steady_time deadline);
template <>
inline constexpr manner manner_of<oversight::find_projects> = list_of_many;

} // namespace credence::persistence
