#include "ops/load/dispenser.hpp"

#include "ops/load/wire.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace credence::load {

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
