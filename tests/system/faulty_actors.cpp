#include "tests/system/faulty_actors.hpp"

#include "tests/build_paths.hpp"
#include "tests/waiting.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace credence::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

faulty_actors::faulty_actors() {
  static std::atomic<int> made{0};
  orders_ =
    (fs::temp_directory_path() / ("credence-actors-" + std::to_string(::getpid()) + "-" + std::to_string(++made)))
      .string();
}

faulty_actors::~faulty_actors() {
  std::error_code ignored;
  fs::remove(orders_, ignored);
}

environment faulty_actors::in_front() const {
  const auto* sanitizer = std::getenv("ASAN_OPTIONS"); // whose runtime would not start behind another library
  return {{"LD_PRELOAD", test::built::faulty_actors},
          {"FAULTY_ACTORS", orders_},
          {"ASAN_OPTIONS", std::string{sanitizer ? sanitizer : ""} + ":verify_asan_link_order=0"}};
}

bool faulty_actors::order(const std::string& text) const {
  const auto fresh = orders_ + ".new";
  std::ofstream{fresh} << text << "\n";
  fs::rename(fresh, orders_); // nobody reads half an order
  return comes_true([&] { return !fs::exists(orders_); });
}

} // namespace credence::test
