#pragma once

#include "persistence/sql/reputation_sql.hpp"
#include "persistence/verify/promises.hpp"

/// Replies and votes on activities: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::reply_created> : written_freely {
  static statements_used used();
  void add(const reputation::reply_created& fresh, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::reply_edited> : written_freely {
  static statements_used used();
  void add(const reputation::reply_edited& change, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::activity_voted> : written_freely {
  static statements_used used();
  void add(const reputation::activity_voted& vote, global_seq seq, batch_statements& to);
};

// Those that are there, in any order.
std::vector<reputation::reply_record> read_replies_here(connection& on, const std::set<reply_id>& which,
                                                        steady_time deadline);
std::vector<reputation::activity_row> read_activities_here(connection& on, const std::set<reputation::activity>& which,
                                                           steady_time deadline);
std::vector<reputation::activity_vote> read_votes_here(connection& on, const std::set<reputation::ballot_key>& which,
                                                       steady_time deadline);

reputation::found_reply read(connection& on, const reputation::load_reply& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_reply> = load_by_key;

reputation::found_vote read(connection& on, const reputation::load_vote& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_vote> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::reply_created>{"replies"};

} // namespace credence::persistence
