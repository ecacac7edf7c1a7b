#pragma once

#include "tests/process.hpp"

#include <string>

namespace credence::test {

/// A library in front of the server that ends actors or lets them stand still on demand.
class faulty_actors {
public:
  faulty_actors();
  faulty_actors(const faulty_actors&) = delete;
  faulty_actors& operator=(const faulty_actors&) = delete;
  ~faulty_actors();

  /// What the server has to be started with.
  environment in_front() const;
  /// `kill people`, `hold writer`, `hold io`, `go on`; see tests/system/faulty_actors_library.cpp.
  /// Returns when it was done; false when it was not in ten seconds.
  bool order(const std::string& text) const;

private:
  std::string orders_;
};

} // namespace credence::test
