#include "tests/system/exchange_log.hpp"

#include "tests/system/http_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>

namespace credence::test::exchange_log {

namespace {

constexpr int of_each_max = 200; // of one path and status
constexpr std::size_t body_bytes_max = 256 << 10;
constexpr std::size_t file_bytes_max = 256 << 20;
/// What of a request's header is written; no credential.
constexpr std::array<std::string_view, 8> headers_kept{"content-type", "content-length",  "transfer-encoding",
                                                       "accept",       "idempotency-key", "x-service-client",
                                                       "x-request-id", "if-none-match"};

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.append("\\").push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  append_text(out, name);
  out += ':';
  append_text(out, value);
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

/// Of what is packed, and so no text.
std::string hex_of(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

struct request_line {
  std::string_view method;
  std::string_view target;
};

/// Nothing of what is no request, as some tests send.
request_line line_of(std::string_view head) {
  const auto line = head.substr(0, head.find("\r\n"));
  const auto first = line.find(' ');
  const auto second = first == line.npos ? line.npos : line.find(' ', first + 1);
  return second == line.npos ? request_line{}
                             : request_line{line.substr(0, first), line.substr(first + 1, second - first - 1)};
}

/// The target without what differs between requests to one path.
std::string pattern_of(std::string_view target) {
  std::string out;
  auto rest = target.substr(0, target.find('?'));
  while (!rest.empty()) {
    const auto end = std::min(rest.find('/', 1), rest.size());
    const auto segment = rest.substr(0, end);
    const bool varies = segment.size() > 3
                        && std::any_of(segment.begin() + 2, segment.end(), [](char c) { return c >= '0' && c <= '9'; });
    out += varies ? "/*" : segment;
    rest.remove_prefix(end);
  }
  return out;
}

std::string line_for(const request_line& request, std::string_view head, std::string_view body,
                     const http_response& answer) {
  std::string out{"{"};
  append_member(out, "method", request.method);
  append_member(out, "target", request.target);
  out += ",\"sent\":{";
  for (auto at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, std::min(head.find("\r\n", at + 2), head.size()) - at - 2);
    const auto colon = line.find(':');
    const auto name = lower(line.substr(0, colon));
    if (colon != line.npos && std::find(headers_kept.begin(), headers_kept.end(), name) != headers_kept.end())
      append_member(out, name, line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size())));
  }
  out += '}';
  append_member(out, "body", body);
  out.append(",\"status\":").append(std::to_string(answer.status)).append(",\"headers\":{");
  for (const auto& [name, value] : answer.headers)
    append_member(out, name, name == "set-cookie" ? std::string_view{"(not written)"} : std::string_view{value});
  out += '}';
  append_member(out, "answer", answer.headers.contains("content-encoding") ? hex_of(answer.body) : answer.body);
  return out + "}\n";
}

class writer {
public:
  writer() {
    if (const char* directory = std::getenv("TEST_EXCHANGES"); directory && *directory)
      file_.open(std::string{directory} + "/" + std::to_string(::getpid()) + ".jsonl", std::ios::app);
  }
  bool on() const { return file_.is_open(); }
  void watch(std::uint16_t port) {
    const std::lock_guard lock{mutex_};
    ports_.insert(port);
  }
  void forget(std::uint16_t port) {
    const std::lock_guard lock{mutex_};
    ports_.erase(port);
  }
  void note(std::uint16_t port, std::string_view request, const http_response& answer) {
    const auto end = request.find("\r\n\r\n");
    const auto head = request.substr(0, end);
    const auto line = line_of(head);
    if (end == request.npos || line.target.empty() || answer.status < 200 || answer.body.size() > body_bytes_max
        || request.size() > body_bytes_max)
      return;
    const std::lock_guard lock{mutex_};
    if (!ports_.contains(port) || written_ > file_bytes_max)
      return;
    if (++seen_[std::string{line.method} + pattern_of(line.target) + std::to_string(answer.status)] > of_each_max)
      return;
    const auto text = line_for(line, head, request.substr(end + 4), answer);
    written_ += text.size();
    file_ << text << std::flush;
  }

private:
  std::mutex mutex_;
  std::ofstream file_;
  std::set<std::uint16_t> ports_;
  std::map<std::string, int> seen_;
  std::size_t written_ = 0;
};

writer& the_writer() {
  static writer one;
  return one;
}

} // namespace

void watch(std::uint16_t port) {
  if (the_writer().on())
    the_writer().watch(port);
}

void forget(std::uint16_t port) {
  if (the_writer().on())
    the_writer().forget(port);
}

void note(std::uint16_t port, std::string_view request, const http_response& answer) {
  if (the_writer().on())
    the_writer().note(port, request, answer);
}

} // namespace credence::test::exchange_log
