#include "actors/kernel/actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace credence {
namespace {

using namespace std::chrono_literals;

static_assert(std::is_same_v<without<types<int, char, long>, types<char>>, types<int, long>>);
static_assert(std::is_same_v<without<types<int, char>, types<>>, types<int, char>>);
static_assert(std::is_same_v<without<types<int>, types<int, char>>, types<>>);

struct note {
  std::string text;
};
struct how_many {
  using answer_type = int;
  int of = 0;
};
struct which {
  using answer_type = std::string;
};
using answering = actor_handle<how_many, which, note>;
static_assert(std::is_convertible_v<answering, actor_handle<which>>);
static_assert(!std::is_convertible_v<actor_handle<which>, answering>, "it takes less");
static_assert(std::is_same_v<extended<actor_handle<which>, note>, actor_handle<which, note>>);

/// Lets go of what it gets; the test looks at the answer by a question of its own.
struct kept_answers final : answer_sink {
  void deliver(envelope_base* answered) noexcept override {
    ++delivered;
    answered->deref();
  }
  int delivered = 0;
};

class Actors : public testing::Test {
protected:
  Actors() {
    config_.set("scheduler.policy", caf::atom("testing"));
    sys.emplace(config_);
    sched = &dynamic_cast<caf::scheduler::test_coordinator&>(sys->scheduler());
  }
  template <class Q>
  ask<Q> question(Q what) {
    return {std::move(what), answers, steady_clock::now() + 1min};
  }

  caf::actor_system_config config_;
  std::optional<caf::actor_system> sys;
  caf::scheduler::test_coordinator* sched = nullptr;
  kept_answers answers;
  std::vector<std::string> heard;
};

TEST_F(Actors, MessagesAndQuestionsOfEachKindReachTheirOwnHandlers) {
  const auto told = spawn_functions<answering>(
    *sys, [](const ask<how_many>& asked) { asked.answer(asked->of + 1); },
    [before = false](const ask<which>& asked) mutable {
      if (!std::exchange(before, true))
        asked.answer(std::string{"this one"});
    },
    [this](const note& message) { heard.push_back(message.text); });
  const auto first = question(how_many{4});
  const auto second = question(which{});
  const auto dropped = question(which{});
  send(told, first);
  post(told, second);
  post(told, dropped);
  send(told, note{"a"});
  sched->run();
  EXPECT_EQ(std::get<1>(first.get()->result), 5);
  EXPECT_EQ(std::get<1>(second.get()->result), "this one");
  EXPECT_EQ(dropped.get()->result.index(), 0u) << "the test holds it still: nobody strands it";
  EXPECT_EQ(answers.delivered, 2);
  EXPECT_EQ(heard, std::vector<std::string>{"a"});
  tell_to_end(told);
  sched->run();
}

TEST_F(Actors, AQuestionThatAnEndingActorHasNotReadIsStranded) {
  const auto gone = spawn_functions<answering>(*sys, [](const auto&) {});
  sched->run();
  tell_to_end(gone);
  send(gone, question(which{}));
  sched->run();
  EXPECT_EQ(answers.delivered, 1);
  send(gone, question(which{}));
  EXPECT_EQ(answers.delivered, 2) << "it is gone";
}

/// Asks another actor by each `note`, and notes what comes.
class asker_of_another : public actor {
public:
  static inline const char* name = "asker";
  using takes = types<note>;

  void start(actor_handle<how_many> other, std::vector<std::string>* heard) {
    other_ = std::move(other);
    heard_ = heard;
  }
  void on(const note& message) {
    heard_->push_back(message.text);
    auto asked = request(other_, message.text == "patiently" ? for_ever : 100ms, how_many{1});
    const auto found = [this](int answer) { heard_->push_back(std::to_string(answer)); };
    const auto failed = [this](failure why) { heard_->emplace_back(text_of(why)); };
    if (message.text == "alone")
      std::move(asked).await(found, failed);
    else
      std::move(asked).then(found, failed);
  }

private:
  actor_handle<how_many> other_;
  std::vector<std::string>* heard_ = nullptr;
};

TEST_F(Actors, AnAnswerThatIsAwaitedComesBeforeAllOtherMessages) {
  const auto other = spawn_functions<actor_handle<how_many>>(*sys, [](const ask<how_many>& asked) { asked.answer(7); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, other, &heard)};
  send(asking, note{"a"});
  send(asking, note{"alone"});
  send(asking, note{"b"});
  sched->run();
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "alone", "7", "b", "7", "7"}))
    << "b waits, and so does the answer to a";
  tell_to_end(asking);
  tell_to_end(other);
  sched->run();
}

