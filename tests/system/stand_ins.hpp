#pragma once

#include "tests/process.hpp"

namespace credence::test {

/// A library that stands in front of others in a program that a test starts, and does what a file of orders says.
class stand_in {
public:
  stand_in(const stand_in&) = delete;
  stand_in& operator=(const stand_in&) = delete;
  ~stand_in();

  /// What the program has to be started with.
  environment in_front() const;

protected:
  /// `variable` tells the library, which lies at `built`, where its orders are.
  stand_in(const std::string& variable, const std::string& built);
  void write(const std::string& orders) const;

  const std::string variable_, orders_, library_;
};

/// In front of PostgreSQL's libc: a disk that is slow, broken or full on demand.
struct faulty_disk : stand_in {
  faulty_disk();
  /// `slow 400`, `broken`, `full`; see tests/system/faulty_disk.c.
  void order(const std::string& text) const { write(text); }
  void mend() const;
};

/// A wall clock that can be set, for whoever is started in front of it: the server, PostgreSQL, or both, as on one
/// machine.
struct machine_clock : stand_in {
  machine_clock();
  /// So many seconds ahead of the true time.
  void set(long seconds_ahead) const { write(std::to_string(seconds_ahead)); }
};

/// In front of the server's actor library: ends actors or lets them stand still on demand.
struct faulty_actors : stand_in {
  faulty_actors();
  /// `kill people`, `hold writer`, `hold io`, `go on`; see tests/system/faulty_actors_library.cpp.
  /// Returns when it was done; false when it was not in time.
  bool order(const std::string& text) const;
};

} // namespace credence::test
