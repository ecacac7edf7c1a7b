#include "http/admin/series.hpp"
#include "tests/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace credence::http::admin {
namespace {

constexpr std::int64_t fortnight = kept_series::minutes_kept * 60;
constexpr std::int64_t begin = 1'790'000'040; // a whole minute

/// What a second or minute had, whose route and client both took all requests.
series_point step_of(kept_series& to, std::int64_t at, std::uint32_t requests, const std::string& client = "web") {
  series_point out;
  out.at = static_cast<std::uint32_t>(at);
  out.counted_ms = 1000;
  out.requests = requests;
  out.p99_us = requests * 10;
  out.routes[0] = {to.number_of(kept_series::named::route, "GET /api/v2/projects"), requests, 0, 1, requests * 10};
  out.clients[0] = {to.number_of(kept_series::named::client, client), requests, 0, 1, 1};
  return out;
}

TEST(KeptSeries, TakeTheSameRoomAfterAFortnight) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  const auto end = begin + fortnight + 3 * 3600;
  {
    kept_series all{file};
    ASSERT_TRUE(all.outlives_process());
    for (auto at = begin; at < end; at += 60)
      all.add_minute(step_of(all, at, 60));
    for (auto at = end - 2 * kept_series::seconds_kept; at < end; ++at)
      all.add_second(step_of(all, at, 1));
    for (int i = 0; i < 3000; ++i)
      all.mark(timestamp{std::chrono::seconds{begin + i}}, mark_kind::act, "somebody: PUT store/intake");
    EXPECT_EQ(std::filesystem::file_size(file), kept_series::bytes());
  }
  EXPECT_EQ(std::filesystem::file_size(file), kept_series::bytes());
  EXPECT_LT(kept_series::bytes(), 12u << 20);

  const kept_series again{file};
  const auto hour = again.read({end - 3600, end, {}, {}, 4000}, end);
  EXPECT_EQ(hour.step.count(), 1);
  EXPECT_EQ(hour.values.size(), 3600u);
  const auto all_of_it = again.read({end - fortnight, end, {}, {}}, end);
  ASSERT_FALSE(all_of_it.values.empty());
  EXPECT_LE(all_of_it.values.size(), 601u);
  std::int64_t requests = 0;
  for (const auto& each : all_of_it.values)
    requests += each.requests;
  EXPECT_EQ(requests, fortnight) << "one in each second, however they are put together";
  EXPECT_TRUE(again.read({begin - 100, begin + 60, {}, {}}, end).values.empty()) << "older than a fortnight";
}

TEST(KeptSeries, TellRoutesAndClientsApart) {
  kept_series all{""};
  EXPECT_FALSE(all.outlives_process());
  auto busy = step_of(all, begin, 5, "web");
  busy.clients[1] = {all.number_of(kept_series::named::client, "bot"), 2, 0, 2, 2};
  busy.requests = 7;
  all.add_second(busy);
  const auto whole = all.read({begin, begin + 1, {}, {}}, begin + 1);
  ASSERT_EQ(whole.clients.size(), 2u);
  EXPECT_EQ(whole.clients[1].name, "bot");
  EXPECT_EQ(whole.clients[1].limited, 2);
  EXPECT_EQ(whole.routes.at(0).name, "GET /api/v2/projects");
  EXPECT_EQ(whole.routes.at(0).p99_us, 50);
  const auto of_bot = all.read({begin, begin + 1, {}, "bot"}, begin + 1);
  ASSERT_EQ(of_bot.values.size(), 1u);
  EXPECT_EQ(of_bot.values[0].requests, 2u);
  EXPECT_EQ(of_bot.values[0].limited, 2u);
  const auto of_nobody = all.read({begin, begin + 1, {}, "nobody"}, begin + 1);
  EXPECT_EQ(of_nobody.values.at(0).requests, 0u);
  const auto of_no_route = all.read({begin, begin + 1, "GET /nothing", {}}, begin + 1);
  EXPECT_EQ(of_no_route.values.at(0).p99_us, series_point::unknown) << "nothing was answered";
}

/// A server that is started again within a minute adds to it.
TEST(KeptSeries, PutTwoPartsOfAMinuteTogether) {
  kept_series all{""};
  all.add_minute(step_of(all, begin, 3));
  all.add_minute(step_of(all, begin, 4));
  const auto now = begin + 7200;
  const auto found = all.read({begin, begin + 60, {}, {}}, now);
  ASSERT_EQ(found.values.size(), 1u);
  EXPECT_EQ(found.values[0].requests, 7u);
  EXPECT_EQ(found.values[0].counted_ms, 2000u);
  EXPECT_EQ(found.values[0].p99_us, 40u);
  EXPECT_EQ(found.routes.at(0).requests, 7);
}

