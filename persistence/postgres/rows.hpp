#pragma once

#include "persistence/postgres/binary.hpp"
#include "persistence/postgres/error.hpp"

#include <cstdint>
#include <memory>
#include <vector>

struct pg_result;

namespace credence::persistence {

/// The rows of one answer, in binary. Their columns are read by name, with `column` (column.hpp); nothing reads them
/// by their place.
class rows {
public:
  rows() = default;
  explicit rows(pg_result* adopted);
  int count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  /// Rows that an INSERT, UPDATE or DELETE touched.
  std::int64_t affected() const;

  /// The column `name` of the first row, for an answer that has one row only. Defined in column.hpp.
  template <class T>
  T first(const char* name) const;
  /// The value of an answer that has one row and one column, such as that of `SELECT count(*)`; its column needs no
  /// name. Defined in column.hpp.
  template <class T>
  T value() const;
  /// The values of a column, without those that are NULL. Defined in column.hpp.
  template <class T>
  std::vector<T> all(const char* name) const;

private:
  friend class bound_column;
  struct freer {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, freer> result_;
  int count_ = 0;
};

} // namespace credence::persistence
