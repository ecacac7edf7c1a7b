#include "http/api/people/user_cards.hpp"
#include "http/call/parameters.hpp"

#include <gtest/gtest.h>

#include <new>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using pass = user_cards::pass;

people::user_ptr somebody(std::int32_t profile, std::string name = "someone") {
  people::user out;
  out.id = user_id{profile + 1000};
  out.profile = profile_id{profile};
  out.display_name = std::move(name);
  return std::make_shared<const people::user>(std::move(out));
}

struct UserCards : testing::Test {
  people::people_index known;
  user_cards cards{known, {}};
  timestamp now = parse("2026-10-20T12:00:00Z");

  static timestamp parse(std::string_view text) { return parse_moment(text, day_edge::start).value(); }

  /// A page of these profiles as one pass writes it.
  std::string page(pass which, const std::vector<std::int32_t>& who) {
    std::string out;
    json_writer to{out};
    cards.begin(which, now);
    to.begin_array();
    for (const auto each : who)
      cards.write(to, profile_id{each});
    to.end_array();
    return out;
  }
  void fetch(const std::vector<people::user_ptr>& came) {
    const auto missing = cards.take_missing();
    cards.begin(pass::second, now);
    cards.take(missing, came);
  }
};

TEST_F(UserCards, AsksOnceForEverybodyMissingAndThenKnowsThem) {
  EXPECT_EQ(page(pass::first, {2, 1, 2}), "[]");
  EXPECT_TRUE(cards.missed());
  fetch({somebody(1, "one"), somebody(2, "two")});
  const auto second = page(pass::second, {2, 1, 2});
  EXPECT_LT(second.find("\"two\""), second.find("\"one\""));
  EXPECT_EQ(page(pass::first, {2, 1, 2}), second);
  EXPECT_FALSE(cards.missed());
}

TEST_F(UserCards, AsksAgainWhenTheIndexHasANewerVersion) {
  page(pass::first, {1});
  fetch({somebody(1, "before")});
  known.publish({profile_id{1}, 1500, true});
  EXPECT_NE(page(pass::second, {1}).find("before"), std::string::npos) << "a second pass takes what is there";
  page(pass::first, {1});
  EXPECT_TRUE(cards.missed());
  fetch({somebody(1, "after")});
  EXPECT_NE(page(pass::first, {1}).find("after"), std::string::npos);
}

TEST_F(UserCards, AsksAgainWhenTheUserChangedWhileBeingFetched) {
  page(pass::first, {1});
  const auto missing = cards.take_missing();
  known.publish({profile_id{1}, 1500, true});
  cards.begin(pass::second, now);
  cards.take(missing, std::vector{somebody(1)});
  page(pass::first, {1});
  EXPECT_TRUE(cards.missed());
}

TEST_F(UserCards, AsksAgainAfterAMinute) {
  page(pass::first, {1});
  fetch({somebody(1)});
  now += 60s;
  page(pass::first, {1});
  EXPECT_FALSE(cards.missed());
  now += 1s;
  page(pass::first, {1});
  EXPECT_TRUE(cards.missed());
}

TEST_F(UserCards, RemembersThatThereIsNoSuchUser) {
  page(pass::first, {5});
  fetch({nullptr});
  EXPECT_EQ(page(pass::second, {5}), "[]");
  EXPECT_EQ(page(pass::first, {5}), "[]");
  EXPECT_FALSE(cards.missed());
}

TEST_F(UserCards, LetsGoOfTheCardsUsedLongestAgo) {
  user_cards few{known, {}, 4000};
  std::string out;
  for (int i = 1; i <= 20; ++i) {
    out.clear();
    json_writer to{out};
    few.begin(pass::first, now);
    to.begin_array();
    if (i > 1)
      few.write(to, profile_id{1}); // used all along
    const bool first_known = !few.missed();
    EXPECT_TRUE(first_known || i == 1);
    few.write(to, profile_id{i});
    const auto missing = few.take_missing();
    few.begin(pass::second, now);
    few.take(missing, std::vector{somebody(i)});
  }
  few.begin(pass::first, now);
  EXPECT_LE(few.bytes(), 4000u);
  EXPECT_GT(few.bytes(), 2000u);
  json_writer to{out};
  to.begin_array();
  EXPECT_FALSE(few.write(to, profile_id{2}));
}