TEST(KeptSeries, GiveUpNamesThatNoStepHas) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  {
    kept_series before{file};
    for (std::size_t i = 1; i < kept_series::names_kept; ++i)
      EXPECT_GT(before.number_of(kept_series::named::client, "client " + std::to_string(i)), 0u);
    before.add_second(step_of(before, begin, 1, "client 7"));
  }
  kept_series all{file};
  const auto route = all.number_of(kept_series::named::route, "GET /api/v2/projects");
  EXPECT_GT(all.number_of(kept_series::named::client, "one more"), 0u);
  EXPECT_EQ(all.read({begin, begin + 1, {}, {}}, begin + 1).clients.at(0).name, "client 7");
  EXPECT_EQ(all.number_of(kept_series::named::route, "GET /api/v2/projects"), route);
}

/// A route that nobody has asked for goes on with its number.
TEST(KeptSeries, GiveNoNumberThatIsInUseToAnother) {
  kept_series all{""};
  const auto route = all.number_of(kept_series::named::route, "GET /api/v2/tips");
  for (std::size_t i = 0; i < 2 * kept_series::names_kept; ++i)
    EXPECT_NE(all.number_of(kept_series::named::client, "client " + std::to_string(i)), route);
  EXPECT_EQ(all.number_of(kept_series::named::route, "GET /api/v2/tips"), route);
}

/// Whoever copies a file over it, or empties it, must not end the server.
TEST(KeptSeries, OutliveAFileThatIsCutOff) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  {
    kept_series all{file};
    all.add_second(step_of(all, begin, 1));
    std::filesystem::resize_file(file, 0);
    all.add_second(step_of(all, begin + 1, 2));
    all.mark(timestamp{std::chrono::seconds{begin}}, mark_kind::act, "somebody: PUT store/intake");
    EXPECT_EQ(all.read({begin, begin + 2, {}, {}}, begin + 2).values.size(), 2u);
  }
  const kept_series again{file};
  EXPECT_TRUE(again.outlives_process());
  EXPECT_TRUE(again.read({begin, begin + 2, {}, {}}, begin + 2).values.empty()) << "it was begun anew";
}

TEST(KeptSeries, LeaveAFileThatAnotherServerHas) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  kept_series first{file};
  kept_series second{file};
  EXPECT_TRUE(first.outlives_process());
  EXPECT_FALSE(second.outlives_process());
  second.add_second(step_of(second, begin, 1));
  EXPECT_TRUE(first.read({begin, begin + 1, {}, {}}, begin + 1).values.empty());
}

TEST(KeptSeries, BeginAnewInAFileThatIsNoneOfTheirs) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  std::ofstream{file} << "something else";
  kept_series all{file};
  EXPECT_TRUE(all.outlives_process());
  EXPECT_EQ(all.newest(mark_kind::start), nullptr);
  EXPECT_TRUE(all.read({begin, begin + 3600, {}, {}}, begin + 3600).values.empty());
}

TEST(KeptSeries, ActsPushOutNoStartsAndStops) {
  const test::scratch_directory directory{"series"};
  const auto file = (directory.path() / "console.series").string();
  const auto at = [](std::int64_t second) { return timestamp{std::chrono::seconds{begin + second}}; };
  {
    kept_series all{file};
    all.mark(at(0), mark_kind::deployment, "version 1");
    for (int i = 1; i <= 3000; ++i)
      all.mark(at(i), mark_kind::act, "act " + std::to_string(i));
    all.mark(at(1500), mark_kind::alert, "told late");
    all.mark(at(3001), mark_kind::stop, "stopped");
  }
  const kept_series again{file};
  ASSERT_NE(again.newest(mark_kind::deployment), nullptr);
  EXPECT_EQ(again.newest(mark_kind::deployment)->words(), "version 1");
  EXPECT_EQ(again.newest(mark_kind::act)->words(), "act 3000");
  EXPECT_EQ(again.newest(mark_kind::start), nullptr);
  const auto found = again.read({begin, begin + 3600, {}, {}}, begin + 3600).marks;
  ASSERT_EQ(found.size(), 3 + marks_kept_of[static_cast<std::size_t>(mark_kind::act)]);
  EXPECT_EQ(found[0].words(), "version 1");
  EXPECT_EQ(found[1].words(), "told late") << "in the order of their times";
  EXPECT_EQ(found[2].words(), "act " + std::to_string(3001 - marks_kept_of[static_cast<std::size_t>(mark_kind::act)]));
  EXPECT_EQ(found.back().words(), "stopped");
}

TEST(KeptSeries, CutMarksBetweenCharacters) {
  kept_series all{""};
  all.mark(timestamp{std::chrono::seconds{begin}}, mark_kind::act, std::string(series_mark::text_max - 1, 'a') + "é");
  const auto found = all.read({begin, begin + 1, {}, {}}, begin + 1);
  ASSERT_EQ(found.marks.size(), 1u);
  EXPECT_EQ(found.marks[0].words(), std::string(series_mark::text_max - 1, 'a'));
}

} // namespace
} // namespace credence::http::admin
