#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

/// What projects say of themselves: statements and row mapping.
namespace credence::persistence {

/// With the subject that comes with it before it, and what belongs to it after it.
template <>
struct sql_of<reputation::project_created> : written_freely {
  static statements_used used();
  void add(const reputation::project_created& made, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::project_edited> : written_freely {
  static statements_used used();
  void add(const reputation::project_edited& edited, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::project_archived> : written_freely {
  static statements_used used();
  void add(const reputation::project_archived& done, global_seq seq, batch_statements& to);
};

/// The projects that have one of the ids, of the userkeys or of the users; in any order.
std::vector<reputation::project_record> read_projects_here(connection& on, const std::set<project_id>& which,
                                                           const std::set<std::string>& userkeys,
                                                           const std::set<user_id>& users, steady_time deadline);
/// Those of these users that are there, in any order.
std::vector<reputation::listed_user> read_listed_here(connection& on, const std::set<user_id>& users,
                                                      steady_time deadline);

reputation::found_team read(connection& on, const reputation::load_team& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_team> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::project_created>{"projects"};

} // namespace credence::persistence
