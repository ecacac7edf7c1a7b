#include "tests/system/machine_clock.hpp"

#include "tests/build_paths.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace credence::test {

namespace fs = std::filesystem;

machine_clock::machine_clock() {
  static std::atomic<int> made{0};
  shift_ = (fs::temp_directory_path() / ("credence-clock-" + std::to_string(::getpid()) + "-" + std::to_string(++made)))
             .string();
  library_ = shift_ + ".so";
  // PostgreSQL's user may not be able to read it where it was built.
  fs::copy_file(test::built::shifted_clock, library_, fs::copy_options::overwrite_existing);
  fs::permissions(library_, fs::perms{0755});
  set(0);
}

machine_clock::~machine_clock() {
  std::error_code ignored;
  fs::remove(shift_, ignored);
  fs::remove(library_, ignored);
}

environment machine_clock::in_front() const {
  const auto* sanitizer = std::getenv("ASAN_OPTIONS"); // whose runtime would not start behind another library
  return {{"LD_PRELOAD", library_},
          {"SHIFTED_CLOCK", shift_},
          {"ASAN_OPTIONS", std::string{sanitizer ? sanitizer : ""} + ":verify_asan_link_order=0"}};
}

void machine_clock::set(long seconds_ahead) const {
  const auto fresh = shift_ + ".new";
  std::ofstream{fresh} << seconds_ahead << "\n";
  fs::permissions(fresh, fs::perms{0644});
  fs::rename(fresh, shift_); // nobody reads half a number
}

} // namespace credence::test
