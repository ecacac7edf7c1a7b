#include "http/call/parameters.hpp"

#include <gtest/gtest.h>

#include <array>

namespace credence::http {
namespace {

std::string iso(std::string_view text, day_edge alone = day_edge::start) {
  const auto when = parse_moment(text, alone);
  return when ? iso_text(*when) : "refused";
}

/// The one mistake that reading leads to.
template <class Read>
std::string mistake(const query_map& query, Read read) {
  parameters given{query};
  read(given);
  return given.good() ? "" : given.why().issues.size() == 1 ? given.why().detail : "several";
}

TEST(Parameters, ReadsPlainDecimalIntegersOnly) {
  for (const auto* text : {"0", "7", "-4", "2147483647", "9223372036854775807"})
    EXPECT_EQ(std::to_string(parse_integer(text).value_or(-99)), text);
  for (const auto* text :
       {"", " 1", "1 ", "+1", "01", "-0", "-", "1.0", "1e3", "0x10", "1_000", "9223372036854775808", "١", "NaN", "--1"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(Parameters, ReadsIso8601) {
  EXPECT_EQ(iso("2026-03-01"), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(iso("2026-03-01T12:00:00Z"), "2026-03-01T12:00:00.000Z");
  EXPECT_EQ(iso("2026-03-01T12:00:00.5Z"), "2026-03-01T12:00:00.500Z");
  EXPECT_EQ(iso("2026-03-01T12:00:00.123456789Z"), "2026-03-01T12:00:00.123Z");
  EXPECT_EQ(iso("2026-03-01T00:30:00+02:00"), "2026-02-28T22:30:00.000Z");
  EXPECT_EQ(iso("2024-02-29T23:59:59-05:30"), "2024-03-01T05:29:59.000Z");
}

TEST(Parameters, LetsADateAloneCoverItsWholeDay) {
  EXPECT_EQ(iso("2026-03-01", day_edge::end), "2026-03-01T23:59:59.999Z");
  EXPECT_EQ(parse_moment("2026-03-01", day_edge::end).value() + std::chrono::microseconds{1},
            parse_moment("2026-03-02", day_edge::start).value());
  EXPECT_EQ(iso("2026-03-01T12:00:00Z", day_edge::end), "2026-03-01T12:00:00.000Z") << "a time is a time";
}

TEST(Parameters, RefusesWhatOnlyLooksLikeADate) {
  for (const auto* text : {"",
                           "today",
                           "2026-3-1",
                           "2026-02-30",
                           "2025-02-29",
                           "2026-13-01",
                           "2026-00-10",
                           "2026-03-00",
                           "26-03-01",
                           "2026-03-01 12:00:00Z",
                           "2026-03-01T12:00:00",
                           "2026-03-01T12:00Z",
                           "2026-03-01T24:00:00Z",
                           "2026-03-01T12:60:00Z",
                           "2026-03-01T12:00:60Z",
                           "2026-03-01T12:00:00.Z",
                           "2026-03-01T12:00:00.1234567890Z",
                           "2026-03-01T12:00:00+0200",
                           "2026-03-01T12:00:00+24:00",
                           "2026-03-01T12:00:00 02:00",
                           "2026-03-01T12:00:00z",
                           "2026-03-01T12:00:00ZZ",
                           "+2026-03-01",
                           "-026-03-01",
                           "1772366400",
                           "2026-03-01Z",
                           "2026-03-01T"})
    EXPECT_FALSE(parse_moment(text, day_edge::start)) << text;
}

TEST(Parameters, NamesTheValueAndWhatWouldBeRight) {
  const auto limit = [](parameters& p) { p.integer_or("limit", 50, {0, 100}); };
  EXPECT_EQ(mistake({{"limit", "101"}}, limit), "limit must be an integer from 0 to 100, not '101'");
  EXPECT_EQ(mistake({{"limit", ""}}, limit), "") << "without a value it is absent";
  EXPECT_EQ(mistake({{"limit", ""}, {"limit", "7"}}, limit), "");
  EXPECT_EQ(mistake({{"limit", "1"}, {"limit", "2"}}, limit), "limit must be given once");
  EXPECT_EQ(mistake({{"limit", "100"}, {"other", "x"}}, limit), "");
  const auto choice = [](parameters& p) { p.choice("order", std::array<std::string_view, 2>{"asc", "desc"}); };
  EXPECT_EQ(mistake({{"order", "ASC"}}, choice), "order must be one of 'asc', 'desc', not 'ASC'");
  const auto moment = [](parameters& p) { p.moment("endDate", day_edge::end); };
  EXPECT_NE(mistake({{"endDate", "2026-03-01T12:00:00 02:00"}}, moment).find("%2B"), std::string::npos);
  EXPECT_EQ(mistake({{"endDate", ""}}, moment), "");
}

TEST(Parameters, CutsLongValuesBetweenCharacters) {
  std::string value(63, 'x');
  value += "ééé";
  const auto said = mistake({{"limit", value}}, [](parameters& p) { p.integer("limit"); });
  EXPECT_NE(said.find(std::string(63, 'x') + "…'"), std::string::npos) << said;
}

TEST(Parameters, FallsBackToTheDefaultWhenAbsent) {
  const query_map none;
  parameters given{none};
  EXPECT_EQ(given.integer_or("limit", 50, {0, 100}), 50);
  EXPECT_FALSE(given.text("userkey"));
  EXPECT_TRUE(given.good());
}

TEST(Parameters, ReadsArraysInEverySpelling) {
  const auto read = [](const query_map& query) {
    parameters given{query};
    auto out = given.integers("days", {1, 90}, 5);
    EXPECT_TRUE(given.good());
    return out;
  };
  const std::vector<std::int32_t> wanted{7, 1, 30};
  EXPECT_EQ(read({{"days", "7"}, {"days", "1"}, {"days", "30"}}), wanted);
  EXPECT_EQ(read({{"days[]", "7"}, {"days[]", "1"}, {"days[]", "30"}}), wanted);
  EXPECT_EQ(read({{"days", "7,1,30"}}), wanted);
  EXPECT_EQ(read({{"days", "7,1"}, {"days[]", "30"}, {"days", "7"}}), wanted) << "each once";
  EXPECT_EQ(read({{"daysx", "7"}, {"day", "7"}}), std::vector<std::int32_t>{});
}

TEST(Parameters, OfAListAreAllKnown) {
  const query_map query{{"ids[]", "1"}, {"limit", "5"}, {"typo", "7"}, {"empty", ""}, {"typo", "8"}, {"limit[]", "5"}};
  parameters given{query};
  given.integers("ids", {1, 9}, 2);
  read_page(given);
  EXPECT_EQ(given.why().issues, (std::vector<std::string>{"typo is not known here", "limit[] is not known here"}));
}

TEST(Parameters, RefusesBadArrays) {
  const auto days = [](parameters& p) { p.integers("days", {1, 90}, 5); };
  EXPECT_EQ(mistake({{"days", "1,2,3,4,5,6"}}, days), "days must have at most 5 items");
  EXPECT_EQ(mistake({{"days", "1,1,1,1,1,1"}}, days), "days must have at most 5 items");
  EXPECT_EQ(mistake({{"days", "91"}}, days), "each item of days must be an integer from 1 to 90, not '91'");
  EXPECT_EQ(mistake({{"days", "7,"}}, days), "each item of days must be an integer from 1 to 90, not ''");
}

TEST(Parameters, TellsEveryMistakeAtOnce) {
  const query_map query{{"limit", "x"}, {"offset", "-1"}};
  parameters given{query};
  given.integer_or("limit", 50, {0, 100});
  given.integer_or("offset", 0, {0, 100});
  given.required("projectId", "", [&] { return given.id<project_id>("projectId"); });
  const auto why = given.why();
  EXPECT_EQ(why.code, refusal_code::invalid_input);
  EXPECT_EQ(why.issues.size(), 3u);
  EXPECT_EQ(why.issues.back(), "projectId is required");
}

} // namespace
} // namespace credence::http
