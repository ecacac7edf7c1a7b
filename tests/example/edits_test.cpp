#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <vector>

namespace credence::test {
namespace {

/// The places of shared files that an entity more is written into: lines that name notes, together where no more than
/// three others lie between them.
std::vector<std::string> edits() {
  const auto names_notes = [](const std::string& line) {
    const auto at = line.find("note::");
    return line.find("CREDENCE_EXAMPLE") != line.npos || line.find("\"notes\"") != line.npos
           || line.find("note_created") != line.npos
           || (at != line.npos
               && (at == 0 || (std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0 && line[at - 1] != '_')));
  };
  const std::filesystem::path source{built::source};
  std::vector<std::string> out;
  for (const auto* folder : {"actors", "auth", "config", "http", "ops", "persistence", "tests"})
    for (const auto& each : std::filesystem::recursive_directory_iterator{source / folder}) {
      const auto name = std::filesystem::relative(each.path(), source).string();
      const auto kind = each.path().extension();
      if ((kind != ".hpp" && kind != ".cpp" && kind != ".golden") || name.starts_with("tests/example/")
          || name.find("node_modules") != std::string::npos)
        continue;
      std::ifstream file{each.path()};
      std::string line;
      int last = -10;
      for (int number = 1; std::getline(file, line); ++number)
        if (names_notes(line)) {
          if (number - last > 4)
            out.push_back(name + ":" + std::to_string(number));
          last = number;
        }
    }
  return out;
}

TEST(Example, AnEntityTakesNoMoreThanTwentyEditsInSharedFiles) {
  const auto all = edits();
  std::string listed;
  for (const auto& each : all)
    listed += "\n  " + each;
  EXPECT_GE(all.size(), 10u) << "the pattern finds them no more";
  EXPECT_LE(all.size(), 20u) << listed;
}

} // namespace
} // namespace credence::test
