#include "actors/score/score_facts.hpp"

#include "actors/score/score_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace credence::score {
namespace {

using std::chrono::days;
using enum direction;

constexpr day today{std::chrono::year{2026} / 11 / 22};
constexpr wei ether = wei_per_ether;

score_inputs after(std::initializer_list<input_change> changes) {
  score_inputs out;
  for (const auto& each : changes)
    apply(out, each);
  return out;
}

/// Changes of one user that do not depend on each other: each begins something of its own.
std::vector<input_change> independent(std::mt19937_64& random, int count) {
  std::vector<input_change> out;
  const auto below = [&](std::uint64_t end) { return static_cast<std::int32_t>(random() % end); };
  for (int i = 0; i < count; ++i)
    switch (random() % 7) {
      case 0: out.push_back(review_counted{in, static_cast<sentiment>(below(3)), below(2801)}); break;
      case 1:
        out.push_back(vouch_part_counted{in, {ether * (below(500) + 1) / 7, today - days{below(400)}}, today});
        break;
      case 2: out.push_back(voucher_counted{in}); break;
      case 3: out.push_back(mutual_voucher_counted{in}); break;
      case 4: out.push_back(unhealthy_counted{in}); break;
      case 5: out.push_back(vote_counted{in, random() % 2 == 0, below(8)}); break;
      default:
        out.push_back(penalty_counted{in, {slash_id{i + 1}, static_cast<penalty_reason>(below(4)), below(2801)}});
    }
  out.push_back(human_verification_set{true});
  out.push_back(first_seen_set{today - days{below(3000)}});
  out.push_back(x_account_set{random()});
  out.push_back(inviter_rescored{below(2801)});
  return out;
}

TEST(ScoreChanges, GiveTheSameInputsInAnyOrder) {
  std::mt19937_64 random{4};
  for (int round = 0; round < 200; ++round) {
    auto changes = independent(random, 60);
    score_inputs expected;
    for (const auto& each : changes)
      apply(expected, each);
    const auto score = breakdown_of(expected, today).score;
    for (int i = 0; i < 5; ++i) {
      std::shuffle(changes.begin(), changes.end(), random);
      score_inputs shuffled;
      for (const auto& each : changes)
        apply(shuffled, each);
      ASSERT_EQ(shuffled, expected) << "round " << round;
      ASSERT_EQ(breakdown_of(shuffled, today).score, score);
    }
  }
}

TEST(ScoreChanges, TakenBackLeaveWhatWasBefore) {
  const vouch_part part{3 * ether, today - days{10}};
  const penalty lost{slash_id{2}, penalty_reason::vouch, 20};
  auto inputs =
    after({review_counted{in, sentiment::positive, 1400}, vouch_part_counted{in, {ether, today - days{200}}, today},
           voucher_counted{in}, mutual_voucher_counted{in}, unhealthy_counted{in}, vote_counted{in, true, 3},
           penalty_counted{in, {slash_id{1}, penalty_reason::subject, 100}}});
  const auto before = inputs;
  const auto both_ways = [&](auto change) {
    apply(inputs, change);
    EXPECT_NE(inputs, before);
    change.way = reversed(change.way);
    apply(inputs, change);
    EXPECT_EQ(inputs, before);
  };
  both_ways(review_counted{in, sentiment::negative, 900});
  both_ways(vouch_part_counted{in, part, today});
  both_ways(vouch_part_counted{in, {ether, today - days{180}}, today});
  both_ways(voucher_counted{in});
  both_ways(mutual_voucher_counted{in});
  both_ways(unhealthy_counted{in});
  both_ways(vote_counted{in, false, 7});
  both_ways(penalty_counted{in, lost});
}

TEST(ScoreChanges, OfAnAuthorsScoreMoveTheReviewsOfThatAuthor) {
  auto inputs = after({review_counted{in, sentiment::positive, 1400}, review_counted{in, sentiment::positive, 1400},
                       review_counted{in, sentiment::positive, 900}});
  apply(inputs, reviewer_rescored{sentiment::positive, 2, 1400, 1650});
  EXPECT_EQ(inputs, after({review_counted{in, sentiment::positive, 1650}, review_counted{in, sentiment::positive, 1650},
                           review_counted{in, sentiment::positive, 900}}));
  apply(inputs, reviewer_rescored{sentiment::positive, 2, 1650, 0}); // archived
  EXPECT_EQ(inputs.of(sentiment::positive), (review_sums{3, 900}));
}

TEST(ScoreChanges, ThatCannotBeTrueAreRefusedAndChangeNothing) {
  const auto start =
    after({review_counted{in, sentiment::positive, 1400}, vouch_part_counted{in, {ether, today}, today},
           vote_counted{in, true, 3}, penalty_counted{in, {slash_id{1}, penalty_reason::subject, 100}}});
  const auto refuses = [&]<class Error>(const input_change& change, const Error&) {
    auto inputs = start;
    EXPECT_THROW(apply(inputs, change), Error) << "alternative " << change.index();
    EXPECT_EQ(inputs, start) << "alternative " << change.index();
  };
  const std::out_of_range range{""};
  const std::invalid_argument argument{""};
  refuses(review_counted{out, sentiment::neutral, 1400}, range);
  refuses(review_counted{out, sentiment::positive, 1401}, range); // the count would be right, the sum is not
  refuses(review_counted{in, sentiment::positive, -1}, range);
  refuses(review_counted{in, sentiment::positive, 2801}, range);
  refuses(reviewer_rescored{sentiment::positive, 2, 1400, 1500}, range);
  refuses(reviewer_rescored{sentiment::positive, 1, 1500, 0}, range);
  refuses(vouch_part_counted{in, {wei{}, today}, today}, range);
  refuses(vouch_part_counted{in, {vouch_part_max + 1, today}, today}, range);
  refuses(vouch_part_counted{in, {std::numeric_limits<wei>::max(), today}, today}, range);
  refuses(vouch_part_counted{in, {ether, day{} - days{1}}, today}, range);
  refuses(vouch_part_counted{out, {ether + 1, today}, today}, range);
  refuses(vouch_part_counted{out, {ether, today + days{1}}, today}, range); // the amount would be right, the day is not
  refuses(vouch_part_counted{out, {ether, today - days{300}}, today}, range);
  refuses(voucher_counted{out}, range);
  refuses(mutual_voucher_counted{out}, range);
  refuses(unhealthy_counted{out}, range);
  refuses(vote_counted{out, false, 3}, range);
  refuses(vote_counted{in, true, 8}, range);
  refuses(vote_counted{in, true, -1}, range);
  refuses(inviter_rescored{2801}, range);
  refuses(penalty_counted{in, {slash_id{2}, penalty_reason::author, 2801}}, range);
  refuses(penalty_counted{in, {slash_id{1}, penalty_reason::vouch, 20}}, argument);
  refuses(penalty_counted{out, {slash_id{1}, penalty_reason::subject, 99}}, argument);
  refuses(penalty_counted{out, {slash_id{2}, penalty_reason::subject, 100}}, argument);
  EXPECT_TRUE(is_countable({vouch_part_max, today}));
  auto full = start;
  full.of(sentiment::positive) = {std::numeric_limits<std::int64_t>::max(), 0};
  EXPECT_THROW(apply(full, review_counted{in, sentiment::positive, 0}), std::out_of_range) << "beyond 64 bits";
}

// -- days that go by ----------------------------------------------------------

TEST(VouchedEther, MaturesOnTheHundredAndEightiethDayWhateverItLiesBeside) {
  const std::vector<vouch_part> parts{
    {ether, today - days{180}}, {2 * ether, today - days{179}}, {4 * ether, today}, {8 * ether, today - days{900}}};
  score_inputs inputs;
  for (const auto& each : parts)
    apply(inputs, vouch_part_counted{in, each, today - days{1}});
  EXPECT_EQ(inputs.vouches.mature, 8 * ether) << "as of yesterday";
  advance(inputs, today, parts);
  EXPECT_EQ(inputs.vouches.mature, 9 * ether);
  EXPECT_EQ(inputs.vouches.young, 6 * ether);
  advance(inputs, today, parts);
  advance(inputs, today - days{5}, parts);
  EXPECT_EQ(inputs.vouches.mature, 9 * ether) << "a day is gone through once";
  advance(inputs, today + days{180}, parts);
  EXPECT_EQ(inputs.vouches, (vouch_sums{0, 0, 15 * ether, today + days{180}}));
}

TEST(VouchedEther, ThatBeginsLaterNeedsNoVisitForTheDaysWithoutAny) {
  score_inputs inputs; // no epoch has visited it: there was nothing young
  apply(inputs, vouch_part_counted{in, {ether, today}, today});
  EXPECT_EQ(inputs.vouches.as_of, today);
  EXPECT_EQ(wei_days(inputs.vouches, today + days{1}), ether);
}

/// Parts begin and end at any time, before and after the epoch has visited the sums of the day.
TEST(VouchedEther, IsTheSumOverItsPartsOnEveryDayAndWhenTheEpochComesLate) {
  std::mt19937_64 random{9};
  for (int round = 0; round < 20; ++round) {
    score_inputs inputs;
    std::vector<vouch_part> parts;
    for (day now = today; now < today + days{400}; now += days{1}) {
      const bool late = random() % 2 == 0;
      if (!late)
        advance(inputs, now, parts);
      for (auto changes = random() % 3; changes > 0; --changes)
        if (parts.empty() || random() % 3 != 0) {
          parts.push_back({ether * (random() % 90 + 1) / 13, now - days{random() % 8 == 0 ? random() % 300 : 0}});
          apply(inputs, vouch_part_counted{in, parts.back(), now});
        } else {
          const auto gone = parts.begin() + static_cast<std::ptrdiff_t>(random() % parts.size());
          apply(inputs, vouch_part_counted{out, *gone, now});
          parts.erase(gone);
        }
      wei expected;
      for (const auto& each : parts)
        expected += each.amount * std::min<std::int64_t>((now - each.day).count(), 180);
      ASSERT_EQ(wei_days(inputs.vouches, now), expected)
        << "round " << round << ", day " << (now - today).count() << (late ? ", before" : ", after");
      advance(inputs, now, parts);
      ASSERT_EQ(wei_days(inputs.vouches, now), expected);
    }
  }
}

} // namespace
} // namespace credence::score
