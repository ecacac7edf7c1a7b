#pragma once

#include <array>
#include <type_traits>

namespace credence::test {

/// What a loop goes through, such as texts: `for (const auto* text : each_of("a", "b"))`.
template <class... T>
std::array<std::common_type_t<T...>, sizeof...(T)> each_of(T... all) {
  return {all...};
}

} // namespace credence::test
