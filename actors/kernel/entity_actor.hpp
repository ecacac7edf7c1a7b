#pragma once

#include "actors/kernel/children.hpp"
#include "actors/kernel/entity_insides.hpp"
#include "actors/kernel/plumbing.hpp"
#include "actors/kernel/types.hpp"

namespace credence {

/// The actor of one entity of a family, as its router sees it. A family says, as types in a struct: `id`; `handle`,
/// what the router takes from anybody; `questions`, what of that it passes on as it is; `to_one` and `to_router`,
/// messages between the two; `storage`, what its entities write and read; and `kind`.
template <class Family>
using entity_handle = made_of<actor_handle, joined<typename Family::questions::takes, typename Family::to_one,
                                                   types<write_outcome, passivate, tell_insides>>>;
/// The router of all entities of a family, as they see it.
template <class Family>
using router_handle =
  made_of<actor_handle, joined<typename Family::handle::takes, typename Family::to_router,
                               types<wants_out<typename Family::id>, child_gone<typename Family::id>, sweep,
                                     list_busiest, look_at_entity, inspect_entity>>>;

/// What the actor of one entity is born with.
template <class Family, class Context>
struct birth {
  typename Family::id id;
  std::shared_ptr<const Context> with;
  port<typename Family::storage> storage;
  router_handle<Family> router;
  bystanders others; // whom its changes under way concern
};

/// The actor of one entity: it loads itself (`load`), answers until its router lets it go, and leaves when nothing is
/// under way. `Self` says `at_rest`: whether nothing is under way but what is being read for questions. `Self` says
/// `start_afresh`, which comes when memory may be wrong: everybody who waits is told, and `ask_for_another_life` has
/// the router load it from committed rows. `Self` may say `in_memory`: what it holds, for operators; and
/// `last_changes`, if it keeps its changes under way by itself.
template <class Self, class Family, class Context>
class entity_actor : public plumbing<Self, Family::kind, entity_handle<Family>, Context, typename Family::storage> {
  using base = plumbing<Self, Family::kind, entity_handle<Family>, Context, typename Family::storage>;

public:
  void start(birth<Family, Context> born) {
    this->with_ = std::move(born.with);
    this->storage_ = std::move(born.storage);
    id_ = born.id;
    router_ = std::move(born.router);
    others_ = std::move(born.others);
    this->self().load();
  }

  void on(const passivate&) {
    leaving_ = true;
    leave_when_done();
  }

  void on(const ask<tell_insides>& question) {
    question.answer(entity_insides{this->self().in_memory(), this->self().last_changes()});
  }
  std::vector<figure> in_memory() const { return {}; }
  std::vector<recent_change> last_changes() const { return {}; }

  /// Refuses everything until it is let go.
  bool failed() const noexcept { return failed_; }
  /// Stops as soon as nothing is under way.
  bool leaving() const noexcept { return leaving_; }
  void leave_when_done() {
    if (leaving_ && this->loads_ == 0 && this->self().may_leave())
      this->quit();
  }
  bool may_leave() const { return static_cast<const Self&>(*this).at_rest(); }

protected:
  /// From here on everything is refused, until the router has let this one go and started the next.
  void ask_for_another_life() {
    failed_ = true;
    send(router_, wants_out<typename Family::id>{id_});
  }

  typename Family::id id_{};
  router_handle<Family> router_;
  bystanders others_;
  bool failed_ = false;
  bool leaving_ = false;
};

/// One whose changes may each be followed by something of its own. `Self` says `take_back`, too: what was made pending
/// will not be.
template <class Self, class Family, class Context>
class writing_entity_actor : public writing<entity_actor<Self, Family, Context>> {
public:
  using entity_actor<Self, Family, Context>::on;

  void on(const write_outcome& outcome) {
    switch (this->writes_.on_outcome(outcome)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back:
        this->self().take_back();
        this->writes_.lose_all(failure::unavailable);
        break;
      case pending_writes::verdict::refused:
        oldest_refused_ = true;
        this->self().start_afresh();
        oldest_refused_ = false;
        return;
    }
    this->leave_when_done();
  }

  /// What every such actor does; one that has more to do says `start_afresh` itself.
  void start_afresh() {
    this->ask_for_another_life();
    this->self().take_back();
    lose_writes();
    this->leave_when_done();
  }

  std::vector<recent_change> last_changes() const { return this->writes_.lately().list(); }

  bool may_leave() const { return this->writes_.empty() && static_cast<const Self&>(*this).at_rest(); }

protected:
  /// Fails the questions that wait for changes; where the database refused one change, only the questions that wait for
  /// that one. Call it after the router was told, as the other questions go to it again.
  void lose_writes() {
    if (oldest_refused_)
      this->writes_.lose_oldest();
    else
      this->writes_.lose_all(failure::unavailable);
  }

private:
  bool oldest_refused_ = false; // of the changes under way
};

/// Spawns the actor of one entity, a `Self`.
template <class Self, class Family, class Context>
entity_handle<Family> spawn_entity(caf::actor_system& sys, birth<Family, Context> born) {
  return entity_handle<Family>{credence::spawn<Self>(sys, std::move(born))};
}

} // namespace credence
