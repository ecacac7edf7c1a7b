#include "http/commands/command.hpp"
#include "http/outside/client.hpp"

#include <iostream>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

/// For probes of containers, which give up after some seconds themselves.
constexpr auto answer_timeout = 3s;

/// Where this machine finds the public listener: one on all addresses is on the loopback, too.
std::string listener_of(const settings::http& with) {
  const auto host = with.address == "0.0.0.0" ? "127.0.0.1" : with.address == "::" ? "::1" : with.address;
  return "http://" + (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + std::to_string(with.port);
}

} // namespace

int health(const command_line& line) {
  const auto with = good_settings(line);
  if (with.http.port == 0)
    throw ending{usage, "http.port is 0, so nobody knows where the server listens: name its port"};
  try {
    const auto answer = http::client{{.timeout = answer_timeout}}.get(listener_of(with.http) + "/readyz");
    std::cout << answer.body << "\n";
    return answer.status == 200 ? ok : failed;
  } catch (const http::client_error& why) {
    throw ending{failed, why.what()};
  }
}

} // namespace credence::commands
