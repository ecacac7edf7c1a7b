#include "tests/http/small_server.hpp"

#include <atomic>
#include <thread>

namespace credence::http {
namespace {

// What single requests come to is in tests/system/hostile_test.cpp; here: noise, slowness, crowds.

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
