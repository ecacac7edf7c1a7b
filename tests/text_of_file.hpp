#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace credence::test {

/// All of it; nothing of a file that is not there.
inline std::string text_of_file(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream{file, std::ios::binary}.rdbuf();
  return out.str();
}

} // namespace credence::test
