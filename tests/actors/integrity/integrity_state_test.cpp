#include "actors/integrity/integrity_state.hpp"

#include "actors/integrity/groups.hpp"
#include "tests/actors/integrity/honest_traffic.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace credence::integrity {
namespace {

bool go_on(double) { return true; }

findings look_at(acts what) {
  auto found = analyse(what, bounds{}, &go_on);
  EXPECT_TRUE(found);
  return found ? *std::move(found) : findings{};
}

members ids_of(const found_group& group) {
  members out;
  for (const auto& each : group.members)
    out.push_back(each.profile);
  return out;
}

std::size_t both(const members& a, const members& b) {
  return static_cast<std::size_t>(
    std::count_if(a.begin(), a.end(), [&](std::int32_t who) { return std::find(b.begin(), b.end(), who) != b.end(); }));
}

/// Groups that have nothing to do with the ring.
std::size_t false_groups(const findings& found, const members& ring) {
  return static_cast<std::size_t>(
    std::count_if(found.groups.begin(), found.groups.end(),
                  [&](const found_group& group) { return both(ids_of(group), ring) * 2 < group.members.size(); }));
}

const found_group* group_of(const findings& found, const members& ring) {
  for (const auto& group : found.groups)
    if (both(ids_of(group), ring) * 4 >= ring.size() * 3)
      return &group;
  return nullptr;
}

std::string shown(const findings& found) {
  std::string out;
  for (const auto& group : found.groups) {
    out += std::to_string(group.members.size()) + " profiles, " + std::to_string(group.decades) + " decades:";
    for (const auto& each : group.signs)
      out += std::string{" "} + sign_names[static_cast<std::size_t>(each.what)] + " " + std::to_string(each.decades)
             + " (" + std::to_string(each.pairs) + ")";
    out += "; " + std::to_string(group.moments_all) + " moments;";
    for (const auto& each : group.members)
      out += " " + std::to_string(each.profile);
    out += "\n";
  }
  return out;
}

struct AmongHonestPeople : ::testing::TestWithParam<std::uint32_t> {
  traffic_size size;
  acts honest() { return honest_traffic{size, GetParam()}.take(); }

