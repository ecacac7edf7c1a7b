#pragma once

#include "actors/kernel/any_ask.hpp"
#include "actors/kernel/types.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_behavior.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace credence {

/// A handle that takes these messages, too.
template <class Handle, class... Message>
using extended = typename Handle::template extend<caf::reacts_to<Message>...>;

namespace detail {
template <class Message>
inline constexpr bool is_any_ask = false;
template <class... Q>
inline constexpr bool is_any_ask<any_ask<Q...>> = true;

/// What does `state->on(message)`; `State` is a pointer.
template <class Message, class State>
auto on_message(State state) {
  if constexpr (is_any_ask<Message>)
    return [state](Message& message) {
      const auto on = [&state](auto& question) { state->on(question); };
      message.hand_to(on);
    };
  else if constexpr (requires(const Message& message) { state->on(message); })
    return [state](const Message& message) { return state->on(message); };
  else // it takes the message apart
    return [state](Message& message) { return state->on(message); };
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

template <class... Message>
using questions_among = joined<types<>, std::conditional_t<is_any_ask<Message>, types<Message>, types<>>...>;

template <class Handle, class State, class... Message>
typename Handle::behavior_type behaviour(State state, types<Message...>) {
  return {on_message<Message>(state)...};
}

template <class... F>
struct functions : F... {
  explicit functions(F... each) : F{std::move(each)}... {}
  using F::operator()...;
  decltype(auto) on(auto& message) { return (*this)(message); }
};
} // namespace detail

/// What an actor does whose state says `on(message)` for every message that its handle names, and for every question that it
/// answers. One without its `on` does not compile. CAF tries one message after the other: questions, then what comes most often,
/// if the state says so in public: `using often = types<…>`.
template <class Handle, class State>
typename Handle::behavior_type behaviour_of(State& state) {
  using all = typename detail::named_by<typename Handle::signatures>::type;
  using questions = made_of<detail::questions_among, all>;
  using often = typename detail::often_to<State>::type;
  return detail::behaviour<Handle>(&state, joined<questions, often, without<without<all, often>, questions>>{});
}

/// The same of functions, one for each message and question.
template <class Handle, class... F>
typename Handle::behavior_type behaviour_by(F... each) {
  using all = typename detail::named_by<typename Handle::signatures>::type;
  return detail::behaviour<Handle>(std::make_shared<detail::functions<F...>>(std::move(each)...), all{});
}

} // namespace credence
