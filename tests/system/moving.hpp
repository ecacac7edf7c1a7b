#pragma once

#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/text_of_file.hpp"

#include <gtest/gtest.h>

#include <sstream>

/// What tests of exports and imports share.
namespace credence::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

/// A cluster for the tests of a suite, with a database `rich` that has some of everything, and a directory for each
/// test.
struct moving : testing::Test {
  static void SetUpTestSuite() {
    cluster() = std::make_unique<private_postgres>();
    made("rich");
    const auto filled = on(
      "rich", {"--profiles", "120", "--projects", "9", "--votes", "3000", "--writers", "60", "--quiet"}, built::demo);
    ASSERT_EQ(filled.code, 0) << filled.err;
  }
  static void TearDownTestSuite() { cluster().reset(); }

  static std::unique_ptr<private_postgres>& cluster() {
    static std::unique_ptr<private_postgres> only;
    return only;
  }
  /// A database with the schema and nothing else.
  static void made(const std::string& database) {
    const auto migrated = on(database, {"migrate", "up", "--quiet"});
    ASSERT_EQ(migrated.code, 0) << migrated.err;
  }
  /// `credence <words…>`, or another program, on a database.
  static finished on(const std::string& database, std::vector<std::string> words,
                     const std::string& program = built::executable) {
    static const scratch_directory data{"moving-data"};
    words.insert(words.begin(), program);
    words.insert(words.end(), {"--database-url", cluster()->url(database), "--data-dir", data.path().string()});
    return run_program(words);
  }
  static std::string sql(const std::string& text, const std::string& database = "rich") {
    return cluster()->sql(text, database);
  }
  static std::string count(const std::string& of, const std::string& database = "rich") {
    return sql("SELECT count(*) FROM " + of, database);
  }

  /// An export of `rich` into a directory; the rest of the words follow.
  finished into(const std::string& directory, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"export", "--to", (home / directory).string(), "--quiet"});
    return on("rich", words);
  }
  std::string file(const std::string& directory, const std::string& name) {
    return text_of_file(home / directory / name);
  }

  const scratch_directory scratch{"moving"};
  const std::filesystem::path home = scratch.path();
};

} // namespace credence::test
