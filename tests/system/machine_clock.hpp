#pragma once

#include "tests/process.hpp"

#include <string>

namespace credence::test {

/// A wall clock that can be set, for whoever is started in front of it: the server, PostgreSQL,
/// or both, as on one machine.
class machine_clock {
public:
  machine_clock();
  machine_clock(const machine_clock&) = delete;
  machine_clock& operator=(const machine_clock&) = delete;
  ~machine_clock();

  /// What a program has to be started with.
  environment in_front() const;
  /// So many seconds ahead of the true time.
  void set(long seconds_ahead) const;

private:
  std::string shift_;
  std::string library_;
};

} // namespace credence::test
