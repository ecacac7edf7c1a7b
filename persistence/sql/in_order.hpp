#pragma once

#include "persistence/postgres/column.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

/// What is asked of many at once, and answered in the order asked.
namespace credence::persistence {

/// The ids that `id_of` takes out of the things asked for, as an array parameter.
template <class Asked, class IdOf = std::identity>
binary_array ids_of(const Asked& question, IdOf id_of = {}) {
  binary_array out{sql_type::int4};
  for (const auto& each : question)
    out.int4(std::invoke(id_of, each).value);
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
