#pragma once

#include "tests/persistence/cutting_proxy.hpp"
#include "tests/system/faulty_disk.hpp"
#include "tests/system/service.hpp"

#include <functional>
#include <string>
#include <vector>

namespace credence::test {

/// A service with everything around it that can be made to fail.
struct fragile_service {
  explicit fragile_service(service::size demo);
  fragile_service(const fragile_service&) = delete;
  fragile_service& operator=(const fragile_service&) = delete;
  ~fragile_service();

  void start();
  /// Steps the server's wall clock by so many seconds from the true time.
  void set_clock(int seconds) const;

  faulty_disk disk;
  service server;
  cutting_proxy proxy;
  std::string clock_file;
};

/// Something that goes wrong, and is over when `strike` returns: from then on the service has
/// to become ready by itself.
struct fault {
  const char* name;
  std::function<void(fragile_service&)> strike;
};

/// Every fault there is.
const std::vector<fault>& all_faults();

} // namespace credence::test
