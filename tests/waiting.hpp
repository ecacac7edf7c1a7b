#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence::test {

/// Longer than anything takes that still works, on a slow machine too.
inline constexpr std::chrono::seconds wait_at_most{180};

/// Waits until `done` says so; false when it does not in time. May be called from any thread.
template <class Done>
bool comes_true(Done done, std::chrono::milliseconds at_most = wait_at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!done()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

/// The same. When it does not in time the test fails, naming `text`, and false comes back:
/// a test must not hang on what it is there to find. May be called from any thread.
template <class Done>
bool await(const char* text, Done done, std::chrono::milliseconds at_most = wait_at_most) {
  const bool good = comes_true(std::move(done), at_most);
  if (!good)
    ADD_FAILURE() << "waited in vain for " << text;
  return good;
}

/// Runs `what` on so many threads at once, each with its number from 0 where `what` takes one, and waits for all.
template <class What>
void at_once(int threads, What what) {
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i)
    if constexpr (std::is_invocable_v<What&, int>)
      all.emplace_back(std::ref(what), i);
    else
      all.emplace_back(std::ref(what));
}

} // namespace credence::test
