#include "http/call/userkey.hpp"

#include "http/call/json_body.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::http {
namespace {

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
  const auto key = parse_userkey("address:" + vitalik);
  ASSERT_TRUE(key);
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
