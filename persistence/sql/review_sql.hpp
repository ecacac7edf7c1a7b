#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Reviews: statements and row mapping.
namespace credence::persistence {

/// Each in its turn, with the subject that comes with it before it.
template <>
struct sql_of<reputation::review_created> : written_freely {
  static statements_used used();
  void add(const reputation::review_created& fresh, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::review_edited> : written_freely {
  static statements_used used();
  void add(const reputation::review_edited& edited, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::review_archived> : written_freely {
  static statements_used used();
  void add(const reputation::review_archived& done, global_seq seq, batch_statements& to);
};

/// Those of these ids that are there, in any order.
std::vector<reputation::review_record> read_reviews_here(connection& on, const std::set<review_id>& which,
                                                         steady_time deadline);

reputation::found_review read(connection& on, const reputation::load_review& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_review> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::review_created>{"reviews"};

} // namespace credence::persistence
