#include "actors/kernel/behaviour.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace credence {

struct seldom {
  int number = 0;
};
struct often_told {
  int number = 0;
};
} // namespace credence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::seldom)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::often_told)

namespace credence {
namespace {

static_assert(std::is_same_v<without<types<int, char, long>, types<char>>, types<int, long>>);
static_assert(std::is_same_v<without<types<int, char>, types<>>, types<int, char>>);
static_assert(std::is_same_v<without<types<int>, types<int, char>>, types<>>);

using teller =
  caf::typed_actor<caf::replies_to<seldom>::with<std::string>, caf::replies_to<often_told>::with<std::string>>;

struct state {
  static inline const char* name = "teller";
  using often = types<often_told>;
  std::string on(const seldom& it) const { return "seldom " + std::to_string(it.number); }
  std::string on(const often_told& it) const { return "often " + std::to_string(it.number); }
};

/// What is tried first is taken out of its place among the others, and nothing is lost by that.
TEST(Behaviour, WhatComesOftenIsTriedFirstAndAllElseIsTakenAsWell) {
  using signatures = teller::signatures;
  using all = detail::named_by<signatures>::type;
  static_assert(std::is_same_v<all, types<seldom, often_told>>);
  static_assert(
    std::is_same_v<joined<detail::often_to<state>::type, without<all, state::often>>, types<often_told, seldom>>);
  caf::actor_system_config config;
  caf::actor_system sys{config};
  const auto told =
    spawn_as<teller>(sys, [](caf::stateful_actor<state>* self) { return behaviour_of<teller>(self->state); });
  caf::scoped_actor self{sys};
  std::string came;
  const auto fail = [](const caf::error& why) { ADD_FAILURE() << caf::to_string(why); };
  self->request(told, caf::infinite, often_told{1}).receive([&](const std::string& text) { came += text; }, fail);
  self->request(told, caf::infinite, seldom{2}).receive([&](const std::string& text) { came += ", " + text; }, fail);
  EXPECT_EQ(came, "often 1, seldom 2");
}

struct how_many {
  using answer_type = int;
  int of = 0;
};
struct which {
  using answer_type = std::string;
};
using answering = caf::typed_actor<asked<how_many, which>, caf::replies_to<seldom>::with<std::string>>;
static_assert(std::is_same_v<questions_of<answering>, types<how_many, which>>);

/// Deletes what it gets; the test looks at the answer by a question of its own.
struct kept_answers final : answer_sink {
  void deliver(envelope_base* answered) noexcept override {
    ++delivered;
    answered->deref();
  }
  int delivered = 0;
};

TEST(Behaviour, QuestionsComeAsOneKindOfMessageAndReachTheirOwnHandlers) {
  kept_answers answers;
  const auto later = steady_clock::now() + std::chrono::minutes{1};
  const ask<how_many> first{{4}, answers, later};
  const ask<which> second{{}, answers, later};
  const ask<which> dropped{{}, answers, later};
  {
    caf::actor_system_config config;
    caf::actor_system sys{config};
    const auto told = spawn_as<answering>(sys, [](caf::event_based_actor*) {
      return behaviour_by<answering>([](const ask<how_many>& question) { question.answer(question->of + 1); },
                                     [asked_before = false](const ask<which>& question) mutable {
                                       if (!std::exchange(asked_before, true))
                                         question.answer(std::string{"this one"});
                                     },
                                     [](const seldom&) { return std::string{"seldom"}; });
    });
    send_question(told, first);
    post(told, second);
    post(told, dropped);
    caf::scoped_actor self{sys};
    self->request(told, caf::infinite, seldom{})
      .receive([](const std::string& text) { EXPECT_EQ(text, "seldom"); },
               [](const caf::error& why) { ADD_FAILURE() << caf::to_string(why); });
  }
  EXPECT_EQ(std::get<1>(first.get()->result), 5);
  EXPECT_EQ(std::get<1>(second.get()->result), "this one");
  EXPECT_EQ(dropped.get()->result.index(), 0u) << "the test holds it still: nobody strands it";
  EXPECT_EQ(answers.delivered, 2);
}

TEST(Behaviour, AQuestionThatAnEndingActorHasNotReadIsStranded) {
  kept_answers answers;
  {
    caf::actor_system_config config;
    caf::actor_system sys{config};
    const auto gone = spawn_as<answering>(sys, [](caf::event_based_actor* self) {
      self->quit();
      return behaviour_by<answering>([](const ask<how_many>&) {}, [](const ask<which>&) {},
                                     [](const seldom&) { return std::string{}; });
    });
    send_question(gone, ask<which>{{}, answers, steady_clock::now() + std::chrono::minutes{1}});
  }
  EXPECT_EQ(answers.delivered, 1);
}

} // namespace
} // namespace credence
