#include "auth/uri.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::auth {
namespace {

TEST(Uri, IsWhatRfc3986Writes) {
  for (const std::string text : {"https://example.com",
                                 "https://example.com/",
                                 "https://example.com:8443/a/b?c=d&e=/?#f/?",
                                 "http://127.0.0.1/?q=one#b",
                                 "https://[::cafe]",
                                 "https://[2001:db8::7]:80/x",
                                 "https://u:p%40@example.com",
                                 "ftp://ftp.is.co.za/rfc/rfc1808.txt",
                                 "ldap://[2001:db8::7]/c=GB?objectClass?one",
                                 "mailto:John.Doe@example.com",
                                 "news:comp.infosystems.www.servers.unix",
                                 "tel:+1-816-555-1212",
                                 "telnet://192.0.2.16:80/",
                                 "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
                                 "ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu",
                                 "file:///etc/hosts",
                                 "a:",
                                 "a+b-c.1:x",
                                 "a:/",
                                 "a:///",
                                 "a://",
                                 "https://example.com//double",
                                 "https://example.com/%7Efoo",
                                 "https://EXAMPLE.com/;a,b='c'(!)*",
                                 "https://:80",
                                 "a:b:c@d",
                                 "https://example.com:",
                                 "https://[v1.a:b]/"})
    EXPECT_TRUE(is_uri(text)) << text;
  for (const std::string text : {"",
                                 "example.com",
                                 "//example.com",
                                 "/a",
                                 "?a",
                                 "#a",
                                 ":a",
                                 "1a:b",
                                 "a_b:c",
                                 "https",
                                 " https://example.com",
                                 "https://example.com ",
                                 "https://example.com/a b",
                                 "https://example.com/\"",
                                 "https://example.com/<a>",
                                 "https://a/`",
                                 "https://example.com/{a}",
                                 "https://example.com/a|b",
                                 "https://example.com/a^b",
                                 "https://example.com/a\\b",
                                 "https://example.com/%",
                                 "https://example.com/%4",
                                 "https://example.com/%4g",
                                 "https://example.com/%%41",
                                 "https://example.com/#a#b",
                                 "https://example.com/[a]",
                                 "https://example.com/?[a]",
                                 "https://[::1",
                                 "https://::1]",
                                 "https://[::1]x",
                                 "https://[::1]:x",
                                 "https://example.com:8x",
                                 "https://a@b@c",
                                 "https://a:b:c/",
                                 "https://ex\xC3\xA4mple.com",
                                 "https://example.com/\n",
                                 "https://example.com/\r",
                                 "https://example.com/\t",
                                 "https://[]",
                                 "https://[v.a]",
                                 "https://[v1.]",
                                 "https://[v1.%41]",
                                 "https://[fe80::1%25en0]",
                                 "\xE2\x84\xA2:a"})
    EXPECT_FALSE(is_uri(text)) << text;
  EXPECT_FALSE(is_uri(std::string("https://example.com/\0", 21)));
}

TEST(Uri, HasIpv6AddressesOfEveryForm) {
  for (const std::string text : {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
                                 "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "::ffff:255.255.255.255", "1:2:3:4:5::1.2.3.4",
                                 "ABCD:ef01::", "0000:0:0:0:0:0:0:0000", "::2:3:4:5:6:1.2.3.4"})
    EXPECT_TRUE(is_authority("[" + text + "]")) << text;
  for (const std::string text : {"",
                                 ":",
                                 ":::",
                                 "1",
                                 "1:2:3:4:5:6:7",
                                 "1:2:3:4:5:6:7:8:9",
                                 "1:2:3:4::5:6:7:8",
                                 "::1:2:3:4:5:6:7:8",
                                 "1::2::3",
                                 "12345::",
                                 "g::",
                                 "1:2:3:4:5:6:7:",
                                 ":1:2:3:4:5:6:7",
                                 "1:2:3:4:5:6:7:1.2.3.4",
                                 "::1.2.3",
                                 "::1.2.3.4.5",
                                 "::256.1.1.1",
                                 "::01.2.3.4",
                                 "::1.2.3.4:5",
                                 "1.2.3.4::",
                                 "1.2.3.4",
                                 "::1.2..4",
                                 "1:2:3:4:5:6::1.2.3.4",
                                 "::1 ",
                                 "::-1"})
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
