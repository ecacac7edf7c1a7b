#pragma once

#include "actors/kernel/types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <type_traits>

namespace credence {

/// A question to the store's readers, and its answer: committed rows of one snapshot.
template <class Question, class Answer = typename Question::answer_type>
struct load {
  using question = Question;
  using answer = Answer;
};

namespace detail {
template <class Question, class List>
struct answer_in;
template <class Question, class... Loads>
struct answer_in<Question, types<Loads...>> {
  template <class Load>
  using if_it = std::conditional_t<std::is_same_v<typename Load::question, Question>, types<typename Load::answer>, types<>>;
  template <class Answer>
  struct only;
  template <class Answer>
  struct only<types<Answer>> {
    using type = Answer;
  };
  using type = typename only<joined<types<>, if_it<Loads>...>>::type;
};
} // namespace detail

/// What a question of a list of loads is answered with.
template <class Question, class List>
using answer_of = typename detail::answer_in<Question, List>::type;

namespace detail {
template <class... Loads>
struct messages_of {
  using type = types<typename Loads::question..., typename Loads::answer...>;
};
} // namespace detail

/// All messages between an entity and the readers.
template <class Storage>
using messages_of = typename made_of<detail::messages_of, typename Storage::loads>::type;

} // namespace credence

/// Lets the questions and answers of an entity's `Storage` travel. They never leave this process, so they carry no
/// serialiser.
#define CREDENCE_ALLOW_LOADS_OF(Storage)                                                                                                             \
  namespace caf {                                                                                                                                    \
  template <credence::among<credence::messages_of<Storage>> Message>                                                                                 \
  struct allowed_unsafe_message_type<Message> : std::true_type {};                                                                                   \
  }
