#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/own_turns.hpp"
#include "actors/kernel/types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <type_traits>
#include <utility>

/// Questions of all kinds travel to actors as one kind of message, a `question_ref`. CAF makes some forty functions for
/// each kind of message and each place that sends it, and finds a handler by trying one after the other.
namespace credence {

/// Stands for questions of these kinds in the signatures of a handle. Nobody sends it.
template <class... Q>
struct questions {};
/// In a handle's signatures: it answers questions of these kinds.
template <class... Q>
using asked = caf::reacts_to<questions<Q...>>;

namespace detail {
template <class Message>
inline constexpr bool are_questions = false;
template <class... Q>
inline constexpr bool are_questions<questions<Q...>> = true;

template <class Message>
struct questions_in {
  using type = types<>;
};
template <class... Q>
struct questions_in<questions<Q...>> {
  using type = types<Q...>;
};

template <class Signatures>
struct named_by;
template <class... Message, class... Answer>
struct named_by<caf::detail::type_list<caf::typed_mpi<caf::detail::type_list<Message>, Answer>...>> {
  using type = types<Message...>;
  using all_questions = joined<types<>, typename questions_in<Message>::type...>;
  /// A pair for each, from which the compiler deduces a message's answer.
  struct answers : std::type_identity<std::pair<Message, Answer>>... {};
};

void post_question(caf::abstract_actor* to, question_ref question);
void send_question(caf::abstract_actor* to, question_ref question);
} // namespace detail

/// The kinds of questions that an actor with that handle answers.
template <class Handle>
using questions_of = typename detail::named_by<typename Handle::signatures>::all_questions;

/// Sends a question, as `post` does any message. Does not compile for one that the receiver does not answer.
template <class Handle, class Q>
void post(const Handle& to, ask<Q> question) {
  static_assert(among<Q, questions_of<Handle>>, "the receiver does not answer that question");
  detail::post_question(caf::actor_cast<caf::abstract_actor*>(to), std::move(question));
}

/// Sends a question, as `caf::anon_send` does any message: its receiver runs on the threads that all actors share, also
/// where `post` would have it run on this one.
template <class Handle, class Q>
void send_question(const Handle& to, ask<Q> question) {
  static_assert(among<Q, questions_of<Handle>>, "the receiver does not answer that question");
  detail::send_question(caf::actor_cast<caf::abstract_actor*>(to), std::move(question));
}

/// Passes a question on, of whatever kind it is. Whether the receiver answers it is not checked here.
template <class Handle>
void post(const Handle& to, question_ref question) {
  detail::post_question(caf::actor_cast<caf::abstract_actor*>(to), std::move(question));
}

/// Calls `to` with the `ask` of its kind that the question is. One of another kind is dropped, which answers it with
/// `failure::stranded`.
template <class... Q, class F>
void hand_over(question_ref question, F& to, types<Q...>) {
  struct step {
    question_kind kind;
    void (*take)(F&, envelope_base*);
  };
  static constexpr step steps[] = {{&kind_of_question<Q>, [](F& each, envelope_base* held) {
                                      ask<Q> own{static_cast<envelope<Q>*>(held)};
                                      each(own);
                                    }}...};
  if (!question.get())
    return;
  for (const auto& each : steps)
    if (each.kind == question.get()->kind())
      return each.take(to, question.release());
}

} // namespace credence

// Questions never leave this process, so they carry no serialiser.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::question_ref)
