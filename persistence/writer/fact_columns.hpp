#pragma once

#include "actors/kernel/fact.hpp"
#include "persistence/postgres/column.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is written, by its description: statements and their parameters. A change that takes a number has one column
/// more, `seq`.
namespace credence::persistence {

namespace detail {

/// Calls `visit(name, type)` for each column of `T`, a change or a part of one.
template <class T, class Visit>
void each_column(Visit&& visit) {
  credence::detail::fields_of<T>().apply([&]<class... Get>(const field<Get>&... each) {
    (visit(std::string_view{each.name}, type_written<value_of<Get>>()), ...);
  });
  if constexpr (described<T>)
    if constexpr (fact<T>::numbers != numbering::none)
      visit(std::string_view{"seq"}, sql_type::int8);
}

template <class T>
void put_columns(auto&& to, const T& it, global_seq seq) {
  for_each_field(it, [&]<class Value>(std::string_view, const Value& value) { stored_as<Value>::put(to(), value); });
  if constexpr (described<T>)
    if constexpr (fact<T>::numbers != numbering::none)
      to().int8(seq);
}

inline std::string& with_comma(std::string& out) { return out += out.empty() ? "" : ", "; }

/// `$2::int4`
inline void append_parameter(std::string& to, int number, sql_type type, const char* list = "") {
  to.append("$").append(std::to_string(number)).append("::").append(type_name(type)).append(list);
}

} // namespace detail

/// The names of the columns, with commas between them.
template <class T>
std::string column_names() {
  std::string out;
  detail::each_column<T>([&](std::string_view name, sql_type) { detail::with_comma(out).append(name); });
  return out;
}
/// `unnest($1::int4[], …)`, in the order of the names.
template <class T>
std::string unnested() {
  std::string out;
  int number = 0;
  detail::each_column<T>(
    [&](std::string_view, sql_type type) { detail::append_parameter(detail::with_comma(out), ++number, type, "[]"); });
  return "unnest(" + out + ")";
}
/// `$1::int4, …`, in the order of the names.
template <class T>
std::string values_of() {
  std::string out;
  int number = 0;
  detail::each_column<T>(
    [&](std::string_view, sql_type type) { detail::append_parameter(detail::with_comma(out), ++number, type); });
  return out;
}

/// An INSERT of as many rows as there are in the arrays. `constants`: more columns, such as `{"kind, ", "'CREATION',
/// "}`, and their values.
template <class T>
std::string insert_all(std::string_view table, std::pair<std::string_view, std::string_view> constants = {}) {
  return std::string{"INSERT INTO "}
    .append(table)
    .append(" (")
    .append(constants.first)
    .append(column_names<T>())
    .append(") SELECT ")
    .append(constants.second)
    .append("u.* FROM ")
    .append(unnested<T>())
    .append(" u");
}
/// An INSERT of one row.
template <class T>
std::string insert_one(std::string_view table, std::pair<std::string_view, std::string_view> constants = {}) {
  return std::string{"INSERT INTO "}
    .append(table)
    .append(" (")
    .append(constants.first)
    .append(column_names<T>())
    .append(") VALUES (")
    .append(constants.second)
    .append(values_of<T>())
    .append(")");
}
/// An UPDATE of the row that the first `keys` columns name, in which the others are set.
template <class T>
std::string update_one(std::string_view table, int keys = 1, std::string_view also = {}) {
  std::string set, where;
  int number = 0;
  detail::each_column<T>([&](std::string_view name, sql_type type) {
    auto& to = ++number <= keys ? (where += where.empty() ? " WHERE " : " AND ") : detail::with_comma(set);
    detail::append_parameter(to.append(name).append(" = "), number, type);
  });
  return std::string{"UPDATE "}.append(table).append(" SET ").append(set).append(where).append(also);
}

/// The columns of one of them as parameters.
template <class T>
parameters columns_of(const T& it, global_seq seq = 0) {
  parameters out;
  detail::put_columns([&]() -> parameters& { return out; }, it, seq);
  return out;
}

/// Rows of `T` as arrays: all of a kind in one statement, however many there are.
template <class T>
class fact_columns {
public:
  fact_columns() {
    detail::each_column<T>([&](std::string_view, sql_type type) { columns_.emplace_back(type); });
  }
  fact_columns(fact_columns&&) noexcept = default;
  fact_columns& operator=(fact_columns&&) noexcept = default;

  void clear() {
    size_ = 0;
    for (auto& each : columns_)
      each.clear();
  }
  /// `seq` counts for those that take a number.
  void add(const T& it, global_seq seq = 0) {
    detail::put_columns([to = columns_.data()]() mutable -> binary_array& { return *to++; }, it, seq);
    ++size_;
  }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// Valid until the next change of this object.
  const parameters& finish() {
    with_.clear();
    for (auto& each : columns_)
      with_.array(each);
    return with_;
  }

private:
  std::size_t size_ = 0;
  std::vector<binary_array> columns_;
  parameters with_;
};

} // namespace credence::persistence
