#include "http/commands/command.hpp"

#include <iostream>

namespace credence::commands {

int access(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "access");
  const auto changed =
    on.exec_params("UPDATE profiles SET api_access = $2::bool WHERE id = $1::int4 RETURNING archived",
                   persistence::parameters{}.int4(line.access_profile).boolean(!line.access_off),
                   persistence::deadline_in(patience));
  if (changed.empty())
    throw ending{failed, "there is no profile " + std::to_string(line.access_profile)};
  if (line.json)
    std::cout << R"({"profileId":)" << line.access_profile << R"(,"apiAccess":)" << (line.access_off ? "false" : "true") << "}\n";
  else
    std::cout << "profile " << line.access_profile << (line.access_off ? " may have no API keys" : " may have API keys")
              << (changed.boolean(0, 0) ? ", once it is no longer archived\n" : "\n");
  return ok;
}

} // namespace credence::commands
