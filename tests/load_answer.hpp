#pragma once

#include "actors/kernel/load.hpp"

#include <typeindex>
#include <unordered_map>
#include <utility>
#include <variant>

namespace credence::test {

/// The answer comes later, from whoever has kept the question.
struct later {};

/// What a reader of a test says to a load: the answer, why there is none, or that the answer comes later.
template <class Answer>
struct load_answer {
  load_answer(Answer found) : is(std::any{std::move(found)}) {}
  load_answer(failure why) : is(why) {}
  load_answer(later) : is(later{}) {}
  std::variant<std::any, failure, later> is;
};

/// Answers a load of any of these kinds by `reader.on(question)`, which says a `load_answer`.
template <class Reader, class... Loads>
void answer_load(Reader& reader, const ask<any_load>& load, types<Loads...>) {
  using answer = std::variant<std::any, failure, later> (*)(Reader&, const std::any&);
  static const std::unordered_map<std::type_index, answer> all{
    {typeid(typename Loads::question), [](Reader& by, const std::any& question) {
       return by.on(std::any_cast<const typename Loads::question&>(question)).is;
     }}...};
  auto said = all.at(load->question.type())(reader, load->question);
  if (auto* found = std::get_if<std::any>(&said))
    load.answer(std::move(*found));
  else if (const auto* why = std::get_if<failure>(&said))
    load.fail(*why);
}

} // namespace credence::test
