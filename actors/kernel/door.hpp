#pragma once

#include "actors/kernel/actor.hpp"
#include "ops/metrics.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace credence {

/// Says that the actor behind a door bounds what waits for it by itself, as routers do for each of their entities.
struct bounds_by_itself {};

/// Whether a question that is asked at that door goes to the readers of the store, as `Of::straight` lists it: the
/// actor owns nothing of the answer.
template <class Q, class Of>
concept goes_straight = requires {
  typename Of::straight;
}
&&among<Q, typename Of::straight>;

/// An actor that others may ask, with the bound on the questions that wait for it; a default one leads to nobody. `Of`
/// names the actor's handle (`Of::handle`). It is complete where the actor is asked: a directory only declares it.
template <class Of>
class door {
public:
  using of = Of;
  door() = default;
  /// At most `waiting` questions wait for the actor. The gauge `all`, if given, shows how many do, over all doors that
  /// share it.
  template <class Handle>
  door(const Handle& to, std::int32_t waiting, ops::gauge* all = nullptr) : door(to, bounds_by_itself{}) {
    bound_ = std::make_shared<gate>(waiting, all);
  }
  template <class Handle>
  door(const Handle& to, bounds_by_itself) : to_(typename Of::handle{to}) {
    static_assert(std::is_convertible_v<Handle, typename Of::handle>, "it does not answer what is asked there");
  }

  auto to() const noexcept { return typename Of::handle{to_}; }
  const actor_ref& who() const noexcept { return to_; }
  /// Takes a place for a question, which holds it until it is answered; false where none is free.
  bool admit(envelope_base& envelope) const {
    if (!bound_)
      return true;
    place here{bound_};
    if (!here)
      return false;
    envelope.hold(std::move(here));
    return true;
  }
  explicit operator bool() const noexcept { return static_cast<bool>(to_); }

private:
  actor_ref to_;
  std::shared_ptr<gate> bound_;
};

} // namespace credence
