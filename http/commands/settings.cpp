#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "http/commands/wallet_keys.hpp"

#include <algorithm>
#include <iostream>
#include <string>

namespace credence::commands {

using http::json_writer;

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
  std::string text;
  json_writer json{text};
  json.begin_array();
  for (const auto& each : loaded.list) {
    if (!line.json) {
      std::cout << each.name << " = " << each.value << "    # " << each.origin << "\n";
      continue;
    }
    json.begin_object();
    json.field("name", each.name);
    json.field("value", each.value);
    json.field("origin", each.origin);
    json.end_object();
  }
  json.end_array();
  if (line.json)
    std::cout << text << "\n";
  for (const auto& mistake : loaded.mistakes)
    std::cerr << mistake << "\n";
  return loaded.mistakes.empty() ? ok : usage;
}

namespace {

/// A setting of the example, and a value as TOML has it.
struct sample {
  const char* name;
  const char* value;
  bool in_force = false; // not behind a `#`
};

// What most installations look at. By sections, in the order of the documentation.
constexpr sample samples[] = {{"http.address", R"("127.0.0.1")"},
                              {"http.port", "8080"},
                              {"http.public_url", R"("https://reputation.example.org")"},
                              {"http.security_contact", R"("mailto:security@example.org")"},
                              {"http.trusted_proxies", R"(["127.0.0.1", "::1"])"},
                              {"http.allowed_origins", R"(["https://app.example.org"])"},
                              {"http.admin_url", R"("https://reputation.example.org/ops")"},
                              {"store.database_url", R"("host=/run/postgresql user=credence dbname=credence")", true},
                              {"auth.admins", "[1]"},
                              {"auth.chain_id", "1"},
                              {"log.level", R"("info")"}};

} // namespace

int config_example(const command_line&) {
  std::cout << "# Settings of Credence. A line behind a # is an example, not the default. All settings: credence serve "
               "--help.\n"
               "# After a change: credence config check --config THIS_FILE\n";
  std::string section;
  for (const auto& [name, value, in_force] : samples) {
    const std::string path = name;
    const auto dot = path.find('.');
    if (section != path.substr(0, dot)) {
      section = path.substr(0, dot);
      std::cout << "\n[" << section << "]\n";
    }
    const auto& all = settings::descriptions();
    const auto about = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == path; });
    std::cout << "# " << about->help << (about->initial.empty() ? "" : " [" + about->initial + "]") << "\n"
              << (in_force ? "" : "# ") << path.substr(dot + 1) << " = " << value << "\n";
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

} // namespace credence::commands
