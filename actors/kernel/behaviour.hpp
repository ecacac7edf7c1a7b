#pragma once

#include "actors/kernel/asked.hpp"
#include "actors/kernel/types.hpp"

#include <caf/actor_cast.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/replies_to.hpp>
#include <caf/result.hpp>
#include <caf/spawn_options.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace credence {

/// A handle that takes these messages, too.
template <class Handle, class... Message>
using extended = typename Handle::template extend<caf::reacts_to<Message>...>;

namespace detail {
template <class Message, class Answer>
std::type_identity<Answer> answer_among(const std::type_identity<std::pair<Message, Answer>>&);

template <class Result, class Answer>
inline constexpr bool answers_with = false;
template <>
inline constexpr bool answers_with<void, caf::output_tuple<void>> = true;
template <class Answer>
inline constexpr bool answers_with<Answer, caf::output_tuple<Answer>> = true;
template <class Answer>
inline constexpr bool answers_with<caf::result<Answer>, caf::output_tuple<Answer>> = true;
template <class Answer>
inline constexpr bool answers_with<caf::typed_response_promise<Answer>, caf::output_tuple<Answer>> = true;

/// What does `state->on(message)`; `State` is a pointer.
template <class Handle, class Message, class State>
auto on_message(State state) {
  using answers = typename named_by<typename Handle::signatures>::answers;
  using declared = typename decltype(answer_among<Message>(std::declval<answers>()))::type;
  static_assert(answers_with<decltype(state->on(std::declval<Message&>())), declared>,
                "`on` answers with what the handle declares");
  if constexpr (requires(const Message& message) { state->on(message); })
    return [state](const Message& message) { return state->on(message); };
  else // it takes the message apart
    return [state](Message& message) { return state->on(message); };
}

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

/// Hands a question, of whatever kind it is, to `state->on(question)`.
template <class Questions, class State>
auto on_question(State state) {
  return [state](question_ref& question) {
    const auto on = [&state](auto& each) { state->on(each); };
    hand_over(std::move(question), on, Questions{});
  };
}

template <class Message>
using unless_questions = std::conditional_t<are_questions<Message>, types<>, types<Message>>;
template <class... Message>
using all_but_questions = joined<types<>, unless_questions<Message>...>;

template <class Handle, class State, class... Message>
caf::behavior behaviour(State state, types<Message...>) {
  if constexpr (count_of(questions_of<Handle>{}) > 0)
    return {on_question<questions_of<Handle>>(state), on_message<Handle, Message>(state)...};
  else
    return {on_message<Handle, Message>(state)...};
}

template <class... F>
struct functions : F... {
  explicit functions(F... each) : F{std::move(each)}... {}
  using F::operator()...;
  decltype(auto) on(auto& message) { return (*this)(message); }
};
} // namespace detail

/// Spawns an actor that others know by that handle; `begin` says what it does, by `behaviour_of` or `behaviour_by`.
/// CAF's own typed actors would be compiled anew for each handle, together with what they send.
template <class Handle, caf::spawn_options Options = caf::no_spawn_options, class Parent, class Begin, class... Args>
Handle spawn_as(Parent& parent, Begin begin, Args&&... args) {
  return caf::actor_cast<Handle>(parent.template spawn<Options>(std::move(begin), std::forward<Args>(args)...));
}

/// What an actor does whose state says `on(message)` for every message that its handle names, and for every question
/// that it answers. One without its `on` does not compile. CAF tries one message after the other: questions, then what
/// comes most often, if the state says so in public: `using often = types<…>`.
template <class Handle, class State>
caf::behavior behaviour_of(State& state) {
  using all = typename detail::named_by<typename Handle::signatures>::type;
  using often = typename detail::often_to<State>::type;
  return detail::behaviour<Handle>(&state, joined<often, without<made_of<detail::all_but_questions, all>, often>>{});
}

/// The same of functions, one for each message and question.
template <class Handle, class... F>
caf::behavior behaviour_by(F... each) {
  using all = typename detail::named_by<typename Handle::signatures>::type;
  return detail::behaviour<Handle>(std::make_shared<detail::functions<F...>>(std::move(each)...),
                                   made_of<detail::all_but_questions, all>{});
}

} // namespace credence
