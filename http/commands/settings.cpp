#include "auth/wallet_keys_local.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "http/outside/client.hpp"

#include <string>

namespace credence::commands {

int config_check(const command_line& line) {
  const auto loaded = load_settings(line);
  auto mistakes = loaded.mistakes;
  if (loaded.values.store.database_url.empty())
    mistakes.push_back("store.database_url is empty: serve needs one");
  try {
    open_wallet_keys(loaded.values);
  } catch (const ending& why) {
    mistakes.push_back(why.why);
  }
  for (const auto& mistake : mistakes)
    std::cerr << mistake << "\n";
  if (!mistakes.empty())
    return usage;
  std::cout << "the settings are good\n";
  return ok;
}

int config_show(const command_line& line) {
  const auto loaded = load_settings(line);
  print_rows(
    line.json, loaded.list,
    [](auto& to, const auto& each) {
      to.field("name", each.name);
      to.field("value", each.value);
      to.field("origin", each.origin);
    },
    [](const auto& each) { return each.name + " = " + each.value + "    # " + each.origin; });
  for (const auto& mistake : loaded.mistakes)
    std::cerr << mistake << "\n";
  return loaded.mistakes.empty() ? ok : usage;
}

/// The settings that have an example, by sections.
int config_example(const command_line&) {
  std::cout << "# Settings of Credence. A line behind a # is an example, not the default. All settings: credence serve "
               "--help.\n"
               "# After a change: credence config check --config THIS_FILE\n";
  std::string section;
  for (const auto& each : settings::descriptions()) {
    if (each.example.empty())
      continue;
    const auto dot = each.name.find('.');
    if (section != each.name.substr(0, dot)) {
      section = each.name.substr(0, dot);
      std::cout << "\n[" << section << "]\n";
    }
    std::cout << "# " << each.help << (each.initial.empty() ? "" : " [" + each.initial + "]") << "\n"
              << (each.required ? "" : "# ") << each.name.substr(dot + 1) << " = " << each.example << "\n";
  }
  return ok;
}

int version(const command_line& line) {
  if (line.json)
    std::cout << R"({"name":"credence","version":")" << CREDENCE_VERSION << "\"}\n";
  else
    std::cout << "credence " << CREDENCE_VERSION << "\n";
  return ok;
}

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
