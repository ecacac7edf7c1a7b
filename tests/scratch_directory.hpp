#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace credence::test {

/// Makes a directory that this user alone may enter. `name`: what its files are for, as its own name says. Throws
/// `std::system_error`.
inline std::filesystem::path fresh_directory(const std::string& name,
                                             const std::filesystem::path& in = std::filesystem::temp_directory_path()) {
  auto pattern = (in / ("credence-" + name + "-XXXXXX")).string();
  if (!::mkdtemp(pattern.data()))
    throw std::system_error{errno, std::generic_category(), "mkdtemp " + pattern};
  return pattern;
}

/// A fresh directory for a test's files; gone with its owner.
class scratch_directory {
public:
  explicit scratch_directory(const std::string& name) : path_(fresh_directory(name)) {}
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::error_code left_over; // a destructor throws nothing
    std::filesystem::remove_all(path_, left_over);
  }

  const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace credence::test
