#pragma once

#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

#include <deque>
#include <functional>
#include <string>

namespace credence::test {

/// Asks the world's actors on behalf of clients, and keeps every question until it is answered.
/// Must outlive those actors, but not the world.
class asking : public answer_sink {
public:
  asking(world& among, simulation_report& report) : world_(among), report_(report) {}
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;

  /// A violation for every question that has no answer yet.
  void expect_every_answer() {
    for (const auto& op : operations_)
      if (op.outcome == told::nothing)
        world_.violation(op.text + " was never answered");
  }

  void deliver(envelope_base* answered) noexcept override {
    auto* op = static_cast<operation*>(answered->asker);
    if (op->judge)
      op->judge(*answered);
    answered->deref();
  }

protected:
  ~asking() = default;
  static constexpr std::chrono::seconds patience{3}; // of a client

  enum class told : std::uint8_t { nothing, yes, no, unknown };

  /// One question of a client, and what came of it.
  struct operation {
    std::string text;
    told outcome = told::nothing;
    std::function<void(envelope_base&)> judge;
  };

  operation& begin(std::string text) {
    world_.note(text);
    return operations_.emplace_back(operation{std::move(text), told::nothing, {}});
  }

  template <class Q, class Handle>
  void put(const Handle& whom, Q question, operation& op) {
    const auto now = steady_clock::now();
    ask<Q> asked{std::move(question), *this, now + patience};
    asked.get()->asker = &op;
    asked.get()->stamp(now);
    caf::anon_send(whom, std::move(asked));
  }

  template <class Q>
  static const envelope<Q>& as(const envelope_base& answered) {
    return static_cast<const envelope<Q>&>(answered);
  }
  /// The answer, or null when it was refused or failed.
  template <class Q>
  static const auto* answer_in(const envelope_base& answered) {
    return std::get_if<1>(&as<Q>(answered).result);
  }

  int some_profile() { return 1 + static_cast<int>(world_.chance().below(world::profiles)); }

  world& world_;
  simulation_report& report_;

private:
  std::deque<operation> operations_;
};

} // namespace credence::test
