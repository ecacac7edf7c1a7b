#include "http/call/json_writer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace credence::http {
namespace {

template <class Write>
std::string written(Write write) {
  std::string out;
  json_writer to{out};
  write(to);
  return out;
}

TEST(JsonWriter, KeepsMembersInTheOrderWritten) {
  EXPECT_EQ(written([](json_writer& to) {
              to.begin_object();
              to.field("b", 1);
              to.field("a", true);
              to.key("list");
              to.begin_array();
              to.value("x");
              to.null();
              to.begin_object();
              to.end_object();
              to.end_array();
              to.key(17);
              to.value(profile_id{5});
              to.end_object();
            }),
            R"({"b":1,"a":true,"list":["x",null,{}],"17":5})");
}

TEST(JsonWriter, EscapesTextAndLeavesUnicodeAlone) {
  EXPECT_EQ(written([](json_writer& to) { to.value("a\"b\\c\n\x01 é 漢 🙂"); }),
            "\"a\\\"b\\\\c\\n\\u0001 é 漢 🙂\"");
  EXPECT_EQ(written([](json_writer& to) { to.value(std::string_view{}); }), "\"\"");
}

TEST(JsonWriter, SplicesEncodedJsonAsAValue) {
  EXPECT_EQ(written([](json_writer& to) {
              to.begin_array();
              to.raw(R"({"x":1})");
              to.raw("2");
              to.end_array();
            }),
            R"([{"x":1},2])");
}

TEST(JsonWriter, SplicesEncodedMembersBetweenOthers) {
  EXPECT_EQ(written([](json_writer& to) {
              to.begin_object();
              to.raw_members(R"("a":1,"b":[2])");
              to.key("c");
              to.begin_object();
              to.raw_members(R"("d":{})");
              to.end_object();
              to.raw_members(R"("e":5)");
              to.raw_members(R"("f":6)");
              to.end_object();
            }),
            R"({"a":1,"b":[2],"c":{"d":{}},"e":5,"f":6})");
}

TEST(JsonWriter, WritesDoublesShortAndExact) {
  const auto number = [](double x) { return written([x](json_writer& to) { to.value(x); }); };
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(5), "5");
  EXPECT_EQ(number(-12.5), "-12.5");
  EXPECT_EQ(number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
  for (const double x : {5e-324, 9007199254740993.0, 2.2250738585072014e-308, 1e21, 0.1 + 0.2})
    EXPECT_EQ(std::strtod(number(x).c_str(), nullptr), x) << number(x);
}

TEST(JsonWriter, WritesIntegersOfAnySize) {
  EXPECT_EQ(written([](json_writer& to) {
              to.begin_array();
              to.value(std::numeric_limits<std::int64_t>::min());
              to.value(std::numeric_limits<std::int64_t>::max());
              to.value(std::numeric_limits<std::uint64_t>::max());
              to.value(std::int16_t{-3});
              to.end_array();
            }),
            "[-9223372036854775808,9223372036854775807,18446744073709551615,-3]");
}

TEST(JsonWriter, WritesTimesAsIso8601AndAppendsToWhatIsThere) {
  std::string out = "before ";
  json_writer{out}.value(timestamp{std::chrono::milliseconds{1772366400123}});
  EXPECT_EQ(out, R"(before "2026-03-01T12:00:00.123Z")");
}

TEST(JsonWriter, LeavesOutOptionalMembersOnlyWhenToldTo) {
  EXPECT_EQ(written([](json_writer& to) {
              to.begin_object();
              to.field("none", std::optional<std::string>{});
              to.field_if("gone", std::optional<std::string>{});
              to.field_if("here", std::optional<std::string>{"yes"});
              to.end_object();
            }),
            R"({"none":null,"here":"yes"})");
}

} // namespace
} // namespace credence::http
