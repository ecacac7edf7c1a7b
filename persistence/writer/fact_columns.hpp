#pragma once

#include "actors/kernel/fact.hpp"
#include "persistence/postgres/binary.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Changes as columns: all of a kind in one statement, however many there are.
namespace credence::persistence {

namespace detail {

/// How a value is written: the type of its column, and one element of it.
template <class T>
struct column_of;
template <>
struct column_of<bool> {
  static constexpr auto type = sql_type::boolean;
  static void put(binary_array& to, bool value) { to.boolean(value); }
};
template <>
struct column_of<std::int16_t> {
  static constexpr auto type = sql_type::int2;
  static void put(binary_array& to, std::int16_t value) { to.int2(value); }
};
template <>
struct column_of<std::int32_t> {
  static constexpr auto type = sql_type::int4;
  static void put(binary_array& to, std::int32_t value) { to.int4(value); }
};
template <>
struct column_of<std::int64_t> {
  static constexpr auto type = sql_type::int8;
  static void put(binary_array& to, std::int64_t value) { to.int8(value); }
};
template <class Tag>
struct column_of<id<Tag>> {
  static constexpr auto type = sql_type::int4;
  static void put(binary_array& to, id<Tag> value) { to.int4(value.value); }
};
template <>
struct column_of<timestamp> {
  static constexpr auto type = sql_type::timestamptz;
  static void put(binary_array& to, timestamp value) { to.time(value); }
};
template <>
struct column_of<std::chrono::sys_days> {
  static constexpr auto type = sql_type::date;
  static void put(binary_array& to, std::chrono::sys_days value) { to.day(value); }
};
template <>
struct column_of<wei> {
  static constexpr auto type = sql_type::numeric;
  static void put(binary_array& to, const wei& value) { to.numeric(value); }
};
template <>
struct column_of<std::string_view> {
  static constexpr auto type = sql_type::text;
  static void put(binary_array& to, std::string_view value) { to.text(value); }
};
template <>
struct column_of<std::string> : column_of<std::string_view> {};
/// A list in a column: its text, as PostgreSQL has no arrays whose rows differ in length.
template <>
struct column_of<std::vector<std::int32_t>> {
  static constexpr auto type = sql_type::text;
  static void put(binary_array& to, const std::vector<std::int32_t>& value) {
    std::string list = "{";
    for (const auto each : value)
      (list += list.size() > 1 ? "," : "") += std::to_string(each);
    to.text(list + "}");
  }
};
template <>
struct column_of<std::span<const std::byte>> {
  static constexpr auto type = sql_type::bytea;
  static void put(binary_array& to, std::span<const std::byte> value) { to.bytes(value); }
};
template <>
struct column_of<digest32> : column_of<std::span<const std::byte>> {};
template <>
struct column_of<address> {
  static constexpr auto type = sql_type::bytea;
  static void put(binary_array& to, const address& value) { to.bytes(value.bytes); }
};
template <class T>
struct column_of<std::optional<T>> {
  static constexpr auto type = column_of<T>::type;
  static void put(binary_array& to, const std::optional<T>& value) {
    if (value)
      column_of<T>::put(to, *value);
    else
      to.null();
  }
};

template <class T, class Get>
using value_of = std::remove_cvref_t<decltype(std::declval<const field<Get>&>().of(std::declval<const T&>()))>;

} // namespace detail

/// Rows of `T`, a change or a part of one, by its description. A change that takes a number has one column more, `seq`.
template <class T>
class fact_columns {
public:
  static constexpr bool numbered = [] {
    if constexpr (described<T>)
      return fact<T>::numbers != numbering::none;
    return false;
  }();

  /// The names of the columns, with commas between them.
  static std::string names() {
    std::string out;
    each_column([&](std::string_view name, sql_type) { out.append(out.empty() ? "" : ", ").append(name); });
    return out;
  }
  /// `unnest($1::int4[], …)`, in the order of the names.
  static std::string unnest() {
    std::string out = "unnest(";
    int number = 0;
    each_column([&](std::string_view, sql_type type) {
      out += number++ > 0 ? ", $" : "$";
      out += std::to_string(number);
      out.append("::").append(type_name(type)).append("[]");
    });
    return out + ")";
  }
  /// An INSERT of all of them. `constants`: more columns, such as `{"kind, ", "'CREATION', "}`, and their values.
  static std::string insert_into(std::string_view table, std::pair<std::string_view, std::string_view> constants = {}) {
    return std::string{"INSERT INTO "}
      .append(table)
      .append(" (")
      .append(constants.first)
      .append(names())
      .append(") SELECT ")
      .append(constants.second)
      .append("u.* FROM ")
      .append(unnest())
      .append(" u");
  }

  fact_columns() {
    columns_.reserve(width);
    each_column([&](std::string_view, sql_type type) { columns_.emplace_back(type); });
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
    auto* to = columns_.data();
    for_each_field(
      it, [&]<class Value>(std::string_view, const Value& value) { detail::column_of<Value>::put(*to++, value); });
    if constexpr (numbered)
      to->int8(seq);
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
  static constexpr std::size_t width =
    std::remove_cvref_t<decltype(credence::detail::fields_of<T>())>::size + (numbered ? 1 : 0);

  template <class Visit>
  static void each_column(Visit&& visit) {
    credence::detail::fields_of<T>().apply([&]<class... Get>(const field<Get>&... each) {
      (visit(each.name, detail::column_of<detail::value_of<T, Get>>::type), ...);
    });
    if constexpr (numbered)
      visit("seq", sql_type::int8);
  }

  std::size_t size_ = 0;
  std::vector<binary_array> columns_;
  parameters with_;
};

} // namespace credence::persistence
