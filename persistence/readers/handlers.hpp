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
  using question = typename Load::question;
  if constexpr (read_in_groups<question>) {
    static_assert(std::is_same_v<typename answers_to<question>::value_type, typename Load::answer>, "`read` answers what the load declares");
    return [&pool, &together = pool.gather<question>()](question& query) { return pool.ask(manner_of<question>, query, together); };
  } else {
    static_assert(std::is_same_v<answer_to<question>, typename Load::answer>, "`read` answers what the load declares");
    return [&pool](question& query) { return pool.ask(manner_of<question>, query); };
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