TEST_F(UserCards, CopiesMembersAboutSomethingForAsLongAsItIsTheSame) {
  int encoded = 0;
  const auto text_by = [&](user_cards& by, const std::shared_ptr<const std::string>& of, std::size_t part) {
    std::string out;
    json_writer to{out};
    by.begin(pass::first, now);
    to.begin_object();
    to.field("before", 1);
    by.write_members(to, of, part, [&](json_writer& fresh) {
      ++encoded;
      fresh.field("part", part);
      fresh.field("text", *of);
    });
    to.field("after", 2);
    to.end_object();
    return out;
  };
  const auto text = [&](const std::shared_ptr<const std::string>& of, std::size_t part) {
    return text_by(cards, of, part);
  };
  const auto thing = std::make_shared<const std::string>("a \"quoted\" one");
  const std::string first = R"({"before":1,"part":0,"text":"a \"quoted\" one","after":2})";
  EXPECT_EQ(text(thing, 0), first);
  EXPECT_EQ(text(thing, 0), first);
  EXPECT_EQ(encoded, 1) << "the second answer copies";
  EXPECT_EQ(text(thing, 1), R"({"before":1,"part":1,"text":"a \"quoted\" one","after":2})") << "each part by itself";
  EXPECT_EQ(text(std::make_shared<const std::string>("another"), 0),
            R"({"before":1,"part":0,"text":"another","after":2})");
  EXPECT_EQ(encoded, 3);
  now = parse("2027-10-20T12:00:00Z");
  EXPECT_EQ(text(thing, 0), first);
  EXPECT_EQ(encoded, 4) << "a user in it may be written otherwise by now";
  user_cards few{known, {}, 40'000};
  for (int i = 0; i < 100; ++i) {
    const auto many = std::make_shared<const std::string>(1000, 'x');
    EXPECT_EQ(text_by(few, many, 2), R"({"before":1,"part":2,"text":")" + *many + R"(","after":2})");
    EXPECT_LE(few.bytes(), 10'000u) << "a quarter of all cards";
  }
  EXPECT_GT(few.bytes(), 2000u);
}

/// What is encoded may be of several things, and one that cannot be encoded leaves nothing behind.
TEST_F(UserCards, MembersMayBeMadeOfMembersAndFail) {
  const auto outer = std::make_shared<const int>(1);
  const auto inner = std::make_shared<const int>(2);
  cards.begin(pass::first, now);
  const auto write = [&](bool fails) {
    std::string out;
    json_writer to{out};
    to.begin_object();
    cards.write_members(to, outer, 0, [&](json_writer& fresh) {
      fresh.field("outer", 1);
      cards.write_members(fresh, inner, 0, [&](json_writer& deeper) { deeper.field("inner", 2); });
      if (fails)
        throw std::bad_alloc{};
    });
    to.end_object();
    return out;
  };
  EXPECT_THROW(write(true), std::bad_alloc);
  EXPECT_EQ(write(false), R"({"outer":1,"inner":2})");
  EXPECT_EQ(write(true), R"({"outer":1,"inner":2})") << "kept by then";
}

TEST_F(UserCards, DropsTheDeprecatedVouchStatisticsByTheClock) {
  page(pass::first, {1});
  fetch({somebody(1)});
  EXPECT_NE(page(pass::first, {1}).find("\"vouch\":"), std::string::npos);
  now = parse("2026-10-20T23:59:59Z");
  page(pass::first, {1});
  fetch({somebody(1)});
  now = parse("2026-10-21T00:00:00Z");
  page(pass::first, {1});
  EXPECT_TRUE(cards.missed());
  fetch({somebody(1)});
  EXPECT_EQ(page(pass::first, {1}).find("\"vouch\":"), std::string::npos);

  settings::http keep;
  keep.keep_stats_vouch = true;
  user_cards keeping{known, keep};
  std::string out;
  json_writer to{out};
  keeping.begin(pass::first, now);
  keeping.write(to, *somebody(1));
  EXPECT_NE(out.find("\"vouch\":"), std::string::npos);
}

using people::lookup_key;

lookup_key profile(std::int32_t number) { return {.how = lookup_key::form::profile, .number = number}; }
people::found_person person(std::int32_t user) { return {user_id{user}, std::nullopt, 1500, 0}; }

struct KnownKeys : testing::Test {
  steady_time now{1h};
  known_keys keys{3};
  bool knows(const lookup_key& key) { return keys.find(key, now) != nullptr; }
};

TEST_F(KnownKeys, KeepsWhatWasFoundForSomeSeconds) {
  EXPECT_FALSE(knows(profile(1)));
  keys.take(profile(1), person(11), now);
  now += 10s;
  ASSERT_TRUE(knows(profile(1)));
  EXPECT_EQ(keys.find(profile(1), now)->user, user_id{11});
  now += 1ms;
  EXPECT_FALSE(knows(profile(1)));
  keys.take(profile(1), person(12), now);
  EXPECT_EQ(keys.find(profile(1), now)->user, user_id{12});
  EXPECT_EQ(keys.size(), 1u);
}

TEST_F(KnownKeys, RemembersThatNobodyWasThere) {
  keys.take(profile(1), {}, now);
  ASSERT_TRUE(knows(profile(1)));
  EXPECT_FALSE(*keys.find(profile(1), now));
}

TEST_F(KnownKeys, LetsGoOfWhatWasFoundLongestAgo) {
  for (int i = 1; i <= 3; ++i)
    keys.take(profile(i), person(i), now += 1ms);
  keys.take(profile(1), person(1), now);
  keys.take(profile(4), person(4), now);
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_TRUE(knows(profile(1)));
  EXPECT_FALSE(knows(profile(2)));
  EXPECT_TRUE(knows(profile(4)));
}

TEST_F(KnownKeys, TellsFormsAndServicesApart) {
  const auto account = [](people::account_service service) {
    return lookup_key{.how = lookup_key::form::account, .service = service, .text = "7"};
  };
  keys.take(account(people::account_service::x), person(1), now);
  EXPECT_FALSE(knows(account(people::account_service::discord)));
  EXPECT_FALSE(knows({.how = lookup_key::form::x_handle, .text = "7"}));
  EXPECT_FALSE(knows(profile(7)));
}

} // namespace
} // namespace credence::http
