#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_behavior.hpp>

namespace credence {

/// A handle that takes these messages, too.
template <class Handle, class... Message>
using extended = typename Handle::template extend<caf::reacts_to<Message>...>;

namespace detail {
template <class Message, class State>
auto on_message(State& state) {
  if constexpr (requires(const Message& message) { state.on(message); })
    return [&state](const Message& message) { return state.on(message); };
  else // it takes the message apart
    return [&state](Message& message) { return state.on(message); };
}

template <class Handle, class State, class... Message, class... Answer>
typename Handle::behavior_type behaviour(State& state, caf::detail::type_list<caf::typed_mpi<caf::detail::type_list<Message>, Answer>...>) {
  return {on_message<Message>(state)...};
}
} // namespace detail

/// What an actor does whose state says `on(message)` for every message that its handle names. One without its `on`
/// does not compile.
template <class Handle, class State>
typename Handle::behavior_type behaviour_of(State& state) {
  return detail::behaviour<Handle>(state, typename Handle::signatures{});
}

} // namespace credence
