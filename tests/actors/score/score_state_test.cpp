#include "actors/score/influence.hpp"
#include "actors/score/score_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace credence::score {
namespace {

using std::chrono::days;

constexpr day today{std::chrono::year{2026} / 11 / 22};
constexpr wei ether = wei_per_ether;

std::string weighted(const breakdown& of, element which) { return decimal_text(of.of(which).weighted, 12); }
std::int32_t points(const breakdown& of, element which) { return of.of(which).points; }

breakdown scored(const score_inputs& inputs, score_options options = {}) {
  return breakdown_of(inputs, today, options);
}

/// A score of somebody of whom only one thing is known.
template <class Set>
breakdown with(Set set) {
  score_inputs inputs;
  set(inputs);
  return scored(inputs);
}

/// Ether times days, all of it by parts that are of the day `today`.
score_inputs with_wei_days(const wei& sum) {
  score_inputs inputs;
  inputs.vouches.as_of = today;
  inputs.vouches.young = sum;
  inputs.vouches.young_days = sum * (today - days{1}).time_since_epoch().count();
  return inputs;
}

TEST(Score, OfSomebodyOfWhomNothingIsKnownIsNeutral) {
  const auto nothing = scored({});
  EXPECT_EQ(nothing.score, 1200);
  for (const auto& each : nothing.elements) {
    EXPECT_EQ(each.points, 0);
    EXPECT_EQ(each.weighted, rational{});
  }
}

// -- samples of the public service --------------------------------------------

TEST(Score, ReviewsOfThePublicSampleGive193Points) {
  // 209 positive, 5 neutral and 1 negative, whose coefficients sum up to 136.4, 2.97 and 0.62.
  const auto sample = with([](score_inputs& to) {
    to.of(sentiment::positive) = {209, 286'440};
    to.of(sentiment::neutral) = {5, 6'237};
    to.of(sentiment::negative) = {1, 1'302};
  });
  EXPECT_EQ(decimal_text(sample.of(element::reviews).weighted, 2), "193.17");
  EXPECT_EQ(points(sample, element::reviews), 193);
  const auto& figures = sample.of(element::reviews).made_of;
  ASSERT_EQ(figures.size(), 6U);
  EXPECT_EQ(figures[0], (figure{"positive", std::int64_t{209}}));
  EXPECT_EQ(figures[3], (figure{"positiveCoefficients", rational{wei_change{1364}, uint256{10}}}));
  EXPECT_EQ(figures[4], (figure{"neutralCoefficients", rational{wei_change{297}, uint256{100}}}));
  EXPECT_EQ(figures[5], (figure{"negativeCoefficients", rational{wei_change{62}, uint256{100}}}));
}

TEST(Score, VouchedEtherOfThePublicSampleGives223Points) {
  const auto sample = scored(with_wei_days(*parse_wei("123865000000000000000"))); // 123.865 ether-days
  EXPECT_EQ(weighted(sample, element::vouched_ether), "223.157842057852");        // 223.16
  EXPECT_EQ(points(sample, element::vouched_ether), 223);
}

TEST(Score, VouchersOfThePublicSamplesGive102And94Points) {
  const auto sixteen = with([](score_inputs& to) { to.vouchers = 16; });
  EXPECT_EQ(weighted(sixteen, element::vouchers), "102.857142857142");
  EXPECT_EQ(points(sixteen, element::vouchers), 102);
  const auto fourteen = with([](score_inputs& to) { to.vouchers = 14; });
  EXPECT_EQ(weighted(fourteen, element::vouchers), "94.5");
  EXPECT_EQ(points(fourteen, element::vouchers), 94);
}

// -- ages ---------------------------------------------------------------------

struct age_row {
  int age;
  std::int32_t points;
};

TEST(Score, AddressesCountByTheDaysSinceTheOldestWasSeen) {
  for (const auto& [age, expected] : {age_row{-1, 0}, age_row{0, 0}, age_row{89, 0}, age_row{90, 1}, age_row{364, 1},
                                      age_row{365, 3}, age_row{1460, 3}, age_row{1461, 5}, age_row{9999, 5}}) {
    const auto aged = with([&, days_ago = age](score_inputs& to) { to.first_seen = today - days{days_ago}; });
    EXPECT_EQ(points(aged, element::address_age), expected) << age;
    EXPECT_EQ(aged.of(element::address_age).raw, rational{std::max(age, 0)});
  }
  EXPECT_EQ(scored({}).of(element::address_age).raw, rational{-1}) << "outside of every interval";
}

/// The first id that x.com gave out on a day.
std::uint64_t x_account_of(day opened) {
  const auto ms =
    std::chrono::duration_cast<std::chrono::milliseconds>(opened.time_since_epoch()).count() - 1'288'834'974'657;
  return static_cast<std::uint64_t>(ms) << 22;
}

TEST(Score, AccountsAtXCountByTheDayInTheirId) {
  for (const auto& [age, expected] :
       {age_row{-400, -250}, age_row{0, -250}, age_row{89, -250}, age_row{90, -50}, age_row{364, -50}, age_row{365, 0},
        age_row{729, 0}, age_row{730, 0}, age_row{1460, 0}, age_row{1461, 5}, age_row{4000, 5}}) {
    const auto aged =
      with([&, days_ago = age](score_inputs& to) { to.x_account = x_account_of(today - days{days_ago}); });
    EXPECT_EQ(points(aged, element::x_account_age), expected) << age;
    EXPECT_EQ(aged.of(element::x_account_age).raw, rational{std::max(age, 0)});
    EXPECT_EQ(aged.score, 1200 + expected);
  }
  EXPECT_EQ(points(scored({}), element::x_account_age), 0) << "no account is no young one";
}

TEST(XAccountId, TellsTheDayItWasOpened) {
  const auto known = opening_of(1541815603606036480); // 2022-06-28 16:07:40.105 UTC
  EXPECT_EQ(known.day, day{std::chrono::year{2022} / 6 / 28});
  EXPECT_TRUE(known.exact);
  for (const std::uint64_t id : {std::uint64_t{1}, std::uint64_t{12}, std::uint64_t{1'000'000'000'000}}) {
    EXPECT_EQ(opening_of(id).day, day{std::chrono::year{2015} / 12 / 31}) << id;
    EXPECT_FALSE(opening_of(id).exact) << id;
    EXPECT_EQ(points(with([&](score_inputs& to) { to.x_account = id; }), element::x_account_age), 5) << id;
  }
  EXPECT_TRUE(opening_of(1'000'000'000'001).exact);
  EXPECT_EQ(points(with([](score_inputs& to) { to.x_account = std::numeric_limits<std::uint64_t>::max(); }),
                   element::x_account_age),
            -250);
}

TEST(XAccountId, IsReadFromDigitsAlone) {
  EXPECT_EQ(parse_x_account("12"), 12U);
  EXPECT_EQ(parse_x_account("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const auto* text : {"", "0", "012", "-1", "+1", " 1", "1 ", "1x", "ada", "18446744073709551616"})
    EXPECT_FALSE(parse_x_account(text)) << text;
}

// -- opinions -----------------------------------------------------------------

TEST(Score, ReviewsCountByTheScoresOfTheirAuthorsToBothSides) {
  struct row {
    std::int64_t positive;
    std::int64_t negative;
    const char* weighted;
    std::int32_t points;
  };
  for (const auto& [positive, negative, text, expected] : {
         row{0, 0, "0", 0},
         row{2100, 2100, "0", 0},
         row{2100, 0, "4.90909090909", 4},      // 270 / 55
         row{0, 2100, "-14.545454545454", -14}, // -800 / 55, cut off towards zero
         row{113'400, 0, "135", 135},           // half the way at 54
         row{0, 113'400, "-400", -400},
         row{1, 0, "0.002380931385", 0},
         row{0, 1, "-0.007054611511", 0},
         row{std::numeric_limits<std::int64_t>::max(), 0, "269.999999999996", 269},
         row{0, std::numeric_limits<std::int64_t>::max(), "-799.99999999999", -799},
       }) {
    const auto reviewed = with([&, up = positive, down = negative](score_inputs& to) {
      to.of(sentiment::positive) = {1, up};
      to.of(sentiment::negative) = {1, down};
      to.of(sentiment::neutral) = {7, 9000}; // count nothing
    });
    EXPECT_EQ(weighted(reviewed, element::reviews), text) << positive << " and " << negative;
    EXPECT_EQ(points(reviewed, element::reviews), expected);
  }
}

TEST(Score, VotesCountByTheDifferenceOfTheirWeights) {
  struct row {
    std::int64_t up;
    std::int64_t down;
    const char* weighted;
    std::int32_t points;
  };
  for (const auto& [up, down, text, expected] :
       {row{0, 0, "0", 0}, row{7, 7, "0", 0}, row{50, 0, "25", 25}, row{0, 50, "-25", -25},
        row{1, 0, "0.980392156862", 0}, row{0, 1, "-0.980392156862", 0}, row{10'000'000, 0, "49.999750001249", 49},
        row{0, 10'000'000, "-49.999750001249", -49}}) {
    const auto voted = with([&, u = up, d = down](score_inputs& to) { to.votes_up = u, to.votes_down = d; });
    EXPECT_EQ(weighted(voted, element::votes), text) << up << " and " << down;
    EXPECT_EQ(points(voted, element::votes), expected);
  }
}

// -- vouches ------------------------------------------------------------------

TEST(Score, VouchersCountToTwoHundredAndSeventyAtMost) {
  struct row {
    std::int64_t vouchers;
    std::int32_t points;
    std::int32_t mutual_points;
  };
  for (const auto& [vouchers, expected, mutual] :
       {row{0, 0, 0}, row{1, 10, 9}, row{10, 75, 50}, row{26, 135, 72}, row{2'147'483'647, 269, 99}}) {
    const auto vouched = with([&, n = vouchers](score_inputs& to) { to.vouchers = to.mutual_vouchers = n; });
    EXPECT_EQ(points(vouched, element::vouchers), expected) << vouchers;
    EXPECT_EQ(points(vouched, element::mutual_vouches), mutual) << vouchers;
  }
}

TEST(Score, TheHardenedModelHalvesEtherDaysAndTakesThemMoreSlowly) {
  const auto inputs = with_wei_days(90 * ether);
  EXPECT_EQ(weighted(scored(inputs), element::vouched_ether), "209.482758620689");             // 270 * 90 / 116
  EXPECT_EQ(weighted(scored(inputs, {vouch_model::hardened}), element::vouched_ether), "135"); // 270 * 45 / 90
}

vouch_sums sums_of(std::initializer_list<vouch_part> parts, day as_of) {
  vouch_sums out;
  out.as_of = as_of;
  for (const auto& part : parts)
    if (is_mature(part.day, as_of)) {
      out.mature += part.amount;
    } else {
      out.young += part.amount;
      out.young_days += part.amount * part.day.time_since_epoch().count();
    }
  return out;
}

TEST(VouchedEther, GrowsEveryDayUntilTheHundredAndEightieth) {
  for (const auto& [age, counted_days] : {std::pair{0, 0}, {1, 1}, {179, 179}, {180, 180}, {181, 180}, {5000, 180}}) {
    const auto sums = sums_of({{3 * ether, today - days{age}}}, today);
    EXPECT_EQ(wei_days(sums, today), 3 * ether * counted_days) << age;
    EXPECT_EQ(wei_days(sums, today + days{1}), 3 * ether * std::min(counted_days + 1, 180)) << "a day later, " << age;
  }
  EXPECT_EQ(sums_of({{ether, today - days{179}}}, today).mature, 0);
  EXPECT_EQ(sums_of({{ether, today - days{180}}}, today).young, 0);
  EXPECT_EQ(
    wei_days(sums_of({{2 * ether, today - days{10}}, {ether, today - days{400}}, {5 * ether, today}}, today), today),
    ether * (20 + 180));
}

TEST(VouchedEther, IsNotWorkedOutFromSumsOfAnotherDay) {
  const auto young = sums_of({{ether, today - days{3}}}, today);
  EXPECT_THROW(wei_days(young, today - days{1}), std::out_of_range);
  EXPECT_THROW(wei_days(young, today + days{2}), std::out_of_range);
  EXPECT_EQ(wei_days(sums_of({{ether, today - days{300}}}, today), today + days{1000}), ether * 180)
    << "mature ones do not grow";
  EXPECT_THROW(wei_days(sums_of({{ether, today + days{1}}}, today), today), std::range_error) << "a part of tomorrow";
}

TEST(VouchedEther, OfAnAbsurdAmountIsCountedOrRefusedButNeverWrapsAround) {
  score_inputs most;
  most.vouches.as_of = today;
  most.vouches.young = most.vouches.mature =
    vouch_part_max * (std::uint64_t{1} << 62); // 2^62 parts of the largest size
  EXPECT_EQ(points(scored(most), element::vouched_ether), 269);
  EXPECT_EQ(points(scored(most, {vouch_model::hardened}), element::vouched_ether), 269);
  most.vouches.young = 0;
  most.vouches.mature = std::numeric_limits<uint256>::max();
  EXPECT_THROW(scored(most), std::overflow_error);
  most.vouches.mature = std::numeric_limits<uint256>::max() / 180;
  EXPECT_THROW(scored(most), std::overflow_error) << "not even when the product alone is too large";
}

// -- the rest -----------------------------------------------------------------

TEST(Score, UnhealthyVouchesCostTenPointsEachAndFiftyAtMost) {
  for (const auto& [vouches, expected] : {std::pair{0, 0}, {1, -10}, {5, -50}, {6, -50}, {1000, -50}}) {
    const auto marked = with([&, n = vouches](score_inputs& to) { to.unhealthy = n; });
    EXPECT_EQ(points(marked, element::unhealthy_vouches), expected) << vouches;
    EXPECT_EQ(marked.of(element::unhealthy_vouches).raw, rational{-10 * vouches});
  }
}

TEST(Score, PenaltiesOfPartiesAndOfSupportersAreTwoElements) {
  using enum penalty_reason;
  const auto punished = with([](score_inputs& to) {
    to.penalties = {
      {slash_id{3}, subject, 300}, {slash_id{4}, vouch, 20}, {slash_id{7}, author, 5}, {slash_id{9}, review, 4}};
  });
  EXPECT_EQ(points(punished, element::slashes), -305);
  EXPECT_EQ(points(punished, element::support), -24);
  EXPECT_EQ(punished.score, 1200 - 329);
  EXPECT_EQ(punished.of(element::slashes).made_of,
            (std::vector<figure>{{"count", std::int64_t{2}}, {"slashes", std::vector{slash_id{3}, slash_id{7}}}}));
  EXPECT_EQ(punished.of(element::support).made_of,
            (std::vector<figure>{{"count", std::int64_t{2}}, {"slashes", std::vector{slash_id{4}, slash_id{9}}}}));
}

TEST(Score, OfManySlashesTheLatestAreNamedAndAllAreCounted) {
  const auto punished = with([](score_inputs& to) {
    for (std::int32_t id = 1; id <= 250; ++id)
      to.penalties.push_back({slash_id{id}, penalty_reason::subject, 2});
  });
  EXPECT_EQ(points(punished, element::slashes), -500);
  const auto& figures = punished.of(element::slashes).made_of;
  EXPECT_EQ(figures[0], (figure{"count", std::int64_t{250}}));
  const auto& named = std::get<std::vector<slash_id>>(figures[1].value);
  ASSERT_EQ(named.size(), 100U);
  EXPECT_EQ(named.front(), slash_id{151});
  EXPECT_EQ(named.back(), slash_id{250});
}

TEST(Score, AHumanHasAHundredMore) {
  const auto human = with([](score_inputs& to) { to.human_verified = true; });
  EXPECT_EQ(points(human, element::human_verified), 100);
  EXPECT_EQ(human.score, 1300);
}

TEST(Score, AnInviterLendsAFortiethOfTheDistanceFromNeutral) {
  struct row {
    std::int32_t score;
    const char* raw;
    std::int32_t points;
  };
  for (const auto& [score, raw, expected] :
       {row{1200, "0", 0}, row{1240, "1", 1}, row{1271, "1.775", 1}, row{1129, "-1.775", -1}, row{1161, "-0.975", 0},
        row{2000, "20", 20}, row{2800, "40", 20}, row{400, "-20", -20}, row{0, "-30", -20}}) {
    const auto invited = with([&, s = score](score_inputs& to) { to.inviter_score = s; });
    EXPECT_EQ(decimal_text(invited.of(element::inviter).raw, 12), raw);
    EXPECT_EQ(points(invited, element::inviter), expected) << score;
  }
}

// -- the sum ------------------------------------------------------------------

TEST(Score, EndsAtZeroAndTheBreakdownSaysWhatThatGave) {
  const auto lowest = with([](score_inputs& to) {
    to.x_account = x_account_of(today);
    to.penalties = {{slash_id{1}, penalty_reason::subject, 2000},
                    {slash_id{2}, penalty_reason::author, 1500},
                    {slash_id{3}, penalty_reason::vouch, 200}};
  });
  EXPECT_EQ(decimal_text(lowest.of(element::slashes).raw, 0), "-3500");
  EXPECT_EQ(points(lowest, element::slashes), -2800);
  EXPECT_EQ(lowest.score, 0);
  EXPECT_EQ(points(lowest, element::limits), -(1200 - 250 - 2800 - 200));
  EXPECT_EQ(lowest.of(element::limits).made_of, (std::vector<figure>{{"sum", std::int64_t{-2050}}}));
}

TEST(Score, CannotRiseAbove2290WithTheElementsThatThereAre) {
  auto highest = people::neutral_score;
  for (const auto& each : element_rules)
    highest += each.max;
  EXPECT_EQ(highest, 2290);
  EXPECT_EQ(limits_rule.min, 1200 - 2290) << "the upper bound takes only from those who start higher than 1200";
}

class generator {
public:
  explicit generator(std::uint64_t seed) : bits_(seed) {}
  /// From 0 to `most`, every size as likely as any other.
  std::int64_t size(std::int64_t most) { return static_cast<std::int64_t>(bits_() >> 1 >> bits_() % 63) % (most + 1); }
  bool maybe() { return bits_() % 2 == 0; }

  score_inputs inputs() {
    score_inputs out;
    for (auto& each : out.reviews)
      each = {size(1'000'000), size(2'800'000'000)};
    out.vouches = {wei{bits_()} << bits_() % 65, 0, wei{bits_()} << bits_() % 65, today};
    out.vouches.young_days = out.vouches.young * (today - days{size(179)}).time_since_epoch().count();
    out.vouchers = size(1'000'000);
    out.mutual_vouchers = size(out.vouchers);
    out.votes_up = size(1'000'000);
    out.votes_down = size(1'000'000);
    out.unhealthy = size(100);
    for (std::int64_t i = size(4); i > 0; --i)
      out.penalties.push_back({slash_id{static_cast<std::int32_t>(5 - i)}, static_cast<penalty_reason>(size(3)),
                               static_cast<std::int32_t>(size(2800))});
    out.human_verified = maybe();
    if (maybe())
      out.first_seen = today - days{size(4000)};
    if (maybe())
      out.x_account = bits_() >> bits_() % 64;
    if (maybe())
      out.inviter_score = static_cast<std::int32_t>(size(2800));
    return out;
  }

private:
  std::mt19937_64 bits_;
};

TEST(Score, IsExactlyWhatItsElementsAddUpToWhateverTheFacts) {
  generator random{20261122};
  int limited = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto out =
      breakdown_of(random.inputs(), today + days{i % 2}, {i % 3 == 0 ? vouch_model::hardened : vouch_model::standard});
    auto sum = 1200;
    for (std::size_t at = 0; at < element_count; ++at) {
      const auto& each = out.elements[at];
      const auto& rule = rule_of(static_cast<element>(at));
      sum += each.points;
      EXPECT_GE(each.points, rule.min) << rule.name;
      EXPECT_LE(each.points, rule.max) << rule.name;
      EXPECT_EQ(each.points, each.weighted.truncated()) << rule.name;
      EXPECT_TRUE(each.weighted >= rule.min && each.weighted <= rule.max) << rule.name;
    }
    EXPECT_EQ(out.score, sum);
    EXPECT_GE(out.score, 0);
    EXPECT_LE(out.score, score_max);
    limited += out.of(element::limits).points != 0;
  }
  EXPECT_GT(limited, 100) << "the bound must have been reached by some";
  EXPECT_LT(limited, 9900);
}

constexpr day day_of_question{std::chrono::year{2026} / 11 / 23};

struct AssumedScore : testing::Test {
  breakdown shown() const { return breakdown_of(with_assumed(there, records, day_of_question), day_of_question); }
  std::int32_t points(element which) const { return shown().of(which).points; }
  score_inputs there;
  assumed_records records;
};

TEST_F(AssumedScore, IsTheScoreWhenNothingIsAssumed) {
  there.vouchers = 14;
  EXPECT_EQ(shown().score, 1294);
}

TEST_F(AssumedScore, AddsTheRecordsToThoseThatAreThere) {
  there.of(sentiment::positive) = {1, 2100 * 53};
  records.reviews = {{sentiment::positive, 2100}, {sentiment::neutral, 2000}};
  EXPECT_EQ(points(element::reviews), 135) << "270 * 54 / 108";
  records.reviews.push_back({sentiment::negative, 2100 * 1});
  EXPECT_EQ(points(element::reviews), 133) << "270 * 53 / 107";
  there.vouchers = 13;
  records.vouchers = 1;
  EXPECT_EQ(points(element::vouchers), 94);
  records.votes_up = 50;
  EXPECT_EQ(points(element::votes), 25);
  records.votes_down = 100;
  EXPECT_EQ(points(element::votes), -25);
}

TEST_F(AssumedScore, CountsEtherByItsAgeWhateverIsThere) {
  records.ether = ether;
  records.vouched = std::chrono::days{26};
  EXPECT_EQ(points(element::vouched_ether), 135);
  records.vouched = std::chrono::days{180};
  EXPECT_EQ(points(element::vouched_ether), 235) << "270 * 180 / 206";
  records.vouched = std::chrono::days{2000};
  EXPECT_EQ(points(element::vouched_ether), 235);
  there.vouches = {ether,
                   uint256{ether} * uint256{(day_of_question - std::chrono::days{10}).time_since_epoch().count()},
                   wei{0}, day_of_question - std::chrono::days{1}};
  records.vouched = std::chrono::days{180};
  EXPECT_EQ(points(element::vouched_ether), 237) << "270 * 190 / 216, of sums that are of yesterday";
}

TEST_F(AssumedScore, ASlashCostsNoMoreThanTheWholeScore) {
  records.slashed = 105;
  EXPECT_EQ(points(element::slashes), -105);
  there.penalties = {{slash_id{4}, penalty_reason::author, 20}};
  EXPECT_EQ(points(element::slashes), -125);
  there.penalties = {{slash_id{}, penalty_reason::subject, 20}};
  EXPECT_EQ(points(element::slashes), -125) << "a contract counts from 0";
  records.slashed = 1'000'000;
  EXPECT_EQ(shown().score, 0);
}

person profile(std::int32_t id, std::int32_t epoch_score) { return {user_id{id}, true, epoch_score}; }
review praise(std::int64_t number, std::int32_t author, std::int32_t subject) {
  return {number, user_id{author}, user_id{subject}, sentiment::positive};
}
vouch backing(std::int64_t number, std::int32_t author, std::int32_t subject) {
  return {{activity::vouch, number}, user_id{author}, user_id{subject}};
}

struct Influence : testing::Test {
  Influence() {
    all.people = {profile(1, 1200), profile(2, 1600), profile(3, 2000), profile(4, 900), profile(5, 1400)};
  }
  std::int64_t reach(std::int32_t user) { return reaches_from(all).at(user_id{user}); }
  facts all;
};

TEST_F(Influence, IsWhatFollowersExceedNeutralBy) {
  EXPECT_EQ(reach(1), 0) << "nobody follows";
  all.reviews = {praise(1, 2, 1), praise(2, 4, 1)};
  all.vouches = {backing(1, 3, 1)};
  EXPECT_EQ(reach(1), 400 + 800) << "who is below 1200 adds nothing and takes nothing";
  EXPECT_EQ(reach(2), 0) << "following somebody gives no reach";
}

TEST_F(Influence, CountsAFollowerOnce) {
  all.reviews = {praise(1, 2, 1), praise(2, 2, 1)};
  all.vouches = {backing(1, 2, 1)};
  EXPECT_EQ(reach(1), 400);
}

TEST_F(Influence, CountsOnlyWhoStandsBehindTheUserNow) {
  all.reviews = {praise(1, 2, 1), praise(2, 3, 1), praise(3, 5, 1), praise(4, 1, 1)};
  all.reviews[0].archived = true;
  all.reviews[1].how = sentiment::negative;
  EXPECT_EQ(reach(1), 200) << "nor does anybody follow oneself";
  all.votes = {{{activity::review, 3}, user_id{1}, false}};
  EXPECT_EQ(reach(1), 0) << "praise that its subject votes down is none";
  all.vouches = {backing(1, 3, 1), backing(2, 5, 1)};
  all.vouches[0].archived = true;
  EXPECT_EQ(reach(1), 200);
  all.people[4].live = false;
  EXPECT_EQ(reach(1), 0) << "an archived profile";
}

TEST_F(Influence, IsShownAsALogarithm) {
  EXPECT_EQ(influence_factor_of(0), 0);
  EXPECT_EQ(influence_factor_of(400), 0.693);
  EXPECT_EQ(influence_factor_of(1200), 1.386);
}

rational fraction(std::int64_t numerator, std::int64_t denominator) {
  return rational{wei_change{numerator}, uint256{denominator}};
}

TEST(Rational, IsKeptInLowestTermsSoThatEqualNumbersAreEqual) {
  EXPECT_EQ(fraction(4320, 42), fraction(720, 7));
  EXPECT_EQ(fraction(-6, 4), fraction(-3, 2));
  EXPECT_EQ(fraction(0, 9), rational{});
  EXPECT_EQ(fraction(84, 42), rational{2});
  EXPECT_NE(fraction(1, 3), fraction(-1, 3));
}

TEST(Rational, LosesWhatIsBehindThePointTowardsZero) {
  struct row {
    rational number;
    std::int64_t whole;
  };
  for (const auto& [number, whole] :
       {row{fraction(189, 2), 94}, row{fraction(-189, 2), -94}, row{fraction(999, 1000), 0},
        row{fraction(-999, 1000), 0}, row{fraction(2000, 1000), 2}, row{fraction(-2000, 1000), -2}, row{rational{}, 0}})
    EXPECT_EQ(number.truncated(), whole) << decimal_text(number, 12);
  EXPECT_EQ(rational{std::numeric_limits<std::int64_t>::min()}.truncated(), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(static_cast<void>(rational(wei_change{1} << 63, uint256{1}).truncated()), std::overflow_error);
}

TEST(Rational, ComparesWithWholeNumbers) {
  struct row {
    rational number;
    std::int64_t whole;
    std::strong_ordering order;
  };
  using enum_type = std::strong_ordering;
  for (const auto& [number, whole, order] :
       {row{fraction(1, 2), 0, enum_type::greater}, row{fraction(-1, 2), 0, enum_type::less},
        row{fraction(1, 2), 1, enum_type::less}, row{fraction(-1, 2), -1, enum_type::greater},
        row{fraction(-3, 2), -1, enum_type::less}, row{fraction(3, 2), 1, enum_type::greater},
        row{rational{5}, 5, enum_type::equal}, row{rational{-5}, -5, enum_type::equal},
        row{rational{}, 0, enum_type::equal}})
    EXPECT_EQ(number <=> whole, order) << decimal_text(number, 12) << " and " << whole;
}

TEST(Rational, IsWrittenExactlyWhenItEndsAndCutOffWhenItDoesNot) {
  struct row {
    rational number;
    int digits;
    const char* text;
  };
  for (const auto& [number, digits, text] :
       {row{fraction(4320, 42), 12, "102.857142857142"}, row{fraction(3780, 40), 12, "94.5"},
        row{fraction(-3780, 40), 12, "-94.5"}, row{rational{100}, 12, "100"}, row{rational{-100}, 12, "-100"},
        row{rational{}, 12, "0"}, row{fraction(1, 8), 3, "0.125"}, row{fraction(1, 8), 2, "0.12"},
        row{fraction(-1, 1000), 2, "0"}, row{fraction(2, 3), 5, "0.66666"}, row{fraction(-2, 3), 5, "-0.66666"},
        row{fraction(1001, 1000), 2, "1"}, row{fraction(19, 10), 0, "1"}, row{fraction(1, 1000), 12, "0.001"},
        row{fraction(100'100, 1000), 12, "100.1"}})
    EXPECT_EQ(decimal_text(number, digits), text);
  EXPECT_EQ(
    decimal_text(rational(wei_change{*parse_wei("123865000000000000001")}, *parse_wei("1000000000000000000")), 18),
    "123.865000000000000001");
}

TEST(Rational, TextReadBackIsOffByLessThanItsLastDigit) {
  std::mt19937_64 random{7};
  for (int i = 0; i < 5000; ++i) {
    const auto numerator = static_cast<std::int64_t>(random() >> 1 >> random() % 60) * (random() % 2 ? 1 : -1);
    const auto denominator = static_cast<std::int64_t>((random() >> 1 >> random() % 60) | 1);
    const auto text = decimal_text(fraction(numerator, denominator), 9);
    // Scaled by 10^9 the text is a whole number: compared with the quotient of the same scale.
    const auto sign = text.starts_with('-') ? 1U : 0U;
    const auto point = std::min(text.find('.'), text.size());
    auto behind = text.substr(std::min(point + 1, text.size()));
    behind.resize(9, '0');
    const auto scaled = *parse_wei(text.substr(sign, point - sign)) * 1'000'000'000 + std::stoull(behind);
    EXPECT_EQ(wei_change{scaled}, abs(wei_change{numerator} * 1'000'000'000 / denominator))
      << numerator << "/" << denominator << " gave " << text;
    EXPECT_EQ(sign == 1, numerator < 0 && scaled != 0);
  }
}

TEST(Rational, RefusesWhatItCannotHold) {
  const uint256 end = uint256{1} << 240;
  EXPECT_THROW(rational(wei_change{1}, uint256{0}), std::domain_error);
  EXPECT_THROW(rational(wei_change{1}, end), std::overflow_error);
  EXPECT_THROW(rational(-wei_change{end}, uint256{3}), std::overflow_error);
  const rational most{wei_change{end - 1}, end - 2};
  EXPECT_EQ(most.truncated(), 1);
  EXPECT_EQ(decimal_text(most, 12), "1"); // 1.000…, more zeros than twelve
  EXPECT_EQ(rational(wei_change{end}, end), rational{1}) << "lowest terms decide";
}

} // namespace
} // namespace credence::score
