#pragma once

#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace credence::persistence {

/// A database is not as this build needs it, or may not be changed; written for the operator.
class migration_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One step of the schema: `name` is its file, which begins with the version.
struct migration {
  int version = 0;
  std::string_view name;
  std::string_view text; // SQL
};

/// The migrations in this executable, by version, gapless from 1.
std::span<const migration> migrations_of_this_build();

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
std::vector<migration_status> migration_list(connection& on, steady_time deadline,
                                             std::span<const migration> build = migrations_of_this_build());

/// Whether this build can work on the database as it is. Changes nothing.
schema_state check_schema(connection& on, steady_time deadline,
                          std::span<const migration> build = migrations_of_this_build());

/// What an operator has to do about a schema, or null when it is current.
const char* what_to_do(schema_state state) noexcept;

/// Applies what is pending, each migration in a transaction of its own. Programs that
/// do this at the same time wait for each other. A statement waits two seconds at a time for a lock of a table, as
/// whoever comes meanwhile waits behind it; a migration that did not get its locks is tried again for as long as
/// `patience`, and then given up (`migration_error`, which names who holds some). Refuses (throws `migration_error`,
/// nothing applied) a database that is newer than this build, a migration whose text has changed and a gap.
/// Returns the versions applied; `told` hears how far it is.
std::vector<int> migrate_up(connection& on, steady_time deadline,
                            std::span<const migration> build = migrations_of_this_build(),
                            ops::progress& told = ops::untold(),
                            std::chrono::milliseconds patience = std::chrono::seconds{30});

/// Until 2026-11-29 the schema was made by 53 steps, of which many replaced what earlier ones had made. The baseline is
/// what they came to, by area: the first migrations of this build. A database that took all 53 keeps its rows and takes
/// their history.
inline constexpr std::size_t baseline_migrations = 14;
inline constexpr std::string_view first_former_step = "0001_foundation.sql";
/// SHA-256 of the lines "version name checksum" of the 53, in hex.
inline constexpr std::string_view former_history_digest =
  "f09ff66a7313073219e7aef96e1661b31616544a236d118e375d38f7f2ee1df0";

/// SQL that brings the schema of the 53 steps to that of the baseline: names that tables had while they were made anew,
/// and one function in place of six. `build` begins with the baseline.
std::string to_baseline(std::span<const migration> build);

} // namespace credence::persistence
