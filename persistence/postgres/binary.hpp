#pragma once

#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Values as PostgreSQL wants them in its binary format. No library needed.
namespace credence::persistence {

/// Types of columns and of array elements, by their fixed oid.
enum class sql_type : std::uint32_t {
  boolean = 16,
  bytea = 17,
  name = 19,
  int8 = 20,
  int2 = 21,
  int4 = 23,
  text = 25,
  float8 = 701,
  int4_array = 1007,
  varchar = 1043,
  date = 1082,
  timestamptz = 1184,
  numeric = 1700,
  uuid = 2950,
};
/// Such as `int4`; empty for a type that is none of these.
constexpr std::string_view type_name(sql_type type) {
  switch (type) {
    case sql_type::boolean: return "boolean";
    case sql_type::bytea: return "bytea";
    case sql_type::name: return "name";
    case sql_type::int8: return "int8";
    case sql_type::int2: return "int2";
    case sql_type::int4: return "int4";
    case sql_type::text: return "text";
    case sql_type::float8: return "float8";
    case sql_type::int4_array: return "int4[]";
    case sql_type::varchar: return "varchar";
    case sql_type::date: return "date";
    case sql_type::timestamptz: return "timestamptz";
    case sql_type::numeric: return "numeric";
    case sql_type::uuid: return "uuid";
  }
  return "";
}

/// Length-prefixed binary fields one after the other: what arrays and rows of a
/// binary COPY are made of. Keeps its memory when cleared.
class binary_fields {
public:
  void int2(std::int16_t value);
  void int4(std::int32_t value);
  void int8(std::int64_t value);
  void float8(double value);
  void boolean(bool value);
  void text(std::string_view value); // and any type whose binary form these bytes are
  void bytes(std::span<const std::byte> value);
  void time(timestamp value);            // timestamptz
  void day(std::chrono::sys_days value); // date
  void numeric(const wei& value);
  void null();

protected:
  explicit binary_fields(std::size_t reserve) { data_.reserve(reserve); }
  void raw(std::uint32_t value);
  std::string data_;
};

/// One array parameter with one dimension. Add elements with the members of
/// `binary_fields`; each call is one element, and all must be of `of`.
class binary_array : public binary_fields {
public:
  explicit binary_array(sql_type of);
  void clear();
  /// The finished array; valid until the next change.
  std::string_view finish();

private:
  sql_type of_;
};

/// Rows for `COPY … FROM STDIN (FORMAT binary)`. Start each row with `row`, then
/// add exactly that many fields.
class binary_rows : public binary_fields {
public:
  binary_rows();
  void row(std::int16_t fields);
  /// Appends the trailer; nothing may be added afterwards.
  void end();
  std::size_t size() const noexcept { return data_.size(); }
  /// Takes what has been added so far; more may be added.
  std::string take();
};

/// Parameters $1, $2, … of one statement, in binary. The server must be able to
/// tell their types: write `$1::int4[]` and the like.
class parameters {
public:
  parameters& int2(std::int16_t value);
  parameters& int4(std::int32_t value);
  parameters& int8(std::int64_t value);
  parameters& float8(double value);
  parameters& boolean(bool value);
  parameters& text(std::string_view value); // copied
  parameters& text(const std::string& value) { return text(std::string_view{value}); }
  parameters& text(const char* value) { return text(std::string_view{value}); }
  parameters& text(const std::optional<std::string>& value);
  parameters& bytes(std::span<const std::byte> value); // copied; also uuid
  parameters& time(timestamp value);
  parameters& time(const std::optional<timestamp>& value);
  parameters& numeric(const wei& value);
  parameters& null();
  /// Not copied: `value` must stay as it is until the statement has been sent.
  parameters& array(binary_array& value);
  void clear();
  std::size_t size() const noexcept { return entries_.size(); }

private:
  friend class connection;
  struct entry {
    const char* external;
    std::size_t offset;
    int length; // -1: null
  };
  parameters& own(std::string_view raw);
  std::vector<entry> entries_;
  std::string data_;
};

/// A whole number as PostgreSQL's numeric, in binary: digits to the base of 10,000.
void append_numeric(std::string& out, const wei& value);
/// The other way; nothing for what is not a whole number from 0 to 2^256 - 1.
std::optional<wei> read_numeric(std::string_view raw);

/// What PostgreSQL counts microseconds and days from.
inline constexpr std::chrono::sys_days postgres_epoch = std::chrono::sys_days{std::chrono::year{2000} / 1 / 1};

} // namespace credence::persistence
