#include "persistence/verify/numbers.hpp"

namespace credence::persistence {

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
