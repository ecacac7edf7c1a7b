#include "persistence/postgres/column.hpp"

#include <libpq-fe.h>

namespace credence::persistence {

void rows::freer::operator()(pg_result* result) const noexcept { PQclear(result); }

rows::rows(pg_result* adopted) : result_(adopted), count_(adopted ? PQntuples(adopted) : 0) {}

std::int64_t rows::affected() const {
  const char* text = result_ ? PQcmdTuples(result_.get()) : "";
  return *text ? std::stoll(text) : 0;
}

// -- columns -----------------------------------------------------------------------------

namespace {

database_error misread(const char* name, const std::string& text) {
  return {trouble::usage, {}, "the column \"" + std::string{name} + "\" of an answer " + text};
}

std::string what_type(unsigned oid) {
  const auto known = type_name(static_cast<sql_type>(oid));
  return known.empty() ? "of the type " + std::to_string(oid) : std::string{known};
}

/// The place of the one column with this name.
int place_of(const pg_result* result, const char* name) {
  int found = -1;
  for (int i = 0, all = PQnfields(result); i < all; ++i) {
    if (std::strcmp(PQfname(result, i), name) != 0)
      continue;
    if (found >= 0)
      throw misread(name, "is there twice");
    found = i;
  }
  if (found < 0)
    throw misread(name, "is not there");
  return found;
}

} // namespace

bound_column::bound_column(const rows& in, const char* name, std::span<const sql_type> types)
  : result_(in.result_.get()), count_(in.count_), at_(place_of(result_, name)) {
  must_be(types);
}

bound_column::bound_column(const rows& in, std::span<const sql_type> types)
  : result_(in.result_.get()), count_(in.count_), at_(0) {
  if (PQnfields(result_) != 1 || count_ != 1)
    throw database_error(trouble::usage, {}, "an answer is not one value");
  must_be(types);
}

void bound_column::must_be(std::span<const sql_type> types) const {
  constexpr int binary = 1;
  if (PQfformat(result_, at_) != binary)
    fail("is text of a statement without parameters, which nobody reads");
  const auto type = PQftype(result_, at_);
  if (std::find(types.begin(), types.end(), static_cast<sql_type>(type)) == types.end())
    fail("is " + what_type(type) + " and read as " + std::string{type_name(types.front())});
}

std::string_view bound_column::cell(int row) const {
  if (row < 0 || row >= count_)
    fail("has no row " + std::to_string(row));
  if (PQgetisnull(result_, row, at_))
    return {};
  return {PQgetvalue(result_, row, at_), static_cast<std::size_t>(PQgetlength(result_, row, at_))};
}

void bound_column::fail(const std::string& text) const { throw misread(PQfname(result_, at_), text); }

std::vector<std::int32_t> detail::stored_as<std::vector<std::int32_t>>::from(std::string_view raw) {
  // Number of dimensions, whether there are nulls, type; of the one dimension: length, first index; then each value
  // with its length.
  constexpr std::size_t head = 20;
  constexpr std::size_t entry = 8;
  std::vector<std::int32_t> out;
  const auto dimensions = raw.size() < 12 ? 0 : read_big_endian<std::uint32_t>(raw.data());
  if (dimensions == 0)
    return out;
  const auto count = raw.size() < head ? 0 : read_big_endian<std::uint32_t>(raw.data() + 12);
  if (dimensions != 1 || raw.size() != head + count * entry)
    throw unreadable{"is not an array of integers"};
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(stored_as<std::int32_t>::from(raw.substr(head + i * entry + 4)));
  return out;
}

} // namespace credence::persistence
