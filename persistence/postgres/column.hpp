#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/field_list.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "persistence/postgres/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Answers are read by the names of their columns:
///
///   const column<profile_id> voter{found, "voter_id"};
///   const column<std::optional<std::string_view>> reason{found, "reason"};
///   for (int i = 0; i < found.count(); ++i)
///     take(voter[i], reason[i]);
///
/// Each name is looked up once an answer. A name that the answer has not, or has twice, and a type that is not the
/// column's throw `database_error` (usage) with the name; so does NULL where no `std::optional` is read.
namespace credence::persistence {

/// A column of an answer, found by its name; what `column` has in common whatever it reads. The answer must outlive it.
class bound_column {
public:
  /// Whether there is no value in this row.
  bool null(int row) const { return !cell(row).data(); }

protected:
  bound_column(const rows& in, const char* name, std::span<const sql_type> types);
  /// The only column of an answer, whatever its name.
  bound_column(const rows& in, std::span<const sql_type> types);

  /// The bytes in this row; those of NULL begin nowhere. Throws when there is no such row.
  std::string_view cell(int row) const;
  /// The same, where there must be a value.
  std::string_view bytes(int row) const {
    const auto raw = cell(row);
    if (!raw.data())
      fail("is null");
    return raw;
  }
  [[noreturn]] void fail(const std::string& text) const;

private:
  void must_be(std::span<const sql_type> types) const;

