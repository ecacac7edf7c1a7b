#include "ops/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace credence::ops {

void tell_service_manager(std::string_view text) noexcept {
  const auto* where = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  if (!where || (where[0] != '/' && where[0] != '@') || std::strlen(where) >= sizeof to.sun_path)
    return;
  to.sun_family = AF_UNIX;
  const auto length = std::strlen(where);
  std::memcpy(to.sun_path, where, length);
  if (where[0] == '@') // in the abstract namespace
    to.sun_path[0] = '\0';
  const int on = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (on < 0)
    return;
  ::sendto(on, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
  ::close(on);
}

} // namespace credence::ops
