#include "tests/system/service.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace credence::test {
namespace {

/// Sends a request, reads `bytes` of the answer and resets the connection.
void hang_up_after(std::uint16_t port, const std::string& request, std::size_t bytes) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  ASSERT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string got(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    const auto n = ::recv(fd, got.data() + have, bytes - have, 0);
    ASSERT_GT(n, 0);
    have += static_cast<std::size_t>(n);
  }
  const linger reset{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  ::close(fd);
}

/// A client that loses the answer at any byte asks again and hears that its vote is there: once.
TEST(CutAnswer, AtEveryByteLeavesOneVoteAndAServerThatGoesOn) {
  service server{service::size{400, 8, 500}};
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  const std::string body = R"({"voteType":"BULLISH"})";
  const auto request = [&](int profile) {
    return "POST /api/v2/projects/1/votes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + server.token(profile)
           + "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  auto client = server.client();
  int profile = 2;
  std::size_t length = 0; // of a whole answer, from a vote that is heard
  {
    const auto heard = client.post("/api/v2/projects/1/votes", body, server.token(profile++));
    ASSERT_EQ(heard.status, 200);
    length = std::string{"HTTP/1.1 200 OK\r\n"}.size() + heard.body.size();
    for (const auto& [name, value] : heard.headers)
      length += name.size() + value.size() + 4;
    length -= 8; // request ids differ in length
  }
  int votes = 1;
  for (std::size_t bytes = 0; bytes < length && profile < 390; ++bytes, ++profile) {
    if (profile % 97 == 0)
      ++profile; // archived
    ASSERT_NO_FATAL_FAILURE(hang_up_after(server.port(), request(profile), bytes));
    const auto again = client.post("/api/v2/projects/1/votes", body, server.token(profile));
    ASSERT_TRUE(again.status == 200 || json_text(again.body, "/code") == "ALREADY_VOTED") << again.body;
    ++votes;
  }
  EXPECT_GT(votes, 200);
  EXPECT_EQ(json_number(client.get("/api/v2/projects/1/voters").body, "/totals/totalVoters"), votes);
  EXPECT_TRUE(server.running());
}

} // namespace
} // namespace credence::test
