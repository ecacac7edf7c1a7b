#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace credence {
namespace {

/// Lines of the sources below a folder that name a word, by file.
std::map<std::string, int> lines_with(const std::string& word, const std::string& folder) {
  std::map<std::string, int> out;
  for (const auto& each : std::filesystem::recursive_directory_iterator{test::built::source + "/" + folder}) {
    if (each.path().extension() != ".cpp" && each.path().extension() != ".hpp")
      continue;
    std::ifstream file{each.path()};
    for (std::string line; std::getline(file, line);)
      out[each.path().filename().string()] += line.find(word) != std::string::npos;
  }
  std::erase_if(out, [](const auto& of_file) { return of_file.second == 0; });
  return out;
}

// `taken_down` is a field of reviews alone: of the record and of the change that sets it. What docs/changing.md says of
// a field of a record is true while this holds: its struct and its list, no SQL, no row mapping.
TEST(ARecord, NamesAFieldOfItsRowOnce) {
  using files = std::map<std::string, int>;
  EXPECT_EQ(lines_with("taken_down", "persistence/sql"), files{});
  EXPECT_EQ(lines_with("taken_down", "persistence/writer"), files{});
  const auto named = lines_with("taken_down", "actors");
  EXPECT_EQ(named.at("review_types.hpp"), 2) << "a member of the record, and one of its change";
  EXPECT_EQ(named.at("record_storage.hpp"), 2) << "each once in a list of fields";
  auto rules = named;
  for (const auto* described : {"review_types.hpp", "record_storage.hpp"})
    rules.erase(described);
  EXPECT_EQ(rules, (files{{"record_rows.cpp", 1}, {"review_state.cpp", 5}})) << "the rules";
}

} // namespace
} // namespace credence
