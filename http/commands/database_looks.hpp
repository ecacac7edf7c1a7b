#pragma once

#include "actors/domain/time.hpp"
#include "persistence/postgres/connection.hpp"

#include <string>
#include <utility>
#include <vector>

/// What commands find that look whether something is right, and looks at a database that more than one of them takes.
namespace credence::commands {

/// What one look came to.
struct finding {
  std::string of;    // what was looked at
  bool good = false; // else `text` says what to do
  std::string text;
};

/// What several looks came to, in their order.
class findings {
public:
  void note(std::string of, bool good, std::string text) { all_.push_back({std::move(of), good, std::move(text)}); }
  /// Prints them, a line each or as JSON; the exit code: 1 when one is not good.
  int tell(bool json) const;

private:
  std::vector<finding> all_;
};

// They change nothing, and throw `database_error`.

/// Whether what is committed survives a crash, by the settings that a session of the server's has.
void look_at_durability(findings& to, persistence::connection& on, steady_time until);
/// Whether as many standbys stream as a commit waits for.
void look_at_replication(findings& to, persistence::connection& on, steady_time until);
/// Whether the server's role reads and writes rows and can do no more.
void look_at_role(findings& to, persistence::connection& on, steady_time until);
/// Whether the schema is the one of this build.
void look_at_schema(findings& to, persistence::connection& on, steady_time until);
/// Whether PostgreSQL's clock shows what that of this machine does.
void look_at_clock(findings& to, persistence::connection& on, steady_time until);

} // namespace credence::commands
