#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

/// What tests of the database's own rules have in common: a row each, and the name of its test.
namespace credence::persistence {

/// SQL that the database must refuse, and the SQLSTATE with which it does.
struct wrong {
  const char* name;
  std::string sqlstate;
  std::string sql;
};
inline void PrintTo(const wrong& which, std::ostream* out) { *out << which.sql; }

/// SQL that it must take.
struct right {
  const char* name;
  std::string sql;
};
inline void PrintTo(const right& which, std::ostream* out) { *out << which.sql; }

/// SQLSTATE of a constraint: a rule of one row or a trigger; a row that another names; one of its kind; a value that
/// must be there.
inline constexpr const char* check = "23514";
inline constexpr const char* foreign = "23503";
inline constexpr const char* unique = "23505";
inline constexpr const char* excluded = "23P01"; // by an exclusion constraint
inline constexpr const char* missing = "23502";

inline std::string name_of(const ::testing::TestParamInfo<wrong>& info) { return info.param.name; }
inline std::string name_of_right(const ::testing::TestParamInfo<right>& info) { return info.param.name; }

} // namespace credence::persistence
