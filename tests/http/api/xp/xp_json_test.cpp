#include "http/api/xp/xp.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_days monday = std::chrono::year{2026} / 1 / 5;

template <class Write>
std::string json(Write write) {
  std::string out;
  json_writer to{out};
  write(to);
  return out;
}

TEST(XpJson, TheCurrentSeasonIsTheOneThatHasBegunLast) {
  const std::vector<profile::xp_season> all{{1, "First", monday, monday + std::chrono::days{10}},
                                            {2, "Second", monday + std::chrono::days{10}}};
  const auto at = [&](timestamp now) { return json([&](json_writer& to) { encode_seasons(to, all, now); }); };
  const std::string both = R"({"seasons":[{"id":1,"name":"First","startDate":"2026-01-05T00:00:00.000Z"},)"
                           R"({"id":2,"name":"Second","startDate":"2026-01-15T00:00:00.000Z"}],"currentSeason":)";
  EXPECT_EQ(at(monday - 1us), both + "null}");
  EXPECT_EQ(at(monday), both + R"({"id":1,"name":"First","startDate":"2026-01-05T00:00:00.000Z","week":1}})");
  EXPECT_EQ(at(monday + std::chrono::days{7}),
            both + R"({"id":1,"name":"First","startDate":"2026-01-05T00:00:00.000Z","week":2}})");
  EXPECT_EQ(at(monday + std::chrono::days{10}),
            both + R"({"id":2,"name":"Second","startDate":"2026-01-15T00:00:00.000Z","week":1}})");
}

TEST(XpJson, WeeksEndWithTheirSeasonAndBeginWithTime) {
  const profile::xp_season cut{1, "First", monday, monday + std::chrono::days{10}};
  const auto weeks = [&](timestamp now) { return json([&](json_writer& to) { encode(to, season_weeks{cut, now}); }); };
  EXPECT_EQ(weeks(monday - 1us), "[]");
  EXPECT_EQ(weeks(monday + 1h),
            R"([{"week":1,"startDate":"2026-01-05T00:00:00.000Z","endDate":"2026-01-12T00:00:00.000Z"}])");
  EXPECT_EQ(weeks(monday + std::chrono::days{300}),
            R"([{"week":1,"startDate":"2026-01-05T00:00:00.000Z","endDate":"2026-01-12T00:00:00.000Z"},)"
            R"({"week":2,"startDate":"2026-01-12T00:00:00.000Z","endDate":"2026-01-15T00:00:00.000Z"}])");
  EXPECT_EQ(weeks_begun({{2, "Second", monday}, monday + std::chrono::days{21}}), 4) << "the newest goes on";
}

TEST(XpJson, OfWeeksWithoutPointsTellsThatThereAreNone) {
  const season_weeks in{{1, "First", monday}, monday + std::chrono::days{15}};
  EXPECT_EQ(json([&](json_writer& to) {
              encode_weekly(to, in, {{1, 30}, {3, -5}});
            }),
            R"([{"week":1,"weeklyXp":30,"cumulativeXp":30},{"week":2,"weeklyXp":0,"cumulativeXp":30},)"
            R"({"week":3,"weeklyXp":-5,"cumulativeXp":25}])");
}

TEST(XpJson, ARowOfTheLedgerSaysWhoIsOnTheOtherSide) {
  profile::ledger_page page;
  page.total = 2;
  page.slice = {50, 0};
  page.values.push_back({9, "XP_TIP_RECEIVED", 40, profile_id{7}, "thanks",
                         profile::tip_source{profile::tip_source_kind::review, 3}, monday, 1, 1});
  page.values.push_back({4, "CLAIM", 100, std::nullopt, std::nullopt, std::nullopt, monday, std::nullopt, 0});
  EXPECT_EQ(
    json([&](json_writer& to) { encode(to, page); }),
    R"({"values":[{"id":9,"type":"XP_TIP_RECEIVED","points":40,"metadata":{"profileId":7,"message":"thanks",)"
    R"("source":{"type":"review","id":3}},"createdAt":"2026-01-05T00:00:00.000Z","week":1,"xpSeasonId":1},)"
    R"({"id":4,"type":"CLAIM","points":100,"metadata":{},"createdAt":"2026-01-05T00:00:00.000Z","week":null,"xpSeasonId":null}],)"
    R"("total":2,"limit":50,"offset":0})");
}

} // namespace
} // namespace credence::http
