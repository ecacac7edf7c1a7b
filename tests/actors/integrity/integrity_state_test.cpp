#include "actors/integrity/integrity_state.hpp"

#include "actors/integrity/acts.hpp"
#include "actors/integrity/groups.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

namespace credence::integrity {

struct traffic_size {
  std::int32_t profiles = 100'000;
  std::int32_t projects = 300;
  std::int32_t days = 60;
  std::int32_t sittings = 160'000;
  std::int32_t news = 60;     // crowds that come within minutes
  std::int32_t campaigns = 6; // of newcomers, who join and vote within the hour
};

/// Popular projects and unpopular ones, days and nights, people who come often and once, who go down the list at their
/// own pace, who rush to the news together; newcomers who are led to one project; friends and teams who vouch for each
/// other.
class honest_traffic {
public:
  static constexpr std::uint32_t start = 1'750'000'000;
  static constexpr std::uint32_t day_s = 86'400;

  honest_traffic(const traffic_size& size, std::uint32_t seed)
    : size_(size), random_(seed), voted_(static_cast<std::size_t>(size.profiles) + 1) {
    for (std::int32_t project = 1; project <= size.projects; ++project)
      weights_.push_back(1.0 / (project + 4.0));
    popularity_ = std::discrete_distribution<std::int32_t>(weights_.begin(), weights_.end());
    people();
    for (std::int32_t i = 0; i < size.sittings; ++i)
      sitting();
    for (std::int32_t i = 0; i < size.news; ++i)
      news();
    for (std::int32_t i = 0; i < size.campaigns; ++i)
      campaign();
    friends();
  }

  acts take() { return std::move(acts_); }
  std::mt19937& random() noexcept { return random_; }

private:
  double fraction() { return std::uniform_real_distribution<>{}(random_); }
  std::int32_t up_to(std::int32_t most) { return std::uniform_int_distribution<std::int32_t>{1, most}(random_); }
  std::int32_t anybody() { // a tenth of the people casts half of the votes
    return fraction() < 0.5 ? up_to(size_.profiles / 10) * 10 : up_to(size_.profiles);
  }
  std::uint32_t joined_at(std::int32_t who) const { return acts_.people[static_cast<std::size_t>(who) - 1].second; }

  void people() {
    for (std::int32_t i = 1; i <= size_.profiles; ++i) { // one in ten joins while we look
      const auto late = fraction() < 0.1;
      const auto span = static_cast<double>(late ? size_.days : 400) * day_s;
      const auto offset = static_cast<std::uint32_t>(fraction() * span);
      acts_.people.push_back({i, late ? start + offset : start - offset});
    }
  }

  std::uint32_t any_time() {
    for (;;) { // four times as many in the evening as at night
      const auto at = fraction() * size_.days;
      const auto hour = at - std::floor(at);
      if (fraction() < 0.625 + 0.375 * std::sin(6.2831853 * (hour - 0.5)))
        return start + static_cast<std::uint32_t>(at * day_s);
    }
  }

  void vote(std::int32_t who, std::int32_t project, double second) {
    const auto at = static_cast<std::uint32_t>(second);
    const auto month = static_cast<std::int32_t>((at - start) / (30 * day_s));
    if (!voted_[static_cast<std::size_t>(who)].insert(month * 1000 + project).second)
      return;
    const bool bullish = fraction() < 0.35 + 0.55 * ((project * 37) % 100) / 100.0;
    acts_.votes.push_back({who, vote_seen::cause_of({project}, bullish), at});
  }

  /// Goes down the list from the top, and votes for what appeals to him.
  void list(std::int32_t who, double at, int most) {
    const double pace = 3 + 30 * fraction();
    int cast = 0;
    for (std::int32_t project = 1; project <= 40 && cast < most; ++project)
      if (fraction() < 0.3) {
        vote(who, project, at);
        at += pace * (0.4 + 1.2 * fraction());
        ++cast;
      }
  }
  /// Looks for this and that.
  void search(std::int32_t who, double at, int most) {
    const double pace = 5 + 50 * fraction();
    for (int i = 0; i < most; ++i) {
      vote(who, popularity_(random_) + 1, at);
      at += pace * (0.4 + 1.2 * fraction());
    }
  }

  void sitting() {
    const auto who = anybody();
    const auto at = std::max(any_time(), joined_at(who) + 60);
    if (at >= start + static_cast<std::uint32_t>(size_.days) * day_s)
      return;
    const auto most = static_cast<int>(1 + std::min(12.0, -3.5 * std::log(1 - fraction())));
    fraction() < 0.5 ? list(who, at, most) : search(who, at, most);
  }

