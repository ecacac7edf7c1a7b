#pragma once

#include "tests/process.hpp"

#include <filesystem>
#include <memory>

namespace credence::test {

/// A PostgreSQL cluster of its own in a temporary directory, where there is room in memory: its log, and all of it
/// where it is the copy of another one. Unix socket only, fsync on, run by an unprivileged user also when the tests run
/// as root. The cluster is copied from one that this process has initialised once. Gone when this object goes.
class private_postgres {
public:
  explicit private_postgres(environment extra = {});
  /// One with the databases that `stopped` had when it was stopped.
  static std::unique_ptr<private_postgres> copy_of(const private_postgres& stopped, environment extra = {});
  /// A standby of one that runs, which follows it under this name (its application_name).
  static std::unique_ptr<private_postgres> standby_of(const private_postgres& primary, const std::string& name);
  private_postgres(const private_postgres&) = delete;
  private_postgres& operator=(const private_postgres&) = delete;
  ~private_postgres();

  /// Starts the cluster and waits until it takes connections.
  void start();
  /// Orderly shutdown in this mode of pg_ctl.
  void stop(const std::string& mode = "fast");
  /// SIGKILL to the postmaster and all its processes.
  void kill_hard();
  /// SIGSTOP and SIGCONT to all of its processes.
  void pause();
  void resume();

  /// libpq connection string for a database (created empty when it is not there).
  std::string url(const std::string& database = "credence");
  /// Runs SQL statements; their rows, a line each, with | between the columns. Throws on an error.
  std::string sql(const std::string& text, const std::string& database = "credence");
  /// Process ids of the postmaster and its children.
  std::vector<int> processes() const;
  const std::filesystem::path& directory() const noexcept { return home_; }
  /// Whether all of it lies in memory, so that nothing waits for a disk.
  bool in_memory() const;

private:
  private_postgres(const private_postgres& primary, const std::string& follows_as);
  private_postgres(const std::filesystem::path& data, std::filesystem::path home, std::vector<std::string> databases,
                   environment extra);

  /// Gives the cluster, which is a copy, a log of its own: a copy of the other's.
  void move_log(const std::filesystem::path& of_the_other);

  std::filesystem::path home_;
  std::filesystem::path log_; // empty: in the cluster's directory
  environment extra_;
  std::vector<std::string> databases_;
};

} // namespace credence::test
