#include "http/call/media.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

TEST(Media, AcceptsJsonUnlessTheClientExcludesIt) {
  for (const auto* yes :
       {"", "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "APPLICATION/JSON", "application/json;q=0.001",
        "text/html,application/json;charset=utf-8", "*/*;q=0, application/json", " , application/json ,", "application/*;q=0, application/json"})
    EXPECT_TRUE(accepts_json(yes)) << yes;
  for (const auto* no : {"text/html", "application/xml", "application/json;q=0", "application/json; q=0.000, */*", "*/*;q=0",
                         "application/*;q=0, */*", "application/jsonx", "text/*", "json"})
    EXPECT_FALSE(accepts_json(no)) << no;
}

TEST(Media, KnowsJsonWithAnyParameters) {
  for (const auto* yes : {"application/json", "application/json; charset=utf-8", "Application/JSON", "application/json ;x"})
    EXPECT_TRUE(is_json(yes)) << yes;
  for (const auto* no :
       {"", "text/plain", "application/json2", "application/problem+json", "application/x-www-form-urlencoded", "text/json", "application / json"})
    EXPECT_FALSE(is_json(no)) << no;
}

} // namespace
} // namespace credence::http
