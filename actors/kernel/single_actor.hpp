#pragma once

#include "actors/kernel/plumbing.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace credence {

/// A second has passed, to an actor that looks at the time.
struct tick {};
/// Time to read again what could not be read, to an actor that does not need to hurry.
struct reload {};

/// An actor of which there is one. It is there as long as the service is: it never leaves, and what it cannot read now
/// it reads a moment later. `start_up()` comes first (CAF takes a state with a `begin()` for a container). `Own`:
/// messages to itself; with `tick` among them it says `each_second()`, with `reload` it says `load()`.
template <class Self, ops::actor_kind Kind, class Handle, class Context, class Storage, class... Own>
class single_actor : public plumbing<Self, Kind, extended<Handle, Own...>, Context, Storage> {
  using base = plumbing<Self, Kind, extended<Handle, Own...>, Context, Storage>;

public:
  /// What it is made with beside comes to `prepare` first, if there is any.
  template <class... Rest>
  void start(std::shared_ptr<const Context> with, port<Storage> storage, Rest... rest) {
    if constexpr (sizeof...(Rest) > 0)
      this->self().prepare(std::move(rest)...);
    this->with_ = std::move(with);
    this->storage_ = std::move(storage);
    ops::the_metrics().of(Kind).live.set(1);
    this->self().start_up();
    if constexpr ((std::is_same_v<Own, tick> || ...))
      this->after(tick_every, tick{});
  }

  void start_up() {}

  void on(const tick&) {
    this->after(tick_every, tick{});
    this->self().each_second();
  }
  void on(const reload&) { this->self().load(); }

  bool failed() const noexcept { return false; }
  bool leaving() const noexcept { return false; }
  void leave_when_done() const noexcept {}

protected:
  void reload_soon() { this->after(reload_after, reload{}); }

  /// What was sent to the store has its fate by the time that `load` comes.
  void load_when_settled() {
    this->request(this->storage_.writer, settle_timeout, settle{})
      .then([this](settled) { this->self().load(); },
            [this](failure why) {
              if (why == failure::timed_out)
                load_when_settled();
            });
  }

private:
  static constexpr std::chrono::seconds tick_every{1};
  static constexpr std::chrono::milliseconds reload_after{250};
  static constexpr std::chrono::seconds settle_timeout{60};
};

/// Spawns an actor of which there is one: a `Self`, whose `start` is given these.
template <class Self, class Context, class Storage, class... Rest>
typename Self::handle spawn_single(caf::actor_system& sys, std::shared_ptr<const Context> with, port<Storage> storage,
                                   Rest... rest) {
  return typename Self::handle{spawn<Self>(sys, std::move(with), std::move(storage), std::move(rest)...)};
}

} // namespace credence
