#pragma once

#include "actors/kernel/types.hpp"

namespace credence {

/// A question to the store's readers, and its answer: committed rows of one snapshot.
template <class Question, class Answer = typename Question::answer_type>
struct load {
  using question = Question;
  using answer = Answer;
};

} // namespace credence
