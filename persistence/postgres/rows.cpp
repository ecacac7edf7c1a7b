#include "persistence/postgres/connection.hpp"

#include <libpq-fe.h>

#include <cstring>

namespace credence::persistence {

namespace {

template <class Unsigned>
Unsigned read_big_endian(const char* raw) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    value = static_cast<Unsigned>(value << 8 | static_cast<unsigned char>(raw[i]));
  return value;
}

} // namespace

void rows::freer::operator()(pg_result* result) const noexcept { PQclear(result); }

rows::rows(pg_result* adopted) : result_(adopted), count_(adopted ? PQntuples(adopted) : 0) {}

std::int64_t rows::affected() const {
  const char* text = result_ ? PQcmdTuples(result_.get()) : "";
  return *text ? std::stoll(text) : 0;
}

const char* rows::field(int row, int column, int width) const {
  auto* result = result_.get();
  if (!result || row >= count_ || column >= PQnfields(result) || PQgetisnull(result, row, column)
      || (width && PQgetlength(result, row, column) != width))
    throw database_error(trouble::usage, {},
                         "column " + std::to_string(column) + " of an answer is not what the code expects");
  return PQgetvalue(result, row, column);
}

bool rows::null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
std::int16_t rows::int2(int row, int column) const {
  return static_cast<std::int16_t>(read_big_endian<std::uint16_t>(field(row, column, 2)));
}
std::int32_t rows::int4(int row, int column) const {
  return static_cast<std::int32_t>(read_big_endian<std::uint32_t>(field(row, column, 4)));
}
std::int64_t rows::int8(int row, int column) const {
  return static_cast<std::int64_t>(read_big_endian<std::uint64_t>(field(row, column, 8)));
}
double rows::float8(int row, int column) const {
  const auto raw = read_big_endian<std::uint64_t>(field(row, column, 8));
  double value;
  std::memcpy(&value, &raw, sizeof value);
  return value;
}
bool rows::boolean(int row, int column) const { return *field(row, column, 1) != 0; }
std::string_view rows::text(int row, int column) const {
  const char* raw = field(row, column, 0);
  return {raw, static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}
timestamp rows::time(int row, int column) const {
  return timestamp{postgres_epoch} + std::chrono::microseconds{int8(row, column)};
}
std::chrono::sys_days rows::day(int row, int column) const { return postgres_epoch + std::chrono::days{int4(row, column)}; }
std::vector<std::int32_t> rows::int4s(int row, int column) const {
  // Number of dimensions, whether there are nulls, type; of the one dimension: length, first index; then each value with its length.
  constexpr std::size_t head = 20;
  constexpr std::size_t entry = 8;
  const auto raw = text(row, column);
  std::vector<std::int32_t> out;
  const auto dimensions = raw.size() < 12 ? 0 : read_big_endian<std::uint32_t>(raw.data());
  if (dimensions == 0)
    return out;
  const auto count = raw.size() < head ? 0 : read_big_endian<std::uint32_t>(raw.data() + 12);
  if (dimensions != 1 || raw.size() != head + count * entry)
    throw database_error(trouble::usage, {}, "column " + std::to_string(column) + " of an answer is not an array of integers");
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(static_cast<std::int32_t>(read_big_endian<std::uint32_t>(raw.data() + head + i * entry + 4)));
  return out;
}
wei rows::numeric(int row, int column) const {
  if (auto value = read_numeric(text(row, column)))
    return *std::move(value);
  throw database_error(trouble::usage, {}, "column " + std::to_string(column) + " of an answer is not a whole number of wei");
}
std::optional<std::string> rows::maybe_text(int row, int column) const {
  return null(row, column) ? std::nullopt : std::optional<std::string>{text(row, column)};
}
std::optional<std::int32_t> rows::maybe_int4(int row, int column) const {
  return null(row, column) ? std::nullopt : std::optional{int4(row, column)};
}
std::optional<timestamp> rows::maybe_time(int row, int column) const {
  return null(row, column) ? std::nullopt : std::optional{time(row, column)};
}

} // namespace credence::persistence