  /// Hundreds or thousands come within minutes; some look around.
  void news() {
    const auto project = popularity_(random_) + 1;
    const double at = any_time();
    const auto crowd = 100 + static_cast<int>(fraction() * fraction() * 3000);
    for (int i = 0; i < crowd; ++i) {
      const auto who = anybody();
      const auto came = at - 120 * std::log(1 - fraction());
      if (came < joined_at(who))
        continue;
      vote(who, project, came);
      if (fraction() < 0.3)
        list(who, came + 5 + 40 * fraction(), 3);
    }
  }

  /// A project brings its followers along: they join, vote for it, and look around.
  void campaign() {
    const auto project = up_to(size_.projects);
    const auto first = up_to(size_.profiles - 200);
    const double at = start + (0.1 + 0.8 * fraction()) * size_.days * day_s;
    for (std::int32_t who = first; who < first + 150; ++who) {
      const auto came = at - 1200 * std::log(1 - fraction());
      acts_.people[static_cast<std::size_t>(who) - 1].second = static_cast<std::uint32_t>(came);
      vote(who, project, came + 30 + 300 * fraction());
      if (fraction() < 0.6)
        list(who, came + 400 + 600 * fraction(), 4);
    }
  }

  void tie(std::int32_t from, std::int32_t to, tie_kind kind) {
    acts_.ties.push_back({from, to, kind, start + static_cast<std::uint32_t>(fraction() * size_.days * day_s)});
  }
  /// Friends review each other and vouch for each other, and teams of a project all vouch for all.
  void friends() {
    for (std::int32_t i = 0; i < size_.profiles / 20; ++i) {
      const auto one = anybody();
      for (int each = up_to(3); each > 0; --each) {
        const auto other = std::min(size_.profiles, one + up_to(40));
        tie(one, other, tie_kind::review);
        if (fraction() < 0.4)
          tie(other, one, tie_kind::review);
        if (fraction() < 0.3)
          tie(one, other, tie_kind::vouch);
        if (fraction() < 0.2)
          tie(other, one, tie_kind::vouch);
        if (fraction() < 0.5)
          tie(anybody(), one, tie_kind::upvote);
      }
    }
    for (int team = 0; team < 50; ++team) {
      const auto first = up_to(size_.profiles - 10);
      const auto size = 3 + up_to(5);
      for (auto a = first; a < first + size; ++a)
        for (auto b = first; b < first + size; ++b)
          if (a != b && fraction() < 0.8)
            tie(a, b, tie_kind::vouch);
    }
  }

  traffic_size size_;
  std::mt19937 random_;
  std::vector<double> weights_;
  std::discrete_distribution<std::int32_t> popularity_;
  std::vector<std::set<std::int32_t>> voted_; // project and month, by voter
  acts acts_;
};

/// How a ring goes about it.
struct ring_habits {
  std::int32_t size = 12;
  std::int32_t moments = 8;
  double takes_part = 1; // of each member in each moment
  double spread_s = 2;   // from the first vote of a moment to the last one
  bool unpopular = true; // it votes on what hardly anybody else votes on
  bool newcomers = true;
  bool reciprocal = true;
};

/// Puts a ring into what others did; tells who is in it.
inline std::vector<std::int32_t> plant(acts& into, const ring_habits& how, const traffic_size& size,
                                       std::uint32_t seed) {
  std::mt19937 random{seed};
  const auto fraction = [&] { return std::uniform_real_distribution<>{}(random); };
  std::vector<std::int32_t> ring;
  const auto joined_at = honest_traffic::start + 10 * honest_traffic::day_s;
  for (std::int32_t i = 0; i < how.size; ++i) {
    const auto who = size.profiles / 2 + i * 7;
    ring.push_back(who);
    if (how.newcomers)
      into.people[static_cast<std::size_t>(who) - 1].second = joined_at + static_cast<std::uint32_t>(i) * 40;
  }
  for (std::int32_t i = 0; i < how.moments; ++i) {
    const auto project = how.unpopular ? size.projects - i : 1 + i;
    const double at = joined_at + (2.0 + 2.5 * i + fraction()) * honest_traffic::day_s;
    for (const auto who : ring)
      if (fraction() < how.takes_part)
        into.votes.push_back({who, vote_seen::cause_of({project}, i % 4 != 0),
                              static_cast<std::uint32_t>(at + how.spread_s * fraction())});
  }
  if (how.reciprocal)
    for (std::size_t i = 0; i < ring.size(); ++i)
      for (const std::size_t next : {1, 2})
        for (const auto kind : {tie_kind::review, tie_kind::vouch}) {
          const auto other = ring[(i + next) % ring.size()];
          into.ties.push_back({ring[i], other, kind, joined_at});
          into.ties.push_back({other, ring[i], kind, joined_at});
        }
  return ring;
}

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
