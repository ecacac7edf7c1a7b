#pragma once

#include "persistence/readers/reader_pool.hpp"

#include <type_traits>

/// For the file of SQL that instantiates `handlers_of` for an entity: the SQL that answers the entity's questions is
/// declared before that. A question that lacks its `read` or its `query_policy_of` beside that SQL (query_policy.hpp)
/// does not compile.
namespace credence::persistence {

namespace detail {
template <class Load>
std::vector<std::any> read_any(connection& on, std::span<const std::any> questions, milliseconds timeout) {
  using Q = typename Load::question;
  std::vector<std::any> out;
  if constexpr (read_in_groups<Q>) {
    std::vector<Q> group;
    group.reserve(questions.size());
    for (const auto& each : questions)
      group.push_back(std::any_cast<const Q&>(each));
    auto found = read(on, std::span<const Q>{group}, deadline_in(timeout));
    static_assert(std::is_same_v<typename decltype(found)::value_type, typename Load::answer>,
                  "`read` answers what the load declares");
    out.reserve(found.size());
    for (auto& each : found)
      out.emplace_back(std::move(each));
  } else {
    const auto& question = std::any_cast<const Q&>(questions.front());
    const auto read_one = [&] {
      if constexpr (read_in_pieces<Q>)
        return read(on, question, timeout);
      else
        return read(on, question, deadline_in(timeout));
    };
    static_assert(std::is_same_v<decltype(read_one()), typename Load::answer>, "`read` answers what the load declares");
    out.emplace_back(read_one());
  }
  return out;
}

template <class... Loads>
std::vector<load_handler> handlers(types<Loads...>) {
  static_assert(
    ((read_in_groups<typename Loads::question> || query_policy_of(asked<typename Loads::question>{}).batch_max == 1)
     && ...),
    "a policy that reads many together has a `read` of many");
  return {{typeid(typename Loads::question), query_policy_of(asked<typename Loads::question>{}), &read_any<Loads>}...};
}
} // namespace detail

template <class Storage>
std::vector<load_handler> handlers_of() {
  return detail::handlers(typename Storage::loads{});
}

} // namespace credence::persistence
