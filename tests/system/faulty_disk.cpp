#include "tests/system/faulty_disk.hpp"

#include "tests/build_paths.hpp"
#include <unistd.h>

#include <atomic>
#include <fstream>

namespace credence::test {

namespace fs = std::filesystem;

faulty_disk::faulty_disk() {
  static std::atomic<int> made{0};
  const auto base =
    (fs::temp_directory_path() / ("credence-disk-" + std::to_string(::getpid()) + "-" + std::to_string(++made)))
      .string();
  orders_ = base + ".orders";
  library_ = base + ".so";
  // PostgreSQL's user may not be able to read it where it was built.
  fs::copy_file(test::built::faulty_disk, library_, fs::copy_options::overwrite_existing);
  fs::permissions(library_, fs::perms{0755});
}

faulty_disk::~faulty_disk() {
  std::error_code ignored;
  fs::remove(orders_, ignored);
  fs::remove(library_, ignored);
}

environment faulty_disk::in_front() const { return {{"LD_PRELOAD", library_}, {"FAULTY_DISK", orders_}}; }

void faulty_disk::order(const std::string& text) const {
  const auto fresh = orders_ + ".new";
  std::ofstream{fresh} << text << "\n";
  fs::permissions(fresh, fs::perms{0644});
  fs::rename(fresh, orders_); // nobody reads half an order
}

void faulty_disk::mend() const { fs::remove(orders_); }

} // namespace credence::test
