#include "auth/rfc3339.hpp"
#include "auth/uri.hpp"
#include "tests/each_of.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace credence::auth {
namespace {

TEST(Rfc3339, ReadsTimesAsUtc) {
  const std::pair<const char*, const char*> rows[] = {
    {"2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z"},
    {"2026-03-01t12:00:00z", "2026-03-01T12:00:00.000Z"},
    {"2021-09-30T16:25:24-02:00", "2021-09-30T18:25:24.000Z"},
    {"2021-09-30T00:00:00+05:30", "2021-09-29T18:30:00.000Z"},
    {"2021-09-30T00:00:00-00:00", "2021-09-30T00:00:00.000Z"},
    {"2021-09-30T00:00:00+23:59", "2021-09-29T00:01:00.000Z"},
    {"2021-09-30T16:25:24.5Z", "2021-09-30T16:25:24.500Z"},
    {"2021-09-30T16:25:24.999999999999999999Z", "2021-09-30T16:25:24.999Z"},
    {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
    {"2000-02-29T23:59:59Z", "2000-02-29T23:59:59.000Z"},
    {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"},
    {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"},
    {"1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"},      // RFC 3339, 5.8
    {"1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000Z"}, // the same one
    {"2015-06-30T23:59:60.25Z", "2015-07-01T00:00:00.250Z"},
    {"1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"}, // RFC 3339, 5.8
  };
  for (const auto& [text, want] : rows) {
    const auto read = parse_rfc3339(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(iso_text(*read), want) << text;
  }
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.000001Z")->time_since_epoch().count(), 1);
}

TEST(Rfc3339, RefusesEveryOtherText) {
  for (const std::string text : test::each_of(
         "", "2026", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z", "2026-03-01T12:00Z", "12:00:00Z",
         "2026-3-01T12:00:00Z", "2026-03-1T12:00:00Z", "26-03-01T12:00:00Z", "02026-03-01T12:00:00Z",
         "+2026-03-01T12:00:00Z", "-2026-03-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-13-01T12:00:00Z",
         "2026-01-00T12:00:00Z", "2026-01-32T12:00:00Z", "2022-02-31T17:09:38.578Z", "2023-02-29T00:00:00Z",
         "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
         "2026-03-01T12:00:61Z", "2026-03-01T12:00:60Z", "2026-03-31T23:59:60Z", "2026-06-30T23:58:60Z",
         "2026-12-31T23:59:60+01:00", "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00,5Z", "2026-03-01T12:00:00.-5Z",
         "2026-03-01T12:00:00+01", "2026-03-01T12:00:00+0100", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00+01:60",
         "2026-03-01T12:00:00ZZ", "2026-03-01T12:00:00Z ", " 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z\n",
         "2026-03-01T12:00:00GMT", "20260301T120000Z", "2026-W09-7T12:00:00Z", "2026-060T12:00:00Z",
         "Wed Oct 05 2011 16:48:00 GMT+0200 (CEST)", "1772366400", "2026/03/01T12:00:00Z", "2026-03-01T12.00.00Z"))
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Uri, IsWhatRfc3986Writes) {
  for (const std::string text : test::each_of(
         "https://example.com", "https://example.com/", "https://example.com:8443/a/b?c=d&e=/?#f/?",
         "http://127.0.0.1/?q=one#b", "https://[::cafe]", "https://[2001:db8::7]:80/x", "https://u:p%40@example.com",
         "ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
         "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212",
         "telnet://192.0.2.16:80/", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
         "ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu", "file:///etc/hosts", "a:", "a+b-c.1:x", "a:/",
         "a:///", "a://", "https://example.com//double", "https://example.com/%7Efoo",
         "https://EXAMPLE.com/;a,b='c'(!)*", "https://:80", "a:b:c@d", "https://example.com:", "https://[v1.a:b]/"))
    EXPECT_TRUE(is_uri(text)) << text;
  for (const std::string text : test::each_of(
         "", "example.com", "//example.com", "/a", "?a", "#a", ":a", "1a:b", "a_b:c", "https", " https://example.com",
         "https://example.com ", "https://example.com/a b", "https://example.com/\"", "https://example.com/<a>",
         "https://a/`", "https://example.com/{a}", "https://example.com/a|b", "https://example.com/a^b",
         "https://example.com/a\\b", "https://example.com/%", "https://example.com/%4", "https://example.com/%4g",
         "https://example.com/%%41", "https://example.com/#a#b", "https://example.com/[a]", "https://example.com/?[a]",
         "https://[::1", "https://::1]", "https://[::1]x", "https://[::1]:x", "https://example.com:8x", "https://a@b@c",
         "https://a:b:c/", "https://ex\xC3\xA4mple.com", "https://example.com/\n", "https://example.com/\r",
         "https://example.com/\t", "https://[]", "https://[v.a]", "https://[v1.]", "https://[v1.%41]",
         "https://[fe80::1%25en0]", "\xE2\x84\xA2:a"))
    EXPECT_FALSE(is_uri(text)) << text;
  EXPECT_FALSE(is_uri(std::string("https://example.com/\0", 21)));
}

TEST(Uri, HasIpv6AddressesOfEveryForm) {
  for (const std::string text : {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
                                 "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "::ffff:255.255.255.255", "1:2:3:4:5::1.2.3.4",
                                 "ABCD:ef01::", "0000:0:0:0:0:0:0:0000", "::2:3:4:5:6:1.2.3.4"})
    EXPECT_TRUE(is_authority("[" + text + "]")) << text;
  for (const std::string text :
       test::each_of("", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "::1:2:3:4:5:6:7:8",
                     "1::2::3", "12345::", "g::", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:1.2.3.4",
                     "::1.2.3", "::1.2.3.4.5", "::256.1.1.1", "::01.2.3.4", "::1.2.3.4:5", "1.2.3.4::", "1.2.3.4",
                     "::1.2..4", "1:2:3:4:5:6::1.2.3.4", "::1 ", "::-1"))
    EXPECT_FALSE(is_authority("[" + text + "]")) << text;
}

TEST(Uri, AuthorityMayBeAskedToNameAHost) {
  for (const std::string text : {"example.com", "127.0.0.1:8080", "test@127.0.0.1:8080", "[::cafe]",
                                 "localhost:", "a%20b", "xn--exmple-cua.com"})
    EXPECT_TRUE(is_authority_with_host(text)) << text;
  for (const std::string text : {"", ":80", "user@", "user@:80"}) {
    EXPECT_TRUE(is_authority(text)) << text;
    EXPECT_FALSE(is_authority_with_host(text)) << text;
  }
  for (const std::string text :
       {"#notrfc", "a b", "a/b", "a?b", "a@b@c", "ex\xD0\xB0mple.com", "a:b", "[a", "a]", "a\n"})
    EXPECT_FALSE(is_authority(text)) << text;
}

TEST(Uri, HasPartsOfTheirOwn) {
  EXPECT_TRUE(is_scheme("https") && is_scheme("h2+x-y.z"));
  EXPECT_FALSE(is_scheme("") || is_scheme("2h") || is_scheme("h_") || is_scheme("h:") || is_scheme("-h"));
  EXPECT_TRUE(is_segment("") && is_segment("some_id") && is_segment("a:b@c%2F;=!"));
  EXPECT_FALSE(is_segment("a/b") || is_segment("a b") || is_segment("a?") || is_segment("%2"));
  int allowed = 0;
  for (int c = 0; c < 256; ++c)
    allowed += is_uri_character(static_cast<char>(c));
  EXPECT_EQ(allowed, 66 + 7 + 11);
  for (const char c : std::string{"%\"<>\\^`{|} \n\r\t\x7F\x80"})
    EXPECT_FALSE(is_uri_character(c)) << c;
}

} // namespace
} // namespace credence::auth
