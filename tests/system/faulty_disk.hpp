#pragma once

#include "tests/process.hpp"

#include <filesystem>
#include <string>

namespace credence::test {

/// A library in front of PostgreSQL's libc that makes the disk slow, broken or full on demand.
class faulty_disk {
public:
  faulty_disk();
  faulty_disk(const faulty_disk&) = delete;
  faulty_disk& operator=(const faulty_disk&) = delete;
  ~faulty_disk();

  /// What PostgreSQL has to be started with.
  environment in_front() const;
  /// `slow 400`, `broken`, `full`; see tests/system/faulty_disk.c.
  void order(const std::string& text) const;
  void mend() const;

private:
  std::string library_;
  std::string orders_;
};

} // namespace credence::test
