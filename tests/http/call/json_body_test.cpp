#include "config/limits.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "tests/each_of.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace credence::http {
namespace {

std::string nested(int levels) { // the object counts as one
  return R"({"a":)" + std::string(static_cast<std::size_t>(levels - 1), '[')
         + std::string(static_cast<std::size_t>(levels - 1), ']') + "}";
}

TEST(JsonBody, ReadsTextAndIntegers) {
  auto body = test::there(json_body::parse(
    R"({"t":"caf\u00e9 \ud83d\ude00","i":-9223372036854775808,"z":0,"n":null,"b":true,"other":[{}]})"));
  EXPECT_EQ(body->text("t"), "café 😀");
  EXPECT_EQ(body->integer("i"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(body->integer("z"), 0);
  EXPECT_FALSE(body->text("n"));
  EXPECT_FALSE(body->text("absent"));
  EXPECT_EQ(body->kind_of("n"), json_body::kind::null);
  EXPECT_EQ(body->kind_of("absent"), json_body::kind::absent);
  EXPECT_EQ(body->kind_of("b"), json_body::kind::boolean);
  EXPECT_EQ(body->kind_of("other"), json_body::kind::other);
  EXPECT_TRUE(body->good());
}

TEST(JsonBody, TellsEveryMemberOfTheWrongType) {
  auto body = test::there(json_body::parse(R"({"t":5,"i":"5","f":1.5,"e":1e-3,"u":9223372036854775808})"));
  EXPECT_FALSE(body->text("t"));
  for (const auto* name : {"i", "f", "e", "u"})
    EXPECT_FALSE(body->integer(name)) << name;
  EXPECT_EQ(body->why().issues.size(), 5u);
  EXPECT_EQ(body->why().issues.front(), "t must be a string");
  EXPECT_EQ(body->why().detail, "t must be a string");
}

TEST(JsonBody, OfAQuestionMayHoldNothingThatNobodyReads) {
  auto body = test::there(
    json_body::parse_question(R"({"ids":[1],"orderBy":{"field":"balance","luck":"asc"},"typo":true,"gone":null})"));
  body->integers("ids", 10);
  body->text("orderBy.field");
  body->refuse_others();
  EXPECT_EQ(body->why().issues, (std::vector<std::string>{"orderBy.luck is not known here", "typo is not known here"}));
}

TEST(JsonBody, OfAQuestionHasNothingInItsInnerPartsThatNobodyReads) {
  auto body = test::there(json_body::parse_question(
    R"({"votes":{"review":{"upvotes":1,"upvote":2},"reviews":{},"none":null},"list":[{"score":1,"socre":2},{"score":3}],)"
    R"("votes.review":{},"texts":["a",{"b":1}]})"));
  ASSERT_TRUE(body->object("votes"));
  ASSERT_TRUE(body->object("votes.review"));
  body->integer("votes.review.upvotes");
  ASSERT_EQ(body->objects("list", 2), 2u);
  for (const std::string at : {"list.0", "list.1"})
    body->integer(at + ".score");
  body->note("texts");
  body->refuse_others();
  EXPECT_EQ(body->why().issues,
            (std::vector<std::string>{"votes.review.upvote is not known here", "votes.reviews is not known here",
                                      "list.0.socre is not known here", "votes.review is not known here"}));
}

TEST(JsonBody, TakesWholeNumbersHoweverTheyAreWritten) {
  auto body = json_body::parse(
    R"({"f":2.0,"e":1e3,"p":12.5E+1,"m":-300.00e-2,"z":-0.0,"large":9007199254740993.0,"most":9223372036854775807.000,)"
    R"("s":"\\\"7.0,","list":[1.0,2]})");
  ASSERT_TRUE(body) << body.why().detail;
  EXPECT_EQ(body->integer("f"), 2);
  EXPECT_EQ(body->integer("e"), 1000);
  EXPECT_EQ(body->integer("p"), 125);
  EXPECT_EQ(body->integer("m"), -3);
  EXPECT_EQ(body->integer("z"), 0);
  EXPECT_EQ(body->integer("large"), 9007199254740993) << "exactly, not by way of a double";
  EXPECT_EQ(body->integer("most"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(body->text("s"), "\\\"7.0,") << "what stands in a text stays";
  EXPECT_EQ(body->integers("list", 2), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(*parse_integer_list("[7.0, 8]", "ids", 2, 1, 9), (std::vector<std::int64_t>{7, 8}));
  for (const auto* none : {"2.5", "2.00000000000000000001", "9223372036854775808.0", "1e19", "1e-1"}) {
    auto other = json_body::parse(R"({"n":)" + std::string{none} + "}");
    ASSERT_TRUE(other) << none;
    EXPECT_FALSE(other->integer("n")) << none;
    EXPECT_FALSE(other->good()) << none;
  }
  for (const auto* no_json : {"2.", "02.0", ".0", "1e", "1e+-2", "1e400", "-.0", "1.0.0"})
    EXPECT_FALSE(json_body::parse(R"({"n":)" + std::string{no_json} + "}")) << no_json;
}

TEST(JsonBody, ReadsTheItemsOfAListByTheirPlaces) {
  auto body = test::there(json_body::parse(
    R"({"links":[{"url":"a"},{"url":"b","n":5,"0":"z"}],"none":[],"texts":["a"],"object":{"0":"by name"}})"));
  EXPECT_EQ(body->objects("links", 2), 2u);
  EXPECT_EQ(body->text("links.1.url"), "b");
  EXPECT_EQ(body->integer("links.1.n"), 5);
  EXPECT_EQ(body->text("links.1.0"), "z");
  EXPECT_EQ(body->text("object.0"), "by name");
  for (const auto* absent :
       {"links.2.url", "links.x.url", "links.-1.url", "links..url", "links.0.url.more", "texts.0.url"})
    EXPECT_EQ(body->kind_of(absent), json_body::kind::absent) << absent;
  EXPECT_EQ(body->objects("none", 2), 0u);
  EXPECT_EQ(body->objects("absent", 2), std::nullopt);
  EXPECT_TRUE(body->good());
  EXPECT_EQ(body->objects("links", 1), std::nullopt);
  EXPECT_EQ(body->objects("texts", 2), std::nullopt);
  EXPECT_EQ(body->objects("object", 2), std::nullopt);
  EXPECT_EQ(body->why().issues.size(), 3u);
}

TEST(JsonBody, ReadsTheItemsOfTheListThatWasAskedForLast) {
  auto body = test::there(json_body::parse(R"({"a":[{"n":1,"b":[{"n":4}]},{"n":2}],"ab":[{"n":3}],"list":[{"n":5}]})"));
  EXPECT_EQ(body->objects("a", 2), 2u);
  EXPECT_EQ(body->integer("a.1.n"), 2);
  EXPECT_EQ(body->integer("ab.0.n"), 3);
  EXPECT_EQ(body->objects("a.0.b", 2), 1u);
  EXPECT_EQ(body->integer("a.0.b.0.n"), 4);
  EXPECT_EQ(body->integer("a.1.n"), 2);
  EXPECT_EQ(body->objects("list", 2), 1u);
  EXPECT_EQ(body->integer("list.0.n"), 5);
  EXPECT_EQ(body->integer("list.1.n"), std::nullopt);
  body = json_body::parse(R"({"list":[{"n":6}]})");
  EXPECT_EQ(body->integer("list.0.n"), 6) << "of this body";
}

TEST(JsonBody, ReadsEachOfManyItems) {
  std::string text = "{\"list\":[{\"n\":0}";
  for (int i = 1; i < 1000; ++i)
    text += ",{\"n\":" + std::to_string(i) + '}';
  auto body = test::there(json_body::parse(text + "]}"));
  ASSERT_EQ(body->objects("list", 1000), 1000u);
  for (int i = 999; i >= 0; --i)
    ASSERT_EQ(body->integer("list." + std::to_string(i) + ".n"), i);
}

TEST(JsonBody, KnowsObjects) {
  auto body = test::there(json_body::parse(R"({"o":{"o":{}},"n":null,"list":[],"number":5,"text":"3"})"));
  EXPECT_TRUE(body->object("o"));
  EXPECT_TRUE(body->object("o.o"));
  EXPECT_FALSE(body->object("n"));
  EXPECT_FALSE(body->object("absent"));
  EXPECT_TRUE(body->good());
  for (const auto* other : {"list", "number", "text"})
    EXPECT_FALSE(body->object(other)) << other;
  EXPECT_EQ(body->why().issues.size(), 3u);
  EXPECT_EQ(body->why().issues.front(), "list must be an object");
}

TEST(JsonBody, RefusesWhatIsNotOneObject) {
  for (const auto* bad : credence::test::each_of(
         "", " ", "null", "[]", "\"a\"", "5", "{", "}", "{}{}", "{} x", "{\"a\":1,}", "{'a':1}", "{a:1}", "{\"a\":01}",
         "{\"a\":+1}", "{\"a\":.5}", "{\"a\":NaN}", "{\"a\":1}//", "{\"a\":\"\t\"}", "{\"a\":\"\\x\"}", "{\"a\":tru}",
         "{\"a\" 1}", "{\"a\":\"\xff\"}", "{\"a\":\"\xC0\xAF\"}", "{\"a\":\"\xED\xA0\x80\"}", "\xEF\xBB\xBF{}",
         "{\"a\":\"\\ud800\"}", "{\"a\":99999999999999999999999999}"))
    EXPECT_FALSE(json_body::parse(bad)) << bad;
}

TEST(JsonBody, ReadsListsOfOneType) {
  auto body = *json_body::parse(R"({"a":["x","y","x"],"n":[1,-2,9223372036854775807],"e":[],"z":null})");
  EXPECT_EQ(body.texts("a", 3), (std::vector<std::string_view>{"x", "y", "x"}));
  EXPECT_EQ(body.integers("n", 3), (std::vector<std::int64_t>{1, -2, 9223372036854775807}));
  EXPECT_TRUE(body.texts("e", 3)->empty());
  EXPECT_FALSE(body.texts("z", 3));
  EXPECT_FALSE(body.integers("none", 3));
  EXPECT_TRUE(body.good());
  EXPECT_FALSE(body.texts("a", 2));
  EXPECT_EQ(body.why().detail, "a must have at most 2 items, not 3");
}

TEST(JsonBody, RefusesListsOfAnotherType) {
  for (const auto* wrong : {R"({"a":"x"})", R"({"a":7})", R"({"a":{}})", R"({"a":[[]]})", R"({"a":[null]})",
                            R"({"a":["x",1]})", R"({"a":[1.5]})", R"({"a":[true]})"}) {
    auto as_texts = *json_body::parse(wrong);
    EXPECT_FALSE(as_texts.texts("a", 9)) << wrong;
    EXPECT_FALSE(as_texts.good()) << wrong;
    auto as_integers = *json_body::parse(wrong);
    EXPECT_FALSE(as_integers.integers("a", 9)) << wrong;
    EXPECT_FALSE(as_integers.good()) << wrong;
  }
}

TEST(JsonBody, ReadsAListOfIntegersThatIsAWholeBody) {
  const auto read = [](std::string_view body) { return parse_integer_list(body, "ids", 3, 1, 9); };
  const auto good = test::there(read(" [3, 1,3]\n"));
  EXPECT_EQ(*good, (std::vector<std::int64_t>{3, 1, 3}));
  const std::pair<const char*, const char*> rows[]{
    {"[]", "the body must be a JSON array of 1 to 3 ids, not of 0"},
    {"[1,2,3,4]", "the body must be a JSON array of 1 to 3 ids, not of 4"},
    {R"({"ids":[1]})", "the body must be a JSON array of 1 to 3 ids, not an object"},
    {"1", "the body must be a JSON array of 1 to 3 ids, not a number"},
    {"null", "the body must be a JSON array of 1 to 3 ids, not null"},
    {"[1,0]", "ids must be whole numbers from 1 to 9, not 0 at index 1"},
    {"[-1]", "ids must be whole numbers from 1 to 9, not -1 at index 0"},
    {"[1.5]", "ids must be whole numbers from 1 to 9, not 1.5 at index 0"},
    {"[18446744073709551615]", "ids must be whole numbers from 1 to 9, not 18446744073709551615 at index 0"},
    {R"(["1"])", R"(ids must be whole numbers from 1 to 9, not "1" at index 0)"},
    {"[true]", "ids must be whole numbers from 1 to 9, not true at index 0"},
    {"[[1]]", "ids must be whole numbers from 1 to 9, not an array at index 0"},
    {"[null]", "ids must be whole numbers from 1 to 9, not null at index 0"}};
  for (const auto& [body, why] : rows) {
    const auto refused = read(body);
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(refused.why().detail, why);
  }
  EXPECT_EQ(read("[0,1,10]").why().issues.size(), 2u) << "all of it is told at once";
  for (const auto* broken : {"", "[1", "[1,]", "[1] 2", "\xEF\xBB\xBF[1]", "[99999999999999999999999]"})
    EXPECT_FALSE(read(broken)) << broken;
  EXPECT_FALSE(read("[\"" + std::string(1000, 'a') + "\"]"));
}

TEST(JsonBody, RefusesNulEvenEscaped) {
  EXPECT_FALSE(json_body::parse(R"({"a":"\u0000"})"));
  EXPECT_FALSE(json_body::parse(R"({"a\u0000":1})"));
  EXPECT_FALSE(json_body::parse(R"({"ignored":[{"deep":"x\u0000"}]})"));
  EXPECT_FALSE(json_body::parse(std::string_view{"{\"a\":1}\0", 8}));
}

TEST(JsonBody, RefusesAMemberGivenTwice) {
  const auto twice = json_body::parse(R"({"a":1,"b":2,"a":1})");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.why().detail, "the member 'a' appears twice");
  EXPECT_FALSE(json_body::parse(R"({"a":1,"\u0061":2})")) << "however it is written";
  EXPECT_FALSE(json_body::parse(R"({"x":[{"a":1,"a":2}]})")) << "at any depth";
  EXPECT_TRUE(json_body::parse(R"({"a":{"a":1},"b":{"a":1}})"));
}

TEST(JsonBody, BoundsTheDepth) {
  EXPECT_TRUE(json_body::parse(nested(limits::json_depth_max)));
  const auto deep = json_body::parse(nested(limits::json_depth_max + 1));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.why().detail, "the body is nested deeper than 32 levels");
  EXPECT_FALSE(json_body::parse(std::string(60'000, '[')));
  EXPECT_TRUE(json_body::parse("{}")) << "and reads on after that";
}

TEST(JsonBody, ReadsBodiesOfTheLargestSize) {
  const std::string large(64 * 1024, 'x');
  auto body = test::there(json_body::parse("{\"a\":\"" + large + "\"}"));
  EXPECT_EQ(body->text("a"), large);
}

TEST(JsonBody, CountsCharactersNotBytes) {
  EXPECT_EQ(characters(""), 0u);
  EXPECT_EQ(characters("abc"), 3u);
  EXPECT_EQ(characters("é😀"), 2u);
}

TEST(JsonBody, KnowsPathsFromNamesWithADot) {
  auto literal = json_body::parse(R"({"a.b":"no"})");
  EXPECT_EQ(literal->kind_of("a.b"), json_body::kind::absent);
  auto both = json_body::parse(R"({"a.b":"no","a":{"b":"yes"}})");
  EXPECT_EQ(both->text("a.b"), "yes");
}

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

TEST(JsonWriter, EscapesWhatMustBeEscapedWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t length = 1; length <= 18; ++length)
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(detail::needs_escaping(text), byte < 0x20 || byte == '"' || byte == '\\')
          << byte << " at " << at << " of " << length;
      }
  EXPECT_FALSE(detail::needs_escaping({}));
}

} // namespace
} // namespace credence::http
