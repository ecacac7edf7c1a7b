#pragma once

#include "actors/oversight/oversight_storage.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

/// What operators look at across all owners: statements and row mapping.
namespace credence::persistence {

oversight::key_page read(connection& on, const oversight::list_all_keys& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<oversight::list_all_keys>) { return list_of_many; }

std::vector<oversight::event_count> read(connection& on, const oversight::count_events& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<oversight::count_events>) { return list_of_many; }

std::vector<oversight::failed_events> read(connection& on, const oversight::list_failed_events& query,
                                           steady_time deadline);
constexpr query_policy query_policy_of(asked<oversight::list_failed_events>) { return list_of_many; }

oversight::profile_totals read(connection& on, const oversight::get_profile_totals& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<oversight::get_profile_totals>) { return list_a_page; }

oversight::project_rows read(connection& on, const oversight::find_projects& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<oversight::find_projects>) { return list_of_many; }

} // namespace credence::persistence