  void finds(const ring_habits& how) {
    auto all = honest();
    const auto ring = plant(all, how, size, GetParam() + 1);
    const auto found = look_at(std::move(all));
    EXPECT_TRUE(group_of(found, ring)) << shown(found);
    EXPECT_LE(false_groups(found, ring), 5u) << shown(found);
  }
};

TEST_P(AmongHonestPeople, NobodyIsTakenForARing) {
  const auto found = look_at(honest());
  EXPECT_GT(found.votes, 300'000);
  EXPECT_LE(found.groups.size(), 5u) << shown(found);
}

TEST_P(AmongHonestPeople, ARingOfNewcomersIsFound) { finds({}); }

TEST_P(AmongHonestPeople, ARingOfOldAccountsThatDoNotKnowEachOtherIsFound) {
  finds({.newcomers = false, .reciprocal = false});
}

TEST_P(AmongHonestPeople, ARingThatHidesAmongPopularProjectsIsFound) {
  finds({.moments = 12, .takes_part = 0.8, .spread_s = 4, .unpopular = false, .newcomers = false, .reciprocal = false});
}

INSTANTIATE_TEST_SUITE_P(Seeds, AmongHonestPeople, ::testing::Values(1u, 4711u, 20261125u));

bool shows(const found_group& group, sign what) {
  return std::any_of(group.signs.begin(), group.signs.end(), [&](const sign_seen& each) { return each.what == what; });
}

constexpr traffic_size small{
  .profiles = 5000, .projects = 60, .days = 30, .sittings = 15'000, .news = 10, .campaigns = 2};

acts some_people() { return honest_traffic{small, 99}.take(); }

TEST(Integrity, TellsWhoIsInARingWhatItDidAndWhen) {
  auto all = some_people();
  const auto ring = plant(all, {.moments = 6}, small, 3);
  const auto found = look_at(std::move(all));
  const auto* group = group_of(found, ring);
  ASSERT_TRUE(group) << shown(found);
  EXPECT_EQ(ids_of(*group), ring);
  EXPECT_TRUE(shows(*group, sign::same_seconds));
  EXPECT_TRUE(shows(*group, sign::reciprocal));
  EXPECT_EQ(group->mutual[static_cast<std::size_t>(tie_kind::review)], 24);
  EXPECT_EQ(group->mutual[static_cast<std::size_t>(tie_kind::upvote)], 0);
  ASSERT_EQ(group->moments.size(), 6u);
  EXPECT_EQ(group->moments_all, 6);
  for (const auto& each : group->moments) {
    EXPECT_EQ(each.who.size(), ring.size());
    EXPECT_LE(each.last - each.first, 2u);
    EXPECT_GT(project_of(each.cause).value, small.projects - 6);
  }
  for (const auto& each : group->members)
    EXPECT_GT(each.second, honest_traffic::start);
}

TEST(Integrity, NewcomersWhoDoTheSameWithinTheHourAreFound) {
  auto all = some_people();
  members ring;
  const auto joined_at = honest_traffic::start + 10 * honest_traffic::day_s;
  for (std::int32_t who = 101; who <= 108; ++who) {
    ring.push_back(who);
    all.people[static_cast<std::size_t>(who) - 1].second = joined_at;
    std::erase_if(all.votes, [&](const vote_seen& each) { return each.voter == who; });
    for (std::int32_t i = 0; i < 8; ++i) // minutes apart, so not within the same seconds
      all.votes.push_back({who, vote_seen::cause_of({41 + 2 * i}, true),
                           joined_at + static_cast<std::uint32_t>(i + 1) * 20 * 3600
                             + static_cast<std::uint32_t>(who - 100 + i * who % 5) * 240});
  }
  const auto found = look_at(std::move(all));
  const auto* group = group_of(found, ring);
  ASSERT_TRUE(group) << shown(found);
  EXPECT_EQ(group->signs.front().what, sign::fresh_alike);
}

TEST(Integrity, FiveWhoSpeakWellOfEachOtherInTwoWaysAreTold) {
  auto all = some_people();
  members ring{11, 22, 33, 44, 55};
  for (const auto from : ring)
    for (const auto to : ring)
      if (from != to)
        for (const auto kind : {tie_kind::review, tie_kind::vouch})
          all.ties.push_back({from, to, kind, honest_traffic::start});
  const auto found = look_at(std::move(all));
  const auto* group = group_of(found, ring);
  ASSERT_TRUE(group) << shown(found);
  EXPECT_EQ(group->signs.front().what, sign::reciprocal);
  EXPECT_EQ(group->mutual[static_cast<std::size_t>(tie_kind::vouch)], 10);
}

TEST(Integrity, NewcomersWhoComeAtOnceToOneCauseAreTold) {
  auto all = some_people();
  members crowd;
  const auto at = honest_traffic::start + 5 * honest_traffic::day_s + 1234;
  for (std::int32_t who = 2001; who <= 2016; ++who) {
    crowd.push_back(who);
    all.people[static_cast<std::size_t>(who) - 1].second = at - 3600;
    all.votes.push_back({who, vote_seen::cause_of({58}, true), at + static_cast<std::uint32_t>(who % 40)});
  }
  const auto found = look_at(std::move(all));
  const auto* group = group_of(found, crowd);
  ASSERT_TRUE(group) << shown(found);
  EXPECT_EQ(group->signs.front().what, sign::burst);
}

TEST(Integrity, ALittleMemoryWillDo) {
  auto all = some_people();
  const auto ring = plant(all, {.newcomers = false, .reciprocal = false}, small, 5);
  bounds tight;
  tight.kept_pairs_max = 1000;
  tight.near_pairs_max = static_cast<std::int64_t>(all.votes.size()) * 12;
  const auto found = test::there(analyse(all, tight, &go_on));
  EXPECT_TRUE(group_of(*found, ring)) << shown(*found);
}

TEST(Integrity, TellsHowFarItIsAndStopsWhenAsked) {
  auto all = some_people();
  double last = 0;
  ASSERT_TRUE(analyse(all, bounds{}, [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    return true;
  }));
  EXPECT_EQ(last, 1);
  for (const double at : {0.05, 0.3, 0.6, 0.8})
    EXPECT_FALSE(analyse(all, bounds{}, [&](double done) { return done < at; }));
}

TEST(Integrity, NothingIsFoundInNothing) {
  acts nothing;
  const auto found = test::there(analyse(nothing, bounds{}, &go_on));
  EXPECT_TRUE(found->groups.empty());
}

} // namespace
} // namespace credence::integrity
