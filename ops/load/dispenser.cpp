#include "ops/load/dispenser.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

namespace credence::load {

sockaddr_in address_of(const options& with) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(with.port);
  if (::inet_pton(AF_INET, with.host.c_str(), &out.sin_addr) != 1)
    give_up("'" + with.host + "' is not an IPv4 address");
  return out;
}

int connect_to(const sockaddr_in& where, int flags) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    ::close(fd);
    return -1;
  }
  if ((flags & SOCK_NONBLOCK) != 0 && ::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

answer_head parse_head(const char* from, const char* end) {
  answer_head out;
  if (end - from < 12 || std::memcmp(from, "HTTP/1.", 7) != 0)
    return out;
  out.status = static_cast<unsigned>((from[9] - '0') * 100 + (from[10] - '0') * 10 + (from[11] - '0'));
  for (const char* at = from; at < end;) {
    const auto* line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (!line_end)
      break;
    at = line_end + 1;
    if (end - at < 16 || (*at != 'C' && *at != 'c'))
      continue;
    if (::strncasecmp(at, "content-length:", 15) == 0) {
      const char* digit = at + 15;
      while (*digit == ' ')
        ++digit;
      out.length = 0;
      for (; *digit >= '0' && *digit <= '9'; ++digit)
        out.length = out.length * 10 + (*digit - '0');
    } else if (::strncasecmp(at, "connection: close", 17) == 0) {
      out.close = true;
    }
  }
  return out;
}

std::optional<std::uint64_t> dispenser::take() {
  if (with_.requests_most > 0 && left_.fetch_sub(1, std::memory_order_relaxed) <= 0) {
    finished_.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }
  const auto n = next_.fetch_add(1, std::memory_order_relaxed);
  if (with_.kind != scenario::votes)
    return n;
  if (n < maker_.pairs.count())
    return n;
  if (with_.wrap)
    return n % maker_.pairs.count();
  left_.fetch_add(1, std::memory_order_relaxed);
  if (!can_advance())
    finished_.store(true, std::memory_order_relaxed);
  return std::nullopt;
}

void dispenser::wait_for_next_period() {
  std::unique_lock lock{mutex_};
  const auto turn = advances_;
  ++waiting_;
  if (waiting_ == threads_)
    advance();
  else
    changed_.wait(lock, [&] { return advances_ != turn; });
}

void dispenser::leave() {
  const std::lock_guard lock{mutex_};
  --threads_;
  if (waiting_ > 0 && waiting_ == threads_)
    advance();
}

void dispenser::advance() {
  const auto where = address_of(with_);
  const int fd = connect_to(where, 0);
  std::string answer;
  if (fd >= 0 && ::send(fd, maker_.advance.data(), maker_.advance.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 4096> piece;
    ssize_t got = 0;
    while (answer.find("\r\n\r\n") == std::string::npos && (got = ::recv(fd, piece.data(), piece.size(), 0)) > 0)
      answer.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (fd >= 0)
    ::close(fd);
  if (parse_head(answer.data(), answer.data() + answer.size()).status != 200)
    give_up("the next voting period could not be opened: " + (answer.empty() ? "no answer" : answer.substr(0, 600)), 1);
  next_.store(0);
  waiting_ = 0;
  ++advances_;
  changed_.notify_all();
}

} // namespace credence::load
