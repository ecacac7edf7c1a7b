#pragma once

#include "actors/domain/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace credence::commands {

/// The file `server.run` in `data_dir`: what a server says of its run while it runs, and of a run that was cut off. The
/// process holds a lock on it, which ends with the process however that ends. Of several servers on one directory only
/// the first one says something.
class run_mark {
public:
  explicit run_mark(const std::string& data_dir);
  run_mark(const run_mark&) = delete;
  run_mark& operator=(const run_mark&) = delete;
  ~run_mark();

  /// When the run before began, where it did not end by itself.
  const std::optional<std::string>& cut_off() const noexcept { return cut_off_; }
  /// By which name that run was known in the database; empty where it ended by itself.
  const std::string& cut_off_owner() const noexcept { return cut_off_owner_; }
  /// The run has begun, with this name in the database.
  void begin(timestamp at, std::uint16_t admin_port, const std::string& owner);
  /// It ends by itself.
  void end();

private:
  int file_ = -1; // negative: another process holds it, or it cannot be written
  std::optional<std::string> cut_off_;
  std::string cut_off_owner_;
};

/// The port of the console of the server that runs on this directory; nothing where none does.
std::optional<std::uint16_t> admin_port_of_running(const std::string& data_dir);

} // namespace credence::commands
