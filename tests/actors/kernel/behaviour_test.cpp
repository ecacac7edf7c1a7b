#include "actors/kernel/behaviour.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

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

using teller = caf::typed_actor<caf::replies_to<seldom>::with<std::string>, caf::replies_to<often_told>::with<std::string>>;

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
  static_assert(std::is_same_v<joined<detail::often_to<state>::type, without<all, state::often>>, types<often_told, seldom>>);
  caf::actor_system_config config;
  caf::actor_system sys{config};
  const auto told = sys.spawn([](teller::stateful_pointer<state> self) { return behaviour_of<teller>(self->state); });
  caf::scoped_actor self{sys};
  std::string came;
  const auto fail = [](const caf::error& why) { ADD_FAILURE() << caf::to_string(why); };
  self->request(told, caf::infinite, often_told{1}).receive([&](const std::string& text) { came += text; }, fail);
  self->request(told, caf::infinite, seldom{2}).receive([&](const std::string& text) { came += ", " + text; }, fail);
  EXPECT_EQ(came, "often 1, seldom 2");
}

} // namespace
} // namespace credence
