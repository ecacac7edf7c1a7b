#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::ops {

/// Holds back what is said again and again. The first is let through. What repeats it is counted, and told of by the
/// newest of them with their number when the time is over: after ten seconds, then twice as long each time, up to five
/// minutes. Not for several threads.
class repeats {
public:
  using time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds first_window{10};
  static constexpr std::chrono::seconds longest_window{300};
  static constexpr std::size_t keys_max = 1000; // what is more is let through

  /// What is to be said: the newest of those that were held back, and how many these were.
  struct told {
    std::string text;
    std::int64_t held = 0;
  };

  /// Whether it is to be said now. `key` tells what is alike; `text` is kept where it is held back.
  bool lets_through(const std::string& key, const std::string& text, time now);
  /// Those whose time is over.
  std::vector<told> due(time now);
  /// All that are held back, whether or not their time is over. What comes then is let through as the first of its
  /// kind.
  std::vector<told> all();

private:
  struct held_back {
    time until;
    std::chrono::seconds window;
    std::string newest;
    std::int64_t held = 0;
  };
  std::unordered_map<std::string, held_back> seen_;
};

} // namespace credence::ops
