#pragma once

#include "actors/kernel/handling.hpp"
#include "actors/kernel/pending_writes.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace credence {

/// An entity's load waits in line for this long at most. Whoever asked is answered by their own
/// deadline; the load goes on, so that who asks next finds it done.
inline constexpr std::chrono::seconds cold_patience{20};

/// What the actors of single entities share: who may be answered, who may change something,
/// and the changes on their way to the store. `Entity` is the actor's typed handle, `Self` the
/// class that derives from this one, `Context` what all actors are born with. `Self` says what to
/// do when changes are lost: `drop_pending` takes back what was made pending, `give_up` also asks
/// to be loaded afresh, as memory may be wrong, and then says `lose_writes`; and with `at_rest`
/// whether anything but changes is under way.
template <ops::actor_kind Kind, class Entity, class Self, class Context>
class entity_plumbing {
public:
  static constexpr auto kind = Kind;
  using pointer = typename Entity::template stateful_pointer<Self>;

  void on_outcome(const write_outcome& what) {
    switch (writes_.on_outcome(what)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back:
        self().drop_pending();
        writes_.lose_all(failure::unavailable);
        break;
      case pending_writes::verdict::refused:
        oldest_refused_ = true;
        self().give_up();
        oldest_refused_ = false;
        return;
    }
    leave_when_done();
  }

  void on_passivate() {
    leaving_ = true;
    leave_when_done();
  }

protected:
  /// Answers a question that changes nothing, unless there is no answering it.
  template <class Q, class F>
  void read(const ask<Q>& asked, F&& answer) {
    const handling here{kind, asked.get()->sent_at()};
    if (failed_)
      return asked.fail(failure::unavailable);
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    answer();
  }

  /// The same for one that may change something: also, something can be written.
  template <class Q, class F>
  void change_with(const ask<Q>& asked, F&& decide) {
    read(asked, [&] {
      if (leaving_)
        return asked.fail(failure::unavailable);
      if (const auto why = pending_writes::closed(with_->storage, with_->queue_max))
        return asked.fail(*why);
      decide();
    });
  }

  /// Sends a change; `stored` runs when it is committed, `lost` when it never will be. Where the
  /// database refuses another one before it, `again` runs after `lost`: it puts the question to
  /// the router once more, which keeps it until this entity has been loaded afresh.
  template <class Q, class Change>
  void write(const ask<Q>& asked, Change what, std::function<void(const write_outcome&)> stored,
             std::function<void()> lost, std::function<void()> again) {
    writes_.send(with_->storage, self_, std::move(what), asked.get()->deadline(), asked.get()->note(),
                 {std::move(stored),
                  [asked, lost](failure why) {
                    if (lost)
                      lost();
                    asked.fail(why);
                  },
                  [lost, again = std::move(again)] {
                    if (lost)
                      lost();
                    again();
                  }});
  }

  /// Answers no. That may rest on changes under way, so it waits for them: nobody is told
  /// what a crash can take back. `again` as above.
  template <class Q>
  void refuse(const ask<Q>& asked, refusal why, std::function<void()> again) {
    if (writes_.empty())
      return asked.answer(std::move(why));
    writes_.after({[asked, why = std::move(why)](const write_outcome&) { asked.answer(why); },
                   [asked](failure lost) { asked.fail(lost); }, std::move(again)});
  }

  /// Everybody who waits for a change is told that it failed; where the database refused one, only
  /// who waits for that. Comes after the router was told, as it is asked again.
  void lose_writes() {
    if (oldest_refused_)
      writes_.lose_oldest(failure::unavailable);
    else
      writes_.lose_all(failure::unavailable);
  }

  void leave_when_done() {
    if (leaving_ && writes_.empty() && loads_ == 0 && self().at_rest())
      self_->quit();
  }

  /// Reads something for a question; `then` runs with what was `Found`. It stays until that is there.
  template <class Found, class Q, class Load, class Then>
  void load_for(const ask<Q>& asked, Load what, Then then) {
    load_for<Found>(asked, std::move(what), std::move(then), [asked] { asked.fail(failure::unavailable); });
  }
  template <class Found, class Q, class Load, class Then, class Failed>
  void load_for(const ask<Q>&, Load what, Then then, Failed failed) {
    ++loads_;
    self_->request(with_->storage.reader, with_->load_timeout, std::move(what))
      .then(
        [this, then = std::move(then)](Found& found) mutable {
          --loads_;
          then(found);
          leave_when_done();
        },
        [this, failed = std::move(failed)](const caf::error&) {
          --loads_;
          failed();
          leave_when_done();
        });
  }

  /// Passes a question on to the readers and its answer back.
  template <class Q, class Load>
  void look_up(const ask<Q>& asked, Load what) {
    read(asked, [&] {
      load_for<typename Q::answer_type>(asked, std::move(what), [asked](typename Q::answer_type& found) { asked.answer(std::move(found)); });
    });
  }

  pointer self_ = nullptr;
  std::shared_ptr<const Context> with_;
  pending_writes writes_;
  bool failed_ = false;  // refuses everything until it is let go
  bool leaving_ = false; // stops as soon as nothing is under way

private:
  bool oldest_refused_ = false; // of the changes under way
  int loads_ = 0; // questions that wait for what is being read

  Self& self() noexcept { return static_cast<Self&>(*this); }
};

} // namespace credence
