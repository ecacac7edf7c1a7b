#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/own_turns.hpp"
#include "actors/kernel/types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// Questions travel to an actor as one kind of message. CAF makes some forty functions for each kind of message and each place that
/// sends it, and finds a handler by trying one after the other; questions of one kind of message are told apart by a number.
namespace credence {

/// A question of any of the kinds `Q`: what an actor gets that answers these.
template <class... Q>
class any_ask : public question_ref {
public:
  any_ask() = default;
  template <class One>
  requires among<One, types<Q...>> any_ask(ask<One> question)
  noexcept : question_ref(question.release()), kind_(place_among<One, Q...>()) {}

  /// Calls `to` with the `ask<Q>` that this is, and gives it the reference: this is empty afterwards.
  template <class F>
  void hand_to(F& to) {
    using step = void (*)(F&, envelope_base*);
    static constexpr step steps[] = {[](F& each, envelope_base* held) {
      ask<Q> question{static_cast<envelope<Q>*>(held)};
      each(question);
    }...};
    if (get())
      steps[kind_](to, release());
  }

private:
  std::uint16_t kind_ = 0;
};

/// In a handle's signatures: it answers questions of these kinds.
template <class... Q>
using asked = caf::reacts_to<any_ask<Q...>>;

namespace detail {
template <class Message, class Q>
inline constexpr bool holds = false;
template <class... Listed, class Q>
inline constexpr bool holds<any_ask<Listed...>, Q> = among<Q, types<Listed...>>;

template <class Q, class Signatures>
struct message_for;
template <class Q, class... Message, class... Answer>
struct message_for<Q, caf::detail::type_list<caf::typed_mpi<caf::detail::type_list<Message>, Answer>...>> {
  template <class List>
  struct only;
  template <class T>
  struct only<types<T>> {
    using type = T;
  };
  using type = typename only<joined<types<>, std::conditional_t<holds<Message, Q>, types<Message>, types<>>...>>::type;
};
} // namespace detail

/// The kind of message in which an actor with that handle gets a `Q`. Does not compile for a question that it does not answer.
template <class Handle, class Q>
using message_for = typename detail::message_for<Q, typename Handle::signatures>::type;

/// Sends a question, as `post` does any message.
template <class Handle, class Q>
void post(const Handle& to, ask<Q> question) {
  post(to, message_for<Handle, Q>{std::move(question)});
}

/// Sends a question, as `caf::anon_send` does any message: its receiver runs on the threads that all actors share, also where
/// `post` would have it run on this one.
template <class Handle, class Q>
void send_question(const Handle& to, ask<Q> question) {
  caf::anon_send(to, message_for<Handle, Q>{std::move(question)});
}

} // namespace credence

// Questions never leave this process, so they carry no serialiser.
namespace caf {
template <class... Q>
struct allowed_unsafe_message_type<credence::any_ask<Q...>> : std::true_type {};
} // namespace caf
