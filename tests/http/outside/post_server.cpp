#include "tests/http/outside/post_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace credence::test {

post_server::post_server() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  if (::bind(listening_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(listening_, 64) != 0
      || ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &length) != 0)
    throw std::runtime_error("the server of posts cannot listen");
  port_ = ntohs(at.sin_port);
  thread_ = std::thread{[this] { serve(); }};
}

post_server::~post_server() {
  {
    const std::lock_guard lock{guard_};
    stopping_ = true;
    held_.clear();
  }
  changed_.notify_all();
  ::shutdown(listening_, SHUT_RDWR); // wakes the accept
  thread_.join();
  for (auto& each : clients_)
    each.join();
  ::close(listening_);
}

void post_server::answer(const std::string& path, std::string body, std::string head) {
  const std::lock_guard lock{guard_};
  replies_[path] = {std::move(head), std::move(body)};
}

void post_server::post(const std::string& account, const std::string& text) {
  const auto id = [this] {
    const std::lock_guard lock{guard_};
    return std::to_string(1800000000000000000 + ++posts_);
  }();
  answer(
    timeline(account),
    R"({"data":[{"id":")" + id + R"(","text":")" + text
      + R"(","created_at":"2026-03-01T12:00:00.000Z","public_metrics":{"retweet_count":1,"reply_count":3,"like_count":2,)"
        R"("quote_count":9,"impression_count":4}}],"meta":{"result_count":1}})");
}

void post_server::otherwise(std::string body, std::string head) {
  const std::lock_guard lock{guard_};
  otherwise_ = {std::move(head), std::move(body)};
}

void post_server::hold(const std::string& path) {
  const std::lock_guard lock{guard_};
  held_.insert(path);
}

void post_server::release() {
  {
    const std::lock_guard lock{guard_};
    held_.clear();
  }
  changed_.notify_all();
}

std::vector<std::string> post_server::asked() const {
  const std::lock_guard lock{guard_};
  return asked_;
}

bool post_server::waits_for(std::size_t requests) {
  std::unique_lock lock{guard_};
  return changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return asked_.size() >= requests; });
}

void post_server::serve() {
  while (!stopping_) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      continue;
    const timeval timeout{10, 0};
    ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    clients_.emplace_back([this, client] {
      answer_one(client);
      ::close(client);
    });
  }
}

void post_server::answer_one(int client) {
  std::string request;
  char chunk[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const auto n = ::recv(client, chunk, sizeof chunk, 0);
    if (n <= 0)
      return;
    request.append(chunk, static_cast<std::size_t>(n));
  }
  const auto from = request.find(' ') + 1;
  const auto path = request.substr(from, request.find_first_of(" ?", from) - from);
  std::string out;
  {
    std::unique_lock lock{guard_};
    asked_.push_back(request);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_.contains(path); });
    const auto found = replies_.find(path);
    const auto& with = found == replies_.end() ? otherwise_ : found->second;
    out = "HTTP/1.1 " + with.head + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
          + std::to_string(with.body.size()) + "\r\n\r\n" + with.body;
  }
  for (std::size_t sent = 0; sent < out.size();) {
    const auto n = ::send(client, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    sent += static_cast<std::size_t>(n);
  }
}

} // namespace credence::test
