#pragma once

#include "actors/kernel/children.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace credence {

/// State of a router, which adds its name: its children, and the plumbing that every router shares.
/// `Handle` is the router's own typed handle, which must react to the three
/// supervision messages and to `sweep`.
template <class Id, class Child, class Handle>
struct router_state {
  static constexpr std::chrono::seconds sweep_every{1};

  std::optional<children<Id, Child>> kids;
  /// A child was lost, and it is known by now what has become of its changes. Whoever has
  /// in memory what follows from them is to be told, those `others` among them.
  std::function<void(Id, const std::vector<profile_id>& others)> after_loss;

  template <class Self, class Writer>
  void start(Self* self, typename children<Id, Child>::rules how, const Writer& writer,
             typename children<Id, Child>::spawner spawn) {
    const Handle me{self};
    kids.emplace(
      how, std::move(spawn),
      [me](const Child& child, Id id, std::uint64_t life) {
        caf::actor_cast<caf::actor>(child)->attach_functor(
          [weak = caf::actor_cast<caf::actor_addr>(me), id, life](const caf::error& why) {
            // CAF reports `exit_reason::normal` (and shutdown) as errors of the exit category.
            const bool normal = !why || why == caf::exit_reason::normal
                                || why == caf::exit_reason::user_shutdown;
            if (auto router = caf::actor_cast<caf::actor>(weak))
              caf::anon_send(router, child_gone<Id>{id, life, normal});
          });
      },
      [self, writer](Id id) { self->state.await_settled(self, writer, id); });
    self->set_exit_handler([self](caf::exit_msg& why) {
      self->state.kids->exit_all(self);
      self->quit(std::move(why.reason));
    });
    self->delayed_send(self, sweep_every, sweep{});
  }

  /// Never taken for granted: what is in doubt is looked up, however long that takes.
  template <class Self, class Writer>
  void await_settled(Self* self, const Writer& writer, Id id) {
    self->request(writer, std::chrono::seconds{60}, settle{})
      .then([self, id](settled) {
              if (self->state.after_loss)
                self->state.after_loss(id, self->state.kids->bystanders_of(id));
              self->state.kids->on_settled(id);
            },
            [self, writer, id](const caf::error& why) {
              if (why == caf::sec::request_timeout)
                self->state.await_settled(self, writer, id);
            });
  }

  template <class Self>
  void on_sweep(Self* self) {
    kids->sweep(steady_clock::now());
    self->delayed_send(self, sweep_every, sweep{});
  }
};

} // namespace credence
