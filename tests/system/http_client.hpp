#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::test {

/// An answer as it came over the wire. `status` 0: none came (cut, refused, timed out).
struct http_response {
  int status = 0;
  std::map<std::string, std::string> headers; // names in lower case
  std::vector<std::string> cookies;           // each Set-Cookie
  std::string body;
  explicit operator bool() const noexcept { return status != 0; }
  /// The value of a cookie that it sets; empty without one.
  std::string cookie(const std::string& name) const {
    for (const auto& each : cookies)
      if (each.starts_with(name + '='))
        return each.substr(name.size() + 1, each.find(';') - name.size() - 1);
    return {};
  }
};

/// The answer, which has to be 200: throws otherwise, with the place of the call and the body, so that a test ends.
http_response ok(http_response answer, const char* file = __builtin_FILE(), int line = __builtin_LINE());
/// Status and code of an answer, such as `404 NOT_FOUND`; `200` alone.
std::string code(const http_response& answer);
/// Whether a text holds another one, or each of several; says which does not, or does.
testing::AssertionResult has(std::string_view text, std::string_view part);
template <class... More>
testing::AssertionResult has(std::string_view text, std::string_view part, const More&... more) {
  const auto first = has(text, part);
  return first ? has(text, more...) : first;
}
template <class... Parts>
testing::AssertionResult has(const http_response& in, const Parts&... parts) {
  return has(std::string_view{in.body}, parts...);
}

using http_headers = std::vector<std::pair<std::string, std::string>>;

/// A blocking HTTP/1.1 client on one keep-alive connection to loopback; connects on first use, again after a cut, and
/// before a request where the server has closed the connection meanwhile, as it does with idle ones.
class http_client {
public:
  /// Longer than any answer takes of a server that works, on a busy machine too.
  static constexpr int answer_timeout_ms = 60'000;

  /// `timeout_ms`: for each piece of an answer; less where it is expected that none comes.
  explicit http_client(std::uint16_t port, int timeout_ms = answer_timeout_ms) : port_(port), timeout_ms_(timeout_ms) {}
  http_client(http_client&& other) noexcept;
  http_client& operator=(http_client&&) = delete;
  ~http_client();

  http_response send(std::string_view method, std::string_view target, const http_headers& headers = {},
                     std::string_view body = {});
  http_response get(std::string_view target, std::string_view token = {});
  http_response post(std::string_view target, std::string_view json, std::string_view token = {});

  /// Sends bytes as they are, then reads one answer.
  http_response raw(std::string_view bytes, bool head = false);
  /// Reads the next answer on this connection.
  http_response read_answer(bool head = false);
  /// Reads a line of a body that goes on, without its end; false when none comes in time.
  bool read_line(std::string& line);
  void close();

private:
  bool connect();
  bool closed_by_server() const;
  bool write_all(std::string_view bytes);
  bool fill();

  std::uint16_t port_;
  int timeout_ms_;
  int socket_ = -1;
  std::string buffer_;
};

} // namespace credence::test