TEST_F(Actors, WhatWasSetAsideIsTakenInPiecesAndInItsOrder) {
  std::vector<ask<how_many>> kept;
  const auto other =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, other, &heard)};
  std::vector<std::string> expected{"alone"};
  send(asking, note{"alone"});
  for (int i = 0; i < 200; ++i)
    send(asking, note{expected.emplace_back("set aside " + std::to_string(i))});
  sched->run();
  EXPECT_EQ(heard, std::vector<std::string>{"alone"});
  kept.at(0).answer(7);
  expected.insert(expected.begin() + 1, "7");
  sched->run_once();
  EXPECT_EQ(heard.size(), 2u + 64u) << "one turn takes no more, so that others get theirs";
  send(asking, note{expected.emplace_back("later")});
  sched->run();
  EXPECT_EQ(heard, expected);
  kept.clear();
  tell_to_end(asking);
  tell_to_end(other);
  sched->run();
}

TEST_F(Actors, ARequestIsToldThatItsTimeIsUpOrThatNobodyIsThere) {
  std::vector<ask<how_many>> kept;
  const auto silent =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, silent, &heard)};
  send(asking, note{"patiently"});
  send(asking, note{"briefly"});
  sched->run();
  sched->advance_time(101ms);
  sched->run();
  EXPECT_EQ(heard, (std::vector<std::string>{"patiently", "briefly", "timed out"}));
  kept.at(1).answer(7); // too late
  kept.clear();
  sched->run();
  EXPECT_EQ(heard.back(), "stranded");
  tell_to_end(silent);
  sched->run();
  send(asking, note{"patiently"});
  sched->run();
  EXPECT_EQ(heard.back(), "stranded");
  tell_to_end(asking);
  sched->run();
}

TEST_F(Actors, AnActorThatIsGoneHoldsNothingOfWhatItHasAskedFor) {
  std::vector<ask<how_many>> kept;
  const auto silent =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, silent, &heard)};
  bool well = true;
  when_gone(asking, [&](bool by_itself, const std::string&) { well = by_itself; });
  send(asking, note{"patiently"});
  sched->run();
  kill(asking);
  sched->run();
  EXPECT_FALSE(well);
  kept.at(0).answer(7);
  kept.clear();
  sched->run();
  EXPECT_EQ(heard, std::vector<std::string>{"patiently"});
  tell_to_end(silent);
  sched->run();
}

/// Plans what it is told, in place of what it planned before.
class planner : public actor {
public:
  static inline const char* name = "planner";
  using takes = types<note, how_many>;

  void start(std::vector<std::string>* heard) { heard_ = heard; }
  void on(const ask<how_many>& asked) {
    if (asked->of == 0)
      plan_.cancel();
    else
      after(plan_, std::chrono::milliseconds{asked->of}, note{std::to_string(asked->of)});
  }
  void on(const note& message) { heard_->push_back(message.text); }

private:
  std::vector<std::string>* heard_ = nullptr;
  timer plan_;
};

TEST_F(Actors, WhatIsPlannedAnewTakesThePlaceOfWhatWasPlannedBefore) {
  const actor_handle<how_many> planning{spawn<planner>(*sys, &heard)};
  for (const int time : {50, 20, 30})
    send(planning, how_many{time});
  sched->run();
  for (int i = 0; i < 10; ++i) {
    sched->advance_time(10ms);
    sched->run();
  }
  EXPECT_EQ(heard, std::vector<std::string>{"30"});
  send(planning, how_many{10});
  send(planning, how_many{0});
  sched->run();
  sched->advance_time(20ms);
  sched->run();
  EXPECT_EQ(heard.size(), 1u) << "it was taken back";
  tell_to_end(planning);
  sched->run();
}

} // namespace
} // namespace credence
