#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "persistence/postgres/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

/// How the values of an enumeration are written in the database, in their order (sql/words.hpp).
template <class Enum>
inline constexpr std::span<const std::string_view> words_of{};

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

/// How a value is read: the types of its columns, and the value from the bytes of one that is not NULL. Throws
/// `unreadable`.
template <class T>
struct read_as;
template <>
struct read_as<bool> {
  static constexpr std::array types{sql_type::boolean};
  static bool from(std::string_view raw) { return raw.front() != 0; }
};
template <>
struct read_as<std::int16_t> {
  static constexpr std::array types{sql_type::int2};
  static std::int16_t from(std::string_view raw) {
    return static_cast<std::int16_t>(read_big_endian<std::uint16_t>(raw.data()));
  }
};
template <>
struct read_as<std::int32_t> {
  static constexpr std::array types{sql_type::int4};
  static std::int32_t from(std::string_view raw) {
    return static_cast<std::int32_t>(read_big_endian<std::uint32_t>(raw.data()));
  }
};
template <>
struct read_as<std::int64_t> {
  static constexpr std::array types{sql_type::int8};
  static std::int64_t from(std::string_view raw) {
    return static_cast<std::int64_t>(read_big_endian<std::uint64_t>(raw.data()));
  }
};
template <>
struct read_as<double> {
  static constexpr std::array types{sql_type::float8};
  static double from(std::string_view raw) { return std::bit_cast<double>(read_big_endian<std::uint64_t>(raw.data())); }
};
template <class Tag>
struct read_as<id<Tag>> : read_as<std::int32_t> {
  static id<Tag> from(std::string_view raw) { return {read_as<std::int32_t>::from(raw)}; }
};
template <>
struct read_as<timestamp> {
  static constexpr std::array types{sql_type::timestamptz};
  static timestamp from(std::string_view raw) {
    return timestamp{postgres_epoch} + std::chrono::microseconds{read_as<std::int64_t>::from(raw)};
  }
};
template <>
struct read_as<std::chrono::sys_days> {
  static constexpr std::array types{sql_type::date};
  static std::chrono::sys_days from(std::string_view raw) {
    return postgres_epoch + std::chrono::days{read_as<std::int32_t>::from(raw)};
  }
};
/// A whole number, not negative.
template <>
struct read_as<wei> {
  static constexpr std::array types{sql_type::numeric};
  static wei from(std::string_view raw) {
    if (auto value = read_numeric(raw))
      return *std::move(value);
    throw unreadable{"is not a whole number of wei"};
  }
};
/// Text, or bytes as they are. A view holds as long as the answer.
template <>
struct read_as<std::string_view> {
  static constexpr std::array types{sql_type::text, sql_type::bytea, sql_type::varchar, sql_type::name};
  static std::string_view from(std::string_view raw) { return raw; }
};
template <>
struct read_as<std::string> : read_as<std::string_view> {
  static std::string from(std::string_view raw) { return std::string{raw}; }
};
/// Exactly so many bytes, such as a digest.
template <std::size_t Size>
struct read_as<std::array<std::byte, Size>> {
  static constexpr std::array types{sql_type::bytea};
  static std::array<std::byte, Size> from(std::string_view raw) {
    std::array<std::byte, Size> out;
    if (raw.size() != Size)
      throw unreadable{"has another length than the code expects"};
    std::memcpy(out.data(), raw.data(), Size);
    return out;
  }
};
template <>
struct read_as<address> : read_as<decltype(address::bytes)> {
  static address from(std::string_view raw) { return {read_as<decltype(address::bytes)>::from(raw)}; }
};
/// An array without nulls.
template <>
struct read_as<std::vector<std::int32_t>> {
  static constexpr std::array types{sql_type::int4_array};
  static std::vector<std::int32_t> from(std::string_view raw);
};
template <class Enum>
requires std::is_enum_v<Enum>
struct read_as<Enum> : read_as<std::string_view> {
  static_assert(!words_of<Enum>.empty(), "sql/words.hpp says how an enumeration is written in the database");
  static Enum from(std::string_view raw) {
    const auto found = std::find(words_of<Enum>.begin(), words_of<Enum>.end(), raw);
    if (found == words_of<Enum>.end())
      throw unreadable{"says what the code does not know"};
    return static_cast<Enum>(found - words_of<Enum>.begin());
  }
};
/// Nothing for NULL; `column` sees to it.
template <class T>
struct read_as<std::optional<T>> : read_as<T> {};

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
  column(const rows& in, const char* name) : bound_column(in, name, detail::read_as<T>::types) {}
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
  explicit column(const rows& in) : bound_column(in, detail::read_as<T>::types) {}

  auto read(std::string_view raw) const {
    try {
      return detail::read_as<T>::from(raw);
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

} // namespace credence::persistence
