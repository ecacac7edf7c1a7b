#include "tests/system/held_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace credence::test {

held_port::held_port() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int one = 1;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0
      || ::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) != 0
      || ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    ::close(socket_);
    throw std::runtime_error("no port is free");
  }
  number_ = ntohs(at.sin_port);
}

held_port::~held_port() { ::close(socket_); }

} // namespace credence::test
