#pragma once

namespace credence {

/// The value of that key in a map; null where there is none.
template <class Map, class Key>
auto* found_in(Map& in, const Key& which) {
  const auto found = in.find(which);
  return found == in.end() ? nullptr : &found->second;
}

} // namespace credence
