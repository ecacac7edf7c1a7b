#include "http/call/media.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

TEST(Media, AcceptsJsonUnlessTheClientExcludesIt) {
  for (const auto* yes : {"", "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "APPLICATION/JSON",
                          "application/json;q=0.001", "text/html,application/json;charset=utf-8",
                          "*/*;q=0, application/json", " , application/json ,", "application/*;q=0, application/json"})
    EXPECT_TRUE(accepts_json(yes)) << yes;
  for (const auto* no : {"text/html", "application/xml", "application/json;q=0", "application/json; q=0.000, */*",
                         "*/*;q=0", "application/*;q=0, */*", "application/jsonx", "text/*", "json"})
    EXPECT_FALSE(accepts_json(no)) << no;
}

TEST(Media, KnowsJsonWithAnyParameters) {
  for (const auto* yes :
       {"application/json", "application/json; charset=utf-8", "Application/JSON", "application/json ;x"})
    EXPECT_TRUE(is_json(yes)) << yes;
  for (const auto* no : {"", "text/plain", "application/json2", "application/problem+json",
                         "application/x-www-form-urlencoded", "text/json", "application / json"})
    EXPECT_FALSE(is_json(no)) << no;
}

TEST(Media, GzipIsSentToThoseWhoTakeIt) {
  for (const auto* yes : {"gzip", "deflate, gzip;q=0.5", "GZIP", "x-gzip", "br,\tgzip", "gzip ;q=1", "*",
                          "gzip;q=0.001", "identity;q=0, gzip", "identity;q=0.5, gzip;q=0.5", "identity, *"})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (const auto* no : {"", "br", "gzip;q=0", "gzip;q=0.0", "gzip; q=0.000", "*;q=0", "*, gzip;q=0", "gzipx",
                         "identity, gzip;q=0.5", "gzip;q=2", "gzip;q=1.001", "gzip;q=x", "gzip;q=0.0001"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}

TEST(Media, ATagIsFoundInAListWhetherWeakOrStrong) {
  for (const auto* yes : {"*", "\"a\"", "W/\"a\"", "\"b\", \"a\"", " W/\"b\" ,W/\"a\" "}) {
    EXPECT_TRUE(lists_etag(yes, "\"a\"")) << yes;
    EXPECT_TRUE(lists_etag(yes, "W/\"a\"")) << yes;
  }
  for (const auto* no : {"", "a", "\"ab\"", "\"b\"", "\"x\"a\""})
    EXPECT_FALSE(lists_etag(no, "\"a\"")) << no;
}

} // namespace
} // namespace credence::http
