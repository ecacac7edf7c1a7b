#include "tests/http/small_server.hpp"

#include <atomic>
#include <thread>

namespace credence::http {
namespace {

class HostileTest : public test::small_server {
protected:
  /// Asks until somebody is let in again.
  bool comes_back() {
    for (int tries = 0; tries < 100'000; ++tries)
      if (get("/api/v2/hello/a").status == 200)
        return true;
    return false;
  }
};
using test::request;
using test::wire;

const std::string host = "Host: a\r\n";
const std::string json = "Content-Type: application/json\r\n";
const std::string get_line = "GET /api/v2/hello/a HTTP/1.1\r\n";
const std::string post_line = "POST /api/v2/echo HTTP/1.1\r\n";
const std::string smuggled = "GET /api/v2/hello/smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

struct hostile {
  const char* why;
  int status;
  std::string bytes;
};

/// After these nobody can say where the next request begins.
const hostile closing[]{
  // Request smuggling: two readers that see different requests.
  {"an unknown transfer coding", 400, post_line + host + "Transfer-Encoding: blegh\r\n\r\n"},
  {"gzip beside a length", 400, post_line + host + "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"},
  {"chunked, gzip", 400, post_line + host + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"},
  {"gzip, chunked", 400, post_line + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
  {"xchunked beside a length", 400, post_line + host + "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n"},
  {"chunked in quotes", 400, post_line + host + "Transfer-Encoding: \"chunked\"\r\nContent-Length: 0\r\n\r\n"},
  {"chunked behind a no-break space", 400,
   post_line + host + "Transfer-Encoding: \xA0" "chunked\r\nContent-Length: 0\r\n\r\n"},
  {"chunked behind a vertical tab", 400, post_line + host + "Transfer-Encoding: \x0b" "chunked\r\n\r\n0\r\n\r\n"},
  {"chunked twice", 400,
   post_line + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
  {"chunked, then identity", 400,
   post_line + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"},
  {"chunked beside a length", 400, post_line + host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"},
  {"a length beside chunked", 400, post_line + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
  {"chunked in HTTP/1.0", 400, "POST /api/v2/echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
  {"a blank before the colon", 400, post_line + host + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"},
  {"two lengths", 400, post_line + host + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n"},
  {"the same length twice", 400, post_line + host + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"},
  {"a list of lengths", 400, post_line + host + "Content-Length: 0, 0\r\n\r\n"},
  {"a negative length", 400, post_line + host + "Content-Length: -1\r\n\r\n"},
  {"a length with a plus", 400, post_line + host + "Content-Length: +0\r\n\r\n"},
  {"a hexadecimal length", 400, post_line + host + "Content-Length: 0x0\r\n\r\n"},
  {"a length past 64 bits", 400, post_line + host + "Content-Length: 18446744073709551616\r\n\r\n"},
  {"a chunk size that is no number", 400, post_line + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"},
  {"a chunk size past 64 bits", 400, post_line + host + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n"},
  {"a chunk size with a sign", 400, post_line + host + "Transfer-Encoding: chunked\r\n\r\n-1\r\n"},
  {"a chunk without its line end", 400, post_line + host + json + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n"},
  {"a chunk line without end", 400,
   post_line + host + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(200'000, 'x')},
  // Host
  {"no Host", 400, get_line + "\r\n"},
  {"two Hosts", 400, get_line + host + host + "\r\n"},
  {"an empty Host", 400, get_line + "Host:\r\n\r\n"},
  {"a Host with a path", 400, get_line + "Host: a/b\r\n\r\n"},
  {"a Host with a user", 400, get_line + "Host: a@b\r\n\r\n"},
  {"a Host with a bad port", 400, get_line + "Host: a:99999\r\n\r\n"},
  // The request line
  {"no version", 400, "GET /api/v2/hello/a\r\n\r\n"},
  {"another protocol", 505, "GET /api/v2/hello/a FTP/1.1\r\n" + host + "\r\n"},
  {"HTTP/2.0", 505, "GET / HTTP/2.0\r\n" + host + "\r\n"},
  {"the preface of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
  {"HTTP/1.2", 505, "GET / HTTP/1.2\r\n" + host + "\r\n"},
  {"a blank too many", 400, "GET  /api/v2/hello/a HTTP/1.1\r\n" + host + "\r\n"},
  {"a blank at the beginning", 400, " " + get_line + host + "\r\n"},
  {"a method with a bracket", 400, "G(T / HTTP/1.1\r\n" + host + "\r\n"},
  {"NUL in the target", 400, std::string{"GET /\0 HTTP/1.1\r\n", 17} + host + "\r\n"},
  {"a tab in the target", 400, "GET /a\tb HTTP/1.1\r\n" + host + "\r\n"},
  {"a TLS greeting", 400, std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15}},
  {"CONNECT", 501, "CONNECT a:80 HTTP/1.1\r\n" + host + "\r\n"},
  {"TRACE", 501, "TRACE /api/v2/hello/a HTTP/1.1\r\n" + host + "\r\n"},
  {"an unknown method", 501, "BREW /api/v2/hello/a HTTP/1.1\r\n" + host + "\r\n"},
  // Header fields
  {"a field without a colon", 400, get_line + host + "Nonsense\r\n\r\n"},
  {"a field without a name", 400, get_line + host + ": x\r\n\r\n"},
  {"a blank in a name", 400, get_line + host + "X Y: z\r\n\r\n"},
  {"NUL in a value", 400, get_line + host + std::string{"X: a\0b\r\n\r\n", 10}},
  {"a bare carriage return in a value", 400, get_line + host + "X: a\rContent-Length: 5\r\n\r\n"},
  {"a bare line feed between fields", 400, get_line + host + "X: a\nContent-Length: 5\r\n\r\n"},
  {"a continuation before the first field", 400, get_line + " X: a\r\n" + host + "\r\n"},
  // Past a bound
  {"a large header", 431, get_line + host + "X: " + std::string(20'000, 'x') + "\r\n\r\n"},
  {"a header without end", 431, get_line + host + std::string(200'000, 'x')},
  {"many fields", 431,
   [] {
     auto out = get_line + host;
     for (int i = 0; i < 100; ++i)
       out += "X: y\r\n";
     return out + "\r\n";
   }()},
  {"a long target", 414, "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n" + host + "\r\n"},
  {"a large body", 413, post_line + host + json + "Content-Length: 65537\r\n\r\n"},
  {"a large chunked body", 413,
   post_line + host + json + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + std::string(65537, ' ') + "\r\n0\r\n\r\n"},
  // What is not offered
  {"another expectation", 417, post_line + host + "Expect: 200-ok\r\nContent-Length: 0\r\n\r\n"},
  {"an encoded body", 415, post_line + host + json + "Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"},
};

/// These end where everybody sees them end: the connection goes on.
const hostile going_on[]{
  {"a path that is not there", 404, request("GET", "/")},
  {"a path that climbs", 404, request("GET", "/api/v2/../../etc/passwd")},
  {"an encoded slash instead of one", 404, request("GET", "/api%2Fv2/hello/a")},
  {"a method the path does not take", 405, request("DELETE", "/api/v2/hello/a")},
  {"a percent sign alone", 400, request("GET", "/api/v2/hello/%")},
  {"a percent sign before letters", 400, request("GET", "/api/v2/hello/%zz")},
  {"an encoded NUL in the path", 400, request("GET", "/api/v2/hello/a%00b")},
  {"bad UTF-8 in the path", 400, request("GET", "/api/v2/hello/%ff")},
  {"an overlong slash", 400, request("GET", "/api/v2/hello/%c0%af")},
  {"an encoded NUL in the query", 400, request("GET", "/api/v2/hello/a?x=%00")},
  {"bad UTF-8 in the query", 400, request("GET", "/api/v2/hello/a?%ff=1")},
  {"encoded line ends", 400, request("GET", "/api/v2/hello/a%0d%0aX:%20y")},
  {"too many parameters", 400,
   [] {
     std::string target = "/api/v2/hello/a?";
     for (int i = 0; i < 257; ++i)
       target += "a=1&";
     return request("GET", target);
   }()},
  {"a fragment", 400, request("GET", "/api/v2/hello/a#b")},
  {"a star", 400, request("GET", "*")},
  {"a target without a slash", 400, request("GET", "api/v2/hello/a")},
  {"another answer than JSON", 406, request("GET", "/api/v2/hello/a", "Accept: text/html\r\n")},
  {"JSON excluded", 406, request("GET", "/api/v2/hello/a", "Accept: application/json;q=0, */*\r\n")},
  {"a form", 415, request("POST", "/api/v2/echo", "Content-Type: application/x-www-form-urlencoded\r\n", "a=1")},
  {"a body of no type", 415, request("POST", "/api/v2/echo", "", "{}")},
  {"no credential", 401, request("GET", "/api/v2/mine")},
  {"a bad credential", 401, request("GET", "/api/v2/hello/a", "Authorization: Bearer forged\r\n")},
};

TEST_F(HostileTest, RefusesAndClosesWhenTheNextRequestCannotBeFound) {
  start();
  for (const auto& each : closing) {
    SCOPED_TRACE(each.why);
    wire one{port()};
    const auto came = one.send(each.bytes + smuggled).next();
    EXPECT_EQ(came.status, each.status) << came.body;
    EXPECT_EQ(came.header("connection"), "close");
    EXPECT_EQ(came.header("content-type"), "application/json");
    EXPECT_NE(came.body.find(R"("code":)"), std::string::npos);
    EXPECT_TRUE(one.ended()) << "what follows is not answered";
  }
  expect_alive();
}

TEST_F(HostileTest, RefusesAndGoesOnWhenTheRequestIsWholeButWrong) {
  start();
  wire one{port()}; // all on one connection
  for (const auto& each : going_on) {
    SCOPED_TRACE(each.why);
    const auto came = one.send(each.bytes).next();
    ASSERT_EQ(came.status, each.status) << came.body;
    EXPECT_FALSE(came.has("connection"));
    EXPECT_NE(came.body.find(R"("code":)"), std::string::npos);
  }
  EXPECT_EQ(one.send(request("GET", "/api/v2/hello/b")).next().body, R"({"said":"b"})");
  expect_alive();
}

TEST_F(HostileTest, OutlivesConnectionsThatEndAnywhere) {
  start();
  const auto whole = request("POST", "/api/v2/echo", json, R"({"a":1})");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    wire one{port()};
    one.send(whole.substr(0, cut)).end_of_input();
    EXPECT_EQ(one.next().status, 0) << "half a request is not answered";
  }
  expect_alive();
}

TEST_F(HostileTest, OutlivesBytesOfEveryKind) {
  start();
  std::uint64_t dice = 42;
  for (int round = 0; round < 200; ++round) {
    std::string noise = round % 2 ? get_line + host : "";
    for (int i = 0; i < 300; ++i) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      noise += static_cast<char>(dice >> 56);
    }
    wire one{port()};
    const auto came = one.send(noise + "\r\n\r\n").end_of_input().next();
    EXPECT_NE(came.status, 200);
    EXPECT_LT(came.status, 500);
  }
  expect_alive();
}

// -- the clock -------------------------------------------------------------------------------

TEST_F(HostileTest, CutsOffAHeaderThatTakesTooLong) {
  how.header_timeout = std::chrono::milliseconds{50};
  start();
  wire one{port()};
  const auto came = one.send(get_line + "Host:").next();
  EXPECT_EQ(came.status, 408);
  EXPECT_EQ(came.header("connection"), "close");
  EXPECT_TRUE(one.ended());
  expect_alive();
}

TEST_F(HostileTest, CountsTheWholeHeaderAndNotTheTimeBetweenTwoBytes) {
  how.header_timeout = std::chrono::milliseconds{200};
  start();
  wire one{port()};
  one.send(get_line + host + "X: ");
  std::atomic<bool> answered{false};
  std::thread drip{[&] { // never more than a moment without a byte
    for (int i = 0; i < 10'000 && !answered; ++i) {
      one.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }};
  EXPECT_EQ(one.next().status, 408);
  answered = true;
  drip.join();
}

TEST_F(HostileTest, CutsOffABodyThatTakesTooLong) {
  how.request_timeout = std::chrono::milliseconds{50};
  start();
  wire one{port()};
  EXPECT_EQ(one.send(post_line + host + json + "Content-Length: 5\r\n\r\n{").next().status, 408);
  EXPECT_TRUE(one.ended());
  expect_alive();
}

TEST_F(HostileTest, ClosesConnectionsThatAreIdle) {
  how.idle_timeout = std::chrono::milliseconds{50};
  start();
  wire silent{port()};
  EXPECT_TRUE(silent.ended());
  wire one{port()};
  EXPECT_EQ(one.send(request("GET", "/api/v2/hello/a")).next().status, 200);
  EXPECT_TRUE(one.ended());
  expect_alive();
}

TEST_F(HostileTest, LetsGoOfClientsThatDoNotRead) {
  how.write_timeout = std::chrono::milliseconds{50};
  how.connections_max = 1;
  start();
  wire deaf{port()};
  deaf.send(request("GET", "/api/v2/large"));
  // The only place is taken until the server gives up on the one that does not read.
  EXPECT_TRUE(comes_back());
}

// -- crowds ----------------------------------------------------------------------------------

TEST_F(HostileTest, TurnsAwayConnectionsPastTheBound) {
  how.connections_max = 2;
  start();
  {
    wire first{port()}, second{port()};
    EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
    EXPECT_EQ(second.send(request("GET", "/api/v2/hello/a")).next().status, 200);
    wire third{port()};
    const auto came = third.next();
    EXPECT_EQ(came.status, 503);
    EXPECT_EQ(came.header("retry-after"), "1");
    EXPECT_EQ(came.header("connection"), "close");
    EXPECT_TRUE(third.ended());
    EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200) << "the others go on";
    wire operators{running().operator_port()};
    EXPECT_EQ(operators.send(request("GET", "/livez")).next().status, 200) << "operators have their own door";
  }
  EXPECT_TRUE(comes_back()) << "once the server has seen them leave";
}

TEST_F(HostileTest, TurnsAwayConnectionsPastTheBoundOfAnAddress) {
  how.connections_per_address_max = 1;
  start();
  wire first{port()};
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
  wire second{port()};
  EXPECT_EQ(second.next().status, 503);
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
}

} // namespace
} // namespace credence::http
