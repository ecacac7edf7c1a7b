#include "tests/http/server/small_server.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace credence::test {
namespace {

using http::test::answer;
using http::test::wire;

/// Sends `start`, then a byte of `rest` again and again with hardly a pause, until an answer
/// comes. Only a deadline over the whole can end that.
answer drip(std::uint16_t port, const std::string& start, char rest) {
  wire one{port};
  one.send(start);
  std::atomic<bool> answered{false};
  std::thread sender{[&] {
    while (!answered) {
      one.send(std::string(1, rest));
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }};
  auto came = one.next();
  answered = true;
  sender.join();
  return came;
}

/// Clients that never stop and never come to an end are cut off by deadlines over the whole
/// header and the whole request, here shortened.
TEST(SlowClients, AreCutOffWhileOthersAreServed) {
  service server{service::size{20, 3, 20}};
  server.start({"--http-header-timeout", "300", "--http-request-timeout", "600"});
  const auto pid = server.pid();
  const std::string post = "POST /api/v2/projects/1/votes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                           + server.token(2) + "\r\nContent-Type: application/json\r\n";

  const auto slow_header = drip(server.port(), "GET /api/v2/healthcheck HTTP/1.1\r\nHost: a\r\nX: ", 'x');
  EXPECT_EQ(slow_header.status, 408);
  EXPECT_EQ(slow_header.header("connection"), "close");

  const auto slow_body = drip(server.port(), post + "Content-Length: 60000\r\n\r\n{", ' ');
  EXPECT_EQ(slow_body.status, 408);
  EXPECT_EQ(slow_body.header("connection"), "close");

  const auto slow_chunk = drip(server.port(), post + "Transfer-Encoding: chunked\r\n\r\nea60\r\n{", ' ');
  EXPECT_EQ(slow_chunk.status, 408);

  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
  EXPECT_EQ(server.pid(), pid);
  EXPECT_TRUE(server.running());
}

} // namespace
} // namespace credence::test
