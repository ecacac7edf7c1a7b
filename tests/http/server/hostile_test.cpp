#include "tests/http/server/small_server.hpp"
#include "tests/sanitized.hpp"
#include "tests/waiting.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace credence::http {
namespace {

// What single requests come to is in tests/system/hostile_test.cpp; here: noise, slowness, crowds.

struct HostileTest : test::small_server {
  /// Asks until somebody is let in again.
  bool comes_back() { return comes_back("/api/v2/hello/a"); }
  bool comes_back(std::string_view target, std::string_view more = "") {
    return credence::test::comes_true([&] { return get(target, more).status == 200; });
  }
  std::int64_t metric(const std::string& name) {
    test::wire operators{running().operator_port()};
    const auto text = operators.send(test::request("GET", "/metrics")).next().body;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : static_cast<std::int64_t>(std::stod(text.substr(at + name.size() + 2)));
  }
  /// Waits until the bytes of answers that nobody takes are within these bounds.
  bool holds(std::int64_t least, std::int64_t most) {
    return credence::test::comes_true([&] {
      const auto now = metric("credence_http_unsent_bytes");
      return now >= least && now <= most;
    });
  }
};
using test::request;
using test::wire;

const std::string host = "Host: a\r\n";
const std::string json = "Content-Type: application/json\r\n";
const std::string get_line = "GET /api/v2/hello/a HTTP/1.1\r\n";
const std::string post_line = "POST /api/v2/echo HTTP/1.1\r\n";

TEST_F(HostileTest, OutlivesBytesOfEveryKind) {
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

TEST_F(HostileTest, RefusesFieldsThatGoOnInAnotherLine) {
  for (const auto* folded :
       {"Host: a\r\nContent-Length: 2\r\n 2\r\n", "Host: a\r\nContent-Length:\r\n\t2\r\n",
        "Host: a\r\nTransfer-Encoding:\r\n chunked\r\n", "Host:\r\n a\r\n", "Host: a\r\nX: y\r\n z\r\n"}) {
    for (const bool in_two : {false, true}) {
      wire one{port()};
      one.send(get_line);
      if (in_two)
        one.send(std::string{folded, 9});
      const auto came = one.send((in_two ? std::string{folded}.substr(9) : folded) + "\r\n").next();
      EXPECT_EQ(came.status, 400) << folded;
      EXPECT_EQ(came.header("connection"), "close") << folded;
      EXPECT_TRUE(one.ended()) << folded;
    }
  }
  expect_alive();
}

TEST_F(HostileTest, ClosesConnectionsThatSendEmptyLines) {
  wire few{port()};
  EXPECT_EQ(few.send("\r\n\r\n\r\n\r\n" + request("GET", "/api/v2/hello/a")).next().status, 200);
  EXPECT_EQ(few.send("\r\n\r\n\r\n\r\n" + request("GET", "/api/v2/hello/a")).next().status, 200)
    << "counted anew for each request";
  wire many{port()};
  for (int i = 0; i < 5; ++i)
    many.send("\r\n");
  EXPECT_EQ(many.next().status, 400);
  EXPECT_TRUE(many.ended());
}

// -- the clock -------------------------------------------------------------------------------

TEST_F(HostileTest, CutsOffAHeaderThatTakesTooLong) {
  how.header_timeout = std::chrono::milliseconds{50};
  wire one{port()};
  const auto came = one.send(get_line + "Host:").next();
  EXPECT_EQ(came.status, 408);
  EXPECT_EQ(came.header("connection"), "close");
  EXPECT_TRUE(one.ended());
  expect_alive();
}

TEST_F(HostileTest, CountsTheWholeHeaderAndNotTheTimeBetweenTwoBytes) {
  how.header_timeout = std::chrono::milliseconds{200};
  wire one{port()};
  one.send(get_line + host + "X: ");
  std::atomic<bool> answered{false};
  std::thread drip{[&] { // never more than a moment without a byte
    while (!answered) {
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
  wire one{port()};
  EXPECT_EQ(one.send(post_line + host + json + "Content-Length: 5\r\n\r\n{").next().status, 408);
  EXPECT_TRUE(one.ended());
  expect_alive();
}

TEST_F(HostileTest, ClosesConnectionsThatAreIdle) {
  how.idle_timeout = std::chrono::seconds{3}; // within which a request is sent
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
  wire deaf{port()};
  deaf.send(request("GET", "/api/v2/large"));
  // The only place is taken until the server gives up on the one that does not read.
  EXPECT_TRUE(comes_back());
}

// -- answers that nobody reads ---------------------------------------------------------------

constexpr std::int64_t large_bytes = 8 << 20; // of /api/v2/large
constexpr std::chrono::minutes longer_than_a_test{10};

TEST_F(HostileTest, TurnsLargeReadsAwayWhileAnswersAreNotTaken) {
  how.unsent_bytes_max = 4 * std::size_t{large_bytes}; // one of them an address
  how.write_timeout = longer_than_a_test;
  how.trusted_proxies = {"127.0.0.0/8"};
  const std::string here = "X-Forwarded-For: 1.2.3.4\r\n";
  {
    wire deaf{port()};
    deaf.send(request("GET", "/api/v2/large", here));
    EXPECT_TRUE(holds(1, large_bytes));
    wire one{port()};
    const auto came = one.send(request("GET", "/api/v2/large", here)).next();
    EXPECT_EQ(came.status, 503);
    EXPECT_EQ(came.header("retry-after"), "1");
    EXPECT_EQ(came.header("connection"), "close");
    EXPECT_TRUE(one.ended());
    EXPECT_EQ(get("/api/v2/hello/a", here).status, 200) << "small answers go on";
    EXPECT_EQ(get("/api/v2/large", "X-Forwarded-For: 1.2.3.5\r\n").body.size(), static_cast<std::size_t>(large_bytes))
      << "others are served";
    EXPECT_TRUE(holds(1, large_bytes));
  }
  EXPECT_TRUE(comes_back("/api/v2/large", here)) << "once the deaf one has gone";
  EXPECT_TRUE(holds(0, 0));
}

TEST_F(HostileTest, GivesTheRoomOfWhoDoesNotReadToOthers) {
  how.unsent_bytes_max = 4 * std::size_t{large_bytes};
  how.write_timeout = std::chrono::seconds{2}; // within which the other one takes its answer
  wire deaf{port()};
  deaf.send(request("GET", "/api/v2/large"));
  EXPECT_TRUE(comes_back("/api/v2/large"));
}

TEST_F(HostileTest, KeepsItsMemoryWhenACrowdReadsNothing) {
  constexpr std::int64_t crowd = 150; // 1.2 GB of answers
  how.unsent_bytes_max = 8 * std::size_t{large_bytes};
  how.write_timeout = longer_than_a_test; // nobody leaves room for another one
  const auto refused_before = metric("credence_http_answers_refused_total");
  const auto before = metric("process_resident_memory_bytes");
  std::vector<std::unique_ptr<wire>> deaf;
  for (int i = 0; i < crowd; ++i)
    deaf.emplace_back(std::make_unique<wire>(port()))->send(request("GET", "/api/v2/large"));
  const auto refused = [&] { return metric("credence_http_answers_refused_total") - refused_before; };
  EXPECT_TRUE(credence::test::await("refusals", [&] { return refused() >= crowd - 2; })) << refused();
  EXPECT_LE(metric("credence_http_unsent_bytes"), 2 * large_bytes);
  if (!credence::test::sanitized)
    EXPECT_LT(metric("process_resident_memory_bytes") - before, 128ll << 20);
  expect_alive();
}

// -- crowds ----------------------------------------------------------------------------------

TEST_F(HostileTest, TurnsAwayConnectionsPastTheBound) {
  how.connections_max = 2;
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
  wire first{port()};
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
  wire second{port()};
  EXPECT_EQ(second.next().status, 503);
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
}

TEST_F(HostileTest, WhoeverIsTurnedAwayTakesNobodysPlace) {
  how.connections_max = 3;
  how.connections_per_address_max = 1;
  wire first{port()};
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/a")).next().status, 200);
  std::vector<std::unique_ptr<wire>> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::make_unique<wire>(port()));
    EXPECT_EQ(crowd.back()->next().status, 503);
  }
  wire other{port(), 2};
  EXPECT_EQ(other.send(request("GET", "/api/v2/hello/a")).next().status, 200) << "from another address";
}

TEST_F(HostileTest, OneAddressLeavesHalfOfTheOperatorsDoorToOthers) {
  const auto door = running().operator_port();
  std::vector<std::unique_ptr<wire>> crowd;
  for (int i = 0; i < 140; ++i)
    crowd.push_back(std::make_unique<wire>(door));
  EXPECT_EQ(crowd.front()->send(request("GET", "/livez")).next().status, 200);
  EXPECT_EQ(crowd.back()->next().status, 503);
  wire other{door, 2};
  EXPECT_EQ(other.send(request("GET", "/livez")).next().status, 200) << "from another address";
}

} // namespace
} // namespace credence::http
