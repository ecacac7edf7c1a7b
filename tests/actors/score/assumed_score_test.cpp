#include "actors/score/score_state.hpp"

#include <gtest/gtest.h>

namespace credence::score {
namespace {

constexpr day today{std::chrono::year{2026} / 11 / 23};
const wei ether{1'000'000'000'000'000'000};

class AssumedScore : public testing::Test {
protected:
  breakdown shown() const { return breakdown_of(with_assumed(there, records, today), today); }
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
  there.vouches = {ether, uint256{ether} * uint256{(today - std::chrono::days{10}).time_since_epoch().count()}, wei{0},
                   today - std::chrono::days{1}};
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

} // namespace
} // namespace credence::score
