#pragma once

#include "actors/kernel/asked.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace credence {

/// Says that the actor behind a door bounds what waits for it by itself, as routers do for each of their entities.
struct bounds_by_itself {};

/// An actor that others may ask, with the bound on the questions that wait for it. A door is made with a bound, or says
/// `bounds_by_itself`; a default one leads to nobody.
template <class Handle>
class door {
public:
  door() = default;
  /// At most `waiting` questions wait for the actor. The gauge `all`, if given, shows how many do, over all doors that
  /// share it.
  door(Handle to, std::int32_t waiting, ops::gauge* all = nullptr)
    : to_(std::move(to)), bound_(std::make_shared<gate>(waiting, all)) {}
  door(Handle to, bounds_by_itself) : to_(std::move(to)) {}

  const Handle& to() const noexcept { return to_; }
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
  Handle to_;
  std::shared_ptr<gate> bound_;
};

/// Lets a directory hold a door whose handle type it only declares. A file that asks the actor includes the actor's
/// header. `Door` is a struct derived from `door<Handle>`, complete where the door is used.
template <class Door>
class held_door {
public:
  template <class Handle>
  held_door& operator=(door<Handle> open) {
    door_ = std::make_shared<const Door>(Door{std::move(open)});
    return *this;
  }

  const auto& to() const { return it().to(); }
  bool admit(envelope_base& envelope) const { return it().admit(envelope); }
  explicit operator bool() const { return static_cast<bool>(it()); }

private:
  const Door& it() const {
    static const Door nobody{};
    return door_ ? *door_ : nobody;
  }

  std::shared_ptr<const Door> door_;
};

} // namespace credence
