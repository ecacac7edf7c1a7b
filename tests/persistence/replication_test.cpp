#include "persistence/replication.hpp"

#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

TEST(StandbyRule, ReadsTheFormsOfPostgreSQL) {
  const struct {
    const char* setting;
    int needed, named;
  } rows[]{
    {"", 0, 0},
    {"  ", 0, 0},
    {"east", 1, 1},
    {"east, west", 1, 2},
    {"*", 1, 2},
    {"2 (a, b, c)", 2, 3},
    {"FIRST 2 (a,b,c)", 2, 3},
    {"any 1 (a, \"b, c\")", 1, 2},
    {"ANY 2 (*)", 2, 3},
    {"\"any\"", 1, 1},
    {"anybody", 1, 1},
  };
  for (const auto& row : rows) {
    const auto read = standby_rule::read(row.setting);
    EXPECT_EQ(read.needed, row.needed) << row.setting;
    EXPECT_EQ(read.named, row.named) << row.setting;
  }
}

TEST(LookAtReplication, TellsOfAServerThatNobodyFollows) {
  auto on = test::look_into(test::shared_postgres().url("replication_tests"));
  const auto seen = look_at_replication(on, deadline_in(std::chrono::seconds{60}));
  EXPECT_FALSE(seen.in_recovery);
  EXPECT_EQ(seen.timeline, 1);
  EXPECT_FALSE(seen.hidden);
  EXPECT_EQ(seen.needed, 0);
  EXPECT_TRUE(seen.standbys.empty());
}

} // namespace
} // namespace credence::persistence
