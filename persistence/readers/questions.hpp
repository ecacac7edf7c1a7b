#pragma once

#include "actors/store.hpp"
#include "persistence/readers/reading.hpp"
#include "persistence/sql/all_sql.hpp"

#include <type_traits>

/// Every question that the read connections answer. One of `all_loads` that lacks its `read` or its `manner_of` beside the
/// SQL (manner.hpp) does not compile.
namespace credence::persistence {

namespace detail {
template <class... Loads>
struct kinds_of {
  using single = joined<types<>, std::conditional_t<read_in_groups<typename Loads::question>, types<>, types<typename Loads::question>>...>;
  using grouped = joined<types<>, std::conditional_t<read_in_groups<typename Loads::question>, types<typename Loads::question>, types<>>...>;
};
} // namespace detail

using single_kinds = made_of<detail::kinds_of, all_loads>::single;
using group_kinds = made_of<detail::kinds_of, all_loads>::grouped;

} // namespace credence::persistence
