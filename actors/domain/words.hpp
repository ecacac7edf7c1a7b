#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

/// Words of enumerations.
namespace credence {

/// Beside an enumeration: how its values are written in the database, in their order, as the array `names`.
#define CREDENCE_WORDS(Enum, names, ...)                                                                               \
  inline constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__});                                        \
  constexpr std::span<const std::string_view> words_in_order(Enum) noexcept { return names; }

namespace detail {
template <class Enum>
constexpr std::span<const std::string_view> words_if_any() {
  if constexpr (requires { words_in_order(Enum{}); })
    return words_in_order(Enum{});
  else
    return {};
}
} // namespace detail

/// The words of an enumeration; none of one that is not stored by its words.
template <class Enum>
inline constexpr std::span<const std::string_view> words_of = detail::words_if_any<Enum>();

/// The word of one.
template <class Enum>
constexpr std::string_view word_of(Enum value) {
  return words_of<Enum>[static_cast<std::size_t>(value)];
}

} // namespace credence
