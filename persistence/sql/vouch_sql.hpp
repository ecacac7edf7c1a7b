#pragma once

#include "persistence/sql/reputation_sql.hpp"
#include "persistence/verify/promises.hpp"

/// Vouches: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::vouch_created> : written_freely {
  static statements_used used();
  void add(const reputation::vouch_created& fresh, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::vouch_moved> : written_freely {
  static statements_used used();
  void add(const reputation::vouch_moved& change, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::vouch_marked_unhealthy> : written_freely {
  static statements_used used();
  void add(const reputation::vouch_marked_unhealthy& change, global_seq seq, batch_statements& to);
};

/// Vouches of the API by id, in any order.
std::vector<reputation::vouch_record> read_vouches_here(connection& on, const std::set<reputation::vouch_place>& which,
                                                        steady_time deadline);
/// The active vouches of some authors, without their texts: an author may have many.
std::vector<reputation::active_vouch> read_active_here(connection& on, const std::set<profile_id>& authors,
                                                       steady_time deadline);
/// How many reviews and vouches they have made in the last 24 hours.
std::vector<reputation::made_row> read_made_here(connection& on, const std::set<profile_id>& authors,
                                                 steady_time deadline);
/// How many active vouches the users of some subjects have received.
std::vector<reputation::vouched_row> read_vouched_here(connection& on, const std::vector<reputation::subject_row>& of,
                                                       steady_time deadline);

reputation::found_vouch read(connection& on, const reputation::load_vouch& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_vouch> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::vouch_created>{"vouches"};

} // namespace credence::persistence
