#include "tests/system/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace credence::test {

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const bool found =
    ::bind(socket, reinterpret_cast<sockaddr*>(&at), size) == 0 && ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  ::close(socket);
  if (!found)
    throw std::runtime_error("no port is free");
  return ntohs(at.sin_port);
}

} // namespace credence::test
