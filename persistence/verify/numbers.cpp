#include "persistence/verify/numbers.hpp"

#include "persistence/sql/all_sql.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

template <class F>
void add(std::vector<number_column>& to) {
  if constexpr (fact<F>::numbers != numbering::none)
    if (std::find(to.begin(), to.end(), numbers_of<F>) == to.end())
      to.push_back(numbers_of<F>);
}

template <class... F>
struct columns_of {
  static std::vector<number_column> all() {
    std::vector<number_column> out;
    (add<F>(out), ...);
    return out;
  }
};

} // namespace

std::vector<number_column> number_columns() { return made_of<columns_of, all_facts>::all(); }

std::string numbers_given_sql() {
  std::string out;
  for (const auto& each : number_columns())
    out.append(out.empty() ? "SELECT " : " UNION ALL SELECT ")
      .append(each.column)
      .append(" AS seq FROM ")
      .append(each.table)
      .append(" WHERE ")
      .append(each.column)
      .append(" IS NOT NULL");
  return out;
}

std::string last_number_sql() {
  std::string out = "greatest(0";
  for (const auto& each : number_columns())
    out.append(", (SELECT max(").append(each.column).append(") FROM ").append(each.table).append(")");
  return out + ")";
}

} // namespace credence::persistence
