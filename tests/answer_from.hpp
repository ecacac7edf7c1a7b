#pragma once

#include "actors/kernel/load.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace credence::test {

/// Waits for answers that come on other threads.
class waiting_sink final : public answer_sink {
public:
  void deliver(envelope_base* answered) noexcept override {
    answered->deref();
    const std::lock_guard lock{guard_};
    ++came_;
    changed_.notify_all();
  }
  /// False when there are fewer by then.
  bool wait(std::size_t count, std::chrono::seconds timeout) {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, timeout, [&] { return came_ >= count; });
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::size_t came_ = 0;
};

/// What an actor answers to some questions, all of which are asked before one answer is waited for; empty where there
/// is none.
template <class Handle, class Q, class Then>
std::vector<std::optional<typename Q::answer_type>> answers_from(const Handle& to, const std::vector<Q>& questions,
                                                                 Then then) {
  constexpr std::chrono::seconds timeout{60};
  waiting_sink sink;
  std::vector<ask<Q>> asked;
  for (const auto& each : questions)
    send(to, asked.emplace_back(each, sink, steady_clock::now() + timeout));
  then();
  if (!sink.wait(asked.size(), timeout)) {
    for (const auto& each : asked)
      each.fail(failure::timed_out);
    sink.wait(asked.size(), timeout);
  }
  std::vector<std::optional<typename Q::answer_type>> out;
  for (const auto& each : asked) {
    auto* found = each.get()->answer();
    out.push_back(found ? std::optional{std::move(*found)} : std::nullopt);
  }
  return out;
}
template <class Handle, class Q>
std::optional<typename Q::answer_type> answer_from(const Handle& to, Q question) {
  std::vector<Q> one;
  one.push_back(std::move(question));
  return std::move(answers_from(to, one, [] {}).front());
}

/// What the readers of a store answer to a load.
template <class Answer, class Q>
std::optional<Answer> loaded_from(const reader_handle& readers, Q question) {
  auto found = answer_from(readers, any_load{std::move(question)});
  return found ? std::optional{std::any_cast<Answer&&>(std::move(*found))} : std::nullopt;
}

} // namespace credence::test
