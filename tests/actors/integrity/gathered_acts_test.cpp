#include "actors/integrity/acts.hpp"

#include <gtest/gtest.h>

namespace credence::integrity {
namespace {

std::vector<vote_seen> votes_at(std::uint32_t from, std::uint32_t to) {
  std::vector<vote_seen> out;
  for (auto second = from; second < to; ++second)
    out.push_back({1, 2, second});
  return out;
}

TEST(GatheredActs, LeaveOutWhatIsTooOld) {
  gathered_acts all{100};
  all.add(votes_at(90, 110));
  EXPECT_EQ(all.take().votes.size(), 10u);
}

TEST(GatheredActs, KeepTheNewestVotesWhereThereAreTooMany) {
  gathered_acts all{0, 100};
  all.add(votes_at(0, 101));
  EXPECT_GT(all.since(), 40u);
  EXPECT_LT(all.since(), 60u);
  const auto since = all.since();
  all.add(votes_at(0, 101)); // of another project: as old as those that went, or newer
  const auto kept = all.take().votes;
  EXPECT_EQ(kept.size(), 2 * (101 - since));
  for (const auto& each : kept)
    EXPECT_GE(each.second, since);
}

TEST(GatheredActs, KeepAsManyTiesAsTheyMay) {
  gathered_acts all{0, 100, 3};
  all.add(std::vector<tie_seen>{{1, 2}, {2, 3}});
  all.add(std::vector<tie_seen>{{3, 4}, {4, 5}});
  all.add(std::vector<tie_seen>{{5, 6}});
  EXPECT_EQ(all.take().ties.size(), 3u);
}

} // namespace
} // namespace credence::integrity
