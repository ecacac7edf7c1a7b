#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/types.hpp"

#include <any>
#include <chrono>
#include <optional>
#include <type_traits>

/// Questions to the store's readers.
namespace credence {

/// A question to the store's readers, and its answer: committed rows of one snapshot.
template <class Question, class Answer = typename Question::answer_type>
struct load {
  using question = Question;
  using answer = Answer;
};

/// A question about one thing, which may not be there.
template <class Question>
using load_if_there = load<Question, std::optional<typename Question::answer_type>>;

/// A question to the readers, of any kind; they tell them apart by their type. It takes the share of whoever asks.
struct any_load {
  using answer_type = std::any; // of the kind that its `load` declares
  std::any question;
};

/// A question of whoever asks an actor that would only pass it on: the readers answer it themselves. It is as one of
/// `loads` in every other respect.
struct straight_load {
  std::any question;
  question_ref asked;
  void (*answer)(const question_ref& asked, std::any& found);
};
template <class Q>
straight_load read_straight(const ask<Q>& asked) {
  return {std::move(asked.question()), asked, [](const question_ref& whom, std::any& found) {
            auto* const answer = std::any_cast<typename Q::answer_type>(&found);
            answer ? static_cast<const ask<Q>&>(whom).answer(std::move(*answer)) : whom.fail(failure::unavailable);
          }};
}

/// The pool of read connections.
using reader_handle = actor_handle<any_load, straight_load>;

/// What whoever waits for the readers is told: there is no answer for another reason than that there is no place.
inline failure failure_of(failure of_readers) noexcept {
  return of_readers == failure::too_many || of_readers == failure::overloaded ? of_readers : failure::unavailable;
}

namespace detail {
template <class Question, class List>
struct answer_in;
template <class Question, class... Loads>
struct answer_in<Question, types<Loads...>> {
  template <class Load>
  using if_it =
    std::conditional_t<std::is_same_v<typename Load::question, Question>, types<typename Load::answer>, types<>>;
  template <class Answer>
  struct only;
  template <class Answer>
  struct only<types<Answer>> {
    using type = Answer;
  };
  using type = typename only<joined<types<>, if_it<Loads>...>>::type;
};
} // namespace detail

/// What a question of a list of loads is answered with. Does not compile for one that is not in the list.
template <class Question, class List>
using answer_of = typename detail::answer_in<Question, List>::type;

/// A question of an actor to the readers that is about to be asked: `then` or `await` asks it.
template <class Answer>
class [[nodiscard]] asking {
public:
  explicit asking(request_to<any_load> it) : it_(std::move(it)) {}

  asking&& on_behalf_of(question_ref whom) && {
    it_ = std::move(it_).on_behalf_of(std::move(whom));
    return std::move(*this);
  }
  template <class Found, class Failed>
  void then(Found found, Failed failed) && {
    std::move(it_).then([found = std::move(found)](std::any& came) mutable { found(std::any_cast<Answer&>(came)); },
                        std::move(failed));
  }
  template <class Found, class Failed>
  void await(Found found, Failed failed) && {
    std::move(it_).await([found = std::move(found)](std::any& came) mutable { found(std::any_cast<Answer&>(came)); },
                         std::move(failed));
  }

private:
  request_to<any_load> it_;
};

} // namespace credence
