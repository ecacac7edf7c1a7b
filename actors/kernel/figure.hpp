#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace credence {

/// Something that an actor holds in memory, as operators see it: a count, yes or no, or a text such as an amount of
/// wei. Nothing where the actor has not read it.
struct figure {
  /// `called` lives as long as the program.
  explicit figure(std::string_view called) : name(called) {}
  template <std::integral T>
  figure(std::string_view called, T is) : name(called) {
    if constexpr (std::same_as<T, bool>)
      value = is;
    else
      value = static_cast<std::int64_t>(is);
  }
  figure(std::string_view called, std::string text) : name(called), value(std::move(text)) {}

  std::string_view name;
  std::variant<std::monostate, std::int64_t, bool, std::string> value;
};

} // namespace credence
