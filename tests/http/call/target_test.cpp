#include "http/call/target.hpp"

#include "config/limits.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

std::string decoded(std::string_view text, bool plus = false) {
  const auto out = percent_decode(text, plus);
  return out ? *out : "refused";
}

TEST(Target, TakesPathAndQueryApart) {
  const auto parts = split_target("/a/b%2Fc?x=1?2&y");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->path, "/a/b%2Fc") << "still encoded";
  EXPECT_EQ(parts->query, "x=1?2&y");
  EXPECT_EQ(split_target("/")->path, "/");
  EXPECT_EQ(split_target("/a?")->query, "");
}

TEST(Target, TakesTheAbsoluteForm) {
  EXPECT_EQ(split_target("http://host:80/a?b")->path, "/a");
  EXPECT_EQ(split_target("HTTPS://host/a?b")->query, "b");
  EXPECT_EQ(split_target("http://host")->path, "/");
}

TEST(Target, RefusesOtherForms) {
  for (const auto* bad : {"", "*", "a", "?a", "host:80", "ftp://host/a", "/a#b", "javascript:1", "http:/a", "http:///a",
                          "http://me@host/a", "http://host:port/a", "http://"})
    EXPECT_FALSE(split_target(bad)) << bad;
}

TEST(Target, RefusesBytesThatAreNoText) {
  for (const auto* bad : {"/\xff", "/a\xC3", "/a?b=\xC0\xAF", "http://h/\xED\xA0\x80"})
    EXPECT_FALSE(split_target(bad)) << bad;
  EXPECT_EQ(split_target("/caf\xC3\xA9")->path, "/caf\xC3\xA9");
}

TEST(Target, DecodesStrictly) {
  EXPECT_EQ(decoded("a%20b%2fc%C3%A9"), "a b/cé");
  EXPECT_EQ(decoded("a+b"), "a+b");
  EXPECT_EQ(decoded("a+b%2B", true), "a b+");
  EXPECT_EQ(decoded("%41"), "A");
  EXPECT_EQ(decoded("%2541"), "%41") << "once";
  for (const auto* bad : {"%", "%4", "%zz", "%4z", "%z4", "a%", "%%41", "% 41", "%u0041"})
    EXPECT_EQ(decoded(bad), "refused") << bad;
}

TEST(Target, RefusesWhatTextMustNotHold) {
  for (const auto* bad : {"%00", "a%00b", "%0d%0a", "%7F", "%1f",                                 // control characters
                          "%ff", "%C3", "%C3%28", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "\xff"}) // not UTF-8
    EXPECT_EQ(decoded(bad), "refused") << bad;
}

TEST(Target, SaysWhatIsWrong) {
  EXPECT_EQ(percent_decode("%zz", false).why().detail, "'%' must be followed by two hexadecimal digits");
  EXPECT_EQ(percent_decode("%ff", false).why().detail, "the request target is not valid UTF-8");
  EXPECT_EQ(percent_decode("%00", false).why().detail, "control characters are not allowed in the request target");
}

TEST(Query, KeepsOrderAndRepeats) {
  const auto query = decode_query("b=2&a=1&b=3&empty=&alone&&=x&q=1=2");
  ASSERT_TRUE(query);
  const query_map wanted{{"b", "2"}, {"a", "1"}, {"b", "3"}, {"empty", ""}, {"alone", ""}, {"", "x"}, {"q", "1=2"}};
  EXPECT_EQ(*query, wanted);
}

TEST(Query, DecodesNamesAndValues) {
  const auto query = decode_query("d%5B%5D=1+2%26");
  ASSERT_TRUE(query);
  EXPECT_EQ(*query, (query_map{{"d[]", "1 2&"}}));
  EXPECT_FALSE(decode_query("a=%zz"));
  EXPECT_FALSE(decode_query("%ff=1"));
  EXPECT_FALSE(decode_query("a=1&b=%00"));
}

TEST(Query, BoundsTheNumberOfParameters) {
  std::string many;
  for (std::size_t i = 0; i < limits::query_parameters_max; ++i)
    many += "a=1&";
  EXPECT_TRUE(decode_query(many));
  EXPECT_FALSE(decode_query(many + "a=1"));
}

} // namespace
} // namespace credence::http
