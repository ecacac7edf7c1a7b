#pragma once

#include "actors/domain/field_list.hpp"

#include <string_view>
#include <type_traits>

/// What the columns of a table hold of a row, declared once beside the row's struct:
///
///   struct credit_row {
///     uint256 balance;
///     static constexpr auto columns() { return field_list{col("balance", &credit_row::balance)}; }
///   };
///
/// From that come the row as it is written and the row as it is read. What a column makes of several members, or of
/// none, is not among them.
namespace credence {

/// A column that holds a member.
template <class Row, class T>
struct row_column {
  std::string_view name;
  T Row::*member;
  constexpr const T& in(const Row& row) const { return row.*member; }
  constexpr T& in(Row& row) const { return row.*member; }
};
/// A column that holds a member of a member.
template <class Row, class Part, class T>
struct part_column {
  std::string_view name;
  Part Row::*part;
  T Part::*member;
  constexpr const T& in(const Row& row) const { return row.*part.*member; }
  constexpr T& in(Row& row) const { return row.*part.*member; }
};

template <class Row, class T>
constexpr row_column<Row, T> col(std::string_view name, T Row::*member) {
  return {name, member};
}
template <class Row, class Part, class T>
constexpr part_column<Row, Part, T> col(std::string_view name, Part Row::*part, T Part::*member) {
  return {name, part, member};
}

template <class Row>
concept with_columns = requires {
  Row::columns();
};

/// Calls `visit(name, value)` for each of the row's columns, in order; the value may be changed where the row may.
template <class Row, class Visit>
constexpr void for_each_column(Row& row, Visit&& visit) {
  using plain = std::remove_const_t<Row>;
  plain::columns().apply([&](const auto&... each) { (visit(each.name, each.in(row)), ...); });
}

} // namespace credence