  const pg_result* result_;
  int count_;
  int at_;
};

namespace detail {

template <class Unsigned>
Unsigned read_big_endian(const char* raw) {
  Unsigned value;
  std::memcpy(&value, raw, sizeof value);
  static_assert(std::endian::native == std::endian::little);
  if constexpr (sizeof value == 8)
    return __builtin_bswap64(value);
  else if constexpr (sizeof value == 4)
    return __builtin_bswap32(value);
  else
    return __builtin_bswap16(value);
}

/// What `from` says of bytes that are no such value, for people who read a log.
struct unreadable : std::exception {
  explicit unreadable(const char* reason) noexcept : why(reason) {}
  const char* what() const noexcept override { return why; }
  const char* why;
};

/// How a value is stored: the types of columns that it is read from, the first of which is the one that it is written
/// to unless `written` says another one; the value from the bytes of a column that is not NULL, which throws
/// `unreadable`; and the value as an element of an array or as a parameter.
template <class T>
struct stored_as;
template <>
struct stored_as<bool> {
  static constexpr std::array types{sql_type::boolean};
  static bool from(std::string_view raw) { return raw.front() != 0; }
  static void put(auto& to, bool value) { to.boolean(value); }
};
template <>
struct stored_as<std::int16_t> {
  static constexpr std::array types{sql_type::int2};
  static std::int16_t from(std::string_view raw) {
    return static_cast<std::int16_t>(read_big_endian<std::uint16_t>(raw.data()));
  }
  static void put(auto& to, std::int16_t value) { to.int2(value); }
};
template <>
struct stored_as<std::int32_t> {
  static constexpr std::array types{sql_type::int4};
  static std::int32_t from(std::string_view raw) {
    return static_cast<std::int32_t>(read_big_endian<std::uint32_t>(raw.data()));
  }
  static void put(auto& to, std::int32_t value) { to.int4(value); }
};
template <>
struct stored_as<std::int64_t> {
  static constexpr std::array types{sql_type::int8};
  static std::int64_t from(std::string_view raw) {
    return static_cast<std::int64_t>(read_big_endian<std::uint64_t>(raw.data()));
  }
  static void put(auto& to, std::int64_t value) { to.int8(value); }
};
template <>
struct stored_as<std::uint64_t> {
  static constexpr std::array types{sql_type::int8};
  static std::uint64_t from(std::string_view raw) { return read_big_endian<std::uint64_t>(raw.data()); }
  static void put(auto& to, std::uint64_t value) { to.int8(static_cast<std::int64_t>(value)); }
};
template <>
struct stored_as<double> {
  static constexpr std::array types{sql_type::float8};
  static double from(std::string_view raw) { return std::bit_cast<double>(read_big_endian<std::uint64_t>(raw.data())); }
  static void put(auto& to, double value) { to.float8(value); }
};
template <class Tag>
struct stored_as<id<Tag>> : stored_as<std::int32_t> {
  static id<Tag> from(std::string_view raw) { return {stored_as<std::int32_t>::from(raw)}; }
  static void put(auto& to, id<Tag> value) { to.int4(value.value); }
};
template <>
struct stored_as<timestamp> {
  static constexpr std::array types{sql_type::timestamptz};
  static timestamp from(std::string_view raw) {
    return timestamp{postgres_epoch} + std::chrono::microseconds{stored_as<std::int64_t>::from(raw)};
  }
  static void put(auto& to, timestamp value) { to.time(value); }
};
template <>
struct stored_as<std::chrono::sys_days> {
  static constexpr std::array types{sql_type::date};
  static std::chrono::sys_days from(std::string_view raw) {
    return postgres_epoch + std::chrono::days{stored_as<std::int32_t>::from(raw)};
  }
  static void put(auto& to, std::chrono::sys_days value) { to.day(value); }
};
/// A length of time, in whole seconds.
template <>
struct stored_as<std::chrono::seconds> : stored_as<std::int32_t> {
  static std::chrono::seconds from(std::string_view raw) {
    return std::chrono::seconds{stored_as<std::int32_t>::from(raw)};
  }
  static void put(auto& to, std::chrono::seconds value) { to.int4(static_cast<std::int32_t>(value.count())); }
};
/// A whole number, not negative.
template <>
struct stored_as<wei> {
  static constexpr std::array types{sql_type::numeric};
  static wei from(std::string_view raw) {
    if (auto value = read_numeric(raw))
      return *std::move(value);
    throw unreadable{"is not a whole number of wei"};
  }
  static void put(auto& to, const wei& value) { to.numeric(value); }
};
/// Text, or bytes as they are. A view holds as long as the answer.
template <>
struct stored_as<std::string_view> {
  static constexpr std::array types{sql_type::text, sql_type::bytea, sql_type::varchar, sql_type::name};
  static std::string_view from(std::string_view raw) { return raw; }
  static void put(auto& to, std::string_view value) { to.text(value); }
};
template <>
struct stored_as<std::string> : stored_as<std::string_view> {
  static std::string from(std::string_view raw) { return std::string{raw}; }
};
template <>
struct stored_as<std::span<const std::byte>> {
  static constexpr std::array types{sql_type::bytea};
  static std::span<const std::byte> from(std::string_view raw) { return std::as_bytes(std::span{raw}); }
  static void put(auto& to, std::span<const std::byte> value) { to.bytes(value); }
};
/// Exactly so many bytes, such as a digest.
template <std::size_t Size>
struct stored_as<std::array<std::byte, Size>> {
  static constexpr std::array types{sql_type::bytea};
  static std::array<std::byte, Size> from(std::string_view raw) {
    std::array<std::byte, Size> out;
    if (raw.size() != Size)
      throw unreadable{"has another length than the code expects"};
    std::memcpy(out.data(), raw.data(), Size);
    return out;
  }
  static void put(auto& to, const std::array<std::byte, Size>& value) { to.bytes(value); }
};
template <>
struct stored_as<address> : stored_as<decltype(address::bytes)> {
  static address from(std::string_view raw) { return {stored_as<decltype(address::bytes)>::from(raw)}; }
  static void put(auto& to, const address& value) { to.bytes(value.bytes); }
};
/// An array without nulls. Written as its text, as PostgreSQL has no arrays whose rows differ in length.
template <>
struct stored_as<std::vector<std::int32_t>> {
  static constexpr std::array types{sql_type::int4_array};
  static constexpr auto written = sql_type::text;
  static std::vector<std::int32_t> from(std::string_view raw);
  static void put(auto& to, const std::vector<std::int32_t>& value) {
    std::string list = "{";
    for (const auto each : value)
      (list += list.size() > 1 ? "," : "") += std::to_string(each);
    to.text(list + "}");
  }
};
template <class Enum>
requires std::is_enum_v<Enum>
struct stored_as<Enum> : stored_as<std::string_view> {
  static_assert(!words_of<Enum>.empty(), "`words_of` says how an enumeration is written in the database");
  static Enum from(std::string_view raw) {
    const auto found = std::find(words_of<Enum>.begin(), words_of<Enum>.end(), raw);
    if (found == words_of<Enum>.end())
      throw unreadable{"says what the code does not know"};
    return static_cast<Enum>(found - words_of<Enum>.begin());
  }
  static void put(auto& to, Enum value) { to.text(word_of(value)); }
};
/// Nothing for NULL; `column` sees to it.
template <class T>
struct stored_as<std::optional<T>> : stored_as<T> {
  static void put(auto& to, const std::optional<T>& value) {
    if (value)
      stored_as<T>::put(to, *value);
    else
      to.null();
  }
};

/// The type of the column that it is written to.
template <class T>
constexpr sql_type type_written() {
  if constexpr (requires { stored_as<T>::written; })
    return stored_as<T>::written;
  else
    return stored_as<T>::types.front();
}

template <class T>
inline constexpr bool may_be_null = false;
template <class T>
inline constexpr bool may_be_null<std::optional<T>> = true;

} // namespace detail

/// A column of values of type `T`: numbers, ids, `timestamp`, days, `wei`, `address`, digests, text, enumerations by
/// their words, `std::optional` of these. Costs nothing but its look-up; `[row]` reads the bytes and allocates nothing
/// that `T` does not.
template <class T>
class column : public bound_column {
public:
  column(const rows& in, const char* name) : bound_column(in, name, detail::stored_as<T>::types) {}
  column(const rows&& in, const char* name) = delete; // it would be gone

