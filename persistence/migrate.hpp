#pragma once

#include "persistence/connection.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace credence::persistence {

/// A database is not as this build needs it, or may not be changed; written for the operator.
class migration_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

enum class migration_state : std::uint8_t {
  applied, // and unchanged since
  pending, // this build has it, the database does not
  changed, // applied from another text than this build has
  unknown, // applied, but this build does not have it: the database is newer
};

struct migration_status {
  int version = 0;
  std::string name;
  migration_state state{};
};

/// How the schema of a database stands to this build.
enum class schema_state : std::uint8_t {
  current, // the very schema of this build
  behind,  // `credence migrate up` is needed
  ahead,   // newer than this build: use a newer one
  changed, // a migration was applied from another text
};

/// All migrations of this build and of the database, by version. Changes nothing.
std::vector<migration_status> migration_list(connection& on, steady_time deadline);

schema_state check_schema(connection& on, steady_time deadline);

/// Applies what is pending, each migration in a transaction of its own, under an
/// advisory lock so that two programs do not do it at once. Refuses (throws
/// `migration_error`, nothing applied) a database that is newer than this build, a
/// migration whose text has changed and a gap. Returns the versions applied.
std::vector<int> migrate_up(connection& on, steady_time deadline);

} // namespace credence::persistence
