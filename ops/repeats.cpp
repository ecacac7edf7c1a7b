#include "ops/repeats.hpp"

#include <algorithm>
#include <utility>

namespace credence::ops {

bool repeats::lets_through(const std::string& key, const std::string& text, time now) {
  if (const auto found = seen_.find(key); found != seen_.end()) {
    found->second.newest = text;
    ++found->second.held;
    return false;
  }
  if (seen_.size() < keys_max)
    seen_.emplace(key, held_back{now + first_window, first_window, {}, 0});
  return true;
}

std::vector<repeats::told> repeats::due(time now) {
  std::vector<told> out;
  for (auto each = seen_.begin(); each != seen_.end();) {
    auto& [key, of] = *each;
    if (now < of.until) {
      ++each;
    } else if (of.held == 0) {
      each = seen_.erase(each);
    } else {
      out.push_back({std::move(of.newest), std::exchange(of.held, 0)});
      of.window = std::min(2 * of.window, longest_window);
      of.until = now + of.window;
      ++each;
    }
  }
  return out;
}

std::vector<repeats::told> repeats::all() {
  std::vector<told> out;
  for (auto& [key, of] : std::exchange(seen_, {}))
    if (of.held > 0)
      out.push_back({std::move(of.newest), of.held});
  return out;
}

} // namespace credence::ops
