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

/// The names in the tables of "What bounds a transaction".
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
  // Those of an extension are not ours; put_chain_rows stands for those that make_chain_writers() makes for it.
  const auto found = on.exec_params("SELECT DISTINCT p.proname::text AS name FROM pg_proc p"
                                    " WHERE p.pronamespace = 'public'::regnamespace"
                                    " AND p.proname NOT LIKE 'put\\_chain\\_rows\\_of\\_%'"
                                    " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass"
                                    "  AND d.objid = p.oid AND d.deptype = 'e')",
                                    deadline_in(60s));
  std::set<std::string> there;
  const column<std::string> name{found, "name"};
  for (int i = 0; i < found.count(); ++i)
    there.insert(name[i]);
  const auto told = written_down();
  EXPECT_GT(told.size(), 150u);
  for (const auto& each : there)
    EXPECT_TRUE(told.contains(each)) << each << ": write in ops/reliability.md what bounds the rows that it touches";
  for (const auto& each : told)
    EXPECT_TRUE(there.contains(each)) << each << " is in ops/reliability.md, and not in the schema";
}

/// Whoever deletes a row, or changes its key, has PostgreSQL look for rows that name it.
TEST(TriggerBounds, RowsThatNameAnotherAreFoundByAnIndex) {
  auto on = test::look_into(test::fresh_database(1));
  const auto found = on.exec_params(
    "SELECT c.conrelid::regclass::text || ' ' || c.conname::text AS name FROM pg_constraint c WHERE c.contype = 'f'"
    // what nobody deletes is named for good
    " AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.confrelid AND t.tgfoid = 'refuse_change'::regproc"
    "  AND pg_get_triggerdef(t.oid) LIKE '% BEFORE DELETE %' AND t.tgqual IS NULL)"
    " AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid"
    "  AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')"
    "  AND (SELECT array_agg(k ORDER BY k) FROM unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) k)"
    "   = (SELECT array_agg(k ORDER BY k) FROM unnest(c.conkey) k))",
    deadline_in(60s));
  const column<std::string> name{found, "name"};
  for (int i = 0; i < found.count(); ++i)
    ADD_FAILURE() << name[i] << ": whoever deletes what it leads to reads the whole table";
}

} // namespace
} // namespace credence::persistence
