#pragma once

#include "actors/kernel/load.hpp"
#include "persistence/readers/reader_pool.hpp"

#include <type_traits>

/// For the file that instantiates `handlers_of` for an entity: includes this and the SQL that answers the entity's questions.
/// A question that lacks its `read` or its `manner_of` beside that SQL (manner.hpp) does not compile.
namespace credence::persistence {

namespace detail {
template <class Load>
auto handler_of(reader_pool& pool) {
  using Q = typename Load::question;
  if constexpr (read_in_groups<Q>) {
    static_assert(std::is_same_v<typename answers_to<Q>::value_type, typename Load::answer>, "`read` answers what the load declares");
    return [&pool, &together = pool.gather<Q>()](Q& question) { return pool.ask(manner_of<Q>, question, together); };
  } else {
    static_assert(std::is_same_v<answer_to<Q>, typename Load::answer>, "`read` answers what the load declares");
    return [&pool](Q& question) { return pool.ask(manner_of<Q>, question); };
  }
}

template <class... Loads>
caf::message_handler handlers(reader_pool& pool, types<Loads...>) {
  return {handler_of<Loads>(pool)...};
}
} // namespace detail

template <class Storage>
caf::message_handler handlers_of(reader_pool& pool) {
  return detail::handlers(pool, typename Storage::loads{});
}

} // namespace credence::persistence
