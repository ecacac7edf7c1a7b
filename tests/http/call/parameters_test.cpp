#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"
#include "tests/each_of.hpp"
#include "tests/there.hpp"

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
  for (const auto* text : credence::test::each_of(
         "", "today", "2026-3-1", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-03-00", "26-03-01",
         "2026-03-01 12:00:00Z", "2026-03-01T12:00:00", "2026-03-01T12:00Z", "2026-03-01T24:00:00Z",
         "2026-03-01T12:60:00Z", "2026-03-01T12:00:60Z", "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00.1234567890Z",
         "2026-03-01T12:00:00+0200", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00 02:00", "2026-03-01T12:00:00z",
         "2026-03-01T12:00:00ZZ", "+2026-03-01", "-026-03-01", "1772366400", "2026-03-01Z", "2026-03-01T"))
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

TEST(Parameters, ThatMeanADryRunAreRecognised) {
  for (const auto* name : {"dryRun", "dryrun", "dry_run", "DRY-RUN", "dryRun[]", "DryRun"})
    EXPECT_TRUE(means_dry_run(name)) << name;
  for (const auto* name : {"", "dry", "run", "dryRuns", "isDryRun", "limit"})
    EXPECT_FALSE(means_dry_run(name)) << name;
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

std::string decoded(std::string_view text, bool plus = false) {
  const auto out = percent_decode(text, plus);
  return out ? *out : "refused";
}

TEST(Target, TakesPathAndQueryApart) {
  const auto parts = test::there(split_target("/a/b%2Fc?x=1?2&y"));
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
  const auto query = test::there(decode_query("b=2&a=1&b=3&empty=&alone&&=x&q=1=2"));
  const query_map wanted{{"b", "2"}, {"a", "1"}, {"b", "3"}, {"empty", ""}, {"alone", ""}, {"", "x"}, {"q", "1=2"}};
  EXPECT_EQ(*query, wanted);
}

TEST(Query, DecodesNamesAndValues) {
  const auto query = test::there(decode_query("d%5B%5D=1+2%26"));
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

using people::account_service;
using people::lookup_key;
using form = lookup_key::form;

const std::string vitalik = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

struct good_row {
  const char* name;
  std::string text;
  lookup_key key;
};

lookup_key account(account_service service, std::string id) {
  return {.how = form::account, .service = service, .text = std::move(id)};
}
lookup_key handle(std::string name) { return {.how = form::x_handle, .text = std::move(name)}; }

class GoodUserkey : public testing::TestWithParam<good_row> {};

TEST_P(GoodUserkey, IsRead) {
  const auto key = parse_userkey(GetParam().text);
  ASSERT_TRUE(key) << key.why().detail;
  EXPECT_TRUE(*key == GetParam().key);
}

INSTANTIATE_TEST_SUITE_P(
  Userkeys, GoodUserkey,
  testing::Values(
    good_row{"AProfile", "profileId:7", {.how = form::profile, .number = 7}},
    good_row{"TheLastProfile", "profileId:2147483647", {.how = form::profile, .number = 2147483647}},
    good_row{"AnXAccount", "service:x.com:1395154870932541446", account(account_service::x, "1395154870932541446")},
    good_row{"AnXHandle", "service:x.com:username:Ada_1", handle("ada_1")},
    good_row{"AHandleOfDigits", "service:x.com:username:123", handle("123")},
    good_row{"Discord", "service:discord:300000000000104729", account(account_service::discord, "300000000000104729")},
    good_row{"Farcaster", "service:farcaster:5650", account(account_service::farcaster, "5650")},
    good_row{"Telegram", "service:telegram:42", account(account_service::telegram, "42")},
    good_row{"GithubById", "service:github:583231", account(account_service::github, "583231")},
    good_row{"GithubByLogin", "service:github:octo-cat", account(account_service::github, "octo-cat")}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST(Userkey, AddressesOfAnyCaseAreTheSame) {
  std::string lower = vitalik;
  std::string upper = vitalik;
  for (std::size_t i = 2; i < vitalik.size(); ++i) {
    lower[i] = static_cast<char>(std::tolower(vitalik[i]));
    upper[i] = static_cast<char>(std::toupper(vitalik[i]));
  }
  const auto key = test::there(parse_userkey("address:" + vitalik));
  EXPECT_EQ(key->how, form::address);
  EXPECT_EQ(key->text.size(), 20u);
  EXPECT_TRUE(*parse_userkey("address:" + lower) == *key);
  EXPECT_TRUE(*parse_userkey("address:" + upper) == *key);
}

TEST(Userkey, AnAddressOfMixedCaseHasItsChecksum) {
  auto slip = vitalik;
  slip.back() = '6'; // for 5
  const auto mistyped = parse_userkey("address:" + slip);
  ASSERT_FALSE(mistyped);
  EXPECT_EQ(mistyped.why().code, refusal_code::invalid_input);
  auto wrong_case = vitalik;
  wrong_case[2] = 'D';
  const auto miswritten = parse_address_key(wrong_case);
  ASSERT_FALSE(miswritten);
  EXPECT_NE(miswritten.why().detail.find("EIP-55"), std::string::npos) << miswritten.why().detail;
  EXPECT_NE(miswritten.why().detail.find("'" + wrong_case + "'"), std::string::npos) << miswritten.why().detail;
  EXPECT_TRUE(miswritten.why().detail.ends_with(vitalik)) << "what would be right: " << miswritten.why().detail;
  EXPECT_TRUE(parse_address_key("0x1234567890123456789012345678901234567890")) << "digits have no case";
}

struct bad_row {
  const char* name;
  std::string text;
  const char* told; // part of the message
};

class BadUserkey : public testing::TestWithParam<bad_row> {};

TEST_P(BadUserkey, IsRefusedWithWhatWouldBeRight) {
  const auto key = parse_userkey(GetParam().text);
  ASSERT_FALSE(key);
  EXPECT_EQ(key.why().code, refusal_code::invalid_input);
  EXPECT_NE(key.why().detail.find(GetParam().told), std::string::npos) << key.why().detail;
  EXPECT_LT(key.why().detail.size(), 300u);
}

INSTANTIATE_TEST_SUITE_P(
  Userkeys, BadUserkey,
  testing::Values(
    bad_row{"Nothing", "", "profileId:<number>"}, bad_row{"NoForm", "ada", "profileId:<number>"},
    bad_row{"OnlyAColon", ":", "profileId:<number>"}, bad_row{"AnotherCase", "ProfileId:7", "profileId:<number>"},
    bad_row{"ABlankInFront", " profileId:7", "profileId:<number>"},
    bad_row{"AnAddressAlone", vitalik, "address:<0x address>"}, bad_row{"ABareNumber", "7", "profileId:<number>"},
    bad_row{"NoProfile", "profileId:", "from 1 to 2147483647"},
    bad_row{"ProfileZero", "profileId:0", "from 1 to 2147483647"},
    bad_row{"ANegativeProfile", "profileId:-1", "from 1 to 2147483647"},
    bad_row{"AProfileTooLarge", "profileId:2147483648", "from 1 to 2147483647"},
    bad_row{"AProfilePast64Bits", "profileId:99999999999999999999", "from 1 to 2147483647"},
    bad_row{"AProfileWithAZero", "profileId:07", "from 1 to 2147483647"},
    bad_row{"AProfileAndMore", "profileId:7:8", "from 1 to 2147483647"},
    bad_row{"AProfileWithNul", std::string("profileId:7\0", 12), "from 1 to 2147483647"},
    bad_row{"NoAddress", "address:", "40 hexadecimal digits"},
    bad_row{"AddressOf39Digits", "address:" + vitalik.substr(0, 41), "40 hexadecimal digits"},
    bad_row{"AddressOf41Digits", "address:" + vitalik + "0", "40 hexadecimal digits"},
    bad_row{"AddressWithout0x", "address:" + vitalik.substr(2) + "00", "40 hexadecimal digits"},
    bad_row{"AddressWithALetterTooFar", "address:0x" + std::string(39, 'a') + "g", "40 hexadecimal digits"},
    bad_row{"AddressWithNul", "address:0x" + std::string(39, 'a') + std::string(1, '\0'), "40 hexadecimal digits"},
    bad_row{"AddressOfUnicode", "address:0x" + std::string(37, 'a') + "é1", "40 hexadecimal digits"},
    bad_row{"AnOverlongAddress", "address:0x" + std::string(5000, 'a'), "40 hexadecimal digits"},
    bad_row{"NoService", "service:", "x.com, discord"}, bad_row{"AServiceAlone", "service:x.com", "x.com, discord"},
    bad_row{"AnotherService", "service:myspace:1", "x.com, discord"},
    bad_row{"AServiceOfAnotherCase", "service:X.com:1", "x.com, discord"},
    bad_row{"TheOldName", "service:twitter:1", "x.com, discord"}, bad_row{"NoAccount", "service:x.com:", "digits"},
    bad_row{"ANegativeAccount", "service:x.com:-1", "digits"},
    bad_row{"AnAccountOfLetters", "service:discord:ada", "digits"},
    bad_row{"AHandleAsAccount", "service:x.com:ada", "digits"},
    bad_row{"AnAccountWithNul", std::string("service:x.com:1\0", 16), "digits"},
    bad_row{"AnOverlongAccount", "service:x.com:" + std::string(65, '1'), "digits"},
    bad_row{"AnAccountOfOtherDigits", "service:x.com:١٢", "digits"},
    bad_row{"NoHandle", "service:x.com:username:", "underscores"},
    bad_row{"AHandleWithAnAt", "service:x.com:username:@ada", "underscores"},
    bad_row{"AHandleWithABlank", "service:x.com:username:a b", "underscores"},
    bad_row{"AHandleOfUnicode", "service:x.com:username:аda", "underscores"},
    bad_row{"AnOverlongHandle", "service:x.com:username:" + std::string(51, 'a'), "underscores"},
    bad_row{"AUsernameElsewhere", "service:discord:username:ada", "digits"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST(XAccount, DigitsMayBeAHandle) {
  EXPECT_EQ(parse_x_account("123")->how, form::x_account_or_handle);
  EXPECT_TRUE(*parse_x_account("@Ada") == handle("ada"));
  EXPECT_TRUE(*parse_x_account("ada") == handle("ada"));
  EXPECT_TRUE(*parse_x_account("@123") == handle("123"));
  for (const auto* wrong : {"", "@", "@@ada", "a-b", "ada@", "é"})
    EXPECT_FALSE(parse_x_account(wrong)) << wrong;
}

TEST(Username, IsAnyTextOfItsLength) {
  EXPECT_EQ(parse_username("Ada.ETH")->text, "ada.eth");
  EXPECT_TRUE(parse_username("ünïcode"));
  std::string long_one;
  for (int i = 0; i < 100; ++i)
    long_one += "é";
  EXPECT_TRUE(parse_username(long_one));
  EXPECT_FALSE(parse_username(long_one + "é"));
  EXPECT_FALSE(parse_username(""));
  EXPECT_FALSE(parse_username(std::string("a\0b", 3)));
}

} // namespace
} // namespace credence::http
