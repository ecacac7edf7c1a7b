#include "tests/http/key_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace credence::test {

key_server::key_server(std::string body) : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), body_(std::move(body)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  if (::bind(listening_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(listening_, 16) != 0
      || ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &length) != 0)
    throw std::runtime_error("the server of keys cannot listen");
  port_ = ntohs(at.sin_port);
  thread_ = std::thread{[this] { serve(); }};
}

key_server::~key_server() {
  stopping_ = true;
  ::shutdown(listening_, SHUT_RDWR); // wakes the accept
  thread_.join();
  ::close(listening_);
}

void key_server::answer(std::string body, std::string head) {
  const std::lock_guard lock{guard_};
  body_ = std::move(body);
  head_ = std::move(head);
}

void key_server::serve() {
  while (!stopping_) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      continue;
    const timeval patience{10, 0};
    ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    answer_one(client);
    ::close(client);
  }
}

void key_server::answer_one(int client) {
  std::string request;
  char chunk[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const auto n = ::recv(client, chunk, sizeof chunk, 0);
    if (n <= 0)
      return;
    request.append(chunk, static_cast<std::size_t>(n));
  }
  ++requests_;
  std::string out;
  {
    const std::lock_guard lock{guard_};
    out = "HTTP/1.1 " + head_ + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
          + std::to_string(body_.size()) + "\r\n\r\n" + body_;
  }
  for (std::size_t sent = 0; sent < out.size();) {
    const auto n = ::send(client, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    sent += static_cast<std::size_t>(n);
  }
}

} // namespace credence::test
