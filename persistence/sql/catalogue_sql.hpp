#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Categories and chains: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::category_saved> : written_freely {
  static statements_used used();
  void add(const reputation::category_saved& saved, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::chain_saved> : written_freely {
  static statements_used used();
  void add(const reputation::chain_saved& saved, global_seq seq, batch_statements& to);
};

/// Those that have one of the ids, or of the slugs or names; in any order.
std::vector<reputation::category_record> read_categories_here(connection& on,
                                                              const std::set<reputation::category_id>& which,
                                                              const std::set<std::string>& slugs, steady_time deadline);
std::vector<reputation::chain_record> read_chains_here(connection& on, const std::set<reputation::chain_id>& which,
                                                       const std::set<std::string>& names, steady_time deadline);

reputation::categories_page read(connection& on, const reputation::get_categories& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::get_categories> = list_a_page;

reputation::chains_page read(connection& on, const reputation::get_chains& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::get_chains> = list_a_page;

reputation::category_users read(connection& on, const reputation::get_category_users& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::get_category_users> = list_of_many;

reputation::category_ranks read(connection& on, const reputation::get_user_categories& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::get_user_categories> = list_of_many;

} // namespace credence::persistence
