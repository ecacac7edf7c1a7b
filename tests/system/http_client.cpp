#include "tests/system/http_client.hpp"

#include "tests/system/exchange_log.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace credence::test {

http_client::http_client(http_client&& other) noexcept
  : port_(other.port_), timeout_ms_(other.timeout_ms_), socket_(std::exchange(other.socket_, -1)),
    buffer_(std::move(other.buffer_)) {}

http_client::~http_client() { close(); }

void http_client::close() {
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = -1;
  buffer_.clear();
}

bool http_client::connect() {
  if (socket_ >= 0)
    return true;
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port_);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    close();
    return false;
  }
  const int one = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return true;
}

bool http_client::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool http_client::closed_by_server() const {
  pollfd now{socket_, POLLIN, 0};
  char next;
  return ::poll(&now, 1, 0) > 0 && ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool http_client::fill() {
  pollfd wait{socket_, POLLIN, 0};
  if (::poll(&wait, 1, timeout_ms_) <= 0)
    return false;
  char chunk[16384];
  const auto n = ::recv(socket_, chunk, sizeof chunk, 0);
  if (n <= 0)
    return false;
  buffer_.append(chunk, static_cast<std::size_t>(n));
  return true;
}

bool http_client::read_line(std::string& line) {
  std::size_t end;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (!fill())
      return false;
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return true;
}

http_response http_client::read_answer(bool head) {
  http_response answer;
  std::size_t end;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) {
      close();
      return {};
    }
  const std::string header = buffer_.substr(0, end);
  buffer_.erase(0, end + 4);
  if (header.size() < 12)
    return {};
  std::from_chars(header.data() + 9, header.data() + 12, answer.status);
  for (auto at = header.find("\r\n"); at != std::string::npos;) {
    const auto next = header.find("\r\n", at + 2);
    const auto line = header.substr(at + 2, next == std::string::npos ? next : next - at - 2);
    if (const auto colon = line.find(':'); colon != std::string::npos) {
      auto name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      auto& value = answer.headers[name] = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
      if (name == "set-cookie")
        answer.cookies.push_back(value);
    }
    at = next;
  }
  std::size_t length = 0;
  if (const auto found = answer.headers.find("content-length"); found != answer.headers.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), length);
  if (head || answer.status == 204 || answer.status == 304 || answer.status < 200)
    length = 0;
  while (buffer_.size() < length)
    if (!fill()) {
      close();
      return {};
    }
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  const bool goes_on = answer.headers.contains("content-type") && answer.headers["content-type"] == "text/event-stream";
  if (const auto found = answer.headers.find("connection");
      !goes_on && found != answer.headers.end() && found->second == "close")
    close();
  return answer;
}

http_response http_client::raw(std::string_view bytes, bool head) {
  if (!connect())
    return {};
  write_all(bytes); // a server may answer and close before it has read everything
  auto answer = read_answer(head);
  exchange_log::note(port_, bytes, answer);
  return answer;
}

http_response http_client::send(std::string_view method, std::string_view target, const http_headers& headers,
                                std::string_view body) {
  if (socket_ >= 0 && closed_by_server())
    close();
  std::string request;
  request.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  for (const auto& [name, value] : headers)
    request.append(name).append(": ").append(value).append("\r\n");
  if (!body.empty() || method == "POST")
    request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  request.append("\r\n").append(body);
  return raw(request, method == "HEAD");
}

http_response http_client::get(std::string_view target, std::string_view token) {
  http_headers headers;
  if (!token.empty())
    headers.emplace_back("Authorization", "Bearer " + std::string{token});
  return send("GET", target, headers);
}

http_response http_client::post(std::string_view target, std::string_view json, std::string_view token) {
  http_headers headers{{"Content-Type", "application/json"}};
  if (!token.empty())
    headers.emplace_back("Authorization", "Bearer " + std::string{token});
  return send("POST", target, headers, json);
}

} // namespace credence::test
