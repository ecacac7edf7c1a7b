#pragma once

#include "actors/kernel/types.hpp"

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

template <class Signatures>
struct named_by;
template <class... Message, class... Answer>
struct named_by<caf::detail::type_list<caf::typed_mpi<caf::detail::type_list<Message>, Answer>...>> {
  using type = types<Message...>;
};

/// What comes most often to a `State`; nothing, where it says nothing.
template <class State>
struct often_to {
  using type = types<>;
};
template <class State>
requires requires { typename State::often; }
struct often_to<State> {
  using type = typename State::often;
};

template <class Handle, class State, class... Message>
typename Handle::behavior_type behaviour(State& state, types<Message...>) {
  return {on_message<Message>(state)...};
}
} // namespace detail

/// What an actor does whose state says `on(message)` for every message that its handle names. One without its `on`
/// does not compile. CAF tries one after the other, by the names of the types: what comes most often is tried first, if
/// the state says so in public: `using often = types<…>`.
template <class Handle, class State>
typename Handle::behavior_type behaviour_of(State& state) {
  using often = typename detail::often_to<State>::type;
  using all = typename detail::named_by<typename Handle::signatures>::type;
  return detail::behaviour<Handle>(state, joined<often, without<all, often>>{});
}

} // namespace credence
