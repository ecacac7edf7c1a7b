#include "actors/people/people_index.hpp"

#include <gtest/gtest.h>

namespace credence::people {
namespace {

TEST(ScoreLevel, BeginsAndEndsWhereTheTableSays) {
  struct row {
    const char* level;
    std::int32_t first;
    std::int32_t last;
  };
  for (const auto& [level, first, last] :
       {row{"untrusted", 0, 799}, row{"questionable", 800, 1199}, row{"neutral", 1200, 1399}, row{"known", 1400, 1599},
        row{"established", 1600, 1799}, row{"reputable", 1800, 1999}, row{"exemplary", 2000, 2199},
        row{"distinguished", 2200, 2399}, row{"revered", 2400, 2599}, row{"renowned", 2600, 2800}}) {
    EXPECT_EQ(level_names[static_cast<std::size_t>(level_of(first))], level) << first;
    EXPECT_EQ(level_names[static_cast<std::size_t>(level_of(last))], level) << last;
  }
  EXPECT_EQ(level_of(neutral_score), score_level::neutral);
  EXPECT_EQ(level_of(-1), score_level::untrusted);
  EXPECT_EQ(level_of(1'000'000), score_level::renowned);
}

user somebody(std::int32_t score, std::optional<human_verification> verification, std::int32_t nfts) {
  user out;
  out.score = score;
  out.verification = verification;
  out.validator_nft_count = nfts;
  return out;
}

TEST(Verifier, NeedsScoreVerificationAndNftAndLosesTheRightByABlock) {
  using enum verifier_status;
  using enum human_verification;
  struct row {
    user who;
    bool is_blocked;
    bool human;
    bool score;
    verifier_status status;
  };
  for (const auto& [who, is_blocked, human, score, status] : {
         row{somebody(1601, verified, 1), false, true, true, verifier},
         row{somebody(1600, verified, 1), false, true, false, unqualified},
         row{somebody(1601, verified, 0), false, true, true, unqualified},
         row{somebody(1601, requested, 1), false, false, true, unqualified},
         row{somebody(1601, revoked, 1), false, false, true, unqualified},
         row{somebody(1601, pending, 1), false, false, true, unqualified},
         row{somebody(1601, std::nullopt, 1), false, false, true, unqualified},
         row{somebody(2800, verified, 1), true, true, true, blocked},
         row{somebody(0, std::nullopt, 0), true, false, false, blocked},
       }) {
    const auto found = verifier_qualification_of(who, is_blocked);
    EXPECT_EQ(found.human_verified, human);
    EXPECT_EQ(found.meets_score, score);
    EXPECT_EQ(found.status, status) << who.score;
  }
}

} // namespace
} // namespace credence::people
