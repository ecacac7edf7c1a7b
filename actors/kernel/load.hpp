#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <any>
#include <chrono>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

/// Questions to the store's readers. All travel as one kind of message, as CAF makes some forty functions for each
/// kind; the readers tell them apart by their type.
namespace credence {

/// A question to the store's readers, and its answer: committed rows of one snapshot.
template <class Question, class Answer = typename Question::answer_type>
struct load {
  using question = Question;
  using answer = Answer;
};

/// A question to the readers, of any kind, and whose share of them it takes.
struct any_load {
  std::any question;
  asker by = {};
};
/// Its answer, of the kind that its `load` declares, and what the database took for it.
struct any_found {
  std::any answer;
  std::chrono::nanoseconds took{0};
};

/// Why the readers do not take a question.
enum class no_place : std::uint8_t {
  of_asker = 1, // as many of the asker's wait as may
  of_all,       // there are no places left
};
caf::error make_error(no_place why);
/// What whoever waits for the readers is told.
failure failure_of(const caf::error& why) noexcept;

/// The pool of read connections. Its errors are `caf::error`s.
using reader_handle = caf::typed_actor<caf::replies_to<any_load>::with<any_found>>;

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

/// Asks the readers for an actor, in whose turn one of the two runs later: before all other messages where `alone`.
void ask_readers(caf::scheduled_actor& asker, const reader_handle& readers,
                 std::optional<std::chrono::milliseconds> timeout, any_load load, bool alone,
                 std::function<void(any_found&)> found, std::function<void(const caf::error&)> failed);
} // namespace detail

/// What a question of a list of loads is answered with. Does not compile for one that is not in the list.
template <class Question, class List>
using answer_of = typename detail::answer_in<Question, List>::type;

/// A question of an actor to the readers that is about to be asked: `then` or `await` asks it.
template <class Question, class Answer>
class [[nodiscard]] asking {
public:
  asking(caf::scheduled_actor& asker, const reader_handle& readers, std::optional<std::chrono::milliseconds> timeout,
         Question question)
    : asker_(asker), readers_(readers), timeout_(timeout), question_(std::move(question)) {}

  /// It is asked for a question of somebody: takes that one's share, and what it takes is added up there.
  asking&& on_behalf_of(question_ref whom) && {
    whom_ = std::move(whom);
    return std::move(*this);
  }

  /// `found` runs in a later turn of the actor with the answer, or `failed` with the reason why there is none.
  template <class Found, class Failed>
  void then(Found found, Failed failed) && {
    ask(false, std::move(found), std::move(failed));
  }
  /// The same; until then the actor takes no other message.
  template <class Found, class Failed>
  void await(Found found, Failed failed) && {
    ask(true, std::move(found), std::move(failed));
  }

private:
  template <class Found, class Failed>
  void ask(bool alone, Found found, Failed failed) {
    any_load load{std::move(question_), whom_.get() ? whom_.get()->by() : asker{}};
    detail::ask_readers(
      asker_, readers_, timeout_, std::move(load), alone,
      [found = std::move(found), whom = std::move(whom_)](any_found& came) mutable {
        if (whom.get())
          whom.get()->add_database_time(came.took);
        found(std::any_cast<Answer&>(came.answer));
      },
      std::move(failed));
  }

  caf::scheduled_actor& asker_;
  const reader_handle& readers_;
  std::optional<std::chrono::milliseconds> timeout_;
  Question question_;
  question_ref whom_; // of nobody where the actor itself asks
};

} // namespace credence

// They never leave this process, so they carry no serialiser.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::any_load)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::any_found)
