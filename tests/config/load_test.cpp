#include "config/load.hpp"

#include "config/setting_checks.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace credence::settings {
namespace {

TEST(Settings, ReadsRates) {
  for (const auto* good : {"0", "200/s burst 2000", "10/min burst 30", "1/h burst 1", "1000000/s burst 1000000"})
    EXPECT_EQ(text_of(parse_rate(good).value()), good);
  for (const auto* bad :
       {"", "200", "200/s", "200/day burst 1", "0/s burst 1", "1/s burst 0", "-1/s burst 1", "1/s burst 1000001",
        "1/s burst", "1/s bursts 2", "1/s burst 2 more", "1.5/s burst 2", "1 /s burst 2"})
    EXPECT_FALSE(parse_rate(bad)) << bad;
}

TEST(Settings, FeesOfVouchesAreFourAndNotTooMany) {
  EXPECT_EQ(parse_fees("100/100/400/100"), (std::array<std::uint32_t, 4>{100, 100, 400, 100}));
  EXPECT_TRUE(parse_fees("0/0/0/1000"));
  for (const auto* bad : {"", "100", "100/100/400", "100/100/400/100/", "1/2/3/4/5", "-1/0/0/0", "a/0/0/0", "/0/0/0",
                          "0/0/0/", "1/0/0/1000", "1 /0/0/0"})
    EXPECT_FALSE(parse_fees(bad)) << bad;
}

TEST(Settings, APriceInDollarsIsReadToItsMillionths) {
  EXPECT_EQ(parse_dollars("3210.5"), 3'210'500'000);
  EXPECT_EQ(parse_dollars("1"), 1'000'000);
  EXPECT_EQ(parse_dollars("0.000001"), 1);
  EXPECT_EQ(parse_dollars("999999999.999999"), 999'999'999'999'999);
  for (const auto* bad :
       {"", "0", "0.0", "-1", "+1", "1.", ".5", "01", "1e3", "1,5", "1.0000001", "1000000000", "1 ", "1.2.3"})
    EXPECT_FALSE(parse_dollars(bad)) << bad;
  EXPECT_TRUE(is_dollars(""));
}

TEST(Settings, AContactIsAnAddressOfMailOrAPage) {
  for (const auto* good : {"", "mailto:security@example.org", "mailto:a+b@example.org?subject=hole",
                           "https://example.org/security", "https://[::1]:8443/"})
    EXPECT_TRUE(is_contact_or_none(good)) << good;
  for (const auto* bad :
       {"security@example.org", "mailto:", "mailto:security", "mailto:@example.org", "mailto:a@", "http://example.org",
        "https://", "https:///security", "tel:+1-201-555-0123", "https://example.org/a b",
        "mailto:a@b\nExpires: 1970-01-01T00:00:00Z", "mailto:\xc3\xa4@example.org", " mailto:a@b", "https://a<b>"})
    EXPECT_FALSE(is_contact_or_none(bad)) << bad;
  const auto from = load({{"http.security_contact", "security@example.org"}}, {}, "");
  ASSERT_EQ(from.mistakes.size(), 1u);
  EXPECT_NE(from.mistakes[0].find("mailto:security@example.org"), std::string::npos) << from.mistakes[0];
}

/// An empty one would be that of the whole machine.
TEST(Settings, TheDataHaveADirectory) {
  const auto from = load({{"data_dir", ""}}, {}, "");
  ASSERT_EQ(from.mistakes.size(), 1u);
  EXPECT_EQ(from.mistakes[0], "flag: --data-dir is '', but must be a directory");
}

TEST(Settings, KnowsNetworksAndOrigins) {
  for (const auto* good : {"127.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "::1", "fd00::/8", "2001:db8::1/128"})
    EXPECT_TRUE(is_network(good)) << good;
  for (const auto* bad :
       {"", "localhost", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8"})
    EXPECT_FALSE(is_network(bad)) << bad;
  for (const auto* good : {"https://app.example.org", "http://localhost:3000", "https://[::1]:8443"})
    EXPECT_TRUE(is_origin(good)) << good;
  for (const auto* bad :
       {"", "*", "null", "app.example.org", "https://", "https://app.example.org/", "https://App.example.org",
        "https://app.example.org:443", "http://a:80", "ftp://a", "https://a b", "https://*.example.org"})
    EXPECT_FALSE(is_origin(bad)) << bad;
}

TEST(Settings, TakesListsFromEverywhere) {
  const auto from =
    load({{"http.trusted_proxies", "127.0.0.1, 10.0.0.0/8"}, {"http.rate_wallet", "5/h burst 2"}},
         {"CREDENCE_HTTP_ALLOWED_ORIGINS=https://a.example,https://b.example", "CREDENCE_HTTP_RATE_READ=0"}, "");
  EXPECT_TRUE(from.mistakes.empty());
  EXPECT_EQ(from.values.http.trusted_proxies, (std::vector<std::string>{"127.0.0.1", "10.0.0.0/8"}));
  EXPECT_EQ(from.values.http.allowed_origins.size(), 2u);
  EXPECT_EQ(from.values.http.rate_read.count, 0u);
  EXPECT_EQ(from.values.http.rate_wallet.per, std::chrono::hours{1});
  const auto shown =
    std::find_if(from.list.begin(), from.list.end(), [](const auto& each) { return each.name == "http.rate_write"; });
  ASSERT_NE(shown, from.list.end());
  EXPECT_EQ(shown->value, "50/s burst 500");
}

TEST(Settings, SaysWhatARateANetworkAndAnOriginLookLike) {
  const auto from = load({{"http.trusted_proxies", "10.0.0.0/8,proxy"}, {"http.rate_read", "fast"}},
                         {"CREDENCE_HTTP_ALLOWED_ORIGINS=https://a.example/", "CREDENCE_HTTP_RATE_LIMITS=off"}, "");
  ASSERT_EQ(from.mistakes.size(), 4u);
  EXPECT_NE(from.mistakes[0].find("nothing behind the host"), std::string::npos) << from.mistakes[0];
  EXPECT_NE(from.mistakes[1].find("true or false"), std::string::npos) << from.mistakes[1];
  EXPECT_NE(from.mistakes[2].find("--http-rate-read is 'fast', but must be 0 or a rate such as '200/s burst 2000'"),
            std::string::npos)
    << from.mistakes[2];
  EXPECT_NE(from.mistakes[3].find("10.0.0.0/8"), std::string::npos) << from.mistakes[3];
}

/// Lines of the product, by the words in them; a line of this kind counts once for each word.
std::map<std::string, std::vector<std::string>> lines_by_word() {
  std::map<std::string, std::vector<std::string>> out;
  const std::filesystem::path source{test::built::source};
  for (const auto* folder : {"actors", "auth", "config", "http", "ops", "persistence"})
    for (const auto& each : std::filesystem::recursive_directory_iterator{source / folder}) {
      const auto kind = each.path().extension();
      const auto name = std::filesystem::relative(each.path(), source).string();
      if ((kind != ".hpp" && kind != ".cpp" && kind != ".toml") || name.find("node_modules") != std::string::npos)
        continue;
      std::ifstream file{each.path()};
      std::string line;
      for (int number = 1; std::getline(file, line); ++number)
        for (std::size_t at = 0; at < line.size();) {
          const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
          const auto end = static_cast<std::size_t>(
            std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_part) - line.begin());
          if (end == at)
            ++at;
          else {
            const auto where = name + ":" + std::to_string(number);
            auto& lines = out[line.substr(at, end - at)];
            if (lines.empty() || lines.back() != where)
              lines.push_back(where);
            at = end;
          }
        }
    }
  return out;
}

TEST(Settings, AreSpelledWhereTheyAreDeclaredAndWhereTheyAreUsed) {
  const auto lines = lines_by_word();
  for (const auto* name : {"header_timeout", "reconnect_delay_max", "session_idle_days", "verified_tokens_max"})
    EXPECT_EQ(lines.at(name).size(), 2u) << name << testing::PrintToString(lines.at(name));
}

TEST(Settings, AreEachUsed) {
  const auto lines = lines_by_word();
  std::ifstream file{test::built::source + "/config/settings.toml"};
  std::string name;
  std::map<std::string, std::string> members; // by setting
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("[") && !line.starts_with("[\"struct ")) {
      name = line.substr(1, line.find(']') - 1);
      std::erase(name, '"');
      members[name] = name.substr(name.rfind('.') + 1);
    } else if (line.starts_with("member = ")) {
      members[name] = line.substr(line.rfind('.') + 1, line.rfind('"') - line.rfind('.') - 1);
    }
  EXPECT_GE(members.size(), descriptions().size() - 5) << "files of secrets are declared with them";
  for (const auto& [setting, member] : members) {
    const auto found = lines.find(member);
    ASSERT_NE(found, lines.end()) << setting;
    EXPECT_TRUE(std::any_of(found->second.begin(), found->second.end(),
                            [](const auto& line) { return !line.starts_with("config/"); }))
      << "nobody reads " << setting;
  }
}

} // namespace
} // namespace credence::settings
