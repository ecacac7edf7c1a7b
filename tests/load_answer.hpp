#pragma once

#include "actors/kernel/load.hpp"
#include "actors/kernel/types.hpp"

#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/typed_response_promise.hpp>

#include <typeindex>
#include <unordered_map>
#include <utility>

namespace credence::test {

/// What a reader of a test says to a load: the answer, an error, or that the answer comes later.
template <class Answer>
struct load_answer {
  load_answer(Answer found) : is(any_found{std::move(found)}) {}
  load_answer(caf::sec why) : is(why) {}
  load_answer(caf::typed_response_promise<any_found> later) : is(std::move(later)) {}
  caf::result<any_found> is;
};

/// Answers a load of any of these kinds by `reader.on(question)`, which says a `load_answer`.
template <class Reader, class... Loads>
caf::result<any_found> answer_load(Reader& reader, const any_load& load, types<Loads...>) {
  using answer = caf::result<any_found> (*)(Reader&, const std::any&);
  static const std::unordered_map<std::type_index, answer> all{
    {typeid(typename Loads::question), [](Reader& by, const std::any& question) {
       return by.on(std::any_cast<const typename Loads::question&>(question)).is;
     }}...};
  return all.at(load.question.type())(reader, load.question);
}

} // namespace credence::test
