#pragma once

#include "actors/kernel/types.hpp"

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

} // namespace credence
