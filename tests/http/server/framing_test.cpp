#include "http/server/request.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

constexpr std::size_t body_max = 1000;

framing_fields plain() {
  framing_fields fields;
  fields.method = "POST";
  fields.fields = 2;
  fields.host_count = 1;
  fields.host = "localhost:8080";
  return fields;
}

using change = void (*)(framing_fields&);

struct row {
  const char* why; // with its source
  unsigned status; // 0: may be read
  change how;
};

constexpr row rows[]{
  {"nothing special", 0, [](framing_fields&) {}},
  // RFC 9112, 6.1 and 6.3: Transfer-Encoding
  {"chunked", 0, [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "chunked"; }},
  {"chunked in any case (RFC 9112, 7)", 0,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "ChUnKeD"; }},
  {"an unknown coding (RFC 9112, 6.1)", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "blegh"; }},
  {"identity (RFC 9112, 6.1)", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "identity"; }},
  {"chunked is not last (RFC 9112, 6.3)", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "chunked, gzip"; }},
  {"a coding before chunked", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "gzip, chunked"; }},
  {"chunked twice (RFC 9112, 7)", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "chunked, chunked"; }},
  {"two Transfer-Encoding fields", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 2, f.transfer_encoding = "chunked"; }},
  {"chunked in quotes", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "\"chunked\""; }},
  {"chunked behind a no-break space", 400,
   [](framing_fields& f) {
     f.transfer_encoding_count = 1, f.transfer_encoding = "\xA0"
                                                          "chunked";
   }},
  {"xchunked", 400, [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = "xchunked"; }},
  {"an empty Transfer-Encoding", 400,
   [](framing_fields& f) { f.transfer_encoding_count = 1, f.transfer_encoding = ""; }},
  {"with Content-Length (RFC 9112, 6.1)", 400,
   [](framing_fields& f) {
     f.transfer_encoding_count = 1, f.transfer_encoding = "chunked";
     f.content_length_count = 1, f.content_length = "5";
   }},
  {"in HTTP/1.0 (RFC 9112, 6.1)", 400,
   [](framing_fields& f) { f.version = 10, f.transfer_encoding_count = 1, f.transfer_encoding = "chunked"; }},
  // RFC 9110, 8.6: Content-Length
  {"a length", 0, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "1000"; }},
  {"a length of 0", 0, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "0"; }},
  {"more than allowed (RFC 9110, 15.5.14)", 413,
   [](framing_fields& f) { f.content_length_count = 1, f.content_length = "1001"; }},
  {"two equal lengths", 400, [](framing_fields& f) { f.content_length_count = 2, f.content_length = "5"; }},
  {"a list of lengths", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "5, 5"; }},
  {"a negative length", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "-1"; }},
  {"a length with a sign", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "+5"; }},
  {"a hexadecimal length", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "0x5"; }},
  {"a length with a point", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = "5.0"; }},
  {"no digits", 400, [](framing_fields& f) { f.content_length_count = 1, f.content_length = ""; }},
  {"a length past 64 bits", 400,
   [](framing_fields& f) { f.content_length_count = 1, f.content_length = "18446744073709551621"; }},
  // RFC 9112, 3.2 and RFC 9110, 7.2: Host
  {"no Host", 400, [](framing_fields& f) { f.host_count = 0; }},
  {"no Host in HTTP/1.0", 0, [](framing_fields& f) { f.version = 10, f.host_count = 0; }},
  {"two Hosts", 400, [](framing_fields& f) { f.host_count = 2; }},
  {"an empty Host", 400, [](framing_fields& f) { f.host = ""; }},
  {"a Host with a path", 400, [](framing_fields& f) { f.host = "a/b"; }},
  {"a Host with a user", 400, [](framing_fields& f) { f.host = "me@a"; }},
  {"two Hosts in one", 400, [](framing_fields& f) { f.host = "a, b"; }},
  {"a Host with a blank", 400, [](framing_fields& f) { f.host = "a b"; }},
  {"a Host that is a port", 400, [](framing_fields& f) { f.host = ":80"; }},
  {"a port out of range", 400, [](framing_fields& f) { f.host = "a:65536"; }},
  {"a port that is no number", 400, [](framing_fields& f) { f.host = "a:http"; }},
  {"an IPv6 address", 0, [](framing_fields& f) { f.host = "[::1]:8080"; }},
  {"an open bracket", 400, [](framing_fields& f) { f.host = "[::1"; }},
  {"text behind the bracket", 400, [](framing_fields& f) { f.host = "[::1]x"; }},
  {"an address with a port", 0, [](framing_fields& f) { f.host = "127.0.0.1:1"; }},
  // RFC 9112, 2.3: version
  {"HTTP/1.0", 0, [](framing_fields& f) { f.version = 10; }},
  {"HTTP/0.9", 505, [](framing_fields& f) { f.version = 9; }},
  {"HTTP/1.2", 505, [](framing_fields& f) { f.version = 12; }},
  {"HTTP/2.0", 505, [](framing_fields& f) { f.version = 20; }},
  // RFC 9110, 9.3.6 and 9.3.8: methods that are not offered
  {"CONNECT", 501, [](framing_fields& f) { f.method = "CONNECT"; }},
  {"TRACE", 501, [](framing_fields& f) { f.method = "TRACE"; }},
  // RFC 9110, 10.1.1: Expect
  {"100-continue", 0, [](framing_fields& f) { f.expect_count = 1, f.expect = "100-Continue"; }},
  {"another expectation", 417, [](framing_fields& f) { f.expect_count = 1, f.expect = "200-ok"; }},
  {"two expectations", 417, [](framing_fields& f) { f.expect_count = 2, f.expect = "100-continue"; }},
  {"an expectation in HTTP/1.0 is ignored", 0,
   [](framing_fields& f) { f.version = 10, f.expect_count = 1, f.expect = "200-ok"; }},
  // RFC 9110, 8.4 and 15.5.16; RFC 6585, 5; RFC 9110, 15.5.15
  {"Content-Encoding", 415, [](framing_fields& f) { f.content_encoding = true; }},
  {"100 fields", 0, [](framing_fields& f) { f.fields = 100; }},
  {"101 fields", 431, [](framing_fields& f) { f.fields = 101; }},
  {"a target of 8 KiB", 0, [](framing_fields& f) { f.target_length = 8192; }},
  {"a longer target", 414, [](framing_fields& f) { f.target_length = 8193; }},
};

TEST(Framing, DecidesWhatMayBeRead) {
  for (const auto& each : rows) {
    auto fields = plain();
    each.how(fields);
    const auto refused = check_framing(fields, body_max);
    EXPECT_EQ(refused ? refused->status : 0u, each.status) << each.why;
    if (refused) {
      EXPECT_FALSE(refused->message.empty()) << each.why;
      EXPECT_FALSE(refused->code.empty()) << each.why;
    }
  }
}

} // namespace
} // namespace credence::http
