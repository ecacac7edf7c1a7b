#include "tests/persistence/postgres/cutting_proxy.hpp"

#include "tests/scratch_directory.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace credence::test {

namespace {

sockaddr_un address_of(const std::string& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = directory + "/.s.PGSQL.5432";
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

bool send_all(int to, std::string_view data) {
  while (!data.empty()) {
    const auto sent = ::send(to, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    data.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Whether what the client sent uses a statement that begins a batch; a vote that comes alone has its own.
bool begins_a_batch(std::string_view data) {
  return data.starts_with('B') && (data.find("fence_batch") < 64 || data.find("lone_vote") < 64);
}

} // namespace

cutting_proxy::cutting_proxy(const std::string& behind) : behind_(behind) {
  directory_ = fresh_directory("cut");
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of(directory_);
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
      || ::listen(listening_, 16) != 0)
    throw std::runtime_error("the proxy cannot listen");
  thread_ = std::thread{[this] { serve(); }};
}

cutting_proxy::~cutting_proxy() {
  stopping_ = true;
  thread_.join();
  ::close(listening_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string cutting_proxy::through(const std::string& url) const {
  auto out = url;
  out.replace(out.find(behind_), behind_.size(), directory_);
  return out;
}

void cutting_proxy::serve() {
  while (!stopping_) {
    pollfd waiting{listening_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0)
      continue;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0)
      passing_.emplace_back([this, client] { pass(client); });
  }
  for (auto& each : passing_)
    each.join();
}

void cutting_proxy::pass(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of(behind_);
  bool going = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  bool swallow = false;
  std::array<char, 1 << 16> buffer;
  while (going && !stopping_) {
    std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), 20) <= 0)
      continue;
    for (const auto& each : ends) {
      if (!going || !each.revents)
        continue;
      const auto got = ::recv(each.fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        going = false;
        continue;
      }
      std::string_view data{buffer.data(), static_cast<std::size_t>(got)};
      if (each.fd == client) {
        const bool cut = begins_a_batch(data) && armed_.exchange(false);
        const auto when = when_.load();
        if (cut && when != moment::after) {
          data = data.substr(0, when == moment::before ? 0 : data.size() / 2);
          ++cuts_;
        }
        swallow = swallow || (cut && when == moment::after);
        going = send_all(server, data) && (!cut || when == moment::after);
      } else if (swallow) {
        ++cuts_; // the server has answered, so it has committed
        going = false;
      } else {
        going = send_all(client, data);
      }
    }
  }
  ::close(client);
  ::close(server);
}

} // namespace credence::test
