#include "tests/build_paths.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

/// The names in the table "What bounds a transaction".
std::set<std::string> written_down() {
  std::ifstream file{test::built::source + "/ops/reliability.md"};
  std::stringstream text;
  text << file.rdbuf();
  auto section = text.str();
  section.erase(0, section.find("## What bounds a transaction"));
  section = section.substr(0, section.find("\n## ", 1));
  std::set<std::string> out;
  std::istringstream lines{section};
  const std::regex name{"`([a-z_]+)`"};
  for (std::string line; std::getline(lines, line);) {
    const auto cells = line.find("| `"); // the last cell
    if (line.empty() || line[0] != '|' || cells == std::string::npos)
      continue;
    const auto names = line.substr(cells);
    for (std::sregex_iterator each{names.begin(), names.end(), name}, end; each != end; ++each)
      EXPECT_TRUE(out.insert((*each)[1]).second) << (*each)[1] << " is there twice";
  }
  return out;
}

TEST(TriggerBounds, AreWrittenDownForEveryFunction) {
  auto on = test::look_into(test::fresh_database(1));
  const auto found = on.exec_params("SELECT DISTINCT p.proname::text AS name FROM pg_trigger t JOIN pg_proc p ON p.oid "
                                    "= t.tgfoid WHERE NOT t.tgisinternal",
                                    deadline_in(60s));
  std::set<std::string> there;
  const column<std::string> name{found, "name"};
  for (int i = 0; i < found.count(); ++i)
    there.insert(name[i]);
  const auto told = written_down();
  EXPECT_GT(told.size(), 50u);
  for (const auto& each : there)
    EXPECT_TRUE(told.contains(each)) << each
                                     << " is called by a trigger: write in ops/reliability.md what bounds its rows";
  for (const auto& each : told)
    EXPECT_TRUE(there.contains(each)) << each << " is in ops/reliability.md, and no trigger calls it";
}

} // namespace
} // namespace credence::persistence
