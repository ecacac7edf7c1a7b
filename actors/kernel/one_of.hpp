#pragma once

#include "actors/kernel/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

/// A value of one of many kinds. `std::variant` does the same, but each file that copies one of a hundred kinds
/// compiles for most of a minute there: the kinds are nested in each other, and each depth is a type, a table and names
/// of their own.
namespace credence {

namespace detail {
/// The value that lies there.
template <class T>
T* held_as(const void* held) noexcept {
  return std::launder(reinterpret_cast<T*>(const_cast<void*>(held)));
}
// What a table of all kinds points to.
template <class T>
void copy_held(void* to, const void* from) {
  ::new (to) T(*held_as<const T>(from));
}
template <class T>
void move_held(void* to, void* from) noexcept {
  static_assert(std::is_nothrow_move_constructible_v<T>, "it could be left empty");
  ::new (to) T(std::move(*held_as<T>(from)));
}
template <class T>
void destroy_held(void* held) noexcept {
  std::destroy_at(held_as<T>(held));
}
template <class T>
bool same_held(const void* a, const void* b) {
  return *held_as<const T>(a) == *held_as<const T>(b);
}
} // namespace detail

/// Holds a value of exactly one of `Kinds`, at all times. They differ, and moving one throws nothing.
template <class... Kinds>
class one_of {
  template <class T>
  static constexpr std::size_t place = place_among<std::remove_cvref_t<T>, Kinds...>();
  template <class T>
  static constexpr bool is_kind = place<T> < sizeof...(Kinds);

public:
  using kinds = types<Kinds...>;

  template <class T>
  requires is_kind<T> one_of(T&& value) : place_{place<T>} { // NOLINT: a value of a kind is one of them
    ::new (static_cast<void*>(held_)) std::remove_cvref_t<T>(std::forward<T>(value));
  }
  one_of(const one_of& other) : place_{other.place_} {
    static constexpr void (*copy[])(void*, const void*) = {detail::copy_held<Kinds>...};
    copy[place_](held_, other.held_);
  }
  one_of(one_of&& other) noexcept : place_{other.place_} { move_here(other); }
  one_of& operator=(const one_of& other) { return *this = one_of{other}; } // a copy that fails changes nothing
  one_of& operator=(one_of&& other) noexcept {
    if (this == &other)
      return *this;
    destroy();
    place_ = other.place_;
    move_here(other);
    return *this;
  }
  ~one_of() { destroy(); }

  /// The place of its kind among `Kinds`, from 0.
  std::size_t index() const noexcept { return place_; }
  /// Where the value lies, for a table of what is done with each kind.
  const void* held() const noexcept { return held_; }
  void* held() noexcept { return held_; }

  template <class T>
  requires is_kind<T>
  friend bool holds_alternative(const one_of& which) noexcept { return which.place_ == place<T>; }
  /// The value if it is of that kind, null otherwise.
  template <class T>
  requires is_kind<T>
  friend const T* get_if(const one_of* which) noexcept {
    return which->place_ == place<T> ? detail::held_as<const T>(which->held_) : nullptr;
  }
  template <class T>
  requires is_kind<T>
  friend T* get_if(one_of* which) noexcept {
    return which->place_ == place<T> ? detail::held_as<T>(which->held_) : nullptr;
  }
  /// The value, which is of that kind; throws `std::bad_variant_access` if it is of another.
  template <class T>
  requires is_kind<T>
  friend const T& get(const one_of& which) {
    if (const auto* found = get_if<T>(&which))
      return *found;
    throw std::bad_variant_access{};
  }
  template <class T>
  requires is_kind<T>
  friend T& get(one_of& which) { return const_cast<T&>(get<T>(std::as_const(which))); }

  /// What `visitor` returns for the value; of the same type for all kinds.
  template <class Visitor>
  friend decltype(auto) visit(Visitor&& visitor, const one_of& which) {
    return visit_held<const void*, Visitor, const Kinds...>(visitor, which.place_, which.held_);
  }
  template <class Visitor>
  friend decltype(auto) visit(Visitor&& visitor, one_of& which) {
    return visit_held<void*, Visitor, Kinds...>(visitor, which.place_, which.held_);
  }

  friend bool operator==(const one_of& a, const one_of& b) {
    static constexpr bool (*same[])(const void*, const void*) = {detail::same_held<Kinds>...};
    return a.place_ == b.place_ && same[a.place_](a.held_, b.held_);
  }

private:
  template <class First, class...>
  struct first_of {
    using type = First;
  };
  template <class Held, class Visitor, class... As>
  static decltype(auto) visit_held(Visitor& visitor, std::size_t place, Held held) {
    using result = decltype(visitor(std::declval<typename first_of<As...>::type&>()));
    static_assert((std::is_same_v<result, decltype(visitor(std::declval<As&>()))> && ...), "of one type for all kinds");
    static constexpr result (*call[])(Visitor&, Held) = {
      [](Visitor& to, Held value) -> result { return to(*detail::held_as<As>(value)); }...};
    return call[place](visitor, held);
  }
  /// Its value comes from another one of the same kind.
  void move_here(one_of& other) noexcept {
    static constexpr void (*move[])(void*, void*) noexcept = {detail::move_held<Kinds>...};
    move[place_](held_, other.held_);
  }
  void destroy() noexcept {
    static constexpr void (*destroy[])(void*) noexcept = {detail::destroy_held<Kinds>...};
    destroy[place_](held_);
  }

  alignas(Kinds...) std::byte held_[std::max({sizeof(Kinds)...})];
  std::uint16_t place_;
};

} // namespace credence
