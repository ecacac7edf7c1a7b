#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/handling.hpp"
#include "actors/kernel/pending_writes.hpp"
#include "actors/kernel/port.hpp"

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace credence {

/// What all actors of the service share: who may be answered, what can be written, what is read from the store for a
/// question. `Self` derives from this and says `on(message)` for each message of `Handle`; `Context` is what all are
/// born with, `Storage` what this kind writes and reads. A question is answered by `read(question, then)` or
/// `change_with(question, then)`, so that each is measured, and none is answered after its deadline.
template <class Self, ops::actor_kind Kind, class Handle, class Context, class Storage>
class plumbing : public actor {
public:
  static constexpr auto kind = Kind;
  using handle = Handle;
  using takes = typename Handle::takes;
  using change_type = typename port<Storage>::change;

protected:
  /// Answers a question that changes nothing, unless there is no answering it.
  template <class F>
  void read(const question_ref& question, F&& answer) {
    const handling here{kind, question.get()->sent_at()};
    if (self().failed())
      return question.fail(failure::unavailable);
    if (question.get()->expired(here.started()))
      return question.fail(failure::timed_out);
    answer();
  }

  /// The same for one that may change something: also, something can be written.
  template <class F>
  void change_with(const question_ref& question, F&& decide) {
    read(question, [&] {
      if (can_write(question))
        decide();
    });
  }

  /// False when the question has been answered because nothing can be written now.
  bool can_write(const question_ref& question) const {
    const auto why = closed();
    if (why)
      question.fail(*why);
    return !why;
  }
  /// Why nothing can be written right now, if so.
  std::optional<failure> closed() const {
    if (static_cast<const Self&>(*this).leaving())
      return failure::unavailable;
    return pending_writes::closed(*storage_.status, with_->queue_max);
  }

  /// In place of a question, for what several wait for: nobody's share of the readers is taken.
  static inline const question_ref of_nobody{};

  /// Reads something for a question; `then` runs with what was found. It stays until that is there.
  template <class Load, class Then>
  void load_for(const question_ref& question, Load load, Then then) {
    load_for(question, std::move(load), std::move(then), [question](failure why) { question.fail(failure_of(why)); });
  }
  template <class Load, class Then, class Failed>
  void load_for(const question_ref& question, Load load, Then then, Failed failed) {
    ++loads_;
    storage_.read(*this, with_->load_timeout, std::move(load))
      .on_behalf_of(question)
      .then(
        [this, then = std::move(then)](auto& found) mutable {
          --loads_;
          then(found);
          self().leave_when_done();
        },
        [this, failed = std::move(failed)]([[maybe_unused]] failure why) mutable {
          --loads_;
          if constexpr (std::invocable<const Failed&, failure>)
            failed(why);
          else
            failed();
          self().leave_when_done();
        });
  }

  /// Passes a question about one thing on to the readers and its answer back: the refusal that `none` gives where that
  /// is not there.
  template <class Q, class None>
  void look_up(const ask<Q>& question, None none) {
    read(question, [&] {
      load_for(question, *question, [question, none](std::optional<typename Q::answer_type>& found) {
        if (found)
          question.answer(*std::move(found));
        else
          question.answer(none());
      });
    });
  }

  /// Passes a question on to the readers and its answer back.
  template <class Q, class Load>
  void pass_on(const ask<Q>& question, Load load) {
    read(question, [&] {
      load_for(question, std::move(load),
               [question](typename Q::answer_type& found) { question.answer(std::move(found)); });
    });
  }

  Self& self() noexcept { return static_cast<Self&>(*this); }
  /// Itself, as others know it.
  Handle me() const { return Handle{this->this_actor()}; }

  std::shared_ptr<const Context> with_;
  port<Storage> storage_;
  int loads_ = 0; // questions that wait for what is being read
};

/// Changes of an actor on their way to the store, and what becomes of the questions that asked for them. What actors do
/// when changes come to nothing has two names everywhere: `take_back` where memory is right but for them, which are
/// taken back in it, and `start_afresh` where memory may be wrong and is read again.
template <class Base>
class writing : public Base {
protected:
  /// Sends a change, and with it the context of the question, which says in the change's transaction that it is done.
  /// `stored` runs when it is committed, `lost` when it never will be. Where the database refuses another one before
  /// it, `again` runs after `lost`: it asks the question once more, to be answered when memory is right again. Without
  /// it the question fails.
  void write(const question_ref& question, typename Base::change_type change,
             std::function<void(const write_outcome&)> stored, std::function<void()> lost = {},
             std::function<void()> again = {}) {
    pending_writes::step then{std::move(stored), [question, lost](failure why) {
                                if (lost)
                                  lost();
                                question.fail(why);
                              }};
    if (again)
      then.again = [lost, again = std::move(again)] {
        if (lost)
          lost();
        again();
      };
    writes_.send(this->storage_, *this, std::move(change), question.get()->deadline(), question.get()->context(),
                 std::move(then));
  }

  /// Answers no. That may rest on changes under way, so it waits for them: nobody is told
  /// what a crash can take back. `again` as above.
  void refuse(const question_ref& question, refusal why, std::function<void()> again) {
    if (writes_.empty())
      return question.refuse(std::move(why));
    writes_.after({[question, why = std::move(why)](const write_outcome&) { question.refuse(why); },
                   [question](failure lost) { question.fail(lost); }, std::move(again)});
  }

  /// Answers a question that changes nothing. The answer may rest on changes under way, so it waits for them, as a
  /// refusal does.
  template <class Q>
  void answer_after_those_before(const ask<Q>& question, typename Q::answer_type answer, std::function<void()> again) {
    if (writes_.empty())
      return question.answer(std::move(answer));
    writes_.after({[question, answer = std::move(answer)](const write_outcome&) { question.answer(answer); },
                   [question](failure lost) { question.fail(lost); }, std::move(again)});
  }

  pending_writes writes_;
};

} // namespace credence
