#pragma once

#include "actors/reputation/record_actor.hpp"
#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

#include <type_traits>

namespace credence::test {

/// Asks the world's actors on behalf of clients, and keeps every question until it is answered.
/// Must outlive those actors, but not the world.
class asking : public answer_sink {
public:
  asking(world& among, simulation_report& report) : world_(among), report_(report) {}
  /// The process is no more: whoever asked it something knows nothing of it.
  void lose_all_asked_of(const process& gone) {
    for (auto& op : operations_)
      if (op.outcome == told::nothing && op.whom == &gone) {
        op.over = true;
        --under_way_;
        op.strand();
      }
  }
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;

  /// A violation for every question that has no answer yet.
  void expect_every_answer() {
    for (const auto& op : operations_)
      if (op.outcome == told::nothing)
        world_.violation(op.text + " was never answered");
  }

  void deliver(envelope_base* answered) noexcept override {
    answered->arrive();
    answered->deref();
  }

protected:
  ~asking() = default;
  static constexpr std::chrono::seconds timeout{3}; // of a client

  enum class told : std::uint8_t { nothing, yes, no, unknown };

  /// One question of a client, and what came of it.
  struct operation {
    std::string text;
    told outcome = told::nothing;
    std::function<void(envelope_base&)> judge;
    const process* whom = nullptr;
    std::function<void()> strand;                    // it is never answered
    bool over = false;                               // what comes now comes from nowhere
    bool (*granted)(const envelope_base&) = nullptr; // set: put while the process knew that its clock is wrong
    std::uint64_t turns = 0;                         // of the world when it was put
  };

  /// A question with the operation that put it.
  template <class Q>
  class put_by final : public envelope<Q> {
  public:
    put_by(asking& client, operation& op, Q content, steady_time deadline)
      : envelope<Q>(std::move(content), client, deadline), client_(client), op_(op) {}
    void arrive() override { client_.hear(op_, *this); }

  private:
    asking& client_;
    operation& op_;
  };

  operation& begin(std::string text) {
    world_.note(text);
    auto& fresh = operations_.emplace_back();
    fresh.text = std::move(text);
    return fresh;
  }

  template <class Q>
  static constexpr bool
    changes_something =
      std::is_same_v<
        Q,
        project::
          cast_vote> || std::is_same_v<Q, profile::send_tip> || std::is_same_v<Q, funds::move_funds> || std::is_same_v<Q, market::place_trade> || std::is_same_v<Q, market::open_market> || std::is_same_v<Q, market::set_market_frozen> || std::is_same_v<Q, period::advance_period> || std::is_same_v<Q, slash::open_slash> || std::is_same_v<Q, slash::cast_slash_vote> || std::is_same_v<Q, slash::cancel_slash> || among<Q, reputation::record_requests>;

  /// Changes are also asked of a process that was taken over and has not noticed: none of its
  /// answers may be wrong. Its reads are kept back by its lease, which is not part of this.
  template <class Q, class Handle>
  void put(Handle directory::*whom, Q question, operation& op) {
    put(whoever_answers(changes_something<Q>), whom, std::move(question), op);
  }
  const process& whoever_answers(bool changes) {
    return changes && world_.overtaken() && world_.chance().chance(400) ? *world_.overtaken() : world_.serving();
  }
  template <class Q, class Handle>
  void put(const process& to, Handle directory::*whom, Q question, operation& op,
           std::shared_ptr<const write_context> context = {}) {
    const auto now = steady_clock::now();
    op.whom = &to;
    ++under_way_;
    op.turns = world_.turns();
    if (changes_something<Q> && !to.believes_its_clock())
      op.granted = [](const envelope_base& answered) { return answer_in<Q>(answered) != nullptr; };
    op.strand = [this, &op, question, now] {
      envelope<Q> lost{question, detail::nobody(), now};
      lost.settle(failure::stranded);
      op.judge(lost);
    };
    ask<Q> sent{new put_by<Q>{*this, op, std::move(question), now + timeout}};
    sent.get()->stamp(now);
    sent.get()->carry(std::move(context));
    send((to.actors().*whom).to(), sent);
  }

  template <class Q>
  static const envelope<Q>& as(const envelope_base& answered) {
    return static_cast<const envelope<Q>&>(answered);
  }
  /// The answer, or null when it was refused or failed.
  template <class Q>
  static const auto* answer_in(const envelope_base& answered) {
    return as<Q>(answered).answer();
  }

  /// Until everything is answered.
  void await_answers() {
    world_.pass_time(timeout, [this] { return under_way_ == 0; });
  }
  /// As the front turns changes away that it would stamp.
  bool takes_stamps(const process& by) const { return by.believes_its_clock(); }

  /// Most clients who were told that nothing can be written try again later; meanwhile the actors work.
  bool waits() {
    if (world_.serving().status().writable.load() || world_.chance().chance(200))
      return false;
    world_.work();
    return true;
  }

  int some_profile() { return 1 + static_cast<int>(world_.chance().below(world::profiles)); }

  world& world_;
  simulation_report& report_;

private:
  void hear(operation& op, envelope_base& answered) {
    under_way_ -= !op.over;
    if (!op.over && op.granted)
      judge_clock(op, op.granted(answered));
    if (op.judge && !op.over)
      op.judge(answered);
  }

  /// Nothing is written while the process knows that its clock is wrong.
  void judge_clock(const operation& op, bool granted) {
    if (world_.believed_since(*op.whom, op.turns))
      return;
    ++report_.turned_away;
    if (granted)
      world_.violation(op.text + " was taken by a process whose clock was wrong");
  }

  std::deque<operation> operations_;
  int under_way_ = 0;
};

} // namespace credence::test
