#include "auth/access_token.hpp"
#include "auth/token_key.hpp"
#include "http/commands/command.hpp"

#include <filesystem>
#include <iostream>

namespace credence::commands {

namespace {

/// Settings of a server whose keys are in its data directory.
settings::all with_ring(const command_line& line) {
  auto with = good_settings(line);
  if (!with.auth.token_secret.empty())
    throw ending{usage,
                 "auth.token_secret is set: put a new one in its place, and this one into auth.token_secret_before"};
  if (!std::filesystem::exists(with.data_dir + "/token.key"))
    throw ending{usage, "there is no token.key in " + with.data_dir
                          + ": name the data directory of the server with --data-dir"};
  return with;
}

} // namespace

int signing_keys_list(const command_line& line) {
  const auto rules = token_rules(good_settings(line));
  std::cout << rules.key.id() << " signs\n";
  for (const auto& each : rules.older)
    std::cout << each.id() << " signed before; what it signed still holds\n";
  return ok;
}

int signing_keys_rotate(const command_line& line) {
  const auto with = with_ring(line);
  std::cout << auth::rotate_signing_keys(with.data_dir) << " signs from the server's next start on; restart it now\n";
  return ok;
}

int signing_keys_retire(const command_line& line) {
  const auto with = with_ring(line);
  auth::retire_signing_key(with.data_dir, line.signing_key);
  std::cout << "what " << line.signing_key
            << " signed, API keys too, ends with the server's next start; restart it now\n";
  return ok;
}

} // namespace credence::commands
