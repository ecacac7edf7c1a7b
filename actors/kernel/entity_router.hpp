#pragma once

#include "actors/kernel/entity_actor.hpp"

#include <functional>
#include <optional>

namespace credence {

/// Bounds on the entities of a family.
struct family_bounds {
  std::size_t live_max;
  std::size_t waiting_max; // questions to each
  failure when_full;       // `too_many` (you) or `overloaded` (we)
};

/// Whether a question names an entity of the family: by `addressed_to()`, or else by the member that `Family::whose`
/// looks at.
template <class Q, class Family>
concept names_one_of = requires(const Q& question) {
  question.addressed_to();
}
|| requires(const Q& question) { Family::whose(question); };

/// The router of all entities of a family. Each question goes to the entity that it names, which is spawned and loaded
/// on first use; the idle are stopped, the lost are started afresh once the fate of their changes is known. `Self` says
/// its `name`, `bounds(limits)`, `spawn(birth)`, and what it does with messages that are no questions.
template <class Self, class Family, class Context>
class entity_router : public actor {
public:
  using id_type = typename Family::id;
  using handle = router_handle<Family>;
  using takes = typename handle::takes;

  void start(std::shared_ptr<const Context> with, port<typename Family::storage> storage) {
    with_ = std::move(with);
    storage_ = std::move(storage);
    const auto bounds = self().bounds(with_->limits);
    kids_.emplace(
      typename entities::rules{.kind = Family::kind,
                               .live_max = bounds.live_max,
                               .waiting_max = static_cast<std::int32_t>(bounds.waiting_max),
                               .when_full = bounds.when_full,
                               .idle_stop = with_->limits.idle_stop,
                               .writes = true,
                               .storage = storage_.status},
      [this](id_type id, const bystanders& others) {
        return self().spawn(birth<Family, Context>{id, with_, storage_, me(), others});
      },
      [this](const auto& child, id_type id, std::uint64_t incarnation) { watch(child, id, incarnation); },
      [this](id_type id) { await_settled(id); });
    after(sweep_every, sweep{});
    self().start_up();
  }
  /// Comes first, to a router that has something to prepare.
  void start_up() {}

  template <class Q>
  requires names_one_of<Q, Family>
  void on(const ask<Q>& question) {
    static_assert(among<Q, typename entity_handle<Family>::takes>,
                  "the entity does not answer what its router passes on");
    if constexpr (requires { question->addressed_to(); })
      kids_->forward(question->addressed_to(), question);
    else
      kids_->forward(Family::whose(*question), question);
  }
  void on(const ask<list_busiest>& question) {
    question.answer(kids_->busiest(static_cast<std::size_t>(question->limit)));
  }
  void on(const ask<look_at_entity>& question) {
    const id_type which{question->id};
    if (question->then != look_at_entity::also::nothing)
      kids_->let_go(which, question->then == look_at_entity::also::reload);
    question.answer(kids_->view(which));
  }
  void on(const ask<inspect_entity>& question) {
    const id_type which{question->id};
    const auto seen = kids_->view(which);
    const auto child = kids_->child_of(which);
    if (!child)
      return question.answer(inspected_entity{seen, std::nullopt});
    request(child, insides_timeout, tell_insides{})
      .then(
        [question, seen](entity_insides& inside) {
          question.answer(inspected_entity{seen, std::move(inside)});
        },
        [question, seen](failure) {
          question.answer(inspected_entity{seen, std::nullopt});
        });
  }
  void on(const wants_out<id_type>& who) { kids_->on_wants_out(who.id); }
  void on(const child_gone<id_type>& who) { kids_->on_gone(who); }
  void on(const sweep&) {
    kids_->sweep(steady_clock::now());
    after(sweep_every, sweep{});
  }

  /// An entity was lost, and the outcome of its changes is known by now. Tells the actors whose state depends on these
  /// changes, those of `others` among them; none, unless `Self` overrides it.
  void after_loss(id_type, const std::vector<profile_id>& others) { (void)others; }

protected:
  using entities = children<id_type, entity_handle<Family>>;
  entities& kids() noexcept { return *kids_; }
  Self& self() noexcept { return static_cast<Self&>(*this); }
  /// Itself, as others know it.
  handle me() const { return handle{this_actor()}; }

  std::shared_ptr<const Context> with_;
  port<typename Family::storage> storage_;

private:
  static constexpr std::chrono::seconds sweep_every{1};

  void told_to_end() override {
    kids_->end_all();
    quit();
  }

  void watch(const entity_handle<Family>& child, id_type id, std::uint64_t incarnation) {
    when_gone(child, [weak = weak_actor_ref{this_actor()}, id, incarnation](bool well, const std::string&) {
      send(handle{weak.lock()}, child_gone<id_type>{id, incarnation, well});
    });
  }

  /// Never taken for granted: what is in doubt is looked up, however long that takes.
  void await_settled(id_type id) {
    request(storage_.writer, std::chrono::seconds{60}, settle{})
      .then(
        [this, id](settled) {
          self().after_loss(id, kids_->bystanders_of(id));
          kids_->on_settled(id);
        },
        [this, id](failure why) {
          if (why == failure::timed_out)
            await_settled(id);
        });
  }

  std::optional<entities> kids_;
};

/// Spawns a router, a `Self`.
template <class Self, class Context, class Storage>
typename Self::handle spawn_router(caf::actor_system& sys, std::shared_ptr<const Context> with, port<Storage> storage) {
  return typename Self::handle{spawn<Self>(sys, std::move(with), std::move(storage))};
}

} // namespace credence
