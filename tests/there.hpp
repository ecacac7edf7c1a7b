#pragma once

#include <stdexcept>
#include <string>

namespace credence::test {

/// What has to be there, such as an optional, a result or a pointer: throws otherwise, with the place of the call, so
/// that a test ends.
template <class T>
T there(T held, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!held)
    throw std::runtime_error(std::string{file} + ":" + std::to_string(line) + ": there is none");
  return held;
}
/// What has to have exactly so many elements: likewise.
template <class T>
T exactly(std::size_t many, T held, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (held.size() != many)
    throw std::runtime_error(std::string{file} + ":" + std::to_string(line) + ": there are "
                             + std::to_string(held.size()) + ", not " + std::to_string(many));
  return held;
}

} // namespace credence::test
