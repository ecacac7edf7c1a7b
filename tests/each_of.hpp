#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <vector>

namespace credence::test {

/// What a loop goes through, such as texts: `for (const auto* text : each_of("a", "b"))`.
template <class... T>
std::array<std::common_type_t<T...>, sizeof...(T)> each_of(T... all) {
  return {all...};
}

/// Likewise, where they are of different kinds, or are kept.
template <class... T>
std::vector<std::string> texts(const T&... all) {
  return {std::string(all)...};
}

} // namespace credence::test
