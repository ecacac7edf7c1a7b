#include "http/server/route_table.hpp"

#include "http/routes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace credence::http {
namespace {

void nothing(call&) {}

constexpr route table[]{
  {method::get, "/api/v2/things", access::open, scope::none, nothing},
  {method::post, "/api/v2/things/{id}", access::bearer, scope::none, nothing, needs::data, quota_class::derived,
   "2026-10-01 2027-04-01 https://example.org/why"},
  {method::get, "/api/v1/old", access::open, scope::none, nothing},
};

TEST(Deprecations, TellsSinceWhenAndUntilWhen) {
  std::string why;
  EXPECT_EQ(parse_deprecation("2026-10-01", why)->head(), "Deprecation: @1790812800\r\n");
  EXPECT_EQ(parse_deprecation("2026-10-01 2027-04-01", why)->head(),
            "Deprecation: @1790812800\r\nSunset: Thu, 01 Apr 2027 00:00:00 GMT\r\n");
  EXPECT_EQ(parse_deprecation(" 2026-10-01  https://example.org/a?b ", why)->head(),
            "Deprecation: @1790812800\r\nLink: <https://example.org/a?b>; rel=\"deprecation\"\r\n");
}

TEST(Deprecations, SaysWhatIsWrongWithALine) {
  const std::vector<std::string> listed{
    "GET /api/v2/thing 2026-10-01",
    "get /api/v2/things 2026-10-01",
    "GET /api/v2/things",
    "GET /api/v2/things 2026-02-30",
    "GET /api/v2/things 2026-10-01 2026-09-30",
    "GET /api/v2/things 2026-10-01 ftp://example.org",
    "GET /api/v2/things 2026-10-01 2027-04-01 https://example.org more",
    "GET /api/v2/things 2026-10-01 https://example.org/<>",
    "",
    "GET /api/v2/things 2026-10-01 2026-10-01 http://example.org",
  };
  const auto mistakes = deprecation_mistakes(listed, table);
  ASSERT_EQ(mistakes.size(), 9u);
  EXPECT_EQ(mistakes[0], "'GET /api/v2/thing 2026-10-01' names no endpoint; did you mean GET /api/v2/things?");
  EXPECT_NE(mistakes[2].find("a day such as"), std::string::npos);
  EXPECT_NE(mistakes[4].find("sunset comes before"), std::string::npos);
  EXPECT_THROW((route_table{table, listed}), std::invalid_argument);
}

TEST(Deprecations, FindsWhatIsKnownOfARoute) {
  const std::vector<std::string> listed{"GET /api/v2/things 2026-01-01"};
  EXPECT_FALSE(deprecation_of(table[0], {}));
  EXPECT_EQ(deprecation_of(table[0], listed)->head(), "Deprecation: @1767225600\r\n");
  EXPECT_EQ(deprecation_of(table[1], listed)->link, "https://example.org/why");
  EXPECT_TRUE(deprecation_of(table[2], {})) << "all of v1 is deprecated";
  const std::vector<std::string> later{"POST /api/v2/things/{id} 2026-01-01", "GET /api/v1/old 2026-02-01 2026-12-01"};
  EXPECT_EQ(deprecation_of(table[1], later)->link, "") << "a setting wins over the table";
  EXPECT_TRUE(deprecation_of(table[2], later)->sunset);
}

TEST(Deprecations, AreWellFormedInTheTableOfTheService) {
  for (const auto& each : routes()) {
    std::string why;
    EXPECT_TRUE(each.deprecated.empty() || parse_deprecation(each.deprecated, why)) << each.path << ": " << why;
  }
}

} // namespace
} // namespace credence::http