  T operator[](int row) const {
    if constexpr (detail::may_be_null<T>) {
      const auto raw = cell(row);
      return raw.data() ? T{read(raw)} : T{};
    } else {
      return read(bytes(row));
    }
  }

private:
  friend class rows;
  explicit column(const rows& in) : bound_column(in, detail::stored_as<T>::types) {}

  auto read(std::string_view raw) const {
    try {
      return detail::stored_as<T>::from(raw);
    } catch (const detail::unreadable& unreadable) {
      fail(unreadable.why);
    }
  }
};

template <class T>
T rows::first(const char* name) const {
  return column<T>{*this, name}[0];
}

template <class T>
T rows::value() const {
  return column<T>{*this}[0];
}

template <class T>
std::vector<T> rows::all(const char* name) const {
  const column<std::optional<T>> values{*this, name};
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(count()));
  for (int i = 0; i < count(); ++i)
    if (auto value = values[i])
      out.push_back(*std::move(value));
  return out;
}

// -- records -----------------------------------------------------------------------------

namespace detail {
template <class Get>
using value_of =
  std::remove_cvref_t<decltype(std::declval<const Get&>().get(std::declval<const typename Get::whole&>()))>;
template <class Get>
struct bound_field {
  column<value_of<Get>> from;
  Get to;
};
} // namespace detail

/// Records from rows, by the list of their fields; each name is looked up once. What the list does not name stays as it
/// is in a fresh record.
template <class Whole, class... Get>
class record_columns {
public:
  record_columns(const rows& in, const field_list<field<Get>...>& list)
    : columns_(list.apply([&](const field<Get>&... each) {
        return field_list{detail::bound_field<Get>{{in, each.name}, each.get}...};
      })) {}

  Whole operator[](int row) const {
    Whole out{};
    columns_.apply([&](const auto&... each) { (each.to.put(out, each.from[row]), ...); });
    return out;
  }

private:
  field_list<detail::bound_field<Get>...> columns_;
};

/// The records in an answer, to be taken row by row.
template <class First, class... More>
auto records_in(const rows& found, const field_list<First, More...>& list) {
  return [&]<class... Get>(const field_list<field<Get>...>& fields) {
    return record_columns<typename First::whole, Get...>{found, fields};
  }(list);
}

/// All of them.
template <class First, class... More>
std::vector<typename First::whole> all_of(const rows& found, const field_list<First, More...>& list) {
  const auto records = records_in(found, list);
  std::vector<typename First::whole> out;
  out.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.push_back(records[i]);
  return out;
}

/// That of the first row, if there is one.
template <class First, class... More>
std::optional<typename First::whole> first_of(const rows& found, const field_list<First, More...>& list) {
  return found.empty() ? std::nullopt : std::optional{records_in(found, list)[0]};
}

/// Their columns, with commas between them; `alias` comes before each, such as `r.`.
template <class... Get>
std::string column_list(const field_list<field<Get>...>& list, std::string_view alias = {}) {
  std::string out;
  list.apply(
    [&](const auto&... each) { ((out.append(out.empty() ? "" : ", ").append(alias).append(each.name)), ...); });
  return out;
}

// -- parameters --------------------------------------------------------------------------

namespace detail {
template <class T>
void put_parameter(parameters& to, T&& value) {
  using type = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<type, binary_array>) {
    auto array = std::forward<T>(value); // copied, as it may be gone before the statement is sent
    to.bytes(std::as_bytes(std::span{array.finish()}));
  } else if constexpr (std::is_same_v<type, std::optional<binary_array>>) {
    if (value)
      put_parameter(to, *value);
    else
      to.null();
  } else if constexpr (std::is_convertible_v<const type&, std::string_view>)
    to.text(std::string_view{value});
  else
    stored_as<type>::put(to, value);
}
} // namespace detail

/// Parameters of a statement, each of the type that its own says.
template <class... T>
parameters with(T&&... value) {
  parameters out;
  (detail::put_parameter(out, std::forward<T>(value)), ...);
  return out;
}

/// An array parameter of what `get` takes out of each of these.
template <class Range, class Get = std::identity>
binary_array array_of(const Range& range, Get get = {}) {
  using type = std::remove_cvref_t<std::invoke_result_t<Get&, decltype(*std::begin(range))>>;
  binary_array out{detail::type_written<type>()};
  for (const auto& each : range)
    detail::stored_as<type>::put(out, std::invoke(get, each));
  return out;
}

/// Where each row belongs: the column `place` of `WITH ORDINALITY AS k (…, place)`, which counts from 1.
class places {
public:
  explicit places(const rows& in) : place_(in, "place") {}
  /// From 0.
  std::size_t operator[](int row) const { return static_cast<std::size_t>(place_[row] - 1); }

private:
  column<std::int64_t> place_;
};

} // namespace credence::persistence
