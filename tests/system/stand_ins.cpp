#include "tests/system/stand_ins.hpp"

#include "tests/build_paths.hpp"
#include "tests/waiting.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace credence::test {

namespace fs = std::filesystem;

namespace {

std::string fresh_path() {
  static std::atomic<int> made{0};
  const auto name = "credence-stand-in-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  return (fs::temp_directory_path() / name).string();
}

} // namespace

stand_in::stand_in(const std::string& variable, const std::string& built)
  : variable_(variable), orders_(fresh_path()), library_(orders_ + ".so") {
  // PostgreSQL's user may not be able to read it where it was built.
  fs::copy_file(built, library_, fs::copy_options::overwrite_existing);
  fs::permissions(library_, fs::perms{0755});
}

stand_in::~stand_in() {
  std::error_code ignored;
  fs::remove(orders_, ignored);
  fs::remove(library_, ignored);
}

environment stand_in::in_front() const {
  const auto* sanitizer = std::getenv("ASAN_OPTIONS"); // whose runtime would not start behind another library
  return {{"LD_PRELOAD", library_},
          {variable_, orders_},
          {"ASAN_OPTIONS", std::string{sanitizer ? sanitizer : ""} + ":verify_asan_link_order=0"}};
}

void stand_in::write(const std::string& orders) const {
  const auto fresh = orders_ + ".new";
  std::ofstream{fresh} << orders << "\n";
  fs::permissions(fresh, fs::perms{0644});
  fs::rename(fresh, orders_); // nobody reads half an order
}

faulty_disk::faulty_disk() : stand_in("FAULTY_DISK", test::built::faulty_disk) {}

void faulty_disk::mend() const { fs::remove(orders_); }

machine_clock::machine_clock() : stand_in("SHIFTED_CLOCK", test::built::shifted_clock) { set(0); }

faulty_actors::faulty_actors() : stand_in("FAULTY_ACTORS", test::built::faulty_actors) {}

bool faulty_actors::order(const std::string& text) const {
  write(text);
  return comes_true([&] { return !fs::exists(orders_); });
}

} // namespace credence::test
