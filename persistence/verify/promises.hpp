#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What holds of everything that is stored (promises.sql); verify.cpp checks all of it.
namespace credence::persistence {

struct promise {
  std::string entity; // `slash`
  std::string name;   // `vote_numbers`
  std::string words;  // for the report
  std::string sql;    // one text column, a row for each difference
};

/// All of them, by entity.
const std::vector<promise>& all_promises();
/// Those of one entity.
std::vector<promise> promises_of(std::string_view entity);

/// A column that holds the numbers of facts of a kind.
struct number_column {
  std::string_view table;
  std::string_view column = "seq";
  bool operator==(const number_column&) const = default;
};

} // namespace credence::persistence
