#pragma once

#include "actors/store.hpp"
#include "persistence/readers/query_policy.hpp"

#include <any>
#include <chrono>
#include <utility>

namespace credence::persistence {

/// What the readers answer to a question, read on a connection of the test's.
template <class Q>
answer_of<Q, all_loads> read_now(connection& on, const Q& question, steady_time deadline) {
  const std::any asked_for{question};
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  auto found = handler(asked<Q>{}).read(on, {&asked_for, 1}, left);
  return std::any_cast<answer_of<Q, all_loads>>(std::move(found.front()));
}

} // namespace credence::persistence
