#include "actors/people/people_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

using people::find_people;
using people::lookup_key;
using test::deterministic_world;

struct PeopleActor : testing::Test {
  PeopleActor() { world.open(); }

  static lookup_key user(std::int32_t number) { return {.how = lookup_key::form::user, .number = number}; }
  /// Sends a question that nobody handles before `world.run()`.
  ask<find_people> send(std::vector<lookup_key> keys, const asker& by = {}) {
    ask<find_people> question{find_people{std::move(keys)}, world.sink,
                              steady_clock::now() + std::chrono::seconds{100}};
    question.get()->speak_for(by);
    credence::send(world.others.people.to(), question);
    return question;
  }
  static std::vector<std::int32_t> users_in(const ask<find_people>& question) {
    std::vector<std::int32_t> out;
    if (const auto* found = deterministic_world::yes(question))
      for (const auto& each : found->people)
        out.push_back(each.user.value);
    return out;
  }

  deterministic_world world;
};

TEST_F(PeopleActor, ThoseWhoAskWhileItLooksShareTheNextLook) {
  const auto first = send({user(1)});
  const auto second = send({user(2), user(3)});
  const auto third = send({user(4)});
  world.run();
  EXPECT_EQ(users_in(first), (std::vector{1}));
  EXPECT_EQ(users_in(second), (std::vector{2, 3}));
  EXPECT_EQ(users_in(third), (std::vector{4}));
  EXPECT_LE(world.storage->looks.size(), 2u);
}

TEST_F(PeopleActor, ManyQuestionsOfOneAskerDelayNobodyElse) {
  const auto first = send({user(1)}); // it is looked for at once
  for (int i = 0; i < 100; ++i)
    send(std::vector<lookup_key>(500, user(2)), {asker_rank::anonymous, 1});
  const auto other = send({user(3)}, {asker_rank::anonymous, 2});
  const auto third = send({user(4)}, {asker_rank::known, 1});
  world.run();
  EXPECT_EQ(users_in(other), (std::vector{3}));
  EXPECT_EQ(users_in(third), (std::vector{4}));
  ASSERT_GT(world.storage->looks.size(), 3u);
  const auto& second_look = world.storage->looks[1];
  EXPECT_EQ(second_look.size(), 500u + 1u + 1u + 8u * 500u) << "one of each, and then what there is room for";
  EXPECT_EQ(second_look[500].number, 3);
  EXPECT_EQ(second_look[501].number, 4);
}

TEST_F(PeopleActor, EveryoneIsToldWhenTheDatabaseIsAwayAndTheNextLookIsANewOne) {
  world.storage->loads_fail = true;
  const auto first = send({user(1)});
  const auto second = send({user(2)});
  world.run();
  EXPECT_EQ(deterministic_world::trouble(first), failure::unavailable);
  EXPECT_EQ(deterministic_world::trouble(second), failure::unavailable);
  world.storage->loads_fail = false;
  const auto later = send({user(3)});
  world.run();
  EXPECT_EQ(users_in(later), (std::vector{3}));
}

TEST_F(PeopleActor, WhoIsSaidToHaveChangedIsReadAtOnce) {
  world.storage->people[2].score = 2345;
  world.storage->people[3].live = false;
  world.storage->people.push_back({profile_id{70}, std::int16_t{1500}, true});
  const auto card = world.people.version_of(profile_id{5});
  credence::send(world.others.people.to(),
                 people::invalidate{{profile_id{3}, profile_id{4}, profile_id{5}, profile_id{70}}});
  world.run();
  EXPECT_EQ(world.people.score_of(profile_id{3}), 2345);
  EXPECT_EQ(world.people.status_of(profile_id{4}), people::people_index::status::archived);
  EXPECT_EQ(world.people.status_of(profile_id{70}), people::people_index::status::live);
  EXPECT_NE(world.people.version_of(profile_id{5}), card) << "something else may be new of them";
}

TEST_F(PeopleActor, AProfileHasRightsOnceItsBlockIsSettled) {
  using status = people::people_index::status;
  world.storage->people[2].unsettled = 900;
  world.storage->people[3].unsettled = 905;
  credence::send(world.others.people.to(), people::invalidate{{profile_id{3}, profile_id{4}}});
  world.run();
  EXPECT_EQ(world.people.status_of(profile_id{3}), status::unsettled);
  ask<people::check_live> question{people::check_live{profile_id{3}}, world.sink,
                                   steady_clock::now() + std::chrono::seconds{100}};
  credence::send(world.others.people.to(), question);
  world.run();
  const auto* told = test::there(deterministic_world::yes(question));
  EXPECT_TRUE(told->live);
  EXPECT_EQ(told->unsettled, 900);

  world.storage->people[2].unsettled.reset();
  credence::send(world.others.people.to(), people::invalidate{{}, 899});
  world.run();
  EXPECT_EQ(world.people.status_of(profile_id{3}), status::unsettled) << "its block is a later one";
  credence::send(world.others.people.to(), people::invalidate{{}, 900});
  world.run();
  EXPECT_EQ(world.people.status_of(profile_id{3}), status::live);
  EXPECT_EQ(world.people.status_of(profile_id{4}), status::unsettled);
}

TEST_F(PeopleActor, OnceChangesAreToldEverybodyIsReadOnceMore) {
  world.storage->people[2].score = 2345;
  credence::send(world.others.people.to(), people::changes_are_told{true});
  world.run();
  world.advance(std::chrono::milliseconds{200});
  EXPECT_EQ(world.people.score_of(profile_id{3}), 2345);
}

TEST_F(PeopleActor, AQuestionThatIsOverdueCostsTheDatabaseNothing) {
  ask<find_people> late{find_people{{user(1)}}, world.sink, steady_clock::now() - std::chrono::seconds{1}};
  credence::send(world.others.people.to(), late);
  world.run();
  EXPECT_EQ(deterministic_world::trouble(late), failure::timed_out);
  EXPECT_TRUE(world.storage->looks.empty());
}

TEST_F(PeopleActor, OneLookTakesManyKeysAndLeavesTheRestForTheNext) {
  std::vector<ask<find_people>> questions;
  for (int i = 0; i < 20; ++i)
    questions.push_back(send(std::vector<lookup_key>(500, user(i + 1))));
  world.run();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(users_in(questions[static_cast<std::size_t>(i)]), std::vector<std::int32_t>(500, i + 1));
  for (const auto& look : world.storage->looks)
    EXPECT_LT(look.size(), 4096u + 500u);
}

} // namespace
} // namespace credence
